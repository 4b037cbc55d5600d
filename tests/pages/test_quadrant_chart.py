"""The scatter of judges and the future: points, cuts, jitter, words."""

from __future__ import annotations

import json

import pytest
from builders import case_study, case_tables, study

from core.config import Settings
from core.hindsight.cases import case
from core.hindsight.descriptives import papers_per_month
from core.hindsight.results import Score
from dashboard.charts.idea import candidate_chart
from dashboard.charts.pool import papers_chart
from dashboard.charts.quadrants import (
    counts_table,
    counts_text,
    cuts_sentence,
    quadrant_chart,
    quadrant_data,
    quadrants_sentence,
    quadrants_title,
)
from dashboard.charts.theme import DARK, LIGHT, system_styles


@pytest.fixture(scope="module")
def score() -> Score:
    return case_study().score()


def test_the_title_is_the_finding(score: Score) -> None:
    assert quadrants_title(score) == (
        "2 hidden gems, 2 overhyped: where judges and the future disagree"
    )
    # i2 and the true negatives i4, i6 agree: 3 of 7.
    assert "**43 %** of 7 ideas" in quadrants_sentence(score)
    assert "1 idea without a judge's mark" in quadrants_sentence(score)


def test_the_cuts_say_rule_and_ties(score: Score) -> None:
    assert cuts_sentence(score.quadrants) == (
        "Cuts (pooled medians): judges > 7.000 (1 idea exactly on it);"
        " HindSight > 0 (4 ideas exactly on it)."
    )


def test_every_placed_idea_is_a_point_with_its_id(score: Score) -> None:
    figure = quadrant_chart(score, LIGHT).figure
    ids = [point[0] for trace in figure.data for point in trace.customdata]
    assert sorted(ids) == [f"i{n}" for n in range(1, 8)]
    assert len({trace.marker.symbol for trace in figure.data}) == 2
    assert figure.layout.xaxis.title.text == "Judges' overall mark (1 to 10)"


@pytest.mark.parametrize("inclusive", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_jitter_never_moves_a_point_across_a_cut(inclusive: bool, seed: int) -> None:
    score = case_study().score(Settings(theta=0.5, inclusive=inclusive, seed=seed, draws=100))
    figure = quadrant_chart(score, LIGHT).figure
    where = dict(zip(score.ideas["idea_id"], score.ideas["quadrant"], strict=True))
    judge, hindsight = score.quadrants.judge_cut, score.quadrants.hindsight_cut
    assert isinstance(judge, float)
    assert isinstance(hindsight, float)
    for trace in figure.data:
        for x, y, point in zip(trace.x, trace.y, trace.customdata, strict=True):
            liked = x >= judge if inclusive else x > judge
            met = y >= hindsight if inclusive else y > hindsight
            assert (
                where[point[0]]
                == {
                    (True, True): "true_positive",
                    (False, True): "hidden_gem",
                    (True, False): "overhyped",
                    (False, False): "true_negative",
                }[bool(liked), bool(met)]
            )


def test_points_on_a_cut_are_spread_too(score: Score) -> None:
    figure = quadrant_chart(score, LIGHT).figure
    exact = score.ideas.set_index("idea_id")["score"]
    for trace in figure.data:
        for y, point in zip(trace.y, trace.customdata, strict=True):
            assert y != exact[point[0]]
            assert abs(y - exact[point[0]]) <= 0.008 * 0.6 * 2


def test_one_seed_draws_one_figure(score: Score) -> None:
    assert quadrant_chart(score, LIGHT).figure == quadrant_chart(score, LIGHT).figure
    assert quadrant_chart(score, DARK).figure != quadrant_chart(score, LIGHT).figure


def test_cuts_of_each_system_are_drawn_apart() -> None:
    score = case_study().score(Settings(theta=0.5, quadrant_rule="system_median"))
    chart = quadrant_chart(score, LIGHT)
    assert len(chart.figure.layout.shapes) == 4
    # alpha: scores 0, 0, 0.46, 0.6 → 0.23; marks 4, 5, 8, 9 → 6.5. beta without i8: 0; 7.
    cuts = quadrant_data(score).drop_duplicates("system").set_index("system")
    assert cuts.loc["alpha", "hindsight_cut"] == pytest.approx(0.23)
    assert cuts.loc["alpha", "judge_cut"] == 6.5
    assert cuts.loc["beta", "judge_cut"] == 7
    assert "alpha > 6.500, beta > 7.000" in cuts_sentence(score.quadrants)


def test_counts_are_table_three(score: Score) -> None:
    counts = counts_table(score).set_index("system")
    alpha = counts.loc["alpha", ["true_positive", "hidden_gem", "overhyped", "true_negative"]]
    assert alpha.tolist() == [1, 1, 1, 1]
    assert counts.loc["beta", "n"] == 3
    assert counts.loc["beta", "hidden_gem_share"] == pytest.approx(1 / 3)
    shown = counts_text(counts.reset_index())
    assert shown.columns.tolist() == ["quadrant", "alpha (n = 4)", "beta (n = 3)"]
    assert shown["beta (n = 3)"].tolist() == ["0 (0 %)", "1 (33 %)", "1 (33 %)", "1 (33 %)", "1"]


def test_without_marks_the_title_asks_and_nothing_is_drawn() -> None:
    tables = case_tables() | {"scores": []}
    score = study(config_values={"settings": {"theta": 0.5}}, **tables).score()
    assert quadrants_title(score) == "Where do judges and the future disagree?"
    assert quadrants_sentence(score) == ""
    assert quadrant_data(score).empty


def test_foreign_names_are_text_in_the_figure() -> None:
    tables = case_tables()
    for idea in tables["ideas"]:
        idea |= {"system": "<b>x</b>", "title": "<img src=x>"}
    made = study(config_values={"settings": {"theta": 0.5}}, **tables)
    titles = dict(zip(made.ideas["idea_id"], made.ideas["title"], strict=True))
    drawn = json.loads(quadrant_chart(made.score(), LIGHT, titles).figure.to_json())
    assert "<img" not in json.dumps(drawn["data"])
    assert "<b>x</b>" not in json.dumps(drawn["data"])


def test_candidates_are_filled_or_open_by_theta() -> None:
    made = case_study()
    found = case(made, made.score(), "i2")
    chart = candidate_chart(found, LIGHT, system_styles(["alpha", "beta"])["alpha"])
    match, below = chart.figure.data
    assert (list(match.x), list(below.x)) == ([0.8, 0.7], [0.2])
    assert below.marker.symbol.endswith("-open")
    assert not match.marker.symbol.endswith("-open")
    assert [point[0] for point in match.customdata] == ["p2", "p5"]
    assert chart.figure.layout.shapes[0].x0 == 0.5
    assert chart.figure.layout.yaxis.autorange == "reversed"
    assert "2 reach the threshold" in chart.alt


def test_months_are_drawn_by_window() -> None:
    months = papers_per_month(
        study(
            papers=[
                {"paper_id": "a", "title": "t", "published": "2023-06-30"},
                {"paper_id": "b", "title": "t", "published": "2023-07-01"},
                {"paper_id": "c", "title": "t", "published": "2023"},
            ]
        )
    )
    chart = papers_chart(months, LIGHT)
    assert chart.data["in_window"].tolist() == [False, True]
    inside, outside = chart.figure.data
    assert (list(inside.y), list(outside.y)) == ([1], [1])
    assert "1 paper known by year alone" in chart.caption
