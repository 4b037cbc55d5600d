"""Spearman's rank correlation, over many rows at once and under the bootstrap.

The p-value is that of ``scipy.stats.spearmanr`` (Student's t with n − 2 degrees of freedom),
without the time that importing ``scipy.stats`` takes when a page opens; the tests hold it to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.stats.compare import row_ranks
from core.stats.resample import Draws, Floats

LEAST_PAIRS = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class Spearman:
    """ρ and two-sided p, one a row; nan where undefined. ``n`` is the number of pairs."""

    n: int
    rho: Floats
    p: Floats


def standard_ranks(values: Floats) -> Floats:
    """Ranks within each row, centred and of unit length; a constant row becomes nan."""
    ranks = row_ranks(values)
    centred = ranks - (values.shape[1] + 1) / 2
    length = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    unit = np.divide(centred, length, out=np.full_like(centred, np.nan), where=length > 0)
    return np.asarray(unit)


def spearman(x: Floats, y: Floats) -> Spearman:
    """ρ of each row of ``x`` (rows, n) with ``y`` (n,); ties share their mean rank.

    From −1 to 1. Undefined (nan) with fewer than 3 pairs, or where either side is constant:
    see :func:`why_undefined`.
    """
    n = x.shape[1]
    if n < LEAST_PAIRS:
        nothing = np.full(len(x), np.nan)
        return Spearman(n=n, rho=nothing, p=nothing)
    rho = rank_product(standard_ranks(x), standard_ranks(y[None, :])[0])
    return Spearman(n=n, rho=rho, p=spearman_p(rho, n))


def rank_product(x_ranks: Floats, y_ranks: Floats) -> Floats:
    """ρ from :func:`standard_ranks` of both sides: (rows, n) and (n,); rounding noise
    beside 0, 1 and −1 is taken off, since p hangs on it."""
    rho = np.clip(x_ranks @ y_ranks, -1, 1)
    whole = np.round(rho)
    return np.where(np.abs(rho - whole) < 1e-14, whole, rho)


def spearman_p(rho: Floats, n: int) -> Floats:
    """Two-sided p of ρ under no association, by Student's t with n − 2 degrees of freedom."""
    from scipy.special import stdtr

    freedom = n - 2
    room = (1 + rho) * (1 - rho)
    t = np.divide(
        np.abs(rho) * np.sqrt(freedom),
        np.sqrt(np.maximum(room, 0)),
        out=np.where(np.isnan(rho), np.nan, np.inf),
        where=room > 0,
    )
    return np.asarray(2 * stdtr(freedom, -t), dtype=float)


def why_undefined(x: Floats, y: Floats, x_name: str, y_name: str) -> str | None:
    """The reason why ρ of two samples is undefined, or None where it is defined."""
    if len(x) < LEAST_PAIRS:
        return f"fewer than {LEAST_PAIRS} ideas have both values (n = {len(x)})"
    for values, name in ((x, x_name), (y, y_name)):
        if np.ptp(values) == 0:
            return f"constant: {name} has the same value for all {len(x)} ideas"
    return None


def drawn_ranks(values: Floats, chosen: NDArray[np.bool_], draws: Draws) -> Floats:
    """Ranks of ``values`` within every draw, centred and of unit length, (draws, n chosen).

    A unit drawn w times stands w times in the sample. Its mean rank there is a sum over
    clusters, Σ count · (values below + half of those equal) + ½, so one product gives the ranks
    of all draws. Draws in which the values are constant are nan.
    """
    own = values[chosen]
    cluster = draws.cluster[chosen]
    below = (own[:, None] < own[None, :]) + 0.5 * (own[:, None] == own[None, :])
    share = np.zeros((draws.counts.shape[1], len(own)))
    np.add.at(share, cluster, below.astype(float))
    weights = draws.counts[:, cluster]
    centred = draws.counts @ share - weights.sum(axis=1, keepdims=True) / 2
    length = np.sqrt((weights * centred**2).sum(axis=1, keepdims=True))
    fit = length > 1e-9
    return np.asarray(np.divide(centred, length, out=np.full_like(centred, np.nan), where=fit))
