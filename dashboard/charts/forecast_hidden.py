"""What hit rates hide: credit by generality and other measures, and how forecasts are written."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from core.forecast.diagnosed import Association, Diagnostics
from dashboard.charts.theme import SYSTEM_COLORS, Chart, Theme, base_layout, lay_out, tint
from dashboard.prose import count, fixed, interval, listing, percent, sentence

MEASURES = {
    "generality": "Generality",
    "words": "Words",
    "method_words": "Words of method",
    "key_terms": "Key terms",
    "rarity": "Rarity of words",
    "specifics": "Specific names",
    "pool_size": "Target papers",
    "novelty": "Novelty",
}
UNITS = {
    "generality": "12 − sum of four ratings, 0 to 12, higher is broader",
    "words": "words of title, rationale, method and key terms",
    "method_words": "words",
    "key_terms": "terms",
    "rarity": "mean ln(papers / papers with the word)",
    "specifics": "share of words with a digit or a capital inside",
    "pool_size": "papers in the target pool",
    "novelty": "1 − cosine of the nearest paper of the history",
}
FIELDS = {
    "title": "Title",
    "rationale": "Rationale",
    "method": "Method",
    "key_terms": "Key terms",
}


def measure_name(measure: str) -> str:
    """ "generality by ann" → "Generality by ann"."""
    base, _, rater = measure.partition(" by ")
    name = MEASURES.get(base, sentence(base))
    return f"{name} by {rater}" if rater else name


def association_of(found: Diagnostics, measure: str, judge: str) -> Association | None:
    """The measure against credit under one judge."""
    return next((a for a in found.associations if (a.measure, a.judge) == (measure, judge)), None)


def association_sentence(row: Association | None) -> str:
    """r, the partial r and the matched difference in words."""
    if row is None or row.r is None:
        reason = row.undefined if row is not None and row.undefined else "nothing to relate"
        return f"No correlation with credit: {reason}."
    text = (
        f"Correlation with being credited r = **{fixed(row.r, 3)}**"
        f" ({interval(row.low, row.high, decimals=3)}, n = {row.n:,})"
    )
    if row.partial is not None:
        taken = listing([MEASURES.get(name, name).lower() for name in row.controls])
        text += (
            f"; with {taken} held fixed **{fixed(row.partial, 3)}**"
            f" ({interval(row.partial_low, row.partial_high, decimals=3)})"
        )
    text += "."
    if row.matched is not None:
        text += (
            f" Within the same {row.within}, forecasts above the median are credited"
            f" at a rate **{_signed(row.matched)}**"
            f" ({interval(row.matched_low, row.matched_high, decimals=3)},"
            f" {count(row.strata, 'stratum', 'strata')})."
        )
    return text


def bins_chart(found: Diagnostics, measure: str, judge: str, theme: Theme) -> Chart:
    """The rate of credited forecasts in bins of one measure."""
    rows = [row for row in found.bins if (row.measure, row.judge) == (measure, judge)]
    names = [_range(row.low, row.high) for row in rows]
    base = measure.partition(" by ")[0]
    figure = go.Figure(
        go.Bar(
            x=names,
            y=[row.rate for row in rows],
            marker={"color": tint(SYSTEM_COLORS[0], 0.75)},
            text=[percent(row.rate) for row in rows],
            textposition="outside",
            cliponaxis=False,
            customdata=[[row.bin, row.n, fixed(row.rate, 3)] for row in rows],
            hovertemplate=(
                "bin %{customdata[0]}: %{x}<br><b>%{customdata[2]}</b> credited"
                "<br>n = %{customdata[1]} forecasts<extra></extra>"
            ),
        )
    )
    top = max([0.1, *(row.rate for row in rows)])
    lay_out(
        figure,
        base_layout(
            theme,
            height=300,
            xaxis={
                "title": f"{measure_name(measure)} ({UNITS.get(base, 'as measured')})",
                "type": "category",
                "showgrid": False,
            },
            yaxis={"title": "Share credited (0 to 1)", "range": [0, 1.15 * top]},
        ),
    )
    told = [f"{name} {percent(row.rate)}" for name, row in zip(names, rows, strict=True)]
    return Chart(
        figure=figure,
        alt=f"Share of forecasts credited under {judge} by {measure_name(measure).lower()}:"
        f" {listing(told) or 'none'}.",
        caption="Bins of like size; forecasts of all systems together, so a difference between"
        " bins may be one between systems.",
        data=pd.DataFrame([vars(row) for row in rows]),
    )


def fields_table(found: Diagnostics) -> pd.DataFrame:
    """One row a system and field: forecasts, empties, median length and quartiles."""
    return pd.DataFrame([vars(row) for row in found.fields])


def _signed(difference: float) -> str:
    """ "0.181 lower", "0.020 higher"."""
    return f"{fixed(abs(difference), 3)} {'lower' if difference < 0 else 'higher'}"


def _range(low: float, high: float) -> str:
    if low == high:
        return f"{low:.3g}"
    return f"{low:.3g} to {high:.3g}"
