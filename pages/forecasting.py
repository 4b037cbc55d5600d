"""Forecasting: who foresaw what the next months brought, and how far does that hold?"""

from __future__ import annotations

import streamlit as st

from core.errors import ForeseenError
from dashboard import components, state
from dashboard.charts.forecast import cutoffs_chart, differences_chart, systems_chart
from dashboard.charts.theme import system_styles
from dashboard.forecast import controls, inspector, parts, start, views
from dashboard.forecast import hidden as forecast_hidden
from dashboard.forecast.findings import forecasting
from dashboard.prose import plain


def draw(view: state.View) -> None:
    """The whole page under the view."""
    head = st.container()
    forecasts = view.study.ideas[view.study.ideas["rank"].notna()]
    choices = controls.draw(
        view, sorted(set(view.study.verdicts["judge"])), sorted(set(forecasts["system"]))
    )
    controls.keep_sidebar_true(view, choices.view)
    view, judge, metric = choices.view, choices.judge, choices.metric
    score = views.score(view)
    finding = forecasting(score, judge, metric)
    with head:
        components.page(finding.title, finding.sentence)
        for caution in score.cautions:
            st.warning(plain(caution), icon=":material/warning:")

    styles, theme = system_styles(view.systems), components.theme()
    baseline = choices.baseline
    left, right = st.columns(2, gap="medium") if baseline else (st.container(), None)
    with left:
        components.chart(
            systems_chart(score, judge, metric, styles, theme),
            key="systems_chart",
            title="How each system did",
        )
    if baseline and right is not None:
        with right:
            components.chart(
                differences_chart(score, judge, metric, baseline, styles, theme),
                key="differences_chart",
                title=f"Against {plain(baseline)}",
            )
    parts.systems_table(view, score, judge)

    names = views.names(view, score)
    cutoffs, topics, failures, judges, hidden = st.tabs(
        ["Cutoffs", "Topics", "Failures", "Judges", "Behind the rate"],
        key="forecast_part",
        on_change="rerun",
        bind=state.BIND,
    )
    if cutoffs.open:
        with cutoffs:
            components.chart(
                cutoffs_chart(score, judge, metric, styles, theme), key="cutoffs_chart"
            )
    if topics.open:
        with topics:
            parts.by_topic(score, choices, names)
    if failures.open:
        with failures:
            parts.failures(score, choices)
    if judges.open:
        with judges:
            parts.judges(view)
    if hidden.open:
        with hidden:
            forecast_hidden.draw(score, choices)

    st.subheader("Read an episode", anchor=False)
    inspector.draw(view, names, judge, inspector.telling(score, judge, names))


@st.fragment
def page(view: state.View) -> None:
    """All that the gate moves: a change of it runs this alone, not the sidebar and the menu."""
    try:
        draw(view)
    except ForeseenError as error:
        components.failed(error)


page(start.forecasts_or_stop(state.current()))
