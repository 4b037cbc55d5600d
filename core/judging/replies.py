"""What a judge replied about one unit, to the letter: from ``calls.jsonl`` where it has the call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from core.agreement.marks import KEYS
from core.judging.calls import CALLS_FILE, Call, find_call

if TYPE_CHECKING:
    from core.study import Study

_MARKS = {
    "scores": ("novelty", "feasibility", "impact", "overall"),
    "comparisons": ("rating", "contribution", "soundness"),
    "verdicts": ("problem", "method", "specificity"),
}


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One row of a judge on one unit, whatever its state, and the call behind it.

    ``marks`` holds the row's values, None where it has none. ``text`` is the model's reply to
    the letter, its refusal or the server's raw body where there is no reply; None where no call
    is kept: ``missing`` then says why. ``reasoning`` is a thinking block that came beside it.
    """

    judge: str
    repeat: int | None
    order: str | None
    state: str
    marks: Mapping[str, float | None]
    reason: str | None
    call_id: str | None
    model: str | None
    text: str | None
    reasoning: str | None
    missing: str | None


def replies_of(study: Study, table: str, unit: Mapping[str, str], judge: str) -> tuple[Reply, ...]:
    """Every row of ``judge`` on ``unit`` (its ids, as ``KEYS`` names them), in order of repeats.

    ``calls.jsonl`` is searched anew for each call that a row names.
    """
    frame: pd.DataFrame = getattr(study, table)
    held = frame["judge"] == judge
    for name in KEYS[table]:
        held &= frame[name] == unit[name]
    rows = frame[held]
    sort = [name for name in ("repeat", "order") if name in rows.columns]
    rows = rows.sort_values(sort) if sort else rows
    return tuple(_reply(study, table, row) for row in rows.to_dict("records"))


def _reply(study: Study, table: str, row: Mapping[str, object]) -> Reply:
    call_id = _text(row["call_id"])
    call: Call | None = None
    if call_id is not None and study.folder is not None:
        call = find_call(study.folder / CALLS_FILE, call_id)
    text = None if call is None else call.reply or call.refusal or call.raw
    missing = None
    if call_id is None:
        missing = "no model call of ours gave this row"
    elif call is None:
        missing = f"{CALLS_FILE} does not hold call {call_id}"
    elif text is None:
        missing = call.reason or "nothing came back"
    repeat = row.get("repeat")
    return Reply(
        judge=str(row["judge"]),
        repeat=int(repeat) if isinstance(repeat, int) else None,
        order=_text(row.get("order")),
        state=str(row["state"]),
        marks={name: _number(row[name]) for name in _MARKS[table]},
        reason=_text(row["reason"]),
        call_id=call_id,
        model=None if call is None else call.model,
        text=text,
        reasoning=None if call is None else call.reasoning,
        missing=missing,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> float | None:
    return None if value is None or pd.isna(value) else float(value)  # type: ignore[arg-type]
