"""Systems held against each other: differences of mean ratings, and wins by the opponent's score."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import Settings
from core.ligbench.novelty import Novelty
from core.ligbench.rank import Rank, prepared
from core.stats.resample import Draws, draw_topics, percentile_interval
from core.study import Study

Floats = NDArray[np.float64]
BANDS = 5
_CONTRAST_COLUMNS = ("a", "b", "dimension", "n_a", "n_b", "mean_a", "mean_b", "difference",
                     "low", "high", "told_apart")  # fmt: skip
_WIN_COLUMNS = ("system", "band", "score_low", "score_high", "score", "n", "share", "low", "high")


@dataclass(frozen=True, kw_only=True)
class Contrasts:
    """Every two systems in every dimension that both have.

    ``frame``: a, b (alphabetical), dimension, n_a, n_b (ideas), mean_a, mean_b, difference
    (a − b, −5 to 5), low, high (95 %, topics resampled; None where undefined), told_apart (the
    interval leaves 0 out). ``resampled``: 'topics', or 'ideas' where there is one topic.
    """

    settings: Settings
    frame: pd.DataFrame
    resampled: str


def contrasts(study: Study, ranked: Rank, novelty: Novelty | None = None) -> Contrasts:
    """Differences of mean Elo, and of mean novelty where it is given.

    Both systems are drawn in the same topics, so what a topic does to both cancels.
    """
    values = rated(ranked, novelty)
    topics = study.ideas.set_index("idea_id")["topic"].fillna("")
    rows: list[dict[str, object]] = []
    resampled = "topics"
    for dimension, group in values.groupby("dimension", sort=False):
        units = group.sort_values("idea_id")
        draws = _draws(units, topics, ranked.settings)
        resampled = "ideas" if draws.drawn == "ideas" else resampled
        for a, b in combinations(sorted(units["system"].unique()), 2):
            rows.append({"a": a, "b": b, "dimension": dimension, **_contrast(units, a, b, draws)})
    frame = pd.DataFrame(rows, columns=list(_CONTRAST_COLUMNS))
    return Contrasts(settings=ranked.settings, frame=frame, resampled=resampled)


def rated(ranked: Rank, novelty: Novelty | None = None) -> pd.DataFrame:
    """One row an idea and dimension, novelty among them: idea_id, system, dimension, value."""
    columns = ["idea_id", "system", "dimension", "value"]
    values = ranked.ideas.rename(columns={"elo": "value"})[columns]
    if novelty is None:
        return values
    known = novelty.ideas[novelty.ideas["novelty"].notna()]
    new = known.rename(columns={"novelty": "value"}).assign(dimension="novelty")[columns]
    return pd.concat([values, new.astype({"value": float})], ignore_index=True)


def win_fractions(
    study: Study, settings: Settings, dimension: str, bands: int = BANDS
) -> pd.DataFrame:
    """Mean outcome of each system's games by the reference's debiased score.

    The references' scores are cut at their quantiles into ``bands`` bands of about as many
    games. Columns: system, band (from 1), score_low, score_high, score (mean in the band), n
    (games), share (mean outcome, ties as half wins, 0 to 1), low, high (95 %, topics resampled).
    Falls with the score where the judge sees what reviewers saw. Raises as
    :func:`core.ligbench.rank.rank` does.
    """
    _, played = prepared(study, settings)
    system = study.ideas.set_index("idea_id")["system"]
    topics = study.ideas.set_index("idea_id")["topic"].fillna("")
    games = played.frame[
        (played.frame["dimension"] == dimension) & played.frame["idea_id"].isin(set(system.index))
    ].reset_index(drop=True)
    if games.empty:
        return pd.DataFrame(columns=list(_WIN_COLUMNS))
    games["system"] = system.reindex(games["idea_id"]).to_numpy()
    edges = np.unique(np.quantile(games["reference_score"], np.linspace(0, 1, bands + 1)))
    band = np.clip(np.searchsorted(edges, games["reference_score"], side="right"), 1, None)
    games["band"] = np.minimum(band, max(len(edges) - 1, 1))
    draws = _draws(games, topics, settings)
    outcome = games["outcome"].to_numpy(float)[:, None]
    rows = []
    for (name, place), group in games.groupby(["system", "band"], sort=True):
        chosen = ((games["system"] == name) & (games["band"] == place)).to_numpy(bool)
        low, high = _interval(draws.means(outcome, chosen))
        rows.append(
            {
                "system": name,
                "band": int(place),
                "score_low": float(edges[place - 1]),
                "score_high": float(edges[min(place, len(edges) - 1)]),
                "score": float(group["reference_score"].mean()),
                "n": len(group),
                "share": float(group["outcome"].mean()),
                "low": low,
                "high": high,
            }
        )
    return pd.DataFrame(rows, columns=list(_WIN_COLUMNS))


def _contrast(units: pd.DataFrame, a: str, b: str, draws: Draws) -> dict[str, object]:
    values = units["value"].to_numpy(float)[:, None]
    of_a, of_b = ((units["system"] == name).to_numpy(bool) for name in (a, b))
    mean_a, mean_b = float(values[of_a].mean()), float(values[of_b].mean())
    low, high = _interval(draws.means(values, of_a) - draws.means(values, of_b))
    return {
        "n_a": int(of_a.sum()),
        "n_b": int(of_b.sum()),
        "mean_a": mean_a,
        "mean_b": mean_b,
        "difference": mean_a - mean_b,
        "low": low,
        "high": high,
        "told_apart": low is not None and high is not None and (low > 0 or high < 0),
    }


def _draws(units: pd.DataFrame, topics: pd.Series, settings: Settings) -> Draws:
    own = topics.reindex(units["idea_id"]).tolist()
    return draw_topics(own, units["system"].tolist(), draws=settings.draws, seed=settings.seed)


def _interval(drawn: Floats) -> tuple[float | None, float | None]:
    band = percentile_interval(drawn)
    low, high = float(band.low[0]), float(band.high[0])
    return (None, None) if np.isnan(low) or np.isnan(high) else (low, high)
