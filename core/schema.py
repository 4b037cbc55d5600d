"""The tables of a study: their columns, what a cell may hold, and the door they pass.

Every frame that the engine sees has been through :func:`admit`, so it has every column of its
table, in order and in one type:

=========  =============================  ====================
kind       dtype in the frame             unknown
=========  =============================  ====================
text       ``str``                        NaN
choice     ``str``                        NaN
number     ``float64``                    NaN
integer    ``Int64``                      ``pd.NA``
date       ``datetime64[us]``             ``NaT``
texts      ``object``, tuples of str      ``()``
record     ``object``, dicts              ``{}``
=========  =============================  ====================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from core.cells import parse_column
from core.config import ALL_JUDGES
from core.errors import Problem, nearest

Kind = Literal["text", "choice", "number", "integer", "date", "texts", "record"]
STATES = ("ok", "refused", "parse_failed", "call_failed")
PRECISIONS = ("day", "month", "year")
ORDERS = ("idea_first", "reference_first")
OUTCOMES = (0.0, 0.5, 1.0)
FORMAL_PARTS = ("main_target", "core_breakthrough", "innovative_methods", "experimental_design")
IDEA_TEXTS = ("title", "problem", "rationale", "method")


def in_formal_parts(frame: pd.DataFrame) -> pd.Series:
    """Which rows of ideas or references have all four formal parts: one bool a row."""
    return frame[list(FORMAL_PARTS)].notna().all(axis=1)


@dataclass(frozen=True)
class Column:
    """One column: its kind, its bounds and what it means; ``reserved`` is no name of one."""

    name: str
    kind: Kind
    doc: str
    required: bool = False
    allowed: tuple[str | float, ...] = ()
    low: float | None = None
    high: float | None = None
    default: str | int | None = None
    reserved: str | None = None


@dataclass(frozen=True)
class Table:
    """One table: a row's meaning, its columns and the columns that identify a row."""

    name: str
    row: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def __getitem__(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def empty(self) -> pd.DataFrame:
        """A frame with every column and no row."""
        frame, _ = admit(self, pd.DataFrame(), file=self.name)
        return frame


def _id(name: str, doc: str) -> Column:
    return Column(name, "text", doc, required=True)


def _mark(name: str, low: float, high: float, doc: str) -> Column:
    return Column(name, "number", f"{doc}, {low:g} to {high:g}", low=low, high=high)


_EXTRA = Column("extra", "record", "fields of the source that have no column here")
_REASON = Column("reason", "text", "the judge's reason, in its words")
_STATE = Column("state", "choice", "how the call ended", allowed=STATES, default="ok")
_CALL = Column("call_id", "text", "the model call in calls.jsonl")
_JUDGE = Column("judge", "text", "who marked", required=True, reserved=ALL_JUDGES)
_REPEAT = Column("repeat", "integer", "number of the repeat, from 1", low=1, default=1)
_FORMAL = (
    Column("main_target", "text", "formal part: the target, in one sentence"),
    Column("core_breakthrough", "text", "formal part: what is new at the core"),
    Column("innovative_methods", "text", "formal part: the methods, 3 to 4"),
    Column("experimental_design", "text", "formal part: how it would be tested"),
)
_MARKS_0_5 = tuple(
    _mark(name, 0, 5, doc)
    for name, doc in (
        ("rating", "overall mark"),
        ("contribution", "mark for contribution"),
        ("soundness", "mark for soundness"),
    )
)

IDEAS = Table(
    "ideas",
    "an idea or a forecast",
    ("idea_id",),
    (
        _id("idea_id", "unique name of the idea"),
        _id("system", "who or what produced it"),
        Column("topic", "text", "research topic, as in papers' topics"),
        Column("cutoff", "date", "the idea knows nothing after this day (else the study's)"),
        Column("rank", "integer", "forecasts: 1 to n within system, topic, cutoff", low=1),
        Column("title", "text", "title"),
        Column("problem", "text", "the problem it addresses"),
        Column("rationale", "text", "why it should work"),
        Column("method", "text", "the proposed method"),
        Column("key_terms", "texts", "key terms"),
        *_FORMAL,
        _EXTRA,
    ),
)
PAPERS = Table(
    "papers",
    "a paper",
    ("paper_id",),
    (
        _id("paper_id", "unique name of the paper"),
        Column("title", "text", "title", required=True),
        Column("abstract", "text", "abstract"),
        Column("published", "date", "first submission"),
        Column("date_precision", "choice", "how exact the date is", allowed=PRECISIONS),
        Column("venue", "text", "venue, as the source spells it"),
        Column("citations", "number", "citation count; empty means unknown", low=0),
        Column("topics", "texts", "topics it belongs to"),
        Column("url", "text", "where to read it"),
        Column("identifiers", "record", "arxiv, doi and other identifiers"),
        _EXTRA,
    ),
)
SCORES = Table(
    "scores",
    "a judge's marks for an idea",
    ("idea_id", "judge", "repeat"),
    (
        _id("idea_id", "the idea marked"),
        _JUDGE,
        _REPEAT,
        *(_mark(name, 1, 10, f"mark for {name}") for name in ("novelty", "feasibility")),
        _mark("impact", 1, 10, "mark for expected impact"),
        _mark("overall", 1, 10, "overall mark"),
        _REASON,
        _STATE,
        _CALL,
    ),
)
REFERENCES = Table(
    "references",
    "a reviewed paper",
    ("reference_id",),
    (
        _id("reference_id", "unique name of the reference"),
        Column("title", "text", "title", required=True),
        Column("abstract", "text", "abstract"),
        Column("venue", "text", "conference"),
        Column("year", "integer", "year of the conference", low=1900, high=2200),
        Column("decision", "text", "decision of the conference"),
        Column("area", "text", "primary area"),
        *_MARKS_0_5,
        *_FORMAL,
        _EXTRA,
    ),
)
STARTS = Table(
    "starts",
    "a judge's first marks for LigBench",
    ("idea_id", "judge", "repeat"),
    (
        _id("idea_id", "the idea marked"),
        _JUDGE,
        _REPEAT,
        *_MARKS_0_5,
        _mark("novelty", 0, 5, "mark for novelty"),
        _REASON,
        _STATE,
        _CALL,
    ),
)
COMPARISONS = Table(
    "comparisons",
    "a judge's choice between an idea and a reference",
    ("idea_id", "reference_id", "judge", "order", "repeat"),
    (
        _id("idea_id", "the idea compared"),
        _id("reference_id", "the reference compared"),
        _JUDGE,
        Column("order", "choice", "which was shown first", required=True, allowed=ORDERS),
        _REPEAT,
        *(
            Column(
                name,
                "number",
                f"{name}: 1 idea better, 0.5 equal, 0 reference better",
                allowed=OUTCOMES,
            )
            for name in ("rating", "contribution", "soundness")
        ),
        _REASON,
        _STATE,
        _CALL,
    ),
)
VERDICTS = Table(
    "verdicts",
    "a judge's grade of an idea–paper pair",
    ("idea_id", "paper_id", "judge"),
    (
        _id("idea_id", "the idea graded"),
        _id("paper_id", "the paper it is held against"),
        _JUDGE,
        *(
            Column(name, "integer", f"{name} grade, 0 to 3", low=0, high=3)
            for name in ("problem", "method", "specificity")
        ),
        _REASON,
        _STATE,
        _CALL,
    ),
)
CANDIDATES = Table(
    "candidates",
    "one retrieved idea–paper pair",
    ("idea_id", "paper_id"),
    (
        _id("idea_id", "the idea"),
        _id("paper_id", "the paper"),
        Column(
            "similarity", "number", "cosine of the two vectors", required=True, low=-1.0, high=1.0
        ),
        Column("rank", "integer", "1 is the most similar", required=True, low=1),
    ),
)
TABLES: dict[str, Table] = {
    table.name: table
    for table in (IDEAS, PAPERS, SCORES, REFERENCES, STARTS, COMPARISONS, VERDICTS)
}


def admit(
    table: Table, raw: pd.DataFrame, *, file: str, unique: bool = True
) -> tuple[pd.DataFrame, list[Problem]]:
    """Turn a frame of raw cells into the table's frame, and list every problem.

    ``raw`` holds whatever the file held (text, numbers, lists). The frame that comes back has
    the types above; a cell that could not be read is unknown in it and named in the problems.
    ``unique`` False leaves rows alone that repeat a key.
    """
    problems: list[Problem] = []
    for name in raw.columns:
        if name not in table.names:
            problems.append(
                Problem(
                    file=file,
                    row=None,
                    column=str(name),
                    value=None,
                    message=f"no such column in {table.name}. {nearest(str(name), table.names)}"
                    " Other fields go in 'extra'.",
                )
            )
    columns: dict[str, pd.Series] = {}
    index = pd.RangeIndex(len(raw))
    for column in table.columns:
        if column.name not in raw.columns:
            if column.required and len(raw):
                close = nearest(column.name, map(str, raw.columns))
                hint = f" {close}" if close.startswith("Did") else ""
                message = f"is missing. Found: {', '.join(map(str, raw.columns))}.{hint}"
                problems.append(
                    Problem(file=file, row=None, column=column.name, value=None, message=message)
                )
            cells: Sequence[object] = [None] * len(raw)
        else:
            cells = raw[column.name].tolist()
        values, bad = parse_column(column, cells)
        columns[column.name] = values.set_axis(index)
        problems += [
            Problem(file=file, row=row + 1, column=column.name, value=value, message=message)
            for row, value, message in bad
        ]
    if table is PAPERS and "published" in raw.columns:
        problems += _settle_precision(columns, raw["published"].tolist(), file)
    frame = pd.DataFrame(columns, index=index)
    told = {(problem.row, problem.column) for problem in problems}
    problems += [
        problem
        for problem in _check(table, frame, raw, file, unique)
        if (problem.row, problem.column) not in told
    ]
    return frame, problems


def _settle_precision(
    columns: dict[str, pd.Series], cells: Sequence[object], file: str
) -> list[Problem]:
    """Fill ``date_precision`` from how the date is written; refuse one finer than the date."""
    from core.cells import date_precision

    written = pd.Series([date_precision(cell) for cell in cells], dtype="str")
    given = columns["date_precision"]
    order = {name: place for place, name in enumerate(PRECISIONS)}
    finer = given.map(order) < written.map(order)
    columns["date_precision"] = given.where(given.notna() & ~finer, written)
    return [
        Problem(
            file=file,
            row=row + 1,
            column="date_precision",
            value=str(given[row]),
            message=f"is finer than the date, which is written to the {written[row]}",
        )
        for row in finer.index[finer]
    ]


def _check(
    table: Table, frame: pd.DataFrame, raw: pd.DataFrame, file: str, unique: bool
) -> list[Problem]:
    from core.validation import repeated_keys, schema_problems

    if frame.empty:
        return []
    present = [column for column in table.columns if column.name in raw.columns]
    problems = schema_problems(present, frame, file)
    return problems + repeated_keys(table, frame, file) if unique else problems
