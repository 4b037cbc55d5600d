"""Judged comparisons as games between an idea and a reference (LigBench §3.3)."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from core.config import ALL_JUDGES
from core.ligbench.debias import DIMENSIONS, Debiased

PAIR = ["idea_id", "reference_id", "judge"]
_ORDERS = ["idea_first", "reference_first"]


@dataclass(frozen=True, kw_only=True)
class Games:
    """One row a game and dimension, sorted, so that row order of the input is free.

    ``frame``: idea_id, reference_id, judge, dimension, outcome (0 to 1, from the idea's side),
    reference_score (debiased), one_order (no repeat was judged in both orders), repeats.
    ``unplayable``: games left out because the reference has no debiased score in the dimension,
    as idea_id, reference_id, dimension.
    """

    frame: pd.DataFrame
    unplayable: pd.DataFrame
    judge: str


def combined(comparisons: pd.DataFrame) -> pd.DataFrame:
    """One row per idea, reference, judge, repeat and dimension, both orders put together.

    Both orders ok and equal: that outcome; both ok and different: 0.5; one order only: that one,
    with ``one_order``. ``flipped`` is None unless both orders were judged.
    """
    ok = comparisons[comparisons["state"] == "ok"]
    key = [*PAIR, "repeat"]
    long = ok.melt(
        id_vars=[*key, "order"],
        value_vars=list(DIMENSIONS),
        var_name="dimension",
        value_name="outcome",
    ).dropna(subset="outcome")
    if long.empty:
        return pd.DataFrame(columns=[*key, "dimension", "outcome", "one_order", "flipped"])
    wide = long.pivot(index=[*key, "dimension"], columns="order", values="outcome")
    wide = wide.reindex(columns=_ORDERS)
    first, second = wide["idea_first"], wide["reference_first"]
    both = first.notna() & second.notna()
    outcome = first.fillna(second).where(~both | (first == second), 0.5)
    flipped = (first != second).astype(object).where(both, None)
    rows = pd.DataFrame({"outcome": outcome, "one_order": ~both, "flipped": flipped})
    return rows.reset_index()


def games(comparisons: pd.DataFrame, references: Debiased, judge: str = ALL_JUDGES) -> Games:
    """The games of one judge, or with 'all' the mean over the judges of each pair.

    Repeats are averaged, so an outcome may be a fraction.
    """
    rows = combined(comparisons)
    if judge != ALL_JUDGES:
        rows = rows[rows["judge"] == judge]
    by_judge = (
        rows.groupby([*PAIR, "dimension"], sort=True)
        .agg(
            outcome=("outcome", "mean"), one_order=("one_order", "all"), repeats=("outcome", "size")
        )
        .reset_index()
    )
    if judge == ALL_JUDGES:
        by_judge = (
            by_judge.groupby(["idea_id", "reference_id", "dimension"], sort=True)
            .agg(
                outcome=("outcome", "mean"),
                one_order=("one_order", "all"),
                repeats=("repeats", "sum"),
            )
            .reset_index()
            .assign(judge=ALL_JUDGES)
        )
    scores = references.frame.melt(
        id_vars="reference_id",
        value_vars=list(DIMENSIONS),
        var_name="dimension",
        value_name="reference_score",
    )
    frame = by_judge.merge(scores, on=["reference_id", "dimension"], how="left")
    known = frame["reference_score"].notna()
    columns = [*PAIR, "dimension", "outcome", "reference_score", "one_order", "repeats"]
    frame = frame.sort_values(["idea_id", "dimension", "reference_id", "judge"])
    known = frame["reference_score"].notna()
    return Games(
        frame=frame.loc[known, columns].reset_index(drop=True),
        unplayable=frame.loc[~known, ["idea_id", "reference_id", "dimension"]].reset_index(
            drop=True
        ),
        judge=judge,
    )


def flip_rates(comparisons: pd.DataFrame) -> pd.DataFrame:
    """How often a judge's choice turns with the order shown: judge, dimension, n, rate.

    Among (idea, reference, judge, repeat) with both orders ok, the share whose outcomes differ;
    None where no pair was judged in both orders. 0 is best.
    """
    rows = combined(comparisons)
    found = []
    for (judge, dimension), group in rows.groupby(["judge", "dimension"], sort=True):
        flips = group["flipped"].dropna()
        rate = float(flips.astype(float).mean()) if len(flips) else None
        found.append({"judge": judge, "dimension": dimension, "n": len(flips), "rate": rate})
    return pd.DataFrame(found, columns=["judge", "dimension", "n", "rate"])


def components(frame: pd.DataFrame) -> tuple[tuple[str, ...], ...]:
    """Ideas in groups that share references, directly or through other ideas; the largest first.

    ``frame`` is that of :class:`Games`. Between two groups nothing but the references' own
    scores says which ideas are better.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if frame.empty:
        return ()
    ideas, names = pd.factorize(frame["idea_id"], sort=True)
    others, references = pd.factorize(frame["reference_id"])
    n = len(names)
    size = n + len(references)
    edges = coo_array(([1] * len(frame), (ideas, others + n)), shape=(size, size))
    _, labels = connected_components(edges.tocsr(), directed=False)
    groups: dict[int, list[str]] = {}
    for name, label in zip(names, labels[:n], strict=True):
        groups.setdefault(int(label), []).append(str(name))
    return tuple(
        tuple(group) for group in sorted(groups.values(), key=lambda own: (-len(own), own))
    )
