"""The papers that ideas matched, as BibTeX and as CSV."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from core.cells import is_missing
from core.config import Settings
from core.ingest.cleaning import clean_text
from core.ingest.tabular import to_csv
from core.study import Study

SIMULATED = "Simulated: everything in this study is invented, papers and citations too."
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip
# Pairs that LaTeX would make one sign of.
_LIGATURES = re.compile(
    r"(?<=-)(?=-)|(?<=')(?=')|(?<=`)(?=`)|(?<=<)(?=<)|(?<=>)(?=>)|(?<=[!?])(?=`)"
)
_PREPRINT = re.compile(r"arxiv|corr|preprint", re.I)
_CSV = (
    "idea_id", "system", "topic", "paper_id", "place", "similarity", "impact", "citation_term",
    "venue_term", "title", "venue", "published", "date_precision", "citations", "url",
)  # fmt: skip


def matched_pairs(study: Study, settings: Settings | None = None) -> pd.DataFrame:
    """One row an idea–paper match under ``settings``, with what the study knows of both.

    Columns: idea_id, system, topic, paper_id, place (1 is the most similar), similarity, impact,
    citation_term, venue_term, title, venue, published (as exactly as it is known),
    date_precision, citations (empty means unknown), url; simulated, where it is. Raises :class:`UsageError` where the
    study has no candidates.
    """
    found = study.score(settings).matches
    found = found[found["matched"].astype(bool)]
    ideas = study.ideas[["idea_id", "system", "topic"]]
    papers = study.papers.drop(columns=["abstract", "topics", "identifiers", "extra"])
    frame = found.merge(ideas, on="idea_id").merge(papers, on="paper_id")
    frame["published"] = [
        _day(day, precision)
        for day, precision in zip(frame["published"], frame["date_precision"], strict=True)
    ]
    frame = frame.reindex(columns=list(_CSV)).reset_index(drop=True)
    return frame.assign(simulated=True) if study.config.simulated else frame


def matches_csv(study: Study, settings: Settings | None = None) -> str:
    """:func:`matched_pairs` as CSV; cells that a spreadsheet would run are escaped."""
    return to_csv(matched_pairs(study, settings))


def bibtex(study: Study, settings: Settings | None = None) -> str:
    """BibTeX of every paper that an idea matched, by paper_id, each once.

    Text is UTF-8, with LaTeX's own signs escaped. Authors stand there where the study has them.
    """
    ids = set(matched_pairs(study, settings)["paper_id"])
    papers = study.papers[study.papers["paper_id"].isin(ids)].sort_values("paper_id")
    taken: set[str] = set()
    warning = f"% {SIMULATED}\n" if study.config.simulated else ""
    return warning + "\n".join(bibtex_entry(paper, taken) for paper in papers.to_dict("records"))


def bibtex_entry(paper: dict[str, Any], taken: set[str]) -> str:
    """One paper as an entry whose key is not in ``taken``, and is put there."""
    venue = None if is_missing(paper.get("venue")) else str(paper["venue"])
    preprint = venue is None or bool(_PREPRINT.search(venue))
    place = "howpublished" if preprint else "booktitle"
    identifiers = paper.get("identifiers") or {}
    extra = paper.get("extra") or {}
    day = _day(paper.get("published"), paper.get("date_precision"))
    fields = {
        "title": paper["title"],
        "author": _authors(extra),
        place: venue,
        "year": day[:4] if day else None,
        "doi": identifiers.get("doi"),
        "eprint": identifiers.get("arxiv"),
        "archiveprefix": "arXiv" if identifiers.get("arxiv") else None,
        "url": None if is_missing(paper.get("url")) else paper["url"],
        "abstract": None if is_missing(paper.get("abstract")) else paper["abstract"],
        "note": f"paper_id {paper['paper_id']}",
    }
    lines = [f"@{'misc' if preprint else 'inproceedings'}{{{_key(str(paper['paper_id']), taken)},"]
    for name, text in fields.items():
        if text:
            written = (
                _address(str(text)) if name in ("doi", "url", "eprint") else escaped(str(text))
            )
            lines.append(f"  {name} = {{{written}}},")
            if name == "year" and day and len(day) > 4:
                lines.append(f"  month = {_MONTHS[int(day[5:7]) - 1]},")
    return "\n".join([*lines, "}", ""])


def escaped(text: str) -> str:
    """Text in which LaTeX finds no command, in one line."""
    text = " ".join(clean_text(text).split())
    return _LIGATURES.sub("{}", "".join(_ESCAPES.get(letter, letter) for letter in text))


def _address(text: str) -> str:
    """An address as it stands, since programs take it verbatim; what would end it is encoded."""
    codes = {"{": "%7B", "}": "%7D", "\\": "%5C"}
    return "".join(codes.get(letter, letter) for letter in "".join(clean_text(text).split()))


def _key(paper_id: str, taken: set[str]) -> str:
    plain = re.sub(r"[^A-Za-z0-9:./-]+", "-", paper_id).strip("-") or "paper"
    key, number = plain, 1
    while key.lower() in taken:
        number += 1
        key = f"{plain}-{number}"
    taken.add(key.lower())
    return key


def _authors(extra: dict[str, Any]) -> str | None:
    names = extra.get("authors") or extra.get("author")
    if isinstance(names, list):
        return " and ".join(str(name) for name in names if name)
    return str(names).replace(";", " and ") if names else None


def _day(day: Any, precision: Any) -> str | None:
    if is_missing(day):
        return None
    length = {"year": 4, "month": 7}.get(str(precision), 10)
    return str(pd.Timestamp(day).date().isoformat())[:length]
