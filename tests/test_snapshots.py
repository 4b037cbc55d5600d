"""Snapshots: the same table comes back, and a changed or broken one is read anew."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from builders import table

import core.snapshots
from core.errors import TableError
from core.study import Study

IDEAS = [
    {"idea_id": "i1", "system": "A", "rank": 1, "key_terms": ["a", "b"], "cutoff": "2024-01-31"},
    {"idea_id": "i2", "system": "B", "extra": {"n": [1, {"x": None}], "ü": "ß"}},
]
PAPERS = [
    {"paper_id": "p1", "title": "t", "published": "2024-06", "citations": 3, "topics": ["x"]},
    {"paper_id": "p2", "title": "u", "identifiers": {"doi": "10.1/x"}},
]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FORESEEN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tables"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = Study.create(tmp_path / "study", cutoff=date(2023, 6, 1))
    made.write("ideas", table("ideas", IDEAS), suffix=".jsonl")
    made.write("papers", table("papers", PAPERS), suffix=".csv")
    return tmp_path / "study"


def read_counts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are read cell by cell from here on."""
    names: list[str] = []
    read = core.snapshots.read_rows

    def counted(path: Path) -> pd.DataFrame:
        names.append(path.name)
        return read(path)

    monkeypatch.setattr(core.snapshots, "read_rows", counted)
    return names


def test_the_second_opening_reads_no_cell_and_has_the_same_tables(
    cache: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Study.open(folder)
    names = read_counts(monkeypatch)
    second = Study.open(folder)
    assert names == []
    for name in ("ideas", "papers"):
        pd.testing.assert_frame_equal(getattr(first, name), getattr(second, name))
    assert second.ideas["key_terms"].tolist() == [("a", "b"), ()]
    assert second.ideas["extra"].tolist()[1] == {"n": [1, {"x": None}], "ü": "ß"}
    assert first.digest == second.digest


def test_a_changed_file_is_read_anew(
    cache: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Study.open(folder)
    text = (folder / "papers.csv").read_text()
    (folder / "papers.csv").write_text(text.replace(",3,", ",4,"))
    names = read_counts(monkeypatch)
    assert Study.open(folder).papers["citations"].tolist()[0] == 4
    assert names == ["papers.csv"]


def test_a_table_with_problems_is_not_kept(cache: Path, folder: Path) -> None:
    text = (folder / "papers.csv").read_text()
    (folder / "papers.csv").write_text(text.replace(",3,", ",many,"))
    for _ in range(2):
        with pytest.raises(TableError, match="must be a number"):
            Study.open(folder)


def test_a_broken_snapshot_is_passed_over(cache: Path, folder: Path) -> None:
    before = Study.open(folder)
    for path in cache.glob("*.arrow"):
        path.write_bytes(b"no arrow")
    pd.testing.assert_frame_equal(Study.open(folder).ideas, before.ideas)


def test_the_cache_is_the_user_s_own(cache: Path, folder: Path) -> None:
    Study.open(folder)
    assert cache.stat().st_mode & 0o777 == 0o700


def test_the_oldest_snapshots_go_first(
    cache: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core.snapshots, "MOST_BYTES", 0)
    assert len(Study.open(folder).ideas) == 2
    assert list(cache.glob("*.arrow")) == []


def test_a_cache_that_cannot_be_written_is_no_error(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FORESEEN_CACHE", str(tmp_path / "file"))
    assert len(Study.open(folder).ideas) == 2


def test_a_kept_digest_is_that_of_the_table_itself_and_of_no_part_of_it(
    cache: Path, folder: Path
) -> None:
    for _ in range(2):
        ideas = Study.open(folder).ideas
        assert core.snapshots.kept_digest(ideas) == core.snapshots.frame_digest(ideas)
        part = ideas.iloc[:1]
        assert core.snapshots.kept_digest(part) == core.snapshots.frame_digest(part)
        assert core.snapshots.kept_digest(part) != core.snapshots.kept_digest(ideas)
