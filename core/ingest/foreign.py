"""Files of any known shape brought into a study: recognised, read, planned, then written.

::

    plans = plan_files(study, "ideas", [Path("ideas.json")])
    apply_all(plans)

A file that holds ideas and marks gives two plans; all are made before one is applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import pandas as pd

from core.errors import DataError, UsageError
from core.ingest.cleaning import is_personal
from core.ingest.formats import AUTO, GENERIC, formats, named, recognise
from core.ingest.formats.opened import Opened
from core.ingest.formats.reading import Format, Reading, Row
from core.ingest.importing import ImportPlan, plan_import
from core.ingest.mapping import ImportOptions
from core.ingest.reference_shapes import FORMATS as REFERENCE_FORMATS
from core.ingest.reference_shapes import read_reference_file
from core.ingest.report import FileReport, ImportReport, MappedColumn
from core.ingest.tabular import RawFile, has_table_suffix, read_file, table_suffix
from core.study import Study


@dataclass(frozen=True, kw_only=True)
class ForeignFile:
    """One file's rows for each table that it fills, and the format it was read as."""

    name: str
    format: str
    tables: dict[str, RawFile]


def read_foreign(
    path: Path,
    table: str,
    *,
    form: str = AUTO,
    data: bytes | None = None,
) -> ForeignFile:
    """Read one file for ``table``, and for what else it fills.

    ``form`` is a known format's name, 'generic', or 'auto': then the content decides, and a file of no
    known shape goes to the generic reader. Raises :class:`DataError` where it cannot be read.
    """
    opened = Opened(path, data)
    entry = _choose(opened, table, form)
    if entry is None:
        shape = _reviewed_shape(opened) if form == AUTO and table == "references" else None
        raw = _generic(opened, shape or form)
        if shape is not None:
            raw = replace(raw, notes=(f"read as {shape}, known by its content",))
        known = shape or (form if form in REFERENCE_FORMATS else GENERIC)
        return ForeignFile(name=path.name, format=known, tables={table: raw})
    reading = Reading(path.name)
    rows: dict[str, list[Row]] = {}
    for row in entry.read(opened, reading):
        if row.table == table or (entry.together and table == entry.tables[0]):
            rows.setdefault(row.table, []).append(row)
    if table not in rows:
        first = "; ".join(f"line {row.line}: {row.reason}" for row in reading.dropped[:3])
        raise DataError(
            f"{path}: read as {entry.title}, it holds nothing for {table}."
            + (f" Dropped: {first}" if first else "")
        )
    if entry.together and table != entry.tables[0]:
        reading.note(f"The file holds {entry.tables[0]} too: `foreseen import {entry.tables[0]}`")
    return ForeignFile(
        name=path.name,
        format=entry.name,
        tables={
            name: raw_of(entry, reading, found, main=name == table) for name, found in rows.items()
        },
    )


def chunks_of(
    path: Path, table: str, *, form: str, options: ImportOptions, rows: int
) -> Iterator[RawFile]:
    """One file as files of ``rows`` rows, for what is too large to be held; what the reader
    noted comes with a last one that may have no row."""
    opened = Opened(path)
    entry = _choose(opened, table, form)
    if entry is None:
        yield from _generic_chunks(opened, rows)
        return
    reading = Reading(path.name)
    part: list[Row] = []
    for row in entry.read(opened, reading):
        if row.table == table:
            part.append(row)
        if len(part) == rows:
            yield _without(raw_of(entry, reading, part, main=False), options)
            part = []
    yield _without(raw_of(entry, reading, part, main=True), options)


def _reviewed_shape(opened: Opened) -> str | None:
    """Which shape of reviewed papers a file has: LigBench's PAIR-IQ, or OpenReview's notes, as
    whose plain rows the lists of paperlists are read."""
    sample = opened.sample()
    listing = {"contribute", "analysis", "primary area"} & set(sample)
    if "title" in sample and (listing or {"main", "approach"} <= set(sample)):
        return "pair-iq"
    reviews = sample.get("reviews")
    nested = isinstance(reviews, list) and all(isinstance(each, dict) for each in reviews)
    noted = isinstance(sample.get("content"), dict) and bool({"forum", "details"} & set(sample))
    listed = formats()["paperlists"].recognise(opened)
    return "openreview" if nested or noted or listed else None


def _generic(opened: Opened, form: str) -> RawFile:
    """A file of no known shape."""
    suffix = _suffix(opened)
    if form in REFERENCE_FORMATS:
        return read_reference_file(opened.path, opened.data, suffix=suffix)
    return read_file(opened.path, opened.data, suffix=suffix)


def _suffix(opened: Opened) -> str:
    """What kind of table a file is: by its content, and by its name where that says nothing."""
    told = {"json": ".json", "jsonl": ".jsonl", "parquet": ".parquet"}.get(opened.kind)
    if told is not None and opened.first is not None:
        return told
    if has_table_suffix(opened.path) or opened.kind in ("xml", "bibtex"):
        return table_suffix(opened.path)
    if opened.broken is not None:
        raise opened.broken
    first = opened.head.split("\n", 1)[0]
    return told or (".tsv" if first.count("\t") > first.count(",") else ".csv")


def _generic_chunks(opened: Opened, rows: int) -> Iterator[RawFile]:
    """Columns seen once stay, so that a part without one is read as the file's other parts."""
    columns: dict[str, None] = {}
    records = iter(opened.items())
    while part := list(islice(records, rows)):
        columns |= dict.fromkeys(str(name) for _, record in part for name in record)
        frame = pd.DataFrame(
            {n: pd.Series([r.get(n) for _, r in part], dtype=object) for n in columns},
            index=range(len(part)),
        )
        yield RawFile(name=opened.name, frame=frame, lines=tuple(line for line, _ in part))


def raw_of(entry: Format, reading: Reading, rows: Sequence[Row], *, main: bool) -> RawFile:
    """Rows of one table as a file of rows; what the reader noted goes with the main table."""
    names = dict.fromkeys(name for row in rows for name in row.cells)
    columns = {
        name: pd.Series([row.cells.get(name) for row in rows], dtype=object) for name in names
    }
    return RawFile(
        name=reading.file,
        frame=pd.DataFrame(columns, index=range(len(rows))),
        lines=tuple(row.line for row in rows),
        format=entry.name,
        told=tuple(pair for pair in entry.told.items() if _is_column(pair[1], names)),
        notes=(f"read as {entry.title} ({entry.name})", *reading.told()) if main else (),
        dropped=tuple(reading.dropped) if main else (),
        personal=tuple(sorted(reading.personal)) if main else (),
        left_out=tuple(sorted(reading.left_out)) if main else (),
    )


def read_files(
    table: str,
    files: Sequence[Path],
    options: ImportOptions | None = None,
    *,
    form: str = AUTO,
) -> tuple[ForeignFile, ...]:
    """:func:`read_foreign` of each file; options that map columns speak of the file's own names,
    so with them 'auto' is 'generic', and a known format is refused."""
    chosen = form_for(options or ImportOptions(), form)
    return tuple(read_foreign(path, table, form=chosen) for path in files)


def form_for(options: ImportOptions, form: str) -> str:
    """The format to read as: 'generic' where columns are mapped by hand."""
    by_hand = options.maps or options.split_sections or options.drop
    chosen = GENERIC if form == AUTO and by_hand else form
    if by_hand and chosen not in (GENERIC, *REFERENCE_FORMATS):
        raise UsageError(
            "--map, --split-sections and --drop are for the generic reader; a known format needs"
            " none of them. Leave them out, or give --format generic."
        )
    return chosen


def plan_files(
    study: Study,
    table: str,
    files: Sequence[Path] | Sequence[ForeignFile],
    options: ImportOptions | None = None,
    *,
    form: str = AUTO,
) -> tuple[ImportPlan, ...]:
    """A plan for ``table``, then one for each other table that the files fill.

    The study must have been opened with all of these tables. Nothing is written. Raises as
    :func:`~core.ingest.importing.plan_import`.
    """
    options = options or ImportOptions()
    paths = [file for file in files if isinstance(file, Path)]
    read = [
        *(file for file in files if isinstance(file, ForeignFile)),
        *read_files(table, paths, options, form=form),
    ]
    shapes = {file.format for file in read}
    if len(shapes) > 1 and shapes & set(REFERENCE_FORMATS):
        raise UsageError(
            f"The files have several shapes ({', '.join(sorted(shapes))}). Import each."
        )
    options = replace(options, format=next(iter(shapes & set(REFERENCE_FORMATS)), options.format))
    plans: list[ImportPlan] = []
    for name in dict.fromkeys((table, *(name for file in read for name in file.tables))):
        raws = [_without(file.tables[name], options) for file in read if name in file.tables]
        plan = plan_import(study, name, raws, options if name == table else ImportOptions())
        report = replace(plan.report, files=_with_readings(plan.report, raws))
        plans.append(replace(plan, report=report))
        study = replace(study, **{name: plan.frame})
    return tuple(plans)


def _choose(opened: Opened, table: str, name: str) -> Format | None:
    if name == GENERIC or name in REFERENCE_FORMATS or (name == AUTO and opened.kind == "empty"):
        return None
    if name != AUTO:
        entry = named(name, opened)
        if table not in entry.tables:
            raise UsageError(
                f"--format {name} fills {' and '.join(entry.tables)}, not {table}:"
                f" `foreseen import {entry.tables[0]}`."
            )
        return entry
    found = recognise(opened)
    return found if found is not None and table in found.tables else None


def _without(raw: RawFile, options: ImportOptions) -> RawFile:
    """A reader's own value gives way to one that the user sets for every row."""
    given = [name for name in options.constants if raw.format and name in raw.frame.columns]
    return replace(raw, frame=raw.frame.drop(columns=given)) if given else raw


def _with_readings(report: ImportReport, raws: Sequence[RawFile]) -> tuple[FileReport, ...]:
    """Each file's report with what its reader did before the import."""
    return tuple(
        replace(file, notes=(*raw.notes, *file.notes))
        if not raw.format
        else replace(
            file,
            read=file.read + len(raw.dropped),
            dropped=tuple(sorted((*file.dropped, *raw.dropped), key=lambda row: row.line)),
            mapping=(
                *(
                    MappedColumn(theirs=theirs, ours=ours, how="format")
                    for theirs, ours in raw.told
                ),
                *(item for item in file.mapping if item.how == "constant"),
            ),
            extra=kept_in_extra(raw),
            left_out=raw.left_out,
            personal=tuple(sorted({*file.personal, *raw.personal})),
            notes=(*raw.notes, *file.notes),
        )
        for file, raw in zip(report.files, raws, strict=True)
    )


def kept_in_extra(raw: RawFile) -> tuple[str, ...]:
    """Names of the fields that a reader put into ``extra``, without personal ones."""
    cells = raw.frame["extra"] if "extra" in raw.frame.columns else ()
    names = {str(name) for cell in cells if isinstance(cell, dict) for name in cell}
    return tuple(sorted(name for name in names if not is_personal(name)))


def _is_column(ours: str, names: Iterable[str]) -> bool:
    return any(part.strip().partition(".")[0] in names for part in ours.split(","))


def known_formats() -> dict[str, str]:
    """What ``--format`` takes besides 'auto' and 'generic', with what each is."""
    others = dict.fromkeys(REFERENCE_FORMATS, "reviewed papers, for references")
    return {name: entry.title for name, entry in formats().items()} | others
