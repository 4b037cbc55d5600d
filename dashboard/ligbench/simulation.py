"""The LigBench page's simulation: do parameters and noise do here what the paper reports?"""

from __future__ import annotations

from typing import get_args

import streamlit as st

from core.ligbench.simulated_games import JudgeModel
from dashboard import components, state
from dashboard.charts.ligbench_grids import grid_chart
from dashboard.ligbench import results
from dashboard.state import View

GRIDS = ("noise", "scale", "steps")
JUDGES: dict[JudgeModel, str] = {
    "bradley_terry": "The judge names the better one by chance, as the model expects.",
    "ordering": "The judge names the better one always, but for the noise.",
}


def draw(view: View) -> None:
    """One of the paper's grids by simulation, its printed numbers beside it."""
    st.markdown(
        "Ideas whose quality is planted play simulated games, so it is known how far each rating"
        " is off. The paper does not say how its own validation games were made, so compare the"
        " shapes and not the levels."
    )
    with st.container(horizontal=True):
        name = st.segmented_control(
            "Vary",
            GRIDS,
            default="noise",
            required=True,
            key="lig_grid",
            **state.BOUND,
        )
        judge = st.segmented_control(
            "Judge model",
            get_args(JudgeModel),
            default="bradley_terry",
            required=True,
            key="lig_grid_judge",
            **state.BOUND,
        )
    st.caption(JUDGES[judge or "bradley_terry"])
    grid = results.grid(view, name or "noise", judge or "bradley_terry")
    theme = components.theme()
    for column, (measure, title) in zip(
        st.columns(2, gap="medium"),
        {"mae": "How far off?", "rank_correlation": "In the right order?"}.items(),
        strict=True,
    ):
        with column:
            components.chart(
                grid_chart(grid, measure, theme), key=f"lig_grid_{measure}", title=title
            )
    fold = st.expander("Every number", key="lig_grid_rows", on_change="rerun")
    if fold.open:
        with fold:
            components.table(grid.frame, key="lig_grid_table", alt=f"The grid over {grid.name}")
