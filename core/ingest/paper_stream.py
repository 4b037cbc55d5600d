"""Papers imported from files that are too large to be held.

What comes out is what :func:`~core.ingest.importing.plan_import` gives; what differs is what is
in memory. Rows are converted some thousands at a time into a spool on disk, and of each only the
digests of its names (ids, identifiers, title) are kept. Papers that share a name with another are
merged together; all others go from the spool to the table as they are.
"""

from __future__ import annotations

import hashlib
import tempfile
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from core.config import STREAM_IMPORT_BYTES, STREAM_IMPORT_ROWS
from core.errors import DataError
from core.ingest.conversion import convert, counted
from core.ingest.foreign import chunks_of, form_for, kept_in_extra
from core.ingest.identifiers import normal_identifiers, title_key
from core.ingest.importing import CLASH, open_for_import
from core.ingest.mapping import FieldMapping, ImportOptions, propose_mapping
from core.ingest.merge import PaperMerge, merge_papers
from core.ingest.report import DroppedRow, FileReport, ImportReport, MappedColumn, MergedPaper
from core.ingest.tabular import arrow_table, parquet_writer, replacing
from core.schema import PAPERS, admit
from core.study import Study, table_file

if TYPE_CHECKING:
    import pyarrow as pa

Record = dict[str, Any]
_PACKED = 6


def is_large(paths: Sequence[Path]) -> bool:
    """Whether files together are better streamed; what is packed counts as it would unpack."""
    sizes = (
        path.stat().st_size * (_PACKED if path.suffix in (".gz", ".parquet", ".pq") else 1)
        for path in paths
        if path.is_file()
    )
    return sum(sizes) > STREAM_IMPORT_BYTES


@dataclass
class _File:
    """One file's account while it is read."""

    name: str
    begins: int
    dropped: list[DroppedRow] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("q"))
    counts: Counter[str] = field(default_factory=Counter)
    personal: set[str] = field(default_factory=set)
    shown: dict[MappedColumn, None] = field(default_factory=dict)
    extra: dict[str, None] = field(default_factory=dict)
    left_out: dict[str, None] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def add(self, mapping: FieldMapping) -> None:
        self.shown |= dict.fromkeys(mapping.shown)
        self.extra |= dict.fromkeys(mapping.extra)
        self.left_out |= dict.fromkeys(mapping.left_out)


class _Names:
    """Digests of what each row is known under; rows that share one are told."""

    def __init__(self) -> None:
        self.digests, self.rows, self.count = array("q"), array("q"), 0

    def add(self, record: Record) -> None:
        names = {("id", record["paper_id"]), *normal_identifiers(record["identifiers"]).items()}
        key = title_key(record["title"])
        if key:
            names.add(("title", key))
        entries = record["extra"].get("merged") if isinstance(record["extra"], dict) else None
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and "paper_id" in entry:
                names.add(("id", str(entry["paper_id"])))
        for name in names:
            text = "\x1f".join(name).encode(errors="surrogatepass")
            digest = hashlib.blake2b(text, digest_size=8).digest()
            self.digests.append(int.from_bytes(digest, "big", signed=True))
            self.rows.append(self.count)
        self.count += 1

    def shared(self) -> np.ndarray:
        """For each row, whether another one has one of its names."""
        digests, rows = np.frombuffer(self.digests, "q"), np.frombuffer(self.rows, "q")
        order = np.argsort(digests, kind="stable")
        same = digests[order][1:] == digests[order][:-1]
        found = np.zeros(self.count, dtype=bool)
        found[rows[order][1:][same]] = True
        found[rows[order][:-1][same]] = True
        return found


def stream_papers(
    folder: Path,
    paths: Sequence[Path],
    options: ImportOptions | None = None,
    *,
    form: str = "auto",
    dry_run: bool = False,
    note: Callable[[str], None] = lambda _: None,
) -> ImportReport:
    """Import papers from ``paths`` into the study, holding some thousands at a time.

    The table is written as Parquet, whole or not at all. Raises as ``plan_import`` does.
    """
    study = open_for_import(folder, "papers")
    options = replace(options or ImportOptions(), study_scales=study.config.scales)
    form = form_for(options, form)
    names, files = _Names(), []
    with tempfile.TemporaryDirectory(prefix=".import-", dir=folder) as scratch:
        spool = Path(scratch) / "spool.parquet"
        with parquet_writer(spool, PAPERS) as write:
            known = _spool_known(study, names, write)
            for path in paths:
                files.append(_spool_file(path, options, form, names, write, note))
        study = replace(study, papers=PAPERS.empty())
        shared = names.shared()
        merged, kept, refused = _merge(spool, shared, known, files)
        fates = _fates(shared, known, names.count, merged)
        rows = int((~shared).sum()) + len(kept)
        report = _report(study, known, rows, files, fates, merged.merges, refused)
        changed = any(fate in ("added", "updated", "merged") for fate in fates)
        if changed and not dry_run:
            _write(folder, spool, shared, kept)
            report = replace(report, written=True)
    return report


def _spool_known(study: Study, names: _Names, write: Callable[[pa.Table], None]) -> int:
    frame = study.papers
    for start in range(0, len(frame), STREAM_IMPORT_ROWS):
        part = frame.iloc[start : start + STREAM_IMPORT_ROWS]
        for record in part.to_dict("records"):
            names.add(record)
        write(arrow_table(part, PAPERS))
    return len(frame)


def _spool_file(
    path: Path,
    options: ImportOptions,
    form: str,
    names: _Names,
    write: Callable[[pa.Table], None],
    note: Callable[[str], None],
) -> _File:
    file = _File(path.name, begins=names.count)
    rows = 0
    for raw in chunks_of(path, "papers", form=form, options=options, rows=STREAM_IMPORT_ROWS):
        rows += len(raw.lines)
        if raw.lines:
            mapping = propose_mapping(PAPERS, raw, options)
            done = convert(PAPERS, raw, mapping, options, part=True)
            file.counts.update(done.counts)
            file.personal |= set(done.personal)
            file.dropped += done.dropped
            file.lines.extend(done.lines)
            if raw.format:
                pairs = (MappedColumn(theirs=t, ours=o, how="format") for t, o in raw.told)
                file.shown |= dict.fromkeys(pairs)
                file.extra |= dict.fromkeys(kept_in_extra(raw))
            else:
                file.add(mapping)
            for record in done.frame.to_dict("records"):
                names.add(record)
            write(arrow_table(done.frame, PAPERS))
        if raw.dropped or raw.notes or raw.personal or raw.left_out:
            file.dropped += raw.dropped
            file.notes = raw.notes
            file.personal |= set(raw.personal)
            file.left_out |= dict.fromkeys(raw.left_out)
        if rows % (10 * STREAM_IMPORT_ROWS) == 0:
            note(f"{path.name}: {rows:,} rows read")
    if names.count == file.begins:
        first = "; ".join(f"line {row.line}: {row.reason}" for row in file.dropped[:3])
        raise DataError(f"{path}: no row is left, so nothing was imported. {first}")
    return file


def _batches(spool: Path) -> Iterator[tuple[int, pa.Table]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    begins = 0
    with pq.ParquetFile(spool) as file:
        for batch in file.iter_batches(STREAM_IMPORT_ROWS):
            yield begins, pa.Table.from_batches([batch])
            begins += batch.num_rows


def _merge(
    spool: Path, shared: np.ndarray, known: int, files: Sequence[_File]
) -> tuple[PaperMerge, dict[int, Record], tuple[str, ...]]:
    """The papers that share a name, merged; each one by the row of the spool where it is kept;
    and why rows were refused, in their order."""
    old: list[Record] = []
    new: list[Record] = []
    places: list[int] = []
    for begins, part in _batches(spool):
        chosen = np.flatnonzero(shared[begins : begins + part.num_rows])
        frame = part.take(chosen).to_pandas()
        typed, _ = admit(PAPERS, frame.astype(object), file="papers", unique=False)
        for place, record in zip(chosen.tolist(), typed.to_dict("records"), strict=True):
            places.append(begins + place)
            (old if places[-1] < known else new).append(record)
    begun = np.array([file.begins for file in files])
    of = np.searchsorted(begun, np.array(places[len(old) :], dtype=int), side="right") - 1
    merged = merge_papers(old, new, source=[files[int(number)].name for number in of])
    final = {record["paper_id"]: record for record in merged.records}
    kept: dict[int, Record] = {}
    fates = (*("known" for _ in old), *merged.fates)
    for place, record, fate in zip(places, (*old, *new), fates, strict=True):
        if fate in ("known", "added") and record["paper_id"] in final:
            kept[place] = final.pop(record["paper_id"])
    refused = tuple(
        CLASH.format(named=repr(new[number]["paper_id"]), title=repr(title))
        for number, title in sorted(merged.clashes.items())
    )
    return merged, kept, refused


def _fates(shared: np.ndarray, known: int, count: int, merged: PaperMerge) -> list[str]:
    """What became of each incoming row, in order."""
    told = iter(merged.fates)
    return [next(told) if shared[row] else "added" for row in range(known, count)]


def _report(
    study: Study,
    known: int,
    rows: int,
    files: Sequence[_File],
    fates: Sequence[str],
    merges: tuple[MergedPaper, ...],
    refused: Sequence[str],
) -> ImportReport:
    reasons = iter(refused)
    reports = []
    for number, file in enumerate(files):
        start = file.begins - known
        end = files[number + 1].begins - known if number + 1 < len(files) else len(fates)
        own = Counter(fates[start:end])
        dropped = list(file.dropped)
        if own["clash"]:
            for row in range(start, end):
                if fates[row] == "clash":
                    line = file.lines[row - start]
                    dropped.append(DroppedRow(file=file.name, line=line, reason=next(reasons)))
        reports.append(
            FileReport(
                file=file.name,
                read=end - start + len(file.dropped),
                added=own["added"],
                updated=own["updated"],
                unchanged=own["unchanged"],
                merged=own["merged"],
                dropped=tuple(sorted(dropped, key=lambda row: row.line)),
                mapping=tuple(file.shown),
                extra=tuple(sorted(file.extra)),
                left_out=tuple(file.left_out),
                personal=tuple(sorted(file.personal)),
                notes=(*file.notes, *counted(file.counts)),
            )
        )
    return ImportReport(
        table="papers",
        study=study.config.name,
        rows_before=known,
        rows_after=rows,
        files=tuple(reports),
        merges=merges,
        linked=(),
        unknown_ids=(),
        unknown_rows=0,
        rule="",
    )


def _write(folder: Path, spool: Path, shared: np.ndarray, kept: dict[int, Record]) -> None:
    import pyarrow as pa

    old = table_file(folder, "papers")
    target = folder / "papers.parquet"
    with replacing(target) as out, parquet_writer(out, PAPERS) as write:
        for begins, part in _batches(spool):
            alone = np.flatnonzero(~shared[begins : begins + part.num_rows])
            places = [p for p in range(begins, begins + part.num_rows) if p in kept]
            frame, _ = admit(
                PAPERS,
                pd.DataFrame([kept[p] for p in places], columns=list(PAPERS.names), dtype=object),
                file="papers",
            )
            both = pa.concat_tables([part.take(alone), arrow_table(frame, PAPERS)])
            order = np.argsort(np.concatenate([alone + begins, np.array(places, dtype=int)]))
            write(both.take(order))
    if old is not None and old != target:
        old.unlink()
