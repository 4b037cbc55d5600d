"""Ideas as triples (base direction, operator, target gap), read from texts by rules.

The base is the most usual phrase of the title, the operator the one whose cue words the text
uses most, the gap the most usual other phrase of the sentences that speak of what is missing.
A phrase that every fifth paper uses says too little to be either. A model is asked only to write
triples out. Source: IdeaForecastBench, MDF.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass

from core.forecast.forecasters.history import SeenPaper
from core.forecast.forecasters.phrases import phrases_of

OPERATORS = (
    "EXTEND",
    "TRANSFER",
    "COMPOSE",
    "BENCHMARK",
    "ANALYZE",
    "SIMPLIFY",
    "SCALE",
    "ADAPT",
)
_CUES = {
    "EXTEND": r"extend\w*|extensions?|generali[sz]\w+|improv\w+|enhanc\w+|beyond|augment\w*",
    "TRANSFER": r"transfer\w*|cross-domain|cross-task|repurpos\w+|borrow\w*",
    "COMPOSE": r"combin\w+|integrat\w+|unif(?:y|y?i\w+)|hybrid\w*|fus\w+|joint\w*|ensemble\w*|couple\w*",
    "BENCHMARK": r"benchmark\w*|dataset\w*|leaderboard\w*|testbed\w*|evaluation suite",
    "ANALYZE": r"analy\w+|understand\w*|investigat\w+|theor\w+|empirical\w*|survey\w*|why|rethink\w*",
    "SIMPLIFY": r"simpl\w+|lightweight|efficien\w+|compress\w*|prun\w+|distil\w*|minimal\w*",
    "SCALE": r"scal\w+|large-scale|foundation|massive\w*|billion\w*",
    "ADAPT": r"adapt\w*|fine-tun\w+|personali[sz]\w+|domain-specific|test-time|online",
}
_PATTERNS = {name: re.compile(rf"\b(?:{cues})\b", re.I) for name, cues in _CUES.items()}
_MISSING = re.compile(
    r"however|lack|limit|challeng|fail|struggl|remain|difficult|costly|expensive|scarc|gap|ignor"
    r"|overlook|neglect|suffer",
    re.I,
)
_TITLE_WEIGHT = 3
_VAGUE = re.compile(
    r"\w+ly\b|\b(?:due|existing|often|significant|effective|various|recent|current|previous|prior"
    r"|real|high|large|issue|issues|remarkable|promising|crucial|essential|important)\b",
    re.I,
)
_LEAST_PAPERS = 2
_MOST_SHARE = 0.2
_SHARE_FROM = 200


@dataclass(frozen=True, kw_only=True, order=True)
class Triple:
    """(base direction, operator, target gap); phrases in lower case."""

    base: str
    operator: str
    gap: str

    def __str__(self) -> str:
        return f"{self.operator} {self.base} → {self.gap}"


def operator_of(title: str, text: str) -> str:
    """The operator whose cue words stand most often, those of the title three times; ties go to
    the first of :data:`OPERATORS`, which is also the answer where there is no cue."""
    counts = [
        _TITLE_WEIGHT * len(pattern.findall(title)) + len(pattern.findall(text))
        for pattern in (_PATTERNS[name] for name in OPERATORS)
    ]
    return OPERATORS[counts.index(max(counts))]


class TripleReader:
    """Reads triples with the phrases that one history uses: those in at least two papers and,
    where there are two hundred papers or more, in at most a fifth of them."""

    def __init__(self, papers: Sequence[SeenPaper]) -> None:
        counts = Counter(
            phrase for paper in papers for phrase in phrases_of(f"{paper.title}. {paper.abstract}")
        )
        most = len(papers) * _MOST_SHARE if len(papers) >= _SHARE_FROM else len(papers)
        self._papers = {
            phrase: count
            for phrase, count in counts.items()
            if _LEAST_PAPERS <= count <= most and not _VAGUE.search(phrase)
        }

    def read(self, title: str, text: str) -> Triple | None:
        """The text's triple; None where it has no known phrase for the base or the gap."""
        own = phrases_of(title)
        base = self._best(own)
        missing = " . ".join(
            part for part in re.split(r"(?<=[.!?])\s+", text) if _MISSING.search(part)
        )
        others = phrases_of(missing or text) - own
        gap = self._best({phrase for phrase in others if not _MISSING.search(phrase)})
        if base is None or gap is None:
            return None
        return Triple(base=base, operator=operator_of(title, text), gap=gap)

    def _best(self, phrases: Set[str]) -> str | None:
        """The phrase in most papers; of equals the longest, then the first by letter."""
        known = [phrase for phrase in phrases if phrase in self._papers]
        return min(known, key=lambda p: (-self._papers[p], -len(p), p), default=None)
