"""A case as a card on a page. Every foreign text is shown as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard import components
from dashboard.charts.quadrants import MEANINGS, NAMES
from dashboard.export.cases import (
    STATES,
    against_theta,
    origin,
    paper_facts,
    score_sentence,
)
from dashboard.prose import count, fixed, plain, shorten

if TYPE_CHECKING:
    from core.hindsight.cases import Case

_SHOWN = 200
BADGES: dict[str, tuple[Any, str]] = {
    "true_positive": ("blue", ":material/check:"),
    "hidden_gem": ("green", ":material/diamond:"),
    "overhyped": ("violet", ":material/campaign:"),
    "true_negative": ("gray", ":material/remove:"),
    "unscored": ("gray", ":material/question_mark:"),
}
LEAKED = ":material/history: **Before the knowledge cutoff:** the system may have known this paper."


def draw(case: Case, *, key: str) -> None:
    """The case in a bordered card, with a link that opens the idea."""
    with st.container(border=True, key=key):
        color, icon = BADGES[case.quadrant]
        st.badge(NAMES[case.quadrant], color=color, icon=icon, help=MEANINGS[case.quadrant])
        st.subheader(plain(case.heading), anchor=False)
        st.caption(plain(origin(case)))
        text = case.problem or case.method
        if text:
            name = "Problem" if case.problem else "Method"
            st.markdown(f"**{name}.** {plain(shorten(text, _SHOWN))}")
        _draw_paper(case)
        st.markdown(judges_sentence(case))
        components.link("ideas", "Open the idea", icon=":material/open_in_new:", idea=case.idea_id)


def _draw_paper(case: Case) -> None:
    paper = case.shown_paper
    with st.container(border=True):
        if paper is None:
            st.markdown("**No candidate.** No paper of its pool was retrieved for this idea.")
            return
        verb = "Met by" if paper.matched else "Nearest, but below θ:"
        st.markdown(f"**{verb}** *{plain(paper.title)}*")
        st.caption(plain(paper_facts(paper)))
        st.progress(
            min(1.0, max(0.0, paper.similarity)),
            text=f"similarity {fixed(paper.similarity, 3)} ({against_theta(paper, case.theta)})",
        )
        if paper.matched:
            left, right = st.columns(2)
            left.metric("Venue term", fixed(paper.venue_term, 3))
            right.metric("Citation term", fixed(paper.citation_term, 3))
            st.caption(score_sentence(case))
        if paper.leaked:
            st.markdown(LEAKED)


def judges_sentence(case: Case) -> str:
    """The judges' overall mark, each mark behind it, and one reason, as Markdown."""
    if not case.marks:
        return "**Judges** have not marked this idea."
    ok = [mark for mark in case.marks if mark.state == "ok" and mark.overall is not None]
    other = [STATES[mark.state] for mark in case.marks if mark.state != "ok"]
    if case.judge_overall is None or not ok:
        states = ", ".join(dict.fromkeys(other)) or "no overall mark"
        return f"**Judges** gave no mark ({count(len(case.marks), 'attempt')}: {states})."
    marks = ", ".join(f"{mark.overall:g}" for mark in ok)
    text = f"**Judges** {fixed(case.judge_overall, 2)} overall, of 10"
    text += f" ({count(len(ok), 'mark')}: {marks}"
    text += f"; {len(other)} without one)" if other else ")"
    reason = next((mark.reason for mark in ok if mark.reason), None)
    return f"{text}: “{plain(shorten(reason, 140))}”" if reason else f"{text}."
