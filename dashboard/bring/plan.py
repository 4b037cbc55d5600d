"""What an import would do, or did: rows, columns, what was dropped and why, what is odd then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from core.ingest.coverage import coverage
from core.ingest.importing import ImportPlan
from core.ingest.report import ImportReport
from core.study import Study
from dashboard import components
from dashboard.bring import files
from dashboard.prose import count, plain

_HOW = {
    "given": "chosen",
    "guessed": "guessed from its name",
    "section": "parted by headings",
    "constant": "the same in every row",
    "format": "known format",
}


def sentence(report: ImportReport) -> str:
    """ "24 rows read, 22 kept (20 new, …), 1 merged, 1 dropped": all files together."""
    total = report.to_frame()[
        ["read", "kept", "added", "updated", "unchanged", "merged", "dropped"]
    ].sum()
    return (
        f"**{report.table}**: {count(int(total['read']), 'row')} read, {total['kept']:,} kept"
        f" ({total['added']:,} new, {total['updated']:,} updated, {total['unchanged']:,}"
        f" unchanged), {total['merged']:,} merged, {total['dropped']:,} dropped;"
        f" {report.rows_before:,} rows before, {report.rows_after:,} then."
    )


def draw(plan: ImportPlan) -> None:
    """One table's plan: its counts, and its problems in place."""
    report = plan.report
    st.markdown(sentence(report))
    if len(report.files) > 1:
        counts = report.to_frame()
        components.table(
            counts, key=f"bring_files_{plan.table}", alt="Rows of each file", csv=False
        )
    for file in report.files:
        for note in file.notes:
            st.caption(f"{plain(file.file)}: {plain(note)}")
    dropped(report, key=f"bring_dropped_{plan.table}")
    _others(report)
    with st.expander("Which column became which"):
        lines = [
            {"theirs": item.theirs, "ours": item.ours, "how": _HOW[item.how]}
            for item in dict.fromkeys(item for file in report.files for item in file.mapping)
        ]
        st.dataframe(
            pd.DataFrame(lines, columns=["theirs", "ours", "how"]),
            key=f"bring_pairs_{plan.table}",
            alt="Each of our columns that is filled, from where",
            hide_index=True,
            column_config={"theirs": "Their column", "ours": "Ours", "how": "Because"},
        )
        for label, names in (
            ("Kept in extra", {n for file in report.files for n in file.extra}),
            ("Left out", {n for file in report.files for n in file.left_out}),
            ("Personal, never stored", {n for file in report.files for n in file.personal}),
        ):
            if names:
                st.markdown(f"{label}: {', '.join(plain(name) for name in sorted(names))}")


def dropped(report: ImportReport, *, key: str) -> None:
    """Every dropped row with its line and the reason."""
    rows = report.dropped_frame()
    if rows.empty:
        return
    rows["reason"] = [files.in_the_page(reason) for reason in rows["reason"]]
    st.warning(
        f"{count(len(rows), 'row')} cannot come in as they are. Mend them in the file, or change"
        " the mapping above; the others are kept.",
        icon=":material/rule:",
    )
    components.table(
        rows,
        key=key,
        alt="Dropped rows with line and reason",
        height=min(260, 40 + 36 * len(rows)),
        columns={
            "file": st.column_config.TextColumn("File"),
            "line": st.column_config.NumberColumn("Line"),
            "reason": st.column_config.TextColumn("Why", width="large"),
        },
    )


def _others(report: ImportReport) -> None:
    if report.unknown_ids:
        shown = ", ".join(plain(name) for name in report.unknown_ids[:5])
        more = ", …" if len(report.unknown_ids) > 5 else ""
        st.warning(
            f"{count(report.unknown_rows, 'row')} of {count(len(report.unknown_ids), 'id')} that"
            f" the study does not have, kept all the same: {shown}{more}",
            icon=":material/link_off:",
        )
    for link in report.linked[:5]:
        st.caption(f"‘{plain(link.given)}’ is taken for ‘{plain(link.known)}’ ({link.rows} rows).")
    if report.merges:
        with st.expander(f"{count(len(report.merges), 'record')} merged into papers"):
            st.dataframe(
                pd.DataFrame([vars(merge) for merge in report.merges]),
                key="bring_merges",
                alt="Records merged into one paper",
                hide_index=True,
            )
    if report.rule:
        st.caption(plain(report.rule))


def check(study: Study, plans: Sequence[ImportPlan]) -> None:
    """What the study would lack or hold that is odd, once these tables were written."""
    after = replace(study, **{plan.table: plan.frame for plan in plans})
    key = (study.key, tuple((plan.table, plan.report) for plan in plans))
    found = files.remembered("_bring_check", str(key), lambda: coverage(after))
    if not len(found):
        st.caption("Checked: nothing would be missing or odd.")
        return
    with st.expander(f"{count(len(found), 'thing')} would be missing or odd", expanded=True):
        st.dataframe(
            pd.DataFrame(
                [
                    {
                        "table": entry.table,
                        "n": entry.count,
                        "what": entry.message,
                        "ids": ", ".join(entry.ids[:5]) + (" …" if len(entry.ids) > 5 else ""),
                    }
                    for entry in found
                ]
            ),
            key="bring_odd",
            alt="What would be missing or odd, by table",
            hide_index=True,
            column_config={
                "table": "Table",
                "n": st.column_config.NumberColumn("Rows", format="localized"),
                "what": st.column_config.TextColumn("What", width="large"),
                "ids": "Such as",
            },
        )
