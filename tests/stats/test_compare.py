"""Mann–Whitney and Holm against scipy and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu
from statsmodels.stats.multitest import multipletests

from core.stats.compare import holm, holm_rows, mann_whitney

samples = st.lists(st.integers(-4, 4), min_size=1, max_size=25)


@given(samples, samples)
def test_mann_whitney_is_scipys(a: list[int], b: list[int]) -> None:
    x, y = np.array(a, dtype=float), np.array(b, dtype=float)
    ours, theirs = mann_whitney(x[None], y[None]), mannwhitneyu(x, y, method="asymptotic")
    assert ours.u[0] == theirs.statistic
    assert ours.p[0] == pytest.approx(theirs.pvalue, rel=1e-12, abs=1e-300)


def test_many_rows_are_as_many_single_tests() -> None:
    generator = np.random.default_rng(0)
    a, b = generator.integers(0, 5, (30, 12)) * 1.0, generator.integers(0, 6, (30, 9)) * 1.0
    whole = mann_whitney(a, b)
    for row in range(30):
        assert whole.p[row] == mannwhitneyu(a[row], b[row], method="asymptotic").pvalue


def test_hand_worked_u_and_effect() -> None:
    # a = 3, 1 and b = 2, 1, 0: 3 beats all three; 1 ties with 1 (½) and beats 0.
    # U = 3 + ½ + 1 = 4.5 of 6 pairs; rank-biserial 2·4.5/6 − 1 = 1/2.
    found = mann_whitney(np.array([[3.0, 1.0]]), np.array([[2.0, 1.0, 0.0]]))
    assert found.u[0] == 4.5
    assert found.rank_biserial[0] == 0.5


@given(samples, samples)
def test_exchange_turns_the_effect_round(a: list[int], b: list[int]) -> None:
    x, y = np.array([a], dtype=float), np.array([b], dtype=float)
    one, other = mann_whitney(x, y), mann_whitney(y, x)
    assert one.rank_biserial[0] == pytest.approx(-other.rank_biserial[0])
    assert one.p[0] == pytest.approx(other.p[0])
    assert 0 <= one.p[0] <= 1


def test_equal_values_are_no_evidence() -> None:
    found = mann_whitney(np.zeros((1, 4)), np.zeros((1, 3)))
    assert found.p[0] == 1
    assert found.rank_biserial[0] == 0


def test_an_empty_sample_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        mann_whitney(np.zeros((1, 0)), np.zeros((1, 3)))


@settings(max_examples=20)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_is_statsmodels(p: list[float]) -> None:
    theirs = multipletests(p, method="holm")[1]
    assert np.allclose(np.array(holm(p), dtype=float), theirs, rtol=1e-12)


def test_holm_by_hand_leaves_unknown_out() -> None:
    # Three known: 0.01·3 = 0.03; 0.02·2 = 0.04; 0.9·1 = 0.9.
    assert holm([0.9, None, 0.01, 0.02]) == [0.9, None, 0.03, 0.04]
    assert holm([None, None]) == [None, None]
    assert holm([]) == []


def test_holm_by_rows_is_holm_of_each_row() -> None:
    rows = np.array([[0.04, 0.01, np.nan], [np.nan, 0.5, 0.6]])
    adjusted = holm_rows(rows)
    assert adjusted[0, :2].tolist() == [0.04, 0.02]
    assert np.isnan(adjusted[0, 2])
    assert np.isnan(adjusted[1, 0])
    assert adjusted[1, 1:].tolist() == [1.0, 1.0]
