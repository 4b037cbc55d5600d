"""Quadrants: where do judges and the future disagree, and on which ideas?"""

from __future__ import annotations

import streamlit as st

from core.hindsight.cases import case, cases, quadrant_ids
from dashboard import cards, components, picking, quadrant_controls, state
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
from dashboard.export.cases import cards_csv, cards_html
from dashboard.prose import count, plain

view = state.current()
score = components.score_or_stop(view)
components.page(quadrants_title(score), quadrants_sentence(score))
components.notices(view, score)
quadrant_controls.draw(view, score.quadrants)

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
