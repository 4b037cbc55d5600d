"""Uploaded files as rows: read once, with limits, every fault as a sentence.

What a session has read or planned is remembered until another file or choice takes its place;
nothing here touches the disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar, cast

import pandas as pd
import streamlit as st

from core.config import MAX_UPLOAD_BYTES
from core.errors import ForeseenError
from core.ingest.foreign import ForeignFile, read_foreign
from core.ingest.formats import AUTO, GENERIC
from core.ingest.tabular import RawFile

PREVIEW_ROWS, PREVIEW_COLUMNS, PREVIEW_LETTERS = 20, 40, 300
_SPREADSHEETS = (".xlsx", ".xls", ".ods", ".numbers")
_DOCUMENTS = (".pdf", ".doc", ".docx", ".odt", ".rtf", ".html", ".htm")
_ARCHIVES = (".zip", ".tar", ".tgz", ".7z", ".rar")
_IN_THE_PAGE = (
    (
        r"Use --map theirs=(\S+?), or --set \S+ where it is the same in every row\.",
        r"Choose ‘\1’ for one of the columns, or give it under ‘The same in every row’.",
    ),
    (r"[Nn]ame one with --map theirs=(\S+?)\.", r"Choose ‘\1’ for one of the columns."),
    (r"Take another column: --map theirs=(\S+)", r"Choose another column for ‘\1’."),
    (r"add --missing (\S+)", r"write \1 under ‘Values that mean unknown’."),
    (r" has a column \(--map\) and a constant \(--set\)\.", " has a column and a constant."),
    (r"--(?:map|set|missing) ('[^']*')", r"\1"),
    (r"--split-sections", "parting by headings"),
    (r": --code \"([^\"]*)\"", r" as \1 under ‘Numbers of words’."),
    (r"--code", "‘Numbers of words’:"),
)

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Upload:
    """One uploaded file: its rows, or why it cannot be read."""

    name: str
    file: ForeignFile | None
    error: str = ""


def read(name: str, data: bytes, table: str, form: str, into: object = "STUDY") -> Upload:
    """Read one file for a table; what cannot be read is told in ``error``."""
    name = PurePosixPath(name.replace("\\", "/")).name or "file"
    lower = name.lower()
    if len(data) > MAX_UPLOAD_BYTES:
        error = (
            f"{name}: {len(data) >> 20} MB, past the page's limit of {MAX_UPLOAD_BYTES >> 20} MB."
            f" Use the command, which streams: foreseen import {table} {name} --into {into}"
        )
    elif not data:
        error = f"{name}: the file is empty. Save it again, or choose another."
    elif lower.endswith(_SPREADSHEETS):
        error = f"{name}: a spreadsheet. Save its sheet as CSV (UTF-8) and bring that."
    elif lower.endswith(_DOCUMENTS):
        error = f"{name}: a document, not rows. Bring CSV, TSV, JSONL, JSON or Parquet."
    elif lower.endswith(_ARCHIVES):
        error = f"{name}: an archive. Unpack it and bring the files in it."
    else:
        try:
            return Upload(name=name, file=read_foreign(Path(name), table, form=form, data=data))
        except ForeseenError as fault:
            error = in_the_page(str(fault))
        except (MemoryError, RecursionError, ValueError, TypeError, KeyError, OSError) as fault:
            error = f"{name}: cannot be read ({type(fault).__name__}: {fault}). Check the file."
    return Upload(name=name, file=None, error=error)


def in_the_page(text: str) -> str:
    """An error's words for the command line, as what there is to do on the page."""
    for pattern, words in _IN_THE_PAGE:
        text = re.sub(pattern, words, text)
    return text


def raws_of(uploads: Sequence[Upload], table: str) -> list[RawFile]:
    """The rows of each file that was read, for the main table."""
    return [upload.file.tables[table] for upload in uploads if upload.file is not None]


def widened(uploads: Sequence[Upload], table: str) -> list[Upload]:
    """Files of no known shape with each other's columns, so that one mapping speaks of all."""
    raws = [raw for raw in raws_of(uploads, table) if not raw.format]
    columns = list(dict.fromkeys(str(name) for raw in raws for name in raw.frame.columns))
    wide: list[Upload] = []
    for upload in uploads:
        raw = None if upload.file is None else upload.file.tables[table]
        if upload.file is None or raw is None or raw.format or not len(raw.frame.columns):
            wide.append(upload)
            continue
        frame = raw.frame.rename(columns=str)
        missing = {name: None for name in columns if name not in frame.columns}
        frame = frame.assign(**missing)[columns].astype(object)
        tables = {**upload.file.tables, table: replace(raw, frame=frame)}
        wide.append(replace(upload, file=replace(upload.file, tables=tables)))
    return wide


def preview(raw: RawFile) -> pd.DataFrame:
    """The first rows as text by their line in the file, long cells cut."""
    head = raw.frame.iloc[:PREVIEW_ROWS, :PREVIEW_COLUMNS]
    frame = pd.DataFrame(
        {str(name): [_shown(cell) for cell in head[name]] for name in head.columns}, dtype="str"
    )
    frame.index = pd.Index(raw.lines[: len(head)], name="line in the file")
    return frame


def example(cells: Sequence[object]) -> str:
    """The first cell that holds something, cut."""
    return next((_shown(cell)[:80] for cell in cells if _shown(cell).strip()), "")


def remembered(slot: str, key: Hashable, compute: Callable[[], Result]) -> Result:
    """``compute()``, kept in this session until the slot is asked for another key."""
    kept = st.session_state.get(slot)
    if kept is None or kept[0] != key:
        kept = (key, compute())
        st.session_state[slot] = kept
    return cast("Result", kept[1])


def uploads_of(files: Sequence[Any], table: str, *, by_hand: bool, into: object) -> list[Upload]:
    """What the uploader holds, each file read once."""
    form = GENERIC if by_hand else AUTO
    key = (tuple(file.file_id for file in files), table, form)
    return remembered(
        "_bring_read",
        key,
        lambda: [read(file.name, file.getvalue(), table, form, into) for file in files],
    )


def _shown(cell: object) -> str:
    text = "" if cell is None or cell != cell else str(cell)
    return text if len(text) <= PREVIEW_LETTERS else text[: PREVIEW_LETTERS - 1] + "…"
