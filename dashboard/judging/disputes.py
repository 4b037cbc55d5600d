"""The largest disagreements of two judges, and both judges' full replies on one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.agreement.marks import DIMENSIONS, KEYS
from dashboard import components, picking
from dashboard.export.cases import STATES
from dashboard.inspector import long_text
from dashboard.judging import views
from dashboard.judging.findings import ON_NAMES, UNITS
from dashboard.prose import count, listing, plain, shorten

if TYPE_CHECKING:
    import pandas as pd

    from core.judging.replies import Reply
    from dashboard.state import View


def draw(view: View, on: str, pair: tuple[str, str], titles: Mapping[str, str]) -> None:
    """The list, and below it the one that is picked, else the idea in the address, else the
    first."""
    a, b = pair
    found = views.disagreements(view, on, pair)
    table = DIMENSIONS[on].table
    one, many = UNITS[table]
    compared = count(found.n_compared, one, many)
    if not found.n:
        components.nothing(
            f"{plain(a)} and {plain(b)} do not differ on any {one} in {ON_NAMES[on]}, of"
            f" {compared} that both marked."
        )
        return
    rows = found.rows
    cut = f", the {len(rows):,} largest shown" if found.n > len(rows) else ""
    st.caption(
        f"{on.capitalize()}: they differ on {found.n:,} of {compared}{cut}. Pick a row to read"
        " what both said."
    )
    ids = [" × ".join(row) for row in rows[list(KEYS[table])].astype(str).itertuples(index=False)]
    event = components.table(
        _shown(rows, table, titles),
        key=f"disputes_{picking.digest([on, a, b, *ids])}",
        alt=f"{ON_NAMES[on].capitalize()} on which {a} and {b} differ most",
        csv=False,
        on_select="rerun",
        selection_mode="single-row",
        height=280,
        columns={
            "title": st.column_config.TextColumn("Title", width="large"),
            "reference_id": st.column_config.TextColumn("Reference"),
            "value_a": st.column_config.NumberColumn(a, format="%.2f"),
            "value_b": st.column_config.NumberColumn(b, format="%.2f"),
            "difference": st.column_config.NumberColumn(
                "Difference", format="%+.2f", help=f"{a} less {b}"
            ),
        },
    )
    components.csv_button(
        rows.drop(columns=["calls_a", "calls_b"]), name="disagreements", key="disagreements_csv"
    )
    place = picking.selected_row(event, len(rows))
    picked = picking.row(event, "disputes", [str(idea) for idea in rows["idea_id"]])
    if picked:
        picking.choose(picked)
    chosen = picking.chosen_idea(set(view.study.ideas["idea_id"]))
    if place is None and chosen is not None:
        fits = rows.index[rows["idea_id"] == chosen]
        place = int(fits[0]) if len(fits) else None
        if place is None:
            st.caption(f"Idea {plain(chosen)} is not in this list, so its first is shown.")
    _one(view, table, rows.iloc[place or 0], pair, titles)


def _shown(rows: pd.DataFrame, table: str, titles: Mapping[str, str]) -> pd.DataFrame:
    shown = rows[[*KEYS[table], "value_a", "value_b", "difference"]].copy()
    shown.insert(1, "title", [shorten(titles.get(idea, ""), 120) for idea in rows["idea_id"]])
    return shown


def _one(
    view: View, table: str, row: Any, pair: tuple[str, str], titles: Mapping[str, str]
) -> None:
    unit = {name: str(row[name]) for name in KEYS[table]}
    idea = unit["idea_id"]
    st.subheader(plain(titles.get(idea) or idea), anchor=False)
    others = [f"{name.removesuffix('_id')} {plain(unit[name])}" for name in KEYS[table][1:]]
    st.caption(
        f"{listing([f'Idea {plain(idea)}', *others])}: {plain(pair[0])} {row['value_a']:.3g},"
        f" {plain(pair[1])} {row['value_b']:.3g}"
    )
    components.link("ideas", "Open the idea", icon=":material/lightbulb:", idea=idea)
    for side, column in zip(pair, st.columns(2, gap="medium"), strict=True):
        with column:
            st.markdown(f"**{plain(side)}**")
            for place, reply in enumerate(views.replies(view, table, unit, side)):
                _reply(reply, key=f"{'ab'[pair.index(side)]}{place}")


def _reply(reply: Reply, *, key: str) -> None:
    """One row: its marks, and the reply to the letter, else the reason that the table keeps."""
    with st.container(border=True):
        head = [] if reply.repeat is None else [f"repeat {reply.repeat}"]
        head += [] if reply.order is None else [reply.order.replace("_", " ")]
        head += [] if reply.model is None else [plain(reply.model)]
        if reply.state != "ok":
            head.append(STATES[reply.state])
        if head:
            st.caption(" · ".join(head))
        known = [f"{name} **{v:.3g}**" for name, v in reply.marks.items() if v is not None]
        if known and reply.state == "ok":
            st.markdown(", ".join(known))
        if reply.text is not None:
            st.code(reply.text, language=None, wrap_lines=True)
        elif reply.reason:
            long_text(reply.reason, key=f"whole_reason_{key}")
        else:
            st.caption("No reason was given.")
        if reply.reasoning:
            fold = st.expander("What it thought before", key=f"thought_{key}", on_change="rerun")
            if fold.open:
                fold.text(reply.reasoning)
        if reply.missing and reply.call_id is not None:
            st.caption(plain(f"The full reply is not kept: {reply.missing}."))
