"""What was planted comes out of the real pipeline: the bundled candidates, the study's settings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom

from core.hindsight.calibration import calibration
from core.hindsight.results import Comparison, Correlation, Score
from core.matching.candidates import is_stale
from core.simulation.plan import GROUNDED, VAGUE
from core.study import Study


@pytest.fixture(scope="module")
def result(demo: Study) -> Score:
    return demo.score()


def comparison(result: Score, metric: str) -> Comparison:
    return next(row for row in result.comparisons if row.metric == metric)


def correlation(result: Score, system: str, dimension: str) -> Correlation:
    return next(
        row
        for row in result.correlations
        if (row.system, row.dimension, row.judge) == (system, dimension, "all")
    )


def test_the_candidates_are_those_of_the_tables(demo: Study) -> None:
    assert demo.candidates_info is not None
    assert demo.candidates_info.encoder == "minilm"
    assert not is_stale(demo)


def test_the_study_uses_the_threshold_that_calibration_suggests(demo: Study) -> None:
    suggested = calibration(demo).suggested_theta
    assert suggested is not None
    assert abs(demo.settings.theta - suggested) <= 0.02


def test_the_grounded_system_foresees_two_to_three_times_as_much(result: Score) -> None:
    row = comparison(result, "hindsight")
    assert (row.a, row.b) == (GROUNDED, VAGUE)
    assert row.ratio is not None
    assert 2 < row.ratio < 3
    assert row.p_adjusted is not None
    assert row.p_adjusted < 0.001
    assert row.ratio_low is not None
    assert row.ratio_low > 1


def test_the_judges_see_no_difference(result: Score) -> None:
    row = comparison(result, "overall")
    assert row.p is not None
    assert row.p > 0.05


def test_what_comes_true_sounded_less_novel(result: Score) -> None:
    row = correlation(result, GROUNDED, "novelty")
    assert row.rho is not None
    assert row.rho < -0.2
    assert row.p is not None
    assert row.p < 0.01


def test_match_rates_are_near_the_published_ones(result: Score) -> None:
    """The paper has 81 % and 42 %."""
    rates = {system.system: system.match_rate or 0.0 for system in result.systems}
    assert 0.75 < rates[GROUNDED] < 0.9
    assert 0.35 < rates[VAGUE] < 0.55


def test_scores_are_of_all_sizes(result: Score) -> None:
    scores = result.ideas["score"]
    assert (scores == 0).mean() > 0.1
    assert ((scores > 0) & (scores < 0.1)).sum() >= 10
    assert (scores >= 0.4).sum() >= 20


def test_every_quadrant_has_ideas(result: Score) -> None:
    for row in result.quadrants.counts:
        assert min(row.true_positive, row.hidden_gem, row.overhyped, row.true_negative) > 0


def test_the_ratio_grows_with_the_threshold(demo: Study) -> None:
    theta = demo.settings.theta
    ratios = [
        comparison(demo.score(demo.settings.model_copy(update={"theta": at})), "hindsight").ratio
        for at in (theta - 0.08, theta, theta + 0.03)
    ]
    assert ratios == sorted(ratios, key=lambda ratio: ratio or np.inf)


def test_leakage_shows(result: Score) -> None:
    leaked = {row.system: row.n_leaked for row in result.leakage}
    assert leaked[GROUNDED] > 10
    assert leaked[VAGUE] > 0


def test_planted_papers_are_found_far_above_chance(demo: Study) -> None:
    """Against 50 papers drawn from the pool without looking: the hypergeometric upper tail."""
    assert demo.candidates is not None
    near = demo.candidates[demo.candidates["rank"] <= 50]
    found = near.groupby("idea_id")["paper_id"].agg(set)
    with_papers = pd.Series(
        {row.idea_id: set(row.extra["planted"]) for row in demo.ideas.itertuples()}
    )
    with_papers = with_papers[with_papers.map(len) > 0]
    hits = np.array([len(found[idea] & planted) for idea, planted in with_papers.items()])
    sizes = with_papers.map(len).to_numpy()
    by_chance = hypergeom.sf(hits - 1, len(demo.papers), sizes, 50)
    assert hits.sum() > 0.6 * sizes.sum()
    assert np.mean(by_chance < 1e-3) > 0.85
