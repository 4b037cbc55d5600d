"""One idea's games in one dimension: its opponents, the judges' reasons, and its rating's path."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from core.config import ALL_JUDGES, EloMode, Settings
from core.errors import DataError, nearest
from core.ligbench.bradley_terry import Fit, fit
from core.ligbench.debias import DIMENSIONS
from core.ligbench.elo import UNSEEN_START, EloRun, run_orders
from core.ligbench.rank import prepared, start_scores
from core.ligbench.references import venue_names
from core.study import Study

MODES: tuple[EloMode, ...] = ("latent", "paper")
_REFERENCE = ["reference_id", "title", "venue", "decision"]


@dataclass(frozen=True, kw_only=True)
class IdeaGames:
    """What one idea's rating in one dimension rests on.

    ``games``, the strongest reference first: reference_id, title, venue ('ICLR 2024'), decision,
    reference_score (debiased), outcome (0 to 1, from the idea's side), one_order, repeats.
    ``replies``: every reply of the judge(s), whatever its state: reference_id, judge, repeat,
    order, outcome (in this dimension), reason, state. ``runs``: Elo in both modes over the same
    seeded orders, so that their paths can be laid over each other. ``fit``: Bradley–Terry;
    without a game it is undefined and the runs stay at the start.
    """

    idea_id: str
    dimension: str
    judge: str
    settings: Settings
    games: pd.DataFrame
    replies: pd.DataFrame
    runs: dict[EloMode, EloRun]
    fit: Fit
    start: float
    start_known: bool


def idea_games(study: Study, settings: Settings, idea_id: str, dimension: str) -> IdeaGames:
    """The games of ``idea_id`` in ``dimension``, and its ratings by every method.

    Raises :class:`DataError` for an idea or dimension that is not there, and as
    :func:`core.ligbench.rank.rank` does.
    """
    if idea_id not in set(study.ideas["idea_id"]):
        raise DataError(f"This study has no idea '{idea_id}'.")
    if dimension not in DIMENSIONS:
        raise DataError(f"No dimension '{dimension}'. {nearest(dimension, DIMENSIONS)}")
    references, played = prepared(study, settings)
    own = played.frame[
        (played.frame["idea_id"] == idea_id) & (played.frame["dimension"] == dimension)
    ]
    outcomes = own["outcome"].to_numpy(float)
    against = own["reference_score"].to_numpy(float)
    starts = start_scores(study, settings.judge)
    start = starts.get((idea_id, dimension), UNSEEN_START)
    centre = references.overall[dimension]
    runs = {
        mode: run_orders(
            outcomes,
            against,
            start=start,
            settings=settings.model_copy(update={"elo_mode": mode}),
            idea_id=idea_id,
        )
        for mode in MODES
    }
    return IdeaGames(
        idea_id=idea_id,
        dimension=dimension,
        judge=settings.judge,
        settings=settings,
        games=_games(study, own),
        replies=_replies(study, settings.judge, idea_id, dimension),
        runs=runs,
        fit=fit(
            outcomes,
            against,
            d=settings.elo_d,
            prior_mean=UNSEEN_START if centre is None else centre,
            prior_sd=settings.bt_prior_sd,
        ),
        start=start,
        start_known=(idea_id, dimension) in starts,
    )


def _games(study: Study, own: pd.DataFrame) -> pd.DataFrame:
    known = study.references.assign(venue=venue_names(study.references))[_REFERENCE]
    columns = [*_REFERENCE, "reference_score", "outcome", "one_order", "repeats"]
    joined = own.merge(known, on="reference_id", how="left")[columns]
    return joined.sort_values(
        ["reference_score", "reference_id"], ascending=[False, True], ignore_index=True
    )


def _replies(study: Study, judge: str, idea_id: str, dimension: str) -> pd.DataFrame:
    rows = study.comparisons[study.comparisons["idea_id"] == idea_id]
    if judge != ALL_JUDGES:
        rows = rows[rows["judge"] == judge]
    rows = rows.rename(columns={dimension: "outcome"}).sort_values(
        ["reference_id", "judge", "repeat", "order"], ignore_index=True
    )
    return rows[["reference_id", "judge", "repeat", "order", "outcome", "reason", "state"]]
