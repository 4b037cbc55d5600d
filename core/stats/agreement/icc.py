"""Intraclass correlations: how far marks of one unit resemble each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.config import CONFIDENCE
from core.stats.agreement.estimate import Estimate, Floats

F_INTERVAL = "F distribution (McGraw & Wong 1996)"
TWO_UNITS = "needs two units with two marks each"
ALL_EQUAL = "all marks are the same, so there is no variance to part"
NO_SPREAD = "the units' means do not vary more than chance allows, so the ratio has no sense"


@dataclass(frozen=True, kw_only=True)
class OneWay:
    """One-way analysis of variance of units with any number of marks each.

    ``icc1`` is ICC(1); ``within_sd`` the pooled standard deviation of a unit's marks,
    √MS_within, in the marks' own unit; ``marks`` the mean number of marks that the formula uses.
    """

    n: int
    marks: float | None
    between: float | None
    within: float | None
    within_sd: float | None
    icc1: Estimate


@dataclass(frozen=True, kw_only=True)
class TwoWay:
    """Two-way analysis of variance of the units that every column marked.

    ``left_out`` counts units with a mark missing. ``rows``, ``columns``, ``error`` are mean
    squares of units, of columns (judges or repeats), and of what is left.
    """

    n: int
    k: int
    left_out: int
    rows: float | None
    columns: float | None
    error: float | None
    icc2_1: Estimate
    icc2_k: Estimate


def one_way(marks: Floats) -> OneWay:
    """ICC(1) of marks (n units, k), nan where missing; for repeats that have no order.

    (MS_b − MS_w)/(MS_b + (k₀ − 1) MS_w), k₀ the number of marks a unit, or
    (N − Σk²/N)/(n − 1) where units differ in it. From −1/(k₀ − 1) to 1, high is good (Shrout &
    Fleiss 1979, case 1). Units with fewer than two marks are left out. Undefined with fewer than
    two units, or where all marks are the same. Interval by the F distribution, approximate where
    units differ in their number of marks.
    """
    held = marks[np.isfinite(marks).sum(axis=1) >= 2] if marks.size else marks[:0]
    n = len(held)
    if n == 0:
        icc1 = Estimate.missing(TWO_UNITS)
        return OneWay(n=0, marks=None, between=None, within=None, within_sd=None, icc1=icc1)
    present = np.isfinite(held)
    number = present.sum(axis=1)
    total = int(number.sum())
    means = np.nansum(held, axis=1) / number
    within = float(np.nansum((held - means[:, None]) ** 2)) / (total - n)
    within = _settle(within, held)
    spread = float(np.sqrt(within))
    if n < 2:
        icc1 = Estimate.missing(TWO_UNITS, n)
        k = float(number[0])
        return OneWay(n=n, marks=k, between=None, within=within, within_sd=spread, icc1=icc1)
    k = (total - float((number**2).sum()) / total) / (n - 1)
    grand = float(np.nansum(held)) / total
    between = _settle(float((number * (means - grand) ** 2).sum()) / (n - 1), held)
    below = between + (k - 1) * within
    if below == 0:
        icc1 = Estimate.missing(ALL_EQUAL, n)
    else:
        low, high = _one_way_interval(between, within, k, n, total - n)
        value = (between - within) / below
        icc1 = Estimate(value=value, low=low, high=high, n=n, interval=F_INTERVAL)
    return OneWay(n=n, marks=k, between=between, within=within, within_sd=spread, icc1=icc1)


def two_way(marks: Floats) -> TwoWay:
    """ICC(2,1) and ICC(2,k) of marks (n units, k columns), over units without a missing mark.

    ICC(2,1) = (MS_r − MS_e)/(MS_r + (k − 1) MS_e + k (MS_c − MS_e)/n): absolute agreement of
    single marks; ICC(2,k) = (MS_r − MS_e)/(MS_r + (MS_c − MS_e)/n): of the mean of k. At most 1,
    high is good (Shrout & Fleiss 1979, case 2). Undefined with fewer than two whole units or two
    columns, or without variance. Interval by the F distribution.
    """
    whole = np.isfinite(marks).all(axis=1)
    held = marks[whole]
    n, k = held.shape
    left_out = int((~whole).sum())
    if n < 2 or k < 2:
        short = "fewer than two judges" if k < 2 else f"{n} units were marked by all {k}"
        lack = Estimate.missing(f"{short}: needs two of each", n)
        return TwoWay(
            n=n, k=k, left_out=left_out, rows=None, columns=None, error=None, icc2_1=lack,
            icc2_k=lack,
        )  # fmt: skip
    grand = held.mean()
    unit, column = held.mean(axis=1), held.mean(axis=0)
    rest = held - unit[:, None] - column[None, :] + grand
    rows = _settle(k * float(((unit - grand) ** 2).sum()) / (n - 1), held)
    columns = _settle(n * float(((column - grand) ** 2).sum()) / (k - 1), held)
    error = _settle(float((rest**2).sum()) / ((n - 1) * (k - 1)), held)
    if rows == columns == error == 0:
        single = mean = Estimate.missing(ALL_EQUAL, n)
    else:
        low, high = _two_way_interval(rows, columns, error, n, k)
        single = _bounded(rows - error, rows + (k - 1) * error + k * (columns - error) / n, n)
        mean = _bounded(rows - error, rows + (columns - error) / n, n)
        single = _with(single, low, high)
        mean = _with(mean, _spearman_brown(low, k), _spearman_brown(high, k))
    return TwoWay(
        n=n, k=k, left_out=left_out, rows=rows, columns=columns, error=error, icc2_1=single,
        icc2_k=mean,
    )  # fmt: skip


def _settle(square: float, marks: Floats) -> float:
    """A mean square that is 0 but for rounding, as 0."""
    scale = float(np.nanmax(np.abs(marks)))
    return 0.0 if square <= 1e-24 * max(1.0, scale**2) else square


def _bounded(above: float, below: float, n: int) -> Estimate:
    if below <= 1e-12:
        return Estimate.missing(NO_SPREAD, n)
    return Estimate(value=above / below, n=n)


def _with(estimate: Estimate, low: float | None, high: float | None) -> Estimate:
    if estimate.value is None:
        return estimate
    return Estimate(value=estimate.value, low=low, high=high, n=estimate.n, interval=F_INTERVAL)


def _one_way_interval(
    between: float, within: float, k: float, n: int, freedom: int
) -> tuple[float, float]:
    from scipy.special import fdtri

    if within == 0:
        return 1.0, 1.0
    upper = (1 + CONFIDENCE) / 2
    f = between / within
    low = f / fdtri(n - 1, freedom, upper)
    high = f * fdtri(freedom, n - 1, upper)
    return float((low - 1) / (low + k - 1)), float((high - 1) / (high + k - 1))


def _two_way_interval(
    rows: float, columns: float, error: float, n: int, k: int
) -> tuple[float | None, float | None]:
    """Shrout & Fleiss (1979), with Satterthwaite's degrees of freedom; both parts of the ratio
    are multiplied by MS_e² so that an error of 0 needs no case of its own."""
    from scipy.special import fdtri

    below = rows + (k - 1) * error + k * (columns - error) / n
    if below <= 0:
        return None, None
    icc = (rows - error) / below
    free = n * (1 + (k - 1) * icc) - k * icc
    above = (k - 1) * (n - 1) * (k * icc * columns + free * error) ** 2
    under = (n - 1) * (k * icc * columns) ** 2 + (free * error) ** 2
    if under == 0 or above == 0:
        return (1.0, 1.0) if error == 0 and columns == 0 else (None, None)
    freedom = above / under
    upper = (1 + CONFIDENCE) / 2
    f_low, f_high = float(fdtri(n - 1, freedom, upper)), float(fdtri(freedom, n - 1, upper))
    spread = k * columns + (k * n - k - n) * error
    low = n * (rows - f_low * error) / (f_low * spread + n * rows)
    high = n * (f_high * rows - error) / (spread + n * f_high * rows)
    return low, high


def _spearman_brown(icc: float | None, k: int) -> float | None:
    if icc is None or 1 + (k - 1) * icc <= 0:
        return None
    return k * icc / (1 + (k - 1) * icc)
