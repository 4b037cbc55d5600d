"""What may sway the judges: one table, one chart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import components, picking, state
from dashboard.charts.biases import bias_rows, halo_rows, length_chart
from dashboard.judging import views
from dashboard.judging.findings import ON_NAMES

if TYPE_CHECKING:
    from dashboard.state import View

_COLUMNS = {
    "length": ("Length, ρ", "Spearman's ρ of marks with the words of the idea, 95 % interval"),
    "within": ("within systems", "The same with the system held fixed"),
    "halo": ("Halo, mean ρ", "Mean ρ between the four marks: near 1, one impression four times"),
    "family": ("Model family", "As the model's name shows it; a person has none"),
    "difference": ("Own family, marks", "Mean mark of its own family's ideas less all others'"),
    "excess": ("beyond others", "The same after the other judges' mean is taken off"),
}


def draw(view: View, on: str, table: str, titles: Mapping[str, str]) -> None:
    """Length, halo and family by judge; the halo is of scores alone."""
    lengths = views.length_probe(view, on)
    halos = views.halo(view) if table == "scores" else ()
    st.caption(
        f"On {ON_NAMES[on]}. A correlation is no proof of a bias: longer ideas may be better ones."
        " Intervals at 95 %."
    )
    components.table(
        bias_rows(lengths, halos, views.family_probe(view, on)),
        key="bias_table",
        alt="Marks against length, halo and own model family, by judge",
        columns={
            name: st.column_config.TextColumn(title, help=help_)
            for name, (title, help_) in _COLUMNS.items()
        },
    )
    judges = [probe.judge for probe in lengths]
    most = max(range(len(lengths)), key=lambda place: (lengths[place].n, -place))
    chosen = judges[most]
    if len(judges) > 1:
        picking.unknown_in_link("probe_judge", judges)
        chosen = st.selectbox(
            "Judge", judges, index=most, key="probe_judge", width=280, **state.BOUND
        )
    probe = next(probe for probe in lengths if probe.judge == chosen)
    if probe.n:
        components.chart(
            length_chart(probe, components.theme(), view.systems, titles),
            key="length_chart",
            title="Do longer ideas get higher marks?",
        )
    else:
        components.nothing("This judge marked no idea that has a text.")
    if halos:
        fold = st.expander("Each two dimensions", key="halo_fold", on_change="rerun")
        if fold.open:
            with fold:
                components.table(
                    halo_rows(halos),
                    key="halo_table",
                    alt="Rank correlation of each two dimensions, by judge",
                    columns={"dimensions": st.column_config.TextColumn("Dimensions")},
                )
