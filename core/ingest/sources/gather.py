"""What sources gave, put into a study by the import's own path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from core.config import LITERATURE_LEAST
from core.errors import UsageError
from core.ingest.foreign import ForeignFile, plan_files, read_foreign
from core.ingest.importing import open_for_import
from core.ingest.mapping import ImportOptions
from core.ingest.report import ImportReport
from core.ingest.sources import COUNT_CITATIONS, earlier_command, paper_source
from core.ingest.sources.fetch import Fetch, Source, fetch, fetches, kept, spool_of
from core.ingest.sources.openreview import OpenReviewVenue
from core.ingest.sources.transport import SourceError, Transport, quiet
from core.matching.pools import possible_days
from core.study import Study

Topics = Mapping[str, str] | Sequence[tuple[str, str]]
Connect = Callable[[Source], Transport]


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """What was fetched, search by search, and what became of it; ``report`` is None where no
    search found anything. ``snapshot`` is the day that ``study.toml`` now names; ``by_cutoff``
    how many papers of each topic that was fetched certainly appeared by the cutoff, and
    ``earlier`` the command that fetches more of them, where they are few."""

    table: str
    fetches: tuple[Fetch, ...]
    report: ImportReport | None
    snapshot: date | None
    stopped: str | None = None
    by_cutoff: Mapping[str, int] = field(default_factory=dict)
    earlier: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "table": self.table,
            "snapshot": self.snapshot,
            "stopped": self.stopped,
            "by_cutoff": dict(self.by_cutoff),
            "earlier": self.earlier,
            "fetches": [vars(each) for each in self.fetches],
            "report": None if self.report is None else self.report.to_dict(),
        }

    def to_text(self) -> str:
        """The same for a terminal."""
        lines = []
        for each in self.fetches:
            asked = ", ".join(f"{name} {text}" for name, text in each.asks.items())
            end = "" if each.ended else ", not at its end yet"
            old = f" ({each.resumed} of them fetched before)" if each.resumed else ""
            of = f" of {each.total:,}" if each.total is not None else ""
            lines.append(
                f"{each.source}: {asked}: {each.records:,}{of} records on {each.pages}"
                f" pages{old}{end}"
            )
        lines.append("Nothing was found." if self.report is None else self.report.to_text())
        if self.snapshot is not None:
            lines.append(f"snapshot: {self.snapshot} (citations were counted on that day)")
        if self.earlier is not None:
            few = [f"{n:,} of '{topic}'" for topic, n in self.by_cutoff.items()]
            lines.append(
                f"papers by the cutoff: {', '.join(few)}. `foreseen generate` with literature reads"
                f" no other; more of them: {self.earlier}"
            )
        return "\n".join(lines + ([self.stopped] if self.stopped else []))


def gather_papers(
    folder: Path,
    source: str,
    topics: Topics,
    *,
    start: date,
    end: date,
    url: str | None = None,
    limit: int | None = None,
    restart: bool = False,
    today: date | None = None,
    connect: Connect = lambda source: source.transport(),
    note: Callable[[str], None] = quiet,
) -> Gathered:
    """Fetch papers for each topic (its name and the words to search) into the papers table.

    A topic may have several searches. Topics with the same words share one search, and a paper
    found for several topics has them all; ``snapshot`` in ``study.toml`` becomes the day
    of the last page. Where the source gives up, what has come is imported and ``stopped`` says
    why.
    """
    day = today or date.today()
    if end < start:
        raise UsageError(f"--to {end} is before --from {start}.")
    if start > day:
        raise UsageError(f"--from {start} is after today, {day}: no such paper is there yet.")
    if end > day:
        note(f"--to {end} is after today: what appears until then is fetched by --restart, then")
    make = paper_source(source)
    pairs = tuple(topics.items() if isinstance(topics, Mapping) else topics)
    searches: dict[str, Source] = {}
    named: dict[str, list[str]] = {}
    for topic, query in pairs:
        words = " ".join(query.split())
        searches[words] = make(query=words, start=start, end=end, url=url)
        named.setdefault(words, []).append(topic)
    found, files, stopped = _fetch_all(
        folder, searches, limit=limit, restart=restart, today=day, connect=connect, note=note
    )
    report = _import(
        folder, "papers", [(path, "topics", named[words]) for words, path in files.items()]
    )
    if report is None:
        return Gathered(table="papers", fetches=found, report=None, snapshot=None, stopped=stopped)
    study = open_for_import(folder, "papers")
    snapshot = None
    if source in COUNT_CITATIONS:
        snapshot = _newest_count(folder)
        if study.config.snapshot != snapshot:
            study = study.write_config(study.config.model_copy(update={"snapshot": snapshot}))
    counts, cutoff = _by_cutoff(study, [topic for topic, _ in pairs]), study.config.cutoff
    earlier = None
    if min(counts.values()) < LITERATURE_LEAST:
        earlier = earlier_command(folder, pairs, cutoff, source=source, start=start)
    return Gathered(
        table="papers",
        fetches=found,
        report=report,
        snapshot=snapshot,
        stopped=stopped,
        by_cutoff=counts,
        earlier=earlier,
    )


def gather_references(
    folder: Path,
    venues: Sequence[str],
    *,
    scales: Sequence[str] = (),
    url: str | None = None,
    limit: int | None = None,
    restart: bool = False,
    today: date | None = None,
    connect: Connect = lambda source: source.transport(),
    note: Callable[[str], None] = quiet,
) -> Gathered:
    """Fetch the reviewed submissions of conferences ('ICLR 2025') into the references table."""
    searches = {venue: OpenReviewVenue(venue=venue, url=url) for venue in venues}
    found, files, stopped = _fetch_all(
        folder, searches, limit=limit, restart=restart, today=today, connect=connect, note=note
    )
    options = ImportOptions(scales=tuple(scales))
    report = _import(
        folder,
        "references",
        [(path, "venue", searches[venue].asks["venue"]) for venue, path in files.items()],
        options,
        form="openreview",
    )
    return Gathered(
        table="references", fetches=found, report=report, snapshot=None, stopped=stopped
    )


def _fetch_all(
    folder: Path,
    searches: Mapping[str, Source],
    *,
    limit: int | None,
    restart: bool,
    today: date | None,
    connect: Connect,
    note: Callable[[str], None],
) -> tuple[tuple[Fetch, ...], dict[str, Path], str | None]:
    found, files, stopped = [], {}, None
    for name, search in searches.items():
        transport = connect(search)
        transport.note = note
        try:
            path, state = fetch(
                search, folder, transport=transport, today=today, limit=limit, restart=restart,
                note=note,
            )  # fmt: skip
        except SourceError as error:
            stopped = str(error)
            path, begun = spool_of(folder, search), kept(folder, search)
            if begun is None:
                break
            state = begun
        found.append(state)
        if state.records:
            files[name] = path
        if stopped is not None:
            break
    if stopped is not None and not files:
        raise SourceError(stopped)
    return tuple(found), files, stopped


def _import(
    folder: Path,
    table: str,
    files: Sequence[tuple[Path, str, object]],
    options: ImportOptions | None = None,
    *,
    form: str = "auto",
) -> ImportReport | None:
    """Files into a table, each with a column that its search knows: topics of papers, and the
    conference of references, which their own venue goes before."""
    if not files:
        return None
    read = [
        _with_column(read_foreign(path, table, form=form), table, column, value)
        for path, column, value in files
    ]
    plan = plan_files(open_for_import(folder, table), table, read, options, form=form)[0]
    return plan.apply()[1]


def _with_column(file: ForeignFile, table: str, column: str, value: object) -> ForeignFile:
    raw = file.tables[table]
    frame = raw.frame.drop(columns=column, errors="ignore")
    frame.insert(0, column, pd.Series([value] * len(raw.lines), dtype=object))
    return replace(file, tables={table: replace(raw, frame=frame)})


def _newest_count(folder: Path) -> date:
    """The newest day on which a page with citations came."""
    return max(
        date.fromisoformat(each.latest or each.ended or each.started)
        for each in fetches(folder)
        if each.source in COUNT_CITATIONS
    )


def _by_cutoff(study: Study, topics: Sequence[str]) -> dict[str, int]:
    """Papers of each topic whose every possible day lies on or before the cutoff."""
    _, last = possible_days(study.papers)
    by_then = study.papers.loc[last <= np.datetime64(study.config.cutoff, "D"), "topics"]
    return {topic: sum(topic in named for named in by_then) for topic in topics}
