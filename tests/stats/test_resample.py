"""The bootstrap against samples written out, and its undefined draws."""

from __future__ import annotations

import numpy as np
import pytest

from core.stats.resample import draw_topics, percentile_interval, ratio

TOPICS = ["a", "a", "b", "c", "c", "c"]
SYSTEMS = ["x", "y", "x", "x", "y", "y"]


def test_a_drawn_topic_brings_all_its_ideas() -> None:
    draws = draw_topics(TOPICS, SYSTEMS, draws=300, seed=4)
    assert draws.drawn == "topics"
    assert (draws.counts.sum(axis=1) == 3).all()
    weights = draws.weights
    assert (weights[:, 0] == weights[:, 1]).all()
    assert (weights[:, 3] == weights[:, 5]).all()


def test_with_one_topic_ideas_are_drawn_within_systems() -> None:
    draws = draw_topics(["a"] * 6, SYSTEMS, draws=300, seed=4)
    assert draws.drawn == "ideas"
    x = np.array([system == "x" for system in SYSTEMS])
    assert (draws.weights[:, x].sum(axis=1) == 3).all()
    assert (draws.weights[:, ~x].sum(axis=1) == 3).all()
    assert len(np.unique(draws.weights[:, 0])) > 1


def test_means_are_those_of_the_sample_written_out() -> None:
    values = np.array([[1.0, 2], [3, 4], [5, 1], [2, 2], [8, 0], [1, 1]])
    chosen = np.array([True, False, True, True, False, True])
    draws = draw_topics(TOPICS, SYSTEMS, draws=50, seed=2)
    found = draws.means(values, chosen)
    for draw in range(50):
        times = (draws.weights[draw] * chosen).astype(int)
        sample = np.repeat(values, times, axis=0)
        assert np.allclose(found[draw], sample.mean(axis=0))


def test_a_draw_without_the_system_has_no_mean() -> None:
    draws = draw_topics(["a", "b"], ["x", "y"], draws=100, seed=0)
    means = draws.means(np.ones((2, 1)), np.array([True, False]))
    assert np.isnan(means).any()
    assert np.isfinite(means).any()


def test_interval_is_numpys_and_leaves_unknown_draws_out() -> None:
    values = np.random.default_rng(0).normal(size=(1000, 2))
    values[:30, 1] = np.nan
    found = percentile_interval(values)
    for column in range(2):
        low, high = np.nanquantile(values[:, column], [0.025, 0.975])
        assert found.low[column] == pytest.approx(low, rel=1e-12)
        assert found.high[column] == pytest.approx(high, rel=1e-12)
    assert found.left_out.tolist() == pytest.approx([0, 0.03])


@pytest.mark.parametrize("draws", [1, 2, 40, 41, 1000])
def test_interval_is_numpys_where_every_draw_is_known(draws: int) -> None:
    values = np.random.default_rng(draws).normal(size=(draws, 3)).round(1)
    found = percentile_interval(values)
    low, high = np.quantile(values, [0.025, 0.975], axis=0)
    assert found.low == pytest.approx(low, abs=1e-12)
    assert found.high == pytest.approx(high, abs=1e-12)


def test_too_many_unknown_draws_leave_the_interval_undefined() -> None:
    values = np.ones((100, 2))
    values[:6, 0] = np.nan
    values[:, 1] = np.nan
    found = percentile_interval(values)
    assert np.isnan(found.low).all()
    assert np.isnan(found.high).all()
    assert found.left_out.tolist() == pytest.approx([0.06, 1.0])


def test_a_ratio_by_nothing_is_unknown() -> None:
    found = ratio(np.array([1.0, 0.0, 2.0, np.nan]), np.array([0.0, 0.0, 4.0, 1.0]))
    assert np.isnan(found[[0, 1, 3]]).all()
    assert found[2] == 0.5


def test_the_seed_fixes_the_draws_and_row_order_does_not_matter() -> None:
    one = draw_topics(TOPICS, SYSTEMS, draws=20, seed=9)
    same = draw_topics(TOPICS, SYSTEMS, draws=20, seed=9)
    other = draw_topics(TOPICS, SYSTEMS, draws=20, seed=10)
    turned = draw_topics(TOPICS[::-1], SYSTEMS[::-1], draws=20, seed=9)
    assert (one.counts == same.counts).all()
    assert (one.counts != other.counts).any()
    assert (one.weights == turned.weights[:, ::-1]).all()
