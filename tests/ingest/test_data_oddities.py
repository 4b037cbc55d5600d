"""Oddities of the real files that users bring, each on a small made file in the same shape,
through the product's commands."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from core.cli import app
from core.errors import ForeseenError
from core.ingest.merge import recorded_merges
from core.study import Study


def run(*words: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done.stderr


def checked(folder: Path) -> str:
    return CliRunner().invoke(app, ["check", str(folder)], catch_exceptions=False).stdout


def agreement(folder: Path) -> dict[str, Any]:
    words = ["agreement", str(folder), "--json", "--draws", "100"]
    return dict(json.loads(CliRunner().invoke(app, words, catch_exceptions=False).stdout))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run("new", tmp_path / "s", "--cutoff", "2024-06-30")
    return tmp_path / "s"


def lines(path: Path, *records: dict[str, Any]) -> Path:
    data = "".join(json.dumps(record) + "\n" for record in records).encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path


def test_three_files_of_papers(folder: Path, tmp_path: Path) -> None:
    """A listing by id month, venues by year, and a conference by arXiv id, one paper in all."""
    title = "A paper that stands in all three files"
    listed = lines(
        tmp_path / "arxiv.jsonl.gz",
        {"arxiv_id": "2503.00001", "title": title, "abstract": "Broken\nover\nlines.",
         "first_listing_file": "2025-03-18", "id_month": "2025-03"},
    )  # fmt: skip
    venues = lines(
        tmp_path / "venues.jsonl.gz",
        {"venue": "COLING", "year": 2025, "id": "c.1", "title": title, "track": "main",
         "status": "Long", "abstract": "Own words.", "gs_citation": -1},
        {"venue": "COLING", "year": 2025, "id": "c.0", "title": "Preface", "gs_citation": -1},
        {"venue": "NAACL", "year": 2024, "id": "n.0", "title": "Preface", "gs_citation": 0},
    )  # fmt: skip
    conference = lines(
        tmp_path / "cvpr.jsonl.gz",
        {"venue": "CVPR", "year": 2025, "id": "v1", "title": title.upper(), "gs_citation": 7,
         "arxiv_id": "2503.99999", "arxiv_id_month": "2025-03", "abstract": "Broken over lines."},
    )  # fmt: skip
    said = run("import", "papers", listed, venues, conference, "--into", folder)
    assert "citations: 2 × -1 read as unknown" in said
    papers = Study.open(folder).papers.set_index("paper_id")
    assert set(papers.index) == {"2503.00001", "c.0", "n.0"}
    merged = papers.loc["2503.00001"]
    assert (merged["abstract"], merged["citations"]) == ("Broken over lines.", 7)
    assert merged["published"].strftime("%Y-%m-%d") == "2025-03-01"
    assert set(papers["date_precision"]) == {"month", "year"}
    # Never looked up is unknown; 0 was looked up.
    assert pd.isna(papers.loc["c.0", "citations"])
    assert papers.loc["n.0", "citations"] == 0
    assert len(recorded_merges(Study.open(folder).papers)) == 2
    notes = checked(folder)
    assert "2 papers without an abstract (c.0, n.0)" in notes
    assert "1 papers with unknown citations" in notes


def test_revisions_are_no_first_submissions(folder: Path, tmp_path: Path) -> None:
    file = lines(
        tmp_path / "topics.jsonl",
        {"arxiv_id": "2404.00001", "title": "A paper without the day of version one",
         "v1_date": None, "version_dates": {"v2": "2024-09-01"}, "id_month": "2024-04"},
        {"arxiv_id": "2404.00002", "title": "A paper whose number is of another month",
         "v1_date": "2024-03-31", "id_month": "2024-04", "topics": ["Time Series", "Trajectory"]},
        {"arxiv_id": "2505.00003", "title": "A paper whose number is of another month.",
         "v1_date": "2025-05-02", "id_month": "2025-05", "topics": ["Trajectory"]},
    )  # fmt: skip
    said = run("import", "papers", file, "--into", folder)
    assert "published: 1 without a date" in said
    assert "merged by title: 2505.00003 into 2404.00002" in said
    first, second = Study.open(folder).papers.to_dict("records")
    assert pd.isna(first["published"])
    assert second["published"].strftime("%Y-%m-%d") == "2024-03-31"
    assert second["topics"] == ("Time Series", "Trajectory")
    assert "1 papers without a date: in no pool (2404.00001)" in checked(folder)


def test_reviews_of_more_ideas_than_there_are_texts(folder: Path, tmp_path: Path) -> None:
    """A third condition without texts, ids with stray spaces, and two to four reviews an idea."""
    ideas = tmp_path / "ideas.csv"
    ideas.write_text(
        "idea_id,condition,topic,title\nBias_9_AI,AI,Bias,T\nBias_2_Human,Human,Bias,U\n"
    )
    run("import", "ideas", ideas, "--into", folder)
    marks = {"topic": "Bias", "familiarity": "3 (you have read)", "overall_score": 5}
    reviews = [
        {"idea_id": name, "condition": condition, "novelty_score": mark, **marks}
        for name, condition, given in (
            ("Bias_9 _AI", "AI", (4, 4)),
            ("Bias_2_Human", "Human", (3, 4, 8)),
            ("Bias_1 _AI_Rerank", "AI_Rerank", (5, 6, 7, 6)),
        )
        for mark in given
    ]
    said = run("import", "scores", lines(tmp_path / "r.jsonl", *reviews), "--into", folder)
    assert "9 rows read, 9 kept" in said
    # The third condition is told, though nothing but the ids of scores can hold it.
    assert "mean over reviews (n): AI 4 (2), AI_Rerank 6 (4), Human 5 (3)" in said
    assert "4 rows of 1 ids that the study does not have (kept): Bias_1 _AI_Rerank" in said
    scores = Study.open(folder).scores
    assert scores.groupby("idea_id")["repeat"].apply(list).to_dict() == {
        "Bias_1 _AI_Rerank": [1, 2, 3, 4], "Bias_2_Human": [1, 2, 3], "Bias_9_AI": [1, 2],
    }  # fmt: skip
    # Two equal reviews are two, and each condition's mean is over its reviews.
    assert scores.groupby("idea_id")["novelty"].mean().to_dict() == {
        "Bias_1 _AI_Rerank": 6, "Bias_2_Human": 5, "Bias_9_AI": 4,
    }  # fmt: skip


PAPER = {"paper_id": "a", "decision": "Reject", "title_papercopilot": "T", "rating": "6;8",
         "correctness": "2;4", "empirical_novelty": "2;0;3"}  # fmt: skip


def test_joined_marks_of_which_0_is_none(folder: Path, tmp_path: Path) -> None:
    """2 and 3 on 1 to 4 have the mean 2.5, so (2.5 − 1)/3 · 5 = 2.5; the 0 is no mark."""
    file = lines(tmp_path / "papers.jsonl", PAPER)
    words = ("import", "references", file, "--into", folder, "--format", "openreview", "--set",
             "venue=ICLR", "--set", "year=2022", "--map", "title_papercopilot=title", "--map",
             "correctness=soundness", "--map", "empirical_novelty=contribution")  # fmt: skip
    with pytest.raises(ForeseenError, match=r"0 is outside of the scale.*--missing contribution=0"):
        run(*words)
    assert "contribution: 1 × 0 read as no mark" in run(*words, "--missing", "contribution=0")
    (row,) = Study.open(folder).references.to_dict("records")
    assert row["contribution"] == pytest.approx(2.5)
    # 6 and 8 on 1 to 10: (7 − 1)/9 · 5; 2 and 4 on 1 to 4: (3 − 1)/3 · 5.
    assert row["rating"] == pytest.approx(10 / 3)
    assert row["soundness"] == pytest.approx(10 / 3)


def test_judges_with_long_names_one_of_which_accepts_all(folder: Path, tmp_path: Path) -> None:
    """Accuracy is raw agreement with the decision: 3/4 and 2/4. κ of the judge that never varies
    is undefined and says why."""
    names = [f"model-2024-05-13_temp_0_1_{end}_pages_all" * 2 for end in ("reflect_5", "ensemble")]
    papers = [
        PAPER | {"paper_id": name, "decision": decision}
        for name, decision in zip(
            "abcd", ("Reject", "Accept (Poster)", "Reject", "Accept (Oral)"), strict=True
        )
    ]
    said = dict(
        zip(names, (("Reject", "Accept", "Accept", "Accept"), ("Accept",) * 4), strict=True)
    )
    marks = tmp_path / "marks.csv"
    marks.write_text("judge,paper_id,Overall,Decision\n" + "".join(
        f"{judge},{paper},6,{word}\n"
        for judge, row in said.items() for paper, word in zip("abcd", row, strict=True)
    ))  # fmt: skip
    codes = [word for code in ("Accept=10", "Accept (Poster)=10", "Accept (Oral)=10", "Reject=1")
             for word in ("--code", code)]  # fmt: skip
    run("import", "scores", marks, "--into", folder, "--map", "paper_id=idea_id", "--map",
        "Decision=overall", *codes)  # fmt: skip
    run("import", "scores", lines(tmp_path / "p.jsonl", *papers), "--into", folder, "--map",
        "paper_id=idea_id", "--map", "decision=overall", "--set", "judge=people", *codes)  # fmt: skip
    pairs = {
        (pair["judge_a"], pair["judge_b"]): pair
        for pair in agreement(folder)["pairs"]
        if pair["on"] == "overall"
    }
    assert [pairs[judge, "people"]["agreement"] for judge in names] == [0.75, 0.5]
    assert pairs[names[1], "people"]["kappa"] is None
    assert "never varies" in pairs[names[1], "people"]["undefined"]


def test_submissions_whose_scale_has_a_0(folder: Path, tmp_path: Path) -> None:
    """0 and 4 have the mean 2 of 10, so 1 of 5; a paper without reviews stays, and is unknown."""
    own = {"venue": "Submitted to ICLR 2026", "venueid": "ICLR.cc/2026/Conference/Submission1"}
    file = lines(
        tmp_path / "papers.jsonl",
        {"id": "a", "title": "T", "decision": "Reject", **own,
         "reviews": [{"rating": 0, "soundness": 1}, {"rating": 4, "soundness": 4}]},
        {"id": "b", "title": "U", "decision": "Unknown", **own, "reviews": []},
    )  # fmt: skip
    said = run("import", "references", file, "--into", folder)
    assert "1 brought to 0..5 from rating 0..10" in said
    assert "1 without any review mark: kept, their scores are unknown" in said
    first, second = Study.open(folder).references.to_dict("records")
    assert (first["rating"], first["extra"]["reviews"]["rating"]) == (1, [0, 4])
    assert first["soundness"] == pytest.approx(2.5)
    assert pd.isna(second["rating"])
    assert second["decision"] == "Unknown"
