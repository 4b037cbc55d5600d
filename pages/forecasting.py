"""Forecasting: who foresaw what the next months brought, and how far does that hold?"""

from __future__ import annotations

import streamlit as st

from core.forecast.episode_view import episode_names
from dashboard import (
    components,
    episode_inspector,
    forecast_controls,
    forecast_hidden,
    forecast_parts,
    forecast_start,
    forecast_views,
    state,
)
from dashboard.charts.forecast import cutoffs_chart, differences_chart, systems_chart
from dashboard.charts.theme import system_styles
from dashboard.findings_forecast import forecasting
from dashboard.prose import plain

view = forecast_start.forecasts_or_stop(state.current())
head = st.container()
forecasts = view.study.ideas[view.study.ideas["rank"].notna()]
choices = forecast_controls.draw(
    view, sorted(set(view.study.verdicts["judge"])), sorted(set(forecasts["system"]))
)
view, judge, metric = choices.view, choices.judge, choices.metric
score = forecast_views.score(view)
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
forecast_parts.systems_table(view, score, judge)

names = episode_names(score.episodes)
cutoffs, topics, failures, judges, hidden = st.tabs(
    ["Cutoffs", "Topics", "Failures", "Judges", "Behind the rate"],
    key="forecast_part",
    on_change="rerun",
    bind=state.BIND,
)
if cutoffs.open:
    with cutoffs:
        components.chart(cutoffs_chart(score, judge, metric, styles, theme), key="cutoffs_chart")
if topics.open:
    with topics:
        forecast_parts.by_topic(score, choices, names)
if failures.open:
    with failures:
        forecast_parts.failures(score, choices)
if judges.open:
    with judges:
        forecast_parts.judges(view)
if hidden.open:
    with hidden:
        forecast_hidden.draw(score, choices)

st.subheader("Read an episode", anchor=False)
episode_inspector.draw(view, names, judge, episode_inspector.telling(score, judge, names))
