"""A real model forecasts three episodes, Direct and Summary, through the real command."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from builders import table
from typer.testing import CliRunner

from core.cli import app
from core.forecast.stored import read_attempts
from core.judging.calls import read_calls
from core.study import Study

pytestmark = pytest.mark.llm
SLOTS = 2
SUBJECTS = ("graph transformers", "oversmoothing", "link prediction", "graph benchmarks")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Papers of every month of 2024, one topic; three cutoffs."""
    folder = tmp_path / "s"
    made = Study.create(folder, cutoff=date(2024, 6, 30), preset="ideaforecastbench")
    papers = [
        {
            "paper_id": f"p{month:02d}.{place}",
            "title": f"Sparse attention for {subject}",
            "abstract": f"We speed up {subject} by sparse attention. However, depth remains costly.",
            "published": f"2024-{month:02d}-{place + 5:02d}",
            "topics": ["Graph Neural Networks"],
        }
        for month in range(1, 13)
        for place, subject in enumerate(SUBJECTS)
    ]
    made.write("papers", table("papers", papers))
    return folder


def test_direct_and_summary_end_to_end(study: Path, llm_url: str) -> None:
    def run(*arguments: object) -> str:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        assert result.exit_code == 0, (result.output, result.exception)
        return result.stdout

    run("forecast", "episodes", study, "--cutoffs", "2024-06..2024-08")
    options = ["--model", "smollm2", "--base-url", llm_url, "--slots", SLOTS, "--json"]
    options += ["--context-tokens", 200, "--max-tokens", 350, "--concurrency", 1]
    options += ["--temperature", 0.2, "--timeout", 300]
    told = {
        name: json.loads(run("forecast", "run", study, "--forecaster", name, *options))
        for name in ("direct", "summary")
    }
    calls = read_calls(study / "calls.jsonl").calls
    assert {call.mode for call in calls} == {"json_schema"}
    assert sum(call.kind == "forecasts" for call in calls if call.judge == "direct smollm2") == 3
    for call in calls:
        sent = json.dumps(call.request)
        # Nothing of a later month is in what the server was sent.
        assert "2024-12" not in sent
        assert (call.tokens_in or 0) > 100
    opened = Study.open(study)
    attempts = read_attempts(opened)
    assert {(a.system, a.cutoff.month) for a in attempts} == {
        (f"{name} smollm2", month) for name in told for month in (6, 7, 8)
    }
    for attempt in attempts:
        own = opened.ideas[
            (opened.ideas["system"] == attempt.system)
            & (opened.ideas["cutoff"].dt.date == attempt.cutoff)
        ]
        assert own["rank"].tolist() == list(range(1, attempt.forecasts + 1))
        assert attempt.state in ("ok", "parse_failed")
        assert bool(attempt.forecasts) == (attempt.state == "ok")
    assert len(opened.ideas) >= 1
    assert sum(entry["forecasts"] for entry in told.values()) == len(opened.ideas)
    again = json.loads(run("forecast", "run", study, "--forecaster", "direct", *options))
    assert [report["calls"] for report in again["reports"]] == [0]
