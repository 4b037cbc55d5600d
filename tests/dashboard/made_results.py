"""Results made by hand, so that charts and sentences are tested apart from the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from core.config import JUDGE_DIMENSIONS, Settings
from core.hindsight.results import (
    Caution,
    Comparison,
    Conclusion,
    Correlation,
    PoolCounts,
    QuadrantCount,
    Quadrants,
    Score,
    SpecificationCurve,
    StudyInfo,
    Sweep,
    SystemScore,
)

INFO = StudyInfo(
    name="made",
    digest="0" * 16,
    cutoff="2023-06-30",
    horizon_months=30,
    encoder="minilm",
    simulated=False,
)
SETTINGS = Settings(theta=0.6)


def comparison(**values: Any) -> Comparison:
    """alpha against beta: 2.44 times, 1.8 to 3.4, p < 0.001, unless named."""
    start: dict[str, Any] = {
        "a": "alpha",
        "b": "beta",
        "metric": "hindsight",
        "n_a": 100,
        "n_b": 100,
        "difference": 0.178,
        "difference_low": 0.1,
        "difference_high": 0.25,
        "ratio": 2.437,
        "ratio_low": 1.81,
        "ratio_high": 3.38,
        "u": 7000.0,
        "p": 0.00001,
        "p_adjusted": 0.00005,
        "rank_biserial": 0.4,
        "undefined": None,
    }
    return Comparison(**(start | values))


def no_difference(**values: Any) -> Comparison:
    """The judges' overall marks: 0.03 of 10 apart, p = 0.58, unless named."""
    start: dict[str, Any] = {
        "metric": "overall",
        "difference": 0.03,
        "difference_low": -0.06,
        "difference_high": 0.12,
        "ratio": 1.004,
        "ratio_low": 0.99,
        "ratio_high": 1.02,
        "p": 0.584,
        "p_adjusted": 0.584,
        "rank_biserial": 0.02,
    }
    return comparison(**(start | values))


def undefined(metric: str, reason: str, **values: Any) -> Comparison:
    """A comparison without a value, for this reason."""
    names = ("difference", "ratio", "difference_low", "difference_high", "ratio_low", "ratio_high")
    empty = dict.fromkeys((*names, "u", "p", "p_adjusted", "rank_biserial"))
    return comparison(**({"metric": metric, **empty, "undefined": reason} | values))


def correlation(system: str, dimension: str, rho: float | None, p: float | None) -> Correlation:
    """One correlation of 100 ideas."""
    return Correlation(
        system=system,
        judge="all",
        dimension=dimension,
        n=100,
        rho=rho,
        rho_low=None if rho is None else rho - 0.1,
        rho_high=None if rho is None else rho + 0.1,
        p=p,
        p_adjusted=p,
        undefined="constant marks" if rho is None else None,
    )


def system(name: str, mean: float | None = 0.3, match_rate: float | None = 0.8) -> SystemScore:
    """One system of 100 ideas."""
    return SystemScore(
        system=name,
        n=100,
        mean=mean,
        mean_low=None if mean is None else mean - 0.05,
        mean_high=None if mean is None else mean + 0.05,
        median=mean,
        match_rate=match_rate,
        mean_matches=9.0,
        mean_citation_term=0.01,
        mean_venue_term=None if mean is None else mean - 0.01,
    )


def score(
    systems: tuple[SystemScore, ...] | None = None,
    comparisons: tuple[Comparison, ...] | None = None,
    correlations: tuple[Correlation, ...] | None = None,
    *,
    judged: bool = True,
    cautions: tuple[Caution, ...] = (),
    settings: Settings = SETTINGS,
    n: int = 30,
) -> Score:
    """A score with ``n`` ideas a system and seeded values."""
    rows = systems if systems is not None else (system("alpha"), system("beta", 0.122, 0.42))
    if comparisons is None:
        comparisons = (comparison(), no_difference()) if len(rows) == 2 else ()
    if correlations is None:
        correlations = tuple(
            correlation(row.system, dimension, -0.29, 0.003)
            for row in rows
            for dimension in JUDGE_DIMENSIONS
        )
    random = np.random.default_rng(0)
    ideas = pd.DataFrame(
        [
            {
                "idea_id": f"{row.system}-{place:03d}",
                "system": row.system,
                "topic": f"topic {place % 5}",
                "score": float(random.choice([0.0, 0.01, 0.41])),
                "judge_overall": float(random.integers(18, 27) / 3) if judged else None,
            }
            for row in rows
            for place in range(n)
        ],
        columns=["idea_id", "system", "topic", "score", "judge_overall"],
    )
    counts = tuple(
        QuadrantCount(
            system=row.system,
            true_positive=1,
            hidden_gem=2,
            overhyped=3,
            true_negative=4,
            unscored=0,
        )
        for row in rows
    )
    return Score(
        study=INFO,
        settings=settings,
        pool=PoolCounts(
            papers=10,
            in_window=9,
            undated=0,
            ambiguous_date=0,
            title_only=0,
            unknown_citations=0,
            top_venue=1,
        ),
        systems=rows,
        comparisons=comparisons,
        correlations=correlations,
        quadrants=Quadrants(
            rule="pooled_median",
            comparison=">",
            hindsight_cut=0.2,
            judge_cut=7.3,
            on_cut={"hindsight": 0, "judge": 3},
            counts=counts,
        ),
        leakage=(),
        cautions=cautions,
        resampled="topics",
        ideas=ideas.astype({"judge_overall": float}),
        matches=pd.DataFrame(),
    )


def sweep(
    thetas: tuple[float, ...] = (0.4, 0.5, 0.6, 0.7, 0.8),
    ratios: tuple[float | None, ...] = (1.0, 1.2, 2.4, 2.8, None),
    p: tuple[float | None, ...] = (0.9, 0.2, 0.001, 0.002, None),
    settings: Settings = SETTINGS,
) -> Sweep:
    """alpha against beta at five thresholds; the ratio is undefined at the last."""
    points = pd.DataFrame(
        [
            {
                "theta": theta,
                "system": name,
                "mean": 0.4 * share,
                "median": 0.3 * share,
                "match_rate": share,
                "mean_matches": 10 * share,
            }
            for name, lead in (("alpha", 0.1), ("beta", 0.0))
            for theta, share in zip(thetas, np.linspace(0.9, 0.0, len(thetas)) + lead, strict=True)
        ]
    )
    frame = pd.DataFrame(
        {
            "theta": thetas,
            "a": "alpha",
            "b": "beta",
            "ratio": ratios,
            "low": [None if value is None else value * 0.8 for value in ratios],
            "high": [None if value is None else value * 1.3 for value in ratios],
            "p": p,
            "undefined": ["mean of beta is 0" if value is None else None for value in ratios],
        }
    ).astype({"ratio": float, "low": float, "high": float, "p": float})
    holds = np.array([value is not None and value > 1 for value in ratios])
    surely = np.array([value is not None and value < 0.05 for value in p])
    return Sweep(
        study=INFO,
        settings=settings,
        thetas=np.array(thetas),
        exact=True,
        points=points,
        ratios=frame,
        correlations=pd.DataFrame(
            columns=["theta", "system", "dimension", "rho", "p", "p_adjusted"]
        ),
        conclusions=(
            Conclusion(name="higher", statement="alpha scores higher", holds=holds),
            Conclusion(name="significant", statement="… significantly", holds=holds & surely),
        ),
        resampled="topics",
    )


def specifications(n: int = 12, *, reason: str | None = None) -> SpecificationCurve:
    """``n`` specifications of two thresholds and two normalisers, own in the middle."""
    difference = np.linspace(-0.03, 0.3, n)
    rows = pd.DataFrame(
        {
            "theta": np.where(np.arange(n) % 2 == 0, 0.5, 0.6),
            "k": 20,
            "normalizer": np.where(np.arange(n) % 3 == 0, "minmax", "log"),
            "aggregate": "max",
            "citation_weight": 0.6,
            "difference": difference,
            "low": difference - 0.05,
            "high": difference + 0.05,
            "ratio": 1 + difference,
            "p": np.where(difference > 0.06, 0.01, 0.5),
            "rank_biserial": difference,
            "own": np.arange(n) == n // 2,
        }
    )
    return SpecificationCurve(
        study=INFO,
        settings=SETTINGS,
        a="alpha",
        b="beta",
        grid={"theta": (0.5, 0.6), "normalizer": ("minmax", "log")},
        rows=rows,
        shares=pd.DataFrame(
            {
                "conclusion": ["alpha higher", "alpha higher, significantly"],
                "share": [0.97, 0.89],
                "n": [n, n],
            }
        ),
        explained=pd.DataFrame(
            {"choice": ["theta", "normalizer", "k"], "share": [0.58, 0.21, 0.04]}
        ),
        undefined=reason,
    )
