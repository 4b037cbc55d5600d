"""``foreseen check`` on what stands beside the tables: episodes, attempts, ratings and calls.

In files of lines ``row`` is the line, in ``episodes.json`` the place of the episode, from 1.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from core.errors import Problem, nearest
from core.forecast.manifest import EPISODES_FILE, Episode, Manifest, manifest_faults
from core.forecast.stored import ATTEMPTS_FILE, RATINGS_FILE, Attempt
from core.judging.calls import CALLS_FILE, line_problems
from core.schema import STATES, admit

_AGAIN = "make the file again: foreseen forecast episodes STUDY --cutoffs …"
_DELETE = "delete the line and run the command that wrote it again"
_DAY = "a day as YYYY-MM-DD"
_EPISODE: dict[str, tuple[type, str]] = {
    "topic": (str, "text"),
    "cutoff": (date, _DAY),
    "end": (date, _DAY),
    "history": (list, "a list of paper ids"),
    "target": (list, "a list of paper ids"),
    "uncertain": (int, "a whole number from 0"),
    "digest": (str, "text"),
}
_MANIFEST: dict[str, tuple[type, str]] = {
    "study": (str, "text"),
    "horizon_months": (int, "a whole number from 0"),
    "topics": (list, "a list of topics"),
    "cutoffs": (list, "a list of days as YYYY-MM-DD"),
    "episodes": (list, "a list of episodes"),
    "undated": (int, "a whole number from 0"),
    "uncertain": (int, "a whole number from 0"),
    "digest": (str, "text"),
}
_ATTEMPT: dict[str, tuple[type, str]] = {
    "system": (str, "text"),
    "topic": (str, "text"),
    "cutoff": (date, _DAY),
    "forecasts": (int, "a whole number from 0"),
    "state": (str, f"one of {', '.join(STATES)}"),
}


def beside_problems(folder: Path, frames: Mapping[str, pd.DataFrame]) -> list[Problem]:
    """Every problem of the files beside the tables; those that are not there have none.

    ``frames`` holds the tables without problems: what they lack is not asked of them.
    """
    problems: list[Problem] = []
    manifest: Manifest | None = None
    if (folder / EPISODES_FILE).is_file():
        manifest, problems = _episodes(folder / EPISODES_FILE, frames.get("papers"))
    if (folder / ATTEMPTS_FILE).is_file():
        problems += _attempts(folder / ATTEMPTS_FILE, manifest)
    if (folder / RATINGS_FILE).is_file():
        problems += _ratings(folder / RATINGS_FILE, frames.get("ideas"))
    problems += [
        Problem(file=CALLS_FILE, row=line, column=field, value=None, message=message)
        for line, field, message in line_problems(folder / CALLS_FILE)
    ]
    return problems


def _episodes(path: Path, papers: pd.DataFrame | None) -> tuple[Manifest | None, list[Problem]]:
    """The manifest where its fields can be read, and what does not hold in it."""

    def wrong(message: str, row: int | None = None, column: str | None = None) -> Problem:
        return Problem(file=path.name, row=row, column=column, value=None, message=message)

    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        return None, [wrong(f"is no JSON, or is cut off ({error}): {_AGAIN}")]
    if not isinstance(told, dict):
        return None, [wrong(f"must be a JSON object: {_AGAIN}")]
    problems = [
        wrong(f"{message}: {_AGAIN}", column=name) for name, message in _fields(told, _MANIFEST)
    ]
    days = told.get("cutoffs")
    if isinstance(days, list) and any(_day(day) is None for day in days):
        problems.append(wrong(f"must be a list of days as YYYY-MM-DD: {_AGAIN}", column="cutoffs"))
    items = told.get("episodes")
    for row, item in enumerate(items if isinstance(items, list) else (), start=1):
        if not isinstance(item, dict):
            problems.append(wrong(f"must be a JSON object: {_AGAIN}", row))
            continue
        problems += [
            wrong(f"{message}: {_AGAIN}", row, name) for name, message in _fields(item, _EPISODE)
        ]
    if problems:
        return None, problems
    manifest = Manifest(
        **{
            **{name: told[name] for name in _MANIFEST},
            "topics": tuple(told["topics"]),
            "cutoffs": tuple(date.fromisoformat(day) for day in told["cutoffs"]),
            "episodes": tuple(_episode(item) for item in told["episodes"]),
        }
    )
    faults = manifest_faults(manifest, papers)
    return manifest, [
        wrong(f"{fault.text}: {_AGAIN}", fault.episode, fault.field) for fault in faults
    ]


def _episode(item: Mapping[str, Any]) -> Episode:
    return Episode(
        **{
            **{name: item[name] for name in _EPISODE},
            "cutoff": date.fromisoformat(item["cutoff"]),
            "end": date.fromisoformat(item["end"]),
            "history": tuple(map(str, item["history"])),
            "target": tuple(map(str, item["target"])),
        }
    )


def _attempts(path: Path, manifest: Manifest | None) -> list[Problem]:
    problems: list[Problem] = []
    first: dict[tuple[str, str, date], int] = {}
    names = [item.name for item in fields(Attempt)]
    listed = None if manifest is None else {(e.topic, e.cutoff) for e in manifest.episodes}
    for line, record, message in _lines(path):
        if record is None:
            problems.append(_at(path, line, None, message))
            continue
        found = _fields(record, _ATTEMPT)
        found += [
            (name, f"no such field. {nearest(name, names)}") for name in record if name not in names
        ]
        if not found and record["state"] not in STATES:
            found.append(("state", f"must be one of {', '.join(STATES)}"))
        problems += [
            _at(path, line, name, f"{told}; {_DELETE}", record.get(name)) for name, told in found
        ]
        if found:
            continue
        key = record["system"], record["topic"], date.fromisoformat(record["cutoff"])
        told_key = " / ".join(map(str, key))
        if key in first:
            problems.append(
                _at(
                    path,
                    line,
                    "system, topic, cutoff",
                    f"repeats line {first[key]}: keep one of them",
                    told_key,
                )
            )
        first.setdefault(key, line)
        if listed is not None and key[1:] not in listed:
            message = f"no such episode in {EPISODES_FILE}: {_DELETE}, or list it: {_AGAIN}"
            problems.append(_at(path, line, "topic, cutoff", message, told_key))
    return problems


def _ratings(path: Path, ideas: pd.DataFrame | None) -> list[Problem]:
    from core.judging.generality import TABLE

    problems, lines, rows = [], [], []
    for line, record, message in _lines(path):
        if record is None:
            problems.append(_at(path, line, None, message))
        else:
            lines.append(line)
            rows.append(record)
    frame, found = admit(TABLE, pd.DataFrame(rows, dtype=object), file=path.name)
    for problem in found:
        row = None if problem.row is None else lines[problem.row - 1]
        message = f"{problem.message}; {_DELETE}"
        problems.append(_at(path, row, problem.column, message, problem.value))
    if ideas is not None:
        known = set(ideas["idea_id"])
        for line, idea in zip(lines, frame["idea_id"], strict=True):
            if isinstance(idea, str) and idea not in known:
                message = (
                    f"no such idea in the table ideas: delete the line. {nearest(idea, known)}"
                )
                problems.append(_at(path, line, "idea_id", message, idea))
    return problems


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any] | None, str]]:
    """Number and record of every line; None with what is wrong where it is no JSON object."""
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield number, None, f"is no JSON, or is cut off ({error}): {_DELETE}"
            continue
        if isinstance(record, dict):
            yield number, record, ""
        else:
            yield number, None, f"must be a JSON object: {_DELETE}"


def _fields(
    record: Mapping[str, Any], wanted: Mapping[str, tuple[type, str]]
) -> list[tuple[str, str]]:
    """Every field that is missing or of the wrong kind."""
    found = []
    for name, (kind, allowed) in wanted.items():
        if name not in record:
            found.append((name, f"is missing; it must be {allowed}"))
            continue
        value = record[name]
        if kind is date:
            fits = _day(value) is not None
        elif kind is int:
            fits = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        else:
            fits = isinstance(value, kind)
        if not fits:
            found.append((name, f"must be {allowed}"))
    return found


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _at(
    path: Path, line: int | None, column: str | None, message: str, value: object = None
) -> Problem:
    return Problem(
        file=path.name,
        row=line,
        column=column,
        value=None if value is None else str(value),
        message=message,
    )
