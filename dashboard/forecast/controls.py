"""The judge, the metric, the gate, R and the slots of the page on forecasting, as widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.config import Settings
from dashboard import picking, state
from dashboard.charts.forecast import METRICS
from dashboard.state import View

JUDGE = "verdict_judge"
METRIC = "forecast_metric"
BASELINE = "baseline"
_TOLD = "_gate_moved"
_SHOWN_AS_BUTTONS = 4


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What the page shows: the view with the gate in it, one judge, one metric, a baseline."""

    view: View
    judge: str
    metric: str
    baseline: str | None


def draw(view: View, judges: Sequence[str], systems: Sequence[str]) -> Choices:
    """Draw the controls; the choices that they make come back."""
    picking.unknown_in_link(JUDGE, judges)
    picking.unknown_in_link(BASELINE, systems)
    picking.unknown_in_link(METRIC, list(METRICS.values()))
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            judge = _judge(judges)
            metric = st.segmented_control(
                "Measured by",
                list(METRICS),
                format_func=lambda name: METRICS[name],
                default="hit",
                required=True,
                key=METRIC,
                **state.BOUND,
            )
            baseline = _baseline(systems)
        sliders = _sliders(view)
        moved = {
            name: column.slider(
                label,
                low,
                high,
                value=getattr(view.base, name),
                key=name,
                help=help_,
                **state.BOUND,
            )
            for column, (name, label, low, high, help_) in zip(
                st.columns(len(sliders), gap="medium"), sliders, strict=True
            )
        }
    settings = Settings.of(moved, base=view.settings)
    return Choices(
        view=replace(view, settings=settings), judge=judge, metric=metric, baseline=baseline
    )


def keep_sidebar_true(before: View, after: View) -> None:
    """Run the whole app where the sidebar's reset must come alive or go to rest.

    The gate runs the page alone, so the sidebar would not know that something has moved.
    """
    own = state.base_settings(before.study, before.study.config.preset)
    known, now = (bool(view.settings.changed(own)) for view in (before, after))
    if now != known and st.session_state.get(_TOLD) != now:
        st.session_state[_TOLD] = now
        st.rerun()
    st.session_state[_TOLD] = now


def _baseline(systems: Sequence[str]) -> str | None:
    """The system that the others are held against, None where there is one only."""
    if len(systems) < 2:
        return None
    chosen: str = st.selectbox("Baseline", list(systems), key=BASELINE, width=160, **state.BOUND)
    return chosen


def _judge(judges: Sequence[str]) -> str:
    """One judge at a time: their grades are never averaged."""
    chosen: str
    if len(judges) <= _SHOWN_AS_BUTTONS:
        chosen = st.segmented_control(
            "Judge of verdicts",
            list(judges),
            default=judges[0],
            required=True,
            key=JUDGE,
            **state.BOUND,
        )
    else:
        chosen = st.selectbox("Judge of verdicts", list(judges), key=JUDGE, **state.BOUND)
    return chosen


def _sliders(view: View) -> list[tuple[str, str, int, int, str]]:
    """Name, label, ends and help of each slider."""
    info: Any = view.study.candidates_info
    depth = info.depth if info else view.base.r
    ranks = view.study.ideas["rank"].dropna()
    most = int(ranks.max()) if len(ranks) else view.base.slots
    return [
        ("gate_pm", "Gate: P + M at least", 0, 6, "Problem and method grades, 0 to 3 each"),
        ("gate_s", "Gate: S at least", 0, 3, "Specificity, 0 to 3; 3 is the strict gate"),
        ("r", "Candidates R", 1, max(depth, view.base.r), "Candidates of a forecast that count"),
        ("slots", "Slots K", 1, max(most, view.base.slots, 5), "Forecasts asked for an episode"),
    ]
