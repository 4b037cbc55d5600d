"""An idea's LigBench marks in one line, for pages about ideas."""

from __future__ import annotations

import streamlit as st

from core.config import ALL_JUDGES
from core.errors import ForeseenError
from dashboard import components
from dashboard.charts.ligbench import DIMENSION_NAMES, MODE_NAMES
from dashboard.ligbench import results
from dashboard.prose import fixed, listing
from dashboard.state import View


def draw(view: View, idea_id: str) -> None:
    """Its ratings against reviewed papers and its novelty, with a link to its games.

    Draws nothing where the study has no comparisons or the idea no game.
    """
    study = view.study
    if study.references.empty or study.comparisons.empty:
        return
    known = view.settings.judge in set(study.comparisons["judge"])
    own = view if known else results.of_judge(view, ALL_JUDGES)
    try:
        ranked = results.rank(own)
    except ForeseenError:
        return
    rows = ranked.ideas[ranked.ideas["idea_id"] == idea_id]
    marks = dict(zip(rows["dimension"], rows["elo"].astype(float), strict=True))
    if not marks:
        return
    found, _ = results.novelty(own)
    if found is not None:
        value = found.ideas.set_index("idea_id")["novelty"].get(idea_id)
        marks |= {} if value is None else {"novelty": float(value)}
    told = [f"{name} **{fixed(marks[name], 2)}**" for name in DIMENSION_NAMES if name in marks]
    st.subheader("Beside reviewed papers", anchor=False)
    st.markdown(
        f"LigBench, 0 to 5: {listing(told)}. Elo in {MODE_NAMES[ranked.elo_mode]} mode after"
        f" {int(rows['games'].max())} games."
    )
    components.link(
        "ligbench",
        "See its games and the judges' reasons",
        icon=":material/leaderboard:",
        idea=idea_id,
        lig_tab="One idea",
    )
