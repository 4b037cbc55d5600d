"""What became of each candidate of an episode, and why it was not credited.

Rests on :func:`core.forecast.inspector.inspect_episode`, which lays the episode out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal

import pandas as pd

from core.config import Settings
from core.errors import UsageError, nearest
from core.forecast.inspector import CandidatePaper, EpisodeView, ForecastView, Grade
from core.forecast.ledger import UNJUDGED

Outcome = Literal["credited", "taken", "passed_over", "below_gate", "failed", "unjudged"]
SEPARATOR = " / "
_STATES = {
    "refused": "the judge refused",
    "parse_failed": "the reply could not be read",
    "call_failed": "the call failed",
}


@dataclass(frozen=True, kw_only=True)
class CandidateOutcome:
    """What one judge's verdict on one candidate came to.

    ``outcome``: credited to this forecast; taken, it passes but is credited to the forecast of
    rank ``taken_by``; passed_over, it passes and is free but a nearer one was credited;
    below_gate; failed, the verdict has no grades; unjudged. ``why`` says it in words.
    """

    judge: str
    idea_id: str
    rank: int
    paper_id: str
    place: int
    outcome: Outcome
    taken_by: int | None
    why: str


def outcomes(view: EpisodeView, judge: str) -> tuple[CandidateOutcome, ...]:
    """The outcome of every candidate under one judge, by rank of forecast and place.

    Raises :class:`UsageError` for a judge that the study does not have.
    """
    if judge not in view.judges:
        known = nearest(judge, view.judges) if view.judges else "The study has no verdicts."
        raise UsageError(f"No judge '{judge}' of verdicts. {known}")
    owners: dict[str, int] = {}
    found: list[CandidateOutcome] = []
    for forecast in view.forecasts:
        for candidate in forecast.candidates:
            found.append(_outcome(view.settings, judge, forecast, candidate, owners))
        paper = forecast.credited[judge]
        if paper is not None:
            owners[paper] = forecast.rank
    return tuple(found)


def _outcome(
    settings: Settings,
    judge: str,
    forecast: ForecastView,
    candidate: CandidatePaper,
    owners: dict[str, int],
) -> CandidateOutcome:
    grade = candidate.grades[judge]
    taken_by = owners.get(candidate.paper_id)
    outcome: Outcome
    if grade.credited:
        outcome, why = "credited", "credited: the nearest that passes and is free"
    elif grade.state == UNJUDGED:
        outcome, why = "unjudged", "not judged"
    elif grade.state != "ok":
        outcome, why = "failed", f"verdict failed: {_STATES.get(grade.state, grade.state)}"
    elif not grade.passes:
        outcome, why = "below_gate", f"below the gate: {shortfall(settings, grade)}"
    elif taken_by is not None:
        outcome, why = "taken", f"passes, but is already credited to rank {taken_by}"
    else:
        outcome, why = "passed_over", "passes, but a nearer one was credited"
    return CandidateOutcome(
        judge=judge,
        idea_id=forecast.idea_id,
        rank=forecast.rank,
        paper_id=candidate.paper_id,
        place=candidate.place,
        outcome=outcome,
        taken_by=taken_by if outcome == "taken" else None,
        why=why,
    )


def shortfall(settings: Settings, grade: Grade) -> str:
    """Which part of the gate a grade misses: "P + M = 4 < 5", "S = 1 < 2", or both."""
    parts = []
    both = (grade.problem or 0) + (grade.method or 0)
    specificity = grade.specificity or 0
    if both < settings.gate_pm:
        parts.append(f"P + M = {both} < {settings.gate_pm}")
    if specificity < settings.gate_s:
        parts.append(f"S = {specificity} < {settings.gate_s}")
    return " and ".join(parts)


@dataclass(frozen=True, kw_only=True)
class EpisodeName:
    """A system's episode; ``text`` is how it stands in an address and in lists."""

    system: str
    topic: str
    cutoff: date

    @property
    def text(self) -> str:
        return SEPARATOR.join((self.system, self.topic or "no topic", self.cutoff.isoformat()))


def episode_names(episodes: pd.DataFrame) -> dict[str, EpisodeName]:
    """Every episode of a frame with system, topic and cutoff by its text, sorted, each once.

    Where two names would read alike, the later one in sorted order gets a number.
    """
    rows: Iterable[tuple[str, str, pd.Timestamp]] = (
        episodes[["system", "topic", "cutoff"]]
        .drop_duplicates()
        .sort_values(["system", "topic", "cutoff"])
        .itertuples(index=False, name=None)
    )
    named: dict[str, EpisodeName] = {}
    for system, topic, cutoff in rows:
        name = EpisodeName(system=str(system), topic=str(topic), cutoff=pd.Timestamp(cutoff).date())
        text, number = name.text, 1
        while text in named:
            number += 1
            text = f"{name.text} ({number})"
        named[text] = name
    return named
