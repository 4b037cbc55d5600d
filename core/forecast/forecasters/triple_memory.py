"""A typed memory of past innovations: bases, operators and gaps with how often, how lately and
to what use (IdeaForecastBench, MDF)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date

from core.forecast.forecasters.history import SeenPaper
from core.forecast.forecasters.triples import Triple

HALF_LIFE_MONTHS = 6.0
DAYS_A_MONTH = 30.44
TYPES = ("base", "operator", "gap")


@dataclass(frozen=True, kw_only=True)
class Item:
    """One thing remembered.

    ``frequency``: papers that hold it. ``recency``: ½ to the power of months since the last of
    them over six, 0 to 1. ``utility``: (credited + 1)/(tried + 2) over earlier ideas that used
    it, 0 to 1, ½ where none did.
    """

    kind: str
    text: str
    frequency: int
    recency: float
    utility: float


@dataclass
class TripleMemory:
    """What one history holds at its cutoff; ``moves`` counts base and operator together."""

    cutoff: date
    _counts: dict[str, Counter[str]] = field(default_factory=lambda: {t: Counter() for t in TYPES})
    _last: dict[tuple[str, str], date] = field(default_factory=dict)
    _tried: dict[str, Counter[str]] = field(default_factory=lambda: {t: Counter() for t in TYPES})
    _credited: dict[str, Counter[str]] = field(
        default_factory=lambda: {t: Counter() for t in TYPES}
    )
    _support: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    triples: Counter[Triple] = field(default_factory=Counter)
    moves: Counter[tuple[str, str]] = field(default_factory=Counter)

    @classmethod
    def of(
        cls,
        cutoff: date,
        read: Iterable[tuple[SeenPaper, Triple]],
        used: Sequence[tuple[Triple, bool]] = (),
    ) -> TripleMemory:
        """Remember papers' triples, and earlier ideas' triples with whether they were credited."""
        memory = cls(cutoff)
        for paper, triple in read:
            memory.triples[triple] += 1
            memory.moves[triple.base, triple.operator] += 1
            for kind in TYPES:
                text = getattr(triple, kind)
                memory._counts[kind][text] += 1
                key = kind, text
                memory._last[key] = max(memory._last.get(key, paper.published), paper.published)
                memory._support.setdefault(key, []).append(paper.title)
        for triple, credited in used:
            for kind in TYPES:
                text = getattr(triple, kind)
                memory._tried[kind][text] += 1
                memory._credited[kind][text] += credited
        return memory

    def item(self, kind: str, text: str) -> Item:
        """What is known of one base, operator or gap; frequency 0 where it was never seen."""
        last = self._last.get((kind, text))
        months = 0.0 if last is None else (self.cutoff - last).days / DAYS_A_MONTH
        return Item(
            kind=kind,
            text=text,
            frequency=self._counts[kind][text],
            recency=0.0 if last is None else 0.5 ** (months / HALF_LIFE_MONTHS),
            utility=(self._credited[kind][text] + 1) / (self._tried[kind][text] + 2),
        )

    def most(self, kind: str, n: int) -> list[str]:
        """The ``n`` texts with the highest frequency × recency × utility, ties by text."""

        def weight(text: str) -> float:
            item = self.item(kind, text)
            return item.frequency * item.recency * item.utility

        return sorted(self._counts[kind], key=lambda text: (-weight(text), text))[:n]

    def support(self, triple: Triple, n: int) -> list[str]:
        """Titles of papers that hold the triple's base or gap, in turns, the newest first."""
        bases = self._support.get(("base", triple.base), [])
        gaps = self._support.get(("gap", triple.gap), [])
        mixed = [title for pair in zip(bases, gaps, strict=False) for title in pair]
        return list(dict.fromkeys([*mixed, *bases, *gaps]))[:n]
