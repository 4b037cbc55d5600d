"""An experiment on small files, and a model that writes by the form of reply."""

from __future__ import annotations

import itertools
import json
import tomllib
from pathlib import Path
from typing import Any

from hash_encoder import HashEncoder
from writer_server import written_by

from core.experiment.calls import Calls
from core.experiment.chain import ExperimentReport, run_experiment
from core.experiment.schema import Experiment
from core.experiment.step import Surroundings
from core.judging.client import Request
from core.judging.mock import MockClient

TOPICS = ("graphs", "agents")
FILE = """
study = "s"
[new]
cutoff = 2023-06-30
horizon_months = 12
[[import]]
table = "papers"
files = ["papers.jsonl"]
[[generate]]
system = "RA"
generator = "retrieval"
model = "writer"
per_topic = 2
literature = 2
[[generate]]
system = "BL"
generator = "vanilla"
model = "writer"
per_topic = 2
[match]
depth = 5
[[judge]]
model = "marker"
repeats = 2
[calibrate]
"""
EVERY_KIND = """
study = "s"
seed = 3
[new]
cutoff = 2023-06-30
horizon_months = 12
[[import]]
table = "papers"
files = ["papers.jsonl"]
[[import]]
table = "references"
files = ["references.jsonl"]
[[generate]]
system = "BL"
generator = "vanilla"
model = "writer"
concurrency = 1
per_topic = 1
[[forecast]]
forecaster = "recent"
cutoffs = "2023-06"
slots = 1
[[forecast]]
forecaster = "direct"
model = "writer"
concurrency = 1
cutoffs = "2023-06"
slots = 1
[match]
depth = 5
[[judge]]
kind = "verdicts"
model = "marker"
concurrency = 1
r = 2
[[judge]]
kind = "comparisons"
model = "marker"
concurrency = 1
references = 2
[[judge]]
kind = "comparisons"
model = "marker"
concurrency = 1
pairs = 3
orders = "idea_first"
[[judge]]
kind = "starts"
model = "marker"
concurrency = 1
[[judge]]
kind = "formalise"
model = "marker"
concurrency = 1
[[judge]]
kind = "formalise"
table = "references"
model = "marker"
concurrency = 1
[[judge]]
kind = "generality"
model = "marker"
concurrency = 1
[[judge]]
model = "marker"
concurrency = 1
repeats = 1
"""
_TURN = itertools.count()
CALLS = 4 * 2 + 4 + 8 * 2
"""RA: 4 ideas in two stages; BL: 4; 8 ideas judged twice."""


def write_references(folder: Path) -> None:
    """``references.jsonl``: four reviewed papers with every score."""
    rows = [
        {
            "reference_id": f"r{n}",
            "title": f"A reviewed study of graphs {n}",
            "abstract": f"We study graphs and agents with method {n}.",
            **dict.fromkeys(("rating", "contribution", "soundness"), 1.0 + n),
        }
        for n in range(4)
    ]
    (folder / "references.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_papers(folder: Path, *, per_topic: int = 3) -> None:
    """``papers.jsonl``: papers of both topics before and after the cutoff."""
    rows = [
        {
            "paper_id": f"{topic}-{year}-{n}",
            "title": f"On {topic} number {n} of {year}",
            "abstract": f"We study {topic} with method {n} and data {year * n}.",
            "published": f"{year}-0{n + 1}-15",
            "citations": n * 3,
            "topics": [topic],
        }
        for year in (2023, 2024)
        for topic in TOPICS
        for n in range(per_topic)
    ]
    (folder / "papers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def reply(request: Request) -> str:
    """A reply of the asked form, whose words follow from what was asked."""
    text = "\n".join(message.content for message in request.messages)
    if request.schema_name == "generate_vanilla":  # one prompt a topic, and no two replies alike
        text += str(next(_TURN))
    return written_by(text, request.schema)


class Bench:
    """Runs experiments in a folder and keeps what was said, asked and encoded."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.lines: list[str] = []
        self.asked: list[Request] = []
        self.encoder = HashEncoder()
        self.reply: Any = reply
        self.delay = 0.0
        self.more: dict[str, Any] = {}

    def client(self, calls: Calls) -> MockClient:
        return MockClient(model=calls.model, reply=self.reply, asked=self.asked, delay=self.delay)

    def run(self, text: str = FILE, **options: Any) -> ExperimentReport:
        self.lines.clear()
        self.asked.clear()
        self.encoder.encoded = 0
        around = Surroundings(
            base=self.base,
            log=self.lines.append,
            client=self.client,
            encoder=self.encoder,
            **self.more,
        )
        return run_experiment(Experiment.of(tomllib.loads(text)), around, **options)


def states(report: ExperimentReport) -> dict[str, str]:
    return {step.name: step.state for step in report.steps}


def ran(report: ExperimentReport) -> list[str]:
    return [step.name for step in report.steps if step.state == "ran"]
