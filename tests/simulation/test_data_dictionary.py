"""data/README.md says of every column what core/schema.py says."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.schema import CANDIDATES, TABLES, Column, Table
from core.study import Study

DICTIONARY = Path(__file__).resolve().parents[2] / "data" / "README.md"
EVERY_TABLE = [*TABLES.values(), CANDIDATES]


def dictionary_line(column: Column) -> str:
    """A column's line: name, kind, whether it must be filled, what it may hold, what it means."""
    holds = " / ".join(
        f"{value:g}" if isinstance(value, float) else value for value in column.allowed
    )
    if not holds and column.low is not None:
        holds = (
            f"{column.low:g} to {column.high:g}" if column.high is not None else f"≥ {column.low:g}"
        )
    filled = (
        "yes" if column.required else "" if column.default is None else f"else {column.default}"
    )
    return f"| `{column.name}` | {column.kind} | {filled} | {holds} | {column.doc} |"


def dictionary_section(table: Table) -> str:
    key = ", ".join(f"`{name}`" for name in table.key)
    lines = [
        f"### {table.name}",
        f"One row is {table.row}; {key} identif{'y' if len(table.key) > 1 else 'ies'} it.",
        "",
        "| Column | Kind | Required | Holds | Meaning |",
        "|---|---|---|---|---|",
        *map(dictionary_line, table.columns),
    ]
    return "\n".join(lines)


@pytest.mark.parametrize("table", EVERY_TABLE, ids=lambda table: table.name)
def test_the_dictionary_tells_every_column(table: Table) -> None:
    assert dictionary_section(table) in DICTIONARY.read_text(encoding="utf-8")


def test_the_dictionary_tells_no_other_table() -> None:
    headings = [
        line.removeprefix("### ")
        for line in DICTIONARY.read_text(encoding="utf-8").splitlines()
        if line.startswith("### ")
    ]
    assert headings == [table.name for table in EVERY_TABLE]


def test_the_dictionary_counts_the_demo_right(demo: Study) -> None:
    text = DICTIONARY.read_text(encoding="utf-8")
    for name in ("ideas", "papers", "scores"):
        assert f"{len(getattr(demo, name)):,} {name}" in text
    assert demo.candidates is not None
    assert f"{len(demo.candidates):,} candidates" in text


def test_every_idea_of_the_demo_names_its_planted_papers(demo: Study) -> None:
    known = set(demo.papers["paper_id"])
    for extra in demo.ideas["extra"]:
        assert list(extra) == ["planted"]
        assert set(extra["planted"]) <= known
