"""The table of two judges' categories, and what is read from it directly.

Every function takes counts of shape (…, Q, Q): rows are the first judge's categories, columns
the second's; leading axes are bootstrap draws. Undefined values are nan here and become None
with a reason in :mod:`core.stats.agreement.pair`.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from core.errors import UsageError, nearest
from core.stats.agreement.estimate import Floats, ratio

Weights = Literal["plain", "linear", "quadratic"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)


def cross_table(a: NDArray[np.integer[Any]], b: NDArray[np.integer[Any]], size: int) -> Floats:
    """Counts (Q, Q) of two judges' category numbers 0..Q−1; units that either lacks (−1) are out."""
    both = (a >= 0) & (b >= 0)
    counts = np.zeros((size, size))
    np.add.at(counts, (a[both], b[both]), 1)
    return counts


def agreement_weights(size: int, kind: Weights) -> Floats:
    """Weights (Q, Q) of agreement, 1 on the diagonal: 0, linear or quadratic away from it.

    linear 1 − |i − j|/(Q − 1); quadratic 1 − (i − j)²/(Q − 1)². Categories are taken as evenly
    spaced, as all our scales are.
    """
    if kind not in WEIGHTS:
        raise UsageError(f"No weights '{kind}'. {nearest(kind, WEIGHTS)}")
    if kind == "plain" or size < 2:
        return np.eye(size)
    steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / (size - 1)
    return 1 - (steps if kind == "linear" else steps**2)


def raw_agreement(counts: Floats, weights: Floats | None = None) -> Floats:
    """p_o: share of units on the diagonal (weighted where weights are given). 0 to 1, high is good.

    Undefined without a unit.
    """
    if weights is None:
        weights = np.eye(counts.shape[-1])
    return ratio((weights * counts).sum(axis=(-2, -1)), counts.sum(axis=(-2, -1)))


def category_shares(counts: Floats) -> tuple[Floats, Floats]:
    """Each judge's share of every category (prevalence), (…, Q) twice."""
    total = counts.sum(axis=(-2, -1))[..., None]
    return ratio(counts.sum(axis=-1), total), ratio(counts.sum(axis=-2), total)


def specific_agreement(counts: Floats) -> Floats:
    """Agreement on each category, (…, Q): 2 n_qq / (n_q· + n_·q) (Cicchetti & Feinstein 1990).

    For two categories these are positive and negative agreement: of all the times that one of
    the judges said q, the share in which the other did too. Undefined where neither used q.
    """
    diagonal = np.diagonal(counts, axis1=-2, axis2=-1)
    return ratio(2 * diagonal, counts.sum(axis=-1) + counts.sum(axis=-2))


def pabak(counts: Floats) -> Floats:
    """Prevalence- and bias-adjusted κ: (Q p_o − 1)/(Q − 1) (Byrt, Bishop & Carlin 1993).

    Q is the number of categories of the declared scale, used or not. −1/(Q − 1) to 1.
    """
    size = counts.shape[-1]
    return np.asarray((size * raw_agreement(counts) - 1) / (size - 1))


def kappa(counts: Floats, kind: Weights = "plain") -> Floats:
    """Cohen's κ = (p_o − p_e)/(1 − p_e) with weights; p_e from both judges' own shares.

    −1 to 1, 0 is what independent judges of these shares would reach (Cohen 1960, 1968).
    Undefined where a judge never varies: then p_o = p_e whatever the other does.
    """
    weights = agreement_weights(counts.shape[-1], kind)
    rows, columns = category_shares(counts)
    expected = np.einsum("...i,ij,...j->...", rows, weights, columns)
    varies = (np.nanmax(_filled(rows), -1) < 1) & (np.nanmax(_filled(columns), -1) < 1)
    value = ratio(raw_agreement(counts, weights) - expected, 1 - expected)
    return np.where(varies, value, np.nan)


def gwet(counts: Floats, kind: Weights = "plain") -> Floats:
    """Gwet's AC1 (plain) or AC2 of two judges' table: (p_o − p_e)/(1 − p_e).

    p_e = T Σ π_q (1 − π_q)/(Q (Q − 1)), T the sum of the weights and π_q the mean of both
    judges' shares (Gwet 2008, 2014). Its interval is in :func:`core.stats.agreement.gwet_ac`.
    """
    size = counts.shape[-1]
    weights = agreement_weights(size, kind)
    rows, columns = category_shares(counts)
    pi = (rows + columns) / 2
    expected = weights.sum() / (size * (size - 1)) * (pi * (1 - pi)).sum(axis=-1)
    return ratio(raw_agreement(counts, weights) - expected, 1 - expected)


def _filled(shares: Floats) -> Floats:
    return np.where(np.isnan(shares), 1.0, shares)
