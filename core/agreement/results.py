"""What the agreement of judges is told in: frozen, with the inputs that shaped it.

``undefined`` holds the reason why a value beside it is None: of κ in a pair, by name elsewhere.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import pandas as pd

from core.config import Settings
from core.hindsight.results import StudyInfo
from core.stats.agreement import Estimate


@dataclass(frozen=True, kw_only=True)
class WorstCase:
    """A pair with every unit that a judge failed on counted as a disagreement.

    ``n`` counts the units marked by both and the ``n_failed`` on which one failed or both did.
    In the table, a failed mark stands as far from the other judge's as the scale allows, half
    a unit at each end where both ends are as far, or where both failed.
    """

    n: int
    n_failed: int
    agreement: float | None
    kappa: float | None
    pabak: float | None
    ac1: float | None
    undefined: str | None


@dataclass(frozen=True, kw_only=True)
class PairAgreement:
    """Two judges on one dimension (``on``) of one table, over the ``n`` units both marked.

    ``kappa`` has the dimension's weights (``kappa_weights``), ``kappas`` all three kinds;
    ``agreement``, ``pabak`` and ``ac1`` are unweighted over the declared scale's categories;
    ``ac2`` has quadratic weights. ``prevalence_a`` and ``prevalence_b`` are the judges' shares of the category
    ``prevalence_of`` (None on a scale that has no positive category); ``shares_a``/``shares_b``
    of every category. ``positive_agreement`` and ``negative_agreement`` are the agreement on the
    positive and the negative category, ``specific`` on each. ``table`` counts units, rows being judge a's categories. ``spearman`` is over
    the unrounded means. ``left_out_a``/``left_out_b`` count the units that only count for
    the other judge, by what this one's state was. ``estimates`` holds intervals and reasons of
    everything by name.
    """

    judge_a: str
    judge_b: str
    on: str
    source: str
    n: int
    agreement: float | None
    agreement_low: float | None
    agreement_high: float | None
    prevalence_of: float | None
    prevalence_a: float | None
    prevalence_b: float | None
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    kappa_weights: str
    kappa_interval: str
    pabak: float | None
    ac1: float | None
    ac1_low: float | None
    ac1_high: float | None
    ac2: float | None
    positive_agreement: float | None
    negative_agreement: float | None
    spearman: float | None
    spearman_p: float | None
    spearman_p_adjusted: float | None
    undefined: str | None
    n_left_out: int
    left_out_a: dict[str, int]
    left_out_b: dict[str, int]
    worst: WorstCase
    categories: tuple[float, ...]
    table: tuple[tuple[int, ...], ...]
    shares_a: tuple[float, ...] | None
    shares_b: tuple[float, ...] | None
    specific: tuple[Estimate, ...]
    kappas: dict[str, Estimate]
    estimates: dict[str, Estimate]


@dataclass(frozen=True, kw_only=True)
class Coefficients:
    """The set of judges as a whole, on one filling of the missing marks."""

    alpha: float | None
    fleiss_kappa: float | None
    icc2_1: float | None
    icc2_k: float | None
    kendall_w: float | None
    undefined: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class OverallAgreement:
    """All judges together on one dimension.

    ``n`` counts units that two judges or more marked, ``n_complete`` those that all did (ICC
    and W rest on them). ``alpha`` is ordinal; the others are beside it. ICC and W are over the
    units' values as rounded to the scale; those over unrounded means are in ``estimates`` under
    ``icc2_1_means``, ``icc2_k_means``, ``kendall_w_means``. ``worst`` has every failed mark at the end of the scale that lies
    farther from the mean of the unit's other marks (the lower where both are as far).
    ``left_out`` counts judges' units without a mark, by state. ``estimates`` holds intervals and
    reasons by name; ``undefined`` the reasons alone.
    """

    on: str | None
    source: str | None
    judges: tuple[str, ...]
    n: int
    n_complete: int
    alpha: float | None
    alpha_low: float | None
    alpha_high: float | None
    fleiss_kappa: float | None
    icc2_1: float | None
    icc2_k: float | None
    kendall_w: float | None
    kendall_p: float | None
    agreement: float | None
    alpha_nominal: float | None
    alpha_interval: float | None
    ac1: float | None
    ac2: float | None
    icc1: float | None
    left_out: dict[str, int]
    worst: Coefficients
    estimates: dict[str, Estimate]
    undefined: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class RepeatAgreement:
    """How far a judge repeats itself: over the ``n`` units it marked twice or more.

    ``icc`` is ICC(1), as repeats have no order; ``icc2_1`` and ``icc2_k`` are over the units
    that have every repeat. ``sd`` is the pooled standard deviation of a unit's repeats, in
    marks; ``same`` the share of pairs of repeats that are equal.
    """

    judge: str
    dimension: str
    source: str
    n: int
    repeats: int
    icc: float | None
    icc_low: float | None
    icc_high: float | None
    sd: float | None
    same: float | None
    icc2_1: float | None
    icc2_k: float | None
    n_complete: int
    left_out: int
    undefined: str | None


@dataclass(frozen=True, kw_only=True)
class JudgeStates:
    """How a judge's rows ended, in one table or (``source`` 'all') in all that are compared."""

    judge: str
    source: str
    ok: int
    refused: int
    parse_failed: int
    call_failed: int


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Every pair and set of judges of a study, on every dimension that was judged.

    ``overall`` is the first of ``overall_by`` with two judges (overall marks, then comparisons,
    then the gate). ``resampled`` says what the bootstrap drew: topics, or units where there is
    one topic. Holm's correction of ρ runs over all pairs of this result.
    """

    study: StudyInfo
    settings: Settings
    pairs: tuple[PairAgreement, ...]
    overall: OverallAgreement
    overall_by: tuple[OverallAgreement, ...]
    repeats: tuple[RepeatAgreement, ...]
    states: tuple[JudgeStates, ...]
    states_by: tuple[JudgeStates, ...]
    one_order: int
    resampled: str
    seed: int
    draws: int

    def to_frame(self) -> pd.DataFrame:
        """The pairs as a table: one row a pair and dimension, single values only."""
        nested = {"worst", "table", "categories", "specific", "kappas", "estimates"}
        rows = []
        for pair in self.pairs:
            row = {k: v for k, v in asdict(pair).items() if k not in nested}
            for name in ("left_out_a", "left_out_b", "shares_a", "shares_b"):
                del row[name]
            row |= {f"worst_{k}": v for k, v in asdict(pair.worst).items()}
            rows.append(row)
        return pd.DataFrame(rows)
