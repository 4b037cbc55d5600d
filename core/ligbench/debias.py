"""Reference scores made comparable over venues (LigBench §3.2, eq. 2)."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

DIMENSIONS = ("rating", "contribution", "soundness")


@dataclass(frozen=True, kw_only=True)
class Debiased:
    """Mean-shifted reference scores.

    ``frame``: reference_id, venue, year and the three dimensions, debiased, in the order of the
    input; unknown scores stay unknown. A score may leave [0, 5] by the shift; it is not clipped,
    so that gaps within a venue stay as they were. ``groups``: venue, year, dimension, n, mean,
    shift, note (why a group could not be moved, or that it rests on one paper). ``overall``:
    each dimension's mean over all references that have it, None where none has.
    """

    frame: pd.DataFrame
    groups: pd.DataFrame
    overall: dict[str, float | None]
    n: int


def debias(references: pd.DataFrame) -> Debiased:
    """ŝ = s − μ(venue, year) + μ(all), for each dimension (eq. 2).

    A venue is conference and year; a reference without one belongs to the group of those
    without. μ(all) is the mean over all references that have the dimension. A group of one
    paper is moved onto μ(all) exactly, and noted; a group without any score stays unknown.
    """
    venue = references["venue"].fillna("")
    year = references["year"].astype("Float64").fillna(-1).astype(int)
    frame = references[["reference_id", "venue", "year"]].copy()
    overall: dict[str, float | None] = {}
    rows: list[dict[str, object]] = []
    for dimension in DIMENSIONS:
        scores = references[dimension]
        centre = float(scores.mean()) if scores.notna().any() else None
        overall[dimension] = centre
        grouped = scores.groupby([venue, year])
        means = grouped.transform("mean")
        frame[dimension] = scores - means + (centre if centre is not None else 0.0)
        for (name, when), group in grouped:
            n = int(group.notna().sum())
            mean = float(group.mean()) if n else None
            rows.append(
                {
                    "venue": name or None,
                    "year": None if when < 0 else when,
                    "dimension": dimension,
                    "n": n,
                    "mean": mean,
                    "shift": None if mean is None or centre is None else centre - mean,
                    "note": _note(n),
                }
            )
    columns = ["venue", "year", "dimension", "n", "mean", "shift", "note"]
    return Debiased(
        frame=frame,
        groups=pd.DataFrame(rows, columns=columns),
        overall=overall,
        n=len(references),
    )


def _note(n: int) -> str | None:
    if n == 0:
        return "no reference of this venue and year has this score"
    if n == 1:
        return "one paper: it is moved onto the mean of all"
    return None
