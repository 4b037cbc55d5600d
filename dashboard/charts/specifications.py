"""The specification curve: the effect under every way to compute the score, and its choices."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.config import SIGNIFICANCE
from core.hindsight.results import SpecificationCurve
from dashboard.charts.theme import (
    OPERATING_POINT,
    Chart,
    SystemStyle,
    Theme,
    base_layout,
    lay_out,
    tint,
)
from dashboard.prose import count, fixed, label, number, percent, shorten

CHOICE_NAMES = {
    "theta": "θ",
    "k": "K",
    "normalizer": "citations",
    "aggregate": "aggregate",
    "citation_weight": "citation weight",
    "interactions": "combinations of choices",
}
_DRAWN = 900
_BINS = 180


def specification_chart(
    curve: SpecificationCurve, styles: Mapping[str, SystemStyle], theme: Theme
) -> Chart:
    """Difference of means with its interval by rank, and beneath which choices made each.

    The lower panel shows, for each option, where along the curve it was used: the stronger, the
    larger its share of the specifications there.
    """
    rows = curve.rows
    n = len(rows)
    shown = np.unique(np.linspace(0, n - 1, min(n, _DRAWN)).round().astype(int))
    drawn = rows.iloc[shown]
    rank = shown + 1
    figure = go.Figure()
    for side in ("low", "high"):
        figure.add_scatter(
            x=rank,
            y=drawn[side],
            mode="lines",
            line={"width": 0},
            fill="tonexty" if side == "high" else None,
            fillcolor=theme.grid,
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=rank,
        y=drawn["difference"],
        mode="markers",
        marker={"size": 5, "color": _colors(drawn, curve, styles, theme)},
        customdata=[_choices(row) for row in drawn.to_dict("records")],
        hovertemplate="%{customdata}<br>difference <b>%{y:.3g}</b><extra></extra>",
    )
    options, density, shares = _options(curve)
    edges = np.linspace(1, n, density.shape[1]) if density.shape[1] > 1 else np.array([1.0])
    figure.add_heatmap(
        x=edges,
        y=list(range(len(options))),
        z=density,
        customdata=shares,
        yaxis="y2",
        colorscale=[[0, tint(theme.ink, 0.0)], [1, tint(theme.ink, 0.85)]],
        zmin=0,
        zmax=1,
        showscale=False,
        ygap=3,
        hovertemplate="%{customdata}<extra></extra>",
    )
    height = 300 + 17 * len(options)
    split = (17 * len(options) + 30) / height
    lay_out(
        figure,
        base_layout(
            theme,
            height=height + 60,
            xaxis={
                "title": f"{count(n, 'specification')}, by effect",
                "anchor": "y2",
                "range": [0, n + 1],
                "showgrid": False,
                "nticks": 5,
            },
            yaxis={
                "title": "Difference of means",
                "domain": [split, 1],
                "zeroline": True,
                "zerolinecolor": theme.muted,
                "zerolinewidth": 1,
                "nticks": 6,
            },
            yaxis2={
                "domain": [0, split - 0.03],
                "tickvals": list(range(len(options))),
                "ticktext": options,
                "autorange": "reversed",
                "showgrid": False,
                "tickfont": {"size": 11, "color": theme.muted},
            },
            shapes=_own_line(rows),
        ),
    )
    own = rows.index[rows["own"].astype(bool)]
    where = (
        f" The orange line is the study's own choice, rank {own[0] + 1:,} of {n:,}."
        if len(own)
        else " The study's own choice is not among those ticked."
    )
    return Chart(
        figure=figure,
        alt=f"Specification curve of {count(n, 'specification')}: the difference of means of"
        f" {curve.a} and {curve.b} goes from {number(rows['difference'].min())} to"
        f" {number(rows['difference'].max())}.{where}",
        caption=(
            "Each point is one way to compute the score, with its 95 % interval; coloured where"
            f" p < {SIGNIFICANCE:g}, grey elsewhere. Beneath, the stronger an option's row,"
            f" the more of the specifications there use it.{where} A specification curve shows"
            " sensitivity to choices; it is no better estimate than any one of its points"
            " (Simonsohn, Simmons & Nelson 2020)."
        ),
        data=rows,
    )


def explained_chart(curve: SpecificationCurve, theme: Theme) -> Chart:
    """How much of the spread of the effect each choice explains by itself."""
    frame = curve.explained.dropna(subset=["share"]).sort_values("share")
    figure = go.Figure(
        go.Bar(
            x=frame["share"] * 100,
            y=[CHOICE_NAMES.get(name, name) for name in frame["choice"]],
            orientation="h",
            marker={"color": theme.muted},
            text=[percent(share) for share in frame["share"]],
            textposition="outside",
            cliponaxis=False,
            width=0.55,
            hovertemplate="%{y}: <b>%{x:.1f} %</b> of the variance<extra></extra>",
        )
    )
    lay_out(
        figure,
        base_layout(
            theme,
            height=70 + 38 * max(1, len(frame)),
            xaxis={
                "title": "Share of the variance (%)",
                "range": [0, 112],
                "tickvals": [0, 50, 100],
            },
            yaxis={"showgrid": False},
        ),
    )
    told = ", ".join(
        f"{CHOICE_NAMES.get(row.choice, row.choice)} {percent(row.share)}"
        for row in frame[::-1].itertuples()
    )
    return Chart(
        figure=figure,
        alt=f"Share of the variance of the effect that each choice explains: {told}.",
        caption="Main effect of each choice over the whole grid (η²); the rest is due to"
        " combinations.",
        data=curve.explained,
    )


def _own_line(rows: pd.DataFrame) -> list[dict[str, object]]:
    return [
        {
            "type": "line",
            "x0": place + 1,
            "x1": place + 1,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "line": {"color": OPERATING_POINT, "width": 2},
        }
        for place in rows.index[rows["own"].astype(bool)]
    ]


def _colors(
    rows: pd.DataFrame, curve: SpecificationCurve, styles: Mapping[str, SystemStyle], theme: Theme
) -> list[str]:
    return [
        theme.context
        if not p < SIGNIFICANCE
        else styles[curve.a if difference > 0 else curve.b].color
        for p, difference in zip(rows["p"], rows["difference"], strict=True)
    ]


def _choices(row: Mapping[str, object]) -> str:
    return (
        f"θ = {row['theta']:.3f}, K = {row['k']}, {label(row['normalizer'])},"
        f" {label(row['aggregate'])}, citation weight {row['citation_weight']:g}"
        f"<br>95 % interval {fixed(_float(row['low']), 3)} to {fixed(_float(row['high']), 3)},"
        f" p = {number(_float(row['p']))}"
    )


def _float(value: object) -> float:
    return float(value)  # type: ignore[arg-type]


def _options(
    curve: SpecificationCurve,
) -> tuple[list[str], NDArray[np.float64], NDArray[np.object_]]:
    """Names of the options, (options, bins) densities scaled to each row's highest, and hovers."""
    n = len(curve.rows)
    bins = min(n, _BINS)
    place = (np.arange(n) * bins // max(n, 1)).clip(0, max(bins - 1, 0))
    sizes = np.bincount(place, minlength=bins)
    names, lines, hovers = [], [], []
    for choice, values in curve.grid.items():
        if len(values) < 2:
            continue
        for value in values:
            used = (curve.rows[choice] == value).to_numpy(dtype=float)
            share = np.bincount(place, weights=used, minlength=bins) / sizes
            name = _option_name(choice, value)
            names.append(name)
            lines.append(share / max(share.max(), 1e-9))
            hovers.append([f"{name}: {percent(part)} of the specifications here" for part in share])
    if not names:
        return ["one specification"], np.ones((1, max(bins, 1))), np.full((1, max(bins, 1)), "")
    return names, np.array(lines), np.array(hovers, dtype=object)


def _option_name(choice: str, value: object) -> str:
    if choice == "theta":
        return f"θ {value:.3f}"
    if choice == "k":
        return f"K {value}"
    if choice == "citation_weight":
        return f"weight {value:g}"
    return label(shorten(str(value), 20))
