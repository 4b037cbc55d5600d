"""The reference set, and how far the judges can be trusted on it."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from core.ligbench.references import ReferencesReport
from dashboard.charts.theme import SYSTEM_SYMBOLS, Chart, Theme, base_layout
from dashboard.prose import count, fixed, label, listing, percent, shorten

_MOST_BARS = 15


def means_chart(report: ReferencesReport, dimension: str, theme: Theme) -> Chart:
    """A venue's mean before (open) and after (filled) the shift onto the mean of all."""
    data = report.means[report.means["dimension"] == dimension].reset_index(drop=True)
    names = [_venue(row) for row in data.to_dict("records")]
    known = data["before"].notna()
    figure = go.Figure()
    for row, name in zip(data[known].itertuples(), _where(names, known), strict=True):
        figure.add_scatter(
            x=[row.before, row.after],
            y=[name, name],
            mode="lines",
            line={"color": theme.context, "width": 2},
            hoverinfo="skip",
            showlegend=False,
        )
    for column, symbol, told in (
        ("before", "circle-open", "as reviewed"),
        ("after", "circle", "debiased"),
    ):
        figure.add_scatter(
            x=data.loc[known, column],
            y=_where(names, known),
            mode="markers",
            name=told,
            marker={"symbol": symbol, "size": 11, "color": theme.ink, "line": {"width": 2}},
            hovertemplate=f"%{{y}}, {told}: <b>%{{x:.3f}}</b><extra></extra>",
        )
    figure.update_layout(
        base_layout(
            theme,
            height=max(190, 110 + 34 * len(names)),
            showlegend=True,
            margin={"t": 34},
            xaxis={"title": f"Mean {dimension}, 0 to 5", "nticks": 6},
            yaxis={"autorange": "reversed", "showgrid": False, "type": "category"},
        )
    )
    means = [
        f"{name} {fixed(row.before, 3)}"
        for name, row in zip(names, data.itertuples(), strict=True)
        if row.before is not None and not pd.isna(row.before)
    ]
    overall = report.overall[dimension]
    return Chart(
        figure=figure,
        alt=f"Mean {dimension} by venue before debiasing: {listing(means)}; all {fixed(overall, 3)}.",
        caption=(
            f"Each venue and year is moved onto the mean of all references ({fixed(overall, 3)});"
            " gaps within a venue stay as they were."
        ),
        data=data,
    )


def shares_chart(shares: pd.DataFrame, noun: str, theme: Theme) -> Chart:
    """How many references have each decision, or lie in each area; the most first."""
    shown = shares.head(_MOST_BARS)
    names = [label(shorten(name, 34)) for name in shown["name"]]
    figure = go.Figure(
        go.Bar(
            x=shown["n"],
            y=list(range(len(shown))),
            orientation="h",
            marker={"color": theme.context},
            text=[f"{row.n:,} ({percent(row.share)})" for row in shown.itertuples()],
            textposition="auto",
            textfont={"color": theme.ink},
            customdata=names,
            hovertemplate="%{customdata}: <b>%{text}</b><extra></extra>",
        )
    )
    figure.update_layout(
        base_layout(
            theme,
            height=70 + 30 * max(len(shown), 2),
            xaxis={"title": "References", "nticks": 5},
            yaxis={
                "tickvals": list(range(len(shown))),
                "ticktext": names,
                "range": [len(shown) - 0.5, -0.5],
                "showgrid": False,
            },
            bargap=0.35,
        )
    )
    told = [f"{row.name_} {row.n}" for row in shown.rename(columns={"name": "name_"}).itertuples()]
    rest = len(shares) - len(shown)
    return Chart(
        figure=figure,
        alt=f"References by {noun}: {listing(told)}.",
        caption=f"{count(rest, 'smaller group')} not drawn; all are in the CSV." if rest else "",
        data=shares,
    )


def judges_chart(
    rows: pd.DataFrame, value: str, axis: str, theme: Theme, *, chance: float | None = None
) -> Chart:
    """``value`` (a share, x) of each judge by dimension (y); a mark a judge, interval if known.

    ``rows``: judge, dimension, n, ``value``, and low and high where there are some. ``chance``
    draws a dotted line.
    """
    data = rows[rows[value].notna()]
    judges = sorted(data["judge"].unique())
    dimensions = [d for d in ("rating", "contribution", "soundness") if d in set(data["dimension"])]
    figure = go.Figure()
    shades = (theme.ink, theme.muted, theme.context)
    for turn, judge in enumerate(judges):
        own = data[data["judge"] == judge]
        shift = (turn - (len(judges) - 1) / 2) * min(0.22, 0.7 / len(judges))
        bars = {}
        if {"low", "high"} <= set(own.columns):
            bars = {
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": (own["high"].astype(float) - own[value].astype(float)).fillna(0),
                    "arrayminus": (own[value].astype(float) - own["low"].astype(float)).fillna(0),
                    "thickness": 1.5,
                    "width": 3,
                }
            }
        figure.add_scatter(
            x=own[value].astype(float),
            y=[dimensions.index(name) + shift for name in own["dimension"]],
            mode="markers",
            name=label(shorten(judge, 24)),
            marker={
                "symbol": SYSTEM_SYMBOLS[turn % len(SYSTEM_SYMBOLS)],
                "size": 10,
                "color": shades[turn % len(shades)],
            },
            customdata=[
                f"{label(judge)}, {row['dimension']}: <b>{float(row[value]):.1%}</b>, n = {row['n']:,}"
                for row in own.to_dict("records")
            ],
            hovertemplate="%{customdata}<extra></extra>",
            **bars,
        )
    shapes = []
    if chance is not None:
        shapes = [
            {
                "type": "line",
                "x0": chance,
                "x1": chance,
                "y0": 0,
                "y1": 1,
                "yref": "paper",
                "line": {"color": theme.muted, "width": 1, "dash": "dot"},
            }
        ]
    values = data[value].astype(float)
    low = 0.0 if chance is None else min(0.4, float(values.min()) - 0.05)
    top = 1.02 if chance is not None else max(0.3, float(values.max()) * 1.15)
    figure.update_layout(
        base_layout(
            theme,
            height=100 + 56 * len(dimensions),
            showlegend=True,
            margin={"t": 34},
            xaxis={"title": axis, "range": [low, top], "tickformat": ".0%"},
            yaxis={
                "tickvals": list(range(len(dimensions))),
                "ticktext": [name.capitalize() for name in dimensions],
                "range": [len(dimensions) - 0.5, -0.5],
                "showgrid": False,
            },
            shapes=shapes,
        )
    )
    told = [
        f"{row['judge']}, {row['dimension']} {percent(float(row[value]))}"
        for row in data.to_dict("records")
    ]
    return Chart(figure=figure, alt=f"{axis}: {listing(told)}.", data=rows)


def _venue(row: dict[str, object]) -> str:
    year = row["year"]
    known = "" if year is None or pd.isna(year) else f" {int(float(str(year)))}"
    return label(shorten(f"{row['venue'] or 'not stated'}{known}", 30))


def _where(names: list[str], known: pd.Series) -> list[str]:
    return [name for name, keep in zip(names, known, strict=True) if keep]
