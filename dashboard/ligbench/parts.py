"""The bodies of the LigBench page's tabs on systems, references and novelty."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.config import NOVELTY_DEPTH
from core.ligbench.contrasts import Contrasts
from core.ligbench.novelty import Novelty
from core.ligbench.rank import Rank
from dashboard import components, state
from dashboard.charts.ligbench import (
    DIMENSION_NAMES,
    in_order,
    start_end_chart,
    systems_dots,
    systems_radar,
    wins_chart,
)
from dashboard.charts.ligbench_novelty import novelty_map_chart
from dashboard.charts.ligbench_references import means_chart, shares_chart
from dashboard.charts.theme import SystemStyle
from dashboard.ligbench import results
from dashboard.ligbench.findings import how
from dashboard.prose import count, fixed, listing, plain
from dashboard.state import View

SHOWN_AS = ("dots", "radar", "table")
MAP_RULES = {
    "calibrated": "k and μ are fitted to the similarities of these ideas",
    "fixed": "k and μ are as given here; the paper's are 12 and 0.72, for its own encoder",
}
Styles = Mapping[str, SystemStyle]


def without_empty(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame without reasons, notes and scales of which there are none."""
    reasons = ("undefined", "unknown", "scale")
    return frame.drop(columns=[n for n in reasons if n in frame and frame[n].isna().all()])


def command(view: View, words: str) -> None:
    """A command that mends what is missing, with the study's folder in it."""
    st.code(words.format(folder=view.study.folder), language="bash", wrap_lines=True)


def no_references(view: View) -> None:
    """What to run where a study has nothing to compare with."""
    components.page(
        "This study has no reviewed papers to compare with",
        "LigBench rates ideas against papers whose reviews are known. Bring some:",
    )
    command(view, "foreseen import references FILE --into {folder}")
    components.link("data", "See what is loaded", icon=":material/database:")


def no_comparisons(view: View) -> None:
    """What to run where references are there and no judge has compared."""
    st.markdown("The references are here; no judge has compared an idea with one. Run:")
    command(view, "foreseen judge comparisons {folder} --model MODEL")
    st.markdown("or bring comparisons that exist:")
    command(view, "foreseen import comparisons FILE --into {folder}")


def systems(
    view: View,
    ranked: Rank,
    found: Novelty | None,
    contrast: Contrasts,
    dimension: str,
    styles: Styles,
) -> None:
    """Means as dots, radar or table; below, wins by the opponent, and start against end."""
    shown = st.segmented_control(
        "Show the systems as",
        SHOWN_AS,
        default="dots",
        required=True,
        key="lig_view",
        **state.BOUND,
    )
    rows = ranked.systems
    if found is not None and not found.systems.empty:
        rows = pd.concat([rows, found.systems], ignore_index=True)
    theme = components.theme()
    if shown == "table":
        components.table(
            in_order(rows), key="lig_systems", alt="Mean marks of each system in each dimension"
        )
        if not contrast.frame.empty:
            st.subheader("Systems against each other", anchor=False)
            components.table(
                in_order(contrast.frame.drop(columns="told_apart"), by="a"),
                key="lig_contrasts",
                alt="Differences of mean marks between systems",
            )
    else:
        draw = systems_radar if shown == "radar" else systems_dots
        components.chart(draw(rows, styles, theme, how(ranked)), key=f"lig_systems_{shown}")
    left, right = st.columns(2, gap="medium")
    with left:
        won = results.wins(view, dimension)
        if won.empty:
            components.nothing(f"No game has an outcome for {dimension}.")
        else:
            components.chart(
                wins_chart(won, dimension, styles, theme),
                key="lig_wins",
                title=f"Wins by the reference's {dimension}",
            )
    with right:
        components.chart(
            start_end_chart(ranked, dimension, styles, theme),
            key="lig_start_end",
            title=f"{DIMENSION_NAMES[dimension]}: start against end",
        )


def references(view: View, dimension: str) -> None:
    """Venues with their means, decisions and areas (the paper's Table 1, Figures 2 and 3)."""
    report = results.references(view)
    theme = components.theme()
    reviewed = report.n - report.unreviewed
    st.markdown(
        f"**{count(report.n, 'reference')}** of {count(len(report.venues), 'venue')}, counted by"
        f" year; {reviewed:,} with a score."
    )
    if report.repeated:
        st.warning(
            f"{count(len(report.repeated), 'title')} under more than one id, the first:"
            f" {plain(report.repeated[0])}",
            icon=":material/content_copy:",
        )
    if report.overall[dimension] is None:
        components.nothing(f"No reference has a {dimension}, so there is nothing to debias.")
    else:
        components.chart(
            means_chart(report, dimension, theme),
            key="lig_means",
            title=f"Mean {dimension} by venue, before and after debiasing",
        )
    noted = report.means[report.means["note"].notna()]
    for row in noted.to_dict("records"):
        if row["dimension"] == dimension:
            st.caption(f"{plain(row['venue'] or 'no venue')}: {plain(row['note'])}.")
    components.table(
        without_empty(report.venues), key="lig_venues", alt="References by venue and year"
    )
    left, right = st.columns(2, gap="medium")
    with left:
        components.chart(
            shares_chart(report.decisions, "decision", theme),
            key="lig_decisions",
            title="Decisions",
        )
    with right:
        components.chart(shares_chart(report.areas, "area", theme), key="lig_areas", title="Areas")


def novelty(view: View, found: Novelty | None, missing: str, styles: Styles) -> None:
    """The map's constants as controls, and the map over what was observed."""
    if found is None:
        components.nothing(plain(missing))
        command(view, "foreseen novelty {folder}")
        return
    _map_controls(view)
    for caution in found.cautions:
        st.warning(plain(caution), icon=":material/warning:")
    if found.map.undefined:
        components.nothing(f"The novelty map is not defined: {plain(found.map.undefined)}.")
        return
    components.chart(
        novelty_map_chart(found, styles, components.theme()),
        key="lig_novelty_map",
        title="The map over the similarities of these ideas",
    )
    told = [
        f"{plain(row['system'])} **{fixed(row['mean'], 2)}** (n = {row['n']:,})"
        for row in found.systems.to_dict("records")
    ]
    st.markdown(f"Mean novelty, with the judge's first mark fused in: {listing(told)}.")
    columns = ["idea_id", "system", "novelty", "similarity_novelty", "start", "weighted", "papers"]
    ordered = found.ideas.sort_values("novelty", ascending=False, kind="stable")
    components.table(
        without_empty(ordered[[*columns, "unknown"]]),
        key="lig_novelty",
        alt="Novelty of every idea, the most novel first",
        height=320,
        columns={"start": st.column_config.NumberColumn("Judge's mark", format="%.2f")},
    )


def _map_controls(view: View) -> None:
    rule = st.segmented_control(
        "Map",
        list(MAP_RULES),
        default=view.base.novelty_map,
        required=True,
        key="novelty_map",
        **state.BOUND,
    )
    st.caption(MAP_RULES[rule or view.settings.novelty_map])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "N, papers looked at",
            1,
            NOVELTY_DEPTH,
            value=view.base.novelty_n,
            key="novelty_n",
            width=160,
            **state.BOUND,
        )
        for name, text, low, high, step in (
            ("novelty_alpha", "α, nearest paper", 0.0, 1.0, 0.05),
            ("novelty_beta", "β, map against mark", 0.0, 1.0, 0.05),
            ("novelty_k", "k, steepness", 0.1, 200.0, 1.0),
            ("novelty_mu", "μ, centre", -1.0, 1.0, 0.01),
        ):
            st.number_input(
                text,
                low,
                high,
                value=getattr(view.base, name),
                step=step,
                format="%.2f",
                key=name,
                width=160,
                disabled=rule != "fixed" and name in ("novelty_k", "novelty_mu"),
                **state.BOUND,
            )
