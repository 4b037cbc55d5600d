"""One idea in full: its texts, its candidates, a paper beside it, and its marks."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.config import JUDGE_DIMENSIONS
from core.hindsight.cases import Case, CasePaper
from core.hindsight.shared_terms import shared_terms
from core.hindsight.venues import chosen_venues, read_venue
from core.schema import FORMAL_PARTS
from dashboard import components, picking
from dashboard.cards import BADGES, LEAKED, judges_sentence
from dashboard.charts.idea import candidate_chart, candidate_table
from dashboard.charts.quadrants import MEANINGS, NAMES
from dashboard.charts.theme import system_styles
from dashboard.export.cases import STATES, against_theta, origin, paper_facts, score_sentence
from dashboard.export.document import web_address
from dashboard.ligbench import line as ligbench_line
from dashboard.marked import marked_html, shared_words
from dashboard.prose import count, fixed, plain
from dashboard.state import View

_SHOWN = 700
_PARTS = ("problem", "rationale", "method")


def inspect(view: View, case: Case) -> None:
    """Draw everything about one idea."""
    color, icon = BADGES[case.quadrant]
    st.badge(NAMES[case.quadrant], color=color, icon=icon, help=MEANINGS[case.quadrant])
    st.header(plain(case.heading), anchor=False)
    st.caption(plain(origin(case)))
    st.markdown(f"{score_sentence(case)} {judges_sentence(case)}")
    _texts(view, case)
    st.subheader("What it met", anchor=False)
    if not case.papers:
        components.nothing(
            "No candidate: the search found no paper in this idea's pool, or the settings admit"
            " none of those it found. The Data page lists ideas with an empty pool."
        )
    else:
        paper = _candidates(view, case)
        _side_by_side(case, paper)
    _marks(case)
    ligbench_line.draw(view, case.idea_id)


def _texts(view: View, case: Case) -> None:
    for name in _PARTS:
        value = getattr(case, name)
        if value:
            st.markdown(f"**{name.capitalize()}**")
            long_text(value, key=f"whole_{name}")
    row = view.study.ideas.set_index("idea_id").loc[case.idea_id]
    other = {name: row[name] for name in FORMAL_PARTS if isinstance(row[name], str)}
    other |= {"key_terms": list(row["key_terms"])} if row["key_terms"] else {}
    other |= dict(row["extra"])
    if not other:
        return
    fold = st.expander(
        f"{count(len(other), 'other field')} of the source", key="extra", on_change="rerun"
    )
    if fold.open:
        fold.json(other, expanded=1)


def long_text(value: str, *, key: str) -> None:
    """A text as it is, of which all beyond the first 700 characters is folded."""
    if len(value) <= _SHOWN:
        st.html(marked_html(value, ()))
        return
    st.html(marked_html(value[:_SHOWN] + " …", ()))
    fold = st.expander(f"Whole text ({len(value):,} characters)", key=key, on_change="rerun")
    if fold.open:
        fold.text(value)


def _candidates(view: View, case: Case) -> CasePaper:
    """The chart and the table of candidates; the paper whose row is selected comes back."""
    style = system_styles(view.systems)[case.system]
    components.chart(candidate_chart(case, components.theme(), style), key="candidate_chart")
    if case.short_of_k:
        st.caption(
            f"Only {count(len(case.papers), 'candidate')} for K = {case.k}: the stored search ends"
            " there."
        )
    free, _ = chosen_venues(view.settings.venues)
    rows = candidate_table(case)
    shown = pd.DataFrame(
        {
            "place": rows["place"],
            "match": ["match" if matched else "below θ" for matched in rows["matched"]],
            "similarity": rows["similarity"],
            "title": rows["title"],
            "impact": rows["impact"],
            "venue_term": rows["venue_term"],
            "citation_term": rows["citation_term"],
            "citations": [
                "unknown" if value is None else f"{value:,.0f}"
                for value in _cells(rows, "citations")
            ],
            "venue": rows["venue"],
            "read_as": [read_venue(venue or "", free).reason for venue in _cells(rows, "venue")],
            "published": rows["published"],
            "date_precision": rows["date_precision"],
            "leaked": ["before cutoff" if leaked else "" for leaked in rows["leaked"]],
            "url": [web_address(url) for url in _cells(rows, "url")],
            "paper_id": rows["paper_id"],
        }
    )
    event = components.table(
        shown,
        key=f"candidates_{case.idea_id}_{view.settings.digest}",
        alt=f"The {len(rows)} candidates of idea {case.idea_id}, the most similar first",
        csv=False,
        on_select="rerun",
        selection_mode="single-row",
        height=320,
        placeholder="–",
        columns={
            "place": st.column_config.NumberColumn("#", width=40, help="1 is the most similar"),
            "match": st.column_config.TextColumn("θ", help="At or above θ, or below", pinned=True),
            "citations": st.column_config.TextColumn("Citations"),
            "read_as": st.column_config.TextColumn("Venue read as"),
            "published": st.column_config.TextColumn("Published", help="As exactly as known"),
            "date_precision": st.column_config.TextColumn("Exact to the"),
            "leaked": st.column_config.TextColumn(
                "Leak", help="Dated on or before the system's knowledge cutoff"
            ),
        },
    )
    st.caption("Pick a row to read that paper beside the idea.")
    picked = picking.selected_row(event, len(case.papers))
    return case.best or case.papers[0] if picked is None else case.papers[picked]


def _side_by_side(case: Case, paper: CasePaper) -> None:
    idea_text = "\n\n".join(part for part in (case.problem, case.method) if part)
    paper_text = "\n\n".join(part for part in (paper.title, paper.abstract) if part)
    shared = shared_terms(idea_text, paper_text)
    st.subheader("The two texts side by side", anchor=False)
    common = f"{count(len(shared), 'term')}: {plain(shared_words(shared))}" if shared else "no term"
    st.markdown(
        f"Similarity **{fixed(paper.similarity, 3)}** ({against_theta(paper, case.theta)}). They"
        f" share {common}."
    )
    left, right = st.columns(2, gap="medium")
    with left.container(border=True, height="stretch"):
        st.caption(f"Idea {plain(case.idea_id)}: problem and method")
        st.html(marked_html(idea_text or "(no text)", shared))
    with right.container(border=True, height="stretch"):
        st.caption(plain(f"Paper {paper.paper_id} · {paper_facts(paper)}"))
        st.html(marked_html(paper_text, shared))
        if paper.abstract is None:
            st.caption("No abstract: matched by its title alone.")
        if paper.leaked:
            st.markdown(LEAKED)
        st.caption(
            f"Impact {fixed(paper.impact, 3)} = venue term {fixed(paper.venue_term, 3)} + citation"
            f" term {fixed(paper.citation_term, 3)}"
        )
        address = web_address(paper.url)
        if address:
            st.link_button("Open the paper", address, icon=":material/open_in_new:")


def _marks(case: Case) -> None:
    st.subheader("What the judges said", anchor=False)
    if not case.marks:
        components.nothing("No judge has marked this idea.")
        return
    rows = [
        {
            "judge": mark.judge,
            "repeat": mark.repeat,
            "state": STATES[mark.state],
            **{f"judge_{name}": getattr(mark, name) for name in JUDGE_DIMENSIONS},
            "reason": mark.reason,
        }
        for mark in case.marks
    ]
    components.table(
        pd.DataFrame(rows),
        key="marks",
        alt=f"Marks of idea {case.idea_id} by judge and repeat",
        placeholder="–",
        columns={
            **{
                f"judge_{name}": st.column_config.NumberColumn(name.capitalize(), format="%.4g")
                for name in JUDGE_DIMENSIONS
            },
            "repeat": st.column_config.NumberColumn("Repeat"),
            "state": st.column_config.TextColumn("State", width="small"),
            "reason": st.column_config.TextColumn("Reason", width="large"),
        },
    )
    with st.expander("The reasons in full", key="reasons", on_change="rerun") as fold:
        if fold.open:
            for mark in case.marks:
                st.caption(f"{plain(mark.judge)}, repeat {mark.repeat}")
                st.text(mark.reason or "no reason given")


def _cells(frame: pd.DataFrame, name: str) -> list[Any]:
    return [None if pd.isna(cell) else cell for cell in frame[name]]
