"""The charts on forecasts: what is drawn, told and saved, from hand-worked studies."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from builders import study
from forecast_page_studies import forecast_tables

from core.config import PRESETS, Settings
from core.forecast.diagnosed import Association
from core.forecast.episode_view import outcomes
from core.forecast.inspector import inspect_episode
from core.forecast.score import ForecastScore, score_forecasts
from core.study import Study
from dashboard.charts.forecast import (
    cutoffs_chart,
    differences,
    differences_chart,
    metric_name,
    systems_chart,
)
from dashboard.charts.forecast_hidden import association_sentence, measure_name
from dashboard.charts.forecast_parts import (
    candidates_chart,
    failures_chart,
    topics_chart,
    topics_table,
)
from dashboard.charts.theme import DARK, LIGHT, Chart, system_styles
from dashboard.forecast.findings import forecasting

STYLES = system_styles(["alpha", "beta"])
BASE = Settings.of({"draws": 100}, base=PRESETS["ideaforecastbench"])


def made(**more: object) -> Study:
    return study(config_values={"preset": "ideaforecastbench"}, **(forecast_tables() | more))


def scored(**settings: object) -> ForecastScore:
    return score_forecasts(made(), Settings.of(settings, base=BASE))


def drawn(chart: Chart) -> list[object]:
    """Every x that a marker stands at."""
    return [value for trace in chart.figure.data if trace.mode == "markers" for value in trace.x]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_undefined_systems_keep_their_row_and_have_no_mark(theme: object) -> None:
    chart = systems_chart(scored(), "ann", "hit", STYLES, theme)  # type: ignore[arg-type]
    assert drawn(chart) == [0.5]
    assert list(chart.figure.layout.yaxis.ticktext) == ["beta<br>n = 0", "alpha<br>n = 2"]
    assert "alpha 0.500" in chart.alt
    assert list(chart.data["hit"]) == [0.5, None]


def test_differences_turn_with_the_baseline() -> None:
    # At R = 1 under bob: alpha hits both episodes, beta its one; on agents both are 1. By MRR
    # alpha's agents episode has its first credit at rank 2, so 1/2 against beta's 1.
    score = scored(r=1)
    one = differences(score, "bob", "mrr", "alpha").to_dict("records")
    other = differences(score, "bob", "mrr", "beta").to_dict("records")
    assert [(row["system"], row["difference"], row["episodes"]) for row in one] == [
        ("beta", 0.5, 1)
    ]
    assert [(row["system"], row["difference"]) for row in other] == [("alpha", -0.5)]
    assert (other[0]["low"], other[0]["high"]) == (
        None if one[0]["high"] is None else -one[0]["high"],
        None if one[0]["low"] is None else -one[0]["low"],
    )
    chart = differences_chart(score, "bob", "mrr", "alpha", STYLES, LIGHT)
    assert drawn(chart) == [0.5]
    assert chart.figure.layout.xaxis.zeroline


def test_no_common_episode_is_no_mark() -> None:
    chart = differences_chart(scored(), "ann", "hit", "alpha", STYLES, LIGHT)
    assert drawn(chart) == []
    assert chart.data["difference"].tolist() == [None]
    assert chart.alt.endswith("none.")


def test_cutoffs_have_a_line_a_system_with_gaps() -> None:
    chart = cutoffs_chart(scored(), "ann", "hit", STYLES, LIGHT)
    lines = {trace.name: list(trace.y) for trace in chart.figure.data}
    assert lines == {"alpha": [0.5], "beta": [None]}
    assert [trace.line.dash for trace in chart.figure.data] == ["solid", "dash"]
    assert chart.data[["episodes", "left_out"]].to_numpy().tolist() == [[2, 0], [0, 1]]


def test_topics_are_means_over_their_cutoffs() -> None:
    score = scored()
    rows = topics_table(score, "ann", "precision").set_index(["topic", "system"])
    assert rows.loc[("agents", "alpha"), "mean"] == pytest.approx(1 / 5)
    assert rows.loc[("graphs", "alpha"), "mean"] == 0
    assert math.isnan(rows.loc[("agents", "beta"), "mean"])
    chart = topics_chart(score, "ann", "precision", LIGHT)
    heat = chart.figure.data[0]
    assert [list(row) for row in heat.text] == [["0.20", "–"], ["0.00", "–"]]
    assert heat.customdata[1][1] == "no episode"
    assert "1 left out" in heat.customdata[0][1]


def test_failures_stand_between_their_two_ends() -> None:
    chart = failures_chart(scored(), "ann", "hit", STYLES, LIGHT)
    # beta: its failed verdict as a miss 0, as a match 1; nothing left without it.
    assert drawn(chart) == [0.0, 1.0, 0.5, 0.5, 0.5]
    assert chart.data.set_index("system").loc["beta", "hit"] is None


def test_candidates_are_marked_by_what_became_of_them() -> None:
    one = made()
    view = inspect_episode(one, BASE, system="alpha", topic="agents", cutoff=one.config.cutoff)
    found = [row for row in outcomes(view, "ann") if row.rank == 2]
    chart = candidates_chart(view.forecasts[1], found, "ann", STYLES["alpha"], LIGHT)
    assert [trace.name for trace in chart.figure.data] == [
        "passes, credited to another",
        "below the gate",
    ]
    assert list(chart.data["paper_id"]) == ["p1", "p3"]
    assert "1 below the gate" in chart.alt


def test_foreign_names_are_text_in_every_figure() -> None:
    tables = forecast_tables()
    for row in tables["ideas"]:
        row |= {"system": f"{row['system']}<b>", "topic": f"{row['topic']}<img src=x>"}
    for row in tables["papers"]:
        row["title"] = "<script>alert(1)</script>"
    one = made(**tables)
    score = score_forecasts(one, BASE)
    styles = system_styles(sorted(one.ideas["system"].unique()))
    view = inspect_episode(
        one,
        BASE,
        system="alpha<b>",
        topic="agents<img src=x>",
        cutoff=one.config.cutoff,
    )
    first = [row for row in outcomes(view, "ann") if row.rank == 1]
    charts = [
        systems_chart(score, "ann", "hit", styles, LIGHT),
        differences_chart(score, "bob", "hit", "alpha<b>", styles, LIGHT),
        cutoffs_chart(score, "ann", "hit", styles, LIGHT),
        topics_chart(score, "ann", "hit", LIGHT),
        failures_chart(score, "ann", "hit", styles, LIGHT),
        candidates_chart(view.forecasts[0], first, "ann", styles["alpha<b>"], LIGHT),
    ]
    for chart in charts:
        told = chart.figure.to_json().replace("\\u003c", "<").replace("\\u003e", ">")
        for mark in ("alpha<b>", "<img", "<script"):
            assert mark not in told


def test_findings_claim_only_what_the_interval_bears() -> None:
    score = scored()
    clear = score.pairs.assign(difference=0.4, low=0.1, high=0.6)
    both = score.systems.copy()
    both.loc[:, ["hit", "hit_low", "hit_high"]] = [[0.9, 0.8, 1.0], [0.5, 0.4, 0.6]] * 2
    told = _with(score, both, clear)
    assert forecasting(told, "ann", "hit").title == "Alpha foresaw more than beta"
    unclear = _with(score, both, clear.assign(low=-0.1))
    assert forecasting(unclear, "ann", "hit").title == "No forecaster can be told ahead by hit"
    assert forecasting(unclear, "ann", "mrr").title == "No forecaster can be told ahead by MRR"


def test_findings_of_one_system_and_of_none() -> None:
    tables = forecast_tables()
    tables["ideas"] = [row for row in tables["ideas"] if row["system"] == "alpha"]
    alone = score_forecasts(made(**tables), BASE)
    assert "nothing to compare" in forecasting(alone, "ann", "hit").sentence
    for row in tables["verdicts"]:
        row["state"] = "refused"
    none = score_forecasts(made(**tables), BASE)
    assert forecasting(none, "ann", "hit").title == "Under ann no episode can be scored"


def test_names_of_metrics_and_measures() -> None:
    assert [metric_name(name, 3) for name in ("hit", "precision", "mrr", "soft")] == [
        "Hit@3",
        "Precision@3",
        "MRR",
        "Soft score",
    ]
    assert measure_name("generality by ann") == "Generality by ann"


def test_an_undefined_association_gives_its_reason() -> None:
    row = Association(
        **dict.fromkeys(
            (
                "r",
                "low",
                "high",
                "partial",
                "partial_low",
                "partial_high",
                "matched",
                "matched_low",
                "matched_high",
            )
        ),  # type: ignore[arg-type]
        measure="words",
        judge="ann",
        n=2,
        controls=(),
        within="topic",
        strata=0,
        undefined="every forecast has as many",
    )
    assert association_sentence(row) == ("No correlation with credit: every forecast has as many.")
    assert association_sentence(None) == "No correlation with credit: nothing to relate."


def _with(score: ForecastScore, systems: pd.DataFrame, pairs: pd.DataFrame) -> ForecastScore:
    from dataclasses import replace

    return replace(score, systems=systems, pairs=pairs)
