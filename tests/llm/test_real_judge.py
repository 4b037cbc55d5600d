"""A real model judges twenty ideas through the real command, is killed, and goes on."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from command_process import finish, kill_after_calls, start

from core.judging.calls import CallIndex, read_calls
from core.judging.scores import FIELDS
from core.study import Study

pytestmark = pytest.mark.llm
IDEAS = 20
BEFORE_THE_KILL = 6
WAIT = 900.0
DEMO = Path(__file__).resolve().parents[2] / "data" / "demo"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Twenty ideas of the bundled study."""
    folder = tmp_path / "study"
    made = Study.create(folder, cutoff=date(2023, 6, 30))
    ideas = Study.open(DEMO).ideas.head(IDEAS).reset_index(drop=True)
    made.write("ideas", ideas, suffix=".jsonl")
    return folder


def words(study: Path, url: str) -> list[str]:
    command = ["judge", "scores", str(study), "--model", "smollm2", "--base-url", url]
    command += ["--repeats", "1", "--temperature", "0.7", "--max-tokens", "300"]
    return [*command, "--concurrency", "1", "--timeout", "300", "--json"]


def test_killed_and_resumed_with_no_call_asked_twice(study: Path, llm_url: str) -> None:
    log = study / "calls.jsonl"
    kill_after_calls(start(*words(study, llm_url)), log, BEFORE_THE_KILL, wait=WAIT)
    before = read_calls(log).calls
    assert BEFORE_THE_KILL <= len(before) < IDEAS

    told = json.loads(finish(start(*words(study, llm_url)), wait=WAIT))
    calls = read_calls(log).calls
    assert told["calls"] == IDEAS - len(before)
    assert told["cached"] + told["kept_failures"] == len(before)
    assert len(calls) == IDEAS
    assert len({call.cache_key for call in calls}) == IDEAS  # none was asked twice
    assert {call.mode for call in calls} == {"json_schema"}
    assert told["call_failed"] == 0
    assert told["ok"] >= 1

    scores = Study.open(study).scores
    assert len(scores) == IDEAS
    index = CallIndex(calls)
    by_id = {call.id: call for call in calls}
    for row in scores.to_dict("records"):
        call = by_id[row["call_id"]]
        assert index.get(call.cache_key) is call
        assert call.request is not None
        assert (call.tokens_in or 0) > 100
        assert row["state"] == call.state
        if row["state"] == "ok":
            reply = json.loads(call.reply or "")
            assert set(reply) == {field.name for field in FIELDS}
            assert all(row[name] == reply[name] for name in ("novelty", "impact", "overall"))
        else:
            assert pd.isna(row["overall"])
            assert row["reason"]
