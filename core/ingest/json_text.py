"""JSON text as values, strictly: what it names twice or leaves open is told, never guessed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import IO, Any

from core.errors import DataError

_CHUNK = 1 << 20
_NUMBER_OR_NOTHING = re.compile(r"[-+.\deE]*")
_SPACE = re.compile(r"[ \t\r\n]*")


class RepeatedKeyError(ValueError):
    """An object in JSON names a key twice, so one of its values would be lost unsaid."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        name = next(name for name, count in Counter(n for n, _ in pairs).items() if count > 1)
        raise RepeatedKeyError(f"the key {name!r} stands twice in one object")
    return record


JSON_DECODER = json.JSONDecoder(parse_constant=str, object_pairs_hook=_once)
"""Takes NaN and Infinity as words, and no key twice in one object."""


def parse_json(place: str, text: str) -> Any:
    """JSON text as values; raises :class:`DataError` that names ``place``."""
    try:
        return JSON_DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{place}: not readable as JSON: {error}") from None


class JsonStream:
    """One JSON list or object as it is read: no more of it is held than one value.

    ``place`` names the text in a :class:`DataError`. A stream is gone through once, to its end,
    behind which nothing may stand.
    """

    def __init__(self, place: str, text: IO[str]) -> None:
        self._place, self._text = place, text
        self._buffer = text.read(_CHUNK).lstrip("\ufeff")
        self._at, self._ended, self._inside = 0, False, ""

    def items(self) -> Iterator[Any]:
        """The items of the list that the text is."""
        yield from self._list()
        self._end("list")

    def members(self) -> Iterator[tuple[str, Any]]:
        """The members of the object that the text is; a list is an iterator of its items, and
        what is not taken from it is read past."""
        self._take("{", "an object must begin")
        seen: set[str] = set()
        while self._peek("object") != "}":
            if seen:
                self._take(",", "a comma must stand")
            name = self._value("object") if self._peek("object") == '"' else None
            if not isinstance(name, str):
                raise self._broken(f"{self._peek('object')!r} where a name must stand")
            if name in seen:
                raise self._broken(f"the key {name!r} stands twice in one object")
            seen.add(name)
            self._take(":", "a colon must stand")
            if self._peek("object") == "[":
                items = self._list()
                yield name, items
                for _ in items:
                    pass
            else:
                yield name, self._value("object")
        self._at += 1
        self._end("object")

    def _list(self) -> Iterator[Any]:
        self._take("[", "a list must begin")
        count = 0
        while True:
            self._inside = f", item {count + 1}"
            mark = self._peek("list")
            if mark == "]":
                break
            if count:
                self._take(",", "a comma must stand")
            yield self._value("list")
            count += 1
        self._at += 1
        self._inside = ""

    def _value(self, where: str) -> Any:
        """The value that begins here, or after space."""
        self._peek(where)
        while True:
            try:
                value, end = JSON_DECODER.raw_decode(self._buffer, self._at)
            except (RecursionError, RepeatedKeyError) as error:
                raise self._broken(error) from None
            except ValueError as error:
                if not self._more():
                    raise self._broken(error) from None
                continue
            # A number may go on behind what has been read: "-0" may be the start of "-0.5".
            if not self._ended and _NUMBER_OR_NOTHING.fullmatch(self._buffer, end) and self._more():
                continue
            self._at = end
            return value

    def _peek(self, where: str) -> str:
        """The next character that is no space."""
        while True:
            found = _SPACE.match(self._buffer, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more():
                raise self._broken(f"the {where} does not end")

    def _take(self, mark: str, what: str) -> None:
        found = self._peek("text")
        if found != mark:
            raise self._broken(f"{found!r} where {what}")
        self._at += 1

    def _end(self, where: str) -> None:
        if self._buffer[self._at :].strip() or self._text.read().strip():
            raise self._broken(f"something stands after the {where}")

    def _more(self) -> bool:
        """Read on, twice as much as is waiting, so that a long value is not parsed too often."""
        waiting = len(self._buffer) - self._at
        chunk = self._text.read(max(_CHUNK, 2 * waiting))
        self._buffer, self._at = self._buffer[self._at :] + chunk, 0
        self._ended = not chunk
        return bool(chunk)

    def _broken(self, what: object) -> DataError:
        return DataError(f"{self._place}{self._inside}: not readable as JSON: {what}")
