"""Coefficients over units × categories that allow any number of judges and missing marks.

``counts`` has shape (n, Q): how many judges put unit i into category q. A unit that one judge
alone marked takes part in the shares π but not in the agreement, as Gwet (2014, ch. 2.5) has it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import CONFIDENCE
from core.stats.agreement.estimate import Estimate, Floats, bootstrapped, drawn_sums, ratio
from core.stats.agreement.tables import Weights, agreement_weights
from core.stats.resample import Draws

TOO_FEW = "no unit was marked by two judges"
ONE_CATEGORY = "all marks fall into one category, so chance alone would give full agreement"


def unit_counts(codes: NDArray[np.integer[Any]], size: int) -> Floats:
    """(n, Q) counts from (n, judges) category numbers; −1 is missing."""
    return np.stack([(codes == q).sum(axis=1) for q in range(size)], axis=1).astype(float)


def pairwise_agreement(counts: Floats, weights: Floats) -> Floats:
    """Each unit's share of agreeing pairs of judges; nan with fewer than two marks."""
    marks = counts.sum(axis=1)
    agreeing = (counts * (counts @ weights.T - 1)).sum(axis=1)
    return ratio(agreeing, marks * (marks - 1))


def gwet_ac(counts: Floats, kind: Weights = "plain") -> Estimate:
    """Gwet's AC1 (``kind`` plain) or AC2 (linear, quadratic).

    AC = (p_a − p_e)/(1 − p_e), p_e = T Σ π_q (1 − π_q) / (Q (Q − 1)) with T the sum of all
    weights (Q for AC1) and π_q the mean share of category q. Q is the declared scale's. Up to 1,
    high is good. Undefined without a unit that two judges marked. Interval: Gwet's variance with
    Student's t of n − 1 degrees of freedom, cut at 1 (Gwet 2008; 2014, ch. 5).
    """
    size = counts.shape[1]
    weights = agreement_weights(size, kind)
    agreeing, marks, n_pairable = _prepared(counts, weights)
    if n_pairable == 0:
        return Estimate.missing(TOO_FEW)
    counts = counts[marks > 0]
    marks = marks[marks > 0]
    n = len(marks)
    observed = float(np.nansum(agreeing)) / n_pairable
    pi = (counts / marks[:, None]).mean(axis=0)
    scale = float(weights.sum()) / (size * (size - 1))
    expected = scale * float((pi * (1 - pi)).sum())
    value = float((observed - expected) / (1 - expected))
    chance = scale * (counts @ (1 - pi)) / marks
    error = _standard_error(agreeing, chance, value, expected, n_pairable)
    return _student(value, error, n_pairable, n)


def fleiss_kappa(
    counts: Floats, *, kind: Weights = "plain", draws: Draws | None = None
) -> Estimate:
    """Fleiss' κ for several judges: p_e = Σ π_q² (with weights Σ w π π').

    (p_a − p_e)/(1 − p_e), at most 1, 0 is chance (Fleiss 1971); with missing marks the
    generalisation of Gwet (2014). Undefined where no unit has two marks or all marks fall into
    one category. Interval: bootstrap, where draws over the same units are given.
    """
    weights = agreement_weights(counts.shape[1], kind)
    marks = counts.sum(axis=1)
    agreeing = pairwise_agreement(counts, weights)
    pairable = np.isfinite(agreeing)
    marked = marks > 0
    parts = np.concatenate(
        [
            np.where(pairable, agreeing, 0)[:, None],
            pairable[:, None],
            marked[:, None],
            np.where(marked[:, None], counts / np.where(marked, marks, 1)[:, None], 0),
        ],
        axis=1,
    )
    n = int(pairable.sum())
    if n == 0:
        return Estimate.missing(TOO_FEW)
    value = float(_fleiss(parts.sum(axis=0), weights))
    drawn = _fleiss(drawn_sums(draws, parts), weights) if draws else None
    return bootstrapped(value, drawn, n=n, draws=draws, undefined=ONE_CATEGORY)


def _fleiss(sums: Floats, weights: Floats) -> Floats:
    observed = ratio(sums[..., 0], sums[..., 1])
    pi = ratio(sums[..., 3:], sums[..., 2][..., None])
    expected = np.einsum("...i,ij,...j->...", pi, weights, pi)
    return ratio(observed - expected, 1 - expected)


def _prepared(counts: Floats, weights: Floats) -> tuple[Floats, Floats, int]:
    marks = counts.sum(axis=1)
    agreeing = pairwise_agreement(counts, weights)[marks > 0]
    return agreeing, marks, int(np.isfinite(agreeing).sum())


def _standard_error(
    agreeing: Floats, chance: Floats, value: float, expected: float, n_pairable: int
) -> float:
    """Gwet's linearised standard error; each unit's term is its own share of the coefficient."""
    n = len(agreeing)
    pairable = np.isfinite(agreeing)
    if n < 2:
        return float("nan")
    terms = (n / n_pairable) * np.where(pairable, agreeing - expected, 0) / (1 - expected)
    terms = terms - 2 * (1 - value) * (chance - expected) / (1 - expected)
    return float(np.sqrt(((terms - value) ** 2).sum() / (n * (n - 1))))


def _student(value: float, error: float, n_pairable: int, n: int) -> Estimate:
    from scipy.special import stdtrit

    if not np.isfinite(error):
        return Estimate(value=value, n=n_pairable, interval="needs two units")
    reach = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * error
    return Estimate(
        value=value,
        low=value - reach,
        high=min(1.0, value + reach),
        n=n_pairable,
        interval="Gwet's variance, Student's t",
    )
