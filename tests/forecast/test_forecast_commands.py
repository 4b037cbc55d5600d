"""``foreseen forecast …`` and ``foreseen judge verdicts`` from an empty folder to a score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import table
from forecast_studies import WordEncoder, corpus
from typer.testing import CliRunner

from core.cli import app
from core.errors import DataError, UsageError
from core.forecast.manifest import read_manifest
from core.matching.candidates import run_match
from core.study import Study


def run(*arguments: Any, code: int = 0) -> Any:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def refused(*arguments: Any) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert isinstance(result.exception, (UsageError, DataError)), result.output
    return str(result.exception)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    study = tmp_path / "s"
    run("new", study, "--cutoff", "2024-07-31", "--preset", "ideaforecastbench")
    Study.open(study).write("papers", table("papers", corpus()), suffix=".jsonl")
    return study


def test_from_papers_to_a_score_without_a_model(folder: Path) -> None:
    told = json.loads(
        run("forecast", "episodes", folder, "--cutoffs", "2024-07..2024-08", "--json").stdout
    )
    assert [(e["topic"], e["history"], e["target"]) for e in told["episodes"]] == [
        ("agents", 24, 4),
        ("agents", 26, 3),
        ("graphs", 24, 3),
        ("graphs", 25, 3),
    ]
    assert (told["undated"], told["uncertain"]) == (1, 1)
    assert told["digest"] == read_manifest(folder).digest
    for name in ("recent", "template"):
        assert (
            "20 forecasts for 4 of 4 episodes"
            in run("forecast", "run", folder, "--forecaster", name).stdout
        )
    opened = Study.open(folder)
    run_match(opened, encoder=WordEncoder())
    opened = Study.open(folder)
    assert opened.candidates is not None
    grades = {"judge": "j", "problem": 3, "method": 2, "specificity": 2}
    pairs = opened.candidates[["idea_id", "paper_id"]].to_dict("records")
    recent = [pair | grades for pair in pairs if pair["idea_id"].startswith("recent")]
    opened.write("verdicts", table("verdicts", recent))
    told = json.loads(run("forecast", "score", folder, "--json", "--draws", 200).stdout)
    rows = {row["system"]: row for row in told["systems"]}
    assert {
        "system", "judge", "episodes", "hit", "hit_low", "hit_high", "precision",
        "precision_low", "precision_high", "mrr", "mrr_low", "mrr_high", "soft", "novelty",
        "coverage", "fill_rate", "hit_best_case", "hit_worst_case",
    } <= set(rows["recent"])  # fmt: skip
    assert (rows["recent"]["hit"], rows["recent"]["novelty"]) == (1.0, None)
    assert rows["template"]["hit"] is None
    assert rows["template"]["left_out"] == 4
    assert told["gate"] == {"pm": 5, "s": 2, "r": 10}
    assert told["manifest"] == read_manifest(folder).digest
    assert told["missing"] == []
    strict = json.loads(
        run("forecast", "score", folder, "--json", "--draws", 200, "--gate-s", 3).stdout
    )
    assert {row["system"]: row for row in strict["systems"]}["recent"]["hit"] == 0.0
    told = json.loads(run("forecast", "diagnose", folder, "--json", "--draws", 200).stdout)
    assert {"associations", "contamination", "backward", "equal_pools", "fields"} <= set(told)
    assert told["not_measured"]["novelty"].endswith("--encode`")


def test_episodes_that_a_system_was_not_asked_for_are_missing(folder: Path) -> None:
    run("forecast", "episodes", folder, "--cutoffs", "2024-07..2024-08")
    run("forecast", "run", folder, "--forecaster", "recent", "--cutoffs", "2024-07")
    run("forecast", "run", folder, "--forecaster", "random", "--topics", "graphs")
    run_match(Study.open(folder), encoder=WordEncoder())
    Study.open(folder).write(
        "verdicts", table("verdicts", [{"idea_id": "x", "paper_id": "y", "judge": "j"}])
    )
    told = json.loads(run("forecast", "score", folder, "--json", "--draws", 200).stdout)
    missing = [(m["system"], m["topic"], m["cutoff"][:10]) for m in told["missing"]]
    assert missing == [
        ("random", "agents", "2024-07-31"),
        ("random", "agents", "2024-08-31"),
        ("recent", "agents", "2024-08-31"),
        ("recent", "graphs", "2024-08-31"),
    ]


def test_compare_exits_by_its_answer(folder: Path, tmp_path: Path) -> None:
    run("forecast", "episodes", folder, "--cutoffs", "2024-07")
    copy = tmp_path / "other.json"
    copy.write_bytes((folder / "episodes.json").read_bytes())
    assert "2 episodes are the same" in run("forecast", "compare", folder, copy).stdout
    run("forecast", "episodes", folder, "--cutoffs", "2024-07..2024-08", "--topic", "graphs")
    told = json.loads(run("forecast", "compare", folder, copy, "--json", code=1).stdout)
    assert (told["equal"], told["same"]) == (False, 1)
    assert told["only_a"] == [["graphs", "2024-08-31"]]
    assert told["only_b"] == [["agents", "2024-07-31"]]


def test_topics_are_assigned_by_the_shipped_rules(folder: Path) -> None:
    told = json.loads(run("forecast", "topics", folder, "--json").stdout)
    assert len(told["papers"]) == 52
    assert told["papers"]["Graph Neural Networks"] > 0
    assert told["total"] == len(corpus())
    file = folder / "own.yaml"
    file.write_text("- {id: m, name: Message Passing}\n")
    run("forecast", "topics", folder, "--topics", file)
    assert set(Study.open(folder).papers["topics"]) == {(), ("Message Passing",)}


def test_what_is_asked_wrongly_is_told(folder: Path) -> None:
    forecast = ("forecast", "run", folder, "--forecaster")
    assert "Did you mean 'direct'" in refused(*forecast, "dirct")
    assert "--model M" in refused(*forecast, "direct")
    assert "foreseen forecast episodes" in refused(*forecast, "random")
    assert "foreseen match" in refused("judge", "verdicts", folder, "--model", "m", "--dry-run")
    again = ("--model", "m", "--repeats", 2)
    assert "--repeats must be 1" in refused("judge", "verdicts", folder, *again)
    run("forecast", "episodes", folder, "--cutoffs", "2024-07")
    assert "no cutoff 2024-09-30" in refused(*forecast, "random", "--cutoffs", "2024-09")
    assert "Did you mean 'graphs'" in refused(*forecast, "random", "--topics", "graph")
