"""Single views of two judges or of one set, each with the ids of the ideas behind it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from core.agreement.marks import KEYS, Marks, dimension_of, marks_of, unit_rows
from core.agreement.overall import WithoutJudge, leave_one_out
from core.agreement.pairs import pair_agreement
from core.agreement.results import PairAgreement
from core.config import Settings
from core.stats.agreement import Limits, RankCorrelation, bland_altman, draw_units, spearman

if TYPE_CHECKING:
    from core.study import Study


@dataclass(frozen=True, kw_only=True, eq=False)
class Confusion:
    """The table of two judges on one dimension, with the figures that belong beside it.

    ``units`` has one row a unit that both marked: its ids, ``value_a``, ``value_b``, and the
    categories ``category_a`` (row) and ``category_b`` (column).
    """

    pair: PairAgreement
    units: pd.DataFrame


@dataclass(frozen=True, kw_only=True, eq=False)
class PairedMarks:
    """Two judges' unrounded marks for a scatter or a Bland–Altman plot.

    ``units``: the ids, ``topic``, ``value_a``, ``value_b``, ``mean``, ``difference`` (a − b).
    """

    judge_a: str
    judge_b: str
    on: str
    n: int
    n_left_out: int
    limits: Limits
    spearman: RankCorrelation
    units: pd.DataFrame
    seed: int


@dataclass(frozen=True, kw_only=True, eq=False)
class RepeatSpread:
    """Each judge's repeats of each unit: the ids, ``judge``, ``n``, ``mean``, ``sd`` (None of one
    mark alone), ``low``, ``high``, ``range``; ``left_out`` counts units without an ok repeat."""

    on: str
    left_out: int
    units: pd.DataFrame


@dataclass(frozen=True, kw_only=True, eq=False)
class Disagreements:
    """Pairs of judges' marks of a unit, the most different first.

    ``rows``: the ids, ``judge_a``, ``judge_b``, ``value_a``, ``value_b``, ``difference`` (a − b),
    ``size`` (its absolute value), ``calls_a``, ``calls_b`` (ids of the calls that gave them).
    Equal sizes stand in order of ids and judges. ``n`` counts the differing ones before
    ``limit`` cut them, ``n_compared`` all pairs of marks.
    """

    on: str
    n: int
    n_compared: int
    limit: int
    rows: pd.DataFrame


def confusion(
    study: Study, judge_a: str, judge_b: str, on: str, settings: Settings | None = None
) -> Confusion:
    """The table of two judges on one dimension, and which unit stands in which cell."""
    settings = settings or study.settings
    marks = marks_of(study, on, settings)
    left, right = marks.column(judge_a), marks.column(judge_b)
    both = (marks.codes[:, left] >= 0) & (marks.codes[:, right] >= 0)
    units = _with_values(marks, left, right, both)
    units["category_a"] = marks.rounded[both, left]
    units["category_b"] = marks.rounded[both, right]
    return Confusion(pair=pair_agreement(marks, judge_a, judge_b, settings), units=units)


def paired_marks(
    study: Study, judge_a: str, judge_b: str, on: str, settings: Settings | None = None
) -> PairedMarks:
    """Two judges' marks side by side, with bias, limits of agreement and rank correlation."""
    settings = settings or study.settings
    marks = marks_of(study, on, settings)
    left, right = marks.column(judge_a), marks.column(judge_b)
    both = np.isfinite(marks.values[:, left]) & np.isfinite(marks.values[:, right])
    units = _with_values(marks, left, right, both)
    units["mean"] = (units["value_a"] + units["value_b"]) / 2
    units["difference"] = units["value_a"] - units["value_b"]
    a, b = marks.values[both, left], marks.values[both, right]
    draws = None
    if both.any():
        draws = draw_units(marks.topics[both], draws=settings.draws, seed=settings.seed)
    return PairedMarks(
        judge_a=judge_a,
        judge_b=judge_b,
        on=on,
        n=int(both.sum()),
        n_left_out=pair_agreement(marks, judge_a, judge_b, settings).n_left_out,
        limits=bland_altman(a, b),
        spearman=spearman(a, b, draws),
        units=units,
        seed=settings.seed,
    )


def repeat_spread(study: Study, on: str, settings: Settings | None = None) -> RepeatSpread:
    """How far each judge's repeats of a unit lie apart."""
    dimension = dimension_of(on)
    rows = unit_rows(study, dimension, settings or study.settings)
    keys = [*KEYS[dimension.table], "judge"]
    grouped = rows.groupby(keys, sort=True)["value"]
    units = grouped.agg(n="count", mean="mean", sd="std", low="min", high="max").reset_index()
    held = units["n"] > 0
    units["range"] = units["high"] - units["low"]
    left_out = int((~held).sum())
    return RepeatSpread(on=on, left_out=left_out, units=units[held].reset_index(drop=True))


def disagreements(
    study: Study,
    on: str = "overall",
    *,
    limit: int = 50,
    judges: tuple[str, str] | None = None,
    settings: Settings | None = None,
) -> Disagreements:
    """The largest differences between judges on one dimension, of one pair or of all."""
    settings = settings or study.settings
    marks = marks_of(study, on, settings)
    if judges is None:
        pairs = list(combinations(range(len(marks.judges)), 2))
    else:
        pairs = [(marks.column(judges[0]), marks.column(judges[1]))]
    parts = []
    for left, right in pairs:
        both = np.isfinite(marks.values[:, left]) & np.isfinite(marks.values[:, right])
        part = _with_values(marks, left, right, both)
        part.insert(len(marks.units.columns), "judge_a", marks.judges[left])
        part.insert(len(marks.units.columns) + 1, "judge_b", marks.judges[right])
        parts.append(part)
    keys = list(marks.units.columns)
    names = [*keys, "judge_a", "judge_b", "value_a", "value_b"]
    rows = pd.concat(parts, ignore_index=True)[names] if parts else pd.DataFrame(columns=names)
    compared = len(rows)
    rows["difference"] = (rows["value_a"] - rows["value_b"]).astype(float)
    rows["size"] = rows["difference"].abs().round(9)
    rows = rows[rows["size"] > 0]
    rows = rows.sort_values(
        ["size", *keys, "judge_a", "judge_b"], ascending=[False] + [True] * (len(keys) + 2)
    )
    shown = rows.head(limit).reset_index(drop=True)
    calls = _calls(study, marks.dimension.table)
    for side in ("a", "b"):
        wanted = zip(*(shown[name] for name in [*keys, f"judge_{side}"]), strict=True)
        shown[f"calls_{side}"] = pd.Series(
            [calls.get(tuple(map(str, key)), ()) for key in wanted], dtype=object
        )
    return Disagreements(on=on, n=len(rows), n_compared=compared, limit=limit, rows=shown)


def leave_one_judge_out(
    study: Study, on: str = "overall", settings: Settings | None = None
) -> tuple[WithoutJudge, ...]:
    """What agreement would be without each judge, and how each stands to the others."""
    settings = settings or study.settings
    return leave_one_out(marks_of(study, on, settings), settings)


def to_frame(rows: tuple[Any, ...]) -> pd.DataFrame:
    """Results of one kind as a table, without their nested parts."""
    if not rows:
        return pd.DataFrame()
    names = [field.name for field in fields(rows[0])]
    flat = (str, int, float, bool, type(None))
    kept = [n for n in names if all(isinstance(getattr(row, n), flat) for row in rows)]
    return pd.DataFrame([{name: getattr(row, name) for name in kept} for row in rows])


def _with_values(marks: Marks, left: int, right: int, both: Any) -> pd.DataFrame:
    units = marks.units[both].reset_index(drop=True)
    units["topic"] = marks.topics[both]
    units["value_a"] = marks.values[both, left]
    units["value_b"] = marks.values[both, right]
    return units


def _calls(study: Study, table: str) -> dict[tuple[str, ...], tuple[str, ...]]:
    frame: pd.DataFrame = getattr(study, table)
    keys = [*KEYS[table], "judge"]
    known = frame[frame["call_id"].notna() & (frame["state"] == "ok")]
    found: dict[tuple[str, ...], list[str]] = {}
    for *key, call in known[[*keys, "call_id"]].itertuples(index=False, name=None):
        found.setdefault(tuple(map(str, key)), []).append(str(call))
    return {key: tuple(calls) for key, calls in found.items()}
