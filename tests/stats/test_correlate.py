"""Spearman against scipy, and under the bootstrap against a sample written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from core.stats.correlate import drawn_ranks, spearman, why_undefined
from core.stats.resample import draw_topics

pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=30)


@given(pairs)
def test_spearman_is_scipys(values: list[tuple[int, int]]) -> None:
    x, y = np.array(values, dtype=float).T
    found = spearman(x[None], y)
    if why_undefined(x, y, "x", "y"):
        assert np.isnan(found.rho[0])
        assert np.isnan(found.p[0])
        return
    theirs = spearmanr(x, y)
    assert found.rho[0] == pytest.approx(theirs.statistic, abs=1e-12)
    assert found.p[0] == pytest.approx(theirs.pvalue, abs=1e-7)


def test_hand_worked_rho() -> None:
    # Ranks of x 1 2 3 4, of y 2 1 4 3: Σd² = 4, ρ = 1 − 6·4/(4·15) = 3/5.
    assert spearman(np.array([[1.0, 2, 3, 4]]), np.array([2.0, 1, 4, 3])).rho[0] == pytest.approx(
        3 / 5
    )


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1.0, 2.0], [1.0, 2.0], "fewer than 3 ideas have both values (n = 2)"),
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], "constant: score has the same value for all 3 ideas"),
        ([1.0, 2.0, 3.0], [5.0, 5.0, 5.0], "constant: mark has the same value for all 3 ideas"),
        ([1.0, 2.0, 3.0], [1.0, 2.0, 2.0], None),
    ],
)
def test_what_is_undefined_says_why(x: list[float], y: list[float], reason: str | None) -> None:
    assert why_undefined(np.array(x), np.array(y), "score", "mark") == reason


def test_rho_in_every_draw_is_scipys_of_the_sample_written_out() -> None:
    generator = np.random.default_rng(3)
    topics = [f"t{place % 5}" for place in range(23)]
    x, y = generator.integers(0, 4, 23) * 1.0, generator.integers(0, 5, 23) * 1.0
    chosen = np.arange(23) % 3 > 0
    draws = draw_topics(topics, ["s"] * 23, draws=200, seed=1)
    ranks = drawn_ranks(x, chosen, draws), drawn_ranks(y, chosen, draws)
    weights = draws.weights[:, chosen]
    ours = np.einsum("di,di,di->d", *ranks, weights)
    for draw in range(200):
        times = weights[draw].astype(int)
        a, b = np.repeat(x[chosen], times), np.repeat(y[chosen], times)
        if np.ptp(a) == 0 or np.ptp(b) == 0:
            assert np.isnan(ours[draw])
        else:
            assert ours[draw] == pytest.approx(spearmanr(a, b).statistic, abs=1e-9)
