"""Data: what is loaded, what is missing or odd, and what was read from it."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from core.hindsight.descriptives import ideas_with_empty_pool
from core.hindsight.impact import pool_counts
from core.hindsight.venues import venue_readings
from core.ingest.coverage import CoverageEntry
from core.schema import TABLES
from dashboard import cached, components, picking, state
from dashboard.charts.pool import papers_chart
from dashboard.prose import count, percent, plain

view = state.current()
study, config = view.study, view.study.config
counts = pool_counts(study, view.settings)
found = cached.described(view)
odd = list(found.coverage)
if empty := ideas_with_empty_pool(study, view.settings):
    message = "ideas whose pool is empty under these settings: they can meet nothing"
    odd.append(
        CoverageEntry(
            table="ideas", code="empty_pool", message=message, count=len(empty), ids=empty
        )
    )
snapshot = (
    f"Citations as of {config.snapshot}." if config.snapshot else "No snapshot date is given."
)
cutoffs = study.ideas["cutoff"].dropna().dt.date
least, most = config.cutoff, config.cutoff
if len(cutoffs) and (cutoffs != config.cutoff).any():
    least, most = cutoffs.min(), cutoffs.max()
    if len(cutoffs) < len(study.ideas):
        least, most = min(least, config.cutoff), max(most, config.cutoff)
    windows = (
        f"Each idea has a window of its own: {count(config.horizon_months, 'month')} from its"
        f" cutoff (excluded), the first after {least}, the last to {config.window_end(most)}. A"
        " paper counts as in the window where it lies in any of them."
    )
else:
    windows = f"The window runs from {config.cutoff} (excluded) to {config.window_end()}."
components.page(
    f"{count(len(study.ideas), 'idea')} against {count(counts.in_window, 'paper')};"
    f" {counts.papers - counts.in_window:,} more lie outside the window",
    f"{windows} {snapshot} {count(len(odd), 'thing')} missing or odd, listed below.",
)

st.subheader("What is loaded", anchor=False)
loaded = pd.DataFrame(
    [
        {
            "table": name,
            "row": table.row,
            "n": len(getattr(study, name)),
            "filled": sum(bool(getattr(study, name)[c].notna().any()) for c in table.names)
            if len(getattr(study, name))
            else 0,
        }
        for name, table in TABLES.items()
    ]
)
candidates = 0 if study.candidates is None else len(study.candidates)
loaded.loc[len(loaded)] = ["candidates", "one retrieved idea–paper pair", candidates, 4]
components.table(
    loaded,
    key="loaded",
    alt="Rows of each table of the study",
    csv=False,
    columns={
        "table": st.column_config.TextColumn("Table", pinned=True),
        "row": st.column_config.TextColumn("One row is"),
        "n": st.column_config.NumberColumn("Rows", format="localized"),
        "filled": st.column_config.NumberColumn("Columns in use"),
    },
)
components.link("bring", "Bring files, make a study, or match", icon=":material/upload_file:")
with st.popover("Download a table as CSV", icon=":material/download:"):
    for name in (*TABLES, "candidates"):
        frame = getattr(study, name)
        if frame is not None and len(frame):
            components.csv_button(frame, name=name, key=f"{name}_csv", label=name)
if study.candidates is None:
    components.nothing(f"No candidates yet: run `foreseen match {plain(study.folder)}`.")

st.subheader("What is missing or odd", anchor=False)
if not odd:
    components.nothing("Nothing: every row has what the scores need.")
else:
    shown = pd.DataFrame(
        [{"table": row.table, "n": row.count, "what": row.message, "code": row.code} for row in odd]
    )
    event = components.table(
        shown,
        key=f"odd_{study.digest}",
        alt="What is missing or odd, by table",
        csv=False,
        on_select="rerun",
        selection_mode="single-row",
        columns={
            "table": st.column_config.TextColumn("Table"),
            "n": st.column_config.NumberColumn("Rows", format="localized"),
            "what": st.column_config.TextColumn("What", width="large"),
            "code": st.column_config.TextColumn("Code"),
        },
    )
    place = picking.selected_row(event, len(odd))
    if place is None:
        st.caption("Pick a line to list its rows.")
    else:
        ids = pd.DataFrame({"id": list(odd[place].ids)})
        components.table(
            ids, key="odd_ids", alt=f"The {len(ids)} rows with {odd[place].code}", height=200
        )

st.subheader("When the papers appeared", anchor=False)
months = replace(found.months, cutoff=least, window_end=config.window_end(most))
if months.n:
    if least != most:
        st.caption("Dark: from the first window's opening to the last one's end.")
    components.chart(papers_chart(months, components.theme()), key="papers_per_month")
else:
    components.nothing("No paper has a month of publication, so there is nothing to draw.")

st.subheader("How venues were read", anchor=False)
readings = venue_readings(study, view.settings)
if readings.empty:
    components.nothing("The study holds no papers.")
else:
    st.markdown(
        f"**{percent(counts.top_venue / counts.in_window) if counts.in_window else 'None'}** of"
        f" the window's papers count as top venue ({counts.top_venue:,} of {counts.in_window:,});"
        f" {count(len(readings), 'spelling')} met."
    )
    components.table(
        readings,
        key="venue_readings",
        alt="Every venue text met and how it was read",
        placeholder="–",
        height=300,
        columns={
            "raw": st.column_config.TextColumn("As the source spells it", pinned=True),
            "venue": st.column_config.TextColumn("Read as"),
            "main": st.column_config.CheckboxColumn(
                "Main", help="The conference or journal itself: no workshop, no companion volume"
            ),
            "top": st.column_config.CheckboxColumn("Top venue", help="In the venue list now"),
            "reason": st.column_config.TextColumn("Why", width="medium"),
            "papers": st.column_config.NumberColumn("Papers", format="localized"),
        },
    )

st.subheader("How long the ideas are", anchor=False)
lengths = found.lengths
if lengths.empty:
    components.nothing("No idea has a text.")
else:
    components.table(
        lengths,
        key="field_lengths",
        alt="Median words and share of empty fields by system",
        columns={
            "field": st.column_config.TextColumn("Field"),
            "empty": st.column_config.NumberColumn("Empty", format="percent"),
            "median_words": st.column_config.NumberColumn("Median words", format="%.0f"),
            "longest_words": st.column_config.NumberColumn("Longest", format="localized"),
        },
    )
    st.caption(
        "Judges may reward length: systems whose fields differ much are not alike to a judge."
    )

st.subheader("Merged records", anchor=False)
merges = found.merges
if not merges:
    components.nothing("No two records were merged into one paper.")
else:
    st.markdown(f"{count(len(merges), 'record')} merged into papers that were there already.")
    components.table(
        pd.DataFrame([vars(merge) for merge in merges]),
        key="merges",
        alt="Records merged into one paper",
        height=250,
        columns={
            "merged_id": st.column_config.TextColumn("Merged record"),
            "by": st.column_config.TextColumn("Because of"),
            "source": st.column_config.TextColumn("Source"),
        },
    )
