"""The arXiv API, by words and day of submission, a hundred papers a page."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

import httpx

from core.errors import DataError, UsageError
from core.ingest.formats.arxiv_papers import atom_feed
from core.ingest.sources.fetch import Page
from core.ingest.sources.transport import Transport
from core.retry import CallError

_PER_PAGE = 100


@dataclass(frozen=True, kw_only=True)
class ArxivSearch:
    """Papers with all words of ``query``, first submitted from ``start`` to ``end``.

    Words in quotes are a phrase; other signs are no part of a word.
    """

    query: str
    start: date
    end: date
    url: str | None = None
    name: ClassVar[str] = "arxiv"
    base: ClassVar[str] = "https://export.arxiv.org/api"

    def __post_init__(self) -> None:
        if not re.search(r"\w", self.query):
            raise UsageError(f"{self.query!r}: has no word that arXiv could search")

    @property
    def asks(self) -> Mapping[str, str]:
        return {"query": self.query, "from": str(self.start), "to": str(self.end)}

    def transport(self) -> Transport:
        # arXiv asks for three seconds between requests.
        return Transport(base=self.url or self.base, interval=3.0)

    def page(self, transport: Transport, place: str | None) -> Page:
        at = int(place or 0)
        found = re.findall(r'"([^"]+)"|(\w[\w-]*)', self.query)
        words = " AND ".join(f'all:"{phrase}"' if phrase else f"all:{w}" for phrase, w in found)
        first, last = (f"{day:%Y%m%d}" for day in (self.start, self.end))
        params = {
            "search_query": f"({words}) AND submittedDate:[{first}0000 TO {last}2359]",
            "start": at,
            "max_results": _PER_PAGE,
            "sortBy": "submittedDate",
            "sortOrder": "ascending",
        }
        return transport.get("/query", params, lambda answer: _read(answer, at))


def _read(answer: httpx.Response, at: int) -> Page:
    try:
        total, entries = atom_feed("arxiv", io.BytesIO(answer.content))
    except DataError as error:
        raise CallError(str(error), retry=True) from None
    records: list[Mapping[str, Any]] = []
    for entry in entries:
        if "api/errors" in str(entry["id"]):
            raise CallError(f"arXiv: {entry['summary']}")
        records.append(entry)
    if total is None:
        raise CallError("the answer does not say how many papers there are", retry=True)
    if not records and (at < total or (at and not total)):
        # A known fault: the page is there when it is asked for again.
        raise CallError(f"the page at {at} of {total} is empty", retry=True)
    after = at + len(records)
    return Page(
        records=tuple(records), after=str(after) if records and after < total else None, total=total
    )
