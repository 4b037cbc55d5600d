"""HindSight against the judges: true positive, hidden gem, overhyped, true negative.

Source: arXiv 2603.15164, section 6. The paper words the cut as the pooled median; its Table 3
does not follow from that, hence a rule that is named and printed with every table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.config import Settings
from core.hindsight.results import QUADRANTS, UNSCORED, QuadrantCount, Quadrants

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class Placed:
    """The table, and each idea's quadrant ('unscored' where a value or a cut is missing)."""

    table: Quadrants
    labels: NDArray[np.object_]


def quadrants(
    scores: Floats,
    judged: Floats,
    system: NDArray[np.int64],
    systems: Sequence[str],
    settings: Settings,
) -> Placed:
    """Place every idea by two cuts.

    ``scores`` HindSight and ``judged`` the judges' overall value, (ideas,), nan where unknown;
    such ideas are unscored and take no part in a cut. High means > the cut, with
    ``settings.inclusive`` ≥. Rules:

    * ``pooled_median``: over all ideas that have both values
    * ``system_median``: the same within each system
    * ``nonzero_median``: HindSight: median of the scores > 0; judge: pooled median
    * ``tertile``: the 2/3 quantile of each axis, by linear interpolation
    * ``fixed``: ``hindsight_cut`` and ``judge_cut``
    """
    both = np.isfinite(scores) & np.isfinite(judged)
    cuts, reason = _cuts(scores, judged, both, system, systems, settings)
    high = np.zeros((2, len(scores)), dtype=bool)
    on_cut = {"hindsight": 0, "judge": 0}
    placed = both.copy()
    for axis, (name, values) in enumerate((("hindsight", scores), ("judge", judged))):
        cut = cuts[axis]
        known = both & np.isfinite(cut)
        placed &= known
        with np.errstate(invalid="ignore"):
            high[axis] = values >= cut if settings.inclusive else values > cut
        on_cut[name] = int((known & (values == cut)).sum())
    labels = np.full(len(scores), UNSCORED, dtype=object)
    for name, (up, liked) in zip(
        QUADRANTS, ((True, True), (True, False), (False, True), (False, False)), strict=True
    ):
        labels[placed & (high[0] == up) & (high[1] == liked)] = name
    counts = []
    for code, name in enumerate(systems):
        own = labels[system == code]
        counts.append(
            QuadrantCount(
                system=name,
                **{label: int((own == label).sum()) for label in (*QUADRANTS, UNSCORED)},
            )
        )
    table = Quadrants(
        rule=settings.quadrant_rule,
        comparison=">=" if settings.inclusive else ">",
        hindsight_cut=_printed(cuts[0], system, systems, settings),
        judge_cut=_printed(cuts[1], system, systems, settings),
        on_cut=on_cut,
        counts=tuple(counts),
        undefined=reason,
    )
    return Placed(table=table, labels=labels)


def _cuts(
    scores: Floats,
    judged: Floats,
    both: Mask,
    system: NDArray[np.int64],
    systems: Sequence[str],
    settings: Settings,
) -> tuple[tuple[Floats, Floats], str | None]:
    """The cut of each idea on either axis, nan where there is none, and why."""
    nothing = np.full(len(scores), np.nan)
    if not both.any():
        return (nothing, nothing), "no idea has both a HindSight score and a judge's overall mark"
    rule = settings.quadrant_rule
    if rule == "fixed":
        return (_flat(scores, settings.hindsight_cut), _flat(scores, settings.judge_cut)), None
    if rule == "system_median":
        axes = (nothing.copy(), nothing.copy())
        bare = []
        for code, name in enumerate(systems):
            own = system == code
            if not (own & both).any():
                bare.append(name)
                continue
            for axis, values in zip(axes, (scores, judged), strict=True):
                axis[own] = np.median(values[own & both])
        reason = f"no idea of {', '.join(bare)} has both values" if bare else None
        return axes, reason
    if rule == "nonzero_median":
        above = scores[both & (scores > 0)]
        judge_cut = _flat(scores, float(np.median(judged[both])))
        if not len(above):
            return (nothing, judge_cut), "no score is above 0, so their median is not defined"
        return (_flat(scores, float(np.median(above))), judge_cut), None
    first, second = (
        float(np.quantile(values[both], 2 / 3) if rule == "tertile" else np.median(values[both]))
        for values in (scores, judged)
    )
    return (_flat(scores, first), _flat(scores, second)), None


def _flat(like: Floats, value: float | None) -> Floats:
    return np.full(len(like), np.nan if value is None else value)


def _printed(
    cut: Floats, system: NDArray[np.int64], systems: Sequence[str], settings: Settings
) -> float | dict[str, float] | None:
    if settings.quadrant_rule == "system_median":
        firsts = {name: cut[system == code][0] for code, name in enumerate(systems)}
        known = {name: float(value) for name, value in firsts.items() if np.isfinite(value)}
        return known or None
    return float(cut[0]) if len(cut) and np.isfinite(cut[0]) else None
