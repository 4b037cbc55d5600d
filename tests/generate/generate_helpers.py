"""Studies to generate from, and a model that writes by the form of reply."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from builders import table
from writer_server import written_by

from core.judging.client import Request
from core.study import Study

CUTOFF = date(2023, 6, 30)
TOPICS = ("graphs", "agents")


def paper(name: str, published: str | None, topic: str = "graphs", **more: Any) -> dict[str, Any]:
    """A paper whose title and abstract name it, so that a prompt that shows it can be told."""
    return {
        "paper_id": name,
        "title": f"Title of {name} on sparse things",
        "abstract": f"Abstract of {name}: sparse attention over {topic}.",
        "published": published,
        "topics": [topic],
        **more,
    }


def study_with_papers(folder: Path, *, per_topic: int = 4, **config: Any) -> Study:
    """Papers ``<topic>-<n>`` by the cutoff, and ``late-<topic>-<n>`` after it."""
    study = Study.create(folder, cutoff=CUTOFF, horizon_months=12, **config)
    rows = [
        paper(f"{late}{topic}-{n}", f"{year}-0{n + 1}-15", topic)
        for late, year in (("", 2023), ("late-", 2024))
        for topic in TOPICS
        for n in range(per_topic)
    ]
    return study.write("papers", table("papers", rows), suffix=".jsonl")


def writer(request: Request) -> str:
    """For :class:`MockClient`: replies that differ with the prompt."""
    return written_by("\n".join(m.content for m in request.messages), request.schema)


def prompts(asked: list[Request]) -> str:
    """Everything that a client was asked, in one text."""
    return "\n".join(message.content for request in asked for message in request.messages)
