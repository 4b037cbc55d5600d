"""What is written comes back: tables in every kind of file, merges, and imports of our own files."""

from __future__ import annotations

import itertools
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from builders import study
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import DataError
from core.ingest.foreign import plan_files, read_foreign
from core.ingest.merge import merge_papers
from core.ingest.tabular import write_rows
from core.schema import TABLES, Column, Table, admit
from core.study import Study, read_tables

SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz", ".jsonl.gz")
ANY = st.characters(exclude_categories=("Cs",))
TEXT = st.one_of(
    st.text(ANY, min_size=1, max_size=8),
    st.sampled_from(["=1+1", "-2", "@x", '"', "'", "a,b;c\td", "two\nlines", "\r", "NaN", "null",
                     "007", "1e5", "[1]", "{}", "\ufeff", "\x00", "\u2028", "🧪é"]),
)  # fmt: skip
VALUE = st.recursive(
    st.booleans() | st.integers(-(10**20), 10**20) | TEXT | st.floats(-1e9, 1e9),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)


def cells(column: Column) -> st.SearchStrategy[Any]:
    """What a column may hold, unknown among it."""
    if column.name == "date_precision":
        return st.none()
    if column.allowed:
        known: st.SearchStrategy[Any] = st.sampled_from(column.allowed)
    elif column.kind in ("number", "integer"):
        low = column.low if column.low is not None else -1e12
        high = column.high if column.high is not None else 1e12
        kind = st.integers if column.kind == "integer" else st.floats
        known = kind(int(low), int(high)) if column.kind == "integer" else kind(low, high)
    elif column.kind == "date":
        days = st.dates(date(1000, 1, 1), date(2999, 12, 31)).map(str)
        known = days if column.name == "cutoff" else days | days.map(lambda day: day[:7])
    elif column.kind == "texts":
        known = st.lists(TEXT, max_size=3)
    elif column.kind == "record":
        known = st.dictionaries(TEXT, VALUE, max_size=3)
    else:
        known = TEXT
    return known if column.required else st.none() | known


def frames(table: Table) -> st.SearchStrategy[pd.DataFrame]:
    """Tables of one to three rows as the schema admits them."""
    row = st.fixed_dictionaries({column.name: cells(column) for column in table.columns})

    def admitted(rows: list[dict[str, Any]]) -> pd.DataFrame:
        for number, each in enumerate(rows):
            each[table.key[0]] = f"{number}{each[table.key[0]]}"
        return admit(table, pd.DataFrame(rows, dtype=object), file="t")[0]

    return st.lists(row, min_size=1, max_size=3).map(admitted).filter(
        lambda frame: not admit(table, frame.astype(object), file="t")[1]
    )  # fmt: skip


def written(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows with every unknown value as None, so that rows can be compared."""
    return [
        {n: None if (isinstance(c, float) and c != c) or c is pd.NA or c is pd.NaT else c
         for n, c in row.items()}
        for row in frame.to_dict("records")
    ]  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_table_comes_back_from_a_study(name: str) -> None:
    @settings(max_examples=4, deadline=None)
    @given(frames(TABLES[name]))
    def comes_back(frame: pd.DataFrame) -> None:
        for suffix in SUFFIXES:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"{name}{suffix}"
                write_rows(frame, path)
                first = path.read_bytes()
                back, problems = read_tables(Path(folder))
                assert problems == []
                assert written(back[name]) == written(frame), suffix
                write_rows(back[name], path)
                assert path.read_bytes() == first, suffix

    comes_back()


CLEAN = st.text(st.characters(categories=("L", "Nd", "P", "S")), min_size=1, max_size=9)
PAPER = st.fixed_dictionaries(
    {
        "published": st.sampled_from([None, "2024", "2024-05", "2024-05-02", "2024-06-01"]),
        "citations": st.sampled_from([None, 0, 3, 70]),
        "abstract": st.none() | CLEAN,
        "venue": st.sampled_from([None, "arXiv", "ACL 2024", "Findings of ACL"]),
        "topics": st.lists(st.sampled_from(["a", "b", "c"]), max_size=2),
        "arxiv": st.sampled_from([None, "2405.00001", "2405.00002"]),
        "doi": st.sampled_from([None, "10.1/a", "10.1/b"]),
    }
)


def as_records(papers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = []
    for number, paper in enumerate(papers):
        kinds = ("arxiv", "doi")
        known = {kind: paper[kind] for kind in kinds if paper[kind]}
        rest = {name: value for name, value in paper.items() if name not in kinds}
        rows.append({"paper_id": f"p{number}", "title": f"T{number}", "identifiers": known, **rest})
    frame, problems = admit(TABLES["papers"], pd.DataFrame(rows, dtype=object), file="p")
    assert not problems
    return list(frame.to_dict("records"))


def groups(records: tuple[dict[str, Any], ...]) -> set[frozenset[str]]:
    return {
        frozenset({r["paper_id"], *(e["paper_id"] for e in r["extra"].get("merged", ()))})
        for r in records
    }


def facts(record: dict[str, Any]) -> tuple[Any, ...]:
    """What a merge promises of a paper whatever the order: the best of each."""
    citations = record["citations"]
    return (
        None if pd.isna(record["published"]) else str(record["published"]),
        None if pd.isna(record["published"]) else record["date_precision"],
        None if citations != citations else citations,
        0 if record["abstract"] != record["abstract"] else len(record["abstract"]),
        frozenset(record["topics"]),
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(PAPER, min_size=2, max_size=4))
def test_a_merge_by_identifiers_does_not_depend_on_the_order(papers: list[dict[str, Any]]) -> None:
    records = as_records(papers)
    found = []
    for order in itertools.permutations(records):
        done = merge_papers([], list(order))
        found.append((groups(done.records), frozenset(map(facts, done.records))))
    assert all(each == found[0] for each in found)


@settings(max_examples=30, deadline=None)
@given(st.lists(PAPER, min_size=1, max_size=4))
def test_merging_what_was_merged_changes_nothing(papers: list[dict[str, Any]]) -> None:
    once = merge_papers([], as_records(papers)).records
    again = merge_papers(once, once)
    assert set(again.fates) <= {"unchanged"}
    assert str(again.records) == str(once)


@pytest.mark.parametrize("name", TABLES)
def test_our_own_files_import_unchanged(name: str) -> None:
    """Any table's file is a file for ``foreseen import`` too; cleaned text stays as it is."""

    @settings(max_examples=4, deadline=None)
    @given(frames(TABLES[name]), st.sampled_from([".csv", ".jsonl", ".parquet"]))
    def imports(frame: pd.DataFrame, suffix: str) -> None:
        first = imported(frame, name, suffix)
        if first is not None:
            second = imported(first, name, suffix)
            assert second is not None
            assert written(second) == written(first)

    imports()


def imported(frame: pd.DataFrame, name: str, suffix: str) -> pd.DataFrame | None:
    """The table after an import of its own file; None where no row has what a row needs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{suffix}"
        write_rows(frame, path)
        try:
            return plan_files(study(), name, [read_foreign(path, name)])[0].frame
        except DataError:
            return None


def test_a_study_is_written_in_the_kind_of_file_that_it_has(tmp_path: Path) -> None:
    made = Study.create(tmp_path / "s", cutoff=date(2024, 6, 30))
    ideas = study(ideas=[{"idea_id": "i", "system": "a", "title": "T", "key_terms": ["x"]}]).ideas
    for suffix in (".jsonl", ".csv", ".parquet"):
        made = made.write("ideas", ideas, suffix=suffix)
        assert sorted(p.name for p in (tmp_path / "s").glob("ideas*")) == [f"ideas{suffix}"]
        assert written(Study.open(tmp_path / "s").ideas) == written(ideas)
