"""What a reader of one format is, and what it hands over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.ingest.cleaning import is_personal
from core.ingest.formats.opened import Opened, as_text, joined, present
from core.ingest.report import DroppedRow


@dataclass(frozen=True, slots=True)
class Row:
    """One row for one of our tables, under our columns' names; ``line`` is its place."""

    table: str
    line: int
    cells: Mapping[str, Any]


@dataclass
class Reading:
    """What a reader notes on the way: rows that it had to leave out, and what else was done.

    A note may hold ``{count}``; ``personal`` names the fields that are a person's own,
    ``left_out`` those that our tables have no place for.
    """

    file: str
    dropped: list[DroppedRow] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)
    personal: set[str] = field(default_factory=set)
    left_out: set[str] = field(default_factory=set)

    def leave(self, record: object, *used: str, under: str = "") -> None:
        """Note a record's fields that have no place, besides those that were ``used``;
        ``under`` names the field that holds the record."""
        for name, cell in record.items() if isinstance(record, Mapping) else ():
            if name not in used and present(cell):
                if is_personal(str(name)):
                    self.personal.add(str(name))
                else:
                    self.left_out.add(f"{under}.{name}" if under else str(name))

    def joined(self, *cells: object) -> str | None:
        """:func:`~core.ingest.formats.opened.joined`, personal fields noted."""
        return joined(*cells, personal=self.personal)

    def text(self, cell: object) -> str:
        """:func:`~core.ingest.formats.opened.as_text`, personal fields noted."""
        return as_text(cell, self.personal)

    def drop(self, line: int, reason: str) -> None:
        self.dropped.append(DroppedRow(file=self.file, line=line, reason=reason))

    def note(self, text: str) -> None:
        self.notes[text] += 1

    def told(self) -> tuple[str, ...]:
        """The notes with their counts."""
        return tuple(text.replace("{count}", str(count)) for text, count in self.notes.items())


@dataclass(frozen=True, kw_only=True)
class Format:
    """One shape that other programs write.

    ``recognise`` looks at a file's content alone; ``read`` yields its rows, the table that the
    file is mainly for first in ``tables``, and ``together`` where one import fills them all;
    ``told`` says which of their names became which of
    ours, for the report.
    """

    name: str
    title: str
    tables: tuple[str, ...]
    together: bool = True
    recognise: Callable[[Opened], bool]
    read: Callable[[Opened, Reading], Iterator[Row]]
    told: Mapping[str, str] = field(default_factory=dict)
