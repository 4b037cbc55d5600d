"""Does a judge name the better of two reviewed papers? (LigBench §4.2, Tables 2 and 3.)

The truth is the debiased review scores. A judge is held to it by its comparisons of two
references, or by the marks that it gave to each of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import Settings
from core.errors import DataError
from core.ligbench.debias import DIMENSIONS, debias
from core.ligbench.studies import TIE, choices_of
from core.stats.resample import percentile_interval
from core.study import Study

Floats = NDArray[np.float64]
MOST_PAIRS = 2_000_000
COLUMNS = (
    "source", "judge", "dimension", "n", "accuracy", "low", "high", "ties", "equal_truth", "gap",
    "wrong", "wrong_gap", "undefined",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PairAccuracy:
    """How often a judge names the better of two references (Table 2), and by how much the pairs
    that it gets wrong differ (Table 3).

    ``frame``: source ('comparisons' of two references, or 'marks' of each), judge, dimension,
    n (pairs whose debiased scores differ), accuracy (a tie counts ½; 0 to 1, ½ by chance), low,
    high (95 %, papers resampled), ties, equal_truth (pairs left out because the truth is equal),
    gap (mean |difference of the debiased scores| over n), wrong (pairs where the judge named the
    lower one), wrong_gap (their mean |difference|), undefined (why accuracy is None).
    ``neighbours``: each reference was paired with so many nearest in theme (None: with all).
    ``unknown``: judged ids that are no reference. ``n``: references with any score.
    """

    settings: Settings
    frame: pd.DataFrame
    neighbours: int | None
    unknown: int
    n: int


@dataclass(frozen=True)
class _Pairs:
    """Rows of the references, the first of each pair and the second, with the judge's choice."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    choice: Floats


def pair_accuracy(
    study: Study, settings: Settings, *, neighbours: int | None = None
) -> PairAccuracy:
    """Every judge that compared two references or marked them, by dimension.

    Comparisons count where the id in the idea's place is a reference's; marks (the table
    ``starts``) likewise. From marks, pairs are all pairs of marked references, or with
    ``neighbours`` each with so many nearest in theme. Raises :class:`DataError` where the study
    has no references, or where there are too many pairs.
    """
    if study.references.empty:
        raise DataError("The study has no references. Add them: foreseen import references FILE")
    truth = debias(study.references).frame
    place = {str(name): row for row, name in enumerate(truth["reference_id"])}
    near = None if neighbours is None else _neighbours(study.references, neighbours)
    rows = []
    judged = choices_of(study.comparisons)
    judged = judged[judged["idea_id"].isin(place) & judged["reference_id"].isin(place)]
    for (judge, dimension), group in judged.groupby(["judge", "dimension"], sort=True):
        pairs = _compared(group, place)
        rows.append(_row("comparisons", judge, dimension, pairs, truth, settings))
    marks = study.starts[study.starts["state"] == "ok"]
    marked = marks[marks["idea_id"].isin(place)]
    for judge, group in marked.groupby("judge", sort=True):
        means = group.groupby("idea_id")[list(DIMENSIONS)].mean()
        for dimension in DIMENSIONS:
            own = means[dimension].dropna()
            if len(own):
                pairs = _marked(own, place, near)
                rows.append(_row("marks", judge, dimension, pairs, truth, settings))
    return PairAccuracy(
        settings=settings,
        frame=pd.DataFrame(rows, columns=list(COLUMNS)),
        neighbours=neighbours,
        unknown=int((~marks["idea_id"].isin({*place, *study.ideas["idea_id"]})).sum()),
        n=int(truth[list(DIMENSIONS)].notna().any(axis=1).sum()),
    )


def _compared(group: pd.DataFrame, place: dict[str, int]) -> _Pairs:
    """One pair once, whichever of the two stood in the idea's place."""
    first = group["idea_id"].map(place).to_numpy(np.int64)
    second = group["reference_id"].map(place).to_numpy(np.int64)
    choice = group["choice"].to_numpy(float)
    turned = first > second
    frame = pd.DataFrame(
        {
            "first": np.where(turned, second, first),
            "second": np.where(turned, first, second),
            "choice": np.where(turned, 1 - choice, choice),
        }
    )
    once = frame[frame["first"] != frame["second"]].groupby(["first", "second"])["choice"].mean()
    at = once.index.to_frame()
    return _Pairs(
        at["first"].to_numpy(np.int64),
        at["second"].to_numpy(np.int64),
        (np.sign(once.to_numpy(float) - TIE) + 1) / 2,
    )


def _marked(
    marks: pd.Series, place: dict[str, int], near: tuple[NDArray[np.int64], ...] | None
) -> _Pairs:
    at = np.array([place[str(name)] for name in marks.index], dtype=np.int64)
    order = np.argsort(at)
    at, values = at[order], marks.to_numpy(float)[order]
    if near is None:
        if len(at) * (len(at) - 1) // 2 > MOST_PAIRS:
            raise DataError(
                f"{len(at)} marked references make too many pairs. Name how many neighbours each"
                " is paired with."
            )
        first, second = np.triu_indices(len(at), 1)
        return _Pairs(at[first], at[second], (np.sign(values[first] - values[second]) + 1) / 2)
    value = dict(zip(at.tolist(), values.tolist(), strict=True))
    kept = [(a, b) for a, b in zip(*near, strict=True) if a in value and b in value]
    first, second = (np.array([pair[i] for pair in kept], dtype=np.int64) for i in (0, 1))
    choice = [(np.sign(value[a] - value[b]) + 1) / 2 for a, b in kept]
    return _Pairs(first, second, np.array(choice, dtype=float))


def _neighbours(references: pd.DataFrame, n: int) -> tuple[NDArray[np.int64], ...]:
    from core.ligbench.retrieval import close_pairs

    place = {str(name): row for row, name in enumerate(references["reference_id"])}
    pairs = close_pairs(references, n)
    return tuple(np.array([place[pair[side]] for pair in pairs], dtype=np.int64) for side in (0, 1))


def _row(
    source: str, judge: str, dimension: str, pairs: _Pairs, truth: pd.DataFrame, settings: Settings
) -> dict[str, object]:
    scores = truth[dimension].to_numpy(float)
    gap = scores[pairs.first] - scores[pairs.second]
    known = np.isfinite(gap)
    equal = known & (np.abs(gap) < 1e-9)
    counted = known & ~equal
    gap, choice = gap[counted], pairs.choice[counted]
    right = np.where(choice == TIE, 0.5, (choice > TIE) == (gap > 0))
    wrong = right == 0
    n = int(counted.sum())
    low, high = (
        _interval(pairs.first[counted], pairs.second[counted], right, settings)
        if n
        else (None, None)
    )
    return {
        "source": source,
        "judge": judge,
        "dimension": dimension,
        "n": n,
        "accuracy": float(right.mean()) if n else None,
        "low": low,
        "high": high,
        "ties": int((choice == TIE).sum()),
        "equal_truth": int(equal.sum()),
        "gap": float(np.abs(gap).mean()) if n else None,
        "wrong": int(wrong.sum()),
        "wrong_gap": float(np.abs(gap[wrong]).mean()) if wrong.any() else None,
        "undefined": None if n else "no judged pair has debiased scores that differ",
    }


def _interval(
    first: NDArray[np.int64], second: NDArray[np.int64], right: Floats, settings: Settings
) -> tuple[float | None, float | None]:
    """95 % percentile interval: papers are drawn, for pairs that share a paper are not apart."""
    from scipy.sparse import coo_array

    names, at = np.unique(np.concatenate([first, second]), return_inverse=True)
    one, other = at[: len(first)], at[len(first) :]
    shape = (len(names), len(names))
    value = coo_array((right, (one, other)), shape=shape).tocsr()
    there = coo_array((np.ones(len(right)), (one, other)), shape=shape).tocsr()
    generator = np.random.default_rng(settings.seed)
    even = np.full(len(names), 1 / len(names))
    drawn = generator.multinomial(len(names), even, size=settings.draws).astype(float)
    total = ((drawn @ value) * drawn).sum(axis=1)
    n = ((drawn @ there) * drawn).sum(axis=1)
    share = np.divide(total, n, out=np.full_like(total, np.nan), where=n > 0)
    band = percentile_interval(share[:, None])
    low, high = float(band.low[0]), float(band.high[0])
    return (None if np.isnan(low) else low), (None if np.isnan(high) else high)
