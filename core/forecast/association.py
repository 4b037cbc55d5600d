"""A measure of forecasts against being credited: correlation, partial correlation, matching."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import MEASURE_BINS
from core.forecast.diagnosed import Association, RateBin
from core.stats.resample import draw_topics, percentile_interval

Floats = NDArray[np.float64]
LEAST = 3
_SMALL = 1e-12
_LENGTHS = ("words", "method_words", "key_terms")


@dataclass(frozen=True, kw_only=True, eq=False)
class Resampling:
    """Topics drawn with replacement: ``counts`` (draws, clusters), each row's ``cluster``."""

    counts: Floats
    cluster: NDArray[np.int64]
    drawn: str

    def totals(self, columns: Floats) -> Floats:
        """Sums over every draw of ``columns`` (rows, k): (draws, k)."""
        clusters = self.counts.shape[1]
        sums = np.array(
            [np.bincount(self.cluster, column, minlength=clusters) for column in columns.T]
        ).T
        return np.asarray(self.counts @ sums)


def resampling(topics: Sequence[str], *, draws: int, seed: int) -> Resampling:
    """As every interval of forecasts: topics, or rows where there is one topic only."""
    found = draw_topics(list(topics), [""] * len(topics), draws=draws, seed=seed)
    return Resampling(counts=found.counts, cluster=found.cluster, drawn=found.drawn)


def controls_of(measure: str) -> tuple[str, ...]:
    """What is taken out of a measure and of credit: length, pool size and rank, save what the
    measure itself is."""
    if measure in _LENGTHS:
        return ("pool_size", "rank")
    if measure == "pool_size":
        return ("words", "rank")
    return ("words", "pool_size", "rank")


def associate(
    frame: pd.DataFrame, measure: str, judge: str, *, draws: int, seed: int
) -> Association:
    """One measure and judge; ``frame`` as in :class:`~core.forecast.measures.Measured`.

    Pearson's r of the measure with credited (0 or 1), −1 to 1. Pool sizes and lengths enter as
    controls by ln(1 + x). Strata of the matched comparison: the same topic and cutoff, so the
    same target pool; for ``pool_size``, which is one to a pool, the same system and topic.
    """
    controls = controls_of(measure)
    columns = list(dict.fromkeys(["credited", measure, *controls]))
    rows = frame[(frame["judge"] == judge) & frame[columns].notna().all(axis=1)]
    rows = rows.sort_values(["topic", "cutoff", "system", "rank"])
    within = ("system", "topic") if measure == "pool_size" else ("topic", "cutoff")
    x, y = rows[measure].to_numpy(float), rows["credited"].to_numpy(float)
    undefined = None
    if len(rows) < LEAST:
        undefined = f"fewer than {LEAST} forecasts have both (n = {len(rows)})"
    elif np.ptp(x) == 0:
        undefined = f"constant: every forecast has the same {measure}"
    elif np.ptp(y) == 0:
        undefined = "constant: all forecasts are credited or none is"
    if undefined is not None:
        return _unknown(measure, judge, len(rows), controls, within, undefined)
    again = resampling(rows["topic"].tolist(), draws=draws, seed=seed)
    r, low, high = _pearson(x, y, again)
    basis = np.column_stack([np.ones(len(rows)), *(_control(rows, name) for name in controls)])
    partial, p_low, p_high = _pearson(_residual(x, basis), _residual(y, basis), again)
    matched, m_low, m_high, strata = _matched(rows, x, y, list(within), again)
    return Association(
        measure=measure,
        judge=judge,
        n=len(rows),
        r=r,
        low=low,
        high=high,
        partial=partial,
        partial_low=p_low,
        partial_high=p_high,
        controls=controls,
        matched=matched,
        matched_low=m_low,
        matched_high=m_high,
        within=" and ".join(within),
        strata=strata,
        undefined=None,
    )


def rate_bins(frame: pd.DataFrame, measure: str, judge: str) -> tuple[RateBin, ...]:
    """Rates in up to five bins between the measure's quantiles; equal values share a bin."""
    rows = frame[(frame["judge"] == judge) & frame[["credited", measure]].notna().all(axis=1)]
    if rows.empty:
        return ()
    x, y = rows[measure].to_numpy(float), rows["credited"].to_numpy(float)
    inner = np.quantile(x, np.arange(1, MEASURE_BINS) / MEASURE_BINS)
    bins = np.searchsorted(np.unique(inner), x, side="left")
    found = []
    for place, number in enumerate(np.unique(bins), start=1):
        own = bins == number
        found.append(
            RateBin(
                measure=measure,
                judge=judge,
                bin=place,
                low=float(x[own].min()),
                high=float(x[own].max()),
                n=int(own.sum()),
                rate=float(y[own].mean()),
            )
        )
    return tuple(found)


def _control(rows: pd.DataFrame, name: str) -> Floats:
    values = rows[name].to_numpy(float)
    return values if name == "rank" else np.asarray(np.log1p(values))


def _residual(values: Floats, basis: Floats) -> Floats:
    return np.asarray(values - basis @ np.linalg.lstsq(basis, values, rcond=None)[0])


def _pearson(
    x: Floats, y: Floats, again: Resampling
) -> tuple[float | None, float | None, float | None]:
    """r with its percentile interval; None where either side is constant."""
    x, y = x - x.mean(), y - y.mean()
    scale_x, scale_y = np.sqrt((x**2).mean()), np.sqrt((y**2).mean())
    if scale_x < _SMALL or scale_y < _SMALL:
        return None, None, None
    x, y = x / scale_x, y / scale_y
    sums = again.totals(np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y]))
    n, sx, sy, sxx, syy, sxy = sums.T
    spread = np.maximum(n * sxx - sx**2, 0) * np.maximum(n * syy - sy**2, 0)
    fit = spread > _SMALL
    drawn = np.divide(n * sxy - sx * sy, np.sqrt(spread), out=np.full(len(n), np.nan), where=fit)
    band = percentile_interval(drawn[:, None])
    return float((x * y).mean()), _known(band.low[0]), _known(band.high[0])


def _matched(
    rows: pd.DataFrame, x: Floats, y: Floats, within: list[str], again: Resampling
) -> tuple[float | None, float | None, float | None, int]:
    """Mean difference in rate within strata, above the median less at most it, weighted by the
    smaller side's size; its interval; how many strata hold both sides. Where nothing is above
    the median, at least it is held against below it."""
    high = x > np.median(x)
    if not high.any():
        high = x >= np.median(x)
    strata = rows.groupby(within, sort=True).ngroup().to_numpy()
    count = int(strata.max()) + 1
    n_high = np.bincount(strata, high, minlength=count)
    n_low = np.bincount(strata, ~high, minlength=count)
    both = (n_high > 0) & (n_low > 0)
    if not both.any():
        return None, None, None, 0
    mean_high = np.bincount(strata, y * high, minlength=count) / np.maximum(n_high, 1)
    mean_low = np.bincount(strata, y * ~high, minlength=count) / np.maximum(n_low, 1)
    weight = np.where(both, np.minimum(n_high, n_low), 0.0)
    gap = np.where(both, mean_high - mean_low, 0.0)
    value = float((weight * gap).sum() / weight.sum())
    if again.drawn != "topics":
        return value, None, None, int(both.sum())
    first = np.zeros(len(rows))
    second = np.zeros(len(rows))
    place = np.unique(strata, return_index=True)[1]
    first[place], second[place] = weight * gap, weight
    sums = again.totals(np.column_stack([first, second]))
    drawn = np.divide(sums[:, 0], sums[:, 1], out=np.full(len(sums), np.nan), where=sums[:, 1] > 0)
    band = percentile_interval(drawn[:, None])
    return value, _known(band.low[0]), _known(band.high[0]), int(both.sum())


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _unknown(
    measure: str,
    judge: str,
    n: int,
    controls: tuple[str, ...],
    within: tuple[str, ...],
    undefined: str,
) -> Association:
    return Association(
        measure=measure,
        judge=judge,
        n=n,
        r=None,
        low=None,
        high=None,
        partial=None,
        partial_low=None,
        partial_high=None,
        controls=controls,
        matched=None,
        matched_low=None,
        matched_high=None,
        within=" and ".join(within),
        strata=0,
        undefined=undefined,
    )
