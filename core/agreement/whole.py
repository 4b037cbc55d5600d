"""A study's agreement as one result: pairs, sets, repeats, states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from core.agreement.marks import KEYS, marks_of, present_dimensions, unit_rows
from core.agreement.overall import nothing_judged, overall_agreement, repeat_agreement
from core.agreement.pairs import all_pairs, holm
from core.agreement.results import (
    Agreement,
    JudgeStates,
    OverallAgreement,
    PairAgreement,
    RepeatAgreement,
)
from core.config import Settings
from core.hindsight.score import study_info
from core.schema import STATES

if TYPE_CHECKING:
    from core.study import Study

NOBODY = "nobody has judged anything in this study"


def agreement(study: Study, settings: Settings | None = None) -> Agreement:
    """Agreement of every pair and set of judges on every dimension that was judged.

    Uses of the settings ``gate_pm`` and ``gate_s`` (applied as verdicts are read), ``seed`` and
    ``draws``; ``judge`` plays no part, as all are compared.
    """
    settings = settings or study.settings
    pairs: list[PairAgreement] = []
    overall: list[OverallAgreement] = []
    repeats: list[RepeatAgreement] = []
    one_order = 0
    topics: set[str] = set()
    for name in present_dimensions(study):
        marks = marks_of(study, name, settings)
        pairs += all_pairs(marks, settings)
        overall.append(overall_agreement(marks, settings))
        one_order = max(one_order, marks.one_order)
        topics |= set(marks.topics)
        if marks.dimension.table != "verdicts":
            rows = unit_rows(study, marks.dimension, settings)
            repeats += repeat_agreement(rows, marks.dimension)
    by_table = _states(study)
    return Agreement(
        study=study_info(study),
        settings=settings,
        pairs=holm(pairs),
        overall=_first(overall),
        overall_by=tuple(overall),
        repeats=tuple(repeats),
        states=_all_tables(by_table),
        states_by=tuple(by_table),
        one_order=one_order,
        resampled="topics" if len(topics) > 1 else "units",
        seed=settings.seed,
        draws=settings.draws,
    )


def _first(overall: list[OverallAgreement]) -> OverallAgreement:
    if not overall:
        return nothing_judged(NOBODY)
    return next((found for found in overall if len(found.judges) > 1), overall[0])


def _states(study: Study) -> list[JudgeStates]:
    found = []
    for table in KEYS:
        frame: pd.DataFrame = getattr(study, table)
        counts = frame.groupby(["judge", "state"]).size().unstack("state", fill_value=0)
        for judge, row in counts.sort_index().iterrows():
            number = {state: int(row.get(state, 0)) for state in STATES}
            found.append(JudgeStates(judge=str(judge), source=table, **number))
    return found


def _all_tables(by_table: list[JudgeStates]) -> tuple[JudgeStates, ...]:
    judges = sorted({row.judge for row in by_table})
    return tuple(
        JudgeStates(
            judge=judge,
            source="all",
            **{
                state: sum(getattr(row, state) for row in by_table if row.judge == judge)
                for state in STATES
            },
        )
        for judge in judges
    )
