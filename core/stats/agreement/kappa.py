"""Everything that two judges' categories say, with intervals: κ is never given alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.stats.agreement.estimate import Estimate, Floats, bootstrapped, drawn_sums
from core.stats.agreement.gwet import gwet_ac
from core.stats.agreement.tables import (
    WEIGHTS,
    Weights,
    category_shares,
    cross_table,
    kappa,
    pabak,
    raw_agreement,
    specific_agreement,
)
from core.stats.resample import Draws

ASYMPTOTIC = "asymptotic (Fleiss, Cohen & Everitt 1969)"
NO_UNIT = "no unit was marked by both judges"


@dataclass(frozen=True, kw_only=True, eq=False)
class CategoryAgreement:
    """Two judges on categories 0..Q−1: the table (rows the first judge) and what follows from it.

    ``kappas`` by weights ('plain', 'linear', 'quadratic'); ``ac`` likewise ('plain' is AC1, the
    others AC2); ``specific`` is the agreement on each category.
    """

    n: int
    counts: Floats
    shares_a: tuple[float, ...] | None
    shares_b: tuple[float, ...] | None
    agreement: Estimate
    kappas: dict[Weights, Estimate]
    pabak: Estimate
    ac: dict[Weights, Estimate]
    specific: tuple[Estimate, ...]


def category_agreement(
    a: np.ndarray[tuple[int], np.dtype[np.int64]],
    b: np.ndarray[tuple[int], np.dtype[np.int64]],
    size: int,
    *,
    names: tuple[str, str] = ("the first judge", "the second judge"),
    draws: Draws | None = None,
) -> CategoryAgreement:
    """Agreement of two judges' category numbers (−1: none) on a scale of ``size`` categories.

    ``draws`` are over the same units; where given, raw, specific and prevalence-adjusted
    agreement have bootstrap intervals. κ's interval is statsmodels' asymptotic one; where that
    has no variance, the bootstrap's. AC1 and AC2 have Gwet's.
    """
    both = (a >= 0) & (b >= 0)
    counts = cross_table(a, b, size)
    n = int(both.sum())
    drawn: Floats | None = None
    if draws is not None and n:
        cells = np.zeros((len(a), size * size))
        cells[np.flatnonzero(both), (a * size + b)[both]] = 1
        drawn = drawn_sums(draws, cells).reshape(-1, size, size)
    return CategoryAgreement(
        n=n,
        counts=counts,
        shares_a=_shares(counts, 0) if n else None,
        shares_b=_shares(counts, 1) if n else None,
        agreement=bootstrapped(
            float(raw_agreement(counts)),
            None if drawn is None else raw_agreement(drawn),
            n=n,
            draws=draws,
            undefined=NO_UNIT,
        ),
        kappas={
            kind: cohen_kappa(counts, kind, names=names, drawn=drawn, draws=draws)
            for kind in WEIGHTS
        },
        pabak=bootstrapped(
            float(pabak(counts)),
            None if drawn is None else pabak(drawn),
            n=n,
            draws=draws,
            undefined=NO_UNIT,
        ),
        ac={kind: _gwet_of(counts, kind) for kind in WEIGHTS},
        specific=_specific(counts, drawn, n, draws),
    )


def cohen_kappa(
    counts: Floats,
    kind: Weights = "plain",
    *,
    names: tuple[str, str] = ("the first judge", "the second judge"),
    drawn: Floats | None = None,
    draws: Draws | None = None,
) -> Estimate:
    """Cohen's κ of a table (Q, Q) by statsmodels, with its asymptotic interval.

    Undefined without a unit and where a judge never varies: κ compares with what chance gives
    at the judges' own shares, and then chance gives all of it. Where the asymptotic variance is
    0 or no number (as in perfect agreement), the interval is the percentile interval of
    ``drawn``, tables (draws, Q, Q) of bootstrap draws.
    """
    n = int(counts.sum())
    if n == 0:
        return Estimate.missing(NO_UNIT)
    constant = [name for name, axis in zip(names, (1, 0), strict=True) if _constant(counts, axis)]
    if constant:
        who = " and ".join(constant)
        verb = "never varies" if len(constant) == 1 else "never vary"
        reason = f"{who} {verb} on these {n} units, and κ is only defined where both judges do"
        return Estimate.missing(reason, n)
    from statsmodels.stats.inter_rater import cohens_kappa

    with np.errstate(divide="ignore", invalid="ignore"):
        found = cohens_kappa(counts, wt=None if kind == "plain" else kind)
        value, variance = float(found.kappa), float(found.var_kappa)
    if not np.isfinite(variance) or variance <= 1e-15:
        of_draws = None if drawn is None else kappa(drawn, kind)
        return bootstrapped(value, of_draws, n=n, draws=draws, undefined=NO_UNIT)
    return Estimate(
        value=value,
        low=float(found.kappa_low),
        high=float(found.kappa_upp),
        n=n,
        interval=ASYMPTOTIC,
    )


def _constant(counts: Floats, axis: int) -> bool:
    return int((counts.sum(axis=axis) > 0).sum()) < 2


def _shares(counts: Floats, side: int) -> tuple[float, ...]:
    return tuple(float(share) for share in category_shares(counts)[side])


def _gwet_of(counts: Floats, kind: Weights) -> Estimate:
    """Gwet's coefficient of a table; each cell's units are alike, so they are written out."""
    size = len(counts)
    rows, columns = np.indices(counts.shape)
    times = counts.astype(int).ravel()
    first, second = np.repeat(rows.ravel(), times), np.repeat(columns.ravel(), times)
    units = np.zeros((len(first), size))
    np.add.at(units, (np.arange(len(first)), first), 1)
    np.add.at(units, (np.arange(len(first)), second), 1)
    if len(units) == 0:
        return Estimate.missing(NO_UNIT)
    return gwet_ac(units, kind)


def _specific(
    counts: Floats, drawn: Floats | None, n: int, draws: Draws | None
) -> tuple[Estimate, ...]:
    values = specific_agreement(counts)
    of_draws = None if drawn is None else specific_agreement(drawn)
    return tuple(
        bootstrapped(
            float(value),
            None if of_draws is None else of_draws[:, category],
            n=n,
            draws=draws,
            undefined=NO_UNIT if n == 0 else "neither judge used this category",
        )
        for category, value in enumerate(values)
    )
