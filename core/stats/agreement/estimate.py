"""One estimated number, and how the bootstrap gives it an interval where no formula does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.stats.resample import Draws, draw_topics, percentile_interval

Floats = NDArray[np.float64]
NO_INTERVAL = "no interval"
ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A value with its interval at 95 %, how many units it rests on, and why it may be missing.

    ``interval`` names how ``low`` and ``high`` were found. Where ``value`` is None,
    ``undefined`` says why; where only the interval is missing, ``interval`` says why.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int
    interval: str = NO_INTERVAL
    undefined: str | None = None

    @classmethod
    def missing(cls, reason: str, n: int = 0) -> Estimate:
        """An estimate that cannot be made, and why."""
        return cls(value=None, n=n, undefined=reason)


def draw_units(topics: Sequence[str] | NDArray[Any], *, draws: int, seed: int) -> Draws:
    """Bootstrap draws over units: whole topics, or the units where there is one topic only."""
    return draw_topics(list(topics), [""] * len(topics), draws=draws, seed=seed)


def drawn_sums(draws: Draws, values: NDArray[Any]) -> Floats:
    """Sums of per-unit values (n, …) in every draw: (draws, …)."""
    values = np.asarray(values, dtype=float)
    totals = np.zeros((draws.counts.shape[1], *values.shape[1:]))
    np.add.at(totals, draws.cluster, values)
    return np.tensordot(draws.counts, totals, axes=1)


def bootstrapped(
    value: float, drawn: Floats | None, *, n: int, draws: Draws | None, undefined: str
) -> Estimate:
    """An estimate with a percentile interval; ``undefined`` is the reason where value is nan.

    ``drawn`` holds the statistic in every draw, nan where it does not exist.
    """
    if not np.isfinite(value):
        return Estimate.missing(undefined, n)
    if drawn is None or draws is None:
        return Estimate(value=float(value), n=n)
    method = f"bootstrap over {draws.drawn}"
    found = percentile_interval(drawn[:, None])
    if np.isnan(found.low[0]):
        share = f"{found.left_out[0]:.0%}"
        return Estimate(value=float(value), n=n, interval=f"{method}: undefined in {share} of it")
    low, high = float(found.low[0]), float(found.high[0])
    return Estimate(value=float(value), low=low, high=high, n=n, interval=method)


def ratio(above: Any, below: Any) -> Floats:
    """above / below, nan where below is 0 (to rounding) or either is nan; no warning."""
    above, below = np.broadcast_arrays(np.asarray(above, float), np.asarray(below, float))
    fit = np.isfinite(above) & np.isfinite(below) & (np.abs(below) > ROUNDING)
    found: Floats = np.divide(above, below, out=np.full(above.shape, np.nan), where=fit)
    return found
