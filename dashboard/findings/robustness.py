"""What the page on robustness says first, written from the specification curve. Pure."""

from __future__ import annotations

import pandas as pd

from core.config import SIGNIFICANCE
from core.hindsight.null import Null
from core.hindsight.results import SpecificationCurve
from core.hindsight.variants import Variants
from dashboard.charts.specifications import CHOICE_NAMES
from dashboard.findings import Finding, ideas_of, start
from dashboard.prose import listing, number, percent, plain

_MINOR = 0.05


def robustness(curve: SpecificationCurve) -> Finding:
    """Title and sentence of the page."""
    n = len(curve.rows)
    if curve.undefined or not n:
        return Finding(title="There is no effect to vary", sentence=plain(curve.undefined or ""))
    difference, p = curve.rows["difference"], curve.rows["p"]
    ahead, behind = float((difference > 0).mean()), float((difference < 0).mean())
    leader, share = (curve.a, ahead) if ahead >= behind else (curve.b, behind)
    sign = 1 if leader == curve.a else -1
    sure = float(((sign * difference > 0) & (p < SIGNIFICANCE)).mean())
    against = float(((sign * difference < 0) & (p < SIGNIFICANCE)).mean())
    if n == 1:
        title = f"{start(ideas_of(leader))} lead, with one way to compute the score"
    else:
        title = (
            f"{start(ideas_of(leader))} lead in {percent(share)} of {n:,} ways to compute the score"
        )
    parts = [f"The lead is significant (p < {SIGNIFICANCE:g}) in **{percent(sure)}** of them"]
    if against > 0:
        parts.append(f"the reverse is in {percent(against)}")
    return Finding(title=title, sentence=f"{'; '.join(parts)}. {_spread(curve)}".strip())


def _spread(curve: SpecificationCurve) -> str:
    known = curve.explained.dropna(subset=["share"])
    known = known[known["choice"] != "interactions"].sort_values("share", ascending=False)
    if known.empty or known["share"].max() <= 0:
        return ""
    names = [CHOICE_NAMES.get(name, name) for name in known["choice"]]
    shares = known["share"].tolist()
    text = f"What moves it most is **{names[0]}** ({percent(shares[0])} of the spread)"
    if len(names) > 1 and shares[1] >= _MINOR:
        text += f", then **{names[1]}** ({percent(shares[1])})"
    minor = [name for name, share in zip(names[1:], shares[1:], strict=True) if share < _MINOR]
    if minor:
        text += f"; {listing(minor)} hardly {'matters' if len(minor) == 1 else 'matter'}"
    return f"{text}."


def shares_frame(curve: SpecificationCurve) -> pd.DataFrame:
    """Each conclusion with the share of specifications in which it holds, and in which surely.

    Of two opposite conclusions the one that holds more often is kept: conclusion, share,
    significant (both to whole per cent), n.
    """
    sure = f", significantly (p < {SIGNIFICANCE})"
    shares = dict(zip(curve.shares["conclusion"], curve.shares["share"], strict=True))
    sizes = dict(zip(curve.shares["conclusion"], curve.shares["n"], strict=True))
    plain_ones = [name for name in shares if not name.endswith(sure)]
    kept = []
    for first, second in zip(plain_ones[::2], plain_ones[1::2], strict=True):
        if shares[first] is None or shares[second] is None:
            continue
        name = first if shares[first] >= shares[second] else second
        kept.append((name, shares[name], shares.get(f"{name}{sure}"), sizes[name]))
    frame = pd.DataFrame(kept, columns=["conclusion", "share", "significant", "n"])
    return frame.round({"share": 2, "significant": 2})


def venue_title(result: Variants, normalizer: str) -> str:
    """How much of the score is the venue's flag, under the normaliser in force."""
    own = result.systems[result.systems["normalizer"] == normalizer]
    total = float(own["mean"].fillna(0).sum())
    if total <= 0:
        return "The score, split into its two terms"
    share = float(own["venue_term"].fillna(0).sum()) / total
    return f"Venues make up {percent(share)} of the score under {plain(normalizer)}"


def ranks_title(result: Variants) -> str:
    """How alike the normalisers order ideas."""
    values = [
        float(result.ranks.iloc[i, j])
        for i in range(len(result.ranks))
        for j in range(i)
        if result.ranks.iloc[i, j] == result.ranks.iloc[i, j]
    ]
    if not values:
        return "The normalisers cannot be held against each other"
    least = min(values)
    words = "much alike" if least >= 0.9 else "alike" if least >= 0.7 else "not all alike"
    return f"Normalisers order ideas {words} (ρ ≥ {number(least, 2)})"


def chance_sentence(null: Null) -> str:
    """What the ideas score against papers of other topics, where nothing can be foreseen."""
    parts = [
        f"{ideas_of(row.system)} **{number(row.own)}** and **{number(row.swapped)}**"
        for row in null.rows.itertuples()
    ]
    text = (
        "A best of many matches is high by chance alone. Against papers of their own topic and"
        f" against those of every other topic, mean scores are: {listing(parts)}."
    )
    if null.exact is not None and null.exact < 1:
        text += (
            f" For {percent(1 - null.exact)} of ideas the stored candidates end above θ, so the"
            " score by chance may be higher."
        )
    return text
