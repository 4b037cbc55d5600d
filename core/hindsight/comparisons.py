"""Every pair of systems on HindSight and on each judge dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from core.config import UNDEFINED_DRAWS
from core.hindsight.panel import Ideas
from core.hindsight.results import Comparison
from core.stats.compare import holm, mann_whitney
from core.stats.resample import Draws, percentile_interval, ratio

Floats = NDArray[np.float64]


def value_means(values: Floats, ideas: Ideas, draws: Draws) -> Floats:
    """Mean of each metric and system in every draw, (metrics, systems, draws).

    ``values``: (ideas, metrics), nan where an idea has no value; nan where none was drawn.
    """
    metrics = values.shape[1]
    own = ideas.system[:, None] == np.arange(len(ideas.systems))[None, :]
    known = np.isfinite(values)
    inside = (own[:, None, :] & known[:, :, None]).reshape(
        len(values), metrics * len(ideas.systems)
    )
    filled = np.repeat(np.where(known, values, 0.0), len(ideas.systems), axis=1)
    total = draws.counts @ draws.sums(np.where(inside, filled, 0.0))
    n = draws.counts @ draws.sums(inside.astype(float))
    means = np.divide(total, n, out=np.full_like(total, np.nan), where=n > 0)
    return means.T.reshape(metrics, len(ideas.systems), len(draws.counts))


def comparisons(
    values: Floats, metrics: Sequence[str], ideas: Ideas, drawn: Floats
) -> tuple[Comparison, ...]:
    """System a against b, in alphabetical order, for each metric, p adjusted over all of them.

    Difference and ratio of means with 95 % intervals, Mann–Whitney U of a, rank-biserial
    2U/(n_a n_b) − 1 (positive: a higher). Ideas without a value are left out of that metric.
    A ratio whose denominator is 0 is undefined; draws in which it is are left out of its
    interval and their share is given, and from 5 % on the interval is undefined too.
    """
    rows = [
        _compare(values[:, place], metric, first, second, ideas, drawn[place])
        for first, second in combinations(range(len(ideas.systems)), 2)
        for place, metric in enumerate(metrics)
    ]
    adjusted = holm([row.p for row in rows])
    return tuple(replace(row, p_adjusted=p) for row, p in zip(rows, adjusted, strict=True))


def _compare(
    values: Floats, metric: str, first: int, second: int, ideas: Ideas, drawn: Floats
) -> Comparison:
    known = np.isfinite(values)
    a, b = (values[known & (ideas.system == code)] for code in (first, second))
    names = ideas.systems[first], ideas.systems[second]
    nothing = Comparison(
        a=names[0],
        b=names[1],
        metric=metric,
        n_a=len(a),
        n_b=len(b),
        difference=None,
        difference_low=None,
        difference_high=None,
        ratio=None,
        ratio_low=None,
        ratio_high=None,
        u=None,
        p=None,
        p_adjusted=None,
        rank_biserial=None,
        undefined=None,
    )
    bare = [name for name, own in zip(names, (a, b), strict=True) if not len(own)]
    if bare:
        return replace(nothing, undefined=f"no idea of {' or '.join(bare)} has a {metric} value")
    test = mann_whitney(a[None, :], b[None, :])
    difference, quotient = drawn[first] - drawn[second], ratio(drawn[first], drawn[second])
    both = percentile_interval(np.stack([difference, quotient], axis=1))
    low, high = ([_or_none(v) for v in side] for side in (both.low, both.high))
    mean_a, mean_b = float(a.mean()), float(b.mean())
    reasons = []
    left_out = float(both.left_out[1])
    if mean_b == 0:
        reasons.append(f"ratio: the mean of {names[1]} is 0")
        low[1] = high[1] = None
    elif left_out > UNDEFINED_DRAWS:
        reasons.append(f"interval of the ratio: {left_out:.0%} of draws have no ratio")
    if both.left_out[0] > UNDEFINED_DRAWS:
        reasons.append(f"interval of the difference: {both.left_out[0]:.0%} of draws lack a system")
    return replace(
        nothing,
        difference=mean_a - mean_b,
        difference_low=low[0],
        difference_high=high[0],
        ratio=mean_a / mean_b if mean_b != 0 else None,
        ratio_low=low[1],
        ratio_high=high[1],
        u=float(test.u[0]),
        p=float(test.p[0]),
        rank_biserial=float(test.rank_biserial[0]),
        undefined="; ".join(reasons) or None,
        draws_left_out=left_out,
    )


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
