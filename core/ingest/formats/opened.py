"""A foreign file held open by what it is, not by how it is called.

Its kind is found from its first bytes; its records come one by one, so that a list of a million
papers is never held twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Literal

from core.cells import is_missing
from core.errors import DataError
from core.ingest.cleaning import is_personal
from core.ingest.json_text import JSON_DECODER, RepeatedKeyError, parse_json
from core.ingest.opening import open_bytes, open_text
from core.ingest.tabular import json_lines, parquet_file, read_delimited

FileKind = Literal["json", "jsonl", "delimited", "xml", "bibtex", "parquet", "empty"]
_HEAD = 1 << 16
_CHUNK = 1 << 20
_BIBTEX = re.compile(r"\s*(?:%[^\n]*\n\s*)*@\s*[a-z]+\s*[{(]", re.I)
_NUMBER_OR_NOTHING = re.compile(r"[-+.\deE]*")
_SPACE = re.compile(r"[ \t\r\n]*")


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
        """The first record: a list's first item, a line, a row; the whole of a JSON object.

        None where there is none, or where it cannot be read.
        """
        try:
            return next((record for _, record in self.records() if record is not None), None)
        except DataError as error:
            self.broken = error
            return None

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
        for number, record in self.records():
            value = record or {}
            if not isinstance(value, dict):
                raise DataError(f"{self.path}, item {number}: must be a JSON object")
            inner = next((value[name] for name in lists if isinstance(value.get(name), list)), None)
            if inner is None or self.kind != "json":
                yield number, value
                continue
            for place, item in enumerate(inner, start=1):
                if not isinstance(item or {}, dict):
                    raise DataError(f"{self.path}, item {place}: must be a JSON object")
                yield place, item or {}

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
                yield from enumerate(stream_list(str(self.path), text), start=1)
            else:
                yield 1, parse_json(str(self.path), text.read().lstrip("\ufeff"))

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


def stream_list(place: str, text: IO[str]) -> Iterator[Any]:
    """The items of one JSON list, each parsed when it is whole; raises :class:`DataError`."""
    buffer = text.read(_CHUNK).lstrip("\ufeff")
    at, ended, count = _after_space(buffer, 0) + 1, False, 0

    def broken(what: object) -> DataError:
        return DataError(f"{place}, item {count + 1}: not readable as JSON: {what}")

    def more() -> bool:
        """Read on, twice as much as is waiting, so that a long item is not parsed too often."""
        nonlocal buffer, at, ended
        chunk = text.read(max(_CHUNK, 2 * (len(buffer) - at)))
        buffer, at, ended = buffer[at:] + chunk, 0, not chunk
        return bool(chunk)

    while True:
        at = _after_space(buffer, at)
        if at == len(buffer):
            if not more():
                raise broken("the list does not end")
            continue
        if buffer[at] == "]" and count == 0:
            break
        try:
            item, end = JSON_DECODER.raw_decode(buffer, at)
        except (RecursionError, RepeatedKeyError) as error:
            raise broken(error) from None
        except ValueError as error:
            if not more():
                raise broken(error) from None
            continue
        # A number may go on behind what has been read: "-0" may be the start of "-0.5".
        if not ended and _NUMBER_OR_NOTHING.fullmatch(buffer, end) and more():
            continue
        yield item
        count += 1
        at = _after_space(buffer, end)
        while at == len(buffer):
            if not more():
                raise broken("the list does not end")
            at = _after_space(buffer, 0)
        if buffer[at] == "]":
            break
        if buffer[at] != ",":
            raise broken(f"{buffer[at]!r} where a comma must stand")
        at += 1
    if buffer[at + 1 :].strip() or text.read().strip():
        raise broken("something stands after the list")


def _after_space(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    return found.end() if found else start


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
