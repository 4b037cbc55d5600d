"""Ideas and their admitted candidates as dense arrays, ready for every θ, K and weight.

Candidates are stored raw. Here the settings' filters are applied and each idea's candidates are
put in order (similarity falling, ties by paper_id), so that the first K of a row are the K
candidates and those with similarity ≥ θ are a prefix of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import Admission, Aggregate, Pool, Settings, UnknownCitations
from core.errors import DataError
from core.hindsight.impact import study_pool, terms
from core.hindsight.memo import once_per_study
from core.study import Study

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
NO_TOPIC = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Ideas:
    """The study's ideas by idea_id: names, systems in alphabetical order, topics ('' = none)."""

    frame: pd.DataFrame
    systems: tuple[str, ...]
    system: Ints
    topics: tuple[str, ...]

    def of(self, system: str) -> Mask:
        """Which ideas are the system's."""
        return np.asarray(self.system == self.systems.index(system))

    def __len__(self) -> int:
        return len(self.frame)


@dataclass(frozen=True, kw_only=True, eq=False)
class Panel:
    """Admitted candidates, one row an idea (in the order of :class:`Ideas`), (ideas, depth).

    Beyond an idea's ``admitted`` candidates ``similarity`` is −inf and ``paper`` (a row of
    ``study.papers``) is −1. ``leaked``: published on or before the system's knowledge cutoff.
    ``pool_size``: papers that take part in each idea's pool. ``strays``: stored candidates
    whose idea or paper is no longer in the study.
    """

    similarity: Floats
    paper: Ints
    rank: Ints
    leaked: Mask
    admitted: Ints
    pool_size: Ints
    strays: int


@once_per_study(1)
def ideas_of(study: Study) -> Ideas:
    """The ideas in the order of every array here."""
    frame = study.ideas[["idea_id", "system", "topic"]].copy()
    frame["row"] = np.arange(len(frame))
    frame = frame.sort_values("idea_id", ignore_index=True)
    frame["topic"] = frame["topic"].fillna(NO_TOPIC)
    codes, names = pd.factorize(frame["system"], sort=True)
    return Ideas(
        frame=frame,
        systems=tuple(str(name) for name in names),
        system=codes.astype(np.int64),
        topics=tuple(str(topic) for topic in frame["topic"]),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Stored:
    idea: Ints
    paper: Ints
    similarity: Floats
    rank: Ints
    leaked: Mask
    strays: int


@once_per_study(1)
def _stored(study: Study) -> _Stored:
    """All stored candidates as codes, in order within each idea."""
    if study.candidates is None:
        raise DataError("This study has no candidates yet. Run `foreseen match` on it first.")
    ideas, frame = ideas_of(study), study.candidates
    idea = pd.Index(ideas.frame["idea_id"]).get_indexer(frame["idea_id"])
    paper = pd.Index(study.papers["paper_id"]).get_indexer(frame["paper_id"])
    similarity = frame["similarity"].to_numpy(dtype=float)
    rank = frame["rank"].to_numpy(dtype=np.int64)
    known = (idea >= 0) & (paper >= 0)
    idea, paper, similarity, rank = idea[known], paper[known], similarity[known], rank[known]
    name_order = study.papers["paper_id"].rank(method="first").to_numpy(dtype=float)
    order = np.lexsort((name_order[paper], -similarity, idea))
    idea, paper = idea[order].astype(np.int64), paper[order].astype(np.int64)
    knows = {
        system: np.datetime64(day, "D") for system, day in study.config.knowledge_cutoff.items()
    }
    until = np.array(
        [knows.get(name, np.datetime64("NaT", "D")) for name in ideas.systems],
        dtype="datetime64[D]",
    )
    published = study.papers["published"].to_numpy(dtype="datetime64[D]")
    return _Stored(
        idea=idea,
        paper=paper,
        similarity=similarity[order],
        rank=rank[order],
        leaked=np.asarray(published[paper] <= until[ideas.system[idea]], dtype=bool),
        strays=int((~known).sum()),
    )


@once_per_study(8)
def _panel(
    study: Study,
    pool: Pool,
    unknown_citations: UnknownCitations,
    title_only: Admission,
    ambiguous_dates: Admission,
    leakage: Admission,
) -> Panel:
    ideas, stored = ideas_of(study), _stored(study)
    papers = study_pool(study, pool, unknown_citations, title_only, ambiguous_dates)
    group = papers.group[ideas.frame["row"].to_numpy()]
    let_in = papers.member[group[stored.idea], stored.paper] & papers.takes_part[stored.paper]
    if leakage == "exclude":
        let_in &= ~stored.leaked
    idea = stored.idea[let_in]
    admitted = np.bincount(idea, minlength=len(ideas)).astype(np.int64)
    start = np.cumsum(admitted) - admitted
    place = np.arange(len(idea)) - start[idea]
    shape = (len(ideas), max(int(admitted.max(initial=0)), 1))
    similarity = np.full(shape, -np.inf)
    paper = np.full(shape, -1, dtype=np.int64)
    rank = np.zeros(shape, dtype=np.int64)
    leaked = np.zeros(shape, dtype=bool)
    similarity[idea, place] = stored.similarity[let_in]
    paper[idea, place] = stored.paper[let_in]
    rank[idea, place] = stored.rank[let_in]
    leaked[idea, place] = stored.leaked[let_in]
    return Panel(
        similarity=similarity,
        paper=paper,
        rank=rank,
        leaked=leaked,
        admitted=admitted,
        pool_size=(papers.member & papers.takes_part).sum(axis=1)[group].astype(np.int64),
        strays=stored.strays,
    )


def panel(study: Study, settings: Settings) -> Panel:
    """The admitted candidates under ``settings``; :class:`DataError` where none are stored."""
    return _panel(
        study,
        settings.pool,
        settings.unknown_citations,
        settings.title_only,
        settings.ambiguous_dates,
        settings.leakage,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Matched:
    """The first K admitted candidates with their impacts, (ideas, K).

    ``citation``, ``venue`` and ``impact`` are 0 beyond an idea's candidates.
    """

    similarity: Floats
    paper: Ints
    citation: Floats
    venue: Floats
    impact: Floats

    def counts(self, theta: float) -> Ints:
        """|M(i)|: candidates with similarity ≥ θ, which are the first ones of each row."""
        return np.asarray((self.similarity >= theta).sum(axis=1), dtype=np.int64)


def matched(study: Study, settings: Settings) -> Matched:
    """Each idea's first K admitted candidates and what they were worth."""
    found, worth = panel(study, settings), terms(study, settings)
    paper = found.paper[:, : settings.k]
    there = paper >= 0
    if not len(study.papers):
        zero = np.zeros(paper.shape)
        citation = venue = zero
    else:
        citation = np.where(there, worth.citation[paper], 0.0)
        venue = np.where(there, worth.venue[paper], 0.0)
    return Matched(
        similarity=found.similarity[:, : settings.k],
        paper=paper,
        citation=citation,
        venue=venue,
        impact=citation + venue,
    )


def prefix_scores(values: Floats, aggregate: Aggregate) -> Floats:
    """HindSight(i) for every number of matches at once, (ideas, K + 1).

    Column m is the aggregate of the first m of ``values`` (ideas, K), candidates by falling
    similarity; column 0 (no match) is 0. ``max``: running maximum; ``mean`` and ``sum``: of
    the m; ``top1``: the first.
    """
    if aggregate == "max":
        run = np.maximum.accumulate(values, axis=1)
    elif aggregate == "sum":
        run = np.cumsum(values, axis=1)
    elif aggregate == "mean":
        run = np.cumsum(values, axis=1) / np.arange(1, values.shape[1] + 1)
    else:
        run = np.repeat(values[:, :1], values.shape[1], axis=1)
    return np.concatenate([np.zeros((len(values), 1)), run], axis=1)


def scoring_place(impact: Floats, counts: Ints, aggregate: Aggregate) -> Ints:
    """The column of each idea's best match, −1 without a match.

    The match of the greatest impact, of equal ones the more similar, then by paper_id; for
    ``top1`` the most similar.
    """
    if aggregate == "top1":
        best = np.zeros(len(impact), dtype=np.int64)
    else:
        inside = np.arange(impact.shape[1])[None, :] < counts[:, None]
        best = np.argmax(np.where(inside, impact, -1.0), axis=1).astype(np.int64)
    return np.where(counts > 0, best, -1)
