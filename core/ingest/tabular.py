"""Files of rows, in and out: CSV, TSV, JSONL, JSON and Parquet, plain or gzipped.

Cells come in as the file has them (text, numbers, lists); nothing is interpreted here. Text is
read as a stream, so a file is held once, as its rows. Writing goes to a temporary file beside
the target and is renamed, so a reader never sees half.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from core.config import MAX_UNPACKED_BYTES
from core.errors import DataError
from core.ingest.json_text import parse_json
from core.ingest.opening import open_bytes, open_text
from core.ingest.report import DroppedRow

if TYPE_CHECKING:
    import pyarrow as pa

    from core.schema import Table

SUFFIXES = (".parquet", ".jsonl", ".csv", ".tsv", ".json")
_SYNONYMS = {".ndjson": ".jsonl", ".pq": ".parquet", ".tab": ".tsv"}
_BATCH = 10_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, kw_only=True)
class RawFile:
    """A file's rows as they stand, and the place of each.

    ``lines`` holds the line on which each row begins (CSV, TSV, JSONL; from 1, the header
    counted) or its number among the items (JSON, Parquet; from 1). Where a reader of a known
    ``format`` made the rows, ``told`` pairs its names with ours, and ``notes``, ``dropped``,
    ``personal`` and ``left_out`` say what it did.
    """

    name: str
    frame: pd.DataFrame
    lines: tuple[int, ...]
    format: str = ""
    told: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    dropped: tuple[DroppedRow, ...] = ()
    personal: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def read_rows(path: Path) -> pd.DataFrame:
    """Every row of a file, cells uninterpreted; raises :class:`DataError` naming the line.

    An empty file gives a frame without columns. In CSV and TSV an empty cell is missing.
    """
    return read_file(path).frame


def read_file(path: Path, data: bytes | None = None, *, suffix: str | None = None) -> RawFile:
    """As :func:`read_rows`, with each row's line; ``data`` stands in for what is on disk, and
    ``suffix`` for the name's, where the content is known to be something else."""
    suffix = suffix or table_suffix(path)
    if suffix == ".parquet":
        with open_bytes(path, data) as raw:
            return _raw(path, _gathered(parquet_file(path, raw.read())))
    with open_text(path, data) as text:
        if suffix == ".jsonl":
            return _from_records(path, json_lines(path, text))
        if suffix == ".json":
            return _from_records(path, _json_items(path, text.read()))
        header, rows = read_delimited(path, text, "\t" if suffix == ".tsv" else ",")
        lines: list[int] = []
        records = []
        for line, row in rows:
            lines.append(line)
            records.append(row)
        frame = pd.DataFrame(records, columns=header, dtype=object)
        return RawFile(name=path.name, frame=frame, lines=tuple(lines))


def write_rows(frame: pd.DataFrame, path: Path) -> None:
    """Write a table's frame in the format of the path's suffix, whole or not at all."""
    suffix = table_suffix(path)
    plain = _plain(frame, nested=suffix in (".jsonl", ".json"), typed=suffix == ".parquet")
    with replacing(path) as file, _packing(path, file) as out:
        if suffix == ".parquet":
            plain.to_parquet(out, index=False)
        elif suffix in (".jsonl", ".json"):
            ends = ("[\n", ",\n", "\n]\n") if suffix == ".json" else ("", "\n", "\n")
            out.write(ends[0].encode())
            for number, record in enumerate(plain.to_dict("records")):
                kept = {k: v for k, v in record.items() if v is not None}
                text = (ends[1] if number else "") + json.dumps(kept, ensure_ascii=False)
                out.write(text.encode())
            out.write((ends[2] if len(plain) else ends[2].lstrip("\n")).encode())
        else:
            out.write(_delimited(plain, "\t" if suffix == ".tsv" else ",").encode())


def arrow_table(frame: pd.DataFrame, table: Table) -> pa.Table:
    """A table's frame as Arrow, in one schema whatever the rows hold."""
    import pyarrow as pa

    plain = _plain(frame, nested=False, typed=True)
    arrays = [
        pa.array([None if pd.isna(cell) else cell for cell in plain[field.name]], field.type)
        for field in _arrow_schema(table)
    ]
    return pa.Table.from_arrays(arrays, schema=_arrow_schema(table))


@contextmanager
def parquet_writer(out: Path | IO[bytes], table: Table) -> Iterator[Callable[[pa.Table], None]]:
    """A Parquet file of a table, written one :func:`arrow_table` after another."""
    import pyarrow.parquet as pq

    with pq.ParquetWriter(out, _arrow_schema(table), compression="zstd") as writer:
        yield writer.write_table


def _arrow_schema(table: Table) -> pa.Schema:
    import pyarrow as pa

    types = {"number": pa.float64(), "integer": pa.int64()}
    return pa.schema([(c.name, types.get(c.kind, pa.string())) for c in table.columns])


def to_csv(frame: pd.DataFrame, *, escape: bool = True) -> str:
    """CSV text with a header; ``escape`` guards cells that a spreadsheet would run.

    A text cell that begins with = + - @ is given a leading apostrophe, as spreadsheets expect.
    """
    plain = _plain(frame, nested=False)
    if escape:
        for name in plain.columns:
            if plain[name].dtype == object:
                plain[name] = pd.Series([_guard(cell) for cell in plain[name]], dtype=object)
    return _delimited(plain, ",")


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that takes the place of ``path`` when, and only when, all went well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def table_suffix(path: Path) -> str:
    """The suffix that names the format, '.gz' looked through."""
    suffix = _suffix(path)
    if suffix not in SUFFIXES:
        raise DataError(f"{path}: unknown kind of file. Known: {', '.join(SUFFIXES)}, also .gz")
    return suffix


def has_table_suffix(path: Path) -> bool:
    """Whether the path's suffix names a format."""
    return _suffix(path) in SUFFIXES


def _suffix(path: Path) -> str:
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    return _SYNONYMS.get(suffix, suffix)


@contextmanager
def _packing(path: Path, file: IO[bytes]) -> Iterator[IO[bytes]]:
    if not path.name.lower().endswith(".gz"):
        yield file
        return
    # No time and no name inside, so that the same rows give the same bytes.
    with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
        yield packed  # type: ignore[misc]


def _delimited(plain: pd.DataFrame, separator: str) -> str:
    # A lone carriage return would end the row for a reader, so such a file is quoted throughout.
    returns = any(isinstance(c, str) and "\r" in c for name in plain for c in plain[name])
    quoting = csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
    return str(plain.to_csv(index=False, sep=separator, lineterminator="\n", quoting=quoting))


def parquet_file(path: Path, data: bytes) -> Iterator[dict[str, list[object]]]:
    """A Parquet file's columns, some thousands of rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not data:
        return
    try:
        file = pq.ParquetFile(io.BytesIO(data))
        meta = file.metadata
        size = sum(meta.row_group(number).total_byte_size for number in range(meta.num_row_groups))
        if size > MAX_UNPACKED_BYTES:
            raise DataError(f"{path}: holds {size >> 30} GB unpacked. Split the file.")
        names = [str(name) for name in file.schema_arrow.names]
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise DataError(f"{path}: column {', '.join(map(repr, twice))} stands twice")
        if not meta.num_rows:
            yield {name: [] for name in names}
        for batch in file.iter_batches(_BATCH):
            yield {n: batch.column(place).to_pylist() for place, n in enumerate(names)}
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise DataError(f"{path}: not readable as Parquet: {error}") from None


def _gathered(batches: Iterator[dict[str, list[object]]]) -> dict[str, list[object]]:
    columns: dict[str, list[object]] = {}
    for batch in batches:
        for name, cells in batch.items():
            columns.setdefault(name, []).extend(cells)
    return columns


def json_lines(path: Path, text: io.TextIOWrapper) -> Iterator[tuple[int, dict[str, Any]]]:
    """The object on each line that is not empty."""
    for number, line in enumerate(text, start=1):
        if not line.strip():
            continue
        value = parse_json(f"{path}, line {number}", line)
        if not isinstance(value, dict):
            raise DataError(f"{path}, line {number}: each line must hold one JSON object")
        yield number, value


def _json_items(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    if not text.strip():
        return
    value = parse_json(str(path), text)
    if isinstance(value, dict):
        lists = [
            cell
            for cell in value.values()
            if isinstance(cell, list) and any(isinstance(item, dict) for item in cell)
        ]
        value = value if len(lists) > 1 else lists[0] if lists else [value]
    if not isinstance(value, list):
        raise DataError(
            f"{path}: must hold a JSON list of objects, an object with one such list, or one object"
        )
    for number, item in enumerate(value, start=1):
        if not isinstance(item, dict):
            raise DataError(f"{path}, item {number}: must be a JSON object")
        yield number, item


def read_delimited(
    path: Path, text: io.TextIOWrapper, delimiter: str
) -> tuple[list[str], Iterator[tuple[int, list[str | None]]]]:
    """The header of a CSV or TSV file, and its rows with the line on which each begins."""
    csv.field_size_limit(2**31 - 1)
    first, text_lines = _first_line(text)
    if delimiter == "," and "," not in first:
        delimiter = next((mark for mark in ("\t", ";") if mark in first), ",")
    rows = csv.reader(text_lines, delimiter=delimiter, strict=True)
    try:
        header = [name.strip() for name in next(rows, [])]
    except csv.Error as error:
        raise _bad_csv(path, 1, error) from None
    repeated = sorted(name for name, count in Counter(header).items() if count > 1)
    if repeated:
        raise DataError(f"{path}: column {', '.join(map(repr, repeated))} stands twice")

    def numbered() -> Iterator[tuple[int, list[str | None]]]:
        begun = rows.line_num + 1
        try:
            for row in rows:
                if row and len(row) != len(header):
                    raise DataError(
                        f"{path}, line {begun}: {len(row)} cells where the header has"
                        f" {len(header)}. Is a quotation mark or a separator missing?"
                    )
                if row:
                    yield begun, [cell or None for cell in row]
                begun = rows.line_num + 1
        except csv.Error as error:
            raise _bad_csv(path, begun, error) from None

    return header, numbered()


def _bad_csv(path: Path, line: int, error: csv.Error) -> DataError:
    return DataError(
        f"{path}, line {line}: not readable as CSV: {error}. In a row that begins there,"
        " a quotation mark is open or stands inside a cell without being doubled."
    )


def _first_line(text: io.TextIOWrapper) -> tuple[str, Iterator[str]]:
    """The first line, and all lines."""
    first = text.readline()

    def lines() -> Iterator[str]:
        if first:
            yield first
        yield from text

    return first, lines()


def _from_records(path: Path, items: Iterator[tuple[int, dict[str, Any]]]) -> RawFile:
    lines: list[int] = []
    columns: dict[str, list[object]] = {}
    for count, (line, record) in enumerate(items):
        lines.append(line)
        for name, cell in record.items():
            if name not in columns:
                columns[name] = [None] * count
            columns[name].append(cell)
        for cells in columns.values():
            if len(cells) <= count:
                cells.append(None)
    return _raw(path, columns, lines)


def _raw(path: Path, columns: dict[str, list[object]], lines: list[int] | None = None) -> RawFile:
    count = len(next(iter(columns.values()), []))
    places = tuple(lines if lines is not None else range(1, count + 1))
    frame = pd.DataFrame(
        {name: pd.Series(cells, dtype=object) for name, cells in columns.items()},
        index=range(len(places)),
    )
    return RawFile(name=path.name, frame=frame, lines=places)


def _plain(frame: pd.DataFrame, *, nested: bool, typed: bool = False) -> pd.DataFrame:
    """Cells as a file can hold them: None for unknown, dates as text, lists as JSON or nested.

    ``typed`` leaves number columns as they are, for formats that know types.
    """
    columns = {}
    for name in frame.columns:
        if typed and pd.api.types.is_numeric_dtype(frame[name]):
            columns[name] = frame[name].reset_index(drop=True)
        else:
            columns[name] = pd.Series([_cell(cell, nested) for cell in frame[name]], dtype=object)
    return pd.DataFrame(columns, index=range(len(frame)))


def _cell(cell: object, nested: bool) -> object:
    if isinstance(cell, (dict, tuple, list)):
        if not cell:
            return None
        if nested:
            return list(cell) if isinstance(cell, tuple) else cell
        return json.dumps(cell, ensure_ascii=False)
    if (
        cell is None
        or cell is pd.NaT
        or cell is pd.NA
        or (isinstance(cell, float) and cell != cell)
    ):
        return None
    if isinstance(cell, pd.Timestamp):
        return cell.date().isoformat()
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return int(cell)
    return cell


def _guard(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
