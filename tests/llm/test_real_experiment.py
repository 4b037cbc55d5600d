"""HindSight's experiment from an empty folder, a real model writing every idea and mark."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pandas as pd
import pytest
from hash_encoder import HashEncoder

from core.experiment.chain import run_experiment
from core.experiment.schema import Experiment
from core.experiment.step import Surroundings
from core.judging.calls import read_calls
from core.simulate import simulate
from core.study import Study

pytestmark = pytest.mark.llm
TOPICS = ("Diffusion Models", "LLM Agents")
FILE = """
study = "s"
[new]
cutoff = 2023-06-01
horizon_months = 30
settings = {{draws = 100}}
[[import]]
table = "papers"
files = ["papers.jsonl"]
[[generate]]
system = "RA"
generator = "retrieval"
topics = ["Diffusion Models", "LLM Agents"]
per_topic = 1
literature = 1
{model}
[[generate]]
system = "BL"
generator = "vanilla"
topics = ["Diffusion Models", "LLM Agents"]
per_topic = 1
{model}
[match]
[[judge]]
judge = "small"
repeats = 1
{model}
"""
MODEL = """model = "smollm2"
base_url = "{url}"
temperature = 0
max_tokens = 900
concurrency = 1
timeout = 300"""
CALLS = 2 * 2 + 2 + 4
"""RA: two ideas in two stages; BL: two; each of the four judged once."""


def test_from_an_empty_folder_to_scores(tmp_path: Path, llm_url: str) -> None:
    pool = simulate(0).papers
    kept = pool[pool["topics"].map(lambda topics: bool({*topics} & {*TOPICS}))]
    late = kept["published"] > "2023-06-01"
    chosen = pd.concat([kept[~late & kept["published"].notna()], kept[late].head(60)])
    with (tmp_path / "papers.jsonl").open("w") as file:
        for row in chosen.to_dict("records"):
            day = row["published"].date().isoformat()
            row |= {"published": day[: {"day": 10, "month": 7, "year": 4}[row["date_precision"]]]}
            cells = {n: v for n, v in row.items() if isinstance(v, (str, tuple, dict)) or v == v}
            file.write(json.dumps({**cells, "topics": list(row["topics"])}) + "\n")
    asked = Experiment.of(tomllib.loads(FILE.format(model=MODEL.format(url=llm_url))))
    said: list[str] = []
    around = Surroundings(base=tmp_path, log=said.append, encoder=HashEncoder())
    done = run_experiment(asked, around)
    assert done.stopped is None, said
    calls = read_calls(tmp_path / "s" / "calls.jsonl").calls
    failed = [(call.kind, call.reason) for call in calls if call.state != "ok"]
    study = Study.open(tmp_path / "s")
    # a small model may fail at a form; what it wrote is there, and what it did not is told
    assert 6 <= len(calls) <= CALLS
    assert {*study.ideas["system"]} == {"RA", "BL"}, failed
    assert study.config.models == {"RA": "smollm2", "BL": "smollm2"}
    by_id = {call.id: call for call in calls}
    late_titles = set(chosen.loc[chosen["published"] > "2023-06-01", "title"])
    for idea in study.ideas.to_dict("records"):
        last = by_id[idea["extra"]["calls"][-1]]
        assert idea["method"].strip() == json.loads(last.reply or "")["method"].strip()
    for call in calls:
        if call.kind.startswith("generate"):
            text = json.dumps(call.request, ensure_ascii=False)
            assert not [title for title in late_titles if title in text]
    assert len(study.scores) == len(study.ideas)
    assert (study.scores["state"] == "ok").any(), failed
    assert study.candidates is not None
    score = study.score()
    assert [row.system for row in score.systems] == ["BL", "RA"]
    asked_before = len(calls)
    again = run_experiment(asked, around)
    assert [step.state for step in again.steps] == ["skipped"] * len(again.steps)
    assert len(read_calls(tmp_path / "s" / "calls.jsonl").calls) == asked_before
