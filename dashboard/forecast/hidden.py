"""The panel on what a hit rate may owe to: how forecasts are written, time, the past, pool size."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.forecast.diagnosed import Diagnostics
from core.forecast.score import ForecastScore
from dashboard import components, picking, state
from dashboard.charts.forecast import systems_of
from dashboard.charts.forecast_hidden import (
    FIELDS,
    MEASURES,
    association_of,
    association_sentence,
    bins_chart,
    fields_table,
    measure_name,
)
from dashboard.forecast import views
from dashboard.forecast.controls import Choices
from dashboard.prose import count, fixed, interval, listing, plain, sentence

MEASURE = "forecast_measure"


def draw(score: ForecastScore, choices: Choices) -> None:
    """Everything that stands behind the rates, none of it part of a score."""
    found = views.diagnostics(choices.view)
    if found.cautions:
        st.warning("  \n".join(map(plain, found.cautions)), icon=":material/warning:")
    _written(found, score, choices.judge)
    _measures(found, choices.judge)
    st.markdown("**Checks on the rate**")
    _contamination(found, choices.judge)
    _backward(found, choices)
    _equal_pools(found, choices.judge)


def _written(found: Diagnostics, score: ForecastScore, judge: str) -> None:
    """Lengths and empties of each field, beside the hit rate."""
    st.markdown("**How they are written, beside how often they hit**")
    hits = systems_of(score, judge).set_index("system")["hit"]
    rated = {row.system: row for row in found.generality}
    by_system: dict[str, dict[str, str]] = {}
    for field in found.fields:
        row = by_system.setdefault(
            field.system,
            {"system": field.system, "Hit rate": fixed(hits.get(field.system), 3)},
        )
        told = "none" if field.median is None else f"{field.median:g}"
        if field.low is not None and field.high is not None and field.low != field.high:
            told += f" ({field.low:.3g} to {field.high:.3g})"
        empty = f", {field.empty:,} of {field.forecasts:,} empty" if field.empty else ""
        row[FIELDS.get(field.field, field.field)] = f"{told}{empty}"
    for name, row in by_system.items():
        if name in rated:
            mean = rated[name]
            ends = interval(mean.low, mean.high, decimals=2)
            row["Generality"] = f"{fixed(mean.mean, 2)} ({ends})"
    components.table(
        pd.DataFrame(list(by_system.values())),
        key="forecast_fields",
        alt="Median lengths and empty fields of every system's forecasts",
        csv=False,
    )
    components.csv_button(fields_table(found), name="forecast_fields", key="forecast_fields_csv")
    st.caption(
        "Median and quartiles of the words of each field, of the number of key terms; empties are"
        " left out. A"
        " system whose method was lost in conversion is matched by what is left. Generality: 12 −"
        " the sum of four outcome-blind ratings, 0 to 12, higher is broader."
    )


def _measures(found: Diagnostics, judge: str) -> None:
    """One measure at a time against being credited."""
    if found.measures:
        labels = {name: measure_name(name) for name in found.measures}
        picking.unknown_in_link(MEASURE, list(labels.values()))
        measure = st.selectbox(
            "Credit by",
            list(found.measures),
            format_func=lambda name: labels[name],
            key=MEASURE,
            width=260,
            **state.BOUND,
        )
        st.markdown(association_sentence(association_of(found, measure, judge)))
        if any((row.measure, row.judge) == (measure, judge) for row in found.bins):
            components.chart(
                bins_chart(found, measure, judge, components.theme()), key="measure_chart"
            )
        else:
            components.nothing("Too few forecasts are whole under this judge to be binned.")
    for name, reason in found.not_measured.items():
        st.caption(f"{MEASURES.get(name, plain(name))}: {reason}.")


def _contamination(found: Diagnostics, judge: str) -> None:
    rows = [row for row in found.contamination if row.judge == judge]
    if not rows:
        st.caption(
            "Knowledge cutoff: none is stated for these systems and judges. Add"
            " [knowledge_cutoff] to study.toml to set hits before it against hits after it."
        )
        return
    st.markdown("Before and after a model's knowledge cutoff: a drop may be contamination.")
    components.table(
        pd.DataFrame(
            [
                {
                    "system": row.system,
                    "Cutoff of": f"{row.model} ({row.role})",
                    "Known until": row.knowledge_cutoff,
                    "Hit before": fixed(row.before, 3),
                    "n before": row.n_before,
                    "Hit after": fixed(row.after, 3),
                    "n after": row.n_after,
                    "After − before": _difference(row.difference, row.low, row.high),
                    "Astride": row.astride,
                    "undefined": sentence(row.undefined or ""),
                }
                for row in rows
            ]
        ),
        key="contamination",
        alt="Hit rates before and after knowledge cutoffs",
    )


def _backward(found: Diagnostics, choices: Choices) -> None:
    rows = [row for row in found.backward if row.judge in (choices.judge, None)]
    st.markdown(
        "Held against the equally long window before the cutoff: what is met there already existed."
    )
    components.table(
        pd.DataFrame(
            [
                {
                    "system": row.system,
                    "Nearest paper, after": fixed(row.similarity, 3),
                    "Nearest paper, before": fixed(row.similarity_backward, 3),
                    "Forecasts": row.forecasts,
                    "Hit, after": fixed(row.hit, 3),
                    "Hit, before": fixed(row.hit_backward, 3),
                    "Difference": _difference(row.difference, row.low, row.high),
                    "Episodes": row.episodes,
                }
                for row in rows
            ]
        ),
        key="backward",
        alt="Forecasts against the window after and before their cutoff",
    )
    past = [plain(row.system) for row in rows if row.high is not None and row.high < 0]
    if past:
        st.markdown(
            f"**{listing(past)}** met more in the window before than in the one foreseen: what"
            " such forecasts tell was there already."
        )
    elif any(row.high is not None for row in rows):
        st.markdown("No system met more in the window before than in the one foreseen.")
    reasons = {row.undefined for row in rows if row.undefined}
    for reason in sorted(reasons):
        st.caption(f"{sentence(reason.replace('STUDY', str(choices.view.study.folder)))}.")


def _equal_pools(found: Diagnostics, judge: str) -> None:
    rows = [row for row in found.equal_pools if row.judge == judge]
    if not rows:
        return
    size = rows[0].size
    st.markdown(f"If every target pool held {count(size, 'paper')}: larger pools hit more easily.")
    components.table(
        pd.DataFrame(
            [
                {
                    "system": row.system,
                    "Hit": fixed(row.hit, 3),
                    "95 % of draws": interval(row.low, row.high, decimals=3),
                    "Hit, whole pools": fixed(row.hit_all, 3),
                    "Precision": fixed(row.precision, 3),
                    "Episodes": row.episodes,
                    "undefined": sentence(row.undefined or ""),
                }
                for row in rows
            ]
        ),
        key="equal_pools",
        alt=f"Hit rates with target pools of {size} papers",
    )


def _difference(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return fixed(None, 3)
    return f"{fixed(value, 3)} ({interval(low, high, decimals=3)})"
