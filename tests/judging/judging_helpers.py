"""Builders for tests of judging: a study of ideas, a clock that does not wait, a client."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from builders import table

from core.judging.calls import CallsLog
from core.judging.limits import Clock
from core.judging.report import RunReport
from core.judging.run import run
from core.judging.task import Task
from core.study import Study

PARAMETERS = {"temperature": 0.7, "max_tokens": 200}


class FastClock(Clock):
    """Sleeping moves the hands at once; what was slept is kept. It is 2025-01-01."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self._now = 0.0

    def now(self) -> float:
        return self._now

    def wall(self) -> datetime:
        return datetime(2025, 1, 1, tzinfo=UTC) + timedelta(seconds=self._now)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._now += seconds
        await asyncio.sleep(0)


def study_of(folder: Path, behaviours: Sequence[str], **config: Any) -> Study:
    """A study whose ideas ask the server for these treatments, named Idea a0, a1, …"""
    study = Study.create(folder, cutoff=date(2023, 6, 30), **config)
    rows = [
        {
            "idea_id": f"a{place}",
            "system": "one" if place % 2 else "two",
            "title": f"Idea a{place}",
            "problem": "Proofs need lemmas that nobody indexes.",
            "method": f"behave: {name}",
        }
        for place, name in enumerate(behaviours)
    ]
    return study.write("ideas", table("ideas", rows), suffix=".jsonl")


def ask(tasks: Sequence[Task], client: Any, path: Path, **more: Any) -> RunReport:
    """Run the tasks with a log at ``path`` and time that does not pass."""
    more = {"parameters": PARAMETERS, "clock": FastClock(), "seed": 0} | more
    with CallsLog(path, scrub=client.scrub) as log:
        return run(tasks, client, log, **more)
