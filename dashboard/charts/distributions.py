"""Scores and marks of every idea, one row of points a system, with the mean and its interval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.hindsight.results import Score
from core.stats.resample import draw_topics, percentile_interval
from dashboard.charts.theme import Chart, SystemStyle, Theme, base_layout, figure_of, tint
from dashboard.prose import fixed, interval, label, listing, shorten

SCORE, JUDGE = "score", "judge_overall"
_AXIS = {SCORE: "HindSight score (0 to 1)", JUDGE: "Judges' overall mark (1 to 10)"}
_ALT = {SCORE: "HindSight scores", JUDGE: "judges' overall marks"}
_SPREAD = 0.28
_MANY = 3000


def distribution_chart(
    score: Score, value: str, styles: Mapping[str, SystemStyle], theme: Theme
) -> Chart:
    """Every idea's ``value`` ("score" or "judge_overall") by system, with means and intervals.

    Ideas without a value are left out; each row says how many it shows.
    """
    means = mean_table(score, value)
    ideas = score.ideas.dropna(subset=[value]).sort_values("idea_id")
    names = (ideas["system"].tolist(), ideas["idea_id"].tolist(), ideas["topic"].tolist())
    values = ideas[value].to_numpy(dtype=float)
    traces: list[dict[str, Any]] = []
    ticks = []
    for place, row in enumerate(reversed(list(means.itertuples()))):
        own = [k for k, system in enumerate(names[0]) if system == row.system]
        hover = [_hover(names[1][k], names[2][k]) for k in own]
        traces.append(_points(values[own], hover, place, styles[row.system], theme.point_alpha))
        traces += _mean(row, place, styles[row.system], theme)
        ticks.append(f"{label(shorten(row.system, 20))}<br>n = {row.n:,}")
    axis = {"tickvals": list(range(len(ticks))), "ticktext": ticks, "showgrid": False}
    layout = base_layout(
        theme,
        height=90 + 92 * len(ticks),
        xaxis={"title": _AXIS[value], "nticks": 6},
        yaxis={**axis, "range": [-0.5, len(ticks) - 0.5]},
    )
    told = [
        f"{row.system}: mean {fixed(row.mean, 3)} ({interval(row.mean_low, row.mean_high)}),"
        f" n = {row.n}"
        for row in means.itertuples()
    ]
    data = ideas[["idea_id", "system", "topic", value]].reset_index(drop=True)
    return Chart(
        figure=figure_of(traces, layout),
        alt=f"Distribution of {_ALT[value]} by system. {listing(told)}.",
        data=data,
    )


def mean_table(score: Score, value: str) -> pd.DataFrame:
    """Mean and 95 % interval of each system: system, n, mean, mean_low, mean_high.

    The score's are the result's own; those of marks come from the same clustered bootstrap. A
    system without a value has n = 0 and no mean.
    """
    if value == SCORE:
        return pd.DataFrame(
            [
                {
                    "system": row.system,
                    "n": row.n,
                    "mean": row.mean,
                    "mean_low": row.mean_low,
                    "mean_high": row.mean_high,
                }
                for row in score.systems
            ]
        )
    known = score.ideas.dropna(subset=[value]).sort_values("idea_id")
    rows = []
    settings = score.settings
    for row in score.systems:
        own = known["system"] == row.system
        if not own.any():
            rows.append({"system": row.system, "n": 0})
            continue
        draws = draw_topics(
            known["topic"].fillna("").tolist(),
            known["system"].tolist(),
            draws=settings.draws,
            seed=settings.seed,
        )
        values = known[[value]].to_numpy(dtype=float)
        drawn = percentile_interval(draws.means(values, own.to_numpy()))
        rows.append(
            {
                "system": row.system,
                "n": int(own.sum()),
                "mean": float(known.loc[own, value].mean()),
                "mean_low": float(drawn.low[0]),
                "mean_high": float(drawn.high[0]),
            }
        )
    return pd.DataFrame(rows, columns=["system", "n", "mean", "mean_low", "mean_high"])


def _hover(idea: str, topic: object) -> list[str]:
    return [idea, label(idea), label(topic) if isinstance(topic, str) else ""]


def _points(
    values: NDArray[np.float64],
    hover: list[list[str]],
    place: int,
    style: SystemStyle,
    alpha: float,
) -> dict[str, Any]:
    return {
        "type": "scattergl" if len(values) > _MANY else "scatter",
        "x": values,
        "y": place + _jitter(values),
        "mode": "markers",
        "marker": {"color": tint(style.color, alpha), "symbol": style.symbol, "size": 6},
        "customdata": hover,
        "hovertemplate": "%{customdata[1]}<br>%{customdata[2]}<br><b>%{x:.3f}</b><extra></extra>",
    }


def _mean(row: Any, place: int, style: SystemStyle, theme: Theme) -> list[dict[str, Any]]:
    """The mark of the mean with its interval; none where there is no mean."""
    mean, low, high = (getattr(row, name) for name in ("mean", "mean_low", "mean_high"))
    if mean is None or pd.isna(mean):
        return []
    trace: dict[str, Any] = {
        "type": "scatter",
        "x": [mean],
        "y": [place],
        "mode": "markers",
        "marker": {
            "color": theme.ink,
            "symbol": style.symbol,
            "size": 12,
            "line": {"color": theme.surface, "width": 1},
        },
        "hovertemplate": f"mean <b>{fixed(mean, 3)}</b><br>95 % interval {interval(low, high)}"
        "<extra></extra>",
    }
    if low is not None and not pd.isna(low):
        trace["error_x"] = {
            "type": "data",
            "symmetric": False,
            "array": [high - mean],
            "arrayminus": [mean - low],
            "thickness": 3,
            "width": 0,
            "color": theme.ink,
        }
    return [trace]


def _jitter(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Offsets across a row, wide where many ideas share a value; the same on every run."""
    if not len(values):
        return np.zeros(0)
    _, inverse, sizes = np.unique(np.round(values, 2), return_inverse=True, return_counts=True)
    golden = (np.arange(len(values)) * 0.6180339887) % 1 - 0.5
    crowd = np.sqrt(sizes[inverse] / sizes.max())
    return np.asarray(2 * _SPREAD * golden * np.maximum(crowd, 0.25))
