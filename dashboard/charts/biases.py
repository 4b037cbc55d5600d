"""What may sway a judge besides the idea: length, halo, its own model family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from dashboard.charts.agreement import estimate_text
from dashboard.charts.judges import moved_text, shifts, span_of, system_marker
from dashboard.charts.theme import Chart, Theme, base_layout, system_styles
from dashboard.judging.findings import ON_NAMES
from dashboard.prose import count, fixed, label, number, plain, shorten

if TYPE_CHECKING:
    from core.agreement import FamilyProbe, Halo, LengthProbe
    from core.stats.agreement import Estimate


def length_chart(
    found: LengthProbe, theme: Theme, systems: Sequence[str], titles: Mapping[str, str]
) -> Chart:
    """One judge's mark of each idea (y) against the words of its text (x).

    ``systems`` are all of the study, so that each keeps its colour.
    """
    import plotly.graph_objects as go

    units = found.units
    span = span_of(units[["mark"]].to_numpy(float))
    shift = shifts(found.seed, len(units), span)
    figure = go.Figure()
    for system, style in system_styles(systems).items():
        own = (units["system"] == system).to_numpy()
        rows = units[own]
        if rows.empty:
            continue
        figure.add_scatter(
            x=rows["words"],
            y=rows["mark"] + shift[1][own],
            mode="markers",
            name=label(system),
            marker=system_marker(style, theme),
            customdata=[
                [
                    row.idea_id,
                    label(shorten(titles.get(row.idea_id, row.idea_id), 60)),
                    fixed(row.mark, 2),
                    label(row.idea_id),
                ]
                for row in rows.itertuples()
            ],
            hovertemplate=(
                "<b>%{customdata[1]}</b><br>%{customdata[3]} · %{fullData.name}<br>"
                "%{x} words, mark %{customdata[2]}<extra></extra>"
            ),
        )
    figure.update_layout(
        base_layout(
            theme,
            height=360,
            showlegend=True,
            margin={"t": 36},
            xaxis={"title": "Words in the idea", "showgrid": False},
            yaxis={"title": label(f"Mark of {shorten(found.judge, 28)}")},
        )
    )
    told = f"ρ {_estimate(found.rho)}; with the system held fixed {_estimate(found.within_systems)}"
    left = f" {count(found.left_out, 'idea')} without a mark or text left out." * bool(
        found.left_out
    )
    return Chart(
        figure=figure,
        alt=f"{found.judge}'s {ON_NAMES[found.on]} against the length of {found.n:,} ideas: {told}.",
        caption=f"Spearman's {plain(told)}. n = {found.n:,}.{left}{moved_text(span, found.seed)}",
        data=units.assign(judge=found.judge, on=found.on),
    )


def bias_rows(
    lengths: Sequence[LengthProbe], halos: Sequence[Halo], kin: Sequence[FamilyProbe]
) -> pd.DataFrame:
    """One row a judge: its mark against length, its halo, and what it adds to its own family."""
    by_halo = {row.judge: row for row in halos}
    by_family = {row.judge: row for row in kin}
    rows = []
    for probe in lengths:
        mean = by_halo[probe.judge].mean if probe.judge in by_halo else None
        family = by_family[probe.judge]
        told = (probe.rho, probe.within_systems, family.difference, family.excess)
        rows.append(
            {
                "judge": probe.judge,
                "n": probe.n,
                "length": estimate_text(*_ends(probe.rho)),
                "within": estimate_text(*_ends(probe.within_systems)),
                "halo": number(mean),
                "family": ", ".join(family.families) or "not known",
                "difference": estimate_text(*_ends(family.difference)),
                "excess": estimate_text(*_ends(family.excess)),
                "undefined": "; ".join(
                    dict.fromkeys(each.undefined for each in told if each.undefined)
                ),
            }
        )
    frame = pd.DataFrame(rows)
    if not halos:
        frame = frame.drop(columns="halo")
    return frame if frame["undefined"].any() else frame.drop(columns="undefined")


def halo_rows(found: Sequence[Halo]) -> pd.DataFrame:
    """Spearman's ρ of each two dimensions (row) by judge (column)."""
    columns: dict[str, Any] = {}
    for halo in found:
        if "dimension_a" not in halo.rows:
            continue
        rows = halo.rows.astype(object).where(halo.rows.notna(), None).to_dict("records")
        columns.setdefault(
            "dimensions", [f"{row['dimension_a']} and {row['dimension_b']}" for row in rows]
        )
        columns[f"{halo.judge} (n = {max(row['n'] for row in rows):,})"] = [
            f"not defined: {row['undefined']}"
            if row["rho"] is None
            else estimate_text(row["rho"], row["low"], row["high"])
            for row in rows
        ]
    return pd.DataFrame(columns)


def _estimate(found: Any) -> str:
    if found.value is None:
        return f"not defined: {found.undefined}"
    return estimate_text(found.value, found.low, found.high)


def _ends(found: Estimate) -> tuple[float | None, float | None, float | None]:
    return found.value, found.low, found.high
