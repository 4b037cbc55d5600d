"""Two judges against each other, on every dimension."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from core.agreement.marks import FAILURES, NOT_JUDGED, UNIT_STATES, Marks
from core.agreement.results import PairAgreement, WorstCase
from core.config import SIGNIFICANCE, Settings
from core.stats.agreement import Estimate, category_agreement, cohen_kappa, draw_units, spearman
from core.stats.agreement.estimate import Floats
from core.stats.agreement.tables import gwet, pabak, raw_agreement


def all_pairs(marks: Marks, settings: Settings) -> list[PairAgreement]:
    """Every pair of judges, names in alphabetical order."""
    return [pair_agreement(marks, a, b, settings) for a, b in combinations(marks.judges, 2)]


def pair_agreement(marks: Marks, judge_a: str, judge_b: str, settings: Settings) -> PairAgreement:
    """Judge a against judge b on one dimension, over the units that both marked."""
    left, right = marks.column(judge_a), marks.column(judge_b)
    dimension = marks.dimension
    codes_a, codes_b = marks.codes[:, left], marks.codes[:, right]
    both = (codes_a >= 0) & (codes_b >= 0)
    draws = None
    if both.any():
        draws = draw_units(marks.topics[both], draws=settings.draws, seed=settings.seed)
    found = category_agreement(
        codes_a[both],
        codes_b[both],
        len(dimension.categories),
        names=(f"'{judge_a}'", f"'{judge_b}'"),
        draws=draws,
    )
    kappa = found.kappas[dimension.weights]
    order = spearman(marks.values[both, left], marks.values[both, right], draws)
    positive = _category(marks, dimension.positive)
    negative = _category(marks, dimension.negative)
    ac1, ac2 = found.ac["plain"], found.ac["quadratic"]
    estimates = {
        "agreement": found.agreement,
        "kappa": kappa,
        "pabak": found.pabak,
        "ac1": ac1,
        "ac2": ac2,
        "spearman": order.rho,
    }
    if positive is not None and negative is not None:
        estimates["positive_agreement"] = found.specific[positive]
        estimates["negative_agreement"] = found.specific[negative]
    left_out_a, left_out_b = _left_out(marks, left, right), _left_out(marks, right, left)
    return PairAgreement(
        judge_a=judge_a,
        judge_b=judge_b,
        on=dimension.name,
        source=dimension.table,
        n=found.n,
        agreement=found.agreement.value,
        agreement_low=found.agreement.low,
        agreement_high=found.agreement.high,
        prevalence_of=dimension.positive,
        prevalence_a=_at(found.shares_a, positive),
        prevalence_b=_at(found.shares_b, positive),
        kappa=kappa.value,
        kappa_low=kappa.low,
        kappa_high=kappa.high,
        kappa_weights=dimension.weights,
        kappa_interval=kappa.interval,
        pabak=found.pabak.value,
        ac1=ac1.value,
        ac1_low=ac1.low,
        ac1_high=ac1.high,
        ac2=ac2.value,
        positive_agreement=_value(estimates.get("positive_agreement")),
        negative_agreement=_value(estimates.get("negative_agreement")),
        spearman=order.rho.value,
        spearman_p=order.p,
        spearman_p_adjusted=order.p,
        undefined=kappa.undefined,
        n_left_out=_judged(marks, left, right) - found.n,
        left_out_a=left_out_a,
        left_out_b=left_out_b,
        worst=worst_case(marks, left, right, found.counts),
        categories=dimension.categories,
        table=tuple(tuple(int(cell) for cell in row) for row in found.counts),
        shares_a=found.shares_a,
        shares_b=found.shares_b,
        specific=found.specific,
        kappas={str(kind): estimate for kind, estimate in found.kappas.items()},
        estimates=estimates,
    )


def worst_case(marks: Marks, left: int, right: int, counts: Floats) -> WorstCase:
    """The pair's figures with every unit that one of them failed on as a disagreement.

    Units that a judge was never asked about are no failures and stay out.
    """
    table = counts.copy()
    failed = marks.failed()
    states = marks.states
    never = UNIT_STATES.index(NOT_JUDGED)
    asked = (states[:, left] != never) & (states[:, right] != never)
    either = asked & (failed[:, left] | failed[:, right])
    last = len(table) - 1
    for a, b in zip(marks.codes[either, left], marks.codes[either, right], strict=True):
        if a < 0 and b < 0:
            cells = [(0, last), (last, 0)]
        elif a < 0:
            cells = [(end, b) for end in _far_ends(b, last)]
        else:
            cells = [(a, end) for end in _far_ends(a, last)]
        for cell in cells:
            table[cell] += 1 / len(cells)
    names = (f"'{marks.judges[left]}'", f"'{marks.judges[right]}'")
    kappa = cohen_kappa(table, marks.dimension.weights, names=names)
    return WorstCase(
        n=round(float(table.sum())),
        n_failed=int(either.sum()),
        agreement=_number(raw_agreement(table)),
        kappa=kappa.value,
        pabak=_number(pabak(table)),
        ac1=_number(gwet(table)),
        undefined=kappa.undefined,
    )


def holm(pairs: list[PairAgreement]) -> tuple[PairAgreement, ...]:
    """The pairs with Holm's correction over all their rank correlations."""
    tested = [place for place, pair in enumerate(pairs) if pair.spearman_p is not None]
    if not tested:
        return tuple(pairs)
    from statsmodels.stats.multitest import multipletests

    p = [pairs[place].spearman_p for place in tested]
    adjusted = multipletests(p, alpha=SIGNIFICANCE, method="holm")[1]
    new = list(pairs)
    for place, value in zip(tested, adjusted, strict=True):
        new[place] = replace(pairs[place], spearman_p_adjusted=float(value))
    return tuple(new)


def _far_ends(code: int, last: int) -> list[int]:
    if 2 * code == last:
        return [0, last]
    return [last] if 2 * code < last else [0]


def _left_out(marks: Marks, own: int, other: int) -> dict[str, int]:
    """Units that one of the two was asked about and that this judge left without a mark."""
    never = UNIT_STATES.index(NOT_JUDGED)
    judged = (marks.states[:, own] != never) | (marks.states[:, other] != never)
    return count_states(marks.states[judged, own])


def count_states(states: NDArray[np.int64]) -> dict[str, int]:
    """How many of each state but ok; states that do not occur are not named."""
    names = (*FAILURES, NOT_JUDGED)
    counts = {name: int((states == UNIT_STATES.index(name)).sum()) for name in names}
    return {name: count for name, count in counts.items() if count}


def _judged(marks: Marks, left: int, right: int) -> int:
    never = UNIT_STATES.index(NOT_JUDGED)
    return int(((marks.states[:, left] != never) | (marks.states[:, right] != never)).sum())


def _category(marks: Marks, value: float | None) -> int | None:
    return None if value is None else marks.dimension.categories.index(value)


def _at(shares: tuple[float, ...] | None, category: int | None) -> float | None:
    return None if shares is None or category is None else shares[category]


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.value


def _number(value: Floats) -> float | None:
    return float(value) if np.isfinite(value) else None
