"""An experiment on small files, and a model that writes by the form of reply."""

from __future__ import annotations

import hashlib
import itertools
import json
import tomllib
from pathlib import Path
from typing import Any

from hash_encoder import HashEncoder

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
_TURN = itertools.count()
CALLS = 4 * 2 + 4 + 8 * 2
"""RA: 4 ideas in two stages; BL: 4; 8 ideas judged twice."""


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
    mark = hashlib.sha256(text.encode()).hexdigest()[:8]
    values: dict[str, Any] = {}
    for name, part in request.schema["properties"].items():
        if part["type"] == "array":
            values[name] = [f"term {mark}"]
        elif part["type"] == "integer":
            values[name] = 1 + int(mark, 16) % 10
        else:
            values[name] = f"A {name} of {mark}."
    return json.dumps(values)


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
