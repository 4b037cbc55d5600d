"""A case: one idea with the papers it met and the marks it was given, ready to be read or shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from core.cells import is_missing
from core.config import ALL_JUDGES, JUDGE_DIMENSIONS
from core.errors import UsageError, nearest

if TYPE_CHECKING:
    from core.hindsight.results import Score
    from core.study import Study


@dataclass(frozen=True, kw_only=True)
class CasePaper:
    """A candidate as a case shows it; ``citations`` None means unknown, not 0."""

    paper_id: str
    title: str
    abstract: str | None
    venue: str | None
    published: str | None
    date_precision: str | None
    citations: float | None
    url: str | None
    place: int
    similarity: float
    matched: bool
    impact: float
    citation_term: float
    venue_term: float
    leaked: bool


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One repeat of one judge; marks are None unless ``state`` is 'ok'."""

    judge: str
    repeat: int
    state: str
    novelty: float | None
    feasibility: float | None
    impact: float | None
    overall: float | None
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class Case:
    """An idea under one set of settings.

    ``papers`` are its first K admitted candidates, the most similar first; ``best`` is the one
    the score names, None without a match. ``judge_overall`` and its kin are the judge values
    that the settings give, None where the idea is unscored by the chosen judge.
    """

    idea_id: str
    system: str
    topic: str | None
    title: str | None
    problem: str | None
    rationale: str | None
    method: str | None
    quadrant: str
    score: float | None
    n_matches: int
    theta: float
    k: int
    aggregate: str
    best: CasePaper | None
    papers: tuple[CasePaper, ...]
    judge_novelty: float | None
    judge_feasibility: float | None
    judge_impact: float | None
    judge_overall: float | None
    marks: tuple[Mark, ...]
    short_of_k: bool
    study: str
    simulated: bool

    @property
    def heading(self) -> str:
        """The title, else the beginning of the first text the idea has, else its id."""
        for text in (self.title, self.problem, self.method):
            if text and text.strip():
                line = " ".join(text.split())
                return line if len(line) <= 120 else line[:119] + "…"
        return self.idea_id

    @property
    def shown_paper(self) -> CasePaper | None:
        """The paper of the score, else the nearest candidate, which lies below θ."""
        return self.best or (self.papers[0] if self.papers else None)


def case(study: Study, score: Score, idea_id: str) -> Case:
    """One idea's case; raises :class:`UsageError` for an id that the study does not have."""
    return cases(study, score, [idea_id])[0]


def cases(study: Study, score: Score, idea_ids: Sequence[str]) -> tuple[Case, ...]:
    """The cases of the named ideas, in that order."""
    known = set(score.ideas["idea_id"])
    for idea_id in idea_ids:
        if idea_id not in known:
            raise UsageError(f"No idea '{idea_id}'. {_hint(idea_id, score.ideas['idea_id'])}")
    wanted = set(idea_ids)
    texts = _records(study.ideas, "idea_id", wanted)
    rows = _records(score.ideas, "idea_id", wanted)
    met = score.matches[score.matches["idea_id"].isin(wanted)].sort_values(["idea_id", "place"])
    papers = _records(study.papers, "paper_id", set(met["paper_id"]))
    by_idea = {str(key): group for key, group in met.groupby("idea_id", sort=False)}
    marks = _marks(study, score.settings.judge, wanted)
    return tuple(
        _case(
            score,
            texts[i],
            rows[i],
            _papers(by_idea.get(i), papers),
            tuple(marks.get(i, ())),
        )
        for i in idea_ids
    )


def quadrant_ids(score: Score, quadrants: Iterable[str]) -> list[str]:
    """Ideas of the quadrants, the largest disagreement first.

    Hidden gems come by score from the top, overhyped ideas by the judges' mark from the top;
    the rest by score, then mark; ties by idea_id.
    """
    names = list(quadrants)
    rows = score.ideas[score.ideas["quadrant"].isin(names)]
    order = ["score", "judge_overall"]
    if names == ["overhyped"]:
        order.reverse()
    rows = rows.sort_values([*order, "idea_id"], ascending=[False, False, True])
    return [str(idea_id) for idea_id in rows["idea_id"]]


def case_table(cases: Iterable[Case]) -> pd.DataFrame:
    """One row a case, for CSV: the idea, its best paper, the score's split and the marks."""
    rows = []
    for item in cases:
        paper = item.shown_paper
        rows.append(
            {
                "idea_id": item.idea_id,
                "system": item.system,
                "topic": item.topic,
                "title": item.title,
                "problem": item.problem,
                "method": item.method,
                "quadrant": item.quadrant,
                "score": item.score,
                "n_matches": item.n_matches,
                "theta": item.theta,
                "k": item.k,
                "paper_id": paper.paper_id if paper else None,
                "paper_title": paper.title if paper else None,
                "paper_matched": paper.matched if paper else None,
                "similarity": paper.similarity if paper else None,
                "citation_term": paper.citation_term if paper else None,
                "venue_term": paper.venue_term if paper else None,
                "venue": paper.venue if paper else None,
                "published": paper.published if paper else None,
                "citations": paper.citations if paper else None,
                "judge_overall": item.judge_overall,
                "judge_novelty": item.judge_novelty,
                "judge_feasibility": item.judge_feasibility,
                "judge_impact": item.judge_impact,
                "marks": len(item.marks),
                "simulated": item.simulated,
            }
        )
    return pd.DataFrame(rows, columns=list(rows[0]) if rows else ["idea_id"])


def _case(
    score: Score,
    texts: dict[str, Any],
    row: dict[str, Any],
    papers: tuple[CasePaper, ...],
    marks: tuple[Mark, ...],
) -> Case:
    best_id = _known(row["best_paper_id"])
    return Case(
        idea_id=row["idea_id"],
        system=row["system"],
        topic=_known(texts["topic"]),
        title=_known(texts["title"]),
        problem=_known(texts["problem"]),
        rationale=_known(texts["rationale"]),
        method=_known(texts["method"]),
        quadrant=row["quadrant"],
        score=_known(row["score"]),
        n_matches=int(row["n_matches"]),
        theta=score.settings.theta,
        k=score.settings.k,
        aggregate=score.settings.aggregate,
        best=next((paper for paper in papers if paper.paper_id == best_id), None),
        papers=papers,
        **{f"judge_{name}": _known(row[f"judge_{name}"]) for name in JUDGE_DIMENSIONS},
        marks=marks,
        short_of_k=bool(row["short_of_k"]),
        study=score.study.name,
        simulated=score.study.simulated,
    )


def _papers(met: pd.DataFrame | None, papers: dict[str, dict[str, Any]]) -> tuple[CasePaper, ...]:
    if met is None:
        return ()
    return tuple(
        CasePaper(
            paper_id=row["paper_id"],
            title=paper["title"],
            abstract=_known(paper["abstract"]),
            venue=_known(paper["venue"]),
            published=_day(paper["published"], _known(paper["date_precision"])),
            date_precision=_known(paper["date_precision"]),
            citations=_known(paper["citations"]),
            url=_known(paper["url"]),
            place=int(row["place"]),
            similarity=float(row["similarity"]),
            matched=bool(row["matched"]),
            impact=float(row["impact"]),
            citation_term=float(row["citation_term"]),
            venue_term=float(row["venue_term"]),
            leaked=bool(row["leaked"]),
        )
        for row in met.to_dict("records")
        for paper in [papers[row["paper_id"]]]
    )


def _marks(study: Study, judge: str, ids: set[str]) -> dict[str, list[Mark]]:
    rows = study.scores[study.scores["idea_id"].isin(ids)]
    if judge != ALL_JUDGES:
        rows = rows[rows["judge"] == judge]
    found: dict[str, list[Mark]] = {}
    for row in rows.sort_values(["idea_id", "judge", "repeat"]).to_dict("records"):
        ok = row["state"] == "ok"
        found.setdefault(row["idea_id"], []).append(
            Mark(
                judge=row["judge"],
                repeat=int(row["repeat"]),
                state=row["state"],
                **{name: _known(row[name]) if ok else None for name in JUDGE_DIMENSIONS},
                reason=_known(row["reason"]),
            )
        )
    return found


def _records(frame: pd.DataFrame, key: str, wanted: set[str]) -> dict[str, dict[str, Any]]:
    rows = frame[frame[key].isin(wanted)].to_dict("records")
    return {str(row[key]): {str(name): cell for name, cell in row.items()} for row in rows}


def _known(cell: Any) -> Any:
    return None if is_missing(cell) or cell is pd.NA else cell


def _day(day: Any, precision: str | None) -> str | None:
    """The date as exactly as it is known: 2024-06-03, 2024-06 or 2024."""
    if is_missing(day):
        return None
    length = {"year": 4, "month": 7}.get(precision or "day", 10)
    return str(day.date().isoformat())[:length]


def _hint(idea_id: str, known: pd.Series) -> str:
    names = [str(name) for name in known]
    return nearest(idea_id, names) if len(names) <= 20 else _close(idea_id, names)


def _close(idea_id: str, names: list[str]) -> str:
    """As :func:`nearest`, without listing hundreds of ids."""
    said = nearest(idea_id, names)
    return said if said.startswith("Did") else f"The study has {len(names)} ideas."
