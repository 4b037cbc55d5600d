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


def coverage(places: Places, clusters: NDArray[np.int8], totals: Places) -> Floats:
    """Share of the target pool's clusters that hold a credited paper, 0 to 1; nan without any.

    ``clusters`` (…, slots, depth): the cluster of each candidate, −1 outside the pool;
    ``totals`` (…): how many clusters the pool has. Higher is broader.
    """
    at = np.maximum(places, 0)[..., None]
    own = np.take_along_axis(clusters, at, axis=-1)[..., 0].astype(np.int64)
    bits = np.where((places != NOT_CREDITED) & (own >= 0), 1 << np.maximum(own, 0), 0)
    found = np.bitwise_count(np.bitwise_or.reduce(bits, axis=-1))
    unknown = np.full(found.shape, np.nan)
    return np.asarray(np.divide(found, totals, out=unknown, where=totals > 0))
