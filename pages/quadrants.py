"""Quadrants: where do judges and the future disagree, and on which ideas?"""

from __future__ import annotations

import streamlit as st

from core.config import QUADRANT_RULES
from core.hindsight.cases import case, cases, quadrant_ids
from dashboard import cards, components, picking, state
from dashboard.case_export import cards_csv, cards_html
from dashboard.charts.quadrants import (
    MEANINGS,
    NAMES,
    PLURALS,
    counts_table,
    counts_text,
    placed,
    quadrant_chart,
    quadrants_sentence,
    quadrants_title,
    settings_line,
)
from dashboard.prose import count, plain

RULE_MEANINGS = {
    "pooled_median": "Cuts at the median of all ideas with both values, as the paper words it.",
    "system_median": "Each system is cut at its own medians.",
    "nonzero_median": "HindSight is cut at the median of the scores above 0; judges at theirs.",
    "tertile": "Cuts at the upper third (the 2/3 quantile) of all ideas with both values.",
    "fixed": "Cuts at two numbers of your own.",
}

view = state.current()
score = components.score_or_stop(view)
components.page(quadrants_title(score), quadrants_sentence(score))
components.notices(view, score)


def start_fixed(hindsight: float | None, judge: float | None) -> None:
    """Fixed cuts begin where the cuts were."""
    if st.session_state["quadrant_rule"] != "fixed":
        return
    for name, cut in (("hindsight_cut", hindsight), ("judge_cut", judge)):
        if st.session_state.get(name) is None and getattr(view.settings, name) is None:
            state.assign({name: 0.0 if cut is None else round(cut, 3)})


def middle(cut: float | dict[str, float] | None) -> float | None:
    """One number where each system has its own."""
    return sum(cut.values()) / len(cut) if isinstance(cut, dict) and cut else cut  # type: ignore[return-value]


with st.container(horizontal=True, vertical_alignment="bottom"):
    rule = st.segmented_control(
        "Where the quadrants are cut",
        QUADRANT_RULES,
        default=view.base.quadrant_rule,
        required=True,
        wrap=True,
        key="quadrant_rule",
        on_change=start_fixed,
        args=(middle(score.quadrants.hindsight_cut), middle(score.quadrants.judge_cut)),
        **state.BOUND,
    )
    st.toggle(
        "On the cut counts as high",
        value=view.base.inclusive,
        key="inclusive",
        help="High means ≥ the cut; otherwise >",
        **state.BOUND,
    )
if rule == "fixed":
    with st.container(horizontal=True):
        for name, label, top in (
            ("judge_cut", "Judges' cut (1 to 10)", 10.0),
            ("hindsight_cut", "HindSight's cut (0 to 1)", None),
        ):
            st.number_input(
                label,
                0.0,
                top,
                value=getattr(view.base, name),
                step=0.01,
                format="%.3f",
                key=name,
                width=200,
                **state.BOUND,
            )
    if view.settings.quadrant_rule != "fixed":
        components.nothing("Fixed cuts need both numbers; until then the study's own rule holds.")
st.caption(RULE_MEANINGS[rule or view.settings.quadrant_rule])

titles = dict(zip(view.study.ideas["idea_id"], view.study.ideas["title"].fillna(""), strict=True))
if score.quadrants.undefined:
    components.nothing(f"Not every idea has a quadrant: {plain(score.quadrants.undefined)}.")
if not placed(score):
    components.link("ideas", "Read the ideas without quadrants", icon=":material/lightbulb:")
    st.stop()

left, right = st.columns([3, 2], gap="medium")
with left:
    event = components.chart(
        quadrant_chart(score, components.theme(), titles), key="quadrant_chart", on_select="rerun"
    )
    picked = picking.point(event, "quadrant_chart")
    st.subheader("How many fall where", anchor=False)
    counts = counts_table(score)
    components.table(
        counts_text(counts),
        key="quadrant_counts",
        alt="Ideas of each system in each quadrant",
        csv=False,
    )
    components.csv_button(counts, name="quadrant_counts", key="quadrant_counts_csv")

browse, controls = st.container(), st.container()
with browse:
    st.subheader("Read them", anchor=False)
    quadrant = st.segmented_control(
        "Quadrant",
        list(PLURALS),
        format_func=lambda name: PLURALS[name],
        default="hidden_gem",
        required=True,
        key="table",
        label_visibility="collapsed",
        **state.BOUND,
    )
    ids = quadrant_ids(score, [quadrant])
    st.caption(f"{PLURALS[quadrant]}: {MEANINGS[quadrant]}. n = {len(ids):,}. Pick a row.")
if ids:
    rows = score.ideas.set_index("idea_id").loc[ids].reset_index()
    rows = rows.assign(title=[titles.get(idea_id, "") for idea_id in ids])
    shown = rows[["idea_id", "title", "system", "topic", "score", "judge_overall", "n_matches"]]
    with browse:
        event = components.table(
            shown,
            key=f"quadrant_ideas_{quadrant}_{score.settings.digest}",
            alt=f"Ideas that are {PLURALS[quadrant].lower()}",
            csv=False,
            on_select="rerun",
            selection_mode="single-row",
        )
    picked = picking.row(event, f"quadrant_ideas_{quadrant}", ids) or picked
    with controls, st.container(horizontal=True):
        name = f"{view.study.config.name}-{quadrant}"
        st.download_button(
            f"{count(len(ids), 'card')} as one HTML file",
            data=lambda: cards_html(
                cases(view.study, score, ids),
                title=f"{PLURALS[quadrant]}: {MEANINGS[quadrant]}",
                settings=settings_line(score),
            ).encode("utf-8"),
            file_name=f"{name}.html",
            mime="text/html",
            key="cards_html",
            icon=":material/download:",
            on_click="ignore",
        )
        st.download_button(
            "The same as CSV",
            data=lambda: cards_csv(cases(view.study, score, ids)),
            file_name=f"{name}.csv",
            mime="text/csv",
            key="cards_csv",
            icon=":material/download:",
            on_click="ignore",
        )
else:
    with browse:
        components.nothing(f"No idea is {NAMES[quadrant].lower()} under these cuts.")

if picked:
    picking.choose(picked)
with right:
    chosen = picking.chosen_idea(set(score.ideas["idea_id"]))
    if chosen is None and ids:
        st.caption("Select a point or a row to open its case. Shown: the first of the list below.")
    if chosen or ids:
        cards.draw(case(view.study, score, chosen or ids[0]), key="case_card")
