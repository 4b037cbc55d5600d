"""One cell of a foreign file into one value of ours.

A parser returns the value, or raises ``ValueError`` with a sentence that says what is allowed.
Nothing is guessed: what cannot be read is named, never mapped to a default.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from core.schema import Column

_TIME = r"[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?"
_ISO_DATE = re.compile(rf"(\d{{4}})(?:-(\d{{2}})(?:-(\d{{2}})(?:{_TIME})?)?)?")
_EXACT_INTEGER = 2**53
_DATE_FORM = "must be a date as YYYY-MM-DD, YYYY-MM or YYYY"


def is_missing(cell: object) -> bool:
    """None, NaN, NaT and blank text are missing; 0, False and empty lists are not."""
    if cell is None or cell is pd.NaT or cell is pd.NA:
        return True
    if isinstance(cell, str):
        return not cell.strip()
    return isinstance(cell, (float, np.floating)) and math.isnan(cell)


def parse_text(cell: object) -> str:
    """Text as it is; numbers are written out."""
    if isinstance(cell, str):
        try:
            cell.isascii() or cell.encode()
        except UnicodeEncodeError:
            raise ValueError("must be whole characters; this holds half of one") from None
        return cell
    if isinstance(cell, bool) or not isinstance(cell, (int, float, np.integer, np.floating)):
        raise ValueError(f"must be text, not {type(cell).__name__}")
    return f"{cell:.15g}" if isinstance(cell, (float, np.floating)) else str(cell)


def parse_number(cell: object) -> float:
    """A finite number."""
    if isinstance(cell, bool) or (isinstance(cell, str) and "_" in cell):
        raise ValueError("must be a number")
    try:
        value = float(cell)  # type: ignore[arg-type]
    except OverflowError:
        value = math.inf
    except (TypeError, ValueError):
        raise ValueError("must be a number") from None
    if not math.isfinite(value):
        raise ValueError("must be a finite number; leave the cell empty where it is unknown")
    return value


def parse_integer(cell: object) -> int:
    """A whole number; 3.0 counts as one."""
    value = parse_number(cell)
    if value != int(value):
        raise ValueError("must be a whole number")
    if abs(value) >= _EXACT_INTEGER:
        raise ValueError(f"must be a whole number below {_EXACT_INTEGER}")
    return int(value)


def parse_date(cell: object) -> pd.Timestamp:
    """The first day of what is written: 2024-06 gives 2024-06-01."""
    if isinstance(cell, (datetime, date, np.datetime64)):
        stamp = pd.Timestamp(cell)
        if stamp.tzinfo is not None:
            stamp = stamp.tz_convert("UTC").tz_localize(None)
        return stamp.normalize()
    found = _written(cell)
    if found is None:
        raise ValueError(_DATE_FORM)
    year, month, day = (int(part) if part else 1 for part in found.groups())
    try:
        return pd.Timestamp(date(year, month, day))
    except ValueError as error:
        raise ValueError(f"{_DATE_FORM}; {error}") from None


def date_precision(cell: object) -> str | None:
    """'day', 'month' or 'year', by how the date is written; None where it is unreadable."""
    if is_missing(cell):
        return None
    if isinstance(cell, (datetime, date, np.datetime64)):
        return "day"
    found = _written(cell)
    if found is None:
        return None
    return "day" if found[3] else "month" if found[2] else "year"


def _written(cell: object) -> re.Match[str] | None:
    """The parts of a date as written; a bare number, 2024 or 2024.0, is a year."""
    if isinstance(cell, (int, float, np.integer, np.floating)) and not isinstance(cell, bool):
        cell = f"{float(cell):.10g}"
    return _ISO_DATE.fullmatch(cell.strip()) if isinstance(cell, str) else None


def parse_texts(cell: object) -> tuple[str, ...]:
    """A list of texts: a list, a JSON list, or text parted by ';'."""
    if isinstance(cell, str):
        text = cell.strip()
        if text.startswith("["):
            try:
                cell = json.loads(text)
            except (ValueError, RecursionError):
                raise ValueError('must be a list such as ["a", "b"] or a; b') from None
        else:
            return tuple(part.strip() for part in text.split(";") if part.strip())
    if isinstance(cell, (list, tuple, np.ndarray)):
        return tuple(parse_text(part) for part in cell if not is_missing(part))
    raise ValueError('must be a list such as ["a", "b"] or a; b')


def parse_record(cell: object) -> dict[str, Any]:
    """A JSON object."""
    if isinstance(cell, str):
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError):
            raise ValueError('must be a JSON object such as {"doi": "10.1/x"}') from None
    if isinstance(cell, dict):
        return cell
    raise ValueError('must be a JSON object such as {"doi": "10.1/x"}')


_PARSERS: dict[str, Callable[[object], Any]] = {
    "text": parse_text,
    "choice": parse_text,
    "number": parse_number,
    "integer": parse_integer,
    "date": parse_date,
    "texts": parse_texts,
    "record": parse_record,
}
_EMPTY: dict[str, Callable[[], Any]] = {"texts": tuple, "record": dict}
_DTYPES = {
    "text": "str",
    "choice": "str",
    "number": "float64",
    "integer": "Int64",
    "date": "datetime64[us]",
    "texts": "object",
    "record": "object",
}


def parse_column(
    column: Column, cells: Sequence[object]
) -> tuple[pd.Series, list[tuple[int, str, str]]]:
    """A column's values in the table's type, and (row from 0, what was found, what is allowed)."""
    parse = _PARSERS[column.kind]
    empty = _EMPTY.get(column.kind, lambda: column.default)
    values: list[Any] = []
    bad: list[tuple[int, str, str]] = []
    for row, cell in enumerate(cells):
        if is_missing(cell):
            values.append(empty())
            continue
        try:
            values.append(parse(cell))
        except ValueError as error:
            values.append(empty() if column.kind in _EMPTY else None)
            bad.append((row, str(cell), str(error)))
    if column.kind in _EMPTY:
        series = pd.Series(np.empty(len(values), dtype=object))
        series[:] = values
        return series, bad
    return pd.Series(values, dtype=_DTYPES[column.kind]), bad
