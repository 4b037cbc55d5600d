"""Krippendorff's α for any number of judges, any missing marks, three levels of measurement."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from core.errors import UsageError, nearest
from core.stats.agreement.estimate import Estimate, Floats, bootstrapped, drawn_sums, ratio
from core.stats.agreement.gwet import TOO_FEW
from core.stats.resample import Draws

Level = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = get_args(Level)
NO_VARIATION = "all marks that can be paired are the same, so nothing could disagree"


def krippendorff_alpha(
    counts: Floats,
    *,
    level: Level = "ordinal",
    values: Floats | None = None,
    draws: Draws | None = None,
) -> Estimate:
    """α = 1 − D_o/D_e over units × categories counts (n, Q), by the package ``krippendorff``.

    ``values`` are the categories' numbers in ascending order (else 0..Q−1). At most 1, 0 is
    chance, below it systematic disagreement. Undefined where no unit has two marks or all
    pairable marks are the same. Interval: bootstrap of units' coincidences, where draws
    over the same units are given (Krippendorff 2011, Computing Krippendorff's alpha-reliability).
    """
    if level not in LEVELS:
        raise UsageError(f"No level of measurement '{level}'. {nearest(level, LEVELS)}")
    domain = np.arange(counts.shape[1], dtype=float) if values is None else np.asarray(values)
    pairable = counts.sum(axis=1) >= 2
    n = int(pairable.sum())
    if n == 0:
        return Estimate.missing(TOO_FEW)
    paired = np.where(pairable[:, None], counts, 0)
    if (paired.sum(axis=0) > 0).sum() < 2:
        return Estimate.missing(NO_VARIATION, n)
    import krippendorff

    value = float(
        krippendorff.alpha(
            value_counts=paired[pairable].astype(int),
            value_domain=domain,
            level_of_measurement=level,
        )
    )
    drawn = None
    if draws is not None:
        drawn = _alpha(drawn_sums(draws, _coincidences(paired)), level, domain)
    return bootstrapped(value, drawn, n=n, draws=draws, undefined=NO_VARIATION)


def _coincidences(counts: Floats) -> Floats:
    """Each unit's part of the coincidence matrix, (n, Q, Q); they add up."""
    marks = np.maximum(counts.sum(axis=1), 2)
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(counts.shape[1])
    return np.asarray(pairs / (marks - 1)[:, None, None])


def _alpha(coincidences: Floats, level: Level, domain: Floats) -> Floats:
    """α of stacked coincidence matrices (draws, Q, Q)."""
    margin = coincidences.sum(axis=-1)
    total = margin.sum(axis=-1)
    distance = _distances(margin, level, domain)
    observed = (coincidences * distance).sum(axis=(-2, -1))
    expected = (margin[..., :, None] * margin[..., None, :] * distance).sum(axis=(-2, -1))
    return 1 - ratio((total - 1) * observed, expected)


def _distances(margin: Floats, level: Level, domain: Floats) -> Floats:
    if level == "nominal":
        return 1 - np.eye(len(domain))
    if level == "interval":
        return np.asarray(np.subtract.outer(domain, domain) ** 2)
    # Ordinal: marks that lie between two categories, their own counted half; hence the
    # difference of the two mid-ranks.
    middle = np.cumsum(margin, axis=-1) - margin / 2
    return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)
