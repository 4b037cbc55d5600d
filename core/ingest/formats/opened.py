"""A foreign file held open by what it is, not by how it is called.

Its kind is found from its first bytes; its records come one by one, so that a list of a million
papers is never held twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal

from core.cells import is_missing
from core.errors import DataError
from core.ingest.cleaning import is_personal
from core.ingest.json_text import JsonStream, parse_json
from core.ingest.opening import open_bytes, open_text
from core.ingest.tabular import json_lines, parquet_file, read_delimited

FileKind = Literal["json", "jsonl", "delimited", "xml", "bibtex", "parquet", "empty"]
_HEAD = 1 << 16
_OUTLINED = 100
_BIBTEX = re.compile(r"\s*(?:%[^\n]*\n\s*)*@\s*[a-z]+\s*[{(]", re.I)


class Opened:
    """One foreign file: its kind, its first record, and its records as a stream.

    ``data`` stands in for what is on disk. Reading raises :class:`DataError` with the place;
    ``broken`` is the error that hid the first record, if there was one.
    """

    def __init__(self, path: Path, data: bytes | None = None) -> None:
        self.path, self.data = path, data
        self.broken: DataError | None = None

    @property
    def name(self) -> str:
        return self.path.name

    @cached_property
    def head(self) -> str:
        """The first characters of the text, without what stands before its content."""
        with self.text() as text:
            return text.read(_HEAD).lstrip("\ufeff \t\r\n")

    @cached_property
    def kind(self) -> FileKind:
        with open_bytes(self.path, self.data) as raw:
            if raw.peek(4)[:4] == b"PAR1":
                return "parquet"
        head = self.head
        if not head:
            return "empty"
        if head[0] == "<":
            return "xml"
        if _BIBTEX.match(head):
            return "bibtex"
        if head[0] == "[":
            return "json"
        if head[0] == "{":
            return "jsonl" if self._many_lines() else "json"
        return "delimited"

    @cached_property
    def first(self) -> Any:
        """The first record: a list's first item, a line, a row; of one JSON object its members,
        long lists among them cut short.

        None where there is none, or where it cannot be read.
        """
        try:
            if self._is_one_object:
                return self._outline()
            return next((record for _, record in self.records() if record is not None), None)
        except DataError as error:
            self.broken = error
            return None

    @cached_property
    def whole(self) -> Any:
        """What :attr:`first` is of, with nothing cut short; None where there is nothing."""
        return next((record for _, record in self.records() if record is not None), None)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The names in the first record."""
        return frozenset(self.first) if isinstance(self.first, dict) else frozenset()

    def has(self, *names: str) -> bool:
        """Whether the first record has every one of these names."""
        return self.keys.issuperset(names)

    @contextmanager
    def text(self) -> Iterator[IO[str]]:
        with open_text(self.path, self.data) as text:
            yield text

    def sample(self, *lists: str) -> dict[str, Any]:
        """The first record of :meth:`items`; empty where there is none to be read."""
        try:
            return next((record for _, record in self.items(*lists) if record), {})
        except DataError:
            return {}

    def records(self) -> Iterator[tuple[int, Any]]:
        """Each record with its line (or its number, in JSON and Parquet)."""
        if self.kind == "parquet":
            yield from self._parquet()
        elif self.kind == "delimited":
            yield from self._delimited()
        elif self.kind == "jsonl":
            with open_text(self.path, self.data) as text:
                yield from json_lines(self.path, text)
        elif self.kind == "json":
            yield from self._json()

    def items(self, *lists: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Records that are objects, null as an empty one; those of the list under one of
        ``lists`` where the file is one object that has it."""
        within = None
        if self._is_one_object and isinstance(self.first, dict):
            within = next((n for n in lists if isinstance(self.first.get(n), list)), None)
        for number, record in self.records() if within is None else self._listed(within):
            value = record or {}
            if not isinstance(value, dict):
                raise DataError(f"{self.path}, item {number}: must be a JSON object")
            yield number, value

    def _many_lines(self) -> bool:
        """Whether the first line is a whole object and another begins after it."""
        with self.text() as text:
            line = next((line for line in text if line.strip()), "")
            after = next((line for line in text if line.strip()), "")
        line = line.strip().lstrip("\ufeff")
        return line.endswith("}") and after.lstrip().startswith("{") and line != "{"

    def _json(self) -> Iterator[tuple[int, Any]]:
        with self.text() as text:
            if self.head[0] == "[":
                yield from enumerate(JsonStream(str(self.path), text).items(), start=1)
            else:
                yield 1, parse_json(str(self.path), text.read().lstrip("\ufeff"))

    @property
    def _is_one_object(self) -> bool:
        return self.kind == "json" and self.head[0] == "{"

    def _outline(self) -> dict[str, Any]:
        """The file's one object, its lists to their first items."""
        with self.text() as text:
            return {
                name: list(islice(value, _OUTLINED)) if isinstance(value, Iterator) else value
                for name, value in JsonStream(str(self.path), text).members()
            }

    def _listed(self, within: str) -> Iterator[tuple[int, Any]]:
        """The items of one list in the file's one object, which is read to its end."""
        with self.text() as text:
            for name, value in JsonStream(str(self.path), text).members():
                if name == within and isinstance(value, Iterator):
                    yield from enumerate(value, start=1)

    def _parquet(self) -> Iterator[tuple[int, dict[str, Any]]]:
        with open_bytes(self.path, self.data) as raw:
            number = 0
            for columns in parquet_file(self.path, raw.read()):
                for row in zip(*columns.values(), strict=True):
                    number += 1
                    yield number, dict(zip(columns, row, strict=True))

    def _delimited(self) -> Iterator[tuple[int, dict[str, Any]]]:
        first = self.head.split("\n", 1)[0]
        mark = "\t" if first.count("\t") > first.count(",") else ","
        with open_text(self.path, self.data) as text:
            header, rows = read_delimited(self.path, text, mark)
            for line, row in rows:
                yield line, dict(zip(header, row, strict=True))


def present(cell: object) -> bool:
    """Whether a cell holds anything; an empty text, list or record does not."""
    if isinstance(cell, (str, list, tuple, dict)):
        return bool(cell)
    return not is_missing(cell)


def rest(record: Mapping[str, Any], *used: str) -> dict[str, Any]:
    """What a record holds besides the names in ``used``."""
    return {name: cell for name, cell in record.items() if name not in used and present(cell)}


def joined(*cells: object, personal: set[str] | None = None) -> str | None:
    """Texts and what nests in them as one text, in paragraphs; None where nothing is there.

    Personal fields are left out, their names put into ``personal``.
    """
    parts = [text for cell in cells if (text := as_text(cell, personal))]
    return "\n\n".join(parts) or None


def as_text(cell: object, personal: set[str] | None = None) -> str:
    """A nested value as text for people: names, a colon, what is said under them."""
    if isinstance(cell, Mapping):
        lines = []
        for name, inner in cell.items():
            if is_personal(str(name)):
                if personal is not None:
                    personal.add(str(name))
            elif text := as_text(inner, personal):
                lines.append(f"{name}: {text}")
        return "\n".join(lines)
    if isinstance(cell, (list, tuple)):
        return "\n".join(text for inner in cell if (text := as_text(inner, personal)))
    return str(cell).strip() if present(cell) else ""
