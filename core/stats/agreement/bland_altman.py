"""Bland and Altman's limits of agreement of two judges who mark on one scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.config import CONFIDENCE
from core.stats.agreement.estimate import Estimate, Floats


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bias of a against b, and the limits that hold 95 % of their differences.

    All in the marks' own unit. ``bias`` is mean(a − b): above 0, a marks higher. ``lower`` and
    ``upper`` are bias ∓ 1.96 sd. ``slope`` is that of the differences on the means: away from
    0, the disagreement changes along the scale.
    """

    n: int
    sd: float | None
    bias: Estimate
    lower: Estimate
    upper: Estimate
    slope: float | None
    undefined: str | None


def bland_altman(a: Floats, b: Floats) -> Limits:
    """Bias and limits over the units that both marked (Bland & Altman 1986, 1999).

    Intervals by Student's t: the bias with sd/√n, a limit with sd √(1/n + z²/(2 (n − 1))).
    Undefined with fewer than two units.
    """
    both = np.isfinite(a) & np.isfinite(b)
    n = int(both.sum())
    if n < 2:
        reason = "fewer than two units were marked by both"
        lack = Estimate.missing(reason, n)
        return Limits(n=n, sd=None, bias=lack, lower=lack, upper=lack, slope=None, undefined=reason)
    from scipy.special import ndtri, stdtrit

    difference, mean = (a - b)[both], (a + b)[both] / 2
    bias, sd = float(difference.mean()), float(difference.std(ddof=1))
    z = float(ndtri((1 + CONFIDENCE) / 2))
    t = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2))
    reach = float(t * sd / np.sqrt(n))
    reach_limit = float(t * sd * np.sqrt(1 / n + z**2 / (2 * (n - 1))))
    spread = float(((mean - mean.mean()) ** 2).sum())
    slope = None
    if spread > 1e-12:
        slope = float(((mean - mean.mean()) * (difference - bias)).sum()) / spread
    return Limits(
        n=n,
        sd=sd,
        bias=_around(bias, reach, n),
        lower=_around(bias - z * sd, reach_limit, n),
        upper=_around(bias + z * sd, reach_limit, n),
        slope=slope,
        undefined=None,
    )


def _around(value: float, reach: float, n: int) -> Estimate:
    return Estimate(value=value, low=value - reach, high=value + reach, n=n, interval="Student's t")
