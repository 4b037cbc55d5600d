"""What each judge said of each unit: the one place where stored rows become marks to compare.

==============  ====================  ==============================  ===================
table           unit                  dimensions                      categories
==============  ====================  ==============================  ===================
``scores``      idea                  overall, novelty, feasibility,  1, 2, … 10
                                      impact
``comparisons`` idea and reference    rating, contribution,           0, 0.5, 1
                                      soundness
``verdicts``    idea and paper        gate                            0, 1
                                      problem, method, specificity    0, 1, 2, 3
==============  ====================  ==============================  ===================

Source: IdeaForecastBench, "Units and values"; comparisons as LigBench's games.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import JUDGE_DIMENSIONS, Settings
from core.errors import UsageError, nearest
from core.schema import OUTCOMES, STATES
from core.stats.agreement import Weights

if TYPE_CHECKING:
    from core.study import Study

UNMARKED = "unmarked"
NOT_JUDGED = "not_judged"
FAILURES = (*STATES[1:], UNMARKED)
UNIT_STATES = ("ok", *FAILURES, NOT_JUDGED)
GRADES = ("problem", "method", "specificity")
KEYS = {
    "scores": ("idea_id",),
    "comparisons": ("idea_id", "reference_id"),
    "verdicts": ("idea_id", "paper_id"),
}


@dataclass(frozen=True, kw_only=True)
class Dimension:
    """What is compared: its table, its scale, and which category is the positive one, if any."""

    name: str
    table: str
    categories: tuple[float, ...]
    weights: Weights
    positive: float | None = None
    negative: float | None = None


def _dimensions() -> dict[str, Dimension]:
    scale = tuple(float(mark) for mark in range(1, 11))
    grades = tuple(float(mark) for mark in range(4))
    marks = sorted(JUDGE_DIMENSIONS, key=lambda name: name != "overall")
    found = [
        Dimension(name=name, table="scores", categories=scale, weights="quadratic")
        for name in marks
    ]
    found += [
        Dimension(
            name=name,
            table="comparisons",
            categories=OUTCOMES,
            weights="plain",
            positive=OUTCOMES[-1],
            negative=OUTCOMES[0],
        )
        for name in ("rating", "contribution", "soundness")
    ]
    found.append(
        Dimension(
            name="gate",
            table="verdicts",
            categories=(0.0, 1.0),
            weights="plain",
            positive=1.0,
            negative=0.0,
        )
    )
    found += [
        Dimension(name=name, table="verdicts", categories=grades, weights="quadratic")
        for name in GRADES
    ]
    return {dimension.name: dimension for dimension in found}


DIMENSIONS = _dimensions()


@dataclass(frozen=True, kw_only=True, eq=False)
class Marks:
    """One dimension of all judges: rows are units, columns judges, both sorted.

    ``values`` are means over ok repeats, nan where there is none; ``codes`` the numbers of the
    categories they round to, −1 where there is none; ``states`` the numbers of ``UNIT_STATES``.
    ``one_order`` counts comparisons that rest on one order of showing.
    """

    dimension: Dimension
    units: pd.DataFrame
    judges: tuple[str, ...]
    values: NDArray[np.float64]
    codes: NDArray[np.int64]
    states: NDArray[np.int64]
    topics: NDArray[Any]
    one_order: int

    def column(self, judge: str) -> int:
        """The judge's column; an unknown name is refused with the nearest."""
        if judge not in self.judges:
            known = nearest(judge, self.judges) if self.judges else "Nobody has judged."
            raise UsageError(f"No judge '{judge}' on {self.dimension.name}. {known}")
        return self.judges.index(judge)

    @property
    def rounded(self) -> NDArray[np.float64]:
        """The category values that ``codes`` stand for, nan where there is none."""
        scale = np.array(self.dimension.categories)
        return np.where(self.codes >= 0, scale[self.codes], np.nan)

    def failed(self) -> NDArray[np.bool_]:
        """Units that a judge was asked about and left without a mark."""
        return (self.states > 0) & (self.states < UNIT_STATES.index(NOT_JUDGED))


def dimension_of(on: str) -> Dimension:
    """The dimension of this name; an unknown one is refused with the nearest."""
    if on not in DIMENSIONS:
        raise UsageError(f"No dimension '{on}'. {nearest(on, DIMENSIONS)}")
    return DIMENSIONS[on]


def present_dimensions(study: Study) -> tuple[str, ...]:
    """Dimensions of which at least one row was judged, in the order of ``DIMENSIONS``.

    A dimension of a judged table is left out where nobody gave a mark in it.
    """
    found = []
    for dimension in DIMENSIONS.values():
        frame: pd.DataFrame = getattr(study, dimension.table)
        if len(frame) and (dimension.name == "gate" or frame[dimension.name].notna().any()):
            found.append(dimension.name)
    return tuple(found)


def marks_of(study: Study, on: str, settings: Settings) -> Marks:
    """Every judge's mark of every unit in one dimension."""
    dimension = dimension_of(on)
    rows = unit_rows(study, dimension, settings)
    keys = list(KEYS[dimension.table])
    valued = rows["value"].notna()
    worst = UNIT_STATES.index(UNMARKED)
    rank = rows["state"].map({state: place for place, state in enumerate(STATES)}).astype(int)
    rows["rank"] = rank.where(rank > 0, np.where(valued, 0, worst))
    grouped = rows.groupby([*keys, "judge"], sort=True, observed=True)
    flat = pd.DataFrame({"value": grouped["value"].mean(), "rank": grouped["rank"].min()})
    wide = flat.unstack("judge")
    units = wide.index.to_frame(index=False)
    judges = tuple(str(name) for name in sorted(rows["judge"].unique()))
    shape = (len(units), len(judges))
    if not len(rows):
        values, states = np.full(shape, np.nan), np.zeros(shape)
    else:
        values = wide["value"][list(judges)].to_numpy(dtype=float)
        missing = UNIT_STATES.index(NOT_JUDGED)
        states = wide["rank"][list(judges)].fillna(missing).to_numpy()
    known = topics_of(study)
    topics = np.array([known.get(idea, "") for idea in units["idea_id"]], dtype=object)
    return Marks(
        dimension=dimension,
        units=units,
        judges=judges,
        values=values,
        codes=categories_of(values, dimension),
        states=states.astype(np.int64),
        topics=topics,
        one_order=int(rows["one_order"].sum()) if "one_order" in rows else 0,
    )


def unit_rows(study: Study, dimension: Dimension, settings: Settings) -> pd.DataFrame:
    """One row per (unit, judge, repeat): value (nan unless ok), state and, for comparisons,
    whether it rests on one order alone."""
    frame: pd.DataFrame = getattr(study, dimension.table)
    keys = [*KEYS[dimension.table], "judge"]
    if dimension.table == "comparisons":
        return _games(frame, dimension.name)
    rows = frame[keys].copy()
    rows["repeat"] = frame["repeat"].astype(int) if dimension.table == "scores" else 1
    rows["state"] = frame["state"].to_numpy()
    if dimension.name == "gate":
        grades = frame[list(GRADES)].astype("float64")
        passed = (grades["problem"] + grades["method"] >= settings.gate_pm) & (
            grades["specificity"] >= settings.gate_s
        )
        value = passed.astype(float).where(grades.notna().all(axis=1))
    else:
        value = frame[dimension.name].astype("float64")
    rows["value"] = value.where(frame["state"] == "ok")
    return rows


def categories_of(values: NDArray[np.float64], dimension: Dimension) -> NDArray[np.int64]:
    """Numbers of the categories that mean marks round to; −1 where there is no mark.

    Half goes up; of two outcomes that are equally near, the tie (0.5) is taken, so that idea
    and reference are treated alike.
    """
    low, high = dimension.categories[0], dimension.categories[-1]
    step = dimension.categories[1] - low
    held = np.isfinite(values)
    # A mean such as (6 + 7)/2 of decimal marks may fall short of the half by rounding alone.
    place = np.round((np.where(held, values, low) - low) / step, 9)
    if dimension.table == "comparisons":
        codes = np.where(place < 0.5, 0, np.where(place > 1.5, 2, 1))
    else:
        codes = np.floor(place + 0.5)
    last = round((high - low) / step)
    return np.where(held, np.clip(codes, 0, last), -1).astype(np.int64)


def _games(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Both orders of a comparison as one: equal, that outcome; different, 0.5; one, that one."""
    keys = [*KEYS["comparisons"], "judge", "repeat"]
    rows = frame[[*keys, "state"]].copy()
    rows["repeat"] = rows["repeat"].astype(int)
    rows["value"] = frame[name].where(frame["state"] == "ok")
    rows["rank"] = rows["state"].map({state: place for place, state in enumerate(STATES)})
    rows.loc[(rows["rank"] == 0) & rows["value"].isna(), "rank"] = len(STATES)
    grouped = rows.groupby(keys, sort=True)
    found = grouped.agg(
        low=("value", "min"), high=("value", "max"), n=("value", "count"), rank=("rank", "min")
    ).reset_index()
    found["value"] = found["low"].where(found["low"] == found["high"], 0.5)
    found["value"] = found["value"].where(found["n"] > 0)
    found["state"] = found["rank"].map(dict(enumerate((*STATES, "ok"))))
    found["one_order"] = found["n"] == 1
    return found[[*keys, "state", "value", "one_order"]]


def topics_of(study: Study) -> dict[str, str]:
    """The topic of each idea that has one."""
    named = study.ideas[study.ideas["topic"].notna()]
    return dict(zip(named["idea_id"], named["topic"], strict=True))
