"""How every chart looks: colours by role, marks by system, fonts, margins. No streamlit.

A chart is a function of a result that gives a :class:`Chart`: the figure, one sentence for those
who cannot see it, how to read it, and the data under it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Okabe and Ito's palette; orange-red is kept for the operating point, black for means.
SYSTEM_COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#8C6D31", "#7F7F7F")
SYSTEM_SYMBOLS = (
    "circle",
    "diamond",
    "square",
    "triangle-up",
    "cross",
    "star",
    "triangle-down",
)
SYSTEM_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid")
OPERATING_POINT = "#D55E00"
POSITIVE = "#E69F00"
NEGATIVE = "#0072B2"
FONT = "Source Sans, Source Sans Pro, sans-serif"


@dataclass(frozen=True, kw_only=True)
class Theme:
    """The colours that differ between light and dark."""

    name: str
    ink: str
    muted: str
    context: str
    grid: str
    surface: str
    point_alpha: float


LIGHT = Theme(
    name="light",
    ink="#1B1F24",
    muted="#66707C",
    context="#B4BAC2",
    grid="rgba(128, 136, 148, 0.22)",
    surface="#FFFFFF",
    point_alpha=0.55,
)
DARK = Theme(
    name="dark",
    ink="#E8EBEF",
    muted="#A3ABB6",
    context="#5A626D",
    grid="rgba(160, 168, 180, 0.20)",
    surface="#14171C",
    point_alpha=0.8,
)


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A figure with everything that goes with it.

    ``alt``: what it shows, in a sentence. ``caption``: how to read it. ``data``: the numbers
    drawn, for the CSV; ids are in it and in each mark's ``customdata``.
    """

    figure: go.Figure
    alt: str
    caption: str = ""
    data: pd.DataFrame = field(default_factory=pd.DataFrame)


@dataclass(frozen=True, kw_only=True)
class SystemStyle:
    """One system's colour and mark, the same on every page."""

    color: str
    symbol: str
    dash: str


def system_styles(systems: Sequence[str]) -> dict[str, SystemStyle]:
    """A style for each system of the study, given by alphabetical order."""
    styles = {}
    for place, name in enumerate(sorted(set(systems))):
        turn = place % len(SYSTEM_COLORS)
        styles[name] = SystemStyle(
            color=SYSTEM_COLORS[turn], symbol=SYSTEM_SYMBOLS[turn], dash=SYSTEM_DASHES[turn]
        )
    return styles


def tint(color: str, alpha: float) -> str:
    """A #RRGGBB colour made transparent."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {alpha:g})"


def base_layout(theme: Theme, *, height: int = 320, **more: Any) -> dict[str, Any]:
    """The layout that every figure starts from; ``more`` is put over it, axis by axis."""
    axis = {
        "gridcolor": theme.grid,
        "linecolor": theme.grid,
        "zeroline": False,
        "automargin": True,
        "tickfont": {"size": 12, "color": theme.muted},
        "title": {"font": {"size": 13, "color": theme.muted}, "standoff": 10},
        "fixedrange": True,
    }
    layout: dict[str, Any] = {
        "height": height,
        "margin": {"l": 8, "r": 12, "t": 12, "b": 8},
        "paper_bgcolor": "rgba(0, 0, 0, 0)",
        "plot_bgcolor": "rgba(0, 0, 0, 0)",
        "font": {"family": FONT, "size": 13, "color": theme.ink},
        "hoverlabel": {"align": "left", "font": {"size": 13}},
        "showlegend": False,
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.02,
            "yanchor": "bottom",
            "font": {"size": 12, "color": theme.ink},
            "itemclick": False,
            "itemdoubleclick": False,
        },
    }
    axes = [name for name in more if name[1:5] == "axis"]
    for name in dict.fromkeys(("xaxis", "yaxis", *axes)):
        own = dict(more.pop(name, {}))
        if isinstance(own.get("title"), str):
            own["title"] = {**axis["title"], "text": own["title"]}  # type: ignore[dict-item]
        layout[name] = {**axis, **own}
    for name, value in more.items():
        old = layout.get(name)
        layout[name] = {**old, **value} if isinstance(old, dict) else value
    return layout


def lay_out(figure: go.Figure, layout: dict[str, Any]) -> None:
    """Give a figure its whole layout at once: half the time that ``update_layout`` takes."""
    figure.layout = layout


def figure_of(traces: list[dict[str, Any]], layout: dict[str, Any]) -> go.Figure:
    """A figure from plain descriptions, taken as they are.

    plotly's checks of every property take five times as long as the rest; the tests make them.
    """
    import plotly.graph_objects as go

    return go.Figure(data=traces, layout=layout, _validate=False)


def operating_line(theta: float) -> dict[str, Any]:
    """The orange line at the operating point, as a layout shape over the whole height."""
    return {
        "type": "line",
        "x0": theta,
        "x1": theta,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": {"color": OPERATING_POINT, "width": 2},
        "layer": "above",
    }
