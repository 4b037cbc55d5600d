"""Records of one paper made one: preprint and published version, DOI and arXiv id, same title.

Two records are one paper where they share an identifier (arXiv id without version, DOI, any other
of one kind), or a normalised title that is particular enough, with years at most
``TITLE_YEARS`` apart. Kept are the earliest date as finely as the others confirm it, the highest
citation count, a published venue over a preprint server, the longest abstract, all topics and
identifiers; what was merged is listed in ``extra.merged``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from core.cells import is_missing
from core.ingest.dates import cut, earliest
from core.ingest.identifiers import normal_identifiers, tells_apart, title_key
from core.ingest.report import MergedPaper

TITLE_YEARS = 2
_SAME_WORK = 0.5
_PREPRINT = re.compile(
    r"arxiv|biorxiv|medrxiv|corr|ssrn|preprints?|research ?square|openreview|techrxiv|"
    r"submitted to|under review|hal",
    re.I,
)
_WORKSHOP = re.compile(r"workshop|findings|submitted|withdrawn|rejected", re.I)
_PRECISION = {4: "year", 7: "month", 10: "day"}

Record = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class PaperMerge:
    """The papers after a merge.

    ``fates`` says of each incoming record: added, updated, unchanged, merged or clash;
    ``clashes`` names, by the incoming record's number, the title that already has its id.
    """

    records: tuple[Record, ...]
    fates: tuple[str, ...]
    merges: tuple[MergedPaper, ...]
    clashes: Mapping[int, str]


def merge_papers(
    known: Sequence[Record], incoming: Sequence[Record], *, source: Sequence[str] = ()
) -> PaperMerge:
    """Put ``incoming`` papers (rows of the papers table as dicts) among the ``known`` ones.

    The first record of a paper gives its ``paper_id`` and title; known records come first, so
    ids that other tables point to stay. A record whose id names a paper of quite another title
    is a clash and stays out. Merging the same records again changes nothing.
    """
    groups = _Groups()
    for record in known:
        groups.place(record, fate=False)
    for number, record in enumerate(incoming):
        groups.place(record, source=source[number] if source else None)
    return PaperMerge(
        records=tuple(group.record for group in groups.live()),
        fates=tuple(groups.fates),
        merges=tuple(groups.merges),
        clashes=dict(groups.clashes),
    )


def recorded_merges(papers: pd.DataFrame) -> tuple[MergedPaper, ...]:
    """Every merge that ``extra.merged`` of the papers table tells of, in the table's order."""
    return tuple(
        MergedPaper(
            paper_id=paper_id,
            merged_id=str(entry.get("paper_id", "")),
            by=str(entry.get("by", "")),
            title=str(entry.get("title", "")),
            venue=entry.get("venue"),
            source=entry.get("source"),
        )
        for paper_id, extra in zip(papers["paper_id"], papers["extra"], strict=True)
        for entry in _entries(extra)
    )


def merge_two(first: Record, second: Record) -> Record:
    """One record of two: ``first`` names the paper, each field by the module's rule."""
    merged = dict(first)
    for name, value in second.items():
        if _empty(merged.get(name)) and not _empty(value):
            merged[name] = value
    _merge_dates(merged, first, second)
    counts = [r["citations"] for r in (first, second) if not is_missing(r.get("citations"))]
    if counts:
        merged["citations"] = max(counts)
    if _venue_rank(second.get("venue")) > _venue_rank(first.get("venue")):
        merged["venue"] = second["venue"]
    if len(_text(second.get("abstract"))) > len(_text(first.get("abstract"))):
        merged["abstract"] = second["abstract"]
    own = tuple(first.get("topics") or ())
    others = dict.fromkeys(second.get("topics") or ())
    merged["topics"] = (*own, *(topic for topic in others if topic not in own))
    merged["identifiers"] = {
        **(second.get("identifiers") or {}),
        **(first.get("identifiers") or {}),
    }
    merged["extra"] = {**(second.get("extra") or {}), **(first.get("extra") or {})}
    return merged


@dataclass
class _Group:
    record: Record
    into: _Group | None = None
    years: set[int] = field(default_factory=set)

    def root(self) -> _Group:
        group = self
        while group.into is not None:
            group = group.into
        return group


class _Groups:
    """Papers found so far, by what they are known under."""

    def __init__(self) -> None:
        self.all: list[_Group] = []
        self.by_id: dict[str, _Group] = {}
        self.by_identifier: dict[tuple[str, str], _Group] = {}
        self.by_title: dict[str, list[_Group]] = {}
        self.fates: list[str] = []
        self.merges: list[MergedPaper] = []
        self.clashes: dict[int, str] = {}
        self.fresh: set[str] = set()

    def live(self) -> list[_Group]:
        return [group for group in self.all if group.into is None]

    def place(self, record: Record, *, source: str | None = None, fate: bool = True) -> None:
        named = self.by_id.get(record["paper_id"])
        if fate and named is not None and self._another_work(named.root(), record):
            self.clashes[len(self.fates)] = named.root().record["title"]
            self.fates.append("clash")
            return
        found = self._same(record) if fate else []
        group = found[0][0] if found else None
        if group is None:
            group = _Group(record=dict(record), years=_years(record))
            self.all.append(group)
            self._index(group, record)
            if fate:
                self.fates.append("added")
                self.fresh.add(record["paper_id"])
            return
        before = group.record
        if record["paper_id"] in self.fresh:
            self._absorb(group, record, "paper_id", source)
            self.fates.append("merged")
        elif named is not None and named.root() is group:
            self._absorb(group, record, None, source)
            self.fates.append("unchanged" if _same_content(before, group.record) else "updated")
        else:
            self._absorb(group, record, found[0][1], source)
            self.fates.append("merged")
        self.fresh.add(record["paper_id"])
        for other, by in found[1:]:
            if other.root() is not group:
                other.into = group
                self._absorb(group, other.record, by, source)

    def _absorb(self, group: _Group, record: Record, by: str | None, source: str | None) -> None:
        merged = merge_two(group.record, record)
        entries = _entries(group.record.get("extra"))
        added = [entry for entry in _entries(record.get("extra")) if entry not in entries]
        if by is not None:
            entry = {"paper_id": record["paper_id"], "by": by, "title": record["title"]}
            entry |= {"venue": record["venue"]} if not is_missing(record.get("venue")) else {}
            entry |= {"source": source} if source else {}
            if entry not in entries:
                added.insert(0, entry)
            self.merges.append(
                MergedPaper(
                    paper_id=group.record["paper_id"],
                    merged_id=record["paper_id"],
                    by=by,
                    title=record["title"],
                    venue=entry.get("venue"),
                    source=source,
                )
            )
        if entries or added:
            merged["extra"] = {**merged["extra"], "merged": [*entries, *added]}
        group.record = merged
        group.years |= _years(record)
        self._index(group, record)

    def _index(self, group: _Group, record: Record) -> None:
        for name in (record["paper_id"], *(e["paper_id"] for e in _entries(record.get("extra")))):
            self.by_id.setdefault(name, group)
        for kind, value in normal_identifiers(record.get("identifiers") or {}).items():
            self.by_identifier.setdefault((kind, value), group)
        key = title_key(record["title"])
        groups = self.by_title.setdefault(key, [])
        if group not in groups:
            groups.append(group)

    def _same(self, record: Record) -> list[tuple[_Group, str]]:
        """Every paper found so far that this record is too, and by what."""
        found: dict[int, tuple[_Group, str]] = {}

        def add(group: _Group | None, by: str) -> None:
            if group is not None:
                root = group.root()
                found.setdefault(id(root), (root, by))

        add(self.by_id.get(record["paper_id"]), "paper_id")
        for kind, value in normal_identifiers(record.get("identifiers") or {}).items():
            add(self.by_identifier.get((kind, value)), kind)
        key = title_key(record["title"])
        for group in self.by_title.get(key, ()):
            if self._same_title(key, group.root(), record):
                add(group, "title")
        return list(found.values())

    @staticmethod
    def _same_title(key: str, group: _Group, record: Record) -> bool:
        own, years = _years(record), group.years
        near = not own or not years or min(abs(a - b) for a in own for b in years) <= TITLE_YEARS
        if not near or not key:
            return False
        if tells_apart(key):
            return True
        abstracts = {title_key(r.get("abstract")) for r in (group.record, record)}
        return len(abstracts) == 1 and "" not in abstracts

    @staticmethod
    def _another_work(group: _Group, record: Record) -> bool:
        """Whether an id that is known stands for a paper of quite another title here."""
        known = group.record
        titles = [known["title"]] if known["paper_id"] == record["paper_id"] else []
        entries = _entries(known.get("extra"))
        titles += [e.get("title") for e in entries if e["paper_id"] == record["paper_id"]]
        shared = set(normal_identifiers(known.get("identifiers") or {}).items()) & set(
            normal_identifiers(record.get("identifiers") or {}).items()
        )
        own = title_key(record["title"])
        keys = {title_key(title) for title in titles}
        return (
            not shared
            and own not in keys
            and all(difflib.SequenceMatcher(None, k, own).ratio() < _SAME_WORK for k in keys)
        )


def _merge_dates(merged: Record, first: Record, second: Record) -> None:
    best = earliest(_written(record) for record in (first, second))
    if best is not None:
        merged["published"] = pd.Timestamp(best if len(best) > 4 else f"{best}-01-01")
        merged["date_precision"] = _PRECISION[len(best)]


def _written(record: Record) -> str | None:
    day, precision = record.get("published"), record.get("date_precision")
    if is_missing(day) or day is None:
        return None
    return cut(day, "day" if is_missing(precision) else str(precision))


def _years(record: Record) -> set[int]:
    day = record.get("published")
    return set() if day is None or is_missing(day) else {int(day.year)}


def _venue_rank(venue: object) -> int:
    if is_missing(venue):
        return 0
    if _PREPRINT.match(str(venue).strip()):
        return 1
    return 2 if _WORKSHOP.search(str(venue)) else 3


def _entries(extra: object) -> list[dict[str, Any]]:
    entries = extra.get("merged") if isinstance(extra, Mapping) else None
    return [e for e in entries or () if isinstance(e, dict) and "paper_id" in e]


def _text(cell: object) -> str:
    return "" if is_missing(cell) else str(cell)


def _empty(cell: object) -> bool:
    return is_missing(cell) or (isinstance(cell, (dict, tuple, list)) and not cell)


def _same_content(first: Record, second: Record) -> bool:
    names: Iterable[str] = {*first, *second}
    return all(
        first.get(name) == second.get(name)
        or (_empty(first.get(name)) and _empty(second.get(name)))
        for name in names
    )
