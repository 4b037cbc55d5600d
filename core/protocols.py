"""One idea under all three protocols: HindSight's score, LigBench's ratings, forecast credit.

An idea and a forecast are one thing, so any protocol runs on any idea; where one has nothing to
say of an idea, it says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from core.config import Settings
from core.errors import DataError, UsageError, nearest
from core.study import Study

if TYPE_CHECKING:
    from core.hindsight.results import Score
    from core.ligbench.novelty import Novelty
    from core.ligbench.rank import Rank

NO_CANDIDATES = "the study has no candidates: run `foreseen match`"


@dataclass(frozen=True, kw_only=True)
class HindSightOfIdea:
    """Score (None with the reason in ``undefined``), matched papers, the judges' overall mark."""

    score: float | None
    matches: int | None
    judge_overall: float | None
    quadrant: str | None
    undefined: str | None


@dataclass(frozen=True, kw_only=True)
class RatingOfIdea:
    """LigBench on one dimension: Elo and Bradley–Terry with intervals, games played."""

    dimension: str
    elo: float
    elo_low: float | None
    elo_high: float | None
    bradley_terry: float | None
    games: int


@dataclass(frozen=True, kw_only=True)
class LigBenchOfIdea:
    """Ratings by dimension, none with the reason in ``undefined``; novelty likewise."""

    ratings: tuple[RatingOfIdea, ...]
    undefined: str | None
    novelty: float | None
    novelty_undefined: str | None


@dataclass(frozen=True, kw_only=True)
class CreditOfIdea:
    """Credit under one judge and the settings' gate: the paper, its grades, verdicts by state.

    ``paper_id`` is None without credit and ``undefined`` says why; ``failed`` counts candidates
    whose verdict failed or is missing.
    """

    judge: str
    paper_id: str | None
    problem: int | None
    method: int | None
    specificity: int | None
    candidates: int
    failed: int
    undefined: str | None


@dataclass(frozen=True, kw_only=True)
class ForecastOfIdea:
    """Forecast credit by judge. ``rank`` is None for an idea that was not ranked: it is taken as
    the one forecast of an episode of its own. ``undefined`` where there is nothing to say."""

    rank: int | None
    credits: tuple[CreditOfIdea, ...]
    undefined: str | None


@dataclass(frozen=True, kw_only=True)
class Protocols:
    """The three side by side, under the settings that shaped them."""

    idea_id: str
    system: str
    hindsight: HindSightOfIdea
    ligbench: LigBenchOfIdea
    forecast: ForecastOfIdea
    settings: Settings


def protocols_of(
    study: Study,
    idea_id: str,
    settings: Settings,
    *,
    score: Score | None = None,
    rank: Rank | None = None,
    novelty: Novelty | None = None,
) -> Protocols:
    """What each protocol says of one idea; raises :class:`UsageError` for an unknown id.

    ``score``, ``rank`` and ``novelty`` are the study's under the same settings where they have
    been worked out already; each is worked out where it is None.
    """
    known = study.ideas["idea_id"].tolist()
    if idea_id not in known:
        raise UsageError(f"No idea '{idea_id}'. {nearest(idea_id, known)}")
    row = known.index(idea_id)
    return Protocols(
        idea_id=idea_id,
        system=str(study.ideas["system"].iat[row]),
        hindsight=_hindsight(study, idea_id, settings, score),
        ligbench=_ligbench(study, idea_id, settings, rank, novelty),
        forecast=_forecast(study, row, settings),
        settings=settings,
    )


def _hindsight(
    study: Study, idea_id: str, settings: Settings, found: Score | None
) -> HindSightOfIdea:
    if study.candidates is None:
        return HindSightOfIdea(
            score=None, matches=None, judge_overall=None, quadrant=None, undefined=NO_CANDIDATES
        )
    try:
        ideas = (found or study.score(settings)).ideas
    except DataError as error:
        return HindSightOfIdea(
            score=None, matches=None, judge_overall=None, quadrant=None, undefined=str(error)
        )
    own = ideas[ideas["idea_id"] == idea_id].iloc[0]
    score = _number(own["score"])
    return HindSightOfIdea(
        score=score,
        matches=int(own["n_matches"]),
        judge_overall=_number(own["judge_overall"]),
        quadrant=str(own["quadrant"]),
        undefined="its score is unknown" if score is None else None,
    )


def _ligbench(
    study: Study,
    idea_id: str,
    settings: Settings,
    ranked: Rank | None,
    new: Novelty | None,
) -> LigBenchOfIdea:
    ratings: tuple[RatingOfIdea, ...] = ()
    undefined = novelty_undefined = None
    try:
        frame = (ranked or study.rank(settings)).ideas
        own = frame[frame["idea_id"] == idea_id]
        ratings = tuple(
            RatingOfIdea(
                dimension=str(row["dimension"]),
                elo=float(row["elo"]),
                elo_low=_number(row["elo_low"]),
                elo_high=_number(row["elo_high"]),
                bradley_terry=_number(row["bradley_terry"]),
                games=int(row["games"]),
            )
            for row in own.to_dict("records")
        )
        if not ratings:
            undefined = "no reference was compared with it"
    except DataError as error:
        undefined = str(error)
    novelty = None
    try:
        table = (new or study.novelty(settings)).ideas
        row = table[table["idea_id"] == idea_id].iloc[0]
        novelty = _number(row["novelty"])
        if novelty is None:
            novelty_undefined = str(row["unknown"])
    except DataError as error:
        novelty_undefined = str(error)
    return LigBenchOfIdea(
        ratings=ratings,
        undefined=undefined,
        novelty=novelty,
        novelty_undefined=novelty_undefined,
    )


def _forecast(study: Study, row: int, settings: Settings) -> ForecastOfIdea:
    from core.forecast.credit import credit, passes
    from core.forecast.ledger import first_candidates, judged_pairs, ledger

    given = study.ideas["rank"].iat[row]
    rank = None if pd.isna(given) else int(given)
    if study.candidates is None:
        return ForecastOfIdea(rank=rank, credits=(), undefined=NO_CANDIDATES)
    if study.verdicts.empty:
        return ForecastOfIdea(
            rank=rank,
            credits=(),
            undefined="the study has no verdicts: run `foreseen judge verdicts STUDY --model M`",
        )
    if rank is not None and rank > settings.slots:
        return ForecastOfIdea(
            rank=rank, credits=(), undefined=f"its rank is beyond the {settings.slots} slots"
        )
    if rank is None:
        near = first_candidates(study, settings.r, ambiguous=settings.ambiguous_dates == "include")[
            None, [row]
        ]
        laid = judged_pairs(study, np.array([[row]]), near)
        slot, episode = 0, 0
    else:
        try:
            laid = ledger(study, settings)
        except DataError as error:
            return ForecastOfIdea(rank=rank, credits=(), undefined=str(error))
        episode, slot = (int(found[0]) for found in np.nonzero(laid.ideas == row))
    passing = passes(laid, gate_pm=settings.gate_pm, gate_s=settings.gate_s)
    places = credit(laid.papers[None], passing)
    found = []
    for number, judge in enumerate(laid.judges):
        place = int(places[number, episode, slot])
        met = laid.papers[episode, slot] >= 0
        failed = int((laid.states[number, episode, slot] > 0).sum())
        marks = laid.grades[number, episode, slot, place].tolist() if place >= 0 else [None] * 3
        paper = laid.papers[episode, slot, place] if place >= 0 else None
        through = bool((passing[number, episode, slot] & met).any())
        found.append(
            CreditOfIdea(
                judge=judge,
                paper_id=None if paper is None else str(study.papers["paper_id"].iat[paper]),
                problem=marks[0],
                method=marks[1],
                specificity=marks[2],
                candidates=int(met.sum()),
                failed=failed,
                undefined=None if place >= 0 else _no_credit(int(met.sum()), failed, through),
            )
        )
    return ForecastOfIdea(rank=rank, credits=tuple(found), undefined=None)


def _no_credit(candidates: int, failed: int, through: bool) -> str:
    if not candidates:
        return "no paper lies in its pool"
    if through:
        return "every paper that passes is credited to a better rank"
    if failed == candidates:
        return "no verdict on its candidates is whole"
    return "no candidate passes the gate" + (
        f"; {failed} of {candidates} verdicts are missing" if failed else ""
    )


def _number(value: object) -> float | None:
    return None if value is None or pd.isna(value) else float(value)  # type: ignore[arg-type]
