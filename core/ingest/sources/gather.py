"""What sources gave, put into a study by the import's own path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from core.errors import UsageError
from core.ingest.foreign import ForeignFile, plan_files, read_foreign
from core.ingest.importing import open_for_import
from core.ingest.mapping import ImportOptions
from core.ingest.report import ImportReport
from core.ingest.sources import paper_source
from core.ingest.sources.fetch import Fetch, Source, fetch
from core.ingest.sources.openreview import OpenReviewVenue
from core.ingest.sources.transport import SourceError, Transport, quiet

Connect = Callable[[Source], Transport]


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """What was fetched, search by search, and what became of it; ``report`` is None where no
    search found anything. ``snapshot`` is the day that ``study.toml`` now names."""

    table: str
    fetches: tuple[Fetch, ...]
    report: ImportReport | None
    snapshot: date | None
    stopped: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "table": self.table,
            "snapshot": self.snapshot,
            "stopped": self.stopped,
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
        return "\n".join(lines + ([self.stopped] if self.stopped else []))


def gather_papers(
    folder: Path,
    source: str,
    topics: Mapping[str, str],
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

    A paper found for several topics has them all; ``snapshot`` in ``study.toml`` becomes the day
    of the last page. Where the source gives up, what has come is imported and ``stopped`` says
    why.
    """
    if end < start:
        raise UsageError(f"--to {end} is before --from {start}.")
    make = paper_source(source)
    searches = {
        topic: make(query=query, start=start, end=end, url=url) for topic, query in topics.items()
    }
    found, files, stopped = _fetch_all(
        folder, searches, limit=limit, restart=restart, today=today, connect=connect, note=note
    )
    report, snapshot = _import(folder, "papers", files), None
    # OpenAlex and Semantic Scholar count citations; arXiv does not.
    if report is not None and source != "arxiv":
        snapshot = max((date.fromisoformat(f.ended) for f in found if f.ended), default=None)
        snapshot = snapshot or today or date.today()
        study = open_for_import(folder, "papers")
        if study.config.snapshot != snapshot:
            study.write_config(study.config.model_copy(update={"snapshot": snapshot}))
    return Gathered(
        table="papers", fetches=found, report=report, snapshot=snapshot, stopped=stopped
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
    report = _import(folder, "references", files, options, form="openreview")
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
    for topic, search in searches.items():
        transport = connect(search)
        transport.note = note
        try:
            path, state = fetch(
                search, folder, transport=transport, today=today, limit=limit, restart=restart,
                note=note,
            )  # fmt: skip
        except SourceError as error:
            stopped = str(error)
            break
        found.append(state)
        if state.records:
            files[topic] = path
    if stopped is not None and not files:
        raise SourceError(stopped)
    return tuple(found), files, stopped


def _import(
    folder: Path,
    table: str,
    files: Mapping[str, Path],
    options: ImportOptions | None = None,
    *,
    form: str = "auto",
) -> ImportReport | None:
    if not files:
        return None
    read = [
        _with_topic(read_foreign(path, table, form=form), table, topic)
        for topic, path in files.items()
    ]
    plan = plan_files(open_for_import(folder, table), table, read, options, form=form)[0]
    return plan.apply()[1]


def _with_topic(file: ForeignFile, table: str, topic: str) -> ForeignFile:
    if table != "papers":
        return file
    raw = file.tables[table]
    frame = raw.frame.assign(topics=pd.Series([[topic]] * len(raw.lines), dtype=object))
    return replace(file, tables={table: replace(raw, frame=frame)})
