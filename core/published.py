"""Numbers that the papers print, as plain data with their place, to be shown beside a study's own.

They are facts of the paper's data, never results of ours: another study, pool, encoder or judge
gives other numbers. Source: HindSight (arXiv 2603.15164).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

import pandas as pd

if TYPE_CHECKING:
    from core.hindsight.results import Correlation, QuadrantCount, Score, SystemScore

Position = Literal["better", "other"]
_Row = TypeVar("_Row")

HINDSIGHT_PAPER = "HindSight (arXiv 2603.15164)"
SYSTEM_NAMES: dict[Position, str] = {
    "better": "ResearchAgent (retrieval-augmented)",
    "other": "vanilla baseline",
}
N_PER_SYSTEM = 100
SETTING = (
    "200 ideas on 10 topics, 27,589 papers from June 2023 to December 2025, SPECTER2 base,"
    " K = 20, θ = 0.96, one judge with 3 repeats"
)


@dataclass(frozen=True, kw_only=True)
class PublishedPair:
    """One row of a published table: the value of either system, and p where one is printed.

    ``p`` is the paper's text (such as '< 0.001'); in Table 1 it belongs to the comparison of
    the two systems, in Table 2 each system's correlation has its own.
    """

    table: str
    quantity: str
    label: str
    better: float
    other: float
    p: str | None = None
    p_other: str | None = None

    @property
    def source(self) -> str:
        return f"{HINDSIGHT_PAPER}, {self.table}"


def _system(quantity: str, label: str, better: float, other: float, p: str | None) -> PublishedPair:
    return PublishedPair(
        table="Table 1", quantity=quantity, label=label, better=better, other=other, p=p
    )


def _rho(dimension: str, better: float, p: str, other: float, p_other: str) -> PublishedPair:
    return PublishedPair(
        table="Table 2",
        quantity=f"rho_{dimension}",
        label=f"ρ with {dimension}",
        better=better,
        other=other,
        p=p,
        p_other=p_other,
    )


def _count(quadrant: str, label: str, better: int, other: int) -> PublishedPair:
    return PublishedPair(
        table="Table 3", quantity=quadrant, label=label, better=better, other=other
    )


PUBLISHED: tuple[PublishedPair, ...] = (
    _system("mean", "Score, mean", 0.297, 0.119, "< 0.001"),
    _system("median", "Score, median", 0.403, 0.000, None),
    _system("match_rate", "Match rate", 0.81, 0.42, None),
    _system("mean_matches", "Matches per idea, mean", 9.0, 3.3, None),
    _system("judge_overall", "Judge, overall", 7.44, 7.40, "0.584"),
    _system("judge_novelty", "Judge, novelty", 6.68, 7.11, "< 0.001"),
    _system("judge_impact", "Judge, impact", 7.87, 8.17, "< 0.001"),
    _system("judge_feasibility", "Judge, feasibility", 7.68, 7.09, None),
    _rho("novelty", -0.291, "0.003", -0.140, "0.164"),
    _rho("feasibility", 0.252, "0.012", 0.006, "0.951"),
    _rho("impact", -0.225, "0.025", -0.150, "0.135"),
    _rho("overall", -0.075, "0.457", -0.124, "0.219"),
    _count("true_positive", "True positives", 17, 6),
    _count("hidden_gem", "Hidden gems", 23, 13),
    _count("overhyped", "Overhyped", 26, 34),
    _count("true_negative", "True negatives", 34, 47),
)


@dataclass(frozen=True, kw_only=True)
class Beside:
    """The paper's tables and a study's own, side by side by position alone.

    ``rows`` has table, quantity, label, paper_better, paper_other, paper_p, paper_p_other,
    own_better, own_other, own_p, own_p_other, own_n_better, own_n_other; unknown values are
    None. ``better`` and ``other`` name the study's systems with the highest and the lowest mean
    score; both are None without a scored idea, ``other`` is None with one system.
    """

    rows: pd.DataFrame
    better: str | None
    other: str | None
    systems: int


def beside(score: Score) -> Beside:
    """The published Tables 1 to 3 beside ``score``: better system by better, other by other.

    The systems are matched by their mean score and by nothing else; the studies differ. Table
    2's p of a study is uncorrected, as the paper's is.
    """
    ranked = sorted(
        (row for row in score.systems if row.mean is not None),
        key=lambda row: (-(row.mean or 0.0), row.system),
    )
    better = ranked[0] if ranked else None
    other = ranked[-1] if len(ranked) > 1 else None
    rows = []
    for pair in PUBLISHED:
        values, ps, counts = zip(*(_own(score, pair, row) for row in (better, other)), strict=True)
        rows.append(
            {
                "table": pair.table,
                "quantity": pair.quantity,
                "label": pair.label,
                "paper_better": pair.better,
                "paper_other": pair.other,
                "paper_p": pair.p,
                "paper_p_other": pair.p_other,
                "own_better": values[0],
                "own_other": values[1],
                "own_p": _between(score, pair, better, other) if pair.table == "Table 1" else ps[0],
                "own_p_other": ps[1],
                "own_n_better": counts[0],
                "own_n_other": counts[1],
            }
        )
    return Beside(
        rows=pd.DataFrame(rows, dtype=object),
        better=better.system if better else None,
        other=other.system if other else None,
        systems=len(score.systems),
    )


_Own = tuple[float | None, float | None, int | None]


def _own(score: Score, pair: PublishedPair, system: SystemScore | None) -> _Own:
    """This study's value, p and n for one system, None where it has none."""
    if system is None:
        return None, None, None
    if pair.table == "Table 3":
        count = _first(score.quadrants.counts, lambda row: row.system == system.system)
        return _of_count(count, pair.quantity)
    if pair.table == "Table 2":
        dimension = pair.quantity.removeprefix("rho_")
        return _of_correlation(
            _first(
                score.correlations,
                lambda row: (
                    (row.system, row.dimension, row.judge)
                    == (system.system, dimension, score.settings.judge)
                ),
            )
        )
    if pair.quantity.startswith("judge_"):
        marks = score.ideas.loc[score.ideas["system"] == system.system, pair.quantity].dropna()
        return (float(marks.mean()) if len(marks) else None), None, len(marks)
    return getattr(system, pair.quantity), None, system.n


def _of_count(count: QuadrantCount | None, quadrant: str) -> _Own:
    if count is None:
        return None, None, None
    n = count.true_positive + count.hidden_gem + count.overhyped + count.true_negative
    return (getattr(count, quadrant) if n else None), None, n


def _of_correlation(row: Correlation | None) -> _Own:
    return (row.rho, row.p, row.n) if row else (None, None, None)


def _between(
    score: Score, pair: PublishedPair, better: SystemScore | None, other: SystemScore | None
) -> float | None:
    """p of the study's own comparison, where the paper's table prints one."""
    if better is None or other is None or pair.quantity in ("median", "match_rate", "mean_matches"):
        return None
    metric = "hindsight" if pair.quantity == "mean" else pair.quantity.removeprefix("judge_")
    names = {better.system, other.system}
    row = _first(score.comparisons, lambda row: {row.a, row.b} == names and row.metric == metric)
    return row.p if row else None


def _first(rows: Sequence[_Row], fits: Callable[[_Row], bool]) -> _Row | None:
    return next((row for row in rows if fits(row)), None)
