"""Files of rows, in and out: CSV, TSV, JSONL, JSON and Parquet, plain or gzipped.

Cells come in as the file has them (text, numbers, lists); nothing is interpreted here.
Writing goes to a temporary file beside the target and is renamed, so a reader never sees half.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from core.errors import DataError

SUFFIXES = (".parquet", ".jsonl", ".csv", ".tsv", ".json")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def read_rows(path: Path) -> pd.DataFrame:
    """Every row of a file, cells uninterpreted; raises :class:`DataError` naming the line.

    An empty file gives a frame without columns. In CSV and TSV an empty cell is missing.
    """
    suffix = table_suffix(path)
    try:
        if suffix == ".parquet":
            return _read_parquet(path)
        text = _read_text(path)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error}") from None
    if suffix == ".jsonl":
        return _from_records(_json_lines(path, text))
    if suffix == ".json":
        return _from_records(_json_list(path, text))
    return _read_delimited(path, text, "\t" if suffix == ".tsv" else ",")


def write_rows(frame: pd.DataFrame, path: Path) -> None:
    """Write a table's frame in the format of the path's suffix, whole or not at all."""
    suffix = table_suffix(path)
    plain = _plain(frame, nested=suffix == ".jsonl", typed=suffix == ".parquet")
    with replacing(path) as file:
        if suffix == ".parquet":
            plain.to_parquet(file, index=False)
        elif suffix == ".jsonl":
            for record in plain.to_dict("records"):
                kept = {k: v for k, v in record.items() if v is not None}
                file.write((json.dumps(kept, ensure_ascii=False) + "\n").encode())
        else:
            file.write(to_csv(plain, escape=False).encode())


def to_csv(frame: pd.DataFrame, *, escape: bool = True) -> str:
    """CSV text with a header; ``escape`` guards cells that a spreadsheet would run.

    A text cell that begins with = + - @ is given a leading apostrophe, as spreadsheets expect.
    """
    plain = _plain(frame, nested=False)
    if escape:
        for name in plain.columns:
            if plain[name].dtype == object:
                plain[name] = [_guard(cell) for cell in plain[name]]
    return str(plain.to_csv(index=False, lineterminator="\n"))


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
    name = path.name.lower().removesuffix(".gz")
    suffix = Path(name).suffix
    suffix = {".ndjson": ".jsonl", ".pq": ".parquet", ".tab": ".tsv"}.get(suffix, suffix)
    if suffix not in SUFFIXES:
        raise DataError(f"{path}: unknown kind of file. Known: {', '.join(SUFFIXES)}, also .gz")
    return suffix


def _read_text(path: Path) -> str:
    data = path.read_bytes()
    if path.name.lower().endswith(".gz"):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError) as error:
            raise DataError(f"{path}: not a whole gzip file: {error}") from None
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(f"{path}, line {line}: not UTF-8 text. Save the file as UTF-8.") from None


def _read_parquet(path: Path) -> pd.DataFrame:
    import pyarrow as pa

    try:
        data = path.read_bytes()
        if path.name.lower().endswith(".gz"):
            data = gzip.decompress(data)
        frame = pd.read_parquet(io.BytesIO(data))
    except (pa.ArrowException, EOFError, ValueError) as error:
        raise DataError(f"{path}: not readable as Parquet: {error}") from None
    return frame.astype(object).where(frame.notna(), None)


def _json_lines(path: Path, text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(io.StringIO(text), start=1):
        if line.strip():
            yield _json_object(f"{path}, line {number}", line)


def _json_object(place: str, text: str) -> dict[str, Any]:
    value = _loads(place, text)
    if not isinstance(value, dict):
        raise DataError(f"{place}: each line must hold one JSON object")
    return value


def _json_list(path: Path, text: str) -> Iterator[dict[str, Any]]:
    if not text.strip():
        return
    value = _loads(str(path), text)
    if not isinstance(value, list):
        raise DataError(f"{path}: must hold a JSON list of objects")
    for number, item in enumerate(value, start=1):
        if not isinstance(item, dict):
            raise DataError(f"{path}, item {number}: must be a JSON object")
        yield item


def _loads(place: str, text: str) -> Any:
    try:
        return json.loads(text, parse_constant=str)
    except (json.JSONDecodeError, RecursionError) as error:
        raise DataError(f"{place}: not readable as JSON: {error}") from None


def _read_delimited(path: Path, text: str, delimiter: str) -> pd.DataFrame:
    csv.field_size_limit(2**31 - 1)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = next(rows, None)
        if header is None:
            return pd.DataFrame()
        header = [name.strip() for name in header]
        repeated = sorted({name for name in header if header.count(name) > 1})
        if repeated:
            raise DataError(f"{path}: column {', '.join(map(repr, repeated))} stands twice")
        records = []
        for row in rows:
            if not row:
                continue
            if len(row) != len(header):
                raise DataError(
                    f"{path}, line {rows.line_num}: {len(row)} cells where the header has"
                    f" {len(header)}. Is a quotation mark or a separator missing?"
                )
            records.append([cell or None for cell in row])
    except csv.Error as error:
        raise DataError(f"{path}, line {rows.line_num}: not readable as CSV: {error}") from None
    return pd.DataFrame(records, columns=header, dtype=object)


def _from_records(records: Iterator[dict[str, Any]]) -> pd.DataFrame:
    rows = list(records)
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: pd.Series([row.get(name) for row in rows], dtype=object) for name in names}
    return pd.DataFrame(columns, index=range(len(rows)))


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
