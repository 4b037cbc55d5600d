"""Dates as sources write them, each kept to the precision it is written in.

A date here is ISO text cut at its precision: '2024', '2024-06' or '2024-06-12'.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable
from datetime import date, datetime

import pandas as pd

from core.cells import date_precision, is_missing, parse_date
from core.ingest.identifiers import arxiv_id

_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WORDED = (
    re.compile(rf"(?P<month>{_NAME})\.?,?\s+(?P<year>\d{{4}})", re.I),
    re.compile(
        rf"(?P<year>\d{{4}})[,\s-]+(?P<month>{_NAME})\.?(?:[\s-]+(?P<day>\d{{1,2}}))?", re.I
    ),
    re.compile(
        rf"(?:(?:mon|tue|wed|thu|fri|sat|sun)\w*,?\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s-]+"
        rf"(?P<month>{_NAME})\.?,?[\s-]+(?P<year>\d{{4}})(?:\s+\d{{2}}:\d{{2}}.*)?",
        re.I,
    ),
    re.compile(
        rf"(?P<month>{_NAME})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})", re.I
    ),
)
_SLASHED = re.compile(r"(\d{4})[/.](\d{1,2})(?:[/.](\d{1,2}))?")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
_LENGTHS = {"year": 4, "month": 7, "day": 10}
_FORM = "must be a date as YYYY-MM-DD, YYYY-MM, YYYY, or with the month's English name"


def read_date(cell: object) -> str | None:
    """The date that a cell holds, at its own precision; None where the cell is empty.

    Read: ISO, 2024/06/12, 20240612, June 2023, Jun 2023, 12 June 2023, June 12, 2023. Day and
    month as two numbers (06/12/2023) are refused: which is which cannot be known. Raises
    ``ValueError`` that says what is allowed.
    """
    if is_missing(cell):
        return None
    precision = date_precision(cell)
    if precision is not None:
        return cut(parse_date(cell), precision)
    text = " ".join(str(cell).split())
    numbers = _SLASHED.fullmatch(text) or _COMPACT.fullmatch(text)
    if numbers is not None:
        return _iso(numbers[1], int(numbers[2]), numbers[3])
    for pattern in _WORDED:
        found = pattern.fullmatch(text)
        if found is not None:
            parts = found.groupdict()
            return _iso(parts["year"], _MONTHS[parts["month"].lower()], parts.get("day"))
    raise ValueError(_FORM)


def read_month(cell: object) -> int | None:
    """A month's number from 1 to 12, or its English name; None where it is neither."""
    text = str(cell).strip().strip("{}\"'.").lower()
    if text.isdecimal() and 1 <= int(text) <= 12:
        return int(text)
    return _MONTHS.get(text)


def year_and_month(year: object, month: object) -> str | None:
    """'2024-06' or, where the month is none, '2024'."""
    written = read_date(year)
    if written is None:
        return None
    number = read_month(month)
    return written if number is None or len(written) > 4 else f"{written}-{number:02d}"


def arxiv_month(identifier: object) -> str | None:
    """The month in an arXiv id: 2503.12141 gives 2025-03, cs/0501001 gives 2005-01.

    It is the month in which the id was given, which can be the one after the submission's.
    """
    plain = arxiv_id(identifier)
    if plain is None:
        return None
    year, month = (digits := plain.rpartition("/")[2])[:2], digits[2:4]
    if not 1 <= int(month) <= 12:
        return None
    return f"{'19' if int(year) > 90 else '20'}{year}-{month}"


def earliest(dates: Iterable[str | None]) -> str | None:
    """The earliest date, as finely as another one that agrees with it says it.

    2024-06 and 2024-06-12 give 2024-06-12: the month holds the day. 2024-06 and 2024-07-02 give
    2024-06. None where no date is given.
    """
    known = sorted({day for day in dates if day})
    if not known:
        return None
    best = min(known, key=lambda day: (day.ljust(10, "\0"), day))
    finer = [day for day in known if len(day) > len(best) and day.startswith(best)]
    return earliest(finer) if finer else best


def cut(day: datetime | date | pd.Timestamp, precision: str) -> str:
    """ISO text of a day, cut at its precision."""
    return day.strftime("%Y-%m-%d").rjust(10, "0")[: _LENGTHS[precision]]


def _iso(year: str, month: int, day: str | None) -> str:
    try:
        made = date(int(year), month, int(day) if day else 1)
    except ValueError as error:
        raise ValueError(f"{_FORM}; {error}") from None
    return cut(made, "day" if day else "month")
