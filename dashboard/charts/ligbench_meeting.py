"""HindSight against LigBench, a mark an idea."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from core.ligbench.meeting import Meeting
from dashboard.charts.theme import Chart, SystemStyle, Theme, base_layout
from dashboard.prose import count, fixed, label, shorten


def meeting_chart(
    found: Meeting, measure: str, styles: Mapping[str, SystemStyle], theme: Theme
) -> Chart:
    """HindSight score (y) by the LigBench measure (x); the idea's id is in ``customdata``."""
    data = found.ideas.dropna(subset=["score", measure])
    figure = go.Figure()
    for system in sorted(data["system"].unique()):
        own = data[data["system"] == system]
        figure.add_scatter(
            x=own[measure],
            y=own["score"],
            mode="markers",
            name=label(shorten(system, 24)),
            marker={
                "color": styles[system].color,
                "symbol": styles[system].symbol,
                "size": 9,
                "opacity": theme.point_alpha,
            },
            customdata=[
                [
                    row["idea_id"],
                    label(row["idea_id"]),
                    label(shorten(str(row["title"]), 60)),
                    fixed(row[measure], 2),
                    fixed(row["score"], 3),
                ]
                for row in own.to_dict("records")
            ],
            hovertemplate=(
                f"<b>%{{customdata[2]}}</b><br>%{{customdata[1]}}<br>{measure} %{{customdata[3]}},"
                " HindSight %{customdata[4]}<extra></extra>"
            ),
        )
    top = max(float(data["score"].max()), 1e-6) if len(data) else 1.0
    figure.update_layout(
        base_layout(
            theme,
            height=400,
            showlegend=True,
            margin={"t": 34},
            xaxis={"title": f"LigBench {measure}, 0 to 5", "nticks": 7},
            yaxis={"title": "HindSight score", "range": [-0.03 * top, 1.06 * top], "nticks": 6},
        )
    )
    return Chart(
        figure=figure,
        alt=f"HindSight score against LigBench {measure} of {count(len(data), 'idea')}.",
        caption="Lower right: rated high and not come true. Upper left: come true and rated low.",
        data=data[["idea_id", "system", "topic", "title", "score", measure]],
    )
