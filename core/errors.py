"""What can go wrong, and what the user is told.

ForeseenError
├── DataError      the data is not as it must be (exit code 1)
│   └── TableError     with every problem by file, row and column
└── UsageError     the request is not as it must be (exit code 2)
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class ForeseenError(Exception):
    """Base of every error that is the user's to mend; its text says how."""

    exit_code = 1


class DataError(ForeseenError):
    """A file or a table does not hold what it must."""


class UsageError(ForeseenError):
    """A setting, an option or a name is not one that exists."""

    exit_code = 2


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing wrong in one place.

    ``row`` counts data rows from 1 (a CSV's header is not counted) and is None where the
    problem is the whole column's or file's.
    """

    file: str
    row: int | None
    column: str | None
    value: str | None
    message: str

    def __str__(self) -> str:
        place = self.file
        if self.row is not None:
            place += f", row {self.row}"
        if self.column is not None:
            place += f", column '{self.column}'"
        given = "" if self.value is None else f" (found {_short(self.value)!r})"
        return f"{place}: {self.message}{given}"


class TableError(DataError):
    """Some tables break their schema; ``problems`` lists every place."""

    SHOWN = 20

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        lines = [str(problem) for problem in self.problems[: self.SHOWN]]
        rest = len(self.problems) - len(lines)
        if rest:
            lines.append(f"… and {rest} more: `foreseen check` lists them all")
        super().__init__("\n".join(lines))


def nearest(name: str, known: Iterable[str]) -> str:
    """A sentence with the known name closest to ``name``, or all of them."""
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"Did you mean '{close[0]}'?"
    return f"Known: {', '.join(names)}."


def _short(value: str, width: int = 80) -> str:
    return value if len(value) <= width else value[: width - 1] + "…"
