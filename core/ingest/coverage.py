"""What a study's tables lack or hold that is odd: no errors, but each moves a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import overload

import pandas as pd

from core.ingest.links import HOMES, known_ids, pointers
from core.schema import STATES
from core.study import Study


@dataclass(frozen=True, kw_only=True)
class CoverageEntry:
    """One oddity of one table: how many rows (``count``) and which (``ids``).

    ``ids`` are the rows' ids, in order and once each; for ``lone_system`` they are systems and
    for ``topic_without_papers`` topics.
    """

    table: str
    code: str
    message: str
    count: int
    ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """Every oddity of a study, by table; behaves as the sequence of its entries."""

    study: str
    entries: tuple[CoverageEntry, ...]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[CoverageEntry]:
        return iter(self.entries)

    @overload
    def __getitem__(self, place: int) -> CoverageEntry: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[CoverageEntry]: ...
    def __getitem__(self, place: int | slice) -> CoverageEntry | Sequence[CoverageEntry]:
        return self.entries[place]

    def to_frame(self) -> pd.DataFrame:
        """One row an entry, its ids as a tuple."""
        names = ["table", "code", "message", "count", "ids"]
        return pd.DataFrame([vars(entry) for entry in self.entries], columns=names)


def coverage(study: Study) -> Coverage:
    """What is missing or odd in the tables of a study; empty where nothing is.

    Shares are of the table's rows. Nothing here is an error: ``foreseen check`` lists those.
    """
    found: Iterator[CoverageEntry | None] = chain(
        _ideas(study),
        _papers(study),
        *(_judged(study, name) for name in ("scores", "starts", "comparisons", "verdicts")),
        _candidates(study),
    )
    entries = tuple(entry for entry in found if entry is not None)
    return Coverage(study=study.config.name, entries=entries)


def _ideas(study: Study) -> Iterator[CoverageEntry | None]:
    ideas = study.ideas
    by_id = _lister("ideas", ideas, "idea_id")
    no_problem, no_method = _blank(ideas["problem"]), _blank(ideas["method"])
    yield by_id("no_problem", "ideas without a problem", no_problem & ~no_method)
    yield by_id("no_method", "ideas without a method", no_method & ~no_problem)
    yield by_id(
        "no_problem_no_method",
        "ideas with neither problem nor method: they are matched by what else they say",
        no_problem & no_method,
    )
    yield by_id("no_topic", "ideas without a topic", _blank(ideas["topic"]))
    texts = ideas[["title", "problem", "method"]].fillna("")
    twice = texts.duplicated(keep=False) & (texts != "").any(axis=1)
    yield by_id("same_text", "ideas whose text another idea has too", twice)
    sizes = ideas["system"].value_counts()
    yield _entry("ideas", "lone_system", "systems with a single idea", sizes.index[sizes == 1])
    held = set(chain.from_iterable(study.papers["topics"]))
    if held:
        topics = pd.Index(ideas["topic"].dropna().unique())
        lacking = topics[~topics.isin(held)]
        yield _entry("ideas", "topic_without_papers", "topics of ideas that no paper has", lacking)
    if len(study.scores):
        unscored = ~ideas["idea_id"].isin(study.scores["idea_id"])
        yield by_id("no_score", "ideas that no judge marked", unscored)


_FAILED = dict(
    zip(
        STATES[1:],
        ("the judge refused", "the reply was not readable", "the call failed"),
        strict=True,
    )
)


def _papers(study: Study) -> Iterator[CoverageEntry | None]:
    papers = study.papers
    by_id = _lister("papers", papers, "paper_id")
    yield by_id("no_date", "papers without a date: in no pool", papers["published"].isna())
    for precision in ("month", "year"):
        coarse = papers["published"].notna() & papers["date_precision"].eq(precision)
        yield by_id(f"{precision}_only", f"papers dated to the {precision} only", coarse)
    yield by_id("title_only", "papers without an abstract", _blank(papers["abstract"]))
    unknown = papers["citations"].isna()
    share = f"{unknown.mean():.1%}" if len(papers) else ""
    yield by_id("unknown_citations", f"papers with unknown citations ({share})", unknown)
    yield by_id("no_venue", "papers without a venue", _blank(papers["venue"]))
    merged = papers["extra"].map(lambda extra: bool(extra.get("merged"))).astype(bool)
    yield by_id("merged", "papers made of more than one record", merged)


def _judged(study: Study, name: str) -> Iterator[CoverageEntry | None]:
    frame: pd.DataFrame = getattr(study, name)
    by_idea = _lister(name, frame, "idea_id")
    for column in pointers(name):
        home = HOMES[column]
        unknown = ~frame[column].isin(known_ids(study, name, column))
        code = f"unknown_{column.removesuffix('_id')}"
        yield _lister(name, frame, column)(code, f"rows whose {column} is not in {home}", unknown)
    for state, happened in _FAILED.items():
        yield by_idea(state, f"rows without a mark: {happened}", frame["state"].eq(state))


def _candidates(study: Study) -> Iterator[CoverageEntry | None]:
    if study.candidates is None or study.candidates_info is None:
        return
    from core.matching.candidates import is_stale

    if is_stale(study):
        yield CoverageEntry(
            table="candidates",
            code="stale",
            message="candidates are older than the tables: run `foreseen match`",
            count=len(study.candidates),
            ids=(),
        )


def _lister(
    table: str, frame: pd.DataFrame, column: str
) -> Callable[[str, str, pd.Series], CoverageEntry | None]:
    def listed(code: str, message: str, rows: pd.Series) -> CoverageEntry | None:
        count = int(rows.sum())
        if not count:
            return None
        ids = tuple(dict.fromkeys(frame.loc[rows, column]))
        return CoverageEntry(table=table, code=code, message=message, count=count, ids=ids)

    return listed


def _entry(table: str, code: str, message: str, names: Sequence[str]) -> CoverageEntry | None:
    if not len(names):
        return None
    ids = tuple(sorted(names))
    return CoverageEntry(table=table, code=code, message=message, count=len(ids), ids=ids)


def _blank(texts: pd.Series) -> pd.Series:
    return texts.isna() | texts.str.strip().eq("")
