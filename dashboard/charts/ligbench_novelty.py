"""The novelty map over the similarities that were observed."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from core.ligbench.novelty import Novelty, NoveltyMap, similarity_novelty
from dashboard.charts.theme import Chart, SystemStyle, Theme, base_layout
from dashboard.prose import fixed, label, number, shorten


def novelty_map_chart(found: Novelty, styles: Mapping[str, SystemStyle], theme: Theme) -> Chart:
    """The map as a line from weighted similarity (x) to novelty by similarity (y), and on it a
    mark an idea, so that one sees which part of the map the study uses."""
    ideas = found.ideas[found.ideas["similarity_novelty"].notna()]
    weighted = ideas["weighted"].astype(float)
    low, high = (float(weighted.min()), float(weighted.max())) if len(ideas) else (0.0, 1.0)
    room = max((high - low) * 0.15, 0.02)
    curve = found.map.curve(max(-1.0, low - room), min(1.0, high + room))
    figure = go.Figure()
    figure.add_scatter(
        x=curve["similarity"],
        y=curve["novelty"],
        mode="lines",
        line={"color": theme.muted, "width": 2},
        hoverinfo="skip",
        showlegend=False,
    )
    for system in sorted(ideas["system"].unique()):
        own = ideas[ideas["system"] == system]
        figure.add_scatter(
            x=own["weighted"].astype(float),
            y=own["similarity_novelty"].astype(float),
            mode="markers",
            name=label(shorten(system, 24)),
            marker={
                "color": styles[system].color,
                "symbol": styles[system].symbol,
                "size": 8,
                "opacity": theme.point_alpha,
            },
            customdata=[
                [
                    row["idea_id"],
                    label(row["idea_id"]),
                    fixed(row["weighted"], 3),
                    fixed(row["similarity_novelty"], 2),
                    fixed(row["novelty"], 2),
                ]
                for row in own.to_dict("records")
            ],
            hovertemplate=(
                "%{customdata[1]}<br>weighted similarity %{customdata[2]}: %{customdata[3]},"
                " with the judge's mark <b>%{customdata[4]}</b><extra></extra>"
            ),
        )
    figure.update_layout(
        base_layout(
            theme,
            height=340,
            showlegend=True,
            margin={"t": 34},
            xaxis={"title": "Weighted similarity to earlier papers", "nticks": 7},
            yaxis={"title": "Novelty by similarity, 0 to 5", "range": [-0.1, 5.1]},
        )
    )
    shape = found.map
    return Chart(
        figure=figure,
        alt=(
            f"Novelty map with k = {number(shape.k)} and μ = {number(shape.mu)} over the weighted"
            f" similarities of {len(ideas)} ideas, {fixed(low, 3)} to {fixed(high, 3)}."
        ),
        caption=(
            f"k = {number(shape.k)}, μ = {number(shape.mu)}: {shape.rule}. Similarities by"
            f" {label(found.encoder)} to the {found.papers_per_idea} nearest papers from before the"
            f" cutoff.{_copy(shape)}"
        ),
        data=found.ideas,
    )


def _copy(shape: NoveltyMap) -> str:
    """What an exact copy of an earlier paper would get: not 0, however steep the map."""
    if shape.k is None or shape.mu is None:
        return ""
    return f" A copy (similarity 1) would get {fixed(float(similarity_novelty(1.0, shape.k, shape.mu)), 2)}."
