"""What a forecaster may see: a topic's papers dated on or before the cutoff, and nothing else.

A paper enters as identifier, title, abstract and date. Citations, venues and topics stay out:
they are as of the study's snapshot, which is later than the cutoff.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from core.config import Pool
from core.forecast.geometry import searched_pool
from core.judging.prompts import fence, fenced_parts
from core.judging.task import LETTERS_A_TOKEN
from core.matching.pools import possible_days, topic_masks
from core.study import Study


@dataclass(frozen=True, kw_only=True)
class SeenPaper:
    """One paper of the history; ``published`` is the last day that its date may stand for."""

    paper_id: str
    title: str
    abstract: str
    published: date

    @property
    def text(self) -> str:
        return fenced_parts({"Title": self.title, "Abstract": self.abstract})


@dataclass(frozen=True, kw_only=True)
class History:
    """An episode as its forecaster sees it: papers from the newest to the oldest, ties by id."""

    topic: str
    cutoff: date
    horizon_months: int
    papers: tuple[SeenPaper, ...]


@dataclass(frozen=True, kw_only=True)
class Packed:
    """Papers as one fenced text within a budget; ``shown`` of them fitted."""

    text: str
    shown: int


def visible_history(study: Study, topic: str, cutoff: date, pool: Pool | None = None) -> History:
    """The history of one episode. A paper whose date may be after the cutoff is not in it."""
    pool = pool or searched_pool(study, study.settings)
    _, last = possible_days(study.papers)
    own = last <= np.datetime64(cutoff, "D")
    if pool == "topic":
        own &= topic_masks(study.papers, [topic])[0]
    frame = study.papers[own]
    rows = zip(
        frame["paper_id"],
        frame["title"],
        frame["abstract"].fillna(""),
        last[own].tolist(),
        strict=True,
    )
    papers = [SeenPaper(paper_id=i, title=t, abstract=a, published=d) for i, t, a, d in rows]
    papers.sort(key=lambda paper: paper.paper_id)
    papers.sort(key=lambda paper: paper.published, reverse=True)
    return History(
        topic=topic,
        cutoff=cutoff,
        horizon_months=study.config.horizon_months,
        papers=tuple(papers),
    )


def tokens(text: str) -> int:
    """About how many tokens a text is: a token for four bytes of UTF-8."""
    return -(-len(text.encode("utf-8", "replace")) // LETTERS_A_TOKEN)


def pack(papers: Sequence[SeenPaper], budget: int, *, titles: bool = False) -> Packed:
    """As many papers, in the order given, as ``budget`` tokens hold; titles alone if wanted.

    A first paper that is longer than the whole budget is cut, so that something is shown.
    """
    parts: list[str] = []
    left = budget
    for paper in papers:
        text = f"- {paper.title}" if titles else paper.text
        cost = tokens(text) + 1
        if cost > left:
            if not parts:
                parts.append(text.encode()[: budget * LETTERS_A_TOKEN].decode(errors="ignore"))
            break
        parts.append(text)
        left -= cost
    text = ("\n" if titles else "\n\n").join(parts)
    return Packed(text=fence("PAPERS", text), shown=len(parts))


def pack_lines(lines: Sequence[str], budget: int, label: str) -> Packed:
    """As many lines, in the order given, as ``budget`` tokens hold."""
    kept: list[str] = []
    left = budget
    for line in lines:
        left -= tokens(line) + 1
        if left < 0:
            break
        kept.append(line)
    return Packed(text=fence(label, "\n".join(kept)), shown=len(kept))
