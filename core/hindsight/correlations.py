"""Spearman's ρ of HindSight with what the judges said, within each system."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.config import JUDGE_DIMENSIONS, UNDEFINED_DRAWS, Settings
from core.hindsight.marks import Marks
from core.hindsight.memo import once_per_study
from core.hindsight.panel import Ideas, ideas_of
from core.hindsight.results import Correlation
from core.stats.compare import holm
from core.stats.correlate import drawn_ranks, spearman, why_undefined
from core.stats.resample import BLOCK, Draws, draw_topics, percentile_interval
from core.study import Study

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
_KEPT = 10_000_000
"""Numbers that may be kept for the next θ: judges' ranks in every draw."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Family:
    """One correlation to work out: where, with whom, over which ideas."""

    system: str
    judge: str
    dimension: str
    chosen: Mask
    marks: Floats


def correlations(
    study: Study, settings: Settings, scores: Floats, ideas: Ideas, judged: Marks, draws: Draws
) -> tuple[Correlation, ...]:
    """ρ in [−1, 1] for each system, reported judge and dimension; p adjusted over all of them.

    'all' is the mean over judges; each judge follows where there is more than one. Ideas that
    lack either value are left out. The interval draws topics; draws in which a side is constant
    are left out, and from 5 % on the interval is undefined.
    """
    family = list(correlation_family(ideas, judged, settings))
    rows = [_one(scores, member) for member in family]
    defined = [place for place, row in enumerate(rows) if row.rho is not None]
    drawn = _drawn(study, settings, scores, [family[place] for place in defined], draws)
    if defined:
        interval = percentile_interval(drawn)
        for column, place in enumerate(defined):
            low, high = float(interval.low[column]), float(interval.high[column])
            lost = float(interval.left_out[column])
            rows[place] = replace(
                rows[place],
                rho_low=low if np.isfinite(low) else None,
                rho_high=high if np.isfinite(high) else None,
                undefined=f"interval: {lost:.0%} of draws are constant"
                if lost > UNDEFINED_DRAWS
                else None,
            )
    adjusted = holm([row.p for row in rows])
    return tuple(replace(row, p_adjusted=p) for row, p in zip(rows, adjusted, strict=True))


def correlation_family(ideas: Ideas, judged: Marks, settings: Settings) -> Iterator[_Family]:
    """Every correlation of one result, systems first, then judges, then dimensions."""
    for system in ideas.systems:
        own = ideas.of(system)
        for judge in judged.reported(settings):
            values = judged.of(judge)
            for place, dimension in enumerate(JUDGE_DIMENSIONS):
                yield _Family(
                    system=system,
                    judge=judge,
                    dimension=dimension,
                    chosen=own & np.isfinite(values[:, place]),
                    marks=values[:, place],
                )


def _one(scores: Floats, member: _Family) -> Correlation:
    chosen = member.chosen & np.isfinite(scores)
    x, y = scores[chosen], member.marks[chosen]
    reason = why_undefined(x, y, "HindSight", member.dimension)
    rho = p = None
    if reason is None:
        found = spearman(x[None, :], y)
        rho, p = float(found.rho[0]), float(found.p[0])
    return Correlation(
        system=member.system,
        judge=member.judge,
        dimension=member.dimension,
        n=len(x),
        rho=rho,
        rho_low=None,
        rho_high=None,
        p=p,
        p_adjusted=None,
        undefined=reason,
    )


def _drawn(
    study: Study, settings: Settings, scores: Floats, family: list[_Family], draws: Draws
) -> Floats:
    """ρ of each member in every draw, (draws, members)."""
    total = len(draws.counts)
    result = np.empty((total, len(family)))
    size = sum(int(member.chosen.sum()) for member in family) * total
    step = total if size <= _KEPT else max(1, BLOCK // max(len(scores), 1))
    for start in range(0, total, step):
        part = replace(draws, counts=draws.counts[start : start + step])
        own: dict[bytes, Floats] = {}
        for column, member in enumerate(family):
            name = member.chosen.tobytes()
            if name not in own:
                own[name] = drawn_ranks(scores, member.chosen, part)
            if step == total:
                theirs = _judge_ranks(
                    study, member.system, member.judge, member.dimension, total, settings.seed
                )
            else:
                theirs = weighted_ranks(member.marks, member.chosen, part)
            result[start : start + step, column] = np.einsum("di,di->d", own[name], theirs)
    return result


@once_per_study(256)
def _judge_ranks(
    study: Study, system: str, judge: str, dimension: str, draws: int, seed: int
) -> Floats:
    from core.hindsight.marks import marks

    ideas = ideas_of(study)
    values = marks(study).of(judge)[:, JUDGE_DIMENSIONS.index(dimension)]
    chosen = ideas.of(system) & np.isfinite(values)
    names = [ideas.systems[code] for code in ideas.system]
    drawn = draw_topics(ideas.topics, names, draws=draws, seed=seed)
    return weighted_ranks(values, chosen, drawn)


def weighted_ranks(values: Floats, chosen: Mask, draws: Draws) -> Floats:
    """Ranks in every draw times how often each idea was drawn, (draws, n chosen)."""
    return drawn_ranks(values, chosen, draws) * draws.counts[:, draws.cluster[chosen]]
