"""Values that a program printed into a cell: JSON or a Python literal, parsed and never run."""

from __future__ import annotations

import ast
import json
import warnings
from typing import Any

_MAX_CHARACTERS = 1_000_000
_MAX_DEPTH = 40
_OPENING, _CLOSING = "([{", ")]}"


def read_literal(cell: object) -> Any:
    """The list, record, text or number that a cell's text writes; other cells as they are.

    JSON is tried first. Raises ``ValueError`` that says why: over a million characters, nested
    over 40 deep, or no literal (a call, a name, an operation).
    """
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    if len(text) > _MAX_CHARACTERS:
        raise ValueError(f"is a literal of over {_MAX_CHARACTERS:,} characters")
    if _depth(text) > _MAX_DEPTH:
        raise ValueError(f"is a literal nested over {_MAX_DEPTH} deep")
    try:
        return json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():
            # A stray backslash in a model's text is no matter of ours.
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        raise ValueError("is neither JSON nor a Python literal") from None


def _depth(text: str) -> int:
    """An upper bound of the nesting: brackets inside quotes count too, signs in a row as well."""
    depth = most = signs = 0
    for letter in text:
        if letter in _OPENING:
            depth += 1
            most = max(most, depth)
        elif letter in _CLOSING:
            depth = max(0, depth - 1)
        signs = signs + 1 if letter in "+-~" else 0
        most = max(most, signs)
    return most
