"""What HindSight's functions return: frozen, with the inputs that shaped them.

A field named ``undefined`` holds the reason why the values beside it are None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import Settings

QUADRANTS = ("true_positive", "hidden_gem", "overhyped", "true_negative")
UNSCORED = "unscored"
HINDSIGHT = "hindsight"


def to_frame(rows: Sequence[Any], kind: type) -> pd.DataFrame:
    """Rows of one kind as a table; the columns stand even where there is no row."""
    return pd.DataFrame(
        [asdict(row) for row in rows], columns=[field.name for field in fields(kind)]
    )


@dataclass(frozen=True, kw_only=True)
class StudyInfo:
    name: str
    digest: str
    cutoff: str
    horizon_months: int
    encoder: str
    simulated: bool


@dataclass(frozen=True, kw_only=True)
class PoolCounts:
    """Papers of the study: all, and how many of those in a window have each mark.

    ``in_window`` counts the study pool (the union of all ideas' pools) before unknown citations
    are left out; ``undated`` and ``ambiguous_date`` are counted over all papers; the other
    three over those in the window.
    """

    papers: int
    in_window: int
    undated: int
    ambiguous_date: int
    title_only: int
    unknown_citations: int
    top_venue: int


@dataclass(frozen=True, kw_only=True)
class SystemScore:
    """Aggregates of one system; terms are the mean over ideas of the scoring match's two terms."""

    system: str
    n: int
    mean: float | None
    mean_low: float | None
    mean_high: float | None
    median: float | None
    match_rate: float | None
    mean_matches: float | None
    mean_citation_term: float | None
    mean_venue_term: float | None


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """System ``a`` against ``b`` on one metric: 'hindsight' or a judge dimension.

    ``undefined`` may concern some of the values only, and then says which.
    ``draws_left_out``: share of bootstrap draws in which the ratio was undefined.
    """

    a: str
    b: str
    metric: str
    n_a: int
    n_b: int
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    u: float | None
    p: float | None
    p_adjusted: float | None
    rank_biserial: float | None
    undefined: str | None
    draws_left_out: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """Spearman's ρ of HindSight with one judge dimension within one system.

    ``judge`` is 'all' for the mean over judges.
    """

    system: str
    judge: str
    dimension: str
    n: int
    rho: float | None
    rho_low: float | None
    rho_high: float | None
    p: float | None
    p_adjusted: float | None
    undefined: str | None


@dataclass(frozen=True, kw_only=True)
class QuadrantCount:
    system: str
    true_positive: int
    hidden_gem: int
    overhyped: int
    true_negative: int
    unscored: int


@dataclass(frozen=True, kw_only=True)
class Quadrants:
    """Counts and cuts. A cut is one number, or one per system under 'system_median'.

    ``on_cut`` counts ideas that lie exactly on a cut: ``{"hindsight": n, "judge": n}``.
    """

    rule: str
    comparison: str
    hindsight_cut: float | dict[str, float] | None
    judge_cut: float | dict[str, float] | None
    on_cut: dict[str, int]
    counts: tuple[QuadrantCount, ...]
    undefined: str | None = None


@dataclass(frozen=True, kw_only=True)
class Leakage:
    """Matches dated on or before a system's knowledge cutoff, and the score without them."""

    system: str
    knowledge_cutoff: str | None
    n_matches: int
    n_leaked: int
    mean: float | None
    mean_without: float | None


@dataclass(frozen=True, kw_only=True)
class Caution:
    """A warning that bears on the conclusions: a stable ``code`` and a sentence."""

    code: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Score:
    """HindSight of one study under one set of settings.

    ``ideas`` has one row an idea: idea_id, system, topic, score, n_matches, best_paper_id,
    similarity, citation_term, venue_term, judge_novelty, judge_feasibility, judge_impact,
    judge_overall, quadrant, short_of_k (fewer than K admitted candidates within the depth).
    ``matches`` has one row for each of an idea's first K admitted candidates: idea_id,
    paper_id, similarity, rank, place (1..K), matched, impact, citation_term, venue_term, leaked.
    ``resampled`` says what the bootstrap drew: 'topics' or 'ideas'.
    """

    study: StudyInfo
    settings: Settings
    pool: PoolCounts
    systems: tuple[SystemScore, ...]
    comparisons: tuple[Comparison, ...]
    correlations: tuple[Correlation, ...]
    quadrants: Quadrants
    leakage: tuple[Leakage, ...]
    cautions: tuple[Caution, ...]
    resampled: str
    ideas: pd.DataFrame
    matches: pd.DataFrame


@dataclass(frozen=True, kw_only=True)
class Conclusion:
    """A statement and the thresholds at which it holds, one truth value a θ."""

    name: str
    statement: str
    holds: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Everything that depends on θ, at each of ``thetas`` (ascending).

    Between two neighbouring breakpoints nothing changes: the value at a breakpoint holds for
    all θ above the one before it. ``points``: theta, system, mean, median, match_rate,
    mean_matches. ``ratios``: theta, a, b, ratio, low, high, p, undefined.
    ``correlations``: theta, system, dimension, rho, p, p_adjusted.
    """

    study: StudyInfo
    settings: Settings
    thetas: NDArray[np.float64]
    exact: bool
    points: pd.DataFrame
    ratios: pd.DataFrame
    correlations: pd.DataFrame
    conclusions: tuple[Conclusion, ...]
    resampled: str


@dataclass(frozen=True, kw_only=True)
class SpecificationCurve:
    """The effect of system ``a`` over ``b`` under every combination of the ``grid``'s choices.

    ``rows`` (sorted by difference) has the choices' columns (theta, k, normalizer, aggregate,
    citation_weight), then difference, low, high, ratio, p, rank_biserial, rho_<dimension> for
    each system as ``rho_<dimension>__<system>``, and ``own`` (the study's own settings).
    ``shares``: conclusion, share, n. ``explained``: choice, share of the variance of the
    difference that the choice's main effect explains.
    """

    study: StudyInfo
    settings: Settings
    a: str
    b: str
    grid: dict[str, tuple[Any, ...]]
    rows: pd.DataFrame
    shares: pd.DataFrame
    explained: pd.DataFrame
    undefined: str | None
