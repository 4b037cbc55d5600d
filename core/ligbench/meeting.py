"""Where LigBench and HindSight meet: do ideas that judges rate high come true?

The same ideas have a rating against reviewed papers, a novelty, and a score by the papers that
came later. Spearman's rank correlation tells how far they agree, a list where they do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import Settings
from core.errors import DataError, nearest
from core.hindsight.results import Score
from core.ligbench.contrasts import rated
from core.ligbench.debias import DIMENSIONS
from core.ligbench.novelty import Novelty
from core.ligbench.rank import Rank
from core.stats.correlate import drawn_ranks, spearman, why_undefined
from core.stats.resample import draw_topics, percentile_interval
from core.study import Study

MEASURES = (*DIMENSIONS, "novelty")
EVERY_SYSTEM = "all systems"
_COLUMNS = ("system", "measure", "n", "rho", "low", "high", "p", "undefined")


@dataclass(frozen=True, kw_only=True)
class Meeting:
    """HindSight beside LigBench, idea by idea.

    ``ideas``: idea_id, system, topic, title, score (HindSight), rating, contribution, soundness
    (Elo), novelty; unknown cells are empty. ``correlations``: system (or 'all systems'),
    measure, n (ideas with both), rho (Spearman, −1 to 1), low, high (95 %, topics resampled), p
    (two-sided, not corrected), undefined (why rho is None).
    """

    settings: Settings
    elo_mode: str
    judge: str
    ideas: pd.DataFrame
    correlations: pd.DataFrame


def meeting(study: Study, score: Score, ranked: Rank, novelty: Novelty | None = None) -> Meeting:
    """Join the three on the idea and correlate HindSight with each measure.

    Ideas without a score or without the measure are left out of that correlation, and so of n.
    """
    values = rated(ranked, novelty).pivot(index="idea_id", columns="dimension", values="value")
    values = values.reindex(columns=list(MEASURES))
    scored = score.ideas.set_index("idea_id")["score"].astype(float)
    ideas = study.ideas[["idea_id", "system", "topic", "title"]].copy()
    ideas["score"] = scored.reindex(ideas["idea_id"]).to_numpy(float)
    for measure in MEASURES:
        ideas[measure] = values[measure].reindex(ideas["idea_id"]).to_numpy(float)
    ideas = ideas.sort_values("idea_id", ignore_index=True)
    systems = sorted(ideas["system"].unique())
    groups = [EVERY_SYSTEM, *systems] if len(systems) > 1 else systems
    rows = [
        {"system": name, "measure": measure, **_correlation(ideas, name, measure, ranked.settings)}
        for measure in MEASURES
        if measure != "novelty" or novelty is not None
        for name in groups
    ]
    return Meeting(
        settings=ranked.settings,
        elo_mode=ranked.elo_mode,
        judge=ranked.judge,
        ideas=ideas,
        correlations=pd.DataFrame(rows, columns=list(_COLUMNS)),
    )


def disagreements(found: Meeting, measure: str) -> pd.DataFrame:
    """Ideas on whose rank the two protocols differ, the largest difference first.

    score_rank and value_rank: share of the ideas with both values that stand below (ties by
    half), 0 to 1. difference = value_rank − score_rank: above 0 rated high and not come true,
    below 0 come true and rated low. Columns: idea_id, system, topic, title, score, value,
    score_rank, value_rank, difference.
    """
    if measure not in MEASURES:
        raise DataError(f"No measure '{measure}'. {nearest(measure, MEASURES)}")
    both = found.ideas.dropna(subset=["score", measure]).rename(columns={measure: "value"})
    n = max(len(both), 1)
    both["score_rank"] = (both["score"].rank() - 0.5) / n
    both["value_rank"] = (both["value"].rank() - 0.5) / n
    both["difference"] = both["value_rank"] - both["score_rank"]
    size = both["difference"].abs()
    order = size.sort_values(ascending=False, kind="stable").index
    columns = ["idea_id", "system", "topic", "title", "score", "value"]
    ranks = ["score_rank", "value_rank", "difference"]
    return both.loc[order, [*columns, *ranks]].reset_index(drop=True)


def _correlation(
    ideas: pd.DataFrame, system: str, measure: str, settings: Settings
) -> dict[str, object]:
    x, y = ideas["score"].to_numpy(float), ideas[measure].to_numpy(float)
    chosen: NDArray[np.bool_] = np.isfinite(x) & np.isfinite(y)
    if system != EVERY_SYSTEM:
        chosen &= (ideas["system"] == system).to_numpy(bool)
    found: dict[str, object] = {"n": int(chosen.sum()), "rho": None, "low": None, "high": None}
    found |= {"p": None}
    undefined = why_undefined(x[chosen], y[chosen], "the HindSight score", measure)
    if undefined:
        return found | {"undefined": undefined}
    whole = spearman(x[chosen][None, :], y[chosen])
    draws = draw_topics(
        ideas["topic"].fillna("").tolist(),
        ideas["system"].tolist(),
        draws=settings.draws,
        seed=settings.seed,
    )
    weights = draws.counts[:, draws.cluster[chosen]]
    drawn = drawn_ranks(x, chosen, draws) * drawn_ranks(y, chosen, draws) * weights
    band = percentile_interval(drawn.sum(axis=1)[:, None])
    low, high = float(band.low[0]), float(band.high[0])
    return found | {
        "rho": float(whole.rho[0]),
        "low": None if np.isnan(low) else low,
        "high": None if np.isnan(high) else high,
        "p": float(whole.p[0]),
        "undefined": None,
    }
