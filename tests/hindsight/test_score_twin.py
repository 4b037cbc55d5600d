"""Score, quadrants and sweep against the slow twin, over every setting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import twin
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_studies import random_study

from core.config import AGGREGATES, NORMALIZERS, QUADRANT_RULES, Settings

choices = st.builds(
    Settings,
    theta=st.sampled_from([0.3, 0.5, 0.6, 0.7, 0.85, 0.95]),
    k=st.sampled_from([1, 3, 20]),
    normalizer=st.sampled_from(NORMALIZERS),
    aggregate=st.sampled_from(AGGREGATES),
    citation_weight=st.sampled_from([0.0, 0.6, 1.0]),
    venue_weight=st.sampled_from([0.0, 0.4]),
    unknown_citations=st.sampled_from(["exclude", "zero"]),
    title_only=st.sampled_from(["include", "exclude"]),
    ambiguous_dates=st.sampled_from(["include", "exclude"]),
    leakage=st.sampled_from(["include", "exclude"]),
    pool=st.sampled_from(["all", "topic"]),
    judge=st.sampled_from(["all", "j1"]),
    quadrant_rule=st.sampled_from(QUADRANT_RULES),
    hindsight_cut=st.just(0.3),
    judge_cut=st.just(6.0),
    inclusive=st.booleans(),
    draws=st.just(100),
)
many = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def same(ours: float | None, theirs: float | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return ours == pytest.approx(theirs, rel=1e-9, abs=1e-6)


@many
@given(st.integers(0, 10_000), choices, st.integers(1, 3))
def test_the_score_is_the_twins(seed: int, now: Settings, systems: int) -> None:
    study = random_study(seed, systems=systems)
    found, rows = study.score(now), twin.idea_rows(study, now)
    assert set(found.ideas["idea_id"]) == set(rows)
    for ours in found.ideas.to_dict("records"):
        theirs = rows[ours["idea_id"]]
        assert ours["score"] == pytest.approx(theirs["score"], abs=1e-12)
        assert ours["n_matches"] == theirs["n_matches"]
        assert ours["short_of_k"] == theirs["short_of_k"]
        assert ours["citation_term"] + ours["venue_term"] == pytest.approx(ours["score"], abs=1e-12)
        best = None if not isinstance(ours["best_paper_id"], str) else ours["best_paper_id"]
        assert best == theirs["best_paper_id"]
        assert same(
            None if np.isnan(ours["judge_overall"]) else ours["judge_overall"],
            theirs["judge_overall"],
        )
    for system, theirs in twin.systems(rows).items():
        ours = next(row for row in found.systems if row.system == system)
        assert all(getattr(ours, name) == pytest.approx(value) for name, value in theirs.items())
    _same_comparisons(found.comparisons, twin.comparisons(rows))
    for ours, theirs in zip(found.correlations, twin.correlations(study, now, rows), strict=True):
        assert (ours.system, ours.judge, ours.dimension, ours.n) == tuple(
            theirs[name] for name in ("system", "judge", "dimension", "n")
        )
        assert all(same(getattr(ours, name), theirs[name]) for name in ("rho", "p", "p_adjusted"))


def _same_comparisons(ours: Any, theirs: Any) -> None:
    for one, other in zip(ours, theirs, strict=True):
        assert (one.a, one.b) == (other["a"], other["b"])
        for name in ("u", "p", "p_adjusted", "difference", "ratio", "rank_biserial"):
            assert same(getattr(one, name), other.get(name)), name


@many
@given(st.integers(0, 10_000), choices)
def test_quadrants_are_the_twins(seed: int, now: Settings) -> None:
    study = random_study(seed)
    found = study.score(now)
    rows = {
        row["idea_id"]: {
            **row,
            "judge_overall": None if np.isnan(row["judge_overall"]) else row["judge_overall"],
        }
        for row in found.ideas.to_dict("records")
    }
    labels = twin.quadrant_counts(now, rows)
    assert {i: row["quadrant"] for i, row in rows.items()} == labels
    for count in found.quadrants.counts:
        own = [labels[i] for i, row in rows.items() if row["system"] == count.system]
        assert count.hidden_gem == own.count("hidden_gem")
        assert count.unscored == own.count("unscored")


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000), choices)
def test_the_sweep_is_the_twins_score_at_every_threshold(seed: int, now: Settings) -> None:
    study = random_study(seed, ideas=9, papers=20)
    found = study.sweep(now)
    reached = study.score(now).matches
    assert found.exact
    assert found.thetas.tolist() == sorted(set(reached["similarity"]))
    for theta in found.thetas:
        at = now.model_copy(update={"theta": float(theta)})
        rows = twin.idea_rows(study, at)
        points = found.points[found.points["theta"] == theta].set_index("system")
        for system, theirs in twin.systems(rows).items():
            for name in ("mean", "median", "match_rate", "mean_matches"):
                assert points.loc[system, name] == pytest.approx(theirs[name], abs=1e-12)
        theirs = twin.comparisons(rows)[0]
        ours = found.ratios[found.ratios["theta"] == theta].iloc[0]
        ratio = None if np.isnan(ours["ratio"]) else ours["ratio"]
        assert same(ratio, theirs["ratio"])
        assert (ratio is None) == (ours["undefined"] == f"ratio: the mean of {ours['b']} is 0")
        assert same(ours["p"], theirs["p"])
        assert same(ours["p_adjusted"], theirs["p_adjusted"])
        known = [r for r in twin.correlations(study, at, rows) if r["judge"] == now.judge]
        own = found.correlations[found.correlations["theta"] == theta].to_dict("records")
        for one, other in zip(own, known, strict=True):
            for name in ("rho", "p", "p_adjusted"):
                assert same(None if np.isnan(one[name]) else one[name], other[name])


def test_sweep_and_score_share_their_intervals() -> None:
    study = random_study(5, ideas=30, papers=60)
    now = Settings(theta=0.6, draws=500)
    point = study.sweep(now, thetas=[0.6]).ratios.iloc[0]
    row = study.score(now).comparisons[0]
    assert row.ratio_low is not None
    assert (point["low"], point["high"]) == pytest.approx((row.ratio_low, row.ratio_high))
    assert point["difference_low"] == pytest.approx(row.difference_low)
