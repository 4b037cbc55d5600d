"""Metrics of an episode, from which forecasts were credited (IdeaForecastBench, Metrics).

Every function takes ``places`` (…, slots): the place of the credited candidate, −1 where none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.forecast.credit import NOT_CREDITED

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
HIGHEST_SUM = 9


def hit(places: Places) -> Floats:
    """Hit@K: 1 where any forecast was credited, else 0. Higher is better."""
    return np.asarray((places != NOT_CREDITED).any(axis=-1), float)


def precision(places: Places) -> Floats:
    """Precision@K: credited forecasts over the slots asked for, 0 to 1.

    The denominator is the number of slots, whatever was filled: a missing forecast is a miss.
    """
    return np.asarray((places != NOT_CREDITED).mean(axis=-1), float)


def reciprocal_rank(places: Places) -> Floats:
    """1 / rank of the first credited forecast, 0 where none was. Its mean is MRR."""
    credited = places != NOT_CREDITED
    first = credited.argmax(axis=-1) + 1
    return np.asarray(np.where(credited.any(axis=-1), 1.0 / first, 0.0))


def soft_score(places: Places, grades: NDArray[np.int8]) -> Floats:
    """Mean of (P + M + S)/9 over the credited forecasts, 0 where none was credited; 0 to 1.

    ``grades`` (…, slots, depth, 3): those of the same judge.
    """
    credited = places != NOT_CREDITED
    at = np.maximum(places, 0)[..., None]
    sums = np.take_along_axis(grades.sum(axis=-1, dtype=np.int64), at, axis=-1)[..., 0]
    n = credited.sum(axis=-1)
    total = np.where(credited, sums / HIGHEST_SUM, 0.0).sum(axis=-1)
    return np.asarray(np.divide(total, n, out=np.zeros(n.shape), where=n > 0))


def fill_rate(ideas: Places) -> Floats:
    """Share of the slots that hold a forecast; ``ideas`` (…, slots) is −1 where none."""
    return np.asarray((ideas >= 0).mean(axis=-1), float)


def coverage(papers: Places, places: Places, clusters: Places) -> Floats:
    """Share of the target pool's clusters that hold a credited paper; nan without clusters.

    ``papers`` (…, slots, depth) rows of papers; ``clusters`` (…, papers): the cluster of each
    paper in the episode's target pool, −1 outside it.
    """
    at = np.maximum(places, 0)[..., None]
    credited = np.take_along_axis(papers, at, axis=-1)[..., 0]
    hits = np.take_along_axis(clusters, np.maximum(credited, 0), axis=-1)
    hits = np.where((places != NOT_CREDITED) & (credited >= 0), hits, -1)
    total = clusters.max(axis=-1) + 1
    found = np.array([len(set(row[row >= 0].tolist())) for row in hits.reshape(-1, hits.shape[-1])])
    unknown = np.full(total.shape, np.nan)
    return np.asarray(np.divide(found.reshape(total.shape), total, out=unknown, where=total > 0))
