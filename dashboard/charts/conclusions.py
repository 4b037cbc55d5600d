"""The strip: for which thresholds θ each conclusion holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.hindsight.results import Conclusion, Sweep
from dashboard.charts.sweep import THETA_AXIS, visible_thetas
from dashboard.charts.theme import Chart, SystemStyle, Theme, base_layout, lay_out, operating_line
from dashboard.prose import count, fixed, label, number, shorten


def strip_chart(
    sweep: Sweep,
    theta: float,
    theme: Theme,
    styles: Mapping[str, SystemStyle],
    systems: Sequence[str],
) -> Chart:
    """For which θ each conclusion about ``systems`` holds: a bar over a grey track."""
    low, high = visible_thetas(sweep, theta)
    items = conclusions_of(sweep, systems)
    colors = conclusion_colors(items, styles)
    figure = go.Figure()
    rows = []
    places = list(range(len(items)))
    figure.add_bar(
        y=places,
        x=[high - low] * len(places),
        base=[low] * len(places),
        orientation="h",
        width=0.42,
        marker={"color": theme.grid, "line": {"width": 0}},
        hoverinfo="skip",
    )
    for place, item in zip(places, items, strict=True):
        spans = holding(sweep.thetas, item)
        rows += [{"conclusion": item.statement, "from": a, "to": b} for a, b in spans]
        shown = [(max(a, low), min(b, high)) for a, b in spans if b > low and a < high]
        figure.add_bar(
            y=[place] * len(shown),
            x=[b - a for a, b in shown],
            base=[a for a, _ in shown],
            orientation="h",
            width=0.42,
            marker={"color": colors.get(item.name, theme.muted), "line": {"width": 0}},
            customdata=[[fixed(a, 3), fixed(b, 3)] for a, b in shown],
            hovertemplate=f"{_wrapped(item.statement)}<br>from θ = %{{customdata[0]}} to"
            " %{customdata[1]}<extra></extra>",
        )
    lay_out(
        figure,
        base_layout(
            theme,
            height=80 + 34 * len(places),
            barmode="overlay",
            xaxis={"title": THETA_AXIS, "range": [low, high], "nticks": 8},
            yaxis={
                "autorange": "reversed",
                "showgrid": False,
                "tickvals": places,
                "ticktext": [short_statement(item) for item in items],
            },
            shapes=[operating_line(theta)],
        ),
    )
    here = [item.statement for item in items if holds_at(sweep.thetas, item, theta)]
    told = f"At θ = {number(theta)} these hold: {'; '.join(here)}." if here else "None holds now."
    return Chart(
        figure=figure,
        alt=f"For which θ each of {count(len(places), 'conclusion')} holds. {told}",
        caption="A bar covers every θ for which the statement is true. Significant means p < 0.05"
        " after Holm's correction.",
        data=pd.DataFrame(rows, columns=["conclusion", "from", "to"]),
    )


def conclusions_of(sweep: Sweep, systems: Sequence[str]) -> list[Conclusion]:
    """The conclusions that speak of no other system than these."""
    return [item for item in sweep.conclusions if set(_who(item)) <= set(systems)]


def conclusion_colors(
    items: Sequence[Conclusion], styles: Mapping[str, SystemStyle]
) -> dict[str, str]:
    """A conclusion about one system has its colour; one about the judges has none."""
    return {
        item.name: styles[_who(item)[0]].color
        for item in items
        if _who(item) and not item.name.startswith("judges")
    }


def short_statement(item: Conclusion) -> str:
    """A conclusion in a few words, for the axis; the whole statement is in the hover."""
    kind, *_ = item.name.split(":", 1)
    name = label(shorten(_who(item)[0], 20)) if _who(item) else ""
    if kind == "higher":
        return f"{name} scores higher"
    if kind == "judges_level":
        return "Judges: no difference overall"
    if kind.endswith("significant"):
        return "… significantly"
    if kind.startswith("novelty"):
        return f"{name}: novelty {'rises' if 'positively' in kind else 'falls'} with score"
    return _wrapped(item.statement)


def _who(item: Conclusion) -> list[str]:
    """The systems that a conclusion speaks of, as its name lists them."""
    return item.name.split(":")[1:]


def holding(thetas: NDArray[np.float64], item: Conclusion) -> list[tuple[float, float]]:
    """The stretches of θ in which a conclusion holds; each value reaches down to the θ before."""
    if not len(thetas):
        return []
    starts = np.concatenate([[min(-1.0, float(thetas[0]))], thetas[:-1]])
    edges = np.flatnonzero(np.diff(np.concatenate([[0], item.holds.astype(int), [0]])))
    return [
        (float(starts[first]), float(thetas[last - 1]))
        for first, last in zip(edges[::2], edges[1::2], strict=True)
    ]


def holds_at(thetas: NDArray[np.float64], item: Conclusion, theta: float) -> bool:
    """Whether a conclusion holds at this θ."""
    place = int(np.searchsorted(thetas, theta, side="left"))
    return place < len(thetas) and bool(item.holds[place])


def _wrapped(text: str, width: int = 34) -> str:
    words, lines = text.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > width and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "<br>".join(label(line) for line in lines)
