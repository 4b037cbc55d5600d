"""Forecasts scored: systems with intervals, differences from a baseline, and change over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from core.forecast.score import ForecastScore
from dashboard.charts.theme import Chart, SystemStyle, Theme, base_layout, tint
from dashboard.prose import count, fixed, interval, label, listing, shorten

METRICS = {"hit": "Hit", "precision": "Precision", "mrr": "MRR", "soft": "Soft score"}
MEANINGS = {
    "hit": "share of episodes in which any forecast was credited",
    "precision": "credited forecasts over the slots asked for, mean over episodes",
    "mrr": "1 / rank of the first credited forecast (0 without one), mean over episodes",
    "soft": "mean (P + M + S) / 9 over credited forecasts (0 without one), mean over episodes",
}


def metric_name(metric: str, slots: int) -> str:
    """ "Hit@5", "Precision@5", "MRR", "Soft score"."""
    name = METRICS[metric]
    return f"{name}@{slots}" if metric in ("hit", "precision") else name


def systems_of(score: ForecastScore, judge: str) -> pd.DataFrame:
    """The rows of one judge by system."""
    rows = score.systems[score.systems["judge"] == judge]
    return rows.sort_values("system").reset_index(drop=True)


def differences(score: ForecastScore, judge: str, metric: str, baseline: str) -> pd.DataFrame:
    """Each other system minus ``baseline``: system, baseline, judge, metric, episodes, difference,
    low, high; None where there is no common episode."""
    rows = score.pairs[(score.pairs["judge"] == judge) & (score.pairs["metric"] == metric)]
    found = []
    for row in rows.to_dict("records"):
        if baseline not in (row["a"], row["b"]):
            continue
        turned = row["a"] == baseline
        known = {k: None if pd.isna(row[k]) else row[k] for k in ("difference", "low", "high")}
        if turned:
            low, high = known["high"], known["low"]
            known["low"] = None if low is None else -low
            known["high"] = None if high is None else -high
            known["difference"] = None if known["difference"] is None else -known["difference"]
        found.append(
            {
                "system": row["b"] if turned else row["a"],
                "baseline": baseline,
                "judge": judge,
                "metric": metric,
                "episodes": int(row["episodes"]),
                **known,
            }
        )
    columns = ["system", "baseline", "judge", "metric", "episodes", "difference", "low", "high"]
    frame = pd.DataFrame(found, columns=columns).astype(object)
    return frame.where(frame.notna(), None).sort_values("system").reset_index(drop=True)


def systems_chart(
    score: ForecastScore,
    judge: str,
    metric: str,
    styles: Mapping[str, SystemStyle],
    theme: Theme,
) -> Chart:
    """One metric of every system under one judge, with 95 % intervals."""
    rows = systems_of(score, judge)
    columns = ["system", "judge", "episodes", "left_out", metric, f"{metric}_low", f"{metric}_high"]
    traces: list[dict[str, Any]] = []
    ticks, told = [], []
    for place, row in enumerate(reversed(rows.to_dict("records"))):
        value, low, high = row[metric], row[f"{metric}_low"], row[f"{metric}_high"]
        ticks.append(f"{label(shorten(row['system'], 20))}<br>n = {row['episodes']:,}")
        if value is None:
            continue
        hover = [
            label(row["system"]),
            fixed(value, 3),
            interval(low, high, decimals=3),
            count(row["episodes"], "episode"),
            f"{row['left_out']:,}",
        ]
        traces += _interval_mark(place, value, low, high, hover, styles[row["system"]])
        told.append(f"{row['system']} {fixed(value, 3)} ({interval(low, high, decimals=3)})")
    slots = score.settings.slots
    figure = go.Figure(
        traces,
        base_layout(
            theme,
            height=70 + 62 * max(len(ticks), 1),
            xaxis={"title": f"{metric_name(metric, slots)} (0 to 1)", "range": [0, 1.02]},
            yaxis=_rows_axis(ticks),
        ),
    )
    return Chart(
        figure=figure,
        alt=f"{metric_name(metric, slots)} by system under {judge}: {listing(told) or 'none'}.",
        caption=(
            f"{metric_name(metric, slots)}: {MEANINGS[metric]}. Intervals at 95 % resample"
            f" {score.resampled}, {score.settings.draws:,} draws; n counts episodes without a"
            " failed verdict."
        ),
        data=rows[columns],
    )


def differences_chart(
    score: ForecastScore,
    judge: str,
    metric: str,
    baseline: str,
    styles: Mapping[str, SystemStyle],
    theme: Theme,
) -> Chart:
    """Every other system minus the baseline over common episodes, with 95 % intervals."""
    rows = differences(score, judge, metric, baseline)
    traces: list[dict[str, Any]] = []
    ticks, told = [], []
    ends = [0.1]
    for place, row in enumerate(reversed(rows.to_dict("records"))):
        ticks.append(f"{label(shorten(row['system'], 20))}<br>n = {row['episodes']:,}")
        value, low, high = row["difference"], row["low"], row["high"]
        if value is None:
            continue
        ends += [abs(end) for end in (value, low, high) if end is not None]
        hover = [
            f"{label(row['system'])} − {label(baseline)}",
            fixed(value, 3),
            interval(low, high, decimals=3),
            count(row["episodes"], "common episode"),
            "",
        ]
        traces += _interval_mark(place, value, low, high, hover, styles[row["system"]])
        told.append(f"{row['system']} {fixed(value, 3)} ({interval(low, high, decimals=3)})")
    # A row more than it has, so that it stands level with the chart of all systems.
    rows_high = len(ticks) + 1
    reach = 1.15 * max(ends)
    name = metric_name(metric, score.settings.slots)
    figure = go.Figure(
        traces,
        base_layout(
            theme,
            height=70 + 62 * rows_high,
            xaxis={
                "title": f"Difference in {name}",
                "range": [-reach, reach],
                "zeroline": True,
                "zerolinecolor": theme.muted,
                "nticks": 7,
            },
            yaxis=_rows_axis(ticks),
        ),
    )
    return Chart(
        figure=figure,
        alt=f"Difference of {name} from {baseline} under {judge}: {listing(told) or 'none'}.",
        caption=(
            "Paired by episode: n counts those that both systems have and in which no verdict"
            " failed. An interval that holds 0 tells no difference."
        ),
        data=rows,
    )


def cutoffs_table(score: ForecastScore, judge: str, metric: str) -> pd.DataFrame:
    """Mean over topics by system and cutoff: system, cutoff, mean, episodes, left_out."""
    own = score.episodes[score.episodes["judge"] == judge]
    grouped = own.groupby(["system", "cutoff"], sort=True)[metric]
    frame = grouped.agg(mean="mean", episodes="count", all="size").reset_index()
    frame["left_out"] = frame.pop("all") - frame["episodes"]
    return frame


def cutoffs_chart(
    score: ForecastScore,
    judge: str,
    metric: str,
    styles: Mapping[str, SystemStyle],
    theme: Theme,
) -> Chart:
    """One metric over cutoffs, a line a system; gaps where every episode failed."""
    rows = cutoffs_table(score, judge, metric)
    name = metric_name(metric, score.settings.slots)
    traces = []
    for system, own in rows.groupby("system", sort=True):
        style = styles[str(system)]
        traces.append(
            {
                "type": "scatter",
                "x": own["cutoff"].dt.date.tolist(),
                "y": own["mean"].astype(object).where(own["mean"].notna(), None).tolist(),
                "name": label(shorten(str(system), 24)),
                "mode": "lines+markers",
                "line": {"color": style.color, "dash": style.dash, "width": 2},
                "marker": {"color": style.color, "symbol": style.symbol, "size": 9},
                "customdata": [
                    [label(system), f"{day:%Y-%m-%d}", n, left]
                    for day, n, left in zip(
                        own["cutoff"], own["episodes"], own["left_out"], strict=True
                    )
                ],
                "hovertemplate": (
                    "%{customdata[0]}, cutoff %{customdata[1]}<br><b>%{y:.3f}</b>"
                    "<br>n = %{customdata[2]} episodes, %{customdata[3]} left out<extra></extra>"
                ),
            }
        )
    days = sorted(set(rows["cutoff"].dt.date))
    few = days if len(days) <= 6 else days[:: -(-len(days) // 6)]
    figure = go.Figure(
        traces,
        base_layout(
            theme,
            height=340,
            showlegend=True,
            xaxis={
                "title": "Cutoff",
                "tickvals": few,
                "ticktext": [f"{day:%b}<br>{day:%Y}" for day in few],
            },
            yaxis={"title": f"{name} (0 to 1)", "range": [-0.03, 1.05]},
        ),
    )
    ends = [
        f"{system} {fixed(_known(own['mean'].iloc[0]), 2)} to {fixed(_known(own['mean'].iloc[-1]), 2)}"
        for system, own in rows.groupby("system", sort=True)
    ]
    return Chart(
        figure=figure,
        alt=f"{name} over {count(len(days), 'cutoff')} under {judge}, first to last: {listing(ends)}.",
        caption="Mean over the topics of each cutoff; few episodes lie behind a point, so expect"
        " some swing.",
        data=rows,
    )


def _interval_mark(
    place: int,
    value: float,
    low: float | None,
    high: float | None,
    hover: list[str],
    style: SystemStyle,
) -> list[dict[str, Any]]:
    """A mark on its interval, the interval behind it."""
    traces: list[dict[str, Any]] = []
    if low is not None and high is not None:
        traces.append(
            {
                "type": "scatter",
                "x": [low, high],
                "y": [place, place],
                "mode": "lines",
                "line": {"color": tint(style.color, 0.55), "width": 5},
                "hoverinfo": "skip",
            }
        )
    left_out = "<br>%{customdata[4]} left out" if hover[4] else ""
    traces.append(
        {
            "type": "scatter",
            "x": [value],
            "y": [place],
            "mode": "markers",
            "marker": {"color": style.color, "symbol": style.symbol, "size": 13},
            "customdata": [hover],
            "hovertemplate": (
                "%{customdata[0]}<br><b>%{customdata[1]}</b> (95 % interval %{customdata[2]})"
                f"<br>%{{customdata[3]}}{left_out}<extra></extra>"
            ),
        }
    )
    return traces


def _rows_axis(ticks: list[str]) -> dict[str, Any]:
    return {
        "tickvals": list(range(len(ticks))),
        "ticktext": ticks,
        "showgrid": False,
        "range": [-0.6, max(len(ticks), 1) - 0.4],
    }


def _known(value: float) -> float | None:
    return None if pd.isna(value) else float(value)
