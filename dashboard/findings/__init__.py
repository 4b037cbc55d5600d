"""What a page says first: a title and a sentence written from the numbers. Pure, no streamlit.

Claims rest on p after Holm's correction at 5 %. Names of systems are escaped for Markdown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from core.config import SIGNIFICANCE
from core.hindsight.results import HINDSIGHT, Comparison, Correlation, Score, SystemScore
from dashboard.prose import (
    count,
    fixed,
    interval,
    listing,
    number,
    p_value,
    percent,
    plain,
    shorten,
)

OVERALL = "overall"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A title that says what was found, and a sentence with its numbers."""

    title: str
    sentence: str


def ideas_of(system: str) -> str:
    """ "vanilla" → "vanilla ideas"."""
    return f"{plain(system)} ideas"


def start(text: str) -> str:
    """A capital at the start, the rest as it is."""
    return text[:1].upper() + text[1:]


def significant(p: float | None) -> bool:
    """Whether p is below 5 %; an undefined p is not."""
    return p is not None and p < SIGNIFICANCE


def comparison_of(score: Score, metric: str = HINDSIGHT) -> Comparison | None:
    """The comparison that the page is about: the two systems, else the two best of several."""
    pairs = [row for row in score.comparisons if row.metric == metric]
    if len(pairs) < 2:
        return pairs[0] if pairs else None
    ranked = by_mean(score)[:2]
    names = {row.system for row in ranked}
    return next((row for row in pairs if {row.a, row.b} == names), None)


def by_mean(score: Score) -> list[SystemScore]:
    """The systems from the highest mean score to the lowest; undefined ones last."""
    return sorted(score.systems, key=lambda row: (row.mean is None, -(row.mean or 0), row.system))


def winner(row: Comparison) -> str | None:
    """The system that is higher on this metric, where the difference is significant.

    None as well where mean and ranks point in opposite directions.
    """
    if not significant(row.p_adjusted) or row.difference is None or row.rank_biserial is None:
        return None
    if row.difference > 0 and row.rank_biserial > 0:
        return row.a
    if row.difference < 0 and row.rank_biserial < 0:
        return row.b
    return None


def overview(score: Score) -> Finding:
    """The answer to the first question: which system foresaw more, and did the judges see it?"""
    if not score.systems:
        return Finding(title="This study holds no ideas yet", sentence="")
    if all(not row.match_rate for row in score.systems):
        theta = number(score.settings.theta)
        return Finding(
            title=f"No idea met a later paper at θ = {theta}",
            sentence=f"None of {count(sum(row.n for row in score.systems), 'idea')} has a candidate"
            " at or above the threshold, so every score is 0. Lower θ in the sidebar.",
        )
    if len(score.systems) == 1:
        return _one_system(score)
    return _several_systems(score)


def _one_system(score: Score) -> Finding:
    only = score.systems[0]
    sentence = (
        f"Their mean HindSight score is **{number(only.mean)}**"
        f" (95 % interval {interval(only.mean_low, only.mean_high)}, n = {only.n})."
        " With one system there is nothing to compare it with."
    )
    return Finding(
        title=f"{percent(only.match_rate)} of {ideas_of(only.system)} met a later paper",
        sentence=sentence,
    )


def _several_systems(score: Score) -> Finding:
    row = comparison_of(score)
    ranked = by_mean(score)
    if row is None or row.difference is None:
        reason = (row.undefined if row else None) or "a system has no scored ideas"
        names = listing([plain(system.system) for system in ranked])
        return Finding(
            title=f"{start(names)} cannot be compared", sentence=f"{start(plain(reason))}."
        )
    best = winner(row)
    if best is None:
        head = f"No clear difference between {ideas_of(row.a)} and {ideas_of(row.b)}"
        if len(ranked) > 2:
            head = f"No clear winner: {ideas_of(ranked[0].system)} score highest of {len(ranked)}"
    elif len(ranked) > 2:
        head = f"{start(ideas_of(best))} foresaw the most of {len(ranked)} systems"
    else:
        head = f"{start(ideas_of(best))} foresaw more"
    tail, judged = _judges(score, best)
    title = f"{head}; {tail}" if tail else head
    return Finding(title=title, sentence=f"{_how_much(row)} {judged}".strip())


def _how_much(row: Comparison) -> str:
    first, other = (row.a, row.b) if (row.difference or 0) >= 0 else (row.b, row.a)
    swapped = first == row.b
    n = (row.n_b, row.n_a) if swapped else (row.n_a, row.n_b)
    basis = f"{p_value(row.p_adjusted)}, n = {n[0]} + {n[1]}"
    ratio, low, high = row.ratio, row.ratio_low, row.ratio_high
    if swapped and ratio is not None:
        ratio = 1 / ratio if ratio else None
        low, high = (1 / high if high else None), (1 / low if low else None)
    if ratio is None:
        difference = abs(row.difference or 0)
        low, high = row.difference_low, row.difference_high
        if swapped and low is not None and high is not None:
            low, high = -high, -low
        return (
            f"HindSight scores {ideas_of(first)} **{number(difference)}** higher than"
            f" {ideas_of(other)} ({_interval(low, high)}{basis})."
        )
    return (
        f"HindSight scores {ideas_of(first)} **{number(ratio)} times** as high as"
        f" {ideas_of(other)} ({_interval(low, high)}{basis})."
    )


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"95 % interval {interval(low, high)}, "


def _judges(score: Score, best: str | None) -> tuple[str, str]:
    """The judges' part of the title and of the sentence."""
    row = comparison_of(score, OVERALL)
    if row is None or (row.difference is None and not row.n_a and not row.n_b):
        return "", "No judge has marked these ideas."
    if row.difference is None:
        reason = row.undefined or "too few marks"
        return "", f"The judges' overall marks cannot be compared: {plain(reason)}."
    preferred = winner(row)
    if preferred is None:
        tail = "the judges saw no difference"
    elif preferred == best:
        tail = "the judges agree"
    else:
        tail = f"the judges prefer {ideas_of(preferred)}"
    higher = row.a if row.difference >= 0 else row.b
    low, high = row.difference_low, row.difference_high
    if row.difference < 0 and low is not None and high is not None:
        low, high = -high, -low
    span = "" if low is None or high is None else f"{interval(low, high, decimals=2)}, "
    who = "The judges' overall marks" if score.settings.judge == "all" else "Its overall marks"
    if score.settings.judge != "all":
        who = f"Overall marks of judge {plain(score.settings.judge)}"
    sentence = (
        f"{who} differ by **{fixed(abs(row.difference), 2)}** of 10, {plain(higher)} higher"
        f" ({span}{p_value(row.p_adjusted)})."
    )
    return tail, sentence


def correlation_title(rows: Sequence[Correlation]) -> str:
    """What the heat map shows: how judges' marks go with the score."""
    known = [row for row in rows if row.rho is not None]
    if not known:
        return "Judges' marks and the score cannot be correlated"
    negative = [row for row in known if significant(row.p_adjusted) and (row.rho or 0) < 0]
    positive = [row for row in known if significant(row.p_adjusted) and (row.rho or 0) > 0]
    if negative and not positive:
        return f"The higher the judges' {_dimensions(negative)}, the lower the score"
    if positive and not negative:
        return f"The higher the judges' {_dimensions(positive)}, the higher the score"
    if positive and negative:
        up, down = _dimensions(positive), _dimensions(negative)
        rises = "rise" if " and " in up else "rises"
        falls = "fall" if " and " in down else "falls"
        return f"Judges' {up} {rises} with the score, {down} {falls}"
    return "No judge's mark goes with the score"


def _dimensions(rows: Sequence[Correlation]) -> str:
    return listing(list(dict.fromkeys(row.dimension for row in rows)))


def separation_title(row: Comparison | None, what: str) -> str:
    """The title over one of the two distributions."""
    if row is None or row.difference is None:
        return what
    best = winner(row)
    if best is None:
        return f"{what}: no clear difference"
    return f"{what}: {plain(best)} higher"


@dataclass(frozen=True, kw_only=True)
class Card:
    """One figure: what it is, its value, and a quiet line beneath (the other systems)."""

    label: str
    value: str
    beneath: str = ""
    help: str | None = None


def cards(score: Score) -> list[Card]:
    """Four figures of the leading system, the others beneath."""
    ranked = by_mean(score)
    marks = score.ideas.groupby("system")["judge_overall"].mean()
    marked = {str(name): None if value != value else float(value) for name, value in marks.items()}
    items: list[tuple[str, dict[str, str], str]] = [
        (
            "Mean HindSight score",
            {row.system: fixed(row.mean, 3) for row in ranked},
            "0 to 1: mean over ideas of the best impact among the papers that each met",
        ),
        (
            "Ideas with a match",
            {row.system: percent(row.match_rate) for row in ranked},
            "Share of ideas with at least one candidate at or above θ",
        ),
        (
            "Matches per idea",
            {row.system: fixed(row.mean_matches, 1) for row in ranked},
            f"Candidates at or above θ, of at most {score.settings.k}",
        ),
    ]
    if any(value is not None for value in marked.values()):
        items.append(
            (
                "Judges' overall, of 10",
                {row.system: fixed(marked.get(row.system), 2) for row in ranked},
                "Mean over ideas of the mean over judges and repeats",
            )
        )
    first = ranked[0].system
    return [
        Card(
            label=name,
            value=values[first],
            beneath="  \n".join(
                f"{plain(shorten(row.system, 28))} {values[row.system]}" for row in ranked[1:4]
            )
            + (f"  \nand {len(ranked) - 4} more" if len(ranked) > 4 else ""),
            help=f"{plain(first)}. {help_}",
        )
        for name, values, help_ in items
    ]


def comparison_frame(score: Score) -> pd.DataFrame:
    """Every comparison as a table to read: intervals as text, the rest as numbers."""
    return pd.DataFrame(
        [
            {
                "metric": row.metric,
                "a": row.a,
                "b": row.b,
                "n_a": row.n_a,
                "n_b": row.n_b,
                "difference": row.difference,
                "difference_interval": interval(row.difference_low, row.difference_high),
                "ratio": row.ratio,
                "ratio_interval": interval(row.ratio_low, row.ratio_high),
                "rank_biserial": row.rank_biserial,
                "p_adjusted": row.p_adjusted,
                "undefined": row.undefined,
            }
            for row in score.comparisons
        ]
    )
