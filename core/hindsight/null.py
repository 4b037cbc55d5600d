"""What a system would score by chance: its ideas against papers of other topics.

A greatest impact over nine matches beats one over three by chance alone, so a score says little
without the score that the same ideas reach where they cannot have foreseen anything.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import Settings
from core.hindsight.impact import terms
from core.hindsight.panel import NO_TOPIC, Ideas, Panel, ideas_of, panel, prefix_scores
from core.hindsight.results import StudyInfo
from core.hindsight.score import bootstrap, study_info
from core.matching.pools import topic_masks
from core.stats.resample import Draws, percentile_interval
from core.study import Study

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class Null:
    """Scores against papers of the own topic, of all others, and of one other topic.

    ``rows``, one a system: system, n, own (mean score over candidates of the own topic), other
    (over candidates that carry other topics only), swapped (topics exchanged: the mean over all
    other topics of the score against that topic's papers), excess (own − swapped) with low and
    high, and match_rate_own, match_rate_other, match_rate_swapped.
    ``exact``: share of ideas for which the stored candidates hold every paper that could match.
    Where it is below 1 the true values of 'other' and 'swapped' may be higher.
    ``left_out``: ideas without a topic. ``undefined``: why there are no rows.
    """

    study: StudyInfo
    settings: Settings
    rows: pd.DataFrame
    exact: float | None
    left_out: int
    resampled: str
    undefined: str | None


_COLUMNS = ["system", "n", "own", "other", "swapped", "excess", "low", "high"]
_COLUMNS += ["match_rate_own", "match_rate_other", "match_rate_swapped"]


def null(study: Study, settings: Settings) -> Null:
    """Score every idea against papers of its own topic, of others, and of each other one.

    Each time the first K admitted candidates among those papers are taken, as in the score. The
    exchange of topics is worked out over all other topics, not drawn. Only stored candidates
    can be looked at: an idea is exact where its least similar stored candidate lies below θ, so
    that no paper that is not stored could match. Undefined with fewer than two topics, where
    papers carry no topics of the ideas', or where the search looked within topics only.
    """
    ideas = ideas_of(study)
    topics = sorted({topic for topic in ideas.topics if topic != NO_TOPIC})
    info = study.candidates_info
    found = panel(study, settings)
    carried = topic_masks(study.papers, topics)
    reason = None
    if len(topics) < 2:
        reason = "the ideas have fewer than two topics"
    elif not carried.any():
        reason = "no paper carries a topic of the ideas"
    elif settings.pool == "topic" or (info is not None and info.pool == "topic"):
        reason = "the pool holds the own topic's papers only; choose pool 'all'"
    has = np.array([topic != NO_TOPIC for topic in ideas.topics], dtype=bool)
    draws = bootstrap(study, settings.draws, settings.seed)
    rows: list[dict[str, object]] = []
    exact = None
    if reason is None:
        parts = _parts(study, settings, found, ideas, topics, carried)
        exact = float(_complete(found, settings)[has].mean())
        for name in ideas.systems:
            own = ideas.of(name) & has
            if own.any():
                rows.append(_row(name, own, parts, draws))
    return Null(
        study=study_info(study),
        settings=settings,
        rows=pd.DataFrame(rows, columns=_COLUMNS),
        exact=exact,
        left_out=int((~has).sum()),
        resampled=draws.drawn,
        undefined=reason,
    )


def _parts(
    study: Study,
    settings: Settings,
    found: Panel,
    ideas: Ideas,
    topics: list[str],
    carried: Mask,
) -> dict[str, tuple[Floats, Floats]]:
    """Scores and match flags of each idea, (ideas,), for 'own', 'other' and 'swapped'."""
    impact = terms(study, settings).impact
    code = np.array([topics.index(t) if t != NO_TOPIC else -1 for t in ideas.topics])
    there = found.paper >= 0
    member = carried[:, found.paper] & there[None, :, :]
    by_topic = [_score(found, impact, keep, settings) for keep in member]
    scores = np.stack([score for score, _ in by_topic])
    matched = np.stack([flag for _, flag in by_topic])
    at = np.arange(len(ideas))
    others = len(topics) - 1
    swapped = (scores.sum(axis=0) - scores[code, at]) / others
    rate = (matched.sum(axis=0) - matched[code, at]) / others
    carries_any = member.any(axis=0)
    other = _score(found, impact, carries_any & ~member[code, at], settings)
    return {
        "own": (scores[code, at], matched[code, at]),
        "other": other,
        "swapped": (swapped, rate),
    }


def _score(found: Panel, impact: Floats, keep: Mask, settings: Settings) -> tuple[Floats, Floats]:
    """HindSight(i) over the first K of the candidates in ``keep``, (ideas, depth)."""
    first = keep & (np.cumsum(keep, axis=1) <= settings.k)
    counts = (first & (found.similarity >= settings.theta)).sum(axis=1)
    order = np.argsort(~first, axis=1, kind="stable")
    papers = np.take_along_axis(found.paper, order, axis=1)
    inside = np.take_along_axis(first, order, axis=1)
    values = np.where(inside, impact[papers], 0.0)
    runs = prefix_scores(values, settings.aggregate)
    return runs[np.arange(len(runs)), counts], (counts > 0).astype(float)


def _complete(found: Panel, settings: Settings) -> Mask:
    """Whether every paper of the pool that could match an idea is among its candidates."""
    last = np.maximum(found.admitted - 1, 0)
    least = found.similarity[np.arange(len(last)), last]
    return np.asarray((least < settings.theta) | (found.admitted >= found.pool_size))


def _row(
    name: str, own: Mask, parts: dict[str, tuple[Floats, Floats]], draws: Draws
) -> dict[str, object]:
    row: dict[str, object] = {"system": name, "n": int(own.sum())}
    for part, (scores, matched) in parts.items():
        row[part] = float(scores[own].mean())
        row[f"match_rate_{part}"] = float(matched[own].mean())
    excess = parts["own"][0] - parts["swapped"][0]
    interval = percentile_interval(draws.means(excess[:, None], own))
    row["excess"] = float(excess[own].mean())
    low, high = float(interval.low[0]), float(interval.high[0])
    row["low"] = low if np.isfinite(low) else None
    row["high"] = high if np.isfinite(high) else None
    return row
