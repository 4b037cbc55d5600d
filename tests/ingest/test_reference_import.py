"""Reviewed papers through the product's command, in every shape that sources have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from core.cli import app
from core.errors import DataError, ForeseenError, UsageError
from core.study import Study

LISTING = {
    "title": "Symmetry of things",
    "url": "https://papers.example/1",
    "conference": "NeurIPS",
    "year": 2024,
    "label": "accept-poster",
    "abstract": "Capturing\nsymmetry.",
    "keywords": "symmetry, invariance",
    "primary area": "Generative models",
    "rating": 2.907,
    "contribute": 2.588,
    "soundness": 2.844,
    "novelty": "0",
    "analysis": {
        "main_target": "A model of symmetry.",
        "core_breakthrough": "It learns the extent.",
        "innovative_methods": ["1. Prototypes.", "2. Transformations."],
        "experimental_design": "Three image sets.",
    },
    "embedding": [0.1] * 4,
}
SINGLE = {
    "main": "A model of traffic.",
    "approach": "Graphs; attention; sampling",
    "rating": 3.1,
    "conference": "ICLR",
    "year": 2025,
    "primary area": "graphs",
    "title": "Traffic by graphs",
}


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Study.create(tmp_path / "s", cutoff=pd.Timestamp("2024-06-30").date())
    return tmp_path / "s"


def imported(folder: Path, rows: list[dict[str, Any]], *more: object) -> pd.DataFrame:
    path = folder.parent / "theirs.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    result = run("import", "references", path, "--into", folder, *more)
    assert result.exit_code == 0, (result.exception, result.stderr)
    return Study.open(folder).references.set_index("reference_id")


def refused(kind: type[ForeseenError], folder: Path, rows: list[Any], *more: object) -> str:
    path = folder.parent / "theirs.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    result = run("import", "references", path, "--into", folder, *more)
    assert isinstance(result.exception, kind), result.exception
    return str(result.exception)


def test_the_listing_of_pair_iq(folder: Path) -> None:
    row = imported(folder, [LISTING], "--format", "pair-iq").iloc[0]
    assert row["contribution"] == 2.588
    assert row["rating"] == 2.907
    assert (row["venue"], row["year"], row["decision"]) == ("NeurIPS", 2024, "accept-poster")
    assert (row["area"], row["abstract"]) == ("Generative models", "Capturing symmetry.")
    assert row["main_target"] == "A model of symmetry."
    assert row["innovative_methods"] == "1. Prototypes.\n2. Transformations."
    assert row["extra"]["pair_iq_novelty"] == "0"
    assert "embedding" not in row["extra"]


def test_one_json_a_paper_of_pair_iq(folder: Path, tmp_path: Path) -> None:
    files = []
    for number, title in enumerate(("Traffic by graphs", "Weather by graphs")):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps({**SINGLE, "title": title}))
        files.append(path)
    result = run("import", "references", *files, "--into", folder, "--format", "pair-iq")
    assert result.exit_code == 0, result.stderr
    frame = Study.open(folder).references
    assert frame["title"].tolist() == ["Traffic by graphs", "Weather by graphs"]
    assert frame["rating"].tolist() == [3.1, 3.1]
    assert frame["main_target"].tolist() == ["A model of traffic."] * 2
    assert frame["innovative_methods"].iloc[0] == "Graphs; attention; sampling"
    assert frame["contribution"].isna().all()


def test_a_score_out_of_0_to_5_drops_its_row(folder: Path) -> None:
    rows = [LISTING, {**LISTING, "title": "Other", "rating": 7.0}]
    assert len(imported(folder, rows, "--format", "pair-iq")) == 1


V1 = {
    "id": "p1",
    "forum": "p1",
    "content": {"title": "Old notes", "abstract": "A.", "venue": "ICLR 2023 poster"},
    "details": {
        "directReplies": [
            {"content": {"rating": "6: marginally above", "soundness": "3: good"}},
            {"content": {"rating": "8: accept"}},
            {"content": {"decision": "Accept: poster"}},
        ]
    },
}
V2 = {
    "id": "p2",
    "forum": "p2",
    "content": {
        "title": {"value": "New notes"},
        "abstract": {"value": "B."},
        "venueid": {"value": "ICLR.cc/2024/Conference/Rejected_Submission"},
        "primary_area": {"value": "theory"},
    },
}
REVIEWS = [
    {
        "id": f"r{n}",
        "forum": "p2",
        "content": {"rating": {"value": mark}, "soundness": {"value": 2}},
    }
    for n, mark in enumerate((1, 10))
]


def test_notes_of_both_versions_of_openreview(folder: Path) -> None:
    frame = imported(folder, [V1, V2, *REVIEWS], "--format", "openreview")
    # v1: mean 7 on 1..10 is 6/9 · 5 = 10/3; v2: mean 5.5 is 4.5/9 · 5 = 2.5, soundness 2 is 5/3.
    assert frame.loc["p1", "rating"] == pytest.approx(10 / 3)
    assert frame.loc["p2", "rating"] == pytest.approx(2.5)
    assert frame.loc["p2", "soundness"] == pytest.approx(5 / 3)
    assert frame["venue"].tolist() == ["ICLR", "ICLR"]
    assert frame["year"].tolist() == [2023, 2024]
    assert frame["decision"].tolist() == ["Accept: poster", "Reject"]
    assert frame.loc["p2", "area"] == "theory"


def test_a_review_without_its_paper_is_refused(folder: Path) -> None:
    told = refused(DataError, folder, [V1, *REVIEWS], "--format", "openreview")
    assert "line 2: a review of 'p2'" in told


def test_a_table_with_joined_ratings_and_a_scale_of_its_own(folder: Path) -> None:
    rows = [
        {"id": "a", "title": "A", "rating": "2;4", "conference": "Mine", "year": 2020},
        {"id": "b", "title": "B", "rating": "", "conference": "Mine", "year": 2020},
    ]
    told = refused(UsageError, folder, rows, "--format", "openreview")
    assert "No scale is known for rating of 'Mine 2020'" in told
    frame = imported(folder, rows, "--format", "openreview", "--scale", "Mine 2020: rating=0..4")
    assert frame.loc["a", "rating"] == 3.75  # mean 3 of 4 is 3.75 of 5
    assert pd.isna(frame.loc["b", "rating"])


def test_the_scale_of_study_toml_counts(folder: Path) -> None:
    config = Study.open(folder).config.model_copy(update={"scales": {"Mine 2020": "rating=0..4"}})
    Study.open(folder).write_config(config)
    rows = [{"id": "a", "title": "A", "rating": "2;4", "conference": "Mine", "year": 2020}]
    assert imported(folder, rows, "--format", "openreview").loc["a", "rating"] == 3.75


def test_formats_of_references_are_for_references_alone(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"title": "A"}))
    result = run("import", "papers", path, "--into", folder, "--format", "pair-iq")
    assert isinstance(result.exception, UsageError)


def test_marks_of_judges_on_raw_scales_come_in_as_starts(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    path.write_text("judge,paper_id,Overall,Soundness\nj,a,10,1\nj,b,1,4\n")
    scale = "rating=1..10 soundness=1..4"
    result = run("import", "starts", path, "--into", folder, "--map", "paper_id=idea_id",
                 "--scale", scale)  # fmt: skip
    assert result.exit_code == 0, result.stderr
    starts = Study.open(folder).starts
    assert starts["rating"].tolist() == [5, 0]
    assert starts["soundness"].tolist() == [0, 5]


def test_real_submissions_of_iclr_2026(folder: Path, shared_data: Path) -> None:
    file = shared_data / "iclr2026-reviews" / "papers.jsonl"
    result = run("import", "references", file, "--into", folder, "--format", "openreview")
    assert result.exit_code == 0, result.stderr
    assert "4 without any review mark: kept, their scores are unknown" in result.stderr
    frame = Study.open(folder).references
    assert len(frame) == 100
    assert int(frame["rating"].isna().sum()) == 4
    assert set(frame["venue"]) == {"ICLR"}
    assert frame["decision"].value_counts()["Unknown"] == 30
    # Ratings 2, 4, 4, 4 on 0..10: mean 3.5, so 1.75; FPLNSx1jmL is the file's first line.
    first = frame.set_index("reference_id").loc["FPLNSx1jmL"]
    assert first["rating"] == 1.75
    assert first["extra"]["reviews"]["rating"] == [2, 4, 4, 4]
