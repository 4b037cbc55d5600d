"""What the page on judges says first, written from the numbers. Pure, no streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.agreement.marks import DIMENSIONS
from dashboard.prose import count, interval, listing, number, percent, plain, sentence

if TYPE_CHECKING:
    from core.agreement import Agreement, OverallAgreement, PairAgreement, PairedMarks

ON_NAMES = {
    "overall": "overall marks",
    "novelty": "marks for novelty",
    "feasibility": "marks for feasibility",
    "impact": "marks for impact",
    "rating": "comparisons by rating",
    "contribution": "comparisons by contribution",
    "soundness": "comparisons by soundness",
    "gate": "what passes the gate",
    "problem": "grades for the problem",
    "method": "grades for the method",
    "specificity": "grades for specificity",
}
CATEGORIES = {
    "gate": ("fails", "passes"),
    "rating": ("reference better", "equal", "idea better"),
    "contribution": ("reference better", "equal", "idea better"),
    "soundness": ("reference better", "equal", "idea better"),
}
UNITS = {
    "scores": ("idea", "ideas"),
    "comparisons": ("comparison", "comparisons"),
    "verdicts": ("idea–paper pair", "idea–paper pairs"),
}
_SAME = {
    "scores": "give the same mark to",
    "comparisons": "see the same outcome in",
    "verdicts": "give the same answer for",
}
_BY_CHANCE = ("less than chance", "no more than chance")
_OFTEN = 0.75
_ENOUGH = 10
NOBODY = "Nobody has judged anything in this study yet"
NO_MARK = "The judges' replies hold no mark"
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_STRENGTHS = (
    (0.2, "hardly more than chance"),
    (0.4, "a little more than chance"),
    (0.6, "moderately"),
    (0.8, "well"),
)
_FAILURES = {
    "refused": "refused",
    "parse_failed": "not readable",
    "call_failed": "call failed",
    "unmarked": "without a mark",
    "not_judged": "never asked",
}


def in_words(n: int) -> str:
    """A small number as a word."""
    return _WORDS[n] if n < len(_WORDS) else f"{n:,}"


def pairs_on(found: Agreement, on: str) -> tuple[PairAgreement, ...]:
    """The pairs of judges on one dimension."""
    return tuple(pair for pair in found.pairs if pair.on == on)


def overall_on(found: Agreement, on: str) -> OverallAgreement:
    """All judges together on one dimension."""
    return next(each for each in found.overall_by if each.on == on)


def strength(pair: PairAgreement) -> str | None:
    """κ in words (steps of Landis & Koch 1977), held against its interval; None if undefined."""
    if pair.kappa is None:
        return None
    if pair.kappa_high is not None and pair.kappa_high < 0:
        return "less than chance"
    if pair.kappa <= 0 or (pair.kappa_low is not None and pair.kappa_low <= 0):
        return "no more than chance"
    return next((word for limit, word in _STRENGTHS if pair.kappa < limit), "closely")


def judges_title(found: Agreement, on: str) -> str:
    """The finding on one dimension, whatever the judges and marks are."""
    judges, pairs = overall_on(found, on).judges, pairs_on(found, on)
    what, (unit, units) = ON_NAMES[on], UNITS[DIMENSIONS[on].table]
    if len(judges) == 1:
        return f"One judge alone: {plain(judges[0])} has nobody to agree with on {what}"
    many = sentence(in_words(len(judges)))
    if few_in_common(pairs):
        pairs = tuple(pair for pair in pairs if pair.n >= _ENOUGH)
        many = sentence(in_words(len({name for p in pairs for name in (p.judge_a, p.judge_b)})))
    if not any(pair.n for pair in pairs):
        return (
            f"{many} judges, but no two of them marked the same {unit}: {what} cannot be compared"
        )
    known = sorted((pair for pair in pairs if pair.kappa is not None), key=_kappa)
    if not known:
        shares = [pair.agreement for pair in pairs if pair.agreement is not None]
        same = percent(min(shares)) if len(set(shares)) == 1 else f"{percent(min(shares))} or more"
        return f"{many} judges say the same of {same} of {units} in {what}, but κ is not defined"
    low, high = strength(known[0]), strength(known[-1])
    if len(pairs) == 1 and low in _BY_CHANCE and (pairs[0].agreement or 0.0) >= _OFTEN:
        said = f"{_SAME[pairs[0].source]} {percent(pairs[0].agreement)} of {units}"
        return f"{many} judges {said} on {what}, as often as by chance"
    if low != high:
        return f"{many} judges agree on {what} from {low} to {high}, by pair"
    if low and " " not in low:
        return f"{many} judges agree {low} on {what}"
    return f"{many} judges agree on {what} {low}"


def few_in_common(pairs: Sequence[PairAgreement]) -> int:
    """How many pairs share too few units to shape the title, where others share enough."""
    few = sum(pair.n < _ENOUGH for pair in pairs)
    return few if few < len(pairs) else 0


def judges_sentence(
    found: Agreement, on: str, pair: PairAgreement | None, marks: PairedMarks | None = None
) -> str:
    """The figures of one pair, or why there are none, who marks higher, how many replies failed."""
    parts = [_pair_sentence(pair) if pair is not None else _alone(found, on)]
    if marks is not None:
        parts.append(_higher(marks))
    parts.append(failed_sentence(found, DIMENSIONS[on].table))
    few = few_in_common(pairs_on(found, on))
    if few:
        parts.append(
            f"{count(few, 'pair')} of judges with fewer than {_ENOUGH} in common"
            f" {'plays' if few == 1 else 'play'} no part in the title."
        )
    return " ".join(part for part in parts if part)


def _pair_sentence(pair: PairAgreement) -> str:
    a, b = plain(pair.judge_a), plain(pair.judge_b)
    one, many = UNITS[pair.source]
    if not pair.n:
        return f"{a} and {b} marked no {one} in common."
    same = f"**{percent(pair.agreement)}**{_percents(pair.agreement_low, pair.agreement_high)}"
    text = f"{a} and {b} {_SAME[pair.source]} {same} of {count(pair.n, one, many)}"
    if pair.kappa is None:
        return f"{text}; κ is not defined: {plain(pair.undefined or 'no reason given')}."
    text += f"; κ = **{number(pair.kappa)}**{_ends(pair.kappa_low, pair.kappa_high)}"
    text += f", AC1 = {number(pair.ac1)}" if pair.ac1 is not None else ""
    rho = pair.estimates["spearman"]
    if pair.source == "scores" and rho.value is not None:
        text += f", rank correlation ρ = {number(rho.value)}{_ends(rho.low, rho.high)}"
    return text + "."


def _higher(marks: PairedMarks) -> str:
    """Which judge marks higher, where the interval of the bias leaves 0 out."""
    bias = marks.limits.bias
    if bias.value is None or bias.low is None or bias.high is None or bias.low <= 0 <= bias.high:
        return ""
    names, low, high = (marks.judge_a, marks.judge_b), bias.low, bias.high
    if bias.value < 0:
        names, low, high = names[::-1], -bias.high, -bias.low
    return (
        f"{plain(names[0])} marks **{number(abs(bias.value))}** higher on average"
        f" ({interval(low, high, 3)})."
    )


def _alone(found: Agreement, on: str) -> str:
    own = [row for row in found.repeats if row.dimension == on and row.icc is not None]
    if not own:
        return ""
    row = own[0]
    return (
        f"{plain(row.judge)} agrees with itself over {count(row.n, 'unit')} marked {row.repeats}"
        f" times with ICC(1) = **{number(row.icc)}**{_ends(row.icc_low, row.icc_high)}."
    )


def failed_sentence(found: Agreement, table: str) -> str:
    """How many of a table's rows did not end in a mark."""
    rows = [row for row in found.states_by if row.source == table]
    failed = sum(row.refused + row.parse_failed + row.call_failed for row in rows)
    total = failed + sum(row.ok for row in rows)
    if not failed:
        return f"None of the {count(total, 'reply', 'replies')} failed."
    return f"{failed:,} of {count(total, 'reply', 'replies')} failed and count for nothing."


def one_order_sentence(found: Agreement, on: str) -> str:
    """How many comparisons were asked in one order alone, where any were."""
    if DIMENSIONS[on].table != "comparisons" or not found.one_order:
        return ""
    return (
        f" {count(found.one_order, 'comparison')} of a judge"
        f" {'rests' if found.one_order == 1 else 'rest'} on one order of showing; the others on both."
    )


def left_out_sentence(pair: PairAgreement) -> str:
    """What the pair's figures leave out, and what the worst case would make of it."""
    one, many = UNITS[pair.source]
    if not pair.n_left_out:
        text = f"No {one} is left out: each has a mark of both"
        return text + (" from at least one repeat." if pair.source == "scores" else ".")
    told = []
    for judge, states in ((pair.judge_a, pair.left_out_a), (pair.judge_b, pair.left_out_b)):
        if states:
            parts = [f"{n:,} {_FAILURES.get(state, state)}" for state, n in states.items()]
            told.append(f"{plain(judge)} {listing(parts)}")
    return (
        f"{count(pair.n_left_out, one, many)} left out: {'; '.join(told)}. The worst case counts"
        f" the {pair.worst.n_failed:,} on which a judge failed as disagreements, as far apart as"
        " the scale allows."
    )


def _percents(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return f" ({percent(low).removesuffix(' %')} to {percent(high)})"


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" ({interval(low, high, decimals=2)})"


def _kappa(pair: PairAgreement) -> float:
    return pair.kappa or 0.0


def shares_text(pair: PairAgreement) -> str:
    """Prevalence: each judge's share of the positive category, else its most used mark."""
    if pair.shares_a is None or pair.shares_b is None:
        return "–"
    if pair.prevalence_of is not None:
        return f"{percent(pair.prevalence_a)} / {percent(pair.prevalence_b)}"
    return f"{_most(pair.categories, pair.shares_a)} / {_most(pair.categories, pair.shares_b)}"


def _most(categories: Sequence[float], shares: Sequence[float]) -> str:
    place = max(range(len(shares)), key=lambda n: shares[n])
    return f"{categories[place]:g} ({percent(shares[place])})"
