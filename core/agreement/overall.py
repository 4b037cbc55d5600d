"""All judges together, each judge against itself, and the set without one judge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.agreement.marks import Dimension, Marks
from core.agreement.pairs import count_states
from core.agreement.results import Coefficients, OverallAgreement, RepeatAgreement
from core.config import Settings
from core.stats.agreement import (
    Estimate,
    draw_units,
    fleiss_kappa,
    gwet_ac,
    kendall_w,
    krippendorff_alpha,
    one_way,
    spearman,
    two_way,
    unit_counts,
)
from core.stats.agreement.estimate import Floats, bootstrapped, drawn_sums, ratio
from core.stats.agreement.gwet import TOO_FEW, pairwise_agreement

MAIN = ("alpha", "fleiss_kappa", "icc2_1", "icc2_k", "kendall_w")


def overall_agreement(marks: Marks, settings: Settings) -> OverallAgreement:
    """The coefficients of all judges on one dimension, with failures left out and at worst."""
    dimension = marks.dimension
    marked = (marks.codes >= 0).any(axis=1)
    codes, values, means = marks.codes[marked], marks.rounded[marked], marks.values[marked]
    estimates = _coefficients(codes, values, means, marks.topics[marked], dimension, settings)
    concordance = kendall_w(values)
    reasons = {name: e.undefined for name, e in estimates.items() if e.undefined}
    value = {name: estimate.value for name, estimate in estimates.items()}
    return OverallAgreement(
        on=dimension.name,
        source=dimension.table,
        judges=marks.judges,
        n=int(((marks.codes >= 0).sum(axis=1) >= 2).sum()),
        n_complete=int((marks.codes >= 0).all(axis=1).sum()) if marks.judges else 0,
        alpha=value["alpha"],
        alpha_low=estimates["alpha"].low,
        alpha_high=estimates["alpha"].high,
        fleiss_kappa=value["fleiss_kappa"],
        icc2_1=value["icc2_1"],
        icc2_k=value["icc2_k"],
        kendall_w=value["kendall_w"],
        kendall_p=concordance.p,
        agreement=value["agreement"],
        alpha_nominal=value["alpha_nominal"],
        alpha_interval=value["alpha_interval"],
        ac1=value["ac1"],
        ac2=value["ac2"],
        icc1=value["icc1"],
        left_out=count_states(marks.states.ravel()),
        worst=_worst(marks),
        estimates=estimates,
        undefined=reasons,
    )


def nothing_judged(reason: str) -> OverallAgreement:
    """The overall figures of a study that nobody has judged."""
    lack = dict.fromkeys(MAIN, reason)
    none = Coefficients(
        alpha=None, fleiss_kappa=None, icc2_1=None, icc2_k=None, kendall_w=None, undefined=lack
    )
    return OverallAgreement(
        on=None, source=None, judges=(), n=0, n_complete=0, alpha=None, alpha_low=None,
        alpha_high=None, fleiss_kappa=None, icc2_1=None, icc2_k=None, kendall_w=None,
        kendall_p=None, agreement=None, alpha_nominal=None, alpha_interval=None, ac1=None,
        ac2=None, icc1=None, left_out={}, worst=none, estimates={}, undefined=lack,
    )  # fmt: skip


def _coefficients(
    codes: NDArray[np.int64],
    values: Floats,
    means: Floats,
    topics: NDArray[np.object_],
    dimension: Dimension,
    settings: Settings,
) -> dict[str, Estimate]:
    size = len(dimension.categories)
    scale = np.array(dimension.categories)
    counts = unit_counts(codes, size)
    draws = draw_units(topics, draws=settings.draws, seed=settings.seed) if len(codes) else None
    spread, spread_means = two_way(values), two_way(means)
    return {
        "alpha": krippendorff_alpha(counts, level="ordinal", values=scale, draws=draws),
        "alpha_nominal": krippendorff_alpha(counts, level="nominal", values=scale, draws=draws),
        "alpha_interval": krippendorff_alpha(counts, level="interval", values=scale, draws=draws),
        "agreement": _agreement(counts, draws),
        "fleiss_kappa": fleiss_kappa(counts, draws=draws),
        "ac1": gwet_ac(counts),
        "ac2": gwet_ac(counts, "quadratic"),
        "icc1": one_way(values).icc1,
        "icc2_1": spread.icc2_1,
        "icc2_k": spread.icc2_k,
        "icc2_1_means": spread_means.icc2_1,
        "icc2_k_means": spread_means.icc2_k,
        "kendall_w": kendall_w(values, draws).w,
        "kendall_w_means": kendall_w(means, draws).w,
    }


def _agreement(counts: Floats, draws: object) -> Estimate:
    """Mean over units of the share of pairs of judges that agree."""
    from core.stats.resample import Draws

    shares = pairwise_agreement(counts, np.eye(counts.shape[1]))
    held = np.isfinite(shares)
    parts = np.stack([np.where(held, shares, 0), held.astype(float)], axis=1)
    total = parts.sum(axis=0)
    value = float(ratio(total[0], total[1]))
    if not isinstance(draws, Draws):
        return bootstrapped(value, None, n=0, draws=None, undefined=TOO_FEW)
    sums = drawn_sums(draws, parts)
    n = int(held.sum())
    drawn = ratio(sums[:, 0], sums[:, 1])
    return bootstrapped(value, drawn, n=n, draws=draws, undefined=TOO_FEW)


def _worst(marks: Marks) -> Coefficients:
    """Every failed mark at the end of the scale farther from the unit's other marks."""
    last = len(marks.dimension.categories) - 1
    codes = marks.codes.copy()
    held = codes >= 0
    marked = np.asarray(held.any(axis=1))
    number = np.maximum(held.sum(axis=1), 1)
    mean = np.where(held, codes, 0).sum(axis=1) / number
    far = np.where(2 * mean < last, last, 0)
    fill = marks.failed() & ~held & marked[:, None]
    codes = np.where(fill, far[:, None], codes)[marked]
    scale = np.array(marks.dimension.categories)
    values = np.where(codes >= 0, scale[codes], np.nan)
    counts = unit_counts(codes, last + 1)
    spread = two_way(values)
    estimates = {
        "alpha": krippendorff_alpha(counts, level="ordinal", values=scale),
        "fleiss_kappa": fleiss_kappa(counts),
        "icc2_1": spread.icc2_1,
        "icc2_k": spread.icc2_k,
        "kendall_w": kendall_w(values).w,
    }
    return Coefficients(
        **{name: estimate.value for name, estimate in estimates.items()},
        undefined={name: e.undefined for name, e in estimates.items() if e.undefined},
    )


def repeat_agreement(rows: pd.DataFrame, dimension: Dimension) -> list[RepeatAgreement]:
    """Each judge's repeats of one dimension; ``rows`` as of :func:`unit_rows`."""
    keys = [name for name in rows.columns if name.endswith("_id")]
    found = []
    for judge, own in rows.groupby("judge", sort=True):
        wide = own.pivot(index=keys, columns="repeat", values="value").to_numpy(dtype=float)
        found.append(_repeats_of(str(judge), wide, dimension))
    return found


def _repeats_of(judge: str, marks: Floats, dimension: Dimension) -> RepeatAgreement:
    single, double = one_way(marks), two_way(marks)
    present = np.isfinite(marks).sum(axis=1)
    undefined = single.icc1.undefined
    if marks.shape[1] < 2:
        undefined = "this judge marked every unit once: there are no repeats"
    return RepeatAgreement(
        judge=judge,
        dimension=dimension.name,
        source=dimension.table,
        n=single.n,
        repeats=marks.shape[1],
        icc=single.icc1.value,
        icc_low=single.icc1.low,
        icc_high=single.icc1.high,
        sd=single.within_sd,
        same=_same(marks),
        icc2_1=double.icc2_1.value,
        icc2_k=double.icc2_k.value,
        n_complete=double.n if marks.shape[1] > 1 else 0,
        left_out=int((present < 2).sum()),
        undefined=undefined,
    )


def _same(marks: Floats) -> float | None:
    """Share of pairs of a unit's repeats that are equal, mean over units."""
    k = marks.shape[1]
    if k < 2:
        return None
    left, right = np.triu_indices(k, 1)
    paired = np.isfinite(marks[:, left]) & np.isfinite(marks[:, right])
    equal = paired & (marks[:, left] == marks[:, right])
    number = paired.sum(axis=1)
    if not number.any():
        return None
    return float((equal.sum(axis=1)[number > 0] / number[number > 0]).mean())


@dataclass(frozen=True, kw_only=True)
class WithoutJudge:
    """The other judges without ``judge``, and how ``judge`` stands to the mean of their marks.

    ``shift_*`` is the coefficient of all less that without the judge: below 0, the judge lowers
    agreement. ``bias`` is the mean of its marks less the others' mean, over ``n`` units.
    """

    judge: str
    on: str
    n: int
    alpha: float | None
    fleiss_kappa: float | None
    icc2_1: float | None
    icc2_k: float | None
    kendall_w: float | None
    shift_alpha: float | None
    shift_kendall_w: float | None
    spearman: Estimate
    bias: float | None
    undefined: dict[str, str]


def leave_one_out(marks: Marks, settings: Settings) -> tuple[WithoutJudge, ...]:
    """Each judge left out in turn. With two judges nothing remains, and the reasons say so."""
    full = _main(marks, np.ones(len(marks.judges), dtype=bool))
    found = []
    for place, judge in enumerate(marks.judges):
        rest = np.arange(len(marks.judges)) != place
        estimates = _main(marks, rest)
        others = marks.values[:, rest]
        present = np.isfinite(others).sum(axis=1)
        mean = ratio(np.nansum(others, axis=1), present)
        own = marks.values[:, place]
        both = np.isfinite(own) & np.isfinite(mean)
        draws = None
        if both.any():
            draws = draw_units(marks.topics[both], draws=settings.draws, seed=settings.seed)
        found.append(
            WithoutJudge(
                judge=judge,
                on=marks.dimension.name,
                n=int(both.sum()),
                **{name: estimates[name].value for name in MAIN},
                shift_alpha=_less(full["alpha"], estimates["alpha"]),
                shift_kendall_w=_less(full["kendall_w"], estimates["kendall_w"]),
                spearman=spearman(own[both], mean[both], draws).rho,
                bias=float((own - mean)[both].mean()) if both.any() else None,
                undefined={name: e.undefined for name, e in estimates.items() if e.undefined},
            )
        )
    return tuple(found)


def _main(marks: Marks, chosen: NDArray[np.bool_]) -> dict[str, Estimate]:
    codes, values = marks.codes[:, chosen], marks.rounded[:, chosen]
    marked = (codes >= 0).any(axis=1) if chosen.any() else np.zeros(len(codes), dtype=bool)
    codes, values = codes[marked], values[marked]
    counts = unit_counts(codes, len(marks.dimension.categories))
    scale = np.array(marks.dimension.categories)
    spread = two_way(values)
    return {
        "alpha": krippendorff_alpha(counts, level="ordinal", values=scale),
        "fleiss_kappa": fleiss_kappa(counts),
        "icc2_1": spread.icc2_1,
        "icc2_k": spread.icc2_k,
        "kendall_w": kendall_w(values).w,
    }


def _less(full: Estimate, rest: Estimate) -> float | None:
    if full.value is None or rest.value is None:
        return None
    return full.value - rest.value
