"""Agreement on order: Kendall's W of several judges, Spearman's ρ of two.

Bootstrap draws are told as whole-number weights of the units. The average rank of a value under
weights is the weight below it plus half of its own, so one sort serves every draw.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.stats.agreement.estimate import Estimate, Floats, bootstrapped, ratio
from core.stats.resample import BLOCK, Draws

CONSTANT = "a judge gave the same mark to all units, so it has no order"


@dataclass(frozen=True, kw_only=True)
class Concordance:
    """Kendall's W with its test; ``left_out`` counts units with a mark missing."""

    w: Estimate
    chi_square: float | None
    p: float | None
    judges: int
    left_out: int


@dataclass(frozen=True, kw_only=True)
class RankCorrelation:
    """Spearman's ρ with its two-sided p (Student's t)."""

    rho: Estimate
    p: float | None


def kendall_w(marks: Floats, draws: Draws | None = None) -> Concordance:
    """Kendall's W of marks (n units, m judges), ties corrected, over units that all marked.

    12 S / (m² (n³ − n) − m Σ_j Σ (t³ − t)), S the squared deviations of the rank sums; 0 no
    concordance, 1 the same order; p from χ² = m (n − 1) W (Kendall 1970; Siegel 1956). Undefined
    with fewer than two judges or two units, or where no judge tells any units apart. Interval:
    bootstrap, where draws over the rows of ``marks`` are given.
    """
    whole = np.asarray(np.isfinite(marks).all(axis=1))
    held = marks[whole]
    n, m = held.shape
    left_out = int((~whole).sum())
    if n < 2 or m < 2:
        short = "fewer than two judges" if m < 2 else f"{n} units were marked by all {m}"
        w = Estimate.missing(f"{short}: needs two of each", n)
        return Concordance(w=w, chi_square=None, p=None, judges=m, left_out=left_out)
    value = float(_w(held, np.ones((1, n)))[0])
    drawn = None if draws is None else by_block(_w, held, draws, whole)
    reason = "no judge tells any two units apart"
    w = bootstrapped(value, drawn, n=n, draws=draws, undefined=reason)
    if w.value is None:
        return Concordance(w=w, chi_square=None, p=None, judges=m, left_out=left_out)
    from scipy.special import chdtrc

    chi_square = m * (n - 1) * value
    p = float(chdtrc(n - 1, chi_square))
    return Concordance(w=w, chi_square=chi_square, p=p, judges=m, left_out=left_out)


def spearman(a: Floats, b: Floats, draws: Draws | None = None) -> RankCorrelation:
    """Spearman's ρ of two judges' marks over the units that both marked; −1 to 1.

    Ties share their average rank. Undefined with fewer than three units or where a judge is
    constant. p from Student's t as in scipy; interval: bootstrap, where draws are given.
    """
    both = np.isfinite(a) & np.isfinite(b)
    held = np.stack([a[both], b[both]], axis=1)
    n = len(held)
    if n < 3:
        return RankCorrelation(rho=Estimate.missing("fewer than three units", n), p=None)
    value = float(_rho(held, np.ones((1, n)))[0])
    drawn = None if draws is None else by_block(_rho, held, draws, both)
    rho = bootstrapped(value, drawn, n=n, draws=draws, undefined=CONSTANT)
    if rho.value is None:
        return RankCorrelation(rho=rho, p=None)
    from scipy.stats import spearmanr

    return RankCorrelation(rho=rho, p=float(spearmanr(held[:, 0], held[:, 1]).pvalue))


def weighted_ranks(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Average ranks of ``values`` (n,) under weights (draws, n), and Σ (t³ − t) of each draw."""
    _, place = np.unique(values, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    totals = np.add.reduceat(weights[:, order], starts, axis=1)
    ends = np.cumsum(totals, axis=1)
    ranks = (ends - totals / 2 + 0.5)[:, place]
    return ranks, (totals**3 - totals).sum(axis=1)


def weighted_correlation(a: Floats, b: Floats, weights: Floats) -> Floats:
    """Pearson's r of each draw's rows of ``a`` and ``b`` (draws, n) under its weights."""
    total = weights.sum(axis=1)
    mean_a = ratio(np.einsum("dn,dn->d", weights, a), total)
    mean_b = ratio(np.einsum("dn,dn->d", weights, b), total)
    a, b = a - mean_a[:, None], b - mean_b[:, None]
    heavy = weights * a
    product = np.einsum("dn,dn->d", heavy, b)
    squares = np.einsum("dn,dn->d", heavy, a) * np.einsum("dn,dn,dn->d", weights, b, b)
    return np.clip(ratio(product, np.sqrt(squares)), -1.0, 1.0)


def _rho(marks: Floats, weights: Floats) -> Floats:
    ranks = [weighted_ranks(marks[:, column], weights)[0] for column in (0, 1)]
    return weighted_correlation(ranks[0], ranks[1], weights)


def _w(marks: Floats, weights: Floats) -> Floats:
    n, m = weights.sum(axis=1), marks.shape[1]
    sums = np.zeros_like(weights)
    ties = np.zeros(len(weights))
    for column in range(m):
        ranks, tied = weighted_ranks(marks[:, column], weights)
        sums += ranks
        ties += tied
    centred = sums - (m * (n + 1) / 2)[:, None]
    spread = (weights * centred**2).sum(axis=1)
    return ratio(12 * spread, m**2 * (n**3 - n) - m * ties)


def by_block(
    statistic: Callable[[Floats, Floats], Floats],
    marks: Floats,
    draws: Draws,
    chosen: NDArray[np.bool_],
) -> Floats:
    """A statistic of ``marks`` under every draw, so many at a time that memory stays bounded.

    ``chosen`` are the drawn units that the rows of ``marks`` belong to.
    """
    size = max(1, BLOCK // max(1, len(marks)))
    cluster = draws.cluster[chosen]
    parts = [
        statistic(marks, draws.counts[start : start + size, cluster])
        for start in range(0, len(draws.counts), size)
    ]
    return np.concatenate(parts)
