"""Our coefficients against other programs and against slow twins written from the formulas."""

from __future__ import annotations

from itertools import combinations

import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy.stats import friedmanchisquare, spearmanr
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from core.stats.agreement import (
    LEVELS,
    WEIGHTS,
    agreement_weights,
    category_agreement,
    cohen_kappa,
    cross_table,
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
from core.stats.agreement.alpha import _alpha, _coincidences
from core.stats.agreement.ranks import weighted_correlation, weighted_ranks
from core.stats.agreement.tables import gwet, kappa

SEEDS = range(8)


def rated(seed: int, *, judges: int = 3, size: int = 4, missing: float = 0.0) -> np.ndarray:
    """Codes (40, judges) of judges who agree in part."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, size, 40)
    marks = np.where(
        rng.random((40, judges)) < 0.6, truth[:, None], rng.integers(0, size, (40, judges))
    )
    return np.where(rng.random(marks.shape) < missing, -1, marks)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", WEIGHTS)
def test_kappa_is_sklearns(seed: int, kind: str) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    a, b = rated(seed, judges=2).T
    expected = metrics.cohen_kappa_score(
        a, b, labels=range(4), weights=None if kind == "plain" else kind
    )
    found = cohen_kappa(cross_table(a, b, 4), kind)
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert float(kappa(cross_table(a, b, 4), kind)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_fleiss_is_statsmodels_where_nothing_is_missing(seed: int) -> None:
    counts = unit_counts(rated(seed), 4)
    assert fleiss_kappa(counts).value == pytest.approx(statsmodels_fleiss(counts), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("level", LEVELS)
def test_alpha_and_its_draws_are_the_librarys(seed: int, level: str) -> None:
    marks = rated(seed, missing=0.3)
    counts = unit_counts(marks, 4)
    data = np.where(marks < 0, np.nan, marks).T
    expected = krippendorff.alpha(data, value_domain=range(4), level_of_measurement=level)
    assert krippendorff_alpha(counts, level=level).value == pytest.approx(expected, abs=1e-12)
    # One bootstrap draw is the library's α on the drawn units written out.
    taken = np.random.default_rng(seed).multinomial(40, np.full(40, 1 / 40))
    drawn = np.repeat(data, taken, axis=1)
    expected = krippendorff.alpha(drawn, value_domain=range(4), level_of_measurement=level)
    sums = np.tensordot(taken, _coincidences(counts), axes=1)
    assert float(_alpha(sums, level, np.arange(4.0))) == pytest.approx(expected, abs=1e-12)


def slow_gwet(marks: np.ndarray, size: int, kind: str) -> float:
    """AC by its definition: pairs of judges within units, shares unit by unit."""
    weights = agreement_weights(size, kind)
    agreeing, shares = [], []
    for row in marks:
        held = [int(mark) for mark in row if mark >= 0]
        if held:
            shares.append([held.count(q) / len(held) for q in range(size)])
        if len(held) >= 2:
            agreeing.append(np.mean([weights[i, j] for i, j in combinations(held, 2)]))
    pi = np.mean(shares, axis=0)
    expected = weights.sum() / (size * (size - 1)) * sum(p * (1 - p) for p in pi)
    return (np.mean(agreeing) - expected) / (1 - expected)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", WEIGHTS)
def test_gwet_is_its_definition(seed: int, kind: str) -> None:
    marks = rated(seed, missing=0.3)
    expected = slow_gwet(marks, 4, kind)
    assert gwet_ac(unit_counts(marks, 4), kind).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", WEIGHTS)
def test_gwet_of_a_table_is_gwet_of_its_units(kind: str) -> None:
    marks = rated(1, judges=2)
    expected = gwet_ac(unit_counts(marks, 4), kind).value
    assert float(gwet(cross_table(*marks.T, 4), kind)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_gwets_variance_is_near_the_jackknifes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 300)
    marks = np.where(rng.random((300, 3)) < 0.7, truth[:, None], rng.integers(0, 3, (300, 3)))
    counts = unit_counts(marks, 3)
    found = gwet_ac(counts)
    left_out = np.array([gwet_ac(np.delete(counts, i, axis=0)).value for i in range(300)])
    error = np.sqrt(299 / 300 * ((left_out - left_out.mean()) ** 2).sum())
    assert (found.high - found.low) / 2 / 1.968 == pytest.approx(error, rel=0.02)


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.parametrize("seed", range(4))
def test_icc_is_pingouins(seed: int) -> None:
    pingouin = pytest.importorskip("pingouin")
    rng = np.random.default_rng(seed)
    marks = rng.normal(size=(15, 1)) + rng.normal(size=(15, 4)) + [0, 0.5, 1, 0]
    long = pd.DataFrame(marks).reset_index().melt(id_vars="index", var_name="j", value_name="m")
    found = pingouin.intraclass_corr(long, targets="index", raters="j", ratings="m")
    bounds = found.iloc[:, -1]
    single, double = one_way(marks).icc1, two_way(marks)
    for place, estimate in enumerate((single, double.icc2_1)):
        assert estimate.value == pytest.approx(found["ICC"].iloc[place], abs=1e-9)
        assert [estimate.low, estimate.high] == pytest.approx(list(bounds.iloc[place]), abs=0.006)
    assert double.icc2_k.value == pytest.approx(found["ICC"].iloc[4], abs=1e-9)


def test_icc1_of_units_with_different_numbers_of_marks() -> None:
    """Searle's k₀. Units (1, 3), (5, 5, 8): N = 5, grand mean 22/5, means 2 and 6.

    MS_b = 2·(2.4)² + 3·(1.6)² = 19.2 over 1; MS_w = (2 + 6)/3; k₀ = (5 − 13/5)/1 = 2.4.
    """
    found = one_way(np.array([[1, 3, np.nan], [5, 5, 8]]))
    within = 8 / 3
    assert found.marks == pytest.approx(2.4)
    assert found.within_sd == pytest.approx(within**0.5)
    assert found.icc1.value == pytest.approx((19.2 - within) / (19.2 + 1.4 * within))


@pytest.mark.parametrize("seed", SEEDS)
def test_kendalls_w_is_friedmans(seed: int) -> None:
    marks = rated(seed, judges=4).astype(float)
    chi_square, p = friedmanchisquare(*marks)  # units are Friedman's treatments, judges blocks
    found = kendall_w(marks)
    assert found.w.value == pytest.approx(chi_square / (4 * 39), abs=1e-12)
    assert found.p == pytest.approx(p, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_spearman_is_scipys_on_every_draw(seed: int) -> None:
    a, b = rated(seed, judges=2).astype(float).T
    found = spearman(a, b)
    expected = spearmanr(a, b)
    assert found.rho.value == pytest.approx(expected.statistic, abs=1e-12)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-12)
    taken = np.random.default_rng(seed).multinomial(40, np.full(40, 1 / 40))
    weights = taken[None, :].astype(float)
    drawn = weighted_correlation(
        weighted_ranks(a, weights)[0], weighted_ranks(b, weights)[0], weights
    )
    expected = spearmanr(np.repeat(a, taken), np.repeat(b, taken)).statistic
    assert float(drawn[0]) == pytest.approx(expected, abs=1e-12)


def test_drawn_tables_are_tables_of_drawn_units() -> None:
    """The interval of p_o under one topic a unit, against units written out draw by draw."""
    a, b = rated(3, judges=2).T
    draws = draw_units([str(unit) for unit in range(40)], draws=200, seed=5)
    shares = [np.average(a == b, weights=weights) for weights in draws.weights]
    found = category_agreement(a, b, 4, draws=draws).agreement
    assert [found.low, found.high] == pytest.approx(list(np.quantile(shares, [0.025, 0.975])))
