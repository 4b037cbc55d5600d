"""Judgements into a study's tables, and out of the calls again where a table was lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import pandas as pd

from core.errors import TableError, UsageError
from core.ingest.tabular import read_rows
from core.judging.calls import CALLS_FILE, Call, read_calls
from core.judging.fields import Field
from core.judging.locking import writing
from core.judging.plan import read_call
from core.judging.task import judged_row
from core.schema import TABLES, admit
from core.study import Study, table_file


def merge_rows(study: Study, name: str, rows: Sequence[Mapping[str, Any]]) -> Study:
    """Write rows into a table of the study, each in place of the one with its key.

    The table is read again first, so what others wrote meanwhile stays; it is replaced whole or
    not at all, by one writer after another. Raises :class:`TableError` where the rows or the
    file break the schema.
    """
    with nullcontext() if study.folder is None else writing(study.folder):
        return _merged(study, name, rows)


def _merged(study: Study, name: str, rows: Sequence[Mapping[str, Any]]) -> Study:
    table = TABLES[name]
    kept = [column for column in table.names if any(column in row for row in rows)]
    new = _admitted(name, pd.DataFrame([{c: row.get(c) for c in kept} for row in rows]), "calls")
    old = stored(study, name)
    if not old.empty and not new.empty:
        key = list(table.key)
        taken = pd.MultiIndex.from_frame(new[key].astype(object))
        old = old[~pd.MultiIndex.from_frame(old[key].astype(object)).isin(taken)]
    both = new if old.empty else old if new.empty else pd.concat([old, new], ignore_index=True)
    return study.write(name, both.reset_index(drop=True))


def refuse_foreign_marks(study: Study, name: str, judge: str) -> None:
    """Raise :class:`UsageError` where the judge has marks that no model call gave."""
    frame = stored(study, name)
    foreign = frame[(frame["judge"] == judge) & frame["call_id"].isna()]
    if len(foreign):
        raise UsageError(
            f"{name}: judge '{judge}' already has {len(foreign)} rows that did not come from"
            " calls of ours. Give this run another name with --judge NAME."
        )


def rebuild(
    study: Study,
    kind: str,
    fields: Sequence[Field],
    *,
    judge: str | None = None,
    turn: Callable[[dict[str, Any]], dict[str, Any]] = dict,
) -> Study:
    """Write the rows of model judges again as ``calls.jsonl`` tells them; other rows stay.

    A valid answer goes before a failed one, a later before an earlier, for each judge, key and
    repeat. ``turn`` makes the table's row of a reply's.
    """
    if study.folder is None:
        raise UsageError("This study is not in a folder, so it has no calls.")
    best: dict[tuple[Any, ...], tuple[str, dict[str, Any]]] = {}
    for call in read_calls(study.folder / CALLS_FILE, requests=False).calls:
        if call.kind != kind or (judge is not None and call.judge != judge):
            continue
        reading = read_call(call, fields)
        place = (call.judge, call.repeat, *sorted(call.key.items()))
        known = best.get(place)
        if known is not None and known[0] == "ok" and reading.state != "ok":
            continue
        row = judged_row(
            call.key,
            judge=call.judge,
            repeat=call.repeat,
            reading=reading,
            call_id=call.id,
            to_row=None,
        )
        best[place] = (reading.state, turn(row))
    return merge_rows(study, kind, [row for _, row in best.values()]) if best else study


def judge_models(calls: Iterable[Call]) -> dict[str, str]:
    """Each judge's model, by its latest call."""
    return {call.judge: call.model for call in calls}


def stored(study: Study, name: str) -> pd.DataFrame:
    """The table as it is on disk now."""
    path = None if study.folder is None else table_file(study.folder, name)
    if path is None:
        return TABLES[name].empty()
    return _admitted(name, read_rows(path), path.name)


def _admitted(name: str, raw: pd.DataFrame, file: str) -> pd.DataFrame:
    frame, problems = admit(TABLES[name], raw, file=file)
    if problems:
        raise TableError(problems)
    return frame
