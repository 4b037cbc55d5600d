"""What a reply must hold: one class a kind of value, each with its JSON schema and its check.

``schema(bounded=False)`` leaves lengths and ranges out, for servers that refuse them; ``check``
always applies them, so what a server did not enforce is caught when the reply is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol


class Field(Protocol):
    """One key of the reply's JSON object."""

    @property
    def name(self) -> str: ...

    def schema(self, *, bounded: bool) -> dict[str, Any]:
        """The value's JSON schema."""

    def check(self, value: object) -> Any:
        """The value; raises ``ValueError`` that says what is allowed and what was given."""


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A whole number from ``low`` to ``high``; text, booleans and 7.0 are refused."""

    name: str
    low: int
    high: int

    def schema(self, *, bounded: bool) -> dict[str, Any]:
        limits = {"minimum": self.low, "maximum": self.high} if bounded else {}
        return {"type": "integer", **limits}

    def check(self, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"must be a whole number, not {_shown(value)}")
        if not self.low <= value <= self.high:
            raise ValueError(f"must be from {self.low} to {self.high}, not {_shown(value)}")
        return value


@dataclass(frozen=True, kw_only=True)
class Text:
    """A text; ``longest`` is asked of the server only, a longer one is still read."""

    name: str
    longest: int | None = None
    blank: bool = False

    def schema(self, *, bounded: bool) -> dict[str, Any]:
        limits = {"maxLength": self.longest} if bounded and self.longest else {}
        return {"type": "string", **limits}

    def check(self, value: object) -> str:
        if not isinstance(value, str):
            raise ValueError(f"must be text, not {_shown(value)}")
        if not self.blank and not value.strip():
            raise ValueError("must not be empty")
        return value


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One of the named words, to the letter."""

    name: str
    allowed: tuple[str, ...]

    def schema(self, *, bounded: bool) -> dict[str, Any]:  # noqa: ARG002
        return {"type": "string", "enum": list(self.allowed)}

    def check(self, value: object) -> str:
        if not isinstance(value, str) or value not in self.allowed:
            raise ValueError(f"must be one of {', '.join(self.allowed)}, not {_shown(value)}")
        return value


@dataclass(frozen=True, kw_only=True)
class Number:
    """A number from ``low`` to ``high``, whole or not; text and booleans are refused."""

    name: str
    low: float
    high: float

    def schema(self, *, bounded: bool) -> dict[str, Any]:
        limits = {"minimum": self.low, "maximum": self.high} if bounded else {}
        return {"type": "number", **limits}

    def check(self, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"must be a number, not {_shown(value)}")
        if not self.low <= value <= self.high:
            raise ValueError(f"must be from {self.low:g} to {self.high:g}, not {_shown(value)}")
        return float(value)


@dataclass(frozen=True, kw_only=True)
class OneNumber:
    """One of the numbers named, such as 1, 0.5 and 0; nothing between them is taken for one."""

    name: str
    allowed: tuple[float, ...]

    def schema(self, *, bounded: bool) -> dict[str, Any]:  # noqa: ARG002
        return {"type": "number", "enum": list(self.allowed)}

    def check(self, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"must be a number, not {_shown(value)}")
        if value not in self.allowed:
            named = ", ".join(f"{number:g}" for number in self.allowed)
            raise ValueError(f"must be one of {named}, not {_shown(value)}")
        return float(value)


@dataclass(frozen=True, kw_only=True)
class Texts:
    """A list of ``least`` to ``most`` texts, none blank."""

    name: str
    least: int = 0
    most: int = 100

    def schema(self, *, bounded: bool) -> dict[str, Any]:
        limits = {"minItems": self.least, "maxItems": self.most} if bounded else {}
        return {"type": "array", "items": {"type": "string"}, **limits}

    def check(self, value: object) -> tuple[str, ...]:
        items = _items(value, self.least, self.most)
        item = Text(name=self.name)
        return tuple(_numbered(place, item.check, part) for place, part in enumerate(items, 1))


@dataclass(frozen=True, kw_only=True)
class Records:
    """A list of ``least`` to ``most`` objects, each with exactly the keys of ``fields``."""

    name: str
    fields: tuple[Field, ...]
    least: int = 0
    most: int = 100

    def schema(self, *, bounded: bool) -> dict[str, Any]:
        limits = {"minItems": self.least, "maxItems": self.most} if bounded else {}
        return {"type": "array", "items": object_schema(self.fields, bounded=bounded), **limits}

    def check(self, value: object) -> tuple[dict[str, Any], ...]:
        items = _items(value, self.least, self.most)
        return tuple(
            _numbered(place, lambda part: check_object(part, self.fields), part)
            for place, part in enumerate(items, 1)
        )


@cache
def object_schema(fields: tuple[Field, ...], *, bounded: bool = True) -> dict[str, Any]:
    """The JSON schema of an object with exactly these keys; shared, so not to be changed."""
    return {
        "type": "object",
        "properties": {field.name: field.schema(bounded=bounded) for field in fields},
        "required": [field.name for field in fields],
        "additionalProperties": False,
    }


def check_object(value: object, fields: Sequence[Field]) -> dict[str, Any]:
    """The object's values by key; raises ``ValueError`` that names the key and what is wrong."""
    if not isinstance(value, Mapping):
        raise ValueError(f"must be an object, not {_shown(value)}")
    names = [field.name for field in fields]
    missing = [name for name in names if name not in value]
    if missing:
        raise ValueError(f"key {', '.join(map(repr, missing))} is missing")
    unknown = [str(name) for name in value if name not in names]
    if unknown:
        raise ValueError(f"key {', '.join(map(repr, unknown))} was not asked for")
    values = {}
    for field in fields:
        try:
            values[field.name] = field.check(value[field.name])
        except ValueError as error:
            raise ValueError(f"'{field.name}' {error}") from None
    return values


def _items(value: object, least: int, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"must be a list, not {_shown(value)}")
    if not least <= len(value) <= most:
        raise ValueError(f"must hold {least} to {most} items, not {len(value)}")
    return value


def _numbered(place: int, check: Any, part: object) -> Any:
    try:
        return check(part)
    except ValueError as error:
        raise ValueError(f"item {place}: {error}") from None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
