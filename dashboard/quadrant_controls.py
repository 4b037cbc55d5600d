"""Where the quadrants are cut: the controls, drawn on every page whose content depends on them.

The two cuts are always drawn, so that the address takes them up the moment the rule is fixed.
"""

from __future__ import annotations

import streamlit as st

from core.config import QUADRANT_RULES
from core.hindsight.results import Quadrants
from dashboard import components, state
from dashboard.prose import fixed
from dashboard.state import View

RULE_MEANINGS = {
    "pooled_median": "Cuts at the median of all ideas with both values, as the paper words it.",
    "system_median": "Each system is cut at its own medians.",
    "nonzero_median": "HindSight is cut at the median of the scores above 0; judges at theirs.",
    "tertile": "Cuts at the upper third (the 2/3 quantile) of all ideas with both values.",
    "fixed": "Cuts at two numbers of your own.",
}
_CUTS = (("judge_cut", "Judges' cut"), ("hindsight_cut", "HindSight's cut"))


def draw(view: View, quadrants: Quadrants) -> None:
    """The rule, whether the cut itself is high, and the two cuts, open where the rule is fixed."""
    now = {
        "judge_cut": _one(quadrants.judge_cut),
        "hindsight_cut": _one(quadrants.hindsight_cut),
    }
    rule = st.segmented_control(
        "Where the quadrants are cut",
        QUADRANT_RULES,
        default=view.base.quadrant_rule,
        required=True,
        wrap=True,
        key="quadrant_rule",
        on_change=_start_fixed,
        args=(now,),
        **state.BOUND,
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, label in _CUTS:
            cut = now[name]
            st.number_input(
                label,
                value=getattr(view.base, name),
                step=0.01,
                format="%.3f",
                key=name,
                width=160,
                disabled=rule != "fixed",
                placeholder="by system" if cut is None else fixed(cut, 3),
                **state.BOUND,
            )
        st.toggle(
            "On the cut counts as high",
            value=view.base.inclusive,
            key="inclusive",
            help="High means ≥ the cut; otherwise >",
            **state.BOUND,
        )
    if rule == "fixed" and view.settings.quadrant_rule != "fixed":
        components.nothing("Fixed cuts need both numbers; until then the study's own rule holds.")
    st.caption(RULE_MEANINGS[rule or view.settings.quadrant_rule])


def _start_fixed(now: dict[str, float | None]) -> None:
    """Callback of the rule: fixed cuts begin where the cuts were."""
    if st.session_state["quadrant_rule"] != "fixed":
        return
    for name, cut in now.items():
        if st.session_state.get(name) is None:
            state.assign({name: 0.0 if cut is None else cut})


def _one(cut: float | dict[str, float] | None) -> float | None:
    """The cut where it is one number; each system's own have none in common."""
    return None if isinstance(cut, dict) else cut
