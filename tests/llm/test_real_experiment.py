"""HindSight's experiment from an empty folder to the open dashboard.

Papers are fetched from a server that speaks as Semantic Scholar does, faults included; a real
model writes every idea and mark.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hash_encoder import HashEncoder
from literature_server import Fault, Literature, serve
from streamlit.testing.v1 import AppTest

from core.experiment.chain import run_experiment
from core.experiment.schema import Experiment
from core.experiment.step import Surroundings
from core.judging.calls import read_calls
from core.simulate import simulate
from core.study import Study

pytestmark = pytest.mark.llm
TOPICS = ("Diffusion Models", "LLM Agents")
CUTOFF = "2023-06-01"
FILE = """
study = "s"
[new]
cutoff = 2023-06-01
horizon_months = 30
settings = {{draws = 100}}
{fetches}
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
FETCH = """[[fetch]]
query = ["{topic}={topic}"]
from = 2022-12-01
to = 2025-12-31
base_url = "{url}"
"""
BUSY = Fault(429, "", {"Retry-After": "0"})
CALLS = 2 * 2 + 2 + 4
"""RA: two ideas in two stages; BL: two; each of the four judged once."""


def records_of(topic: str) -> list[dict[str, Any]]:
    """The simulated papers of a topic as Semantic Scholar tells them: all early, 30 later ones."""
    pool = simulate(0).papers
    own = pool[pool["topics"].map(lambda topics: topic in topics) & pool["published"].notna()]
    late = own["published"] > CUTOFF
    return [
        {
            "paperId": row["paper_id"],
            "externalIds": {"DOI": f"10.1/{row['paper_id']}"},
            "title": row["title"],
            "abstract": row["abstract"] if isinstance(row["abstract"], str) else None,
            "venue": row["venue"] if isinstance(row["venue"], str) else "",
            "year": row["published"].year,
            "publicationDate": row["published"].date().isoformat(),
            "citationCount": None if row["citations"] != row["citations"] else row["citations"],
        }
        for part in (own[~late], own[late].head(30))
        for row in part.to_dict("records")
    ]


def test_from_an_empty_folder_to_the_open_dashboard(
    tmp_path: Path, root: Path, llm_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [records_of(topic) for topic in TOPICS]
    with (
        serve(Literature(records=records[0], per_page=20, faults=[None, BUSY])) as first,
        serve(Literature(records=records[1], per_page=50)) as second,
    ):
        fetches = "".join(
            FETCH.format(topic=topic, url=library.url)
            for topic, library in zip(TOPICS, (first, second), strict=True)
        )
        text = FILE.format(fetches=fetches, model=MODEL.format(url=llm_url))
        asked = Experiment.of(tomllib.loads(text))
        run_and_check(tmp_path, asked, records)
    monkeypatch.setenv("FORESEEN_STUDIES", json.dumps([str(tmp_path / "s")]))
    page = AppTest.from_file(str(root / "dashboard" / "app.py"), default_timeout=120).run()
    assert not page.exception
    assert page.title


def run_and_check(tmp_path: Path, asked: Experiment, records: list[list[dict[str, Any]]]) -> None:
    """Run the chain, look at all that it left, and run it again: nothing is done twice."""
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
    late_titles = {r["title"] for part in records for r in part if r["publicationDate"] > CUTOFF}
    assert len(study.papers) == len({r["paperId"] for part in records for r in part})
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
