"""Sub-topics of a history as phrases of its titles: how often and how fast they are written of."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from core.forecast.forecasters.history import History

TREND_MONTHS = 6
LEAST_PAPERS = 3
_WORD = re.compile(r"[^\W\d_][\w]*(?:-[\w]+)*")
_STOP_WORDS = """
    a about across after all an and any are as at based be been before being between beyond both
    but by can do does for from further has have how in into is it its itself many more most much
    new no not novel of off on one only or other our over paper propose proposed propose present
    presents per same several show such than that the their them these they this those through to
    towards toward under up upon use used using via was we well were what when where which while
    who why will with within without your approach method methods framework model models learning
    toward study results task tasks performance data problem problems system systems via
"""
_STOP = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True, kw_only=True)
class Trend:
    """A phrase, its papers in each of the last months (oldest first), and the least-squares
    slope of these counts in papers a month."""

    phrase: str
    counts: tuple[int, ...]
    slope: float


@lru_cache(maxsize=50_000)
def phrases_of(text: str) -> frozenset[str]:
    """Phrases of two or three words that no stop word or mark parts, in lower case."""
    found: set[str] = set()
    for piece in re.split(r"[^\w\s-]+", text.casefold()):
        run: list[str] = []
        for word in [*_WORD.findall(piece), ""]:
            if word and word not in _STOP and len(word) > 2:
                run.append(word)
                continue
            for size in (2, 3):
                found |= {" ".join(run[at : at + size]) for at in range(len(run) - size + 1)}
            run = []
    return frozenset(found)


def trends(history: History, *, most: int, months: int = TREND_MONTHS) -> list[Trend]:
    """The phrases of titles with the most papers in the last months, and those that rise fastest,
    in turns; those in fewer than three papers are left out."""
    last = history.cutoff.year * 12 + history.cutoff.month - 1
    counts: dict[str, Counter[int]] = {}
    for paper in history.papers:
        age = last - (paper.published.year * 12 + paper.published.month - 1)
        if age < months:
            for phrase in phrases_of(paper.title):
                counts.setdefault(phrase, Counter())[age] += 1
    kept = [
        Trend(phrase=phrase, counts=tuple(own[age] for age in range(months - 1, -1, -1)), slope=0.0)
        for phrase, own in counts.items()
        if own.total() >= LEAST_PAPERS
    ]
    sloped = [Trend(phrase=t.phrase, counts=t.counts, slope=slope(t.counts)) for t in kept]
    often = sorted(sloped, key=lambda t: (-sum(t.counts), t.phrase))
    rising = sorted(sloped, key=lambda t: (-t.slope, t.phrase))
    mixed = [trend for pair in zip(often, rising, strict=True) for trend in pair]
    return list({trend.phrase: trend for trend in mixed}.values())[:most]


def slope(counts: tuple[int, ...]) -> float:
    """Least-squares slope of counts over 0, 1, 2, …; 0 for fewer than two."""
    n = len(counts)
    if n < 2:
        return 0.0
    centre = (n - 1) / 2
    spread = sum((place - centre) ** 2 for place in range(n))
    return sum((place - centre) * count for place, count in enumerate(counts)) / spread
