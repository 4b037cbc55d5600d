"""A real model compares ten ideas with eight references in both orders, is killed, and goes on."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from builders import table
from command_process import finish, kill_after_calls, start

from core.judging.calls import read_calls
from core.judging.comparisons import FIELDS
from core.study import Study

pytestmark = pytest.mark.llm
IDEAS, REFERENCES, ORDERS = 10, 8, 2
CALLS = IDEAS * REFERENCES * ORDERS
BEFORE_THE_KILL = 20
WAIT = 1800.0
SUBJECTS = ("proofs", "code", "proteins", "weather", "speech")


def parts(subject: str, way: str) -> dict[str, str]:
    return {
        "main_target": f"Better search for {subject}",
        "core_breakthrough": f"{way} in place of labels",
        "innovative_methods": f"1. {way}\n2. Reranking\n3. Caching",
        "experimental_design": f"Two sets of {subject}",
    }


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    made = Study.create(folder, cutoff=date(2023, 6, 30))
    ideas = [
        {
            "idea_id": f"i{place}",
            "system": "one" if place % 2 else "two",
            "title": f"Retrieval {place}",
            **parts(SUBJECTS[place % 5], "Self-play" if place % 2 else "Traces"),
        }
        for place in range(IDEAS)
    ]
    references = [
        {
            "reference_id": f"r{place}",
            "title": f"Reviewed paper {place}",
            "venue": "ICLR",
            "year": 2023,
            "rating": 1.0 + place / 3,
            "contribution": 4.0 - place / 3,
            "soundness": 2.0 + place / 6,
            **parts(SUBJECTS[place % 5], "Contrast" if place < 5 else "Distilling"),
        }
        for place in range(REFERENCES)
    ]
    made = made.write("ideas", table("ideas", ideas), suffix=".jsonl")
    made.write("references", table("references", references), suffix=".jsonl")
    return folder


def words(study: Path, url: str) -> list[str]:
    command = ["judge", "comparisons", str(study), "--model", "smollm2", "--base-url", url]
    command += ["--references", str(REFERENCES), "--orders", "both", "--no-embedding"]
    command += ["--temperature", "0.2", "--max-tokens", "80"]
    return [*command, "--concurrency", "1", "--timeout", "300", "--json"]


def test_killed_and_resumed_end_to_end(study: Path, llm_url: str) -> None:
    log = study / "calls.jsonl"
    kill_after_calls(start(*words(study, llm_url)), log, BEFORE_THE_KILL, wait=WAIT)
    before = read_calls(log).calls
    assert BEFORE_THE_KILL <= len(before) < CALLS

    told = json.loads(finish(start(*words(study, llm_url)), wait=WAIT))
    calls = read_calls(log).calls
    assert told["calls"] == CALLS - len(before)
    assert len({call.cache_key for call in calls}) == len(calls) == CALLS  # none asked twice
    assert told["call_failed"] == 0
    assert told["ok"] >= CALLS // 4

    made = Study.open(study)
    frame = made.comparisons
    assert len(frame) == CALLS
    assert frame.groupby("order").size().to_dict() == {
        "idea_first": CALLS // 2,
        "reference_first": CALLS // 2,
    }
    by_id = {call.id: call for call in calls}
    for row in frame.to_dict("records"):
        call = by_id[row["call_id"]]
        assert row["state"] == call.state
        if row["state"] != "ok":
            assert pd.isna(row["rating"])
            continue
        reply = json.loads(call.reply or "")
        assert set(reply) == {field.name for field in FIELDS}
        turned = row["order"] == "reference_first"
        assert row["rating"] == (1 - reply["rating"] if turned else reply["rating"])

    ranked = made.rank()
    assert ranked.ideas["elo"].between(0, 5).all()
    assert set(ranked.ideas["idea_id"]) | set(ranked.unrated) == set(made.ideas["idea_id"])
    assert ranked.flip_rates["n"].sum() > 0
