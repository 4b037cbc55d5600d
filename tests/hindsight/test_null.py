"""Scores against other topics' papers, and normalisers side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from builders import study
from random_studies import random_study
from scipy.stats import spearmanr

from core.config import NORMALIZERS, Settings
from core.hindsight.null import null
from core.hindsight.variants import variants

NOW = Settings(theta=0.5, draws=100)


def test_own_other_and_exchanged_topics_by_hand() -> None:
    # h = 0.6·c/10. Own topic t: p0 (c 2) → 0.12. Others: p1 of u (c 10) → 0.6 and p2 of v below
    # θ → 0. All others: 0.6; exchanged: the mean of u and v, 0.3. Excess 0.12 − 0.3 = −0.18.
    papers = [
        {
            "paper_id": f"p{n}",
            "title": "t",
            "citations": c,
            "published": "2024-01-01",
            "topics": [t],
        }
        for n, (c, t) in enumerate([(2, "t"), (10, "u"), (5, "v"), (0, "t")])
    ]
    found = null(
        study(
            ideas=[
                {"idea_id": "i0", "system": "a", "topic": "t"},
                {"idea_id": "i1", "system": "b", "topic": "u"},
                {"idea_id": "i2", "system": "b", "topic": "v"},
                {"idea_id": "i3", "system": "b"},
            ],
            papers=papers,
            candidates=[
                {"idea_id": "i0", "paper_id": f"p{n}", "similarity": s, "rank": n + 1}
                for n, s in enumerate([0.9, 0.8, 0.4])
            ],
        ),
        NOW,
    )
    row = found.rows.set_index("system").loc["a"]
    assert row["own"] == pytest.approx(0.12)
    assert row["other"] == pytest.approx(0.6)
    assert row["swapped"] == pytest.approx(0.3)
    assert row["excess"] == pytest.approx(-0.18)
    assert row["match_rate_swapped"] == 0.5
    assert found.left_out == 1
    assert found.rows.set_index("system").loc["b", "n"] == 2


def test_stored_candidates_may_not_hold_all_that_match() -> None:
    made = random_study(8)
    assert null(made, NOW.model_copy(update={"theta": 0.95})).exact == 1
    assert (null(made, NOW.model_copy(update={"theta": 0.0})).exact or 0) < 1


def test_no_null_without_topics_to_exchange() -> None:
    made = random_study(8)
    one = replace(made, ideas=made.ideas.assign(topic="t1"))
    assert "fewer than two topics" in (null(one, NOW).undefined or "")
    bare = replace(made, papers=made.papers.assign(topics=[()] * len(made.papers)))
    assert "no paper carries" in (null(bare, NOW).undefined or "")
    topic = null(made, NOW.model_copy(update={"pool": "topic"}))
    assert topic.rows.empty
    assert "pool" in (topic.undefined or "")


def test_variants_are_the_scores_under_each_normaliser() -> None:
    made = random_study(9, ideas=30)
    found = variants(made, NOW)
    assert found.n == 30
    scores = {}
    for normalizer in NORMALIZERS:
        score = made.score(NOW.model_copy(update={"normalizer": normalizer}))
        scores[normalizer] = score.ideas["score"]
        rows = found.systems[found.systems["normalizer"] == normalizer].set_index("system")
        for system in score.systems:
            assert rows.loc[system.system, "mean"] == system.mean
            both = rows.loc[system.system, ["citation_term", "venue_term"]].sum()
            assert both == pytest.approx(system.mean)
        pair = found.comparisons.set_index("normalizer").loc[normalizer]
        assert pair["p"] == score.comparisons[0].p
    for one in NORMALIZERS:
        for other in NORMALIZERS:
            rho = spearmanr(scores[one], scores[other]).statistic
            assert found.ranks.loc[one, other] == pytest.approx(rho)


def test_constant_scores_have_no_rank_correlation() -> None:
    found = variants(random_study(9), NOW.model_copy(update={"theta": 0.99}))
    assert np.isnan(found.ranks.to_numpy()).all()
