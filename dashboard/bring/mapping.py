"""The mapping editor: which of a file's columns is which of ours, and what the file leaves out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import UsageError
from core.ingest.cleaning import is_personal
from core.ingest.mapping import (
    DEFAULT_JOIN,
    ImportOptions,
    guess_columns,
    guess_section,
    read_codes,
)
from core.ingest.synonyms import SYNONYMS
from core.ingest.tabular import RawFile
from core.schema import TABLES, Table
from dashboard.bring import files
from dashboard.prose import plain

EXTRA, LEAVE = "extra: keep beside", "leave out"
CONSTANTS: dict[str, tuple[str, ...]] = {
    "ideas": ("system", "topic", "cutoff"),
    "papers": ("topics", "venue"),
    "references": ("venue", "year"),
}
_JUDGED = ("judge",)
_JOINED, _FIRST = "joined into one text", "the first that is filled"
_BREAKS = {"an empty line": DEFAULT_JOIN, "a line break": "\n", "a space": " "}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What the editor says, before it is turned into options.

    ``goes`` holds, for each of their columns, one of ours, ``EXTRA`` or ``LEAVE``.
    """

    goes: Mapping[str, str]
    guess: Mapping[str, str]
    first: bool = False
    join: str = DEFAULT_JOIN
    constants: Mapping[str, str]
    missing: str = ""
    section: str | None = None
    more: str = ""


def our_columns(table: Table) -> list[str]:
    """What one of their columns may become, nested places included."""
    return list(dict.fromkeys([*(n for n in table.names if n != "extra"), *SYNONYMS[table.name]]))


def guess(table: Table, raw: RawFile) -> dict[str, str]:
    """Where each of their columns goes by its name alone."""
    found = guess_columns(table, raw)
    rest = EXTRA if "extra" in table.names else LEAVE
    return {
        name: found.get(name, LEAVE if is_personal(name) else rest)
        for name in map(str, raw.frame.columns)
    }


def options_of(table: Table, choice: Choice) -> ImportOptions:
    """The engine's options; raises :class:`UsageError` for a line that is not name=value.

    Where nothing was moved the engine's own guess stands. A constant wins over a column.
    """
    constants = {name: text.strip() for name, text in choice.constants.items() if text.strip()}
    maps: list[str] = []
    drop: list[str] = []
    if dict(choice.goes) != dict(choice.guess):
        sign = "|" if choice.first else "+"
        by_ours: dict[str, list[str]] = {}
        for theirs, ours in choice.goes.items():
            if not theirs.strip() or theirs == choice.section:
                continue
            target = ours
            if target in constants:
                target = EXTRA if "extra" in table.names else LEAVE
            if target == LEAVE:
                drop += [] if is_personal(theirs) else [theirs]
            elif target == EXTRA:
                maps.append(f"{theirs}=extra")
            else:
                by_ours.setdefault(target, []).append(theirs)
        maps += [f"{sign.join(theirs)}={ours}" for ours, theirs in by_ours.items()]
    maps += [f"{theirs}={ours}" for theirs, ours in _lines(choice.more, "Further pairs")]
    missing: dict[str, tuple[str, ...]] = {}
    for name, value in _lines(choice.missing, "Values that mean unknown"):
        missing[name] = (*missing.get(name, ()), value)
    return ImportOptions(
        maps=tuple(maps),
        join=choice.join,
        constants=constants,
        missing=missing,
        split_sections=choice.section or "",
        drop=tuple(drop),
    )


def draw(table: Table, raw: RawFile) -> ImportOptions:
    """The editor of one file's columns (or of several files' together)."""
    columns = list(map(str, raw.frame.columns))
    own = guess(table, raw)
    key = hashlib.sha256("\n".join((table.name, *columns)).encode()).hexdigest()[:12]
    goes = _editor(table, raw, own, key)
    first, join = _several(goes, key)
    section = None
    if table.name == "ideas":
        likely = guess_section(raw)
        section = st.selectbox(
            "One long text to part by its headings",
            [None, *columns],
            index=columns.index(likely) + 1 if likely in columns else 0,
            key=f"bring_section_{key}",
            format_func=lambda name: "none" if name is None else str(name),
            help="For a column such as ‘1. Problem Statement: … 2. Motivation: …’",
        )
    constants = _constants(table, key)
    left, right = st.columns(2)
    missing = left.text_area(
        "Values that mean unknown",
        key=f"bring_missing_{key}",
        placeholder="citations=-1",
        help="column=value, one a line; the column's name is theirs or ours",
        height=68,
    )
    more = right.text_area(
        "Further pairs",
        key=f"bring_more_{key}",
        placeholder="externalIds.DOI=identifiers.doi",
        help="theirs=ours, one a line, for keys inside a column",
        height=68,
    )
    choice = Choice(
        goes=goes,
        guess=own,
        first=first,
        join=join,
        constants=constants,
        missing=missing,
        section=section,
        more=more,
    )
    for name in constants:
        stood = [theirs for theirs, ours in goes.items() if ours == name and constants[name]]
        if stood:
            st.caption(f"{name}: the value for every row stands in for ‘{plain(stood[0])}’.")
    return options_of(table, choice)


def codes(table: str) -> dict[str, float]:
    """The numbers of words among marks, one a line; raises :class:`UsageError`."""
    text = st.text_area(
        "Numbers of words",
        key=f"bring_codes_{table}",
        placeholder="Accept=10",
        help="WORD=NUMBER, one a line, where marks are words",
        height=68,
    )
    return read_codes(filter(None, map(str.strip, text.splitlines())))


def _editor(table: Table, raw: RawFile, own: Mapping[str, str], key: str) -> dict[str, str]:
    rows = pd.DataFrame(
        {
            "theirs": list(own),
            "goes": list(own.values()),
            "example": [files.example(list(raw.frame[name])[:100]) for name in own],
        },
        dtype="str",
    )
    rest = [EXTRA, LEAVE] if "extra" in table.names else [LEAVE]
    edited = st.data_editor(
        rows,
        key=f"bring_editor_{key}",
        alt="Each column of the file and which of ours it becomes",
        hide_index=True,
        disabled=["theirs", "example"],
        column_config={
            "theirs": st.column_config.TextColumn("Their column", pinned=True),
            "goes": st.column_config.SelectboxColumn(
                "Becomes", options=[*our_columns(table), *rest], required=True
            ),
            "example": st.column_config.TextColumn("For example", width="large"),
        },
    )
    return dict(zip(edited["theirs"], edited["goes"], strict=True))


def _several(goes: Mapping[str, str], key: str) -> tuple[bool, str]:
    """How several of their columns make one of ours."""
    targets = [ours for ours in goes.values() if ours not in (EXTRA, LEAVE)]
    twice = sorted({ours for ours in targets if targets.count(ours) > 1})
    if not twice:
        return False, DEFAULT_JOIN
    left, right = st.columns(2)
    how = left.radio(
        f"Several columns become {', '.join(twice)}", [_JOINED, _FIRST], key=f"bring_how_{key}"
    )
    between = right.selectbox(
        "Parted by", list(_BREAKS), key=f"bring_join_{key}", disabled=how == _FIRST
    )
    return how == _FIRST, _BREAKS[between]


def _constants(table: Table, key: str) -> dict[str, str]:
    names = CONSTANTS.get(table.name, _JUDGED)
    st.markdown("The same in every row, where the file does not say:")
    values: dict[str, str] = {}
    for column, name in zip(st.columns(len(names)), names, strict=True):
        values[name] = column.text_input(
            name, key=f"bring_set_{name}_{key}", help=TABLES[table.name][name].doc
        )
    return values


def _lines(text: str, box: str) -> Sequence[tuple[str, str]]:
    pairs: list[Any] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, sign, value = line.rpartition("=")
        if not sign or not name.strip() or not value.strip():
            raise UsageError(f"{box}: ‘{line}’ must be written as name=value.")
        pairs.append((name.strip(), value.strip()))
    return pairs
