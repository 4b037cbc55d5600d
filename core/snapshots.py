"""Tables that passed the schema, kept so that the next opening need not read them cell by cell.

A snapshot is an Arrow file in the user's cache folder, named by the content of the table's file
and of the code that admits it: another byte in either makes it another snapshot. What cannot be
read is passed over and the file is read anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from weakref import ref

import numpy as np
import pandas as pd

from core.config import cache_folder
from core.errors import Problem
from core.ingest.tabular import read_rows, replacing
from core.schema import Table

MOST_BYTES = 1 << 30
_HERE = Path(__file__).resolve().parent
_ADMITTING = ("schema.py", "cells.py", "validation.py", "snapshots.py", "ingest/tabular.py")

_DIGEST = b"foreseen rows"
_digests: dict[int, tuple[ref[pd.DataFrame], str]] = {}

Admit = Callable[[Table, pd.DataFrame], tuple[pd.DataFrame, list[Problem]]]


def admitted(table: Table, path: Path, admit: Admit) -> tuple[pd.DataFrame, list[Problem]]:
    """The table in ``path`` and its problems: from its snapshot, else read and admitted.

    Only a table without problems is kept.
    """
    place = cache_folder() / "tables" / f"{_name(table, path)}.arrow"
    kept = _read(table, place)
    if kept is not None:
        return kept, []
    frame, problems = admit(table, read_rows(path))
    if not problems:
        with suppress(OSError):
            _write(table, frame, place)
    return frame, problems


def kept_digest(frame: pd.DataFrame) -> str:
    """:func:`frame_digest` of a table, which is never changed once it is admitted."""
    there, digest = _digests.get(id(frame), (None, ""))
    return digest if there is not None and there() is frame else frame_digest(frame)


def frame_digest(frame: pd.DataFrame) -> str:
    """Digest of a table's rows in any order."""
    flat = pd.DataFrame(
        {
            name: [json.dumps(cell, sort_keys=True) for cell in frame[name]]
            if frame[name].dtype == object
            else frame[name]
            for name in sorted(frame.columns)
        }
    )
    rows = pd.util.hash_pandas_object(flat, index=False).to_numpy(copy=True)
    rows.sort()
    return hashlib.sha256(rows.tobytes()).hexdigest()[:16]


def _keep_digest(frame: pd.DataFrame, digest: str) -> None:
    """Remember it for this very object alone: a part or a copy of it has other rows."""
    place = id(frame)
    _digests[place] = ref(frame, lambda _: _digests.pop(place, None)), digest


def _name(table: Table, path: Path) -> str:
    digest = hashlib.sha256(f"{table.name} {path.suffix} {pd.__version__} {_code()}".encode())
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:32]


@lru_cache(maxsize=1)
def _code() -> str:
    text = b"".join((_HERE / name).read_bytes() for name in _ADMITTING)
    return hashlib.sha256(text).hexdigest()


def _read(table: Table, place: Path) -> pd.DataFrame | None:
    import pyarrow as pa

    try:
        with pa.memory_map(str(place)) as source:
            whole = pa.ipc.open_file(source).read_all()
            digest = (whole.schema.metadata or {})[_DIGEST].decode()
            frame = whole.to_pandas()
        for column in table.columns:
            if column.kind == "record":
                cells = json.loads(f"[{','.join(frame[column.name].tolist())}]")
                frame[column.name] = _objects(cells)
            elif column.kind == "texts":
                frame[column.name] = _objects([*map(tuple, frame[column.name].tolist())])
    except (OSError, pa.ArrowException, ValueError, KeyError, TypeError):
        return None
    if tuple(frame.columns) != table.names:
        return None
    _keep_digest(frame, digest)
    return frame


def _write(table: Table, frame: pd.DataFrame, place: Path) -> None:
    import pyarrow as pa

    plain = frame.copy()
    for column in table.columns:
        if column.kind == "record":
            plain[column.name] = [json.dumps(cell) for cell in frame[column.name]]
        elif column.kind == "texts":
            plain[column.name] = [list(cell) for cell in frame[column.name]]
    whole = pa.Table.from_pandas(plain, preserve_index=False)
    digest = frame_digest(frame)
    _keep_digest(frame, digest)
    whole = whole.replace_schema_metadata({**(whole.schema.metadata or {}), _DIGEST: digest})
    for folder in (place.parent.parent, place.parent):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with replacing(place) as file, pa.ipc.new_file(file, whole.schema) as writer:
        writer.write_table(whole)
    _prune(place.parent)


def _prune(folder: Path) -> None:
    """Let the oldest snapshots go once all of them take too much room."""
    kept = sorted(folder.glob("*.arrow"), key=lambda path: path.stat().st_mtime, reverse=True)
    room = MOST_BYTES
    for path in kept:
        room -= path.stat().st_size
        if room < 0:
            path.unlink(missing_ok=True)


def _objects(cells: list[object]) -> pd.Series:
    values = np.empty(len(cells), dtype=object)
    for place, cell in enumerate(cells):
        values[place] = cell
    return pd.Series(values)
