"""LigBench: how do ideas stand beside reviewed papers, and do the judges' ratings hold?"""

from __future__ import annotations

import streamlit as st

from core.config import ALL_JUDGES
from core.errors import ForeseenError
from core.ligbench.debias import DIMENSIONS
from dashboard import components, picking, state
from dashboard.charts.ligbench import MODE_NAMES
from dashboard.charts.theme import system_styles
from dashboard.ligbench import ideas, judges, parts, results, simulation
from dashboard.ligbench.findings import systems_finding
from dashboard.prose import count, plain

TABS = ("Systems", "One idea", "References", "Novelty", "Judges", "Against HindSight", "Simulation")
OF_RATINGS = ("Systems", "One idea", "Against HindSight")

view = state.current()
study = view.study
if study.references.empty:
    parts.no_references(view)
    st.stop()

styles = system_styles(view.systems)
head = st.container()
compared = sorted(study.comparisons["judge"].unique())
own_judge = view.settings.judge if view.settings.judge in compared else ALL_JUDGES
options = [ALL_JUDGES, *compared]
picking.unknown_in_link("lig_judge", options)
with st.container(border=True):
    dimension = st.segmented_control(
        "Dimension", DIMENSIONS, default="rating", required=True, key="lig_dimension", **state.BOUND
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        judge = st.selectbox(
            "Judge of comparisons",
            options,
            index=options.index(own_judge),
            key="lig_judge",
            disabled=len(compared) < 2,
            width=220,
            **state.BOUND,
        )
        st.segmented_control(
            "Elo",
            list(MODE_NAMES),
            default=view.base.elo_mode,
            required=True,
            key="elo_mode",
            help="latent: the score moves freely and is clipped when shown. paper: to the letter, the"
            " paper's Algorithm 1, squeezed by tanh after every game.",
            **state.BOUND,
        )
        st.number_input(
            "Orders",
            2,
            10_000,
            value=min(view.base.orders, 10_000),
            step=100,
            key="orders",
            width=130,
            help="Seeded orders of each idea's games",
            **state.BOUND,
        )
        st.number_input(
            "Passes",
            1,
            100,
            value=view.base.elo_passes,
            key="elo_passes",
            width=130,
            help="Times that the games are replayed in a run",
            **state.BOUND,
        )

own = results.of_judge(view, judge if judge in options else own_judge)
ranked = None
if study.comparisons.empty:
    with head:
        components.page(
            f"{count(len(study.references), 'reviewed paper')}, and no idea compared with one yet"
        )
        parts.no_comparisons(view)
else:
    try:
        ranked = results.rank(own)
    except ForeseenError as error:
        with head:
            components.page("Ideas cannot be rated under these settings", plain(error))
        st.stop()
novelty, missing = results.novelty(own)
if ranked is not None:
    contrast = results.system_contrasts(own, ranked, novelty)
    finding = systems_finding(ranked, contrast)
    with head:
        components.page(finding.title, finding.sentence)
        if ranked.cautions:
            with st.expander(f"{count(len(ranked.cautions), 'caution')} on these ratings"):
                st.markdown("\n".join(f"- {plain(caution)}" for caution in ranked.cautions))

titles = dict(zip(study.ideas["idea_id"], study.ideas["title"].fillna(""), strict=True))
names = [name for name in TABS if ranked is not None or name not in OF_RATINGS]
tabs = st.tabs(names, key="lig_tab", on_change="rerun", bind=state.BIND)
shown = next((name for name, tab in zip(names, tabs, strict=True) if tab.open), names[0])
with tabs[names.index(shown)]:
    if shown == "References":
        parts.references(view, dimension)
    elif shown == "Novelty":
        parts.novelty(own, novelty, missing, styles)
    elif shown == "Judges":
        judges.draw(own)
    elif shown == "Simulation":
        simulation.draw(own)
    elif ranked is None or ranked.ideas.empty:
        components.nothing("No idea has a game, so there is nothing to draw.")
    elif shown == "Systems":
        parts.systems(own, ranked, novelty, contrast, dimension, styles)
    elif shown == "One idea":
        ideas.one_idea(own, ranked, dimension, titles, styles)
    else:
        ideas.meeting(view, own, ranked, novelty, missing, styles)
