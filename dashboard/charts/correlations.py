"""Heat map of the rank correlations of the score with each judge dimension."""

from __future__ import annotations

import pandas as pd

from core.config import JUDGE_DIMENSIONS
from core.hindsight.results import Correlation, Score, to_frame
from dashboard.charts.theme import NEGATIVE, POSITIVE, Chart, Theme, base_layout, figure_of
from dashboard.prose import fixed, interval, label, listing, p_value, shorten, stars


def correlations_of(score: Score) -> list[Correlation]:
    """Those for the judge that the settings name: one, or the mean over all."""
    return [row for row in score.correlations if row.judge == score.settings.judge]


def correlation_chart(score: Score, theme: Theme) -> Chart:
    """ρ by system and judge dimension; stars after Holm's correction over the whole table."""
    rows = correlations_of(score)
    systems = sorted({row.system for row in rows})
    by_place = {(row.system, row.dimension): row for row in rows}
    grid = [[by_place.get((s, d)) for d in JUDGE_DIMENSIONS] for s in systems]
    heat = {
        "type": "heatmap",
        "z": [[row.rho if row else None for row in line] for line in grid],
        "x": [name.capitalize() for name in JUDGE_DIMENSIONS],
        "y": [label(shorten(system, 20)) for system in systems],
        "text": [[_cell(row) for row in line] for line in grid],
        "customdata": [[_hover(row) for row in line] for line in grid],
        "texttemplate": "%{text}",
        "textfont": {"size": 14},
        "hovertemplate": "%{customdata}<extra></extra>",
        "hoverongaps": True,
        "colorscale": [[0, NEGATIVE], [0.5, theme.surface], [1, POSITIVE]],
        "zmin": -0.6,
        "zmax": 0.6,
        "xgap": 3,
        "ygap": 3,
        "showscale": False,
    }
    layout = base_layout(
        theme,
        height=60 + 62 * len(systems),
        xaxis={"side": "top", "showgrid": False},
        yaxis={"autorange": "reversed", "showgrid": False},
    )
    told = [
        f"{row.system}, {row.dimension} {fixed(row.rho, 2)} ({p_value(row.p_adjusted)})"
        for row in rows
        if row.rho is not None
    ]
    return Chart(
        figure=figure_of([heat], layout),
        alt=f"Spearman correlations of HindSight with judges' marks: {listing(told)}.",
        caption=(
            "Spearman's ρ of an idea's HindSight score with the judges' mark, within each system;"
            " blue is negative, orange positive. Stars after Holm's correction over all"
            f" {len(score.correlations)} correlations: * p < 0.05, ** p < 0.01, *** p < 0.001."
        ),
        data=to_frame(rows, Correlation) if rows else pd.DataFrame(),
    )


def _cell(row: Correlation | None) -> str:
    if row is None or row.rho is None:
        return "–"
    return f"{fixed(row.rho, 2)}{stars(row.p_adjusted)}"


def _hover(row: Correlation | None) -> str:
    if row is None:
        return "no mark"
    head = f"{label(row.system)}, {row.dimension}, n = {row.n}"
    if row.rho is None:
        return f"{head}<br>not defined: {label(row.undefined or 'no marks')}"
    return (
        f"{head}<br>ρ = <b>{fixed(row.rho, 3)}</b>"
        f" (95 % interval {interval(row.rho_low, row.rho_high)})"
        f"<br>{p_value(row.p)}, after Holm {p_value(row.p_adjusted)}"
    )
