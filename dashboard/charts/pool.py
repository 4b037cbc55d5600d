"""Papers of the pool by month, with the study's window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from dashboard.charts.theme import Chart, Theme, base_layout
from dashboard.prose import count

if TYPE_CHECKING:
    from datetime import date

    from core.hindsight.descriptives import MonthlyPapers


def papers_chart(months: MonthlyPapers, theme: Theme) -> Chart:
    """Papers by month; months in the window are dark, others pale, and its ends are named."""
    import plotly.graph_objects as go

    frame = months.frame
    first = pd.Timestamp(months.cutoff)
    last = pd.Timestamp(months.window_end)
    ends = frame["month"] + pd.offsets.MonthEnd(0)
    inside = (ends > first) & (frame["month"] <= last)
    figure = go.Figure()
    for within, name, color in (
        (True, "in the window", theme.muted),
        (False, "outside", theme.context),
    ):
        rows = frame[inside == within]
        figure.add_bar(
            x=rows["month"],
            y=rows["papers"],
            name=name,
            xperiod="M1",
            xperiodalignment="middle",
            marker={"color": color, "pattern": {"shape": "" if within else "/"}},
            customdata=[
                [f"{month:%B %Y}", int(unknown)]
                for month, unknown in zip(rows["month"], rows["unknown_citations"], strict=True)
            ],
            hovertemplate="%{customdata[0]}: %{y:,} papers, %{customdata[1]:,} with unknown citations"
            f"<extra>{name}</extra>",
        )
    marks: list[tuple[date, str, str]] = [
        (months.cutoff, "cutoff", "left"),
        (months.window_end, "window ends", "right"),
    ]
    figure.update_layout(
        **base_layout(
            theme,
            height=300,
            showlegend=True,
            margin={"t": 54},
            legend={"y": 1.12},
            bargap=0.15,
            barmode="overlay",
            xaxis={"showgrid": False, "type": "date"},
            yaxis={"title": "Papers a month", "rangemode": "tozero"},
            shapes=[_line(day, theme) for day, _, _ in marks],
            annotations=[_name(day, text, side, theme) for day, text, side in marks],
        )
    )
    within_n = int(frame.loc[inside, "papers"].sum())
    left_out = []
    if months.year_only:
        left_out.append(f"{count(months.year_only, 'paper')} known by year alone")
    if months.undated:
        left_out.append(f"{count(months.undated, 'paper')} without a date")
    return Chart(
        figure=figure,
        alt=(
            f"Papers by month: {count(months.n, 'paper')}, of which {within_n:,} in months of the"
            f" window from {months.cutoff} to {months.window_end}"
        ),
        caption=(
            f"n = {months.n:,} papers with a month."
            + (f" Not drawn: {' and '.join(left_out)}." if left_out else "")
            + " The last months may be thin because a source takes papers in late."
        ),
        data=frame.assign(in_window=inside),
    )


def _line(day: date, theme: Theme) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": day.isoformat(),
        "x1": day.isoformat(),
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": {"color": theme.ink, "width": 1.5, "dash": "dot"},
    }


def _name(day: date, text: str, side: str, theme: Theme) -> dict[str, Any]:
    return {
        "text": f"{text} {day.isoformat()}",
        "x": day.isoformat(),
        "y": 1.0,
        "yref": "paper",
        "xanchor": side,
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12, "color": theme.ink},
    }
