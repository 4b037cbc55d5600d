"""IdeaForecastBench's public files: forecasts, judged forecasts and papers, defects told.

What these files get wrong and how it is read here:

- a call that failed is stored as grades 0/0/0; its reasoning, or a fallback noted with the
  forecast, betrays it: state ``call_failed``, no grades;
- a reply that could not be read is stored as null: state ``parse_failed``;
- windows may repeat, which hides missing ones: repeats are dropped and both are told;
- Precision@K was divided by min(K, forecasts) on one path: windows with fewer are counted, and
  ours always divides by K.

An idea is named by file, topic, cutoff and rank, so that forecasts and their judgements meet.
"""

from __future__ import annotations

import calendar
import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from core.config import window_end
from core.errors import DataError
from core.forecast.stored import Attempt
from core.ingest.formats.opened import Opened, present, rest
from core.ingest.formats.reading import Format, Reading, Row
from core.ingest.identifiers import content_id
from core.schema import CANDIDATES, admit

JUDGED_MODE = "llm_judge_eval"
GRADES = ("problem", "method", "specificity")
_FAILED = re.compile(
    r"error|exception|traceback|time[ds]? ?out|rate.?limit|connection|unavailable|call failed"
    r"|request failed|http \d{3}|status \d{3}|api key|quota",
    re.I,
)
_PREDICTION = ("rank", "title", "rationale", "approach", "key_terms")
_IN_EXTRA = ("score", "confidence", "metadata")
_KEY_LINE = re.compile(r"^([A-Za-z_][\w ]*):[ \t]*(.*)$")
_ABSTRACT = re.compile(r"^#+\s*(abstract|summary)\s*$", re.I)


def _is_results(opened: Opened) -> bool:
    return opened.kind == "json" and opened.has("topic_results", "config")


def _is_judged(opened: Opened) -> bool:
    return (
        _is_results(opened)
        and isinstance(opened.first, dict)
        and (opened.first.get("mode") == JUDGED_MODE or "judge_model" in opened.first)
    )


def _read(opened: Opened, reading: Reading) -> Iterator[Row]:
    yield from (_read_judged if _is_judged(opened) else _read_backtest)(opened, reading)


def _read_backtest(opened: Opened, reading: Reading) -> Iterator[Row]:
    whole = opened.whole
    system = Path(opened.name.removesuffix(".gz")).stem
    for line, topic, cutoff, window in _windows(whole, reading):
        predictions = _list(window, "predictions")
        _count_short(whole, predictions, reading)
        for rank, prediction in enumerate(predictions, start=1):
            cells = _idea(system, topic, cutoff, rank, prediction)
            reading.leave(prediction, *_PREDICTION, *_IN_EXTRA)
            cells["rationale"] = prediction.get("rationale")
            cells["method"] = prediction.get("approach")
            cells["key_terms"] = prediction.get("key_terms") or []
            if not present(prediction.get("approach")):
                reading.note("{count} forecasts have no approach: judges saw little of a method")
            yield Row("ideas", line, cells)


def _read_judged(opened: Opened, reading: Reading) -> Iterator[Row]:
    whole = opened.whole
    system = _source(opened, whole)
    judge = str(whole.get("judge_model") or "unknown judge")
    for line, topic, cutoff, window in _windows(whole, reading):
        predictions = _list(window, "per_prediction")
        _count_short(whole, predictions, reading)
        for rank, prediction in enumerate(predictions, start=1):
            idea = _idea(system, topic, cutoff, rank, prediction)
            reading.leave(prediction, "rank", "title", "top_candidates", *_IN_EXTRA)
            yield Row("ideas", line, idea)
            for candidate in _list(prediction, "top_candidates"):
                cells = _verdict(candidate, prediction, reading)
                own = {"idea_id": idea["idea_id"], "judge": judge, **cells}
                yield Row("verdicts", line, own)


def _read_paper(opened: Opened, reading: Reading) -> Iterator[Row]:
    with opened.text() as text:
        lines = text.read().lstrip("\ufeff").splitlines()
    title, keys, abstract = "", {}, []
    inside = False
    for line in lines:
        if line.startswith("#"):
            inside = bool(_ABSTRACT.match(line))
            if line.startswith("# ") and not title and not inside:
                title = line[2:].strip()
        elif inside:
            abstract.append(line)
        elif found := _KEY_LINE.match(line):
            keys[found[1].strip().casefold().replace(" ", "_")] = found[2].strip()
    if not title or not keys.get("paper_id"):
        reading.drop(1, "has no title or no paper_id")
        return
    yield Row("papers", 1, {
        "paper_id": keys.pop("paper_id"), "title": title,
        "abstract": "\n".join(abstract).strip() or None,
        "published": keys.pop("date", None), "extra": {k: v for k, v in keys.items() if v},
    })  # fmt: skip


def benchmark_candidates(path: Path) -> tuple[pd.DataFrame, str, int]:
    """The candidates of a judged file as our table, the encoder that found them, and R.

    In the file's order, which is by similarity; a window that repeats counts once. Raises
    :class:`DataError` for a file of another shape.
    """
    opened = Opened(path)
    if not _is_judged(opened):
        raise DataError(f"{path}: no judged forecasts of IdeaForecastBench.")
    whole = opened.whole
    system = _source(opened, whole)
    rows = []
    for _, topic, cutoff, window in _windows(whole, Reading(opened.name)):
        for rank, prediction in enumerate(_list(window, "per_prediction"), start=1):
            name = _idea(system, topic, cutoff, rank, prediction)["idea_id"]
            own: dict[str, Any] = {}
            for candidate in _list(prediction, "top_candidates"):
                own.setdefault(str(candidate.get("paper_id")), candidate.get("embed_score"))
            rows += [
                {"idea_id": name, "paper_id": paper, "similarity": score, "rank": place}
                for place, (paper, score) in enumerate(own.items(), start=1)
            ]
    columns = list(CANDIDATES.names)
    frame, problems = admit(CANDIDATES, pd.DataFrame(rows, columns=columns), file=opened.name)
    if problems:
        raise DataError("\n".join(map(str, problems[:5])))
    depth = max((row["rank"] for row in rows), default=1)
    return frame, str(whole.get("embed_model") or "unknown"), depth


def benchmark_attempts(path: Path) -> tuple[Attempt, ...]:
    """Every window of a file as an attempt, so that one without a forecast is a miss."""
    opened = Opened(path)
    if not _is_results(opened):
        raise DataError(f"{path}: no forecasts of IdeaForecastBench.")
    whole = opened.whole
    judged = _is_judged(opened)
    system = _source(opened, whole) if judged else Path(opened.name.removesuffix(".gz")).stem
    name = "per_prediction" if judged else "predictions"
    return tuple(
        Attempt(
            system=system,
            topic=topic,
            cutoff=cutoff,
            forecasts=len(_list(window, name)),
            state="ok",
        )
        for _, topic, cutoff, window in _windows(whole, Reading(opened.name))
    )


def _windows(
    whole: Mapping[str, Any], reading: Reading
) -> Iterator[tuple[int, str, date, Mapping[str, Any]]]:
    """Every window once: its number in the file, topic, cutoff; repeats and gaps are told."""
    seen: dict[tuple[str, date], str] = {}
    number = 0
    topics = []
    for topic_id, entry in _record(whole, "topic_results").items():
        if not isinstance(entry, Mapping):
            raise DataError(f"{reading.file}: topic '{topic_id}' must be an object")
        topic = str(entry.get("topic_name") or topic_id)
        topics.append(topic)
        inner = entry.get("backtest")
        held = inner if isinstance(inner, Mapping) else entry
        for window in _list(held, "windows"):
            number += 1
            try:
                cutoff = _cutoff(window)
            except ValueError as error:
                reading.drop(number, str(error))
                continue
            text = json.dumps(window, sort_keys=True, default=str)
            if (topic, cutoff) in seen:
                alike = "the same" if seen[topic, cutoff] == text else "other"
                reading.drop(number, f"repeats window '{topic}' {cutoff} with {alike} content")
                continue
            seen[topic, cutoff] = text
            yield number, topic, cutoff, window
    for topic, cutoff in _due(whole, topics):
        if (topic, cutoff) not in seen:
            reading.note("{count} windows of the configured months are missing from the file")


def _due(whole: Mapping[str, Any], topics: list[str]) -> Iterator[tuple[str, date]]:
    config = _record(whole, "config")
    try:
        start = date.fromisoformat(f"{config['start_month']}-01")
        end = date.fromisoformat(f"{config['end_month']}-01")
    except (KeyError, ValueError, TypeError):
        return
    months = (end.year - start.year) * 12 + end.month - start.month
    for topic in topics:
        for month in range(months + 1):
            yield topic, window_end(start, month)


def _cutoff(window: Mapping[str, Any]) -> date:
    """The window's day: ``cutoff_date``, else the last day of ``cutoff_month``."""
    day, month = window.get("cutoff_date"), window.get("cutoff_month")
    try:
        if present(day):
            return date.fromisoformat(str(day)[:10])
        first = date.fromisoformat(f"{month}-01")
    except ValueError:
        raise ValueError(f"has no cutoff (cutoff_date {day!r}, cutoff_month {month!r})") from None
    return first.replace(day=calendar.monthrange(first.year, first.month)[1])


def _idea(
    system: str, topic: str, cutoff: date, rank: int, prediction: Mapping[str, Any]
) -> dict[str, Any]:
    given = prediction.get("rank")
    rank = given if isinstance(given, int) and not isinstance(given, bool) else rank
    return {
        "idea_id": content_id("forecast", system, topic, cutoff.isoformat(), rank),
        "system": system,
        "topic": topic,
        "cutoff": cutoff.isoformat(),
        "rank": rank,
        "title": prediction.get("title"),
        "extra": {
            name: value
            for name, value in rest(prediction, *_PREDICTION, "top_candidates").items()
            if name in _IN_EXTRA
        },
    }


def _verdict(
    candidate: Mapping[str, Any], prediction: Mapping[str, Any], reading: Reading
) -> dict[str, Any]:
    marks = {name: candidate.get(f"{name}_score") for name in GRADES}
    reason = candidate.get("reasoning")
    reason = reason if isinstance(reason, str) and reason.strip() else None
    state = "ok"
    if any(value is None for value in marks.values()):
        state = "parse_failed"
        reading.note("{count} verdicts are null: parse_failed")
    elif all(value == 0 for value in marks.values()):
        fallback = _record(prediction, "metadata").get("fallback_events")
        if (reason and _FAILED.search(reason)) or (reason is None and fallback):
            state = "call_failed"
            reading.note("{count} verdicts of 0/0/0 stand for calls that failed: call_failed")
        elif reason is None:
            reading.note("{count} verdicts of 0/0/0 have no reason, and nothing says they failed")
    return {
        "paper_id": candidate.get("paper_id"),
        **(marks if state == "ok" else {}),
        "reason": reason,
        "state": state,
    }


def _count_short(whole: Mapping[str, Any], predictions: list[Any], reading: Reading) -> None:
    top_k = _record(whole, "config").get("top_k")
    if isinstance(top_k, int) and len(predictions) < top_k:
        reading.note(
            "{count} windows hold fewer forecasts than top_k: their Precision@K may divide by"
            " those given, ours divides by K"
        )


def _source(opened: Opened, whole: Mapping[str, Any]) -> str:
    """The system: the name of the file with the forecasts, else of this one."""
    source = str(whole.get("source_json") or opened.name).replace("\\", "/")
    return Path(source.removesuffix(".gz")).stem


def _record(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = record.get(name)
    return value if isinstance(value, Mapping) else {}


def _list(record: Mapping[str, Any], name: str) -> list[Any]:
    value = record.get(name)
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _is_paper(opened: Opened) -> bool:
    if opened.kind != "delimited" or not opened.head.startswith("# "):
        return False
    return bool(re.search(r"^paper_id\s*:", opened.head, re.I | re.M))


FORMATS = (
    Format(
        name="ideaforecastbench",
        title="forecasts of IdeaForecastBench, judged or not",
        tables=("ideas", "verdicts"),
        recognise=_is_results,
        read=_read,
        told={
            "topic_name": "topic",
            "cutoff_date": "cutoff",
            "approach": "method",
            "the file's name": "system",
            "judge_model": "judge",
            "problem_score": "problem",
            "method_score": "method",
            "specificity_score": "specificity",
            "reasoning": "reason",
        },
    ),
    Format(
        name="ideaforecastbench-paper",
        title="a paper of IdeaForecastBench's corpus",
        tables=("papers",),
        recognise=_is_paper,
        read=_read_paper,
        told={"date": "published"},
    ),
)
