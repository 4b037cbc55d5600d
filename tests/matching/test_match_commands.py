"""``foreseen match``, ``candidates`` and ``calibrate`` as a user meets them."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import table
from fake_encoders import WordEncoder
from typer.testing import CliRunner, Result

from core.cli import app
from core.commands.matching import progress_bars
from core.config import Settings
from core.errors import DataError, UsageError
from core.hindsight.calibration import calibration
from core.matching.vectors import Step
from core.study import Study

TOPICS = {"cats": "cat fur purr", "dogs": "dog walk bark"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study of two ideas and four papers on two topics."""
    start = Study.create(tmp_path / "s", cutoff=date(2023, 6, 30), horizon_months=30)
    ideas = [
        {"idea_id": f"=i-{topic}", "system": "s", "topic": topic, "problem": words}
        for topic, words in TOPICS.items()
    ]
    papers = [
        {"paper_id": f"{topic}{n}", "title": f"{words} {n}", "published": "2024-05-01",
         "topics": [topic]}
        for topic, words in TOPICS.items()
        for n in range(2)
    ]  # fmt: skip
    start.write("ideas", table("ideas", ideas)).write("papers", table("papers", papers))
    return tmp_path / "s"


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> WordEncoder:
    """Stands in for every encoder that is asked for by name."""
    made = WordEncoder()

    def opened(name: str, *, batch_size: int) -> WordEncoder:
        made.name = name
        return made

    monkeypatch.setattr("core.commands.matching.open_encoder", opened)
    return made


def run(*words: Any) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def told(*words: Any) -> Result:
    result = run(*words)
    assert result.exit_code == 0, result.exception
    return result


def test_match_closes_with_counts_and_the_suggested_theta(
    folder: Path, encoder: WordEncoder
) -> None:
    result = told("match", folder, "--encoder", "minilm")
    assert result.stdout == ""
    line = (
        "2 ideas × 4 papers in their windows, encoder minilm: 6 texts encoded anew,"
        " 8 candidates stored, 0 ideas with an empty pool"
    )
    assert line in result.stderr
    suggested = calibration(Study.open(folder)).suggested_theta
    assert suggested is not None
    assert f"Suggested θ = {suggested:.3f}" in result.stderr
    assert "θ = 0.96 was chosen for specter2" in result.stderr
    assert f"foreseen calibrate {folder} --write" in result.stderr
    assert "0 texts encoded anew" in told("match", folder).stderr


def test_no_warning_for_the_papers_encoder_or_another_theta(
    folder: Path, encoder: WordEncoder
) -> None:
    result = told("match", folder, "--encoder", "specter2")
    assert "was chosen for" not in result.stderr
    assert "study.toml names the encoder 'minilm'" in result.stderr
    told("calibrate", folder, "--write")
    assert "was chosen for" not in told("match", folder, "--encoder", "minilm").stderr


def test_depth_and_pool(folder: Path, encoder: WordEncoder) -> None:
    told("match", folder, "--depth", 1, "--pool", "topic")
    info = Study.open(folder).candidates_info
    assert info is not None
    assert (info.depth, info.pool) == (1, "topic")
    assert isinstance(run("match", folder, "--pool", "own").exception, UsageError)
    assert isinstance(run("match", folder, "--depth", 0).exception, UsageError)


def test_candidates_as_csv_and_json(folder: Path, encoder: WordEncoder) -> None:
    missing = run("candidates", folder, "--csv")
    assert isinstance(missing.exception, DataError)
    assert "foreseen match" in str(missing.exception)
    told("match", folder)
    rows = list(csv.DictReader(io.StringIO(told("candidates", folder, "--csv").stdout)))
    assert list(rows[0]) == ["idea_id", "paper_id", "similarity", "rank"]
    assert len(rows) == 8
    assert rows[0]["idea_id"] == "'=i-cats"  # a spreadsheet would run it as a formula
    value = json.loads(told("candidates", folder, "--json").stdout)
    assert value["search"]["encoder"] == "minilm"
    assert value["candidates"][0]["idea_id"] == "=i-cats"
    assert [row["rank"] for row in value["candidates"][:4]] == [1, 2, 3, 4]


def test_candidates_older_than_the_tables_are_told(folder: Path, encoder: WordEncoder) -> None:
    told("match", folder)
    assert "have changed" not in told("candidates", folder, "--csv").stderr
    study = Study.open(folder)
    study.write("papers", study.papers.iloc[:3])
    assert "The tables have changed since" in told("candidates", folder, "--csv").stderr


def test_calibrate_prints_and_writes(folder: Path, encoder: WordEncoder) -> None:
    told("match", folder)
    due = calibration(Study.open(folder), Settings(false_match_rate=0.5))
    value = json.loads(
        told("calibrate", folder, "--false-match-rate", 0.5, "--json", "--write").stdout
    )
    assert value["suggested_theta"] == due.suggested_theta
    assert value["n_own"] == 4
    assert value["basis"] == "topics"
    written = Study.open(folder).config.settings
    assert written == {"theta": due.suggested_theta, "false_match_rate": 0.5}
    text = told("calibrate", folder).stdout
    assert f"Suggested θ = {due.suggested_theta:.3f}" in text
    assert "4 pairs of an idea with a paper of its own topic, 4 of another" in text
    assert isinstance(run("calibrate", folder, "--false-match-rate", 1).exception, UsageError)


def test_calibrate_does_not_write_what_is_undefined(folder: Path, encoder: WordEncoder) -> None:
    study = Study.open(folder)
    study.write("ideas", study.ideas.assign(topic=None).astype({"topic": "str"}))
    result = told("match", folder)
    assert "No θ can be suggested: the ideas carry no topics" in result.stderr
    failed = run("calibrate", folder, "--write")
    assert isinstance(failed.exception, DataError)
    assert Study.open(folder).config.settings == {}


def test_vectors_of_ones_own(folder: Path, tmp_path: Path, encoder: WordEncoder) -> None:
    study = Study.open(folder)
    for name, ids in (("ideas", study.ideas["idea_id"]), ("papers", study.papers["paper_id"])):
        vectors = np.random.default_rng(0).normal(size=(len(ids), 3))
        np.savez(tmp_path / f"{name}.npz", ids=ids.to_numpy(dtype=str), vectors=vectors)
    both = [f"--vectors={name}={tmp_path / name}.npz" for name in ("ideas", "papers")]
    assert "encoder vectors:" in told("match", folder, *both).stderr
    assert encoder.calls == []
    told("match", folder, *both, "--encoder", "mine")
    info = Study.open(folder).candidates_info
    assert info is not None
    assert info.encoder == "mine"
    assert isinstance(run("match", folder, both[0]).exception, UsageError)


@pytest.mark.slow
def test_the_bundled_encoder_end_to_end(folder: Path) -> None:
    result = told("match", folder, "--batch-size", 4)
    assert "6 texts encoded anew" in result.stderr
    found = Study.open(folder).candidates
    assert found is not None
    best = found[found["rank"] == 1].set_index("idea_id")["paper_id"].str[:4].to_dict()
    assert best == {"=i-cats": "cats", "=i-dogs": "dogs"}


def test_bars_tell_stage_and_count_on_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    with progress_bars() as progress:
        progress(Step(stage="ideas", done=0, total=0))  # nothing is new: no bar
        progress(Step(stage="papers", done=0, total=8))
        progress(Step(stage="papers", done=4, total=8))
        progress(Step(stage="papers", done=8, total=8))
    out, err = capfd.readouterr()
    assert out == ""
    assert "Encoding papers" in err
    assert "8/8" in err
    assert "/s" in err
    assert "Encoding ideas" not in err
