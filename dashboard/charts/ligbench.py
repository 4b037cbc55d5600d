"""Systems under LigBench: mean ratings as dots or radar, wins by the opponent, start against end."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from core.ligbench.rank import Rank
from dashboard.charts.theme import Chart, SystemStyle, Theme, base_layout, tint
from dashboard.prose import count, fixed, interval, label, listing, shorten

DIMENSION_NAMES = {
    "rating": "Rating",
    "contribution": "Contribution",
    "soundness": "Soundness",
    "novelty": "Novelty",
}
MODE_NAMES = {"latent": "latent", "paper": "paper-literal"}
_ORDER = list(DIMENSION_NAMES)


def in_order(systems: pd.DataFrame, by: str = "system") -> pd.DataFrame:
    """Rows by dimension in the house's order, then by the column ``by``."""
    place = systems["dimension"].map(_ORDER.index)
    ordered = systems.assign(_place=place).sort_values(
        ["_place", by], kind="stable", ignore_index=True
    )
    return ordered.drop(columns="_place")


def systems_dots(
    systems: pd.DataFrame, styles: Mapping[str, SystemStyle], theme: Theme, told: str
) -> Chart:
    """Mean and interval (x) by dimension (y), a mark a system; ``told`` names mode and judge."""
    data = in_order(systems)
    names = sorted(data["system"].unique())
    dimensions = [name for name in _ORDER if name in set(data["dimension"])]
    figure = go.Figure()
    for turn, system in enumerate(names):
        own = data[data["system"] == system]
        shift = (turn - (len(names) - 1) / 2) * min(0.22, 0.7 / len(names))
        figure.add_scatter(
            x=own["mean"],
            y=[dimensions.index(name) + shift for name in own["dimension"]],
            mode="markers",
            name=label(shorten(system, 24)),
            error_x={
                "type": "data",
                "symmetric": False,
                "array": (own["high"].astype(float) - own["mean"]).fillna(0),
                "arrayminus": (own["mean"] - own["low"].astype(float)).fillna(0),
                "color": styles[system].color,
                "thickness": 2,
                "width": 4,
            },
            marker={"color": styles[system].color, "symbol": styles[system].symbol, "size": 11},
            customdata=[_told(row) for row in own.to_dict("records")],
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_layout(
        base_layout(
            theme,
            height=110 + 62 * len(dimensions),
            showlegend=True,
            margin={"t": 34},
            xaxis={"title": "Mean over ideas, 0 to 5", "nticks": 7},
            yaxis={
                "tickvals": list(range(len(dimensions))),
                "ticktext": [DIMENSION_NAMES[name] for name in dimensions],
                "range": [len(dimensions) - 0.5, -0.5],
                "showgrid": False,
            },
        )
    )
    return Chart(
        figure=figure,
        alt=f"Mean LigBench marks by system. {_means(data)}.",
        caption=f"{told} Bars: 95 % interval, topics resampled.",
        data=data,
    )


def systems_radar(
    systems: pd.DataFrame, styles: Mapping[str, SystemStyle], theme: Theme, told: str
) -> Chart:
    """The same means as a radar, an axis a dimension, a line a system (LigBench Figure 5)."""
    data = in_order(systems)
    figure = go.Figure()
    for system in sorted(data["system"].unique()):
        own = data[data["system"] == system].to_dict("records")
        closed = [*own, *own[:1]]
        figure.add_scatterpolar(
            r=[row["mean"] for row in closed],
            theta=[DIMENSION_NAMES[row["dimension"]] for row in closed],
            mode="lines+markers",
            name=label(shorten(system, 24)),
            line={"color": styles[system].color, "dash": styles[system].dash, "width": 2},
            marker={"symbol": styles[system].symbol, "size": 8},
            fill="toself",
            fillcolor=tint(styles[system].color, 0.10),
            customdata=[_told(row) for row in closed],
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_layout(
        base_layout(
            theme,
            height=400,
            showlegend=True,
            margin={"t": 34, "b": 60, "l": 92, "r": 92},
            legend={"y": -0.14, "yanchor": "top", "x": 0.5, "xanchor": "center"},
        )
    )
    figure.update_layout(
        polar={
            "bgcolor": "rgba(0, 0, 0, 0)",
            "radialaxis": {
                "range": [0, 5],
                "dtick": 1,
                "gridcolor": theme.grid,
                "linecolor": theme.grid,
                "tickfont": {"size": 11, "color": theme.muted},
            },
            "angularaxis": {
                "rotation": 90,
                "direction": "clockwise",
                "gridcolor": theme.grid,
                "linecolor": theme.grid,
            },
        }
    )
    return Chart(
        figure=figure,
        alt=f"Radar of mean LigBench marks by system. {_means(data)}.",
        caption=f"{told} The rim is 5; intervals are in the dots and the table.",
        data=data,
    )


def wins_chart(
    wins: pd.DataFrame, dimension: str, styles: Mapping[str, SystemStyle], theme: Theme
) -> Chart:
    """Share of games won (y) by the reference's debiased score (x), a line a system."""
    figure = go.Figure()
    for system in sorted(wins["system"].unique()):
        own = wins[wins["system"] == system]
        style = styles[system]
        figure.add_scatter(
            x=own["score"],
            y=own["share"],
            mode="lines+markers",
            name=label(shorten(system, 24)),
            line={"color": style.color, "dash": style.dash, "width": 2},
            marker={"symbol": style.symbol, "size": 9},
            error_y={
                "type": "data",
                "symmetric": False,
                "array": (own["high"].astype(float) - own["share"]).fillna(0),
                "arrayminus": (own["share"] - own["low"].astype(float)).fillna(0),
                "color": style.color,
                "thickness": 1.5,
                "width": 3,
            },
            customdata=[
                f"{label(system)}<br>references {interval(row.score_low, row.score_high)}: won"
                f" <b>{row.share:.0%}</b> of {row.n:,} games"
                for row in own.itertuples()
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_layout(
        base_layout(
            theme,
            height=320,
            showlegend=True,
            margin={"t": 34},
            xaxis={"title": f"Reference's debiased {dimension}", "nticks": 6},
            yaxis={"title": "Share of games won", "range": [0, 1], "tickformat": ".0%"},
        )
    )
    told = [
        f"{name} from {group['share'].iloc[0]:.0%} to {group['share'].iloc[-1]:.0%}"
        for name, group in wins.groupby("system", sort=True)
    ]
    return Chart(
        figure=figure,
        alt=f"Share of games won by the reference's score, weakest to strongest: {listing(told)}.",
        caption=(
            "A tie is half a win. Bands hold about as many games each; bars: 95 % interval. A judge"
            " who sees what reviewers saw gives lines that fall."
        ),
        data=wins,
    )


def start_end_chart(
    ranked: Rank, dimension: str, styles: Mapping[str, SystemStyle], theme: Theme
) -> Chart:
    """Each idea's first mark (x) and its rating after its games (y)."""
    data = ranked.ideas[ranked.ideas["dimension"] == dimension]
    data = data[["idea_id", "system", "start", "start_known", "elo", "bradley_terry"]]
    figure = go.Figure()
    for system in sorted(data["system"].unique()):
        own = data[data["system"] == system]
        figure.add_scatter(
            x=own["start"],
            y=own["elo"],
            mode="markers",
            name=label(shorten(system, 24)),
            marker={
                "color": styles[system].color,
                "symbol": styles[system].symbol,
                "size": 8,
                "opacity": theme.point_alpha,
            },
            customdata=[
                [row.idea_id, label(row.idea_id), fixed(row.start, 2), fixed(row.elo, 2)]
                for row in own.itertuples()
            ],
            hovertemplate="%{customdata[1]}<br>start %{customdata[2]}, end %{customdata[3]}<extra></extra>",
        )
    figure.update_layout(
        base_layout(
            theme,
            height=320,
            showlegend=True,
            margin={"t": 34},
            xaxis={"title": "Start: the judge's first mark", "range": [-0.1, 5.1]},
            yaxis={"title": "End: rating after its games", "range": [-0.1, 5.1]},
            shapes=[
                {
                    "type": "line",
                    "x0": 0,
                    "y0": 0,
                    "x1": 5,
                    "y1": 5,
                    "line": {"color": theme.muted, "width": 1, "dash": "dot"},
                    "layer": "below",
                }
            ],
        )
    )
    up = int((data["elo"] > data["start"]).sum())
    return Chart(
        figure=figure,
        alt=(
            f"First mark against final {dimension} of {count(len(data), 'idea')}: {up} end above"
            " their start."
        ),
        caption=f"On the dotted line games changed nothing; {up} of {len(data):,} end above it.",
        data=data,
    )


def _told(row: Mapping[str, object]) -> str:
    mean, low, high = (_float(row[name]) for name in ("mean", "low", "high"))
    return (
        f"{label(row['system'])}, {row['dimension']}<br><b>{fixed(mean, 2)}</b>"
        f" (95 % interval {interval(low, high, decimals=2)}), n = {row['n']}"
    )


def _means(data: pd.DataFrame) -> str:
    return listing(
        [
            f"{row['system']}, {row['dimension']}: {fixed(_float(row['mean']), 2)}"
            for row in data.to_dict("records")
        ]
    )


def _float(value: object) -> float | None:
    return None if value is None or pd.isna(value) else float(value)  # type: ignore[arg-type]
