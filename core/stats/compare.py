"""Two samples against each other, and many tests at once.

The formulas are those of ``scipy.stats.mannwhitneyu(method="asymptotic")`` and statsmodels'
Holm, over many rows at once and without the second that importing either takes when a page
opens; the tests hold them to both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class MannWhitney:
    """One test a row. ``p`` is 1 where all values of a row are equal: no evidence either way."""

    n_a: int
    n_b: int
    u: Floats
    p: Floats
    rank_biserial: Floats


def row_ranks(values: Floats) -> Floats:
    """Ranks from 1 within each row of (rows, columns); ties share their mean rank."""
    if len(values) > 1 or np.isnan(values).any():
        return np.asarray(pd.DataFrame(values).rank(axis=1).to_numpy(dtype=float))
    # One row, as most are asked for: a tenth of the time.
    _, group, sizes = np.unique(values[0], return_inverse=True, return_counts=True)
    means = np.cumsum(sizes) - (sizes - 1) / 2
    return np.asarray(means[group].reshape(values.shape))


def mann_whitney(a: Floats, b: Floats) -> MannWhitney:
    """Mann–Whitney U of each row of ``a`` (rows, n_a) against the same row of ``b`` (rows, n_b).

    Two-sided, asymptotic, with tie correction and continuity correction. ``u`` is that of
    ``a``: the number of pairs in which a exceeds b, ties counting one half, from 0 to
    n_a·n_b. ``rank_biserial`` = 2u/(n_a·n_b) − 1, from −1 to 1, positive where a is higher.
    Neither sample may be empty.
    """
    n_a, n_b = a.shape[1], b.shape[1]
    if not n_a or not n_b:
        raise ValueError("Mann–Whitney needs at least one value on either side")
    n = n_a + n_b
    ranks = row_ranks(np.concatenate([a, b], axis=1))
    u = ranks[:, :n_a].sum(axis=1) - n_a * (n_a + 1) / 2
    # Σ(t³ − t) over groups of ties, from the sum of squared mean ranks.
    ties = 2 * n * (n + 1) * (2 * n + 1) - 12 * (ranks**2).sum(axis=1)
    spread = np.sqrt(np.maximum(n_a * n_b / 12 * ((n + 1) - ties / (n * (n - 1))), 0))
    excess = np.maximum(u, n_a * n_b - u) - n_a * n_b / 2 - 0.5
    z = np.divide(excess, spread, out=np.full_like(u, -np.inf), where=spread > 1e-12)
    return MannWhitney(
        n_a=n_a,
        n_b=n_b,
        u=u,
        p=np.minimum(2 * upper_tail(z), 1.0),
        rank_biserial=2 * u / (n_a * n_b) - 1,
    )


def upper_tail(z: Floats) -> Floats:
    """Probability that a standard normal exceeds ``z``."""
    from scipy.special import ndtr

    return np.asarray(ndtr(-z), dtype=float)


def holm(p: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values; None stays None and does not count in the family.

    The i-th smallest of m is multiplied by m − i + 1, made monotone and capped at 1.
    Source: Holm (1979).
    """
    known = [place for place, value in enumerate(p) if value is not None]
    adjusted: list[float | None] = [None] * len(p)
    values = holm_rows(np.array([[p[place] for place in known]], dtype=float))[0]
    for place, value in zip(known, values.tolist(), strict=True):
        adjusted[place] = value
    return adjusted


def holm_rows(p: Floats) -> Floats:
    """Holm within each row of (rows, tests); nan stays nan and does not count in the family."""
    order = np.argsort(p, axis=1, kind="stable")
    ordered = np.take_along_axis(p, order, axis=1)
    known = ~np.isnan(ordered)
    left = known.sum(axis=1)[:, None] - np.arange(p.shape[1])[None, :]
    scaled = np.where(known, ordered * left, -np.inf)
    stepped = np.minimum(np.maximum.accumulate(scaled, axis=1), 1.0)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.where(known, stepped, np.nan), axis=1)
    return adjusted
