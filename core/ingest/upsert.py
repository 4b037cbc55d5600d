"""Rows put among the rows that a table has: by key, and never twice.

A row whose key stands in the table fills and overwrites that row with what it gives; a cell that
the file leaves empty changes nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.cells import is_missing
from core.schema import Table

Record = dict[str, Any]
REPEAT_RULE = (
    "repeats: the files do not number them, so the marks of one idea by one judge are numbered in"
    " their order; a row whose marks and reason are already there counts as that one, once each."
)


@dataclass(frozen=True, kw_only=True)
class Upsert:
    """The rows after the upsert, and what became of each incoming one.

    ``fates`` are added, updated, unchanged or repeated; ``repeats`` gives, by the number of a
    repeated row, the number of the incoming row that it repeats.
    """

    records: tuple[Record, ...]
    fates: tuple[str, ...]
    repeats: Mapping[int, int]


def upsert(
    table: Table,
    known: Sequence[Record],
    incoming: Sequence[Record],
    given: Sequence[frozenset[str]],
) -> Upsert:
    """Put ``incoming`` rows among ``known`` by the table's key.

    ``given`` names, for each incoming row, the columns that its file has. Two incoming rows of
    one key: the first counts, the second is 'repeated'.
    """
    rows = [dict(record) for record in known]
    places = {_key(table, row): place for place, row in enumerate(rows)}
    fates: list[str] = []
    repeats: dict[int, int] = {}
    seen: dict[tuple[object, ...], int] = {}
    for number, record in enumerate(incoming):
        key = _key(table, record)
        if key in seen:
            repeats[number] = seen[key]
            fates.append("repeated")
            continue
        seen[key] = number
        if key not in places:
            places[key] = len(rows)
            rows.append(dict(record))
            fates.append("added")
            continue
        row = rows[places[key]]
        changed = _overlay(row, record, given[number])
        fates.append("updated" if changed else "unchanged")
    return Upsert(records=tuple(rows), fates=tuple(fates), repeats=repeats)


def number_repeats(
    table: Table, known: Sequence[Record], incoming: Sequence[Record], numbered: Sequence[bool]
) -> list[Record]:
    """Incoming rows with ``repeat`` given to those whose file does not number them.

    Rows are told apart by content. For one idea and one judge, a row takes the repeat of a known
    row with the same content that no earlier row has taken; else the next free number. So a file
    imported again finds its own rows, and two equal marks of one file stay two.
    """
    rest = [name for name in table.key if name != "repeat"]
    contents = [name for name in table.names if name not in (*table.key, "call_id")]
    free: dict[tuple[object, ...], list[int]] = defaultdict(list)
    highest: dict[tuple[object, ...], int] = defaultdict(int)
    for record in (*known, *(r for r, n in zip(incoming, numbered, strict=True) if n)):
        group = tuple(record[name] for name in rest)
        highest[group] = max(highest[group], int(record["repeat"]))
    for record in sorted(known, key=lambda record: int(record["repeat"])):
        free[(*(record[name] for name in rest), _content(record, contents))].append(
            int(record["repeat"])
        )
    rows = []
    for record, has_number in zip(incoming, numbered, strict=True):
        row = dict(record)
        if not has_number:
            group = tuple(row[name] for name in rest)
            same = free[(*group, _content(row, contents))]
            if same:
                row["repeat"] = same.pop(0)
            else:
                highest[group] += 1
                row["repeat"] = highest[group]
        rows.append(row)
    return rows


def _overlay(row: Record, record: Record, given: frozenset[str]) -> bool:
    changed = False
    for name, value in record.items():
        if name not in given or _empty(value):
            continue
        if isinstance(value, dict):
            value = {**row[name], **value}
        if row[name] is not value and (_empty(row[name]) or row[name] != value):
            row[name] = value
            changed = True
    return changed


def _key(table: Table, record: Record) -> tuple[object, ...]:
    return tuple(record[name] for name in table.key)


def _content(record: Record, names: Sequence[str]) -> str:
    values = [None if is_missing(record[name]) else str(record[name]) for name in names]
    return json.dumps(values)


def _empty(value: object) -> bool:
    return is_missing(value) or (isinstance(value, (dict, tuple)) and not value)
