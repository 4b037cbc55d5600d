"""What the judges said of each idea: a mean over repeats, then over judges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import ALL_JUDGES, JUDGE_DIMENSIONS, Settings
from core.errors import UsageError, nearest
from core.hindsight.memo import once_per_study
from core.hindsight.panel import ideas_of
from core.study import Study

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Marks:
    """Judge values in the order of the ideas, (ideas, 4 dimensions), nan where unscored.

    ``by_judge`` has each judge's own; ``all`` their mean. Rows whose state is not 'ok' take no
    part; ``left_out`` counts them.
    """

    all: Floats
    by_judge: dict[str, Floats]
    left_out: int

    def of(self, judge: str) -> Floats:
        """The values of one judge, or of all; :class:`UsageError` names the nearest judge."""
        if judge == ALL_JUDGES:
            return self.all
        if judge not in self.by_judge:
            known = [ALL_JUDGES, *self.by_judge]
            raise UsageError(f"No judge '{judge}' in this study's scores. {nearest(judge, known)}")
        return self.by_judge[judge]

    def reported(self, settings: Settings) -> tuple[str, ...]:
        """The judges to report: the one that is chosen; else 'all', and each where there are more."""
        if settings.judge != ALL_JUDGES:
            return (settings.judge,)
        more = tuple(self.by_judge) if len(self.by_judge) > 1 else ()
        return (ALL_JUDGES, *more)


@once_per_study(1)
def marks(study: Study) -> Marks:
    """Judge values of every idea: mean over ok repeats for each judge, then mean over judges."""
    ideas = ideas_of(study).frame["idea_id"]
    rows = study.scores[["idea_id", "judge", "repeat", "state", *JUDGE_DIMENSIONS]]
    good = rows[rows["state"] == "ok"].sort_values(["idea_id", "judge", "repeat"])
    dimensions = list(JUDGE_DIMENSIONS)
    means = good.groupby(["judge", "idea_id"])[dimensions].mean()
    by_judge: dict[str, Floats] = {}
    for judge in sorted(rows["judge"].dropna().unique()):
        own = means.loc[judge] if judge in means.index else means.iloc[:0].droplevel(0)
        by_judge[str(judge)] = own.reindex(ideas).to_numpy(dtype=float)
    overall = (
        pd.concat([pd.DataFrame(values) for values in by_judge.values()], keys=range(len(by_judge)))
        if by_judge
        else pd.DataFrame(np.full((len(ideas), len(dimensions)), np.nan))
    )
    if by_judge:
        overall = overall.groupby(level=1).mean()
    return Marks(
        all=overall.to_numpy(dtype=float).reshape(len(ideas), len(dimensions)),
        by_judge=by_judge,
        left_out=int(len(rows) - len(good)),
    )
