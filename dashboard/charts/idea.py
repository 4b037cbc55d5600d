"""One idea's candidates by similarity, with the threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dashboard.charts.theme import (
    OPERATING_POINT,
    Chart,
    SystemStyle,
    Theme,
    base_layout,
    operating_line,
)
from dashboard.prose import count, fixed, label, number, shorten

if TYPE_CHECKING:
    from core.hindsight.cases import Case


def candidate_table(case: Case) -> pd.DataFrame:
    """One row a candidate, the most similar first: what the chart draws and the page lists."""
    return pd.DataFrame(
        [
            {
                "place": paper.place,
                "paper_id": paper.paper_id,
                "title": paper.title,
                "similarity": paper.similarity,
                "matched": paper.matched,
                "impact": paper.impact,
                "citation_term": paper.citation_term,
                "venue_term": paper.venue_term,
                "venue": paper.venue,
                "published": paper.published,
                "date_precision": paper.date_precision,
                "citations": paper.citations,
                "leaked": paper.leaked,
                "url": paper.url,
            }
            for paper in case.papers
        ]
    )


def candidate_chart(case: Case, theme: Theme, style: SystemStyle) -> Chart:
    """Similarity (x) of each candidate by place (y); filled marks reach θ, open ones do not."""
    import plotly.graph_objects as go

    data = candidate_table(case)
    figure = go.Figure()
    for matched, name, symbol in (
        (True, "match", style.symbol),
        (False, "below θ", f"{style.symbol}-open"),
    ):
        rows = data[data["matched"] == matched]
        figure.add_scatter(
            x=rows["similarity"],
            y=rows["place"],
            mode="markers",
            name=f"{name} ({len(rows)})",
            marker={
                "color": style.color if matched else theme.muted,
                "symbol": symbol,
                "size": 10,
                "line": {"width": 1.5},
            },
            customdata=[
                [
                    row.paper_id,
                    label(shorten(row.title, 60)),
                    fixed(row.similarity, 3),
                    fixed(row.impact, 3),
                    label(row.paper_id),
                ]
                for row in rows.itertuples()
            ],
            hovertemplate=(
                "<b>%{customdata[1]}</b><br>%{customdata[4]}<br>similarity %{customdata[2]},"
                " impact %{customdata[3]}<extra></extra>"
            ),
        )
    figure.update_layout(
        **base_layout(
            theme,
            height=max(180, 70 + 11 * len(data)),
            showlegend=True,
            margin={"t": 30},
            xaxis={"title": "Similarity (cosine)"},
            yaxis={
                "title": "Candidate",
                "autorange": "reversed",
                "showgrid": False,
                "dtick": 5 if len(data) <= 50 else 20,
            },
            shapes=[operating_line(case.theta)],
            annotations=[
                {
                    "text": f"θ {number(case.theta)}",
                    "x": case.theta,
                    "y": 0,
                    "yref": "paper",
                    "xanchor": "left",
                    "yanchor": "bottom",
                    "xshift": 4,
                    "showarrow": False,
                    "font": {"size": 12, "color": OPERATING_POINT},
                }
            ],
        )
    )
    return Chart(
        figure=figure,
        alt=(
            f"Similarities of the {count(len(data), 'candidate')} of idea {case.idea_id}:"
            f" {case.n_matches} reach the threshold {number(case.theta)}"
        ),
        caption=(
            f"The {count(len(data), 'nearest admitted paper')}, the most similar on top. Filled:"
            f" at or above θ = {number(case.theta)} (orange); open: below."
        ),
        data=data,
    )
