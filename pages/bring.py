"""Bring your own: a new study, its tables from files, and matching, all from the page."""

from __future__ import annotations

import streamlit as st

from dashboard import components, state
from dashboard.bring import importing, match_view, new_study, places
from dashboard.prose import count, plain

view = state.current()
study = view.study
refused = places.read_only_reason(study.folder)
parts = ["New study", "Tables", "Matching"]
components.page(
    "Bring your own ideas, papers and marks",
    f"Open now: **{plain(study.config.name)}** in {plain(study.folder)},"
    f" {count(len(study.ideas), 'idea')}, {count(len(study.papers), 'paper')},"
    f" {count(len(study.scores), 'mark')}. Nothing is written before you confirm it.",
)
new_study.told(study)
new, tables, matching = st.tabs(
    parts,
    default=parts[0] if refused else parts[1],
    key="bring_part",
    on_change="rerun",
    bind=state.BIND,
)
if new.open:
    with new:
        new_study.draw()
for tab, draw in (
    (tables, lambda: importing.draw(study)),
    (matching, lambda: match_view.draw(view)),
):
    if tab.open:
        with tab:
            if refused:
                new_study.read_only(study, refused)
            else:
                draw()
