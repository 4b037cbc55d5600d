"""The score by hand, its laws, its cautions, and what it does with too little."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import study
from hypothesis import given, settings
from hypothesis import strategies as st
from random_studies import random_study, tables

from core.config import QUADRANT_RULES, Settings
from core.errors import DataError, UsageError
from core.hindsight.results import Score

NOW = Settings(theta=0.5, draws=100)
quick = settings(max_examples=6, deadline=None)


def papers(counts: list[float], **more: Any) -> list[dict[str, Any]]:
    return [
        {"paper_id": f"p{n}", "title": "t", "abstract": "a", "citations": c}
        | {"published": "2024-01-10"}
        | more
        for n, c in enumerate(counts)
    ]


def candidates(idea: str, *similarity: float) -> list[dict[str, Any]]:
    """p0, p1, … at these similarities, falling."""
    return [
        {"idea_id": idea, "paper_id": f"p{n}", "similarity": s, "rank": n + 1}
        for n, s in enumerate(similarity)
    ]


def ideas(*systems: str, topic: str = "t") -> list[dict[str, Any]]:
    return [
        {"idea_id": f"i{n}", "system": s, "topic": topic, "problem": "p"}
        for n, s in enumerate(systems)
    ]


def marks(*overall: float, judge: str = "j", **more: Any) -> list[dict[str, Any]]:
    return [
        {"idea_id": f"i{n}", "judge": judge, "overall": mark, "novelty": mark} | more
        for n, mark in enumerate(overall)
    ]


def codes(found: Score) -> set[str]:
    return {caution.code for caution in found.cautions}


@pytest.mark.parametrize(
    ("aggregate", "score", "best"),
    [("max", 0.6, "p2"), ("mean", 0.25, "p2"), ("sum", 0.75, "p2"), ("top1", 0.15, "p0")],
)
def test_aggregates_by_hand(aggregate: str, score: float, best: str) -> None:
    # c = 1, 0, 4, 4: h = 0.6·c/4 = 0.15, 0, 0.6 among the three matches; p3 lies below θ.
    made = study(
        ideas=ideas("a"),
        papers=papers([1, 0, 4, 4]),
        candidates=candidates("i0", 0.9, 0.8, 0.5, 0.49),
    )
    row = made.score(NOW.model_copy(update={"aggregate": aggregate})).ideas.iloc[0]
    assert row["score"] == pytest.approx(score)
    assert row["best_paper_id"] == best
    assert row["n_matches"] == 3
    assert row["citation_term"] == pytest.approx(score)
    assert row["venue_term"] == 0


def test_equal_impacts_go_to_the_more_similar_then_to_the_first_name() -> None:
    rows = candidates("i0", 0.9, 0.8, 0.8)
    for row, name in zip(rows, ("p2", "p1", "p0"), strict=True):
        row["paper_id"] = name
    made = study(ideas=ideas("a"), papers=papers([4, 4, 0, 0]), candidates=rows)
    found = made.score(NOW)
    assert found.ideas.iloc[0]["best_paper_id"] == "p0"
    assert found.matches["paper_id"].tolist() == ["p2", "p0", "p1"]


def test_a_candidate_that_is_not_admitted_makes_room_for_the_next() -> None:
    made = study(
        ideas=ideas("a"),
        papers=[*papers([0, 4, 8]), {"paper_id": "q", "title": "t", "published": "2024-02-02"}],
        candidates=[
            {"idea_id": "i0", "paper_id": "q", "similarity": 0.95, "rank": 1},
            *candidates("i0", 0.9, 0.8, 0.7),
        ],
    )
    two = NOW.model_copy(update={"k": 2})
    assert made.score(two).matches["paper_id"].tolist() == ["p0", "p1"]
    zero = two.model_copy(update={"unknown_citations": "zero"})
    assert made.score(zero).matches["paper_id"].tolist() == ["q", "p0"]


@pytest.mark.parametrize(
    ("rule", "hindsight_cut", "judge_cut", "on_cut", "inclusive", "high"),
    [
        # Scores 0, 0, 0.3, 0.6 with marks 2, 4, 6, 8.
        ("pooled_median", 0.15, 5, (0, 0), False, 2),
        ("nonzero_median", 0.45, 5, (0, 0), False, 1),
        # 2/3 of the way along 3 gaps is place 2: the third value, on the cut.
        ("tertile", 0.3, 6, (1, 1), False, 1),
        ("tertile", 0.3, 6, (1, 1), True, 2),
        ("fixed", 0.0, 8, (2, 1), False, 0),
    ],
)
def test_cuts_by_hand(
    rule: str,
    hindsight_cut: float,
    judge_cut: float,
    on_cut: tuple[int, int],
    inclusive: bool,
    high: int,
) -> None:
    rows = [
        {"idea_id": f"i{n}", "paper_id": f"p{n}", "similarity": 0.9, "rank": 1} for n in range(4)
    ]
    made = study(
        ideas=ideas("a", "a", "b", "b"),
        papers=papers([0, 0, 2, 4]),
        candidates=rows,
        scores=marks(2, 4, 6, 8),
    )
    now = Settings(
        theta=0.5,
        draws=100,
        quadrant_rule=rule,  # type: ignore[arg-type]
        hindsight_cut=0.0,
        judge_cut=8.0,
        inclusive=inclusive,
    )
    found = made.score(now).quadrants
    assert found.hindsight_cut == pytest.approx(hindsight_cut)
    assert found.judge_cut == pytest.approx(judge_cut)
    assert (found.on_cut["hindsight"], found.on_cut["judge"]) == on_cut
    assert found.comparison == (">=" if inclusive else ">")
    assert sum(count.true_positive for count in found.counts) == high


def test_the_cut_within_systems_is_one_for_each() -> None:
    made = study(
        ideas=ideas("a", "a", "b"),
        papers=papers([0, 2, 4]),
        candidates=[
            {"idea_id": f"i{n}", "paper_id": f"p{n}", "similarity": 0.9, "rank": 1}
            for n in range(3)
        ],
        scores=marks(2, 4, 6),
    )
    found = made.score(NOW.model_copy(update={"quadrant_rule": "system_median"})).quadrants
    assert found.hindsight_cut == {"a": pytest.approx(0.15), "b": pytest.approx(0.6)}
    assert found.judge_cut == {"a": 3, "b": 6}
    assert found.on_cut == {"hindsight": 1, "judge": 1}


def test_a_judges_repeats_are_averaged_before_judges_and_failures_never_count() -> None:
    rows = [
        *marks(2, judge="x", repeat=1),
        *marks(4, judge="x", repeat=2),
        *marks(9, judge="y", repeat=1),
        *marks(1, judge="y", repeat=2, state="refused"),
    ]
    made = study(ideas=ideas("a"), papers=papers([1]), candidates=[], scores=rows)
    assert made.score(NOW).ideas.iloc[0]["judge_overall"] == (3 + 9) / 2
    only = made.score(NOW.model_copy(update={"judge": "x"}))
    assert only.ideas.iloc[0]["judge_overall"] == 3
    assert {row.judge for row in only.correlations} == {"x"}
    assert {row.judge for row in made.score(NOW).correlations} == {"all", "x", "y"}
    with pytest.raises(UsageError, match="No judge 'z'"):
        made.score(NOW.model_copy(update={"judge": "z"}))


def test_leaked_matches_are_marked_and_can_be_left_out() -> None:
    rows = papers([8, 4, 0])
    rows[0]["published"] = "2023-12"
    made = study(
        config_values={"knowledge_cutoff": {"a": date(2023, 12, 1), "ghost": date(2024, 1, 1)}},
        ideas=ideas("a"),
        papers=rows,
        candidates=candidates("i0", 0.9, 0.8, 0.7),
    )
    found = made.score(NOW)
    row = found.leakage[0]
    # The first has h = 0.6 and, with its month counted as its first day, leaked; next is 0.3.
    assert (row.n_matches, row.n_leaked) == (3, 1)
    assert (row.mean, row.mean_without) == pytest.approx((0.6, 0.3))
    assert found.matches["leaked"].tolist() == [True, False, False]
    assert {"leakage", "knowledge_cutoff"} <= codes(found)
    without = made.score(NOW.model_copy(update={"leakage": "exclude"}))
    assert without.systems[0].mean == pytest.approx(0.3)
    assert without.leakage == found.leakage


@quick
@given(st.integers(0, 9999), st.sampled_from([1, 5, 20]))
def test_the_greatest_impact_never_rises_with_the_threshold(seed: int, k: int) -> None:
    made = random_study(seed)
    last = np.full(14, np.inf)
    for theta in (0.2, 0.4, 0.6, 0.8, 1.0):
        now = made.score(NOW.model_copy(update={"theta": theta, "k": k}))
        scores = now.ideas["score"].to_numpy(dtype=float)
        assert (scores <= last).all()
        assert (scores >= 0).all()
        assert (scores <= 1 + 1e-12).all()
        last = scores


@quick
@given(st.integers(0, 9999), st.integers(0, 29))
def test_a_paper_that_gains_a_top_venue_lowers_no_score(seed: int, place: int) -> None:
    rows = tables(seed)
    before = study(**rows).score(NOW).ideas
    rows["papers"][place]["venue"] = "ICLR"
    after = study(**rows).score(NOW).ideas
    assert (after["score"] >= before["score"]).all()


@quick
@given(st.integers(0, 9999), st.randoms(use_true_random=False))
def test_the_order_of_rows_plays_no_part(seed: int, random: Any) -> None:
    rows = tables(seed)
    one = study(**rows).score(NOW)
    for name in rows:
        random.shuffle(rows[name])
    other = study(**rows).score(NOW)
    pd.testing.assert_frame_equal(one.ideas, other.ideas)
    assert one.systems == other.systems
    assert one.comparisons == other.comparisons
    assert one.correlations == other.correlations
    assert one.quadrants == other.quadrants


@quick
@given(st.integers(0, 9999))
def test_a_paper_outside_the_window_changes_nothing_but_the_counts(seed: int) -> None:
    rows = tables(seed)
    before = study(**rows).score(NOW)
    rows["papers"].append(
        {"paper_id": "new", "title": "t", "citations": 10_000, "published": "2020-01-01"}
    )
    rows["candidates"].append({"idea_id": "i0", "paper_id": "new", "similarity": 1.0, "rank": 21})
    after = study(**rows).score(NOW)
    pd.testing.assert_frame_equal(before.ideas, after.ideas)
    assert before.comparisons == after.comparisons
    assert replace(before.pool, papers=31) == after.pool


@quick
@given(st.integers(0, 9999))
def test_other_names_of_systems_turn_the_comparison_round(seed: int) -> None:
    rows = tables(seed)
    one = study(**rows).score(NOW).comparisons[0]
    for idea in rows["ideas"]:
        idea["system"] = {"BL": "Z", "RA": "A"}[idea["system"]]
    other = study(**rows).score(NOW).comparisons[0]
    assert (one.a, other.a) == ("BL", "A")
    assert one.difference == pytest.approx(-(other.difference or 0))
    assert one.p == pytest.approx(other.p)
    assert one.rank_biserial == pytest.approx(-(other.rank_biserial or 0))


@quick
@given(st.integers(0, 9999))
def test_twice_the_ideas_score_the_same(seed: int) -> None:
    rows = tables(seed)
    one = study(**rows).score(NOW)
    for name in ("ideas", "candidates", "scores"):
        rows[name] += [row | {"idea_id": row["idea_id"] + "x"} for row in rows[name]]
    other = study(**rows).score(NOW)
    for before, after in zip(one.systems, other.systems, strict=True):
        assert after.n == 2 * before.n
        assert after.mean == pytest.approx(before.mean)
        assert after.median == pytest.approx(before.median)


def test_one_system_has_nothing_to_be_compared_with() -> None:
    found = random_study(1, systems=1).score(NOW)
    assert found.comparisons == ()
    assert "one_system" in codes(found)
    assert found.systems[0].mean is not None


def test_one_idea_is_scored_and_nothing_more() -> None:
    made = study(
        ideas=ideas("a"),
        papers=papers([1, 3]),
        candidates=candidates("i0", 0.9, 0.8),
        scores=marks(7),
    )
    found = made.score(NOW)
    assert found.systems[0].mean == pytest.approx(0.6)
    assert found.systems[0].mean_low == pytest.approx(0.6)
    assert all(
        row.rho is None and "n = 1" in (row.undefined or "") for row in found.correlations[:1]
    )
    assert found.resampled == "ideas"
    assert "one_topic" in codes(found)
    assert found.quadrants.counts[0].true_negative == 1


def test_equal_scores_are_no_evidence_and_no_correlation() -> None:
    found = random_study(3).score(NOW.model_copy(update={"theta": 0.95}))
    row = found.comparisons[0]
    assert (row.difference, row.p, row.rank_biserial) == (0, 1, 0)
    assert row.ratio is None
    assert row.undefined == "ratio: the mean of RA is 0"
    assert all((c.undefined or "").startswith("constant: HindSight") for c in found.correlations)
    assert "no_match" in codes(found)
    assert found.ideas["score"].eq(0).all()
    assert found.ideas["best_paper_id"].isna().all()


def test_a_judge_who_never_varies_correlates_with_nothing() -> None:
    rows = tables(4)
    for row in rows["scores"]:
        row |= {"novelty": 5.0, "state": "ok"}
    found = study(**rows).score(NOW)
    novelty = [row for row in found.correlations if row.dimension == "novelty"]
    assert all(row.rho is None and row.p_adjusted is None for row in novelty)
    assert all("constant: novelty" in (row.undefined or "") for row in novelty)
    same = next(row for row in found.comparisons if row.metric == "novelty")
    assert (same.ratio, same.p) == (1, 1)


def test_an_idea_whose_pool_is_empty_scores_0_and_is_told() -> None:
    made = study(
        ideas=[*ideas("a"), {"idea_id": "i1", "system": "b", "topic": "u", "problem": "p"}],
        papers=papers([1, 3], topics=["t"]),
        candidates=[*candidates("i0", 0.9, 0.8), *candidates("i1", 0.9)],
    )
    found = made.score(NOW.model_copy(update={"pool": "topic"}))
    assert found.ideas["score"].tolist() == pytest.approx([0.6, 0])
    assert "empty_pool" in codes(found)


@pytest.mark.parametrize("rule", QUADRANT_RULES)
def test_without_marks_ideas_are_scored_and_unscored_by_judges(rule: str) -> None:
    rows = tables(6)
    del rows["scores"]
    now = Settings(theta=0.5, draws=100, quadrant_rule=rule, hindsight_cut=0, judge_cut=5)  # type: ignore[arg-type]
    found = study(**rows).score(now)
    assert found.comparisons[0].p is not None
    assert all(row.undefined for row in found.comparisons[1:])
    assert all(row.n == 0 for row in found.correlations)
    assert found.quadrants.undefined
    assert sum(count.unscored for count in found.quadrants.counts) == 14


def test_without_candidates_nothing_is_scored_and_nothing_is_0() -> None:
    rows = tables(6)
    del rows["candidates"]
    made = study(**rows)
    found = made.score(NOW)
    assert found.systems[0].mean is None
    assert found.ideas["score"].isna().all()
    assert found.comparisons[0].undefined
    assert "no_candidates" in codes(found)
    with pytest.raises(DataError, match="foreseen match"):
        made.sweep(NOW)


def test_an_empty_study_is_answered_plainly() -> None:
    found = study(candidates=[]).score(NOW)
    assert found.systems == ()
    assert found.ideas.empty
    assert found.quadrants.undefined


def test_no_papers_at_all() -> None:
    found = study(ideas=ideas("a", "b"), candidates=[]).score(NOW)
    assert found.ideas["score"].tolist() == [0, 0]
    assert found.pool.in_window == 0


def test_cautions_on_what_the_pool_lacks() -> None:
    made = study(
        config_values={"simulated": True},
        ideas=ideas("a", "b"),
        papers=[
            *papers([1, 3]),
            {"paper_id": "u", "title": "t", "published": "2024-01-01"},
            {"paper_id": "n", "title": "t"},
            {"paper_id": "y", "title": "t", "published": "2023"},
        ],
        candidates=[*candidates("i0", 0.9), {**candidates("i1", 0.9)[0], "paper_id": "gone"}],
    )
    found = made.score(Settings(draws=100))
    expected = {"simulated", "paper_theta_other_encoder", "unknown_citations", "undated"}
    expected |= {"ambiguous_dates", "short_of_k", "stray_candidates", "no_match", "one_topic"}
    assert expected <= codes(found)


def test_intervals_need_draws_in_which_they_are_defined() -> None:
    rows = [
        {"idea_id": f"i{n}", "system": "b" if n < 9 else "a", "topic": f"t{n}", "problem": "p"}
        for n in range(10)
    ]
    made = study(ideas=rows, papers=papers([1, 3]), candidates=candidates("i0", 0.9, 0.8))
    row = made.score(NOW).comparisons[0]
    assert row.ratio == 0
    assert row.ratio_low is None
    assert row.draws_left_out > 0.05
    assert "of draws have no ratio" in (row.undefined or "")
