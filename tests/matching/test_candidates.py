"""From tables to stored candidates: what is written, when it is stale, what is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import config, study, table
from fake_encoders import WordEncoder

from core.config import Settings
from core.errors import DataError, UsageError
from core.matching.candidates import is_stale, match, run_match
from core.matching.vectors import Step
from core.study import Study

IDEAS: list[dict[str, Any]] = [
    {"idea_id": "i2", "system": "s", "topic": "cats", "problem": "cat fur", "method": "brush"},
    {"idea_id": "i1", "system": "s", "topic": "dogs", "problem": "dog", "method": "walk far"},
    {"idea_id": "late", "system": "s", "topic": "dogs", "title": "dog", "cutoff": "2027-01-01"},
]
PAPERS: list[dict[str, Any]] = [
    {"paper_id": "p1", "title": "cat fur", "published": "2024-01-05", "topics": ["cats"]},
    {"paper_id": "p2", "title": "dog walk", "abstract": "far", "published": "2024-02",
     "topics": ["dogs"]},
    {"paper_id": "p3", "title": "cat brush", "published": "2025", "topics": ["cats", "dogs"]},
    {"paper_id": "p4", "title": "dog", "published": "2023", "topics": ["dogs"]},
    {"paper_id": "old", "title": "cat", "published": "2022-01-05", "topics": ["cats"]},
    {"paper_id": "none", "title": "cat", "topics": ["cats"]},
]  # fmt: skip


def made(folder: Path, *, ideas: Any = IDEAS, papers: Any = PAPERS, **values: Any) -> Study:
    start = Study.create(folder, cutoff=date(2023, 6, 30), **values)
    return start.write("ideas", table("ideas", ideas)).write("papers", table("papers", papers))


def test_candidates_are_written_and_read_back(tmp_path: Path) -> None:
    encoder = WordEncoder()
    found = run_match(made(tmp_path / "s"), encoder=encoder)
    again = Study.open(tmp_path / "s")
    assert again.candidates is not None
    assert found.study.candidates is not None
    pd.testing.assert_frame_equal(again.candidates, found.study.candidates)
    assert again.candidates_info == found.study.candidates_info
    assert again.candidates["idea_id"].tolist() == ["i1"] * 4 + ["i2"] * 4
    assert again.candidates["rank"].tolist() == [1, 2, 3, 4] * 2
    # 2023 straddles the cutoff: p4 is searched and stored. 'old' and 'none' are in no pool.
    assert set(again.candidates["paper_id"]) == {"p1", "p2", "p3", "p4"}
    assert "cat" not in encoder.encoded
    info = found.study.candidates_info
    assert info is not None
    assert (info.encoder, info.revision, info.encoder_digest) == ("words", "1", "words-1")
    assert (info.depth, info.pool) == (100, "all")
    assert (found.ideas, found.papers, found.total_papers) == (3, 4, 6)
    assert (found.encoded, found.candidates) == (7, 8)
    assert found.empty_pools == ("late",)
    assert found.fallback_texts == 1
    assert found.title_only == 5


def test_similarities_are_cosines_of_the_texts(tmp_path: Path) -> None:
    encoder = WordEncoder()
    frame = match(made(tmp_path / "s"), encoder=encoder).candidates
    assert frame is not None
    a, b = encoder.encode(["cat fur | brush", "cat brush"]).astype(float)
    due = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    row = frame[(frame["idea_id"] == "i2") & (frame["paper_id"] == "p3")]
    assert row["similarity"].item() == pytest.approx(due, abs=5.1e-7)


def test_topic_pools_and_depth(tmp_path: Path) -> None:
    settings = Settings(pool="topic", depth=2)
    found = match(made(tmp_path / "s"), settings, encoder=WordEncoder())
    assert found.candidates is not None
    by_idea = found.candidates.groupby("idea_id")["paper_id"].agg(set).to_dict()
    assert by_idea["i2"] == {"p1", "p3"}
    assert by_idea["i1"] < {"p2", "p3", "p4"}
    assert len(by_idea["i1"]) == 2
    info = found.candidates_info
    assert info is not None
    assert (info.depth, info.pool) == (2, "topic")


def test_row_order_leaves_no_trace_in_the_files(tmp_path: Path) -> None:
    match(made(tmp_path / "a"), encoder=WordEncoder())
    match(made(tmp_path / "b", ideas=IDEAS[::-1], papers=PAPERS[::-1]), encoder=WordEncoder())
    for name in ("candidates.parquet", "candidates.json", "calibration.json"):
        a, b = ((tmp_path / folder / "derived" / name).read_bytes() for folder in "ab")
        assert a == b, name


def test_a_second_run_encodes_nothing_and_gives_the_same(tmp_path: Path) -> None:
    first = run_match(made(tmp_path / "s"), encoder=WordEncoder())
    again = WordEncoder()
    second = run_match(first.study, encoder=again)
    assert again.calls == []
    assert second.encoded == 0
    assert second.study.key == first.study.key


@pytest.mark.parametrize(
    ("name", "change", "stale"),
    [
        ("ideas", {"problem": "other"}, True),
        ("ideas", {"method": "other"}, True),
        ("ideas", {"title": "unused where there is a problem"}, False),
        ("ideas", {"topic": "other"}, True),
        ("ideas", {"cutoff": pd.Timestamp("2023-07-01")}, True),
        ("papers", {"abstract": "other"}, True),
        ("papers", {"published": pd.Timestamp("2024-01-06")}, True),
        ("papers", {"date_precision": "month"}, True),
        ("papers", {"topics": ("x",)}, True),
        ("papers", {"citations": 7.0}, False),
        ("papers", {"venue": "ICLR"}, False),
    ],
)
def test_what_makes_candidates_stale(
    tmp_path: Path, name: str, change: dict[str, Any], stale: bool
) -> None:
    found = match(made(tmp_path / "s"), encoder=WordEncoder())
    assert not is_stale(found)
    frame = getattr(found, name).copy()
    ((column, value),) = change.items()
    frame.at[0, column] = value
    assert is_stale(replace(found, **{name: frame})) is stale


def test_a_window_that_moves_makes_them_stale_and_row_order_does_not(tmp_path: Path) -> None:
    found = match(made(tmp_path / "s"), encoder=WordEncoder())
    longer = found.config.model_copy(update={"horizon_months": 31})
    assert is_stale(replace(found, config=longer))
    renamed = found.config.model_copy(update={"name": "another"})
    assert not is_stale(replace(found, config=renamed))
    turned = found.papers.iloc[::-1].reset_index(drop=True)
    assert not is_stale(replace(found, papers=turned))
    assert is_stale(replace(found, candidates=None, candidates_info=None))


def test_every_pool_empty(tmp_path: Path) -> None:
    found = run_match(made(tmp_path / "s", papers=PAPERS[4:]), encoder=WordEncoder())
    assert found.candidates == 0
    assert set(found.empty_pools) == {"i1", "i2", "late"}
    again = Study.open(tmp_path / "s")
    assert again.candidates is not None
    assert again.candidates.empty
    assert not is_stale(again)


def test_nothing_to_match(tmp_path: Path) -> None:
    start = Study.create(tmp_path / "s", cutoff=date(2023, 6, 30))
    with pytest.raises(DataError, match=r"no ideas.*foreseen import ideas FILE --into"):
        match(start, encoder=WordEncoder())
    with pytest.raises(DataError, match="no papers"):
        match(start.write("ideas", table("ideas", IDEAS)), encoder=WordEncoder())
    with pytest.raises(UsageError, match="not in a folder"):
        match(study(ideas=IDEAS, papers=PAPERS), encoder=WordEncoder())


def test_ideas_without_text_are_named_before_anything_is_encoded(tmp_path: Path) -> None:
    encoder = WordEncoder()
    start = made(tmp_path / "s", ideas=[*IDEAS, {"idea_id": "blank", "system": "s"}])
    with pytest.raises(DataError, match=r"ideas: 1 of 4 have no text to encode \(blank\)"):
        match(start, encoder=encoder)
    assert encoder.calls == []


def test_vectors_brought_by_the_user(tmp_path: Path) -> None:
    start = made(tmp_path / "s")
    ideas, papers = start.ideas["idea_id"], start.papers["paper_id"]
    random = np.random.default_rng(0)
    files = {"ideas": tmp_path / "i.npz", "papers": tmp_path / "p.npz"}
    vectors = {"ideas": random.normal(size=(3, 4)), "papers": random.normal(size=(6, 4))}
    np.savez(files["ideas"], ids=ideas.to_numpy(dtype=str), vectors=vectors["ideas"])
    np.savez(files["papers"], ids=papers.to_numpy(dtype=str), vectors=vectors["papers"])
    found = run_match(start, vectors=files)
    assert found.encoded == 0
    info = found.study.candidates_info
    assert info is not None
    assert info.encoder == f"vectors:{info.encoder_digest}"
    assert not (tmp_path / "s" / "derived" / "vectors").exists()
    frame = found.study.candidates
    assert frame is not None
    a, b = vectors["ideas"][1], vectors["papers"][2]
    row = frame[(frame["idea_id"] == "i1") & (frame["paper_id"] == "p3")]
    due = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert row["similarity"].item() == pytest.approx(due, abs=1e-6)
    named = match(start, vectors=files, encoder="mine").candidates_info
    assert named is not None
    assert named.encoder == "mine"
    with pytest.raises(UsageError, match="only be the name"):
        match(start, vectors=files, encoder=WordEncoder())


def test_progress_tells_every_stage(tmp_path: Path) -> None:
    steps: list[Step] = []
    match(made(tmp_path / "s"), encoder=WordEncoder(), progress=steps.append)
    last = {step.stage: (step.done, step.total) for step in steps}
    assert last == {"ideas": (3, 3), "papers": (4, 4), "search": (3, 3), "calibration": (3, 3)}


def test_texts_in_any_script(tmp_path: Path) -> None:
    ideas = [{"idea_id": "i", "system": "s", "problem": "بحث 😀 <b>x</b> =1+1", "method": "字" * 9}]
    papers = [{"paper_id": "p", "title": "w" + " w" * 50_000, "published": "2024-01-01"}]
    found = match(made(tmp_path / "s", ideas=ideas, papers=papers), encoder=WordEncoder())
    assert found.candidates is not None
    assert len(found.candidates) == 1


def test_config_of_builders_is_the_papers_window() -> None:
    assert config().window_end() == date(2025, 12, 31)
