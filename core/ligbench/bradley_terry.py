"""An order-free rating: Bradley–Terry against references whose scores are fixed.

The model is Elo's own: E = 1 / (1 + 10^((s_R − s)/d)). With the references fixed, each idea's
score is a one-parameter fit, so no idea needs another to be comparable.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.ligbench.elo import HIGHEST, LOWEST, expected

Floats = NDArray[np.float64]
_Z = 1.959963984540054


@dataclass(frozen=True, kw_only=True)
class Fit:
    """The score that maximises the posterior, on the references' scale.

    ``value``, ``low``, ``high`` are clipped to [0, 5]; ``raw`` is not. The interval is
    s ± 1.96/√information, the prior's information included. ``one_sided`` says that the idea
    won or lost every game, so that the prior alone keeps it finite. ``undefined`` says why the
    values are None.
    """

    value: float | None
    low: float | None
    high: float | None
    raw: float | None
    n: int
    one_sided: str | None
    prior_mean: float
    prior_sd: float
    undefined: str | None


def fit(
    outcomes: Floats, references: Floats, *, d: float, prior_mean: float, prior_sd: float
) -> Fit:
    """s that maximises Σ [S ln E + (1 − S) ln(1 − E)] − (s − m)²/(2τ²).

    ``outcomes`` S (games,) in [0, 1], a tie being half a win; ``references`` s_R (games,);
    m = ``prior_mean``, τ = ``prior_sd``. The objective is strictly concave, so the root of its
    derivative is unique; it is found by bisection within ±(50τ + range), as brentq does.
    """
    from scipy.optimize import brentq

    n = len(outcomes)
    if n == 0:
        return Fit(
            value=None,
            low=None,
            high=None,
            raw=None,
            n=0,
            one_sided=None,
            prior_mean=prior_mean,
            prior_sd=prior_sd,
            undefined="no game",
        )
    slope = np.log(10.0) / d

    def gradient(score: float) -> float:
        surprise = float((outcomes - expected(score, references, d)).sum())
        return float(slope * surprise - (score - prior_mean) / prior_sd**2)

    reach = abs(prior_mean) + slope * n * prior_sd**2 + 1.0
    raw = float(brentq(gradient, prior_mean - reach, prior_mean + reach, xtol=1e-12, rtol=1e-14))
    chance = expected(raw, references, d)
    information = slope**2 * float((chance * (1 - chance)).sum()) + prior_sd**-2
    half = _Z / np.sqrt(information)
    value, low, high = np.clip([raw, raw - half, raw + half], LOWEST, HIGHEST)
    one_sided = "won every game" if (outcomes == 1).all() else None
    one_sided = "lost every game" if (outcomes == 0).all() else one_sided
    return Fit(
        value=float(value),
        low=float(low),
        high=float(high),
        raw=raw,
        n=n,
        one_sided=one_sided,
        prior_mean=prior_mean,
        prior_sd=prior_sd,
        undefined=None,
    )
