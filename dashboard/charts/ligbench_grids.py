"""What parameters and judge noise do to ratings of planted qualities, beside the paper's tables."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from core.ligbench.simulated_games import Grid
from dashboard.charts.theme import OPERATING_POINT, Chart, Theme, base_layout
from dashboard.prose import count, fixed, listing

MEASURES = {
    "mae": ("Mean absolute error (0 is best)", "published_mae"),
    "rank_correlation": ("Rank correlation with the planted (1 is best)", "published_correlation"),
}
_LINES = {
    "latent": ("latent", "solid", "circle"),
    "paper": ("paper-literal", "dash", "x"),
    "bradley_terry": ("Bradley–Terry", "dot", "square"),
}


def settings_text(frame: pd.DataFrame) -> list[str]:
    """Each row's place in the grid: "d = 1.5", "K 0.5, γ 0.95", "10 %"."""
    if "noise" in frame:
        return [f"{value:.0%}" for value in frame["noise"]]
    if "elo_d" in frame:
        return [f"d = {value:g}" for value in frame["elo_d"]]
    pairs = zip(frame["elo_k_max"], frame["elo_gamma"], strict=True)
    return [f"K {k:g}, γ {gamma:g}" for k, gamma in pairs]


def grid_chart(grid: Grid, measure: str, theme: Theme) -> Chart:
    """``measure`` (y) over the grid (x): a line a method, and the paper's own numbers."""
    axis, published = MEASURES[measure]
    data = grid.frame.assign(setting=settings_text(grid.frame))
    figure = go.Figure()
    shades = {"latent": theme.ink, "paper": theme.muted, "bradley_terry": theme.muted}
    for mode, (name, dash, symbol) in _LINES.items():
        own = data[data["mode"] == mode]
        figure.add_scatter(
            x=own["setting"],
            y=own[measure],
            mode="lines+markers",
            name=name,
            line={"color": shades[mode], "dash": dash, "width": 2},
            marker={"symbol": symbol, "size": 8},
            hovertemplate=f"%{{x}}, {name}: <b>%{{y:.3f}}</b><extra></extra>",
        )
    told = data[data["mode"] == "latent"]
    if published in told and told[published].notna().any():
        figure.add_scatter(
            x=told["setting"],
            y=told[published],
            mode="markers",
            name="printed in the paper",
            marker={"symbol": "diamond-open", "size": 10, "color": OPERATING_POINT},
            hovertemplate="%{x}, printed: <b>%{y:.3f}</b><extra></extra>",
        )
    figure.update_layout(
        base_layout(
            theme,
            height=340,
            showlegend=True,
            margin={"t": 52},
            xaxis={"type": "category", "showgrid": False},
            yaxis={"title": axis, "rangemode": "tozero", "nticks": 6},
        )
    )
    means = [f"{row.setting} {fixed(getattr(row, measure), 3)}" for row in told.itertuples()]
    return Chart(
        figure=figure,
        alt=f"{axis} by {grid.name}, latent mode: {listing(means)}.",
        caption=(
            f"{count(grid.ideas, 'planted idea')} × {count(grid.games, 'game')},"
            f" {count(grid.settings.orders, 'order')}, seed {grid.seed}."
        ),
        data=data,
    )
