"""Means of episodes' metrics by system and judge, their differences, and intervals of both.

What no gate moves (which episode stands where, the bootstrap draws) is worked out once for a
study; a change of the gate, of R or of the judge only averages again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import Settings
from core.forecast.geometry import NO_GEOMETRY
from core.forecast.ledger import Ledger
from core.hindsight.memo import once_per_study
from core.stats.resample import BLOCK, Draws, draw_topics, percentile_interval
from core.study import Study

Floats = NDArray[np.float64]
METRICS = ("hit", "precision", "mrr", "soft")
SCORED = (*METRICS, "coverage")
CASES = ("worst_case", "best_case")
AVERAGED = (
    *SCORED,
    *(f"{metric}_{case}" for metric in SCORED for case in CASES),
    "novelty",
    "fill_rate",
)
_PAIRS = ("a", "b", "judge", "metric", "episodes", "difference", "low", "high")


@dataclass(frozen=True, kw_only=True, eq=False)
class Averages:
    """The frames ``systems`` and ``pairs`` of a score, and what was resampled."""

    systems: pd.DataFrame
    pairs: pd.DataFrame
    resampled: str


@dataclass(frozen=True, kw_only=True, eq=False)
class _Places:
    """The system and the unit (topic and cutoff) of every episode, and draws of the units."""

    systems: tuple[str, ...]
    system: NDArray[np.int64]
    unit: NDArray[np.int64]
    draws: Draws


@once_per_study(4)
def _places(_study: Study, laid: Ledger, draws: int, seed: int) -> _Places:
    frame = laid.episodes
    keys = ["topic", "cutoff"]
    units = frame[keys].drop_duplicates().sort_values(keys)
    system, names = pd.factorize(frame["system"], sort=True)
    return _Places(
        systems=tuple(map(str, names)),
        system=np.asarray(system),
        unit=pd.MultiIndex.from_frame(units).get_indexer(pd.MultiIndex.from_frame(frame[keys])),
        draws=draw_topics(units["topic"].tolist(), [""] * len(units), draws=draws, seed=seed),
    )


def averages(
    study: Study, laid: Ledger, metrics: Mapping[str, Floats], settings: Settings
) -> Averages:
    """Average ``metrics``, each of ``AVERAGED`` as (judges, episodes), nan where unknown.

    Intervals resample topics (whole clusters), ``settings.draws`` times from ``settings.seed``.
    """
    own = _places(study, laid, settings.draws, settings.seed)
    shape = (len(laid.judges), len(own.systems), len(own.draws.cluster), len(AVERAGED))
    values = np.full(shape, np.nan)
    for place, name in enumerate(AVERAGED):
        values[:, own.system, own.unit, place] = metrics[name]
    judged = [(judge, system) for judge in range(shape[0]) for system in range(shape[1])]
    couples = [
        (judge, a, b) for judge in range(shape[0]) for a, b in combinations(range(shape[1]), 2)
    ]
    gaps = [(values[j, a] - values[j, b])[:, : len(METRICS)] for j, a, b in couples]
    tables = [values[j, s][:, : len(SCORED)] for j, s in judged]
    low, high = _bands([*tables, *gaps], own.draws)
    rows, at = [], 0
    for judge, system in judged:
        rows.append(
            {"system": own.systems[system], "judge": laid.judges[judge]}
            | _row(values[judge, system], low[at:], high[at:], measured=laid.has_geometry)
        )
        at += len(SCORED)
    pairs = []
    for (judge, a, b), gap in zip(couples, gaps, strict=True):
        mean, n = _means(gap)
        for place, metric in enumerate(METRICS):
            ends = _known(mean[place]), _known(low[at + place]), _known(high[at + place])
            names = own.systems[a], own.systems[b], laid.judges[judge], metric
            pairs.append((*names, int(n[place]), *ends))
        at += len(METRICS)
    return Averages(
        systems=pd.DataFrame(rows, dtype=object),
        pairs=pd.DataFrame(pairs, columns=list(_PAIRS)),
        resampled=own.draws.drawn,
    )


def _row(values: Floats, low: Floats, high: Floats, *, measured: bool) -> dict[str, object]:
    """One system under one judge: ``values`` (units, ``AVERAGED``)."""
    mean, n = _means(values)
    row: dict[str, object] = {"episodes": int(n[0])}
    row["left_out"] = int((~np.isnan(values[:, -1])).sum() - n[0])
    for place, name in enumerate(AVERAGED):
        row[name] = _known(mean[place])
        if name in SCORED:
            row[f"{name}_low"] = _known(low[place])
            row[f"{name}_high"] = _known(high[place])
        if name in ("novelty", "coverage"):
            row[f"{name}_episodes"] = int(n[place])
            row[f"{name}_unknown"] = None if n[place] else _unknown(name, measured)
    return row


def _means(values: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Mean of each column's known values (nan where there is none), and how many they are."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    sums = np.where(known, values, 0.0).sum(axis=0)
    return np.divide(sums, count, out=np.full(count.shape, np.nan), where=count > 0), count


def _bands(tables: list[Floats], draws: Draws) -> tuple[Floats, Floats]:
    """Intervals of the means of all tables' columns, side by side.

    Blocks of columns go through one product each: many small products would cost more in
    starting threads than in numbers.
    """
    values = np.concatenate(tables, axis=1)
    known = ~np.isnan(values)
    sums, counts = draws.sums(np.where(known, values, 0.0)), draws.sums(known.astype(float))
    wide = max(BLOCK // len(draws.counts), 1)
    low, high = np.empty(values.shape[1]), np.empty(values.shape[1])
    for start in range(0, values.shape[1], wide):
        part = slice(start, start + wide)
        total, n = sums[:, part].T @ draws.counts.T, counts[:, part].T @ draws.counts.T
        drawn = np.divide(total, n, out=np.full_like(total, np.nan), where=n > 0)
        band = percentile_interval(drawn.T)
        low[part], high[part] = band.low, band.high
    return low, high


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _unknown(name: str, measured: bool) -> str:
    if not measured:
        return NO_GEOMETRY
    if name == "novelty":
        return "no forecast has a paper in its history"
    return "no episode has papers in its target pool and all its verdicts"
