"""One episode of one system as a reader sees it: who was credited with what, and why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd

from core.config import Pool, Settings
from core.errors import UsageError
from core.forecast.credit import NOT_CREDITED, credit, passes
from core.forecast.geometry import pool_sizes, searched_pool
from core.forecast.ledger import STATE_NAMES, UNJUDGED, Ledger, ledger
from core.hindsight.memo import once_per_study
from core.study import Study


@dataclass(frozen=True, kw_only=True)
class Grade:
    """One judge's verdict on a candidate: problem, method, specificity 0–3, None where the
    state is not ok; ``passes`` the gate; ``credited`` if this is the forecast's paper."""

    judge: str
    problem: int | None
    method: int | None
    specificity: int | None
    reason: str | None
    state: str
    passes: bool
    credited: bool
    call_id: str | None


@dataclass(frozen=True, kw_only=True)
class CandidatePaper:
    """A paper that a forecast met: place by similarity from 1, cosine, each judge's grade."""

    paper_id: str
    title: str
    published: date | None
    similarity: float
    place: int
    grades: Mapping[str, Grade]


@dataclass(frozen=True, kw_only=True)
class ForecastView:
    """One forecast: its candidates and, by judge, the paper credited (None) and the reason in
    words, whether credited or not."""

    idea_id: str
    rank: int
    title: str
    candidates: tuple[CandidatePaper, ...]
    credited: Mapping[str, str | None]
    why: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class EpisodeView:
    """An episode: sizes of its pools, forecasts in rank order, and slots left empty."""

    system: str
    topic: str
    cutoff: date
    end: date
    history: int
    target: int
    forecasts: tuple[ForecastView, ...]
    empty_slots: int
    judges: tuple[str, ...]
    settings: Settings


def inspect_episode(
    study: Study, settings: Settings, *, system: str, topic: str, cutoff: date
) -> EpisodeView:
    """The episode with every judge side by side, under the settings' gate and R.

    Pool sizes count papers with a certain date. Raises :class:`UsageError` where the system has
    no such episode.
    """
    laid = ledger(study, settings)
    frame = laid.episodes
    at = np.flatnonzero(
        (frame["system"] == system)
        & (frame["topic"] == topic)
        & (pd.to_datetime(frame["cutoff"]) == pd.Timestamp(cutoff))
    )
    if not len(at):
        raise UsageError(f"System '{system}' has no episode of topic '{topic}' and {cutoff}.")
    row = int(at[0])
    passing = passes(laid, gate_pm=settings.gate_pm, gate_s=settings.gate_s)[:, row]
    places = credit(laid.papers[row][None], passing)
    facts = _facts(study, laid, row, searched_pool(study, settings), topic, cutoff)
    forecasts = [
        _forecast(laid, row, slot, facts, passing, places)
        for slot in np.flatnonzero(laid.ideas[row] >= 0).tolist()
    ]
    return EpisodeView(
        system=system,
        topic=topic,
        cutoff=cutoff,
        end=study.config.window_end(cutoff),
        history=facts.history,
        target=facts.target,
        forecasts=tuple(forecasts),
        empty_slots=int((laid.ideas[row] < 0).sum()),
        judges=laid.judges,
        settings=settings,
    )


@dataclass(frozen=True, kw_only=True)
class _Facts:
    """What no gate moves: sizes of the pools; id and title of ideas and id, title and date of
    papers by their rows; similarities by both ids; reason and call by both and the judge."""

    history: int
    target: int
    ideas: Mapping[int, tuple[str, str]]
    papers: Mapping[int, tuple[str, str, date | None]]
    similarities: Mapping[tuple[str, str], float]
    reasons: Mapping[tuple[str, str, str], tuple[str | None, str | None]]


@once_per_study(16)
def _facts(study: Study, laid: Ledger, row: int, pool: Pool, topic: str, cutoff: date) -> _Facts:
    history, target = pool_sizes(study, pool, topic, cutoff)
    own = laid.ideas[row][laid.ideas[row] >= 0]
    met = np.unique(laid.papers[row][laid.papers[row] >= 0])
    ideas = study.ideas[["idea_id", "title"]].iloc[own]
    papers = study.papers[["paper_id", "title", "published"]].iloc[met]
    assert study.candidates is not None
    pairs = study.candidates[study.candidates["idea_id"].isin(ideas["idea_id"])]
    judged = study.verdicts[study.verdicts["idea_id"].isin(ideas["idea_id"])]
    told = judged[["idea_id", "paper_id", "judge", "reason", "call_id"]].astype(object)
    told = told.where(told.notna(), None)
    return _Facts(
        history=history,
        target=target,
        ideas={
            int(at): (str(idea_id), "" if pd.isna(title) else str(title))
            for at, idea_id, title in zip(own, ideas["idea_id"], ideas["title"], strict=True)
        },
        papers={
            int(at): (str(paper_id), str(title), None if pd.isna(day) else day.date())
            for at, (paper_id, title, day) in zip(
                met, papers.itertuples(index=False, name=None), strict=True
            )
        },
        similarities=dict(
            zip(
                zip(pairs["idea_id"], pairs["paper_id"], strict=True),
                pairs["similarity"].astype(float).tolist(),
                strict=True,
            )
        ),
        reasons={(i, p, j): (r, c) for i, p, j, r, c in told.itertuples(index=False, name=None)},
    )


def _forecast(
    laid: Ledger,
    row: int,
    slot: int,
    facts: _Facts,
    passing: np.ndarray,
    places: np.ndarray,
) -> ForecastView:
    idea_id, title = facts.ideas[int(laid.ideas[row, slot])]
    candidates = []
    for place, paper in enumerate(laid.papers[row, slot].tolist()):
        if paper < 0:
            continue
        paper_id, named, published = facts.papers[paper]
        grades = {}
        for number, judge in enumerate(laid.judges):
            state = STATE_NAMES[laid.states[number, row, slot, place]]
            marks = laid.grades[number, row, slot, place].tolist()
            known = [mark if mark >= 0 else None for mark in marks]
            reason, call_id = facts.reasons.get((idea_id, paper_id, judge), (None, None))
            grades[judge] = Grade(
                judge=judge,
                problem=known[0],
                method=known[1],
                specificity=known[2],
                reason=reason,
                state=state,
                passes=bool(passing[number, slot, place]),
                credited=bool(places[number, slot] == place),
                call_id=call_id,
            )
        candidates.append(
            CandidatePaper(
                paper_id=paper_id,
                title=named,
                published=published,
                similarity=facts.similarities.get((idea_id, paper_id), float("nan")),
                place=place + 1,
                grades=grades,
            )
        )
    credited: dict[str, str | None] = {}
    why: dict[str, str] = {}
    for number, judge in enumerate(laid.judges):
        place = int(places[number, slot])
        met: str | None = None
        if place != NOT_CREDITED:
            met = facts.papers[int(laid.papers[row, slot, place])][0]
        credited[judge] = met
        why[judge] = _why(laid, number, row, slot, facts, passing, places)
    return ForecastView(
        idea_id=idea_id,
        rank=slot + 1,
        title=title,
        candidates=tuple(candidates),
        credited=credited,
        why=why,
    )


def _why(
    laid: Ledger,
    judge: int,
    row: int,
    slot: int,
    facts: _Facts,
    passing: np.ndarray,
    places: np.ndarray,
) -> str:
    own = laid.papers[row, slot]
    if not (own >= 0).any():
        return "no paper lies in its target pool"
    ids = {paper: told[0] for paper, told in facts.papers.items()}
    place = int(places[judge, slot])
    gone = {
        int(laid.papers[row, earlier, at]): earlier + 1
        for earlier, at in enumerate(places[judge, :slot].tolist())
        if at != NOT_CREDITED
    }
    through = np.flatnonzero(passing[judge, slot] & (own >= 0)).tolist()
    taken = [f"{ids[own[at]]} (rank {gone[own[at]]})" for at in through if own[at] in gone]
    if place != NOT_CREDITED:
        skipped = [t for at, t in zip(through, taken, strict=False) if at < place]
        told = f"credited with {ids[own[place]]}, the nearest that passes the gate"
        return f"{told} and is free; already credited: {', '.join(skipped)}" if skipped else told
    if through:
        return f"every paper that passes the gate is already credited: {', '.join(taken)}"
    states = laid.states[judge, row, slot][own >= 0]
    failed = int(((states > 0) & (states != STATE_NAMES.index(UNJUDGED))).sum())
    unjudged = int((states == STATE_NAMES.index(UNJUDGED)).sum())
    parts = [f"none of {len(states)} candidates passes the gate"]
    if failed:
        parts.append(f"{failed} verdicts failed")
    if unjudged:
        parts.append(f"{unjudged} were not judged")
    return "; ".join(parts)
