"""Everything against the threshold θ: curves, the ratio, the strip of conclusions, similarities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.hindsight.results import Conclusion, Sweep
from dashboard.charts.theme import (
    Chart,
    SystemStyle,
    Theme,
    base_layout,
    operating_line,
    tint,
)
from dashboard.prose import count, fixed, label, listing, number, percent, shorten


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
if TYPE_CHECKING:
    from core.hindsight.calibration import Calibration

_DRAWN = 500
_THETA = "Threshold θ (cosine)"


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
    figure.update_layout(
        base_layout(
            theme,
            height=330,
            xaxis={"title": _THETA, "range": list(visible_thetas(sweep, theta)), "nticks": 7},
            yaxis={"title": kind.axis, "rangemode": "tozero"},
            shapes=[operating_line(theta)],
            showlegend=True,
            margin={"t": 40},
        )
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

    Where the ratio is undefined (no idea of ``b`` scores) the line stops. The axis is
    logarithmic, so that 2 times and one half lie equally far from 1.
    """
    own = sweep.ratios[(sweep.ratios["a"] == a) & (sweep.ratios["b"] == b)]
    known = own.dropna(subset=["ratio"])
    known = known[known["ratio"] > 0]
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
    figure.update_layout(
        base_layout(
            theme,
            height=330,
            xaxis={"title": _THETA, "range": [low, high], "nticks": 7},
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
        )
    )
    here = value_at(own["theta"].to_numpy(), own["ratio"].to_numpy(dtype=float), theta)
    return Chart(
        figure=figure,
        alt=f"Ratio of the mean score of {a} to that of {b} against θ, with its 95 % band. At"
        f" θ = {number(theta)}: {number(here)}.",
        data=own,
    )


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
    figure.update_layout(
        base_layout(
            theme,
            height=80 + 34 * len(places),
            barmode="overlay",
            xaxis={"title": _THETA, "range": [low, high], "nticks": 8},
            yaxis={
                "autorange": "reversed",
                "showgrid": False,
                "tickvals": places,
                "ticktext": [short_statement(item) for item in items],
            },
            shapes=[operating_line(theta)],
        )
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
            }
        )
    figure.update_layout(
        base_layout(
            theme,
            height=330,
            xaxis={"title": "Similarity (cosine)", "nticks": 7},
            yaxis={"title": "Density", "showticklabels": False, "rangemode": "tozero"},
            shapes=shapes,
            annotations=notes,
            showlegend=True,
            margin={"t": 40},
        )
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


def _p(frame: pd.DataFrame) -> NDArray[np.float64]:
    return np.asarray(frame["p"], dtype=float)


def _wrapped(text: str, width: int = 34) -> str:
    words, lines = text.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > width and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "<br>".join(label(line) for line in lines)
