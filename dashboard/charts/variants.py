"""Normalisers side by side: the score split into its terms, and how alike the rankings are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from core.config import NORMALIZERS
from core.hindsight.variants import Variants
from dashboard.charts.theme import Chart, SystemStyle, Theme, base_layout, lay_out, tint
from dashboard.prose import fixed, label, listing, number, shorten

_SHORT = {"percentile": "perc.", "monthly_percentile": "month.<br>perc."}


def terms_chart(result: Variants, styles: Mapping[str, SystemStyle], theme: Theme) -> Chart:
    """Mean score of each system under each normaliser, split into venue and citation term."""
    figure = go.Figure()
    systems = sorted(result.systems["system"].unique())
    for system in systems:
        own = result.systems[result.systems["system"] == system]
        color = styles[system].color
        name = label(shorten(system, 22))
        for term, words, fill in (
            ("venue_term", "venue", color),
            ("citation_term", "citations", tint(color, 0.4)),
        ):
            figure.add_bar(
                y=own["normalizer"],
                x=own[term],
                base=own["venue_term"] if term == "citation_term" else None,
                offsetgroup=system,
                orientation="h",
                marker={"color": fill, "line": {"width": 0}},
                name=f"{name}, {words}",
                customdata=own[["mean", "n"]],
                hovertemplate=f"{name}, %{{y}}<br>{words} term <b>%{{x:.3g}}</b> of a mean score"
                " of %{customdata[0]:.3g} (n = %{customdata[1]})<extra></extra>",
            )
    lay_out(
        figure,
        base_layout(
            theme,
            height=120 + 36 * len(NORMALIZERS) + 8 * len(NORMALIZERS) * len(systems),
            barmode="group",
            bargap=0.3,
            xaxis={"title": "Mean score", "rangemode": "tozero"},
            yaxis={"autorange": "reversed", "showgrid": False},
            showlegend=True,
            margin={"t": 60},
        ),
    )
    told = [
        f"{row.normalizer}: {row.system} {number(row.mean)}" for row in result.systems.itertuples()
    ]
    return Chart(
        figure=figure,
        alt=f"Mean score by normaliser and system: {listing(told)}.",
        caption="Full colour is the venue term, the pale end the citation term.",
        data=result.systems,
    )


def ranks_chart(result: Variants, theme: Theme) -> Chart:
    """Spearman's ρ of ideas' scores between every two normalisers."""
    ranks = result.ranks
    figure = go.Figure(
        go.Heatmap(
            z=ranks.to_numpy(),
            x=[_SHORT.get(name, name) for name in ranks.columns],
            y=list(ranks.index),
            text=[[_cell(value) for value in line] for line in ranks.to_numpy()],
            texttemplate="%{text}",
            colorscale=[[0, theme.surface], [1, "#56B4E9"]],
            zmin=0,
            zmax=1,
            xgap=3,
            ygap=3,
            showscale=False,
            customdata=[list(ranks.columns)] * len(ranks),
            hovertemplate=f"%{{y}} and %{{customdata}}: ρ = <b>%{{z:.3f}}</b>, n = {result.n}<extra></extra>",
        )
    )
    lay_out(
        figure,
        base_layout(
            theme,
            height=340,
            xaxis={"side": "top", "showgrid": False, "tickangle": 0, "tickfont": {"size": 11}},
            yaxis={"autorange": "reversed", "showgrid": False},
        ),
    )
    least = ranks.where(~np.eye(len(ranks), dtype=bool)).min().min()
    return Chart(
        figure=figure,
        alt=f"Rank correlation of ideas' scores between normalisers; the least is {number(least)}.",
        caption=f"Spearman's ρ over {result.n} ideas. Near 1, two normalisers order ideas alike.",
        data=ranks.rename_axis("normalizer").reset_index(),
    )


def _cell(value: float) -> str:
    return "–" if np.isnan(value) else fixed(float(value), 2)
