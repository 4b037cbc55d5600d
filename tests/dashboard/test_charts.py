"""Charts are functions of results: marks, ids, alt texts and data, in both themes."""

from __future__ import annotations

import json

import made_results as made
import numpy as np
import plotly.graph_objects as go
import pytest

from core.hindsight.calibration import Calibration
from core.hindsight.results import Conclusion
from core.hindsight.variants import Variants
from dashboard.charts import conclusions as strip
from dashboard.charts import specifications as specs
from dashboard.charts import sweep as curves
from dashboard.charts.correlations import correlation_chart
from dashboard.charts.distributions import JUDGE, SCORE, distribution_chart, mean_table
from dashboard.charts.similarities import similarity_chart
from dashboard.charts.theme import (
    DARK,
    LIGHT,
    OPERATING_POINT,
    SYSTEM_COLORS,
    Chart,
    Theme,
    base_layout,
    system_styles,
    tint,
)
from dashboard.charts.variants import ranks_chart, terms_chart

STYLES = system_styles(["beta", "alpha"])


def calibration(suggested: float | None = 0.55) -> Calibration:
    edges = np.linspace(0, 1, 11)
    return Calibration(
        encoder="minilm",
        basis="topics",
        basis_note="",
        topics=2,
        n_ideas=4,
        n_ideas_own=4,
        n_ideas_other=4,
        n_own=40,
        n_other=400,
        unassigned_papers=0,
        edges=edges,
        own_density=np.full(10, 1.0),
        other_density=np.full(10, 1.0),
        idea_ids=("a", "b", "c", "d"),
        best_own=np.array([0.6, 0.7, 0.8, 0.9]),
        best_other=np.array([0.3, 0.4, 0.5, 0.6]),
        false_match_rate=0.05,
        suggested_theta=suggested,
        false_matches=0.0,
        own_matches=1.0,
        other_pair_rate=0.01,
        own_pair_rate=0.2,
        undefined=None if suggested is not None else "no pair",
    )


def variants() -> Variants:
    import pandas as pd

    from core.config import NORMALIZERS

    rows = [
        {
            "normalizer": name,
            "system": system,
            "n": 100,
            "mean": 0.3,
            "citation_term": 0.1,
            "venue_term": 0.2,
        }
        for name in NORMALIZERS
        for system in ("alpha", "beta")
    ]
    size = len(NORMALIZERS)
    ranks = pd.DataFrame(
        np.full((size, size), 0.8) + 0.2 * np.eye(size),
        index=list(NORMALIZERS),
        columns=list(NORMALIZERS),
    )
    empty = pd.DataFrame()
    return Variants(
        study=made.INFO,
        settings=made.SETTINGS,
        n=200,
        systems=pd.DataFrame(rows),
        comparisons=empty,
        ranks=ranks,
        flags=empty,
    )


def every_chart(theme: Theme) -> dict[str, Chart]:
    score, sweep, curve = made.score(), made.sweep(), made.specifications()
    return {
        "scores": distribution_chart(score, SCORE, STYLES, theme),
        "marks": distribution_chart(score, JUDGE, STYLES, theme),
        "correlations": correlation_chart(score, theme),
        "curve": curves.curve_chart(sweep, "Ideas matched", 0.6, STYLES, theme),
        "ratio": curves.ratio_chart(sweep, "alpha", "beta", 0.6, STYLES, theme),
        "strip": strip.strip_chart(sweep, 0.6, theme, STYLES, ("alpha", "beta")),
        "similarities": similarity_chart(calibration(), 0.6, theme),
        "specifications": specs.specification_chart(curve, STYLES, theme),
        "explained": specs.explained_chart(curve, theme),
        "terms": terms_chart(variants(), STYLES, theme),
        "ranks": ranks_chart(variants(), theme),
    }


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_chart_has_an_alt_text_data_and_no_background(theme: Theme) -> None:
    for name, chart in every_chart(theme).items():
        assert chart.alt.endswith("."), name
        assert len(chart.alt) > 20, name
        assert len(chart.data), name
        figure = json.loads(chart.figure.to_json())
        assert figure["layout"]["paper_bgcolor"] == "rgba(0, 0, 0, 0)", name
        assert figure["layout"]["font"]["color"] == theme.ink, name
        assert "nan" not in chart.alt, name


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_plotly_itself_takes_every_figure(theme: Theme) -> None:
    """Some are made without its checks, for speed."""
    for name, chart in every_chart(theme).items():
        checked = go.Figure(json.loads(chart.figure.to_json()))
        assert json.loads(checked.to_json()) == json.loads(chart.figure.to_json()), name


def test_every_chart_names_its_axes_or_its_categories() -> None:
    for name, chart in every_chart(LIGHT).items():
        x = chart.figure.layout.xaxis
        assert x.title.text or name in ("correlations", "ranks"), name


def test_the_operating_point_is_orange_and_moves_alone() -> None:
    sweep = made.sweep()
    here, there = (
        curves.curve_chart(sweep, "Mean score", theta, STYLES, LIGHT).figure
        for theta in (0.6, 0.62)
    )
    line = here.layout.shapes[0]
    assert line.line.color == OPERATING_POINT
    assert (line.x0, there.layout.shapes[0].x0) == (0.6, 0.62)
    assert here.data == there.data
    assert OPERATING_POINT not in SYSTEM_COLORS


def test_a_system_keeps_its_colour_whatever_is_drawn() -> None:
    assert system_styles(["b", "a"]) == system_styles(["a", "b", "b"])
    assert system_styles(["a", "b"])["a"] == system_styles(["a", "b", "c"])["a"]
    many = system_styles([f"s{n:02d}" for n in range(9)])
    assert len({(style.color, style.symbol) for style in many.values()}) == 7


def test_every_idea_is_a_mark_with_its_id() -> None:
    score = made.score(n=7)
    figure = distribution_chart(score, SCORE, STYLES, LIGHT).figure
    ids = [
        point[0]
        for trace in figure.data
        if trace.customdata is not None
        for point in trace.customdata
    ]
    assert sorted(ids) == sorted(score.ideas["idea_id"])
    means = [trace.x[0] for trace in figure.data if trace.error_x.array]
    assert means == [0.122, 0.3]


def test_points_are_the_same_on_every_run() -> None:
    first, second = (distribution_chart(made.score(), JUDGE, STYLES, LIGHT) for _ in range(2))
    assert first.figure.to_json() == second.figure.to_json()


def test_means_of_marks_are_plain_means_with_an_interval_round_them() -> None:
    score = made.score()
    table = mean_table(score, JUDGE).set_index("system")
    for system, own in score.ideas.groupby("system"):
        row = table.loc[system]
        assert row["mean"] == pytest.approx(own["judge_overall"].mean())
        assert row["mean_low"] < row["mean"] < row["mean_high"]
        assert row["n"] == 30


def test_a_system_without_marks_has_a_row_and_no_mean() -> None:
    score = made.score()
    score.ideas.loc[score.ideas["system"] == "beta", "judge_overall"] = np.nan
    table = mean_table(score, JUDGE).set_index("system")
    assert table.loc["beta", "n"] == 0
    assert np.isnan(table.loc["beta", "mean"])
    figure = distribution_chart(score, JUDGE, STYLES, LIGHT).figure
    assert "beta<br>n = 0" in figure.layout.yaxis.ticktext


def test_cells_show_stars_and_a_dash_where_undefined() -> None:
    rows = (
        made.correlation("alpha", "novelty", -0.291, 0.003),
        made.correlation("alpha", "feasibility", None, None),
    )
    chart = correlation_chart(made.score(correlations=rows), LIGHT)
    assert list(chart.figure.data[0].text[0]) == ["−0.29**", "–", "–", "–"]
    assert "not defined: constant marks" in chart.figure.data[0].customdata[0][1]


def test_a_step_curve_reaches_down_to_the_breakpoint_before() -> None:
    x, y = np.array([0.5, 0.6, 0.7]), np.array([3.0, 2.0, 1.0])
    values = [curves.value_at(x, y, theta) for theta in (0.4, 0.5, 0.50001, 0.6, 0.65, 0.9)]
    assert values == [3, 3, 2, 2, 1, 1]


def test_the_strip_covers_just_where_a_conclusion_holds() -> None:
    thetas = np.array([0.4, 0.5, 0.6, 0.7])
    item = Conclusion(name="higher:a:b", statement="", holds=np.array([True, False, True, True]))
    # True at 0.4 holds from −1 on; true at 0.6 and 0.7 holds from just above 0.5.
    assert strip.holding(thetas, item) == [(-1.0, 0.4), (0.5, 0.7)]
    at = [strip.holds_at(thetas, item, theta) for theta in (0.3, 0.4, 0.45, 0.55, 0.7, 0.8)]
    assert at == [True, True, False, True, True, False]
    never = Conclusion(name="never", statement="", holds=np.zeros(4, dtype=bool))
    assert strip.holding(thetas, never) == []
    assert strip.holding(np.array([]), Conclusion(name="", statement="", holds=thetas > 1)) == []


def test_the_ratio_is_drawn_only_where_it_is_defined() -> None:
    chart = curves.ratio_chart(made.sweep(), "alpha", "beta", 0.6, STYLES, LIGHT)
    assert list(chart.figure.data[2].x) == [0.4, 0.5, 0.6, 0.7]
    assert len(chart.data) == 5
    assert "At θ = 0.600: 2.40" in chart.alt


def test_few_points_are_all_drawn_and_many_are_thinned_with_both_ends() -> None:
    assert list(curves.thinned(np.array([0.1, 0.2]))) == [0, 1]
    many = np.sort(np.random.default_rng(0).uniform(0, 1, 9000))
    places = curves.thinned(many)
    assert len(places) <= 502
    assert (places[0], places[-1]) == (0, 8999)
    assert (np.diff(places) > 0).all()


def test_the_suggested_theta_is_marked_where_there_is_one() -> None:
    chart = similarity_chart(calibration(), 0.6, LIGHT)
    assert [shape.x0 for shape in chart.figure.layout.shapes] == [0.6, 0.55]
    assert "The suggested θ is 0.550." in chart.alt
    assert len(similarity_chart(calibration(None), 0.6, LIGHT).figure.layout.shapes) == 1


def test_a_specification_is_coloured_where_significant() -> None:
    curve = made.specifications()
    figure = specs.specification_chart(curve, STYLES, LIGHT).figure
    colors = figure.data[2].marker.color
    expected = [
        STYLES["alpha"].color if p < 0.05 else LIGHT.context for p in curve.rows["p"].tolist()
    ]
    assert list(colors) == expected
    assert figure.layout.shapes[0].x0 == 7
    assert len(figure.layout.yaxis2.ticktext) == 4


def test_thousands_of_specifications_stay_light() -> None:
    chart = specs.specification_chart(made.specifications(6000), STYLES, LIGHT)
    assert len(chart.figure.data[2].x) <= 900
    assert chart.figure.data[3].z.shape[1] <= 180
    assert len(chart.data) == 6000


def test_an_untick_of_the_own_choice_is_said() -> None:
    curve = made.specifications()
    curve.rows["own"] = False
    chart = specs.specification_chart(curve, STYLES, LIGHT)
    assert "not among those ticked" in chart.caption
    assert not chart.figure.layout.shapes


def test_names_of_systems_cannot_write_markup() -> None:
    name = "<b>x</b>"
    score = made.score(
        (made.system(name), made.system("b", 0.1)), (made.comparison(a=name, b="b"),)
    )
    styles = system_styles([name, "b"])
    figure = distribution_chart(score, SCORE, styles, LIGHT).figure
    assert figure.layout.yaxis.ticktext[1].startswith("&lt;b&gt;x&lt;/b&gt;")


def test_a_layout_keeps_what_a_chart_asks_for() -> None:
    layout = base_layout(LIGHT, xaxis={"title": "x"}, yaxis2={"domain": [0, 1]}, margin={"t": 40})
    assert layout["xaxis"]["title"]["text"] == "x"
    assert layout["yaxis2"]["domain"] == [0, 1]
    assert layout["margin"]["t"] == 40
    assert layout["margin"]["r"] == 12
    assert tint("#0072B2", 0.5) == "rgba(0, 114, 178, 0.5)"
