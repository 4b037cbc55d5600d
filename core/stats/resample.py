"""The bootstrap: clusters drawn with replacement, as one matrix of counts.

A draw is a row of counts, one for each cluster. Sums over drawn units are then products of that
matrix with sums by cluster, so no unit is ever copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.config import CONFIDENCE, UNDEFINED_DRAWS

Floats = NDArray[np.float64]
BLOCK = 2_000_000
"""Numbers held at once where draws meet many columns; larger work is cut into blocks."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Draws:
    """Bootstrap draws over units (ideas).

    ``counts``: (draws, clusters), how often each cluster was drawn. ``cluster``: (units,), the
    cluster of each unit. ``drawn``: 'topics', or 'ideas' where there is one topic only.
    """

    counts: Floats
    cluster: NDArray[np.int64]
    drawn: str
    seed: int

    @property
    def weights(self) -> Floats:
        """How often each unit was drawn, (draws, units)."""
        return self.counts[:, self.cluster]

    def sums(self, values: Floats) -> Floats:
        """Sums by cluster of ``values`` (units, columns), (clusters, columns)."""
        member = np.zeros((self.counts.shape[1], len(self.cluster)))
        member[self.cluster, np.arange(len(self.cluster))] = 1.0
        return np.asarray(member @ values)

    def means(self, values: Floats, chosen: NDArray[np.bool_]) -> Floats:
        """Mean over the drawn units among ``chosen``, (draws, columns); nan where none is drawn.

        ``values`` is (units, columns), ``chosen`` (units,).
        """
        total = self.counts @ self.sums(np.where(chosen[:, None], values, 0.0))
        n = self.counts @ self.sums(chosen[:, None].astype(float))
        return np.divide(total, n, out=np.full_like(total, np.nan), where=n > 0)


def draw_topics(topics: Sequence[str], strata: Sequence[str], *, draws: int, seed: int) -> Draws:
    """Draw topics with replacement and take all ideas of a drawn topic.

    With one topic, ideas are drawn instead, within each of ``strata`` (systems), so that every
    draw has as many ideas of each system as the study. Names are sorted first: the order of
    rows plays no part where units come sorted.
    """
    names, cluster = np.unique(np.asarray(topics, dtype=str), return_inverse=True)
    generator = np.random.default_rng(seed)
    if len(names) > 1:
        even = np.full(len(names), 1 / len(names))
        counts = generator.multinomial(len(names), even, size=draws)
        return Draws(
            counts=counts.astype(float),
            cluster=cluster.reshape(-1).astype(np.int64),
            drawn="topics",
            seed=seed,
        )
    counts = np.zeros((draws, len(cluster)), dtype=np.int64)
    groups = np.asarray(strata, dtype=str)
    for name in np.unique(groups):
        own = np.flatnonzero(groups == name)
        counts[:, own] = generator.multinomial(
            len(own), np.full(len(own), 1 / len(own)), size=draws
        )
    return Draws(
        counts=counts.astype(float), cluster=np.arange(len(cluster)), drawn="ideas", seed=seed
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Interval:
    """Percentile intervals by column: ``low`` and ``high`` (nan where undefined), and the share
    of draws in which the quantity was undefined and which were left out."""

    low: Floats
    high: Floats
    left_out: Floats


def percentile_interval(values: Floats) -> Interval:
    """The 95 % percentile interval of each column of ``values`` (draws, columns).

    Quantiles 2.5 % and 97.5 % by linear interpolation. Draws that are nan are left out and
    their share is given; where it exceeds ``core.config.UNDEFINED_DRAWS`` the interval is
    undefined (nan), because what remains is no fair sample.
    """
    drawn = np.ascontiguousarray(values.T)
    draws = drawn.shape[1]
    n = draws - np.isnan(drawn).sum(axis=1)
    left_out = 1 - n / draws
    defined = (left_out <= UNDEFINED_DRAWS) & (n > 0)
    tail = (1 - CONFIDENCE) / 2
    last = np.maximum(n - 1, 0)
    places = [share * last for share in (tail, 1 - tail)]
    needed = np.unique(np.floor(places)).astype(np.int64)
    if 0 < len(needed) <= len(places):
        # All rows need the same few places: putting those right takes half a sort's time.
        ends = np.unique([needed, np.minimum(needed + 1, draws - 1)])
        ordered = np.partition(drawn, ends, axis=1)
    else:
        ordered = np.sort(drawn, axis=1)
    bounds = []
    rows = np.arange(len(ordered))
    for place in places:
        below = np.floor(place).astype(np.int64)
        above = np.minimum(below + 1, last)
        low, high = ordered[rows, below], ordered[rows, above]
        with np.errstate(invalid="ignore"):
            bounds.append(np.where(defined, low + (high - low) * (place - below), np.nan))
    return Interval(low=bounds[0], high=bounds[1], left_out=left_out)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """``numerator / denominator``, nan where the denominator is 0 or either is nan."""
    fit = np.isfinite(numerator) & np.isfinite(denominator) & (denominator != 0)
    return np.divide(numerator, denominator, out=np.full_like(numerator, np.nan), where=fit)
