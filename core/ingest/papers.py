"""What only a paper's whole row can tell: its date, its identifiers, its name, its venue."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from core.cells import is_missing
from core.ingest.dates import arxiv_month, earliest, read_date, year_and_month
from core.ingest.identifiers import arxiv_id, content_id, doi, normal_identifiers
from core.ingest.synonyms import ID_MONTH, MONTH, STATUS, TRACK, YEAR

_SIDE_TRACK = re.compile(
    r"findings|workshop|demo|industry|tutorial|student|survey|doctoral|special|ai for|track", re.I
)
_MAIN_TRACK = re.compile(r"main( (conference|track))?|research track|technical track", re.I)
_PRECISION = {4: "year", 7: "month", 10: "day"}


def settle_paper(row: dict[str, Any], counts: Counter[str], *, dated: bool) -> None:
    """Fill ``published``, ``date_precision``, ``identifiers``, ``paper_id`` and ``venue``.

    ``dated`` says that the file has a column of first-submission dates: then a row without one
    has at most a year. Without such a column the year, its month and the month in the arXiv id
    count, and the earliest is taken as finely as the others confirm it.
    """
    identifiers = normal_identifiers(row.get("identifiers") or {})
    named = row.get("paper_id")
    arxiv = identifiers.get("arxiv") or arxiv_id(named)
    if arxiv is not None:
        identifiers.setdefault("arxiv", arxiv)
    elif (found := doi(named)) is not None:
        identifiers.setdefault("doi", found)
    if identifiers:
        row["identifiers"] = identifiers
    if is_missing(named):
        row["paper_id"] = arxiv or identifiers.get("doi") or _made_id(row, counts)
    elif (plain := arxiv_id(named)) is not None:
        row["paper_id"] = plain
    _settle_date(row, arxiv, counts, dated=dated)
    _settle_venue(row, counts)


def _made_id(row: dict[str, Any], counts: Counter[str]) -> str:
    if is_missing(row.get("title")) and is_missing(row.get("abstract")):
        raise ValueError("has no text")
    counts["paper_id: {count} made from the title and year, where the file gives none"] += 1
    year = str(row.get("published") or row.get(YEAR) or "")[:4]
    return content_id("paper", str(row.get("title") or row.get("abstract")), year)


def _settle_date(
    row: dict[str, Any], arxiv: str | None, counts: Counter[str], *, dated: bool
) -> None:
    year, month, id_month = (row.pop(name, None) for name in (YEAR, MONTH, ID_MONTH))
    day = row.get("published")
    if day is None:
        by_year = year_and_month(year, month)
        by_id = None if dated or arxiv is None else arxiv_month(arxiv)
        by_column = None if dated else read_date(id_month)
        day = earliest((by_year, by_id, by_column))
        if day is not None and day == by_year:
            what = "year" if len(day) == 4 else "year and month"
            counts[f"published: {{count}} dated by their {what}"] += 1
        elif day is not None:
            counts["published: {count} dated by the month in their arXiv id"] += 1
    if day is None:
        row.pop("published", None)
        row.pop("date_precision", None)
        counts["published: {count} without a date"] += 1
        return
    row["published"] = day
    row.setdefault("date_precision", _PRECISION[len(day)])


def _settle_venue(row: dict[str, Any], counts: Counter[str]) -> None:
    """A track that is not the main conference's is written behind the venue's name."""
    track, status = row.pop(TRACK, None), row.pop(STATUS, None)
    for name, cell in ((TRACK, track), (STATUS, status)):
        if not is_missing(cell):
            row.setdefault("extra", {})[name.partition(".")[2]] = str(cell).strip()
    venue = row.get("venue")
    if not isinstance(venue, str):
        return
    side = next(
        (
            text
            for cell in (status, track)
            if not is_missing(cell)
            and _SIDE_TRACK.search(text := str(cell).strip())
            and not _MAIN_TRACK.fullmatch(text)
        ),
        None,
    )
    if side is not None and side.lower() not in venue.lower():
        row["venue"] = f"{venue} {side}"
        counts["venue: {count} given their track, which is not the main conference"] += 1
