"""Quantities of the systems and their ratio against the threshold θ, drawn as exact steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.hindsight.results import Sweep
from dashboard.charts.theme import (
    Chart,
    SystemStyle,
    Theme,
    base_layout,
    lay_out,
    operating_line,
    tint,
)
from dashboard.prose import label, listing, number, percent, shorten


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A quantity that can be drawn against θ: chart title, axis title, words for the alt text."""

    column: str
    title: str
    axis: str
    words: str


METRICS = {
    "Ideas matched": Metric(
        column="match_rate",
        title="How many ideas match",
        axis="Ideas with a match (%)",
        words="share of ideas matched",
    ),
    "Mean score": Metric(
        column="mean",
        title="How high they score",
        axis="Mean score (0 to 1)",
        words="mean HindSight score",
    ),
    "Papers met": Metric(
        column="mean_matches",
        title="How many papers each meets",
        axis="Matches per idea",
        words="mean number of matches",
    ),
}
_DRAWN = 500
THETA_AXIS = "Threshold θ (cosine)"


def visible_thetas(sweep: Sweep, theta: float) -> tuple[float, float]:
    """The range of θ that is drawn: where the match rates move, and the operating point.

    From the last θ at which at least 99.5 % of every system's ideas match to the first at which
    none does.
    """
    rates = sweep.points.pivot_table(index="theta", columns="system", values="match_rate")
    if rates.empty:
        return theta - 0.1, theta + 0.1
    full = rates.index[(rates >= 0.995).all(axis=1)]
    none = rates.index[(rates <= 0).all(axis=1)]
    low = float(full.max()) if len(full) else float(rates.index.min())
    high = float(none.min()) if len(none) else float(rates.index.max())
    margin = max(0.02, 0.04 * (high - low))
    return min(low, theta) - margin, max(high, theta) + margin


def curve_chart(
    sweep: Sweep, metric: str, theta: float, styles: Mapping[str, SystemStyle], theme: Theme
) -> Chart:
    """A quantity of each system at every θ; ``metric`` is one of the METRICS by name."""
    kind = METRICS[metric]
    column = kind.column
    scale = 100 if column == "match_rate" else 1
    figure = go.Figure()
    at = []
    for system, own in sweep.points.groupby("system", sort=True):
        thin = thinned(own["theta"].to_numpy())
        style = styles[str(system)]
        figure.add_scatter(
            x=own["theta"].to_numpy()[thin],
            y=own[column].to_numpy(dtype=float)[thin] * scale,
            mode="lines",
            line={"color": style.color, "dash": style.dash, "width": 2.5, "shape": "vh"},
            name=label(shorten(str(system), 24)),
            hovertemplate=f"{label(shorten(str(system), 30))}<br>θ = %{{x:.3f}}: <b>%{{y:.3g}}</b>"
            "<extra></extra>",
        )
        here = value_at(own["theta"].to_numpy(), own[column].to_numpy(dtype=float), theta)
        shown = percent(here) if column == "match_rate" else number(here)
        at.append(f"{system} {shown}")
    lay_out(
        figure,
        base_layout(
            theme,
            height=330,
            xaxis={"title": THETA_AXIS, "range": list(visible_thetas(sweep, theta)), "nticks": 7},
            yaxis={"title": kind.axis, "rangemode": "tozero"},
            shapes=[operating_line(theta)],
            showlegend=True,
            margin={"t": 40},
        ),
    )
    return Chart(
        figure=figure,
        alt=f"The {kind.words} against θ. At θ = {number(theta)}: {listing(at)}.",
        data=sweep.points,
    )


def ratio_chart(
    sweep: Sweep,
    a: str,
    b: str,
    theta: float,
    styles: Mapping[str, SystemStyle],
    theme: Theme,
) -> Chart:
    """Ratio of mean scores of ``a`` to ``b`` at every θ, with its 95 % band.

    Where the ratio or its interval is undefined (hardly an idea of ``b`` scores) the line stops;
    the data holds every θ. The axis is logarithmic, so that 2 times and one half lie equally
    far from 1.
    """
    own = sweep.ratios[(sweep.ratios["a"] == a) & (sweep.ratios["b"] == b)]
    known = own.dropna(subset=["ratio"])
    known = known[known["ratio"] > 0]
    if known["high"].notna().any():
        known = known.dropna(subset=["high"])
    x = known["theta"].to_numpy()
    thin = thinned(x)
    color = styles[a].color
    figure = go.Figure()
    values = {name: known[name].to_numpy(dtype=float)[thin] for name in ("ratio", "low", "high")}
    drawn = values["ratio"]
    firm = drawn[np.isfinite(values["high"])]
    top = float(np.max(np.append(firm, 1.5))) * 1.5
    bottom = float(np.min(np.append(firm, 1.0))) / 1.5
    for name in ("high", "low"):
        figure.add_scatter(
            x=x[thin],
            y=np.clip(values[name], bottom / 10, top * 10),
            mode="lines",
            line={"width": 0, "shape": "vh"},
            fill="tonexty" if name == "low" else None,
            fillcolor=tint(color, 0.18),
            name="95 % interval",
            showlegend=name == "low",
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=x[thin],
        y=drawn,
        mode="lines",
        line={"color": color, "width": 2.5, "shape": "vh"},
        name="ratio of means",
        customdata=np.column_stack([values["low"], values["high"], _p(known)[thin], drawn]),
        hovertemplate="θ = %{x:.3f}: <b>%{customdata[3]:.3g}</b><br>95 % interval %{customdata[0]:.3g} to"
        " %{customdata[1]:.3g}<br>p = %{customdata[2]:.3g}<extra></extra>",
    )
    low, high = visible_thetas(sweep, theta)
    ends = [max(bottom, 0.05), min(top, 50)]
    lay_out(
        figure,
        base_layout(
            theme,
            height=330,
            xaxis={"title": THETA_AXIS, "range": [low, high], "nticks": 7},
            yaxis={
                "title": "Ratio of mean scores",
                "type": "log",
                "range": [float(np.log10(ends[0])), float(np.log10(ends[1]))],
                "tickvals": [0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 20, 50],
                "ticktext": ["0.1", "0.2", "0.5", "1", "2", "3", "5", "10", "20", "50"],
            },
            shapes=[
                {
                    "type": "line",
                    "xref": "paper",
                    "x0": 0,
                    "x1": 1,
                    "y0": 1,
                    "y1": 1,
                    "line": {"color": theme.muted, "width": 1, "dash": "dot"},
                },
                operating_line(theta),
            ],
            showlegend=True,
            margin={"t": 40},
        ),
    )
    here = value_at(own["theta"].to_numpy(), own["ratio"].to_numpy(dtype=float), theta)
    return Chart(
        figure=figure,
        alt=f"Ratio of the mean score of {a} to that of {b} against θ, with its 95 % band. At"
        f" θ = {number(theta)}: {number(here)}.",
        data=own,
    )


def value_at(thetas: NDArray[np.float64], values: NDArray[np.float64], theta: float) -> float:
    """A step curve's value at any θ: that of the first breakpoint at or above it; else the last."""
    if not len(thetas):
        return float("nan")
    place = int(np.searchsorted(thetas, theta, side="left"))
    return float(values[min(place, len(thetas) - 1)])


def thinned(x: NDArray[np.float64]) -> NDArray[np.int64]:
    """Places of the points to draw: both ends and an even choice between, at most 500.

    A screen has no more columns than that; the CSV has every point.
    """
    if len(x) <= _DRAWN:
        return np.arange(len(x))
    even = np.searchsorted(x, np.linspace(x[0], x[-1], _DRAWN))
    return np.unique(np.concatenate([[0], even, [len(x) - 1]]).clip(0, len(x) - 1))


def _p(frame: pd.DataFrame) -> NDArray[np.float64]:
    return np.asarray(frame["p"], dtype=float)
