"""Cases in files: one self-contained HTML with a card a case, and CSV. No streamlit.

The sentences that a card on the page says too stand here. Foreign text is always escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.hindsight.cases import Case, CasePaper, Mark, case_table
from core.ingest.tabular import to_csv
from dashboard.charts.quadrants import NAMES
from dashboard.export import document
from dashboard.prose import NOT_DEFINED, count, fixed, number, shorten

STATES = {
    "ok": "ok",
    "refused": "refused to judge",
    "parse_failed": "reply not readable",
    "call_failed": "call failed",
}
SIMULATED_EXPORT = "Simulated study: its papers and citations are invented."
TEXT_WIDTH = 280


def against_theta(paper: CasePaper, theta: float) -> str:
    """'θ 0.62: a match' or 'below θ 0.62', so that colour is never needed."""
    return f"a match at θ {number(theta)}" if paper.matched else f"below θ {number(theta)}"


def paper_facts(paper: CasePaper) -> str:
    """Venue, date and citations in a line; what is unknown is said to be unknown."""
    citations = (
        "citations unknown" if paper.citations is None else count(int(paper.citations), "citation")
    )
    return " · ".join([paper.venue or "no venue given", paper.published or "undated", citations])


def score_sentence(case: Case) -> str:
    """The score, what it is made of and how many matches there are."""
    if case.score is None:
        return f"HindSight {NOT_DEFINED}."
    how = {
        "max": "the best of",
        "mean": "the mean of",
        "top1": "the most similar of",
        "sum": "the sum of",
    }[case.aggregate]
    return f"HindSight {fixed(case.score, 3)}: {how} {count(case.n_matches, 'match', 'matches')}."


def cards_csv(cases: Iterable[Case]) -> bytes:
    """One row a case; cells that a spreadsheet would run are guarded."""
    return to_csv(case_table(cases)).encode("utf-8")


def cards_html(cases: Sequence[Case], *, title: str, settings: str) -> str:
    """A self-contained file with one card a case, for slides and mails."""
    simulated = any(case.simulated for case in cases)
    studies = ", ".join(dict.fromkeys(case.study for case in cases))
    body = [
        document.element("h1", title),
        document.element("p", f"{studies} · {count(len(cases), 'idea')} · {settings}", css="soft"),
        '<div class="cards">',
        *(card_html(case) for case in cases),
        "</div>",
    ]
    return document.document(
        title=title, body=body, notices=[SIMULATED_EXPORT] if simulated else []
    )


def card_html(case: Case) -> str:
    """One card as HTML: what the page's card shows."""
    parts = [
        document.element("div", NAMES[case.quadrant], css="label"),
        document.element("h3", case.heading),
        document.element("p", origin(case), css="soft"),
    ]
    for name, value in (("Problem", case.problem), ("Method", case.method)):
        if value:
            parts.append(
                f'<p dir="auto"><b>{name}.</b> {document.text(shorten(value, TEXT_WIDTH))}</p>'
            )
    parts += _paper_html(case)
    parts += _marks_html(case.marks, case.judge_overall)
    return f'<article class="card">{"".join(parts)}</article>'


def _paper_html(case: Case) -> list[str]:
    paper = case.shown_paper
    if paper is None:
        return ['<div class="met">No paper of its pool was retrieved for this idea.</div>']
    lines = [
        f"<b>{'Met by' if paper.matched else 'Nearest, but below θ:'}</b> "
        + document.link(paper.url, paper.title),
        document.element("div", paper_facts(paper), css="soft"),
        document.element(
            "div", f"similarity {fixed(paper.similarity, 3)} ({against_theta(paper, case.theta)})"
        ),
    ]
    if paper.matched:
        split = (
            f"venue term {fixed(paper.venue_term, 3)} + citation term"
            f" {fixed(paper.citation_term, 3)}. {score_sentence(case)}"
        )
        lines.append(document.element("div", split))
    if paper.leaked:
        lines.append("<div>Dated before the system's knowledge cutoff.</div>")
    return [f'<div class="met">{"".join(lines)}</div>']


def _marks_html(marks: Sequence[Mark], overall: float | None) -> list[str]:
    if not marks:
        return ["<p>Judges have not marked this idea.</p>"]
    head = (
        "Judges gave no mark."
        if overall is None
        else f"Judges: {fixed(overall, 2)} overall, of 10."
    )
    lines = [document.element("p", head)]
    lines += [
        document.element("li", f"{mark.judge}, repeat {mark.repeat}: {_said(mark)}")
        for mark in marks
    ]
    return [lines[0], "<details><summary>Every mark</summary><ul>", *lines[1:], "</ul></details>"]


def _said(mark: Mark) -> str:
    if mark.state != "ok":
        return STATES[mark.state]
    reason = f" “{shorten(mark.reason, 300)}”" if mark.reason else ""
    return f"{mark.overall:g}{reason}"


def origin(case: Case) -> str:
    return " · ".join(part for part in (case.idea_id, case.system, case.topic) if part)
