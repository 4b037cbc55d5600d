"""Ideas: every idea, the papers it came close to, and what the judges said of it."""

from __future__ import annotations

import streamlit as st

from core.hindsight.browse import IdeaFilter, find_ideas
from core.hindsight.cases import case
from dashboard import components, inspector, picking, quadrant_controls, state
from dashboard.charts.quadrants import NAMES
from dashboard.prose import count, number, percent

view = state.current()
score = components.score_or_stop(view)
met = int((score.ideas["n_matches"] > 0).sum())
components.page(
    f"{met:,} of {count(len(score.ideas), 'idea')} met a later paper",
    f"At θ = {number(view.settings.theta)} and K = {view.settings.k}, that is"
    f" **{percent(met / len(score.ideas))}**. Filter, pick a row, and read the idea beside what it"
    " met.",
)
components.notices(view, score)

topics = sorted(score.ideas["topic"].dropna().unique())
quadrant_names = list(NAMES.values())
picking.unknown_in_link("system", view.systems)
picking.unknown_in_link("topic", topics)
picking.unknown_in_link("quadrant", quadrant_names)

with st.container(border=True):
    words = st.text_input(
        "Words",
        key="search",
        placeholder="all of these words, in the id or any text",
        icon=":material/search:",
        **state.BOUND,
    )
    with st.grid(3):
        systems = st.multiselect("System", view.systems, key="system", **state.BOUND)
        chosen_topics = st.multiselect(
            "Topic", topics, key="topic", disabled=not topics, **state.BOUND
        )
        quadrants = st.multiselect("Quadrant", quadrant_names, key="quadrant", **state.BOUND)
    with st.container(horizontal=True):
        low = st.number_input(
            "Score from", 0.0, value=None, step=0.05, key="low", width=140, **state.BOUND
        )
        high = st.number_input(
            "to", 0.0, value=None, step=0.05, key="high", width=140, **state.BOUND
        )
    with st.expander("How quadrants are cut"):
        quadrant_controls.draw(view, score.quadrants)

by_name = {name: key for key, name in NAMES.items()}
found = find_ideas(
    view.study,
    score,
    IdeaFilter(
        systems=systems,
        topics=chosen_topics,
        quadrants=[by_name[name] for name in quadrants],
        words=words,
        low=low,
        high=high,
    ),
)
ids = [str(idea_id) for idea_id in found.rows["idea_id"]]
if not ids:
    components.nothing(f"No idea fits: the filter leaves none of {found.total:,}.")
else:
    shown = found.rows[
        [
            "idea_id",
            "title",
            "system",
            "topic",
            "score",
            "quadrant",
            "n_matches",
            "similarity",
            "judge_overall",
        ]
    ]
    st.caption(f"n = {len(ids):,} of {found.total:,} ideas, the highest score first.")
    event = components.table(
        shown.assign(quadrant=shown["quadrant"].map(NAMES)),
        key=f"ideas_{picking.digest(ids)}",
        alt=f"{len(ids)} ideas with their scores and quadrants",
        csv=False,
        on_select="rerun",
        selection_mode="single-row",
        height=320,
    )
    components.csv_button(found.rows, name="ideas", key="ideas_csv")
    picked = picking.row(event, "ideas", ids)
    if picked:
        picking.choose(picked)

chosen = picking.chosen_idea(set(score.ideas["idea_id"]))
if chosen is None:
    if ids:
        st.caption("Pick a row to open the idea here.")
    st.stop()

st.divider()
place = ids.index(chosen) if chosen in ids else None
with st.container(horizontal=True, vertical_alignment="center"):
    for label, icon, key, step in (
        ("Previous", ":material/arrow_back:", "previous_idea", -1),
        ("Next", ":material/arrow_forward:", "next_idea", 1),
    ):
        to = None if place is None else place + step
        there = to is not None and 0 <= to < len(ids)
        st.button(
            label,
            icon=icon,
            key=key,
            disabled=not there,
            on_click=picking.choose,
            args=(ids[to] if there and to is not None else "",),
        )
    st.caption(
        "Not among the ideas that the filter leaves"
        if place is None
        else f"{place + 1:,} of {len(ids):,} by score"
    )
inspector.inspect(view, case(view.study, score, chosen))
