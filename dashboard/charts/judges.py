"""Two judges' marks as points, and the repeats of each judge as bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dashboard.charts.agreement import estimate_text
from dashboard.charts.theme import NEGATIVE, Chart, Theme, base_layout, system_styles, tint
from dashboard.judging.findings import ON_NAMES, UNITS
from dashboard.prose import count, fixed, interval, label, number, percent, plain, shorten

if TYPE_CHECKING:
    from core.agreement import PairedMarks, RepeatSpread

_JITTER = 0.012
_MANY = 3_000
_IDS_SHOWN = 6
_STEPS = (
    (0.0, "the same each time"),
    (0.5, "up to ½ apart"),
    (1.0, "up to 1 apart"),
    (2.0, "up to 2 apart"),
    (3.0, "up to 3 apart"),
    (float("inf"), "more than 3 apart"),
)
_SHADES = (0.16, 0.3, 0.44, 0.6, 0.78, 1.0)
_WHITE_FROM = 3
NO_SYSTEM = "not among the ideas"


def scatter_chart(
    found: PairedMarks, theme: Theme, systems: Mapping[str, str], titles: Mapping[str, str]
) -> Chart:
    """Judge a's marks (x) against judge b's (y), a point a unit; dashed: both say the same.

    ``systems`` and ``titles`` go by idea. ``customdata`` begins with the idea's id.
    """
    units = found.units
    span = span_of(units[["value_a", "value_b"]].to_numpy(float))
    shift = shifts(found.seed, len(units), span)
    a, b = units["value_a"].to_numpy(float), units["value_b"].to_numpy(float)
    ends = [float(min(a.min(), b.min())), float(max(a.max(), b.max()))]
    figure = _points(found, theme, systems, titles, a + shift[0], b + shift[1])
    line = {"color": theme.muted, "width": 1.2, "dash": "dash"}
    figure.add_shape(type="line", x0=ends[0], x1=ends[1], y0=ends[0], y1=ends[1], line=line)
    figure.update_layout(
        base_layout(
            theme,
            height=420,
            showlegend=True,
            margin={"t": 36},
            xaxis={"title": label(shorten(found.judge_a, 28)), "showgrid": False},
            yaxis={"title": label(shorten(found.judge_b, 28))},
        )
    )
    rho = found.spearman.rho
    one, many = UNITS[_table(units)]
    told = (
        f"Spearman's ρ = {estimate_text(rho.value, rho.low, rho.high)}"
        if rho.value is not None
        else f"Spearman's ρ is not defined: {rho.undefined}"
    )
    return Chart(
        figure=figure,
        alt=(
            f"{ON_NAMES[found.on].capitalize()} of {found.judge_a} against those of"
            f" {found.judge_b} for {count(found.n, one, many)}. {told}."
        ),
        caption=(
            f"Dashed: both say the same. {plain(told)}, {_left_out(found)}."
            f"{moved_text(span, found.seed)}"
        ),
        data=units.assign(judge_a=found.judge_a, judge_b=found.judge_b, on=found.on),
    )


def bland_altman_chart(
    found: PairedMarks, theme: Theme, systems: Mapping[str, str], titles: Mapping[str, str]
) -> Chart:
    """The difference of two marks (y) against their mean (x), with bias and limits."""
    units, limits = found.units, found.limits
    span = span_of(units[["value_a", "value_b"]].to_numpy(float))
    shift = shifts(found.seed, len(units), span)
    x = units["mean"].to_numpy(float) + shift[0]
    y = units["difference"].to_numpy(float) + shift[1]
    figure = _points(found, theme, systems, titles, x, y)
    told = []
    for name, estimate, dash in (
        ("bias", limits.bias, "solid"),
        ("lower limit", limits.lower, "dash"),
        ("upper limit", limits.upper, "dash"),
    ):
        if estimate.value is None:
            continue
        figure.add_hline(
            y=estimate.value,
            line={
                "color": theme.ink if dash == "solid" else theme.muted,
                "width": 1.4,
                "dash": dash,
            },
            annotation={
                "text": f"{name} {fixed(estimate.value, 2)}",
                "font": {"size": 12, "color": theme.muted},
                "bgcolor": theme.surface,
                "opacity": 0.9,
            },
            annotation_position="top right",
        )
        ends = interval(estimate.low, estimate.high, decimals=2)
        told.append(f"{name} {fixed(estimate.value, 2)} ({ends})")
    a, b = label(shorten(found.judge_a, 20)), label(shorten(found.judge_b, 20))
    figure.update_layout(
        base_layout(
            theme,
            height=420,
            showlegend=True,
            margin={"t": 36},
            xaxis={"title": "Mean of both marks", "showgrid": False},
            yaxis={"title": f"{a} − {b}"},
        )
    )
    one, many = UNITS[_table(units)]
    why = f"Bias and limits are not defined: {limits.undefined}" if limits.undefined else ""
    words = why or f"In marks: {'; '.join(told)}"
    return Chart(
        figure=figure,
        alt=(
            f"Bland–Altman plot of {found.judge_a} less {found.judge_b} on"
            f" {ON_NAMES[found.on]} of {count(found.n, one, many)}. {words}."
        ),
        caption=(
            f"{plain(words)}. Bias above 0: {plain(found.judge_a)} marks higher; 95 % of the"
            f" differences lie within the limits, if they are normal. {_left_out(found)}."
            f"{moved_text(span, found.seed)}"
        ),
        data=units.assign(judge_a=found.judge_a, judge_b=found.judge_b, on=found.on),
    )


def repeats_chart(found: RepeatSpread, theme: Theme) -> Chart:
    """Each judge's units by how far apart its repeats lie; only units marked twice or more."""
    import plotly.graph_objects as go

    units = found.units[found.units["n"] > 1]
    one, many = UNITS[_table(units)]
    judges = sorted(units["judge"].unique())
    steps = np.searchsorted([top for top, _ in _STEPS], units["range"].round(9), side="left")
    keys = [name for name in units.columns if name.endswith("_id")]
    figure = go.Figure()
    rows = []
    for place, (_, name) in enumerate(_STEPS):
        at = units[steps == place]
        if at.empty:
            continue
        numbers, shares, texts = [], [], []
        for judge in judges:
            own, total = at[at["judge"] == judge], int((units["judge"] == judge).sum())
            share = len(own) / total
            ids = [" × ".join(map(str, row)) for row in own[keys].itertuples(index=False)]
            listed = "<br>".join(label(shorten(each, 50)) for each in ids[:_IDS_SHOWN])
            rest = f"<br>and {len(ids) - _IDS_SHOWN:,} more" if len(ids) > _IDS_SHOWN else ""
            head = f"{label(judge)}, {name}<br><b>{count(len(own), one, many)}</b> of {total:,}"
            numbers.append(share)
            shares.append(percent(share) if share >= 0.06 else "")
            texts.append(f"{head} ({percent(share)})<br>{listed}{rest}")
            rows.append({"judge": judge, "apart": name, "n": len(own), "of": total, "share": share})
        figure.add_bar(
            y=[label(shorten(judge, 22)) for judge in judges],
            x=numbers,
            orientation="h",
            name=name,
            text=shares,
            textposition="inside",
            insidetextanchor="middle",
            insidetextfont={"color": theme.ink if place < _WHITE_FROM else "#FFFFFF"},
            textangle=0,
            marker={
                "color": tint(NEGATIVE, _SHADES[place]),
                "line": {"color": theme.surface, "width": 1},
            },
            customdata=texts,
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_layout(
        base_layout(
            theme,
            height=150 + 46 * len(judges),
            barmode="stack",
            showlegend=True,
            margin={"t": 84},
            xaxis={"tickformat": ".0%", "range": [0, 1], "title": f"Share of {many}"},
            yaxis={"autorange": "reversed", "showgrid": False},
            legend={"traceorder": "normal"},
        )
    )
    data = pd.DataFrame(rows)
    told = [
        f"{row.judge} {percent(row.share)} of {row.of:,}"
        for row in data[data["apart"] == _STEPS[0][1]].itertuples()
    ]
    left = count(int((found.units["n"] < 2).sum()) + found.left_out, one, many)
    return Chart(
        figure=figure,
        alt=f"{many.capitalize()} by how far a judge's repeats lie apart. The same each time: "
        + (", ".join(told) or "none"),
        caption=(
            f"By the largest difference between a judge's repeats of {ON_NAMES[found.on]}. Left"
            f" out: {left} with fewer than two marks of a judge."
        ),
        data=data,
    )


def _points(
    found: PairedMarks,
    theme: Theme,
    systems: Mapping[str, str],
    titles: Mapping[str, str],
    x: Any,
    y: Any,
) -> Any:
    import plotly.graph_objects as go

    units = found.units
    keys = [name for name in units.columns if name.endswith("_id")]
    of_unit = np.array([systems.get(idea, NO_SYSTEM) for idea in units["idea_id"]], dtype=object)
    styles = system_styles([*systems.values()])
    figure = go.Figure()
    kind = go.Scattergl if len(units) > _MANY else go.Scatter
    for system in sorted(set(of_unit)):
        own = of_unit == system
        figure.add_trace(
            kind(
                x=x[own],
                y=y[own],
                mode="markers",
                name=label(system),
                marker=system_marker(styles.get(system), theme),
                customdata=[
                    [
                        row["idea_id"],
                        label(shorten(titles.get(row["idea_id"], row["idea_id"]), 60)),
                        fixed(row["value_a"], 2),
                        fixed(row["value_b"], 2),
                        label(" × ".join(str(row[name]) for name in keys)),
                    ]
                    for row in units[own].to_dict("records")
                ],
                hovertemplate=(
                    "<b>%{customdata[1]}</b><br>%{customdata[4]} · %{fullData.name}<br>"
                    f"{label(shorten(found.judge_a, 28))} %{{customdata[2]}}, "
                    f"{label(shorten(found.judge_b, 28))} %{{customdata[3]}}<extra></extra>"
                ),
            )
        )
    return figure


def system_marker(style: Any, theme: Theme) -> dict[str, Any]:
    """A point of a system; an open grey circle where its system is not known."""
    return {
        "color": theme.muted if style is None else style.color,
        "symbol": "circle-open" if style is None else style.symbol,
        "size": 8,
        "opacity": 0.7,
        "line": {"width": 0.5, "color": theme.surface},
    }


def _table(units: pd.DataFrame) -> str:
    names = {"reference_id": "comparisons", "paper_id": "verdicts"}
    return next((table for name, table in names.items() if name in units.columns), "scores")


def span_of(values: Any) -> float:
    """The range of marks, at least 1."""
    return max(float(values.max() - values.min()), 1.0) if len(values) else 1.0


def shifts(seed: int, n: int, span: float) -> Any:
    """Small seeded shifts along (row 0) and up or down (row 1)."""
    return np.random.default_rng(seed).uniform(-1, 1, size=(2, n)) * _JITTER * span


def moved_text(span: float, seed: int) -> str:
    """That points are shifted, and by how much."""
    return (
        f" Points are shifted by up to {number(_JITTER * span, 1)} (seed {seed}) so that equal"
        " ones can be seen."
    )


def _left_out(found: PairedMarks) -> str:
    return f"n = {found.n:,}, {found.n_left_out:,} left out"
