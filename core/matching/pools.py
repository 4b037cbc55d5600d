"""Which papers belong to which idea's pool: one definition for the search and for every score.

An idea's pool is the papers that appeared after its cutoff and no later than the last day of its
window (cutoff < published ≤ window end), and, where ``pool`` is 'topic', that carry its topic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import Pool, StudyConfig

if TYPE_CHECKING:
    Days = NDArray[np.datetime64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Pools:
    """Ideas grouped by identical pools, and the papers in each.

    A group is one distinct (cutoff, topic), in ascending order; with pool 'all' the topic plays
    no part and is None. ``groups[i]`` is the group of idea ``i`` (row order of ``ideas``).
    ``certain`` and ``ambiguous`` have the shape (groups, papers) and never both hold:

    * ``certain``: every day that the paper's date may stand for lies in the window.
    * ``ambiguous``: some of those days lie in the window and some do not. Such papers are
      searched and stored, and take part when read only where ``ambiguous_dates`` is 'include'.

    A paper without a date is in neither. With pool 'topic', an idea without a topic has an
    empty pool.
    """

    groups: NDArray[np.int64]
    certain: NDArray[np.bool_]
    ambiguous: NDArray[np.bool_]
    cutoffs: Days
    ends: Days
    topics: tuple[str | None, ...]

    @property
    def searched(self) -> NDArray[np.bool_]:
        """Papers that a search looks at, (groups, papers): certain or ambiguous."""
        return np.asarray(self.certain | self.ambiguous)

    def admitted(self, *, ambiguous: bool) -> NDArray[np.bool_]:
        """Papers in each group's pool, (groups, papers), with ambiguous dates or without."""
        return self.searched if ambiguous else self.certain


def pools(ideas: pd.DataFrame, papers: pd.DataFrame, config: StudyConfig, pool: Pool) -> Pools:
    """The pools of all ideas, over the rows of ``papers``.

    ``ideas`` and ``papers`` are tables that passed the schema. An idea without a cutoff of its
    own has the study's. A date of month or year precision stands for all days of that month or
    year: 'year 2024' is ambiguous for the cutoff 2024-06-30, and certain for 2023-12-31.
    Source: arXiv 2603.15164, section 3.
    """
    own = idea_cutoffs(ideas, config)
    cutoffs, by_cutoff = np.unique(own, return_inverse=True)
    certain, ambiguous, ends = _windows(cutoffs, papers, config)
    if pool == "all":
        return Pools(
            groups=by_cutoff.astype(np.int64),
            certain=certain,
            ambiguous=ambiguous,
            cutoffs=cutoffs,
            ends=ends,
            topics=(None,) * len(cutoffs),
        )
    topic_codes, names = pd.factorize(ideas["topic"], sort=True)
    on_topic = topic_masks(papers, [str(name) for name in names])
    none = np.zeros((1, len(papers)), dtype=bool)
    on_topic = np.concatenate([on_topic, none])
    pairs = np.stack([by_cutoff, topic_codes], axis=1).reshape(-1, 2)
    distinct, groups = np.unique(pairs, axis=0, return_inverse=True)
    at, topic = distinct[:, 0], distinct[:, 1]
    return Pools(
        groups=groups.reshape(-1).astype(np.int64),
        certain=certain[at] & on_topic[topic],
        ambiguous=ambiguous[at] & on_topic[topic],
        cutoffs=cutoffs[at],
        ends=ends[at],
        topics=tuple(None if code < 0 else str(names[code]) for code in topic),
    )


def idea_cutoffs(ideas: pd.DataFrame, config: StudyConfig) -> Days:
    """Each idea's cutoff as a day: its own, else the study's; shape (ideas,)."""
    own = ideas["cutoff"].to_numpy(dtype="datetime64[D]")
    return np.where(np.isnat(own), np.datetime64(config.cutoff, "D"), own)


def possible_days(papers: pd.DataFrame) -> tuple[Days, Days]:
    """First and last day that each paper's date may stand for; NaT where it has no date."""
    first = papers["published"].to_numpy(dtype="datetime64[D]")
    last = first.copy()
    precision = papers["date_precision"].to_numpy(dtype=object)
    for name, unit in (("month", "datetime64[M]"), ("year", "datetime64[Y]")):
        coarse = precision == name
        periods = first[coarse].astype(unit)
        first[coarse] = periods.astype("datetime64[D]")
        last[coarse] = (periods + 1).astype("datetime64[D]") - 1
    return first, last


def topic_masks(papers: pd.DataFrame, topics: list[str]) -> NDArray[np.bool_]:
    """Which papers carry which of ``topics``, (topics, papers)."""
    masks = np.zeros((len(topics), len(papers)), dtype=bool)
    places = {topic: place for place, topic in enumerate(topics)}
    for column, carried in enumerate(papers["topics"]):
        for topic in carried:
            if topic in places:
                masks[places[topic], column] = True
    return masks


def _windows(
    cutoffs: Days, papers: pd.DataFrame, config: StudyConfig
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Days]:
    first, last = possible_days(papers)
    ends = np.array([config.window_end(day) for day in cutoffs.tolist()], dtype="datetime64[D]")
    after, until = cutoffs[:, None], ends[:, None]
    certain = (first > after) & (last <= until)
    possible = (last > after) & (first <= until)
    return certain, possible & ~certain, ends
