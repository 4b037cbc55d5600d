"""From files to a study's table, in steps that a page or a command can show.

``read`` a file, ``propose`` a mapping, ``preview`` what would come of it, ``apply`` it::

    files = [read_file(Path("ideas.csv"))]
    mapping = propose_mapping(TABLES["ideas"], files[0], options)
    plan = plan_import(study, "ideas", files, options)
    plan.report.to_text()
    study = plan.apply()

Nothing is written before ``apply``, and that replaces one file whole or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from core.config import StudyConfig
from core.errors import DataError, TableError, UsageError, nearest
from core.files import CONFIG_FILE
from core.ingest.conversion import Converted, convert
from core.ingest.links import link_ids, unknown_ids
from core.ingest.mapping import FieldMapping, ImportOptions, propose_mapping
from core.ingest.merge import merge_papers
from core.ingest.reference_shapes import FORMATS as REFERENCE_FORMATS
from core.ingest.reference_shapes import flattened
from core.ingest.report import DroppedRow, FileReport, ImportReport, LinkedId, MergedPaper
from core.ingest.tabular import RawFile, read_rows, replacing
from core.ingest.upsert import REPEAT_RULE, number_repeats, upsert
from core.schema import TABLES, Table, admit
from core.study import Study, frame_digest, table_file

CLASH = (
    "its paper_id {named} already names another paper, {title}. Take another column:"
    " --map theirs=paper_id"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class ImportPlan:
    """What an import would do: the table as it would be, and the report."""

    study: Study
    table: str
    frame: pd.DataFrame
    report: ImportReport
    changed: bool

    def apply(self) -> tuple[Study, ImportReport]:
        """Write the table, if anything in it changes, and say so in the report."""
        if not self.changed:
            return self.study, self.report
        study = self.study.write(self.table, self.frame)
        return study, replace(self.report, written=True)


@dataclass(frozen=True, kw_only=True)
class _Incoming:
    """The rows of all files in one list, with the file of each."""

    records: list[dict[str, object]]
    files: list[int]
    lines: list[int]
    given: list[frozenset[str]]


@dataclass(frozen=True, kw_only=True)
class _Outcome:
    records: Sequence[dict[str, object]]
    fates: Sequence[str]
    reasons: dict[int, str]
    merges: tuple[MergedPaper, ...] = ()
    linked: tuple[LinkedId, ...] = ()
    rule: str = ""


def plan_import(
    study: Study, name: str, files: Sequence[RawFile], options: ImportOptions | None = None
) -> ImportPlan:
    """What importing ``files`` into the table ``name`` would do; nothing is written.

    Raises :class:`DataError` (or :class:`UsageError` for an option) where a file cannot be used.
    """
    if name not in TABLES:
        raise UsageError(f"No table '{name}'. {nearest(name, TABLES)}")
    if not files:
        raise UsageError("No file to import.")
    options = replace(options or ImportOptions(), study_scales=study.config.scales)
    table = TABLES[name]
    if options.format in REFERENCE_FORMATS:
        if name != "references":
            raise UsageError(f"--format {options.format} is for references, not for {name}.")
        files = [flattened(raw, options.format) for raw in files]
    mappings = [propose_mapping(table, raw, options) for raw in files]
    converted = [
        convert(table, raw, mapping, options) for raw, mapping in zip(files, mappings, strict=True)
    ]
    incoming = _gather(converted)
    old: pd.DataFrame = getattr(study, name)
    known = old.to_dict("records")
    if name == "papers":
        outcome = _merge(known, incoming, files)
    else:
        outcome = _upsert(table, study, known, incoming)
    frame, problems = admit(
        table,
        pd.DataFrame(list(outcome.records), columns=list(table.names), dtype=object),
        file=name,
    )
    if problems:
        raise TableError(problems)
    unknown, unknown_rows = unknown_ids(study, name, frame)
    report = ImportReport(
        table=name,
        study=study.config.name,
        rows_before=len(old),
        rows_after=len(frame),
        files=tuple(
            _file_report(number, raw, converted[number], mappings[number], incoming, outcome)
            for number, raw in enumerate(files)
        ),
        merges=outcome.merges,
        linked=outcome.linked,
        unknown_ids=unknown,
        unknown_rows=unknown_rows,
        rule=outcome.rule,
    )
    changed = frame_digest(frame) != frame_digest(old)
    return ImportPlan(study=study, table=name, frame=frame, report=report, changed=changed)


def apply_all(plans: Sequence[ImportPlan]) -> tuple[ImportReport, ...]:
    """Write the tables of one import: all of them or none.

    Where a later table cannot be written the earlier ones are put back. Raises
    :class:`DataError`.
    """
    folder = plans[0].study.folder
    before = {} if folder is None else {plan.table: _kept(folder, plan.table) for plan in plans}
    try:
        return tuple(plan.apply()[1] for plan in plans)
    except BaseException as error:
        for name, old in before.items():
            if folder is not None:
                _put_back(folder, name, old)
        if isinstance(error, OSError):
            raise DataError(
                f"Nothing was written: {error}. Make room or mend the rights, and import again."
            ) from None
        raise


def _kept(folder: Path, name: str) -> tuple[Path, bytes] | None:
    path = table_file(folder, name)
    return None if path is None else (path, path.read_bytes())


def _put_back(folder: Path, name: str, old: tuple[Path, bytes] | None) -> None:
    path = table_file(folder, name)
    if old is None:
        if path is not None:
            path.unlink()
    elif path != old[0] or path.read_bytes() != old[1]:
        with replacing(old[0]) as file:
            file.write(old[1])


def open_for_import(folder: Path, *names: str) -> Study:
    """The study with what an import into tables looks at; others may be broken.

    A broken table that is only looked up (ideas, for scores) is taken as empty; the tables that
    are imported into must be sound, or :class:`TableError` says what is not.
    """
    config = StudyConfig.read(folder / CONFIG_FILE)
    frames: dict[str, pd.DataFrame] = {}
    for table_name in {*names, "ideas", "papers", "references"}:
        file = table_file(folder, table_name)
        if file is None:
            continue
        try:
            frame, problems = admit(TABLES[table_name], read_rows(file), file=file.name)
        except DataError:
            if table_name in names:
                raise
            continue
        if problems and table_name in names:
            raise TableError(problems)
        if not problems:
            frames[table_name] = frame
    return Study(config=config, folder=folder, **frames)


def _gather(converted: Sequence[Converted]) -> _Incoming:
    records: list[dict[str, object]] = []
    files: list[int] = []
    lines: list[int] = []
    given: list[frozenset[str]] = []
    for number, part in enumerate(converted):
        rows = part.frame.to_dict("records")
        records += rows
        files += [number] * len(rows)
        lines += part.lines
        given += [part.given] * len(rows)
    return _Incoming(records=records, files=files, lines=lines, given=given)


def _merge(
    known: Sequence[dict[str, object]], incoming: _Incoming, files: Sequence[RawFile]
) -> _Outcome:
    merged = merge_papers(
        known, incoming.records, source=[files[number].name for number in incoming.files]
    )
    reasons = {
        number: CLASH.format(named=repr(incoming.records[number]["paper_id"]), title=repr(title))
        for number, title in merged.clashes.items()
    }
    return _Outcome(
        records=merged.records, fates=merged.fates, reasons=reasons, merges=merged.merges
    )


def _upsert(
    table: Table, study: Study, known: Sequence[dict[str, object]], incoming: _Incoming
) -> _Outcome:
    records, linked = link_ids(study, table.name, incoming.records)
    rule = ""
    if "repeat" in table.key:
        numbered = ["repeat" in given for given in incoming.given]
        records = number_repeats(table, known, records, numbered)
        rule = "" if all(numbered) else REPEAT_RULE
        incoming_given = [given | {"repeat"} for given in incoming.given]
    else:
        incoming_given = list(incoming.given)
    done = upsert(table, known, records, incoming_given)
    reasons = {}
    for number, first in done.repeats.items():
        key = " / ".join(str(records[number][column]) for column in table.key)
        alike = "the same" if _alike(records[number], records[first]) else "other"
        reasons[number] = (
            f"repeats {', '.join(table.key)} {key!r} of line {incoming.lines[first]}"
            f" with {alike} content"
        )
    return _Outcome(
        records=done.records, fates=done.fates, reasons=reasons, linked=linked, rule=rule
    )


def _alike(first: dict[str, object], second: dict[str, object]) -> bool:
    return str(first) == str(second)


def _file_report(
    number: int,
    raw: RawFile,
    converted: Converted,
    mapping: FieldMapping,
    incoming: _Incoming,
    outcome: _Outcome,
) -> FileReport:
    own = [row for row, file in enumerate(incoming.files) if file == number]
    fates = [outcome.fates[row] for row in own]
    refused = tuple(
        DroppedRow(file=raw.name, line=incoming.lines[row], reason=outcome.reasons[row])
        for row in own
        if row in outcome.reasons
    )
    dropped = sorted((*converted.dropped, *refused), key=lambda row: row.line)
    return FileReport(
        file=raw.name,
        read=len(raw.lines),
        added=fates.count("added"),
        updated=fates.count("updated"),
        unchanged=fates.count("unchanged"),
        merged=fates.count("merged"),
        dropped=tuple(dropped),
        mapping=mapping.shown,
        extra=mapping.extra,
        left_out=mapping.left_out,
        personal=converted.personal,
        notes=converted.notes,
    )
