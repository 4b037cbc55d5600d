"""What a generator may read: papers that certainly appeared by the cutoff, and nothing else of them.

Citations and venues are left out with the later papers: both are known only afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import GENERATE_ABSTRACT_LETTERS
from core.ingest.identifiers import title_key
from core.judging.prompts import fence, fenced_parts
from core.matching.encoders import Encoder
from core.matching.index import normalised
from core.matching.pools import possible_days
from core.matching.text import paper_texts
from core.matching.vectors import Step, encode

_READ = ("paper_id", "title", "abstract", "topics")


@dataclass(frozen=True, kw_only=True, eq=False)
class Literature:
    """Papers by the cutoff, ordered by paper_id, with paper_id, title, abstract and topics.

    ``later`` papers appeared after the cutoff, ``uncertain`` ones may have (their date is a
    month or a year that the cutoff divides), ``undated`` have no date: all three are left out.
    """

    cutoff: date
    papers: pd.DataFrame
    later: int
    uncertain: int
    undated: int

    @property
    def topics(self) -> tuple[str, ...]:
        """Topics that any of these papers carries, in alphabetical order."""
        return tuple(sorted({topic for topics in self.papers["topics"] for topic in topics}))

    @cached_property
    def place(self) -> dict[str, int]:
        """The row of each paper."""
        return {name: row for row, name in enumerate(self.papers["paper_id"])}

    @cached_property
    def titles(self) -> NDArray[np.object_]:
        """Titles as they are compared, in the papers' order."""
        return np.array([title_key(title) for title in self.papers["title"]], dtype=object)

    def text(self, paper_id: str) -> str:
        """Title and abstract; a long abstract is cut at a word."""
        row = self.papers.iloc[self.place[paper_id]]
        parts = {"Title": str(row["title"])}
        if not pd.isna(row["abstract"]):
            parts["Abstract"] = _cut(str(row["abstract"]), GENERATE_ABSTRACT_LETTERS)
        return fenced_parts(parts)

    def fenced(self, papers: Sequence[str]) -> str:
        """Papers as a prompt shows them, each behind its own fence."""
        shown = [fence(f"PAPER {place}", self.text(name)) for place, name in enumerate(papers, 1)]
        return "\n\n".join(shown) or "(none)"


def literature_before(papers: pd.DataFrame, cutoff: date) -> Literature:
    """The papers whose every possible day lies on or before ``cutoff``."""
    first, last = possible_days(papers)
    day = np.datetime64(cutoff, "D")
    known = ~np.isnat(first)
    by_then = known & (last <= day)
    rows = papers.loc[by_then, list(_READ)].sort_values("paper_id", ignore_index=True)
    return Literature(
        cutoff=cutoff,
        papers=rows,
        later=int((known & (first > day)).sum()),
        uncertain=int((known & (first <= day) & (last > day)).sum()),
        undated=int((~known).sum()),
    )


class Search(Protocol):
    """Finds papers near texts: one row of scores a text, in the literature's order."""

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]: ...


class KeywordSearch:
    """BM25 over title and abstract."""

    def __init__(self, literature: Literature) -> None:
        import bm25s

        self._bm25s = bm25s
        self._papers = len(literature.papers)
        self._index: Any = None
        corpus = paper_texts(literature.papers, "\n").texts
        tokens = bm25s.tokenize(list(corpus), stopwords="en", show_progress=False)
        if any(len(words) for words in tokens.ids):
            self._index = bm25s.BM25()
            self._index.index(tokens, show_progress=False)

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        found = np.zeros((len(texts), self._papers))
        for row, text in enumerate(texts):
            tokens = self._bm25s.tokenize(
                [text], stopwords="en", show_progress=False, return_ids=False
            )
            if self._index is not None and tokens and tokens[0]:
                found[row] = self._index.get_scores(tokens[0])
        return found


class VectorSearch:
    """Cosine of an encoder's vectors; those of papers are kept with the study's others."""

    def __init__(
        self,
        literature: Literature,
        encoder: Encoder,
        derived: Path,
        *,
        progress: Callable[[Step], None] | None = None,
    ) -> None:
        self._encoder = encoder
        texts = paper_texts(literature.papers, encoder.separator)
        found = encode(derived, "papers", texts, encoder, progress=progress)
        self._papers = normalised(found.vectors, "papers")

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        if not len(texts):
            return np.zeros((0, len(self._papers)))
        own = normalised(np.asarray(self._encoder.encode(list(texts)), dtype=np.float32), "texts")
        # to six digits, so that noise in the last bits decides no order
        return np.round(own.astype(np.float64) @ self._papers.T.astype(np.float64), 6)


def nearest(
    literature: Literature, search: Search, texts: Sequence[str], seeds: Sequence[str], n: int
) -> list[tuple[str, ...]]:
    """For each text the ``n`` nearest papers, best first, without its seed paper.

    A paper with the seed's title is the seed once more and is left out too. Equally near papers
    stand by paper_id.
    """
    if not n or literature.papers.empty:
        return [() for _ in texts]
    names = literature.papers["paper_id"].to_numpy()
    found = []
    for scores, seed in zip(search.scores(texts), seeds, strict=True):
        title = literature.titles[literature.place[seed]]
        other = (names != seed) & ((literature.titles != title) | (title == ""))
        order = np.argsort(-scores, kind="stable")
        found.append(tuple(str(names[row]) for row in order[other[order]][:n]))
    return found


def _cut(text: str, letters: int) -> str:
    text = text.strip()
    return text if len(text) <= letters else text[:letters].rsplit(None, 1)[0] + " …"
