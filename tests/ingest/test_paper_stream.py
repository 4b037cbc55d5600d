"""Streamed import against the plain one: the same table, the same account."""

from __future__ import annotations

import json
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from core.errors import DataError
from core.ingest import paper_stream
from core.ingest.foreign import plan_files
from core.ingest.importing import open_for_import
from core.ingest.paper_stream import is_large, stream_papers
from core.study import Study, frame_digest


def lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def paper(number: int, **more: Any) -> dict[str, Any]:
    return {"paper_id": f"p{number}", "title": f"A particular study of number {number}",
            "abstract": f"About {number}.", "published": "2024-03-01", "citations": number,
            } | more  # fmt: skip


PAPER = st.builds(
    lambda number, title, doi, more: paper(number)
    | ({} if title is None else {"title": f"A particular study of number {title}"})
    | ({} if doi is None else {"doi": f"10.1/{doi}"})
    | more,
    st.integers(0, 8),
    st.none() | st.integers(0, 8),
    st.none() | st.integers(0, 4),
    st.sampled_from(
        [{}, {"citations": None}, {"title": None, "abstract": None}, {"published": "2023"},
         {"venue": "ICLR 2024"}, {"published": "06/12/2023"}, {"title": "Preface"},
         {"email": "x@example.org", "note": "kept"}]
    ),
)  # fmt: skip


def both(
    folder: Path, batches: list[list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> list[tuple[Any, Any]]:
    """Each batch imported plainly and as a stream, in one study each; their reports."""
    monkeypatch.setattr(paper_stream, "STREAM_IMPORT_ROWS", 3)
    shutil.rmtree(folder, ignore_errors=True)
    told = []
    for name in ("plain", "stream"):
        Study.create(folder / name, cutoff=date(2024, 6, 30))
    for number, batch in enumerate(batches):
        path = folder / f"b{number}.jsonl"
        path.write_text(lines(batch))
        try:
            plan = plan_files(open_for_import(folder / "plain", "papers"), "papers", [path])[0]
            plain: Any = plan.apply()[1]
        except DataError:
            plain = None
        try:
            streamed: Any = stream_papers(folder / "stream", [path])
        except DataError:
            streamed = None
        told.append((plain, streamed))
    return told


@settings(
    max_examples=8,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(batches=st.lists(st.lists(PAPER, min_size=1, max_size=9), min_size=1, max_size=2))
def test_the_same_table_and_the_same_account(
    batches: list[list[dict[str, Any]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for plain, streamed in both(tmp_path / "x", batches, monkeypatch):
        assert (plain is None) == (streamed is None)
        if plain is not None:
            for name in ("read", "added", "updated", "unchanged", "merged", "dropped", "personal"):
                assert getattr(plain.files[0], name) == getattr(streamed.files[0], name), name
            assert plain.merges == streamed.merges
            assert plain.rows_after == streamed.rows_after
            assert plain.written == streamed.written
    first, second = (Study.open(tmp_path / "x" / name).papers for name in ("plain", "stream"))
    assert first["paper_id"].tolist() == second["paper_id"].tolist()
    assert frame_digest(first) == frame_digest(second)


def test_a_table_in_csv_becomes_parquet_and_no_scratch_is_left(tmp_path: Path) -> None:
    Study.create(tmp_path / "s", cutoff=date(2024, 6, 30))
    (tmp_path / "s" / "papers.csv").write_text("paper_id,title\nold,An old paper with a title\n")
    (tmp_path / "b.jsonl").write_text(lines([paper(1)]))
    stream_papers(tmp_path / "s", [tmp_path / "b.jsonl"])
    assert sorted(p.name for p in (tmp_path / "s").iterdir()) == ["papers.parquet", "study.toml"]
    assert Study.open(tmp_path / "s").papers["paper_id"].tolist() == ["old", "p1"]


def test_a_file_that_breaks_in_the_middle_leaves_the_study(tmp_path: Path) -> None:
    Study.create(tmp_path / "s", cutoff=date(2024, 6, 30))
    (tmp_path / "b.jsonl").write_text(lines([paper(n) for n in range(9)]) + '{"paper_id": ')
    with pytest.raises(DataError, match="line 10"):
        stream_papers(tmp_path / "s", [tmp_path / "b.jsonl"])
    assert [p.name for p in (tmp_path / "s").iterdir()] == ["study.toml"]


def test_trying_writes_nothing(tmp_path: Path) -> None:
    Study.create(tmp_path / "s", cutoff=date(2024, 6, 30))
    (tmp_path / "b.jsonl").write_text(lines([paper(1)]))
    report = stream_papers(tmp_path / "s", [tmp_path / "b.jsonl"], dry_run=True)
    assert (report.written, report.rows_after) == (False, 1)
    assert [p.name for p in (tmp_path / "s").iterdir()] == ["study.toml"]


def test_what_is_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"x" * 100)
    (tmp_path / "a.jsonl.gz").write_bytes(b"x" * 100)
    monkeypatch.setattr(paper_stream, "STREAM_IMPORT_BYTES", 300)
    assert not is_large([tmp_path / "a.jsonl", tmp_path / "missing"])
    assert is_large([tmp_path / "a.jsonl.gz"])
