"""Similarities of ideas with papers of their own topic and of others, and the θ they suggest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import plotly.graph_objects as go

from dashboard.charts.theme import Chart, Theme, base_layout, lay_out, operating_line
from dashboard.prose import count, fixed

if TYPE_CHECKING:
    from core.hindsight.calibration import Calibration


def similarity_chart(calibration: Calibration, theta: float, theme: Theme) -> Chart:
    """Densities of similarity: ideas with papers of their own topic, and of other topics."""
    edges = calibration.edges
    middles = (edges[:-1] + edges[1:]) / 2
    figure = go.Figure()
    lines = (
        ("other topics", calibration.other_density, calibration.n_other, theme.context, "dash"),
        ("own topic", calibration.own_density, calibration.n_own, theme.ink, "solid"),
    )
    for name, density, n, color, dash in lines:
        figure.add_scatter(
            x=middles,
            y=density,
            mode="lines",
            line={"color": color, "width": 2, "shape": "hvh", "dash": dash},
            fill="tozeroy",
            fillcolor=theme.grid,
            name=f"{name} (n = {n:,})",
            hovertemplate=f"{name}<br>similarity %{{x:.3f}}: density <b>%{{y:.3g}}</b>"
            "<extra></extra>",
        )
    shapes, notes = [operating_line(theta)], []
    suggested = calibration.suggested_theta
    if suggested is not None:
        mark = {"color": theme.muted, "width": 2, "dash": "dot"}
        shapes.append({**operating_line(suggested), "line": mark})
        notes.append(
            {
                "x": suggested,
                "y": 1,
                "yref": "paper",
                "text": f"suggested {fixed(suggested, 3)}",
                "showarrow": False,
                "xanchor": "left" if suggested >= theta else "right",
                "yanchor": "top",
                "font": {"size": 12, "color": theme.muted},
                "bgcolor": theme.surface,
            }
        )
    lay_out(
        figure,
        base_layout(
            theme,
            height=330,
            xaxis={"title": "Similarity (cosine)", "nticks": 7},
            yaxis={"title": "Density", "showticklabels": False, "rangemode": "tozero"},
            shapes=shapes,
            annotations=notes,
            showlegend=True,
            margin={"t": 40},
        ),
    )
    told = "" if suggested is None else f" The suggested θ is {fixed(suggested, 3)}."
    return Chart(
        figure=figure,
        alt=f"Similarities of {count(calibration.n_own, 'own-topic pair')} and"
        f" {count(calibration.n_other, 'other-topic pair')}.{told}",
        data=pd.DataFrame(
            {
                "similarity_from": edges[:-1],
                "similarity_to": edges[1:],
                "own_density": calibration.own_density,
                "other_density": calibration.other_density,
            }
        ),
    )
