"""h(p): what a paper was worth, from its citations and its venue.

h(p) = citation_weight · ĉ(p) + venue_weight · v(p), arXiv 2603.15164, section 3.3. Both weighted
terms are kept beside their sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import Admission, Normalizer, Pool, Settings, UnknownCitations
from core.hindsight.memo import once_per_study
from core.hindsight.results import PoolCounts
from core.hindsight.venues import top_flags
from core.matching.pools import Pools, pools
from core.study import Study

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class StudyPool:
    """The union of all ideas' pools. All masks are over the rows of ``study.papers``.

    ``member``: (groups, papers), the pool of each group of ideas; ``group``: (ideas,), the group
    of each idea. ``in_window``: the union. ``takes_part``: those that the settings let in.
    """

    member: Mask
    group: NDArray[np.int64]
    in_window: Mask
    takes_part: Mask
    ambiguous: Mask
    title_only: Mask
    unknown: Mask


@dataclass(frozen=True, kw_only=True, eq=False)
class Impacts:
    """Impacts of the study pool under one set of settings.

    ``frame``: one row a paper in a window: paper_id, citations, citation_term, venue_term,
    impact. A paper that takes no part has no citation term and no impact. ``n``: papers that
    take part. ``bounds``: what the normaliser's scale was set by. ``flags``: what was odd.
    """

    settings: Settings
    frame: pd.DataFrame
    n: int
    left_out: int
    bounds: dict[str, float | str]
    flags: tuple[str, ...]


@once_per_study(8)
def study_pool(
    study: Study,
    pool: Pool,
    unknown_citations: UnknownCitations,
    title_only: Admission,
    ambiguous_dates: Admission,
) -> StudyPool:
    """Which papers take part under these settings."""
    found = idea_pools(study, pool)
    member = found.admitted(ambiguous=ambiguous_dates == "include")
    in_window = np.asarray(member.any(axis=0))
    bare = study.papers["abstract"].isna().to_numpy()
    unknown = study.papers["citations"].isna().to_numpy()
    takes_part = in_window.copy()
    if unknown_citations == "exclude":
        takes_part &= ~unknown
    if title_only == "exclude":
        takes_part &= ~bare
    return StudyPool(
        member=member,
        group=found.groups,
        in_window=in_window,
        takes_part=takes_part,
        ambiguous=np.asarray(found.ambiguous.any(axis=0)),
        title_only=bare,
        unknown=unknown,
    )


@once_per_study(2)
def idea_pools(study: Study, pool: Pool) -> Pools:
    """The pools of the study's ideas, in row order of ``study.ideas``."""
    return pools(study.ideas, study.papers, study.config, pool)


def pool_of(study: Study, settings: Settings) -> StudyPool:
    """:func:`study_pool` under ``settings``."""
    return study_pool(
        study,
        settings.pool,
        settings.unknown_citations,
        settings.title_only,
        settings.ambiguous_dates,
    )


def pool_counts(study: Study, settings: Settings) -> PoolCounts:
    """How many papers there are, are in a window, and have each mark."""
    pool = pool_of(study, settings)
    top = top_flags(study, settings.venues).to_numpy() > 0
    return PoolCounts(
        papers=len(study.papers),
        in_window=int(pool.in_window.sum()),
        undated=int(study.papers["published"].isna().sum()),
        ambiguous_date=int(pool.ambiguous.sum()),
        title_only=int((pool.in_window & pool.title_only).sum()),
        unknown_citations=int((pool.in_window & pool.unknown).sum()),
        top_venue=int((pool.in_window & top).sum()),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Normalized:
    """ĉ in [0, 1] by row of ``study.papers`` (nan where a paper takes no part)."""

    values: Floats
    bounds: dict[str, float | str]
    flags: tuple[str, ...]


@once_per_study(24)
def normalized_citations(
    study: Study,
    normalizer: Normalizer,
    pool: Pool,
    unknown_citations: UnknownCitations,
    title_only: Admission,
    ambiguous_dates: Admission,
) -> Normalized:
    """ĉ of every paper of the study pool.

    With c = citations over the n papers that take part:

    * ``minmax``: (c − min) / (max − min)
    * ``log``: the same of log(1 + c)
    * ``winsor``: the same of min(c, p99), p99 by linear interpolation
    * ``percentile``: (mean rank − 1) / (n − 1)
    * ``monthly_percentile``: the same within the calendar month of publication
    * ``rate``: min–max of c / max(1, whole months from publication to the snapshot), the
      snapshot being the study's, else the newest date among the n papers

    All equal, or n = 1 (in the pool, or in the month): 0, and flagged. A date of month or year
    precision counts as its first day.
    """
    part = study_pool(study, pool, unknown_citations, title_only, ambiguous_dates).takes_part
    values = np.full(len(study.papers), np.nan)
    counts = study.papers["citations"].to_numpy(dtype=float, na_value=np.nan)[part]
    counts = np.nan_to_num(counts, nan=0.0)
    bounds: dict[str, float | str] = {}
    flags: tuple[str, ...] = ()
    if not len(counts):
        return Normalized(values=values, bounds=bounds, flags=("no paper takes part",))
    published = study.papers["published"].to_numpy(dtype="datetime64[D]")[part]
    if normalizer == "percentile":
        values[part], equal = _percentile(counts)
        bounds = {"n": float(len(counts))}
        flags = ("all citation counts are equal, so ĉ is 0",) if equal else ()
    elif normalizer == "monthly_percentile":
        values[part], flags = _monthly(counts, published)
        bounds = {"n": float(len(counts))}
    else:
        scaled, more = _scaled(counts, published, normalizer, study)
        low, high = float(scaled.min()), float(scaled.max())
        bounds = {"min": low, "max": high, **more}
        if high > low:
            values[part] = (scaled - low) / (high - low)
        else:
            values[part] = 0.0
            flags = ("all citation counts are equal on this scale, so ĉ is 0",)
    return Normalized(values=values, bounds=bounds, flags=flags)


def _scaled(
    counts: Floats, published: NDArray[np.datetime64], normalizer: Normalizer, study: Study
) -> tuple[Floats, dict[str, float | str]]:
    if normalizer == "log":
        return np.log1p(counts), {}
    if normalizer == "winsor":
        p99 = float(np.percentile(counts, 99))
        return np.minimum(counts, p99), {"p99": p99}
    if normalizer == "rate":
        given = study.config.snapshot
        snapshot = published.max() if given is None else np.datetime64(given, "D")
        months = whole_months(published, snapshot)
        return counts / np.maximum(months, 1), {"snapshot": str(snapshot)}
    return counts, {}


def whole_months(start: NDArray[np.datetime64], end: np.datetime64) -> NDArray[np.int64]:
    """Completed months from each ``start`` to ``end``: 15 January to 14 March is 1."""
    first, last = start.astype("datetime64[M]"), end.astype("datetime64[M]")
    begun = (last - first).astype(np.int64)
    late = (start - first.astype("datetime64[D]")) > (end - last.astype("datetime64[D]"))
    return np.asarray(begun - late.astype(np.int64))


def _percentile(counts: Floats) -> tuple[Floats, bool]:
    if len(counts) == 1 or counts.min() == counts.max():
        return np.zeros_like(counts), True
    ranks = pd.Series(counts).rank().to_numpy(dtype=float)
    return (ranks - 1) / (len(counts) - 1), False


def _monthly(counts: Floats, published: NDArray[np.datetime64]) -> tuple[Floats, tuple[str, ...]]:
    months = pd.Series(counts).groupby(published.astype("datetime64[M]").astype(np.int64))
    size = months.transform("size").to_numpy(dtype=float)
    flat = (months.transform("min") == months.transform("max")).to_numpy()
    values = (months.rank().to_numpy(dtype=float) - 1) / np.maximum(size - 1, 1)
    n = int(months.ngroups)
    level = int(sum(low == high for low, high in zip(months.min(), months.max(), strict=True)))
    flags = (f"in {level} of {n} months all citation counts are equal, so ĉ is 0",)
    return np.where(flat, 0.0, values), flags if level else ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Terms:
    """The weighted terms by row of ``study.papers``; the impact is their sum."""

    citation: Floats
    venue: Floats

    @property
    def impact(self) -> Floats:
        return self.citation + self.venue


def terms(study: Study, settings: Settings) -> Terms:
    """citation_weight · ĉ(p) and venue_weight · v(p) of every paper; nan where it takes no part."""
    citations = normalized(study, settings).values
    return Terms(
        citation=settings.citation_weight * citations,
        venue=settings.venue_weight * top_flags(study, settings.venues).to_numpy(dtype=float),
    )


def normalized(study: Study, settings: Settings) -> Normalized:
    """:func:`normalized_citations` under ``settings``."""
    return normalized_citations(
        study,
        settings.normalizer,
        settings.pool,
        settings.unknown_citations,
        settings.title_only,
        settings.ambiguous_dates,
    )


def impacts(study: Study, settings: Settings) -> Impacts:
    """h(p) of every paper in a window, with both terms and the normaliser's bounds.

    In [0, citation_weight + venue_weight], higher is better.
    """
    pool, scale, both = (
        pool_of(study, settings),
        normalized(study, settings),
        terms(study, settings),
    )
    rows = pool.in_window
    frame = pd.DataFrame(
        {
            "paper_id": study.papers["paper_id"].to_numpy()[rows],
            "citations": study.papers["citations"].to_numpy()[rows],
            "citation_term": both.citation[rows],
            "venue_term": both.venue[rows],
            "impact": both.impact[rows],
        }
    )
    n = int(pool.takes_part.sum())
    return Impacts(
        settings=settings,
        frame=frame.sort_values("paper_id", ignore_index=True, kind="stable"),
        n=n,
        left_out=int(rows.sum()) - n,
        bounds=scale.bounds,
        flags=scale.flags,
    )
