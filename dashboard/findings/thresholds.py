"""What the page on thresholds says first, written from the exact sweep. Pure, no streamlit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import SIGNIFICANCE
from core.hindsight.results import Score, Sweep
from dashboard.charts.sweep import value_at, visible_thetas
from dashboard.findings import Finding, by_mean, comparison_of, ideas_of, start
from dashboard.prose import interval, number, percent, plain

FEW = 10
_CHANGE = 1.25


@dataclass(frozen=True, kw_only=True)
class Lead:
    """The longest stretch of θ over which one system is significantly higher.

    ``whole``: there is no other stretch; ``open``: it reaches to where no idea matches any more.
    """

    system: str
    other: str
    low: float
    high: float
    whole: bool
    open: bool
    first_ratio: float
    last_ratio: float


def pair_of(score: Score) -> tuple[str, str] | None:
    """The two systems that the page compares."""
    row = comparison_of(score)
    return (row.a, row.b) if row else None


def lead(sweep: Sweep, a: str, b: str, theta: float) -> Lead | None:
    """The stretch that the title tells of, or None where no θ tells the systems apart."""
    own = sweep.ratios[(sweep.ratios["a"] == a) & (sweep.ratios["b"] == b)]
    thetas = own["theta"].to_numpy(dtype=float)
    if not len(thetas):
        return None
    sure = own["p_adjusted"].to_numpy(dtype=float) < SIGNIFICANCE
    difference = own["difference"].to_numpy(dtype=float)
    effect = own["rank_biserial"].to_numpy(dtype=float)
    best: Lead | None = None
    bottom, top = visible_thetas(sweep, theta)
    for system, other, sign in ((a, b, 1), (b, a, -1)):
        holds = sure & (sign * difference > 0) & (sign * effect > 0)
        ratio = own["ratio"].to_numpy(dtype=float)
        spans = _spans(thetas, holds)
        for low, high, first, last in spans:
            seen = min(high, top) - max(low, bottom)
            if best is not None and seen <= min(best.high, top) - max(best.low, bottom):
                continue
            ends = ratio[first], ratio[last]
            best = Lead(
                system=system,
                other=other,
                low=low,
                high=high,
                whole=len(spans) == 1,
                open=high >= _last_match(sweep),
                first_ratio=float(ends[0] if sign > 0 else 1 / ends[0] if ends[0] else np.nan),
                last_ratio=float(ends[1] if sign > 0 else 1 / ends[1] if ends[1] else np.nan),
            )
    return best


def thresholds(score: Score, sweep: Sweep, theta: float, pair: tuple[str, str] | None) -> Finding:
    """Title and sentence of the page that compares ``pair``."""
    if pair is None:
        return _alone(score, sweep, theta)
    a, b = pair
    found = lead(sweep, a, b, theta)
    sentence = f"{_here(sweep, a, b, theta)} {_few(score, sweep, (a, b), theta)}".strip()
    if found is None:
        title = f"No threshold tells {ideas_of(a)} and {ideas_of(b)} apart"
        return Finding(title=title, sentence=sentence)
    bottom, top = visible_thetas(sweep, theta)
    from_start, to_end = found.low <= bottom, found.open or found.high >= top
    if from_start and to_end:
        where = "at every threshold"
    elif to_end:
        where = f"at every threshold from {number(found.low)} up"
    elif from_start:
        where = f"at every threshold up to {number(found.high)}"
    else:
        where = f"for θ from {number(found.low)} to {number(found.high)}"
    verb = "holds" if found.whole else "holds mainly"
    name = plain(found.system)
    return Finding(
        title=f"{start(name)}'s advantage {verb} {where}{_trend(found)}", sentence=sentence
    )


def _alone(score: Score, sweep: Sweep, theta: float) -> Finding:
    if not score.systems:
        return Finding(title="This study holds no ideas yet", sentence="")
    only = by_mean(score)[0]
    own = sweep.points[sweep.points["system"] == only.system]
    rates = own["match_rate"].to_numpy(dtype=float)
    thetas = own["theta"].to_numpy(dtype=float)
    half = thetas[rates >= 0.5]
    title = f"No threshold lets half of {ideas_of(only.system)} match"
    if len(half):
        title = f"Half of {ideas_of(only.system)} match at thresholds up to {number(half.max())}"
    return Finding(
        title=title,
        sentence=f"At θ = {number(theta)} **{percent(only.match_rate)}** match, with a mean score"
        f" of **{number(only.mean)}** (n = {only.n}).",
    )


def _trend(found: Lead) -> str:
    first, last = found.first_ratio, found.last_ratio
    if not (np.isfinite(first) and np.isfinite(last)) or first <= 0 or last <= 0:
        return ""
    if last > first * _CHANGE:
        return ", and grows"
    return ", and shrinks" if last * _CHANGE < first else ""


def _here(sweep: Sweep, a: str, b: str, theta: float) -> str:
    own = sweep.ratios[(sweep.ratios["a"] == a) & (sweep.ratios["b"] == b)]
    thetas = own["theta"].to_numpy(dtype=float)
    place = int(np.searchsorted(thetas, theta, side="left"))
    if place >= len(own):
        return f"At θ = {number(theta)} no idea has a match."
    row = own.iloc[place]
    if pd.isna(row["ratio"]):
        return f"At θ = {number(theta)} the ratio is not defined ({plain(row['undefined'])})."
    low, high = (None if pd.isna(row[name]) else float(row[name]) for name in ("low", "high"))
    span = "" if low is None else f" ({interval(low, high)})"
    return (
        f"At θ = {number(theta)} the mean score of {ideas_of(a)} is **{number(row['ratio'])}**"
        f" times that of {ideas_of(b)}{span}."
    )


def _few(score: Score, sweep: Sweep, pair: tuple[str, str], theta: float) -> str:
    """From where on too few ideas match for a comparison to mean much."""
    sizes = {row.system: row.n for row in score.systems}
    first: tuple[float, str] | None = None
    for system in pair:
        if sizes[system] < FEW:
            continue
        own = sweep.points[sweep.points["system"] == system]
        thetas = own["theta"].to_numpy(dtype=float)
        matching = own["match_rate"].to_numpy(dtype=float) * sizes[system]
        enough = np.flatnonzero(matching >= FEW - 0.5)
        edge = float(thetas[enough[-1]]) if len(enough) else -1.0
        if first is None or edge < first[0]:
            first = edge, system
    if first is None:
        return ""
    edge, system = first
    verb = "that is so here" if theta > edge else ""
    tail = f"; {verb}" if verb else ""
    return f"Above {number(edge)} fewer than {FEW} {ideas_of(system)} match{tail}."


def _spans(
    thetas: NDArray[np.float64], holds: NDArray[np.bool_]
) -> list[tuple[float, float, int, int]]:
    """Stretches in which ``holds``, as θ from, θ to, first and last place."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], holds.astype(int), [0]])))
    return [
        (
            float(thetas[first - 1]) if first else -1.0,
            float(thetas[last - 1]),
            int(first),
            int(last - 1),
        )
        for first, last in zip(edges[::2], edges[1::2], strict=True)
    ]


def _last_match(sweep: Sweep) -> float:
    matched = sweep.points[sweep.points["match_rate"] > 0]
    return float(matched["theta"].max()) if len(matched) else 1.0


def rate_at(sweep: Sweep, system: str, theta: float) -> float:
    """Share of a system's ideas that match at θ."""
    own = sweep.points[sweep.points["system"] == system]
    return value_at(
        own["theta"].to_numpy(dtype=float), own["match_rate"].to_numpy(dtype=float), theta
    )
