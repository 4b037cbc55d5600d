"""Forecasts into a study's ideas: whole episodes at a time, each in place of the one before."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import pandas as pd

from core.errors import TableError, UsageError
from core.forecast.forecasters.strategy import Draft
from core.forecast.stored import Attempt, write_attempts
from core.schema import TABLES, admit
from core.study import Study

MADE_BY = "forecaster"


@dataclass(frozen=True, kw_only=True)
class Forecasted:
    """What came of asking one system for one episode."""

    attempt: Attempt
    drafts: tuple[Draft, ...]
    made: Mapping[str, Any]


def refuse_foreign_forecasts(study: Study, system: str) -> None:
    """Raise :class:`UsageError` where the system has ideas that no forecaster of ours made."""
    own = study.ideas[study.ideas["system"] == system]
    foreign = sum(MADE_BY not in extra for extra in own["extra"])
    if foreign:
        raise UsageError(
            f"ideas: system '{system}' already has {foreign} ideas that did not come from"
            " `foreseen forecast run`. Give this run another name with --system NAME."
        )


def keep_forecasts(study: Study, found: Sequence[Forecasted]) -> Study:
    """Write ideas and attempts. An episode that was answered loses the system's earlier ideas
    there; one whose call failed keeps them."""
    done = [item for item in found if item.attempt.answered]
    rows = [row for item in done for row in _rows(item)]
    frame, problems = admit(
        TABLES["ideas"], pd.DataFrame(rows, columns=None if rows else ["idea_id"]), file="forecasts"
    )
    if problems:
        raise TableError(problems)
    answered = {item.attempt.key for item in done}
    held = [
        (system, "" if pd.isna(topic) else topic, None if pd.isna(cutoff) else cutoff.date())
        for system, topic, cutoff in study.ideas[["system", "topic", "cutoff"]].itertuples(
            index=False
        )
    ]
    old = study.ideas[[key not in answered for key in held]]
    both = frame if old.empty else old if frame.empty else pd.concat([old, frame])
    if done:
        study = study.write("ideas", both.reset_index(drop=True))
    write_attempts(study, [item.attempt for item in found])
    return study


def idea_name(system: str, topic: str, cutoff: date, rank: int, draft: Draft) -> str:
    """An id that changes with the text, so that verdicts on another text never stand for it."""
    text = "\x1f".join([draft.title, draft.rationale, draft.approach, *draft.key_terms])
    digest = hashlib.sha256(f"{system}\x1f{topic}\x1f{text}".encode("utf-8", "replace"))
    slug = re.sub(r"\W+", "-", topic.casefold()).strip("-") or "topic"
    return f"{system}.{slug}.{cutoff:%Y-%m-%d}.{rank}.{digest.hexdigest()[:6]}"


def _rows(item: Forecasted) -> list[dict[str, Any]]:
    system, topic, cutoff = item.attempt.key
    return [
        {
            "idea_id": idea_name(system, topic, cutoff, rank, draft),
            "system": system,
            "topic": topic or None,
            "cutoff": cutoff.isoformat(),
            "rank": rank,
            "title": _clean(draft.title) or None,
            "rationale": _clean(draft.rationale) or None,
            "method": _clean(draft.approach) or None,
            "key_terms": [_clean(term) for term in draft.key_terms],
            "extra": {**item.made, **(draft.more or {})},
        }
        for rank, draft in enumerate(item.drafts, start=1)
    ]


def _clean(text: str) -> str:
    """Text that a file can hold: a model may send half a surrogate pair or control characters."""
    text = text.encode("utf-8", "replace").decode()
    return "".join(letter for letter in text if letter in "\n\t" or ord(letter) >= 32).strip()
