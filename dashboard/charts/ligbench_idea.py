"""One idea under LigBench: its rating's path in both modes, and what the order of games does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.ligbench.idea_games import IdeaGames
from dashboard.charts.ligbench import MODE_NAMES
from dashboard.charts.theme import OPERATING_POINT, Chart, SystemStyle, Theme, base_layout
from dashboard.prose import count, fixed, interval

_SPREAD = 0.24
_DASHES = {"latent": "solid", "paper": "dash"}


def trajectory_chart(found: IdeaGames, style: SystemStyle, theme: Theme) -> Chart:
    """Rating (y) after each game (x) of one order, in latent and in paper-literal mode.

    The line of Bradley–Terry, which knows no order, lies beneath.
    """
    figure = go.Figure()
    rows = []
    for mode, run in found.runs.items():
        colour = style.color if mode == "latent" else theme.ink
        figure.add_scatter(
            x=list(range(len(run.path))),
            y=run.path,
            mode="lines+markers" if len(run.path) <= 60 else "lines",
            name=MODE_NAMES[mode],
            line={"color": colour, "dash": _DASHES[mode], "width": 2},
            marker={"size": 6, "symbol": style.symbol if mode == "latent" else "x"},
            hovertemplate=f"after game %{{x}}: <b>%{{y:.2f}}</b> ({MODE_NAMES[mode]})<extra></extra>",
        )
        rows += [
            {"mode": mode, "game": game, "score": float(score)}
            for game, score in enumerate(run.path)
        ]
    shapes = []
    if found.fit.value is not None:
        shapes.append(
            {
                "type": "line",
                "x0": 0,
                "x1": 1,
                "xref": "paper",
                "y0": found.fit.value,
                "y1": found.fit.value,
                "line": {"color": theme.muted, "width": 1.5, "dash": "dot"},
                "layer": "below",
            }
        )
    low = min([0.0, *(float(run.path.min()) for run in found.runs.values())])
    high = max([5.0, *(float(run.path.max()) for run in found.runs.values())])
    figure.update_layout(
        base_layout(
            theme,
            height=320,
            showlegend=True,
            margin={"t": 34},
            xaxis={"title": "Games played, in one seeded order", "rangemode": "tozero"},
            yaxis={"title": found.dimension.capitalize(), "range": [low - 0.1, high + 0.1]},
            shapes=shapes,
        )
    )
    ends = {mode: float(run.path[-1]) for mode, run in found.runs.items()}
    return Chart(
        figure=figure,
        alt=(
            f"Path of the {found.dimension} of idea {found.idea_id} from {fixed(found.start, 2)}:"
            f" latent ends at {fixed(ends['latent'], 2)}, paper-literal at"
            f" {fixed(ends['paper'], 2)}."
        ),
        caption=(
            "The paper's Algorithm 1 squeezes the score by tanh after every game, which drags it"
            " to 2.5; latent mode does not. Dotted: Bradley–Terry, which knows no order."
        ),
        data=pd.DataFrame(rows),
    )


def spread_chart(found: IdeaGames, style: SystemStyle, theme: Theme) -> Chart:
    """Final rating (x) of every seeded order by mode, above the Bradley–Terry interval."""
    figure = go.Figure()
    generator = np.random.default_rng(found.settings.seed)
    rows = []
    for place, (mode, run) in enumerate(found.runs.items()):
        jitter = generator.uniform(-_SPREAD, _SPREAD, len(run.finals))
        figure.add_scattergl(
            x=run.finals,
            y=place + jitter,
            mode="markers",
            marker={
                "color": style.color if mode == "latent" else theme.muted,
                "symbol": "circle" if mode == "latent" else "x",
                "size": 5,
                "opacity": theme.point_alpha,
            },
            hovertemplate="an order ends at <b>%{x:.2f}</b><extra></extra>",
        )
        low, high = run.interval
        figure.add_scatter(
            x=[low, run.mean, high],
            y=[place] * 3,
            mode="lines+markers",
            line={"color": theme.ink, "width": 2},
            marker={"color": theme.ink, "symbol": ["line-ns", "circle", "line-ns"], "size": 9},
            hovertemplate=(
                f"{MODE_NAMES[mode]}: mean <b>{run.mean:.2f}</b>, 95 % of orders"
                f" {interval(low, high, decimals=2)}<extra></extra>"
            ),
        )
        rows += [{"mode": mode, "order": n + 1, "elo": float(v)} for n, v in enumerate(run.finals)]
    fit = found.fit
    if fit.value is not None:
        figure.add_scatter(
            x=[fit.low, fit.value, fit.high],
            y=[2] * 3,
            mode="lines+markers",
            line={"color": theme.ink, "width": 2},
            marker={"color": theme.ink, "symbol": ["line-ns", "square", "line-ns"], "size": 9},
            hovertemplate=(
                f"Bradley–Terry <b>{fit.value:.2f}</b>, 95 % interval"
                f" {interval(fit.low, fit.high, decimals=2)}<extra></extra>"
            ),
        )
    figure.update_layout(
        base_layout(
            theme,
            height=320,
            xaxis={
                "title": f"{found.dimension.capitalize()} after all games",
                "range": [-0.1, 5.1],
            },
            yaxis={
                "tickvals": [0, 1, 2],
                "ticktext": ["latent", "paper-<br>literal", "Bradley–<br>Terry"],
                "range": [2.6, -0.6],
                "showgrid": False,
            },
            shapes=[
                {
                    "type": "line",
                    "x0": found.start,
                    "x1": found.start,
                    "y0": 0,
                    "y1": 1,
                    "yref": "paper",
                    "line": {"color": OPERATING_POINT, "width": 1.5, "dash": "dot"},
                }
            ],
            annotations=[
                {
                    "text": "start",
                    "x": found.start,
                    "y": 1,
                    "yref": "paper",
                    "yanchor": "bottom",
                    "yshift": -2,
                    "showarrow": False,
                    "font": {"size": 12, "color": OPERATING_POINT},
                }
            ],
            margin={"t": 22},
        )
    )
    told = [
        f"{MODE_NAMES[mode]} {fixed(run.mean, 2)} ({interval(*run.interval, decimals=2)})"
        for mode, run in found.runs.items()
    ]
    orders = len(next(iter(found.runs.values())).finals)
    return Chart(
        figure=figure,
        alt=(
            f"Final {found.dimension} of idea {found.idea_id} over {count(orders, 'order')}:"
            f" {'; '.join(told)}; Bradley–Terry {fixed(fit.value, 2)}."
        ),
        caption=(
            f"A mark an order ({orders:,} seeded orders), and their mean with 95 % of"
            " them. The Bradley–Terry bar is the uncertainty of the games themselves."
        ),
        data=pd.DataFrame(rows),
    )
