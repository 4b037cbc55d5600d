"""JSON text as values, strictly: what it names twice or leaves open is told, never guessed."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from core.errors import DataError


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
