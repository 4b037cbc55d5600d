"""What an import did: every row of the files accounted for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

How = Literal["given", "guessed", "section", "constant", "format"]


@dataclass(frozen=True, kw_only=True)
class MappedColumn:
    """One of our columns, where it comes from, and who said so."""

    theirs: str
    ours: str
    how: How


@dataclass(frozen=True, kw_only=True)
class DroppedRow:
    """A row that did not come in. ``line`` counts from 1 in the file (an item's number in JSON
    and Parquet)."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class MergedPaper:
    """A record that was found to be a paper already there.

    ``by`` is what they share: an identifier's name, or 'title'.
    """

    paper_id: str
    merged_id: str
    by: str
    title: str
    venue: str | None = None
    source: str | None = None


@dataclass(frozen=True, kw_only=True)
class LinkedId:
    """An id of the file that is one of the study's but for white space; ``rows`` hold it."""

    given: str
    known: str
    rows: int


@dataclass(frozen=True, kw_only=True)
class FileReport:
    """One file's rows: read = added + updated + unchanged + merged + dropped.

    ``extra`` names columns kept in ``extra``, ``left_out`` those that the table has no place
    for, ``personal`` the personal fields that were dropped, ``notes`` what else was done.
    """

    file: str
    read: int
    added: int
    updated: int
    unchanged: int
    merged: int
    dropped: tuple[DroppedRow, ...]
    mapping: tuple[MappedColumn, ...]
    extra: tuple[str, ...]
    left_out: tuple[str, ...]
    personal: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def kept(self) -> int:
        """Rows of the file that stand in the table."""
        return self.added + self.updated + self.unchanged


@dataclass(frozen=True, kw_only=True)
class ImportReport:
    """What one import did to one table.

    ``unknown_ids`` are idea (or paper) ids that another table does not have; their rows are
    kept. ``written`` is False where nothing changed, or where it was only tried.
    """

    table: str
    study: str
    rows_before: int
    rows_after: int
    files: tuple[FileReport, ...]
    merges: tuple[MergedPaper, ...]
    linked: tuple[LinkedId, ...]
    unknown_ids: tuple[str, ...]
    unknown_rows: int
    rule: str
    written: bool = False

    def to_frame(self) -> pd.DataFrame:
        """One row a file: its counts."""
        names = ("file", "read", "kept", "added", "updated", "unchanged", "merged")
        rows = [
            {name: getattr(file, name) for name in names} | {"dropped": len(file.dropped)}
            for file in self.files
        ]
        return pd.DataFrame(rows, columns=[*names, "dropped"])

    def dropped_frame(self) -> pd.DataFrame:
        """One row a dropped row: file, line, reason."""
        rows = [vars(row) for file in self.files for row in file.dropped]
        return pd.DataFrame(rows, columns=["file", "line", "reason"])

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON, with each file's ``kept``."""
        from dataclasses import asdict

        whole = asdict(self)
        for entry, file in zip(whole["files"], self.files, strict=True):
            entry["kept"] = file.kept
        return whole

    def to_text(self, *, shown: int = 5) -> str:
        """The report for a terminal, long lists cut at ``shown``."""
        lines: list[str] = []
        for file in self.files:
            lines += _file_lines(file, shown)
        for link in self.linked[:shown]:
            lines.append(f"linked: {link.given!r} is {link.known!r} ({_rows(link.rows)})")
        lines += _rest(self.linked, shown, "linked ids")
        for merge in self.merges[:shown]:
            lines.append(
                f"merged by {merge.by}: {merge.merged_id} into {merge.paper_id}: {merge.title}"
            )
        lines += _rest(self.merges, shown, "merged papers")
        if self.unknown_ids:
            names = ", ".join(self.unknown_ids[:shown])
            more = ", …" if len(self.unknown_ids) > shown else ""
            lines.append(
                f"{_rows(self.unknown_rows)} of {len(self.unknown_ids)} ids that the study does"
                f" not have (kept): {names}{more}"
            )
        if self.rule:
            lines.append(self.rule)
        wrote = "" if self.written else " (nothing was written)"
        lines.append(f"{self.table}: {self.rows_before} rows before, {self.rows_after} now{wrote}")
        return "\n".join(lines)


def _file_lines(file: FileReport, shown: int) -> list[str]:
    lines = [
        f"{file.file}: {_rows(file.read)} read, {file.kept} kept ({file.added} new,"
        f" {file.updated} updated, {file.unchanged} unchanged), {file.merged} merged,"
        f" {len(file.dropped)} dropped"
    ]
    lines += [f"  {item.theirs} → {item.ours} ({item.how})" for item in file.mapping]
    for label, names in (
        ("in extra", file.extra),
        ("left out, no place in this table", file.left_out),
        ("personal, dropped", file.personal),
    ):
        if names:
            lines.append(f"  {label}: {', '.join(names)}")
    lines += [f"  {note}" for note in file.notes]
    lines += [f"  line {row.line} dropped: {row.reason}" for row in file.dropped[:shown]]
    rest = file.dropped[shown:]
    if rest:
        reasons = Counter(row.reason.split(" (")[0] for row in rest)
        lines += [f"  … {count} more dropped: {text}" for text, count in reasons.most_common(shown)]
    return lines


def _rest(items: Sequence[object], shown: int, what: str) -> list[str]:
    return [f"… and {len(items) - shown} more {what}"] if len(items) > shown else []


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
