"""Forecasts by topic, what failed verdicts could change, and one forecast's candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
import plotly.graph_objects as go

from core.forecast.score import ForecastScore
from dashboard.charts.forecast import metric_name, systems_of
from dashboard.charts.theme import NEGATIVE, Chart, SystemStyle, Theme, base_layout, tint
from dashboard.prose import fixed, label, listing, shorten

if TYPE_CHECKING:
    from core.forecast.episode_view import CandidateOutcome
    from core.forecast.inspector import ForecastView

OUTCOMES = {
    "credited": ("credited", "circle", 13),
    "taken": ("passes, credited to another", "diamond", 11),
    "passed_over": ("passes, a nearer one credited", "square", 10),
    "below_gate": ("below the gate", "x-thin-open", 9),
    "failed": ("verdict failed", "cross-open", 9),
    "unjudged": ("not judged", "circle-open", 9),
}


def topics_table(score: ForecastScore, judge: str, metric: str) -> pd.DataFrame:
    """Mean over cutoffs by topic and system: topic, system, mean, episodes, left_out."""
    own = score.episodes[score.episodes["judge"] == judge]
    grouped = own.groupby(["topic", "system"], sort=True)[metric]
    frame = grouped.agg(mean="mean", episodes="count", all="size").reset_index()
    frame["left_out"] = frame.pop("all") - frame["episodes"]
    return frame


def topics_chart(score: ForecastScore, judge: str, metric: str, theme: Theme) -> Chart:
    """One metric by topic (rows) and system (columns); darker is higher."""
    rows = topics_table(score, judge, metric)
    topics = sorted(rows["topic"].unique())
    systems = sorted(rows["system"].unique())
    cells = {(row["topic"], row["system"]): row for row in rows.to_dict("records")}
    grid = [[cells.get((topic, system)) for system in systems] for topic in topics]
    name = metric_name(metric, score.settings.slots)
    values = [[None if c is None or pd.isna(c["mean"]) else c["mean"] for c in r] for r in grid]
    figure = go.Figure(
        go.Heatmap(
            z=values,
            x=[label(shorten(system, 16)) for system in systems],
            y=[label(shorten(topic, 28)) or "no topic" for topic in topics],
            text=[["–" if v is None else fixed(v, 2) for v in line] for line in values],
            customdata=[[_hover(cell) for cell in line] for line in grid],
            texttemplate="%{text}",
            textfont={"size": 13},
            hovertemplate="%{customdata}<extra></extra>",
            colorscale=[[0, theme.surface], [1, NEGATIVE]],
            zmin=0,
            zmax=1,
            xgap=3,
            ygap=3,
            showscale=False,
        ),
        base_layout(
            theme,
            height=70 + 34 * max(len(topics), 1),
            xaxis={"side": "top", "showgrid": False, "type": "category"},
            yaxis={"autorange": "reversed", "showgrid": False, "type": "category"},
        ),
    )
    best = [
        f"{system} highest on {own.loc[own['mean'].idxmax(), 'topic']}"
        for system, own in rows.dropna(subset=["mean"]).groupby("system", sort=True)
    ]
    return Chart(
        figure=figure,
        alt=f"{name} of {len(topics)} topics by system under {judge}: {listing(best) or 'none'}.",
        caption="Mean over the cutoffs of each topic; a dash where every episode had a failed"
        " verdict or the system has none.",
        data=rows,
    )


def failures_chart(
    score: ForecastScore,
    judge: str,
    metric: str,
    styles: Mapping[str, SystemStyle],
    theme: Theme,
) -> Chart:
    """Each system's metric with failures as misses, left out, and as matches."""
    rows = systems_of(score, judge)
    worst, best = f"{metric}_worst_case", f"{metric}_best_case"
    traces: list[dict[str, Any]] = []
    ticks, told = [], []
    for place, row in enumerate(reversed(rows.to_dict("records"))):
        style = styles[row["system"]]
        ticks.append(label(shorten(row["system"], 20)))
        traces.append(
            {
                "type": "scatter",
                "x": [row[worst], row[best]],
                "y": [place, place],
                "mode": "lines",
                "line": {"color": tint(style.color, 0.4), "width": 5},
                "hoverinfo": "skip",
            }
        )
        for name, value, symbol in (
            ("failures as misses", row[worst], "line-ns-open"),
            ("failures left out", row[metric], style.symbol),
            ("failures as matches", row[best], "line-ns-open"),
        ):
            if value is None:
                continue
            ends = symbol == "line-ns-open"
            traces.append(
                {
                    "type": "scatter",
                    "x": [value],
                    "y": [place],
                    "mode": "markers",
                    "marker": {
                        "color": style.color,
                        "symbol": symbol,
                        "size": 16 if ends else 12,
                        "line": {"width": 3 if ends else 0, "color": style.color},
                    },
                    "customdata": [[label(row["system"]), name, fixed(value, 3), row["left_out"]]],
                    "hovertemplate": (
                        "%{customdata[0]}, %{customdata[1]}<br><b>%{customdata[2]}</b>"
                        "<br>%{customdata[3]} episodes have a failed verdict<extra></extra>"
                    ),
                }
            )
        told.append(f"{row['system']} {fixed(row[worst], 3)} to {fixed(row[best], 3)}")
    name = metric_name(metric, score.settings.slots)
    figure = go.Figure(
        traces,
        base_layout(
            theme,
            height=70 + 54 * max(len(ticks), 1),
            xaxis={"title": f"{name} (0 to 1)", "range": [0, 1.02]},
            yaxis={
                "tickvals": list(range(len(ticks))),
                "ticktext": ticks,
                "showgrid": False,
                "range": [-0.6, max(len(ticks), 1) - 0.4],
            },
        ),
    )
    columns = ["system", "judge", "episodes", "left_out", worst, metric, best]
    return Chart(
        figure=figure,
        alt=f"{name} under {judge} with failures as misses to failures as matches: {listing(told)}.",
        caption="Bars run from failures counted as misses to failures counted as matches, over all"
        " episodes; the mark leaves episodes with a failed verdict out, so it may lie outside.",
        data=rows[columns],
    )


def candidates_chart(
    forecast: ForecastView,
    found: Sequence[CandidateOutcome],
    judge: str,
    style: SystemStyle,
    theme: Theme,
) -> Chart:
    """One forecast's candidates by similarity, marked by what became of each."""
    by_paper = {candidate.paper_id: candidate for candidate in forecast.candidates}
    traces: list[dict[str, Any]] = []
    data = []
    for outcome, (name, symbol, size) in OUTCOMES.items():
        own = [each for each in found if each.outcome == outcome]
        if not own:
            continue
        color = style.color if outcome in ("credited", "taken", "passed_over") else theme.muted
        traces.append(
            {
                "type": "scatter",
                "x": [by_paper[each.paper_id].similarity for each in own],
                "y": [0] * len(own),
                "name": name,
                "mode": "markers",
                "marker": {
                    "color": color,
                    "symbol": symbol,
                    "size": size,
                    "line": {"width": 2, "color": color},
                },
                "customdata": [
                    [
                        label(each.paper_id),
                        label(shorten(by_paper[each.paper_id].title, 60)),
                        label(each.why),
                    ]
                    for each in own
                ],
                "hovertemplate": (
                    "%{customdata[0]}<br>%{customdata[1]}<br>similarity <b>%{x:.3f}</b>"
                    "<br>%{customdata[2]}<extra></extra>"
                ),
            }
        )
        data += [
            {
                "idea_id": each.idea_id,
                "rank": each.rank,
                "paper_id": each.paper_id,
                "similarity": by_paper[each.paper_id].similarity,
                "judge": judge,
                "outcome": each.outcome,
                "why": each.why,
            }
            for each in own
        ]
    figure = go.Figure(
        traces,
        base_layout(
            theme,
            height=150,
            showlegend=True,
            xaxis={"title": "Similarity (cosine)", "nticks": 6},
            yaxis={"visible": False, "range": [-1, 1]},
        ),
    )
    counts = [
        f"{sum(each.outcome == outcome for each in found)} {name}"
        for outcome, (name, _, _) in OUTCOMES.items()
        if any(each.outcome == outcome for each in found)
    ]
    return Chart(
        figure=figure,
        alt=f"{len(found)} candidates of the forecast of rank {forecast.rank} under {judge}:"
        f" {listing(counts)}.",
        data=pd.DataFrame(data),
    )


def _hover(cell: Mapping[str, object] | None) -> str:
    if cell is None:
        return "no episode"
    head = f"{label(cell['topic']) or 'no topic'}, {label(cell['system'])}"
    mean = cell["mean"]
    value = fixed(None if pd.isna(mean) else float(str(mean)), 3)
    return (
        f"{head}<br><b>{value}</b><br>n = {cell['episodes']} episodes, {cell['left_out']} left out"
    )
