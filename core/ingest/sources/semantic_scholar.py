"""Semantic Scholar's bulk search, by words and dates, with its continuation token."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

import httpx

from core.ingest.sources.fetch import Page
from core.ingest.sources.transport import Transport, key_of, read_object
from core.retry import CallError

_FIELDS = (
    "paperId,externalIds,title,abstract,venue,publicationVenue,year,publicationDate,"
    "citationCount,fieldsOfStudy,url"
)
_KEYS = ("SEMANTIC_SCHOLAR_API_KEY", "S2_API_KEY")


@dataclass(frozen=True, kw_only=True)
class SemanticScholarSearch:
    """Papers with the words of ``query``, published from ``start`` to ``end``."""

    query: str
    start: date
    end: date
    url: str | None = None
    name: ClassVar[str] = "semantic-scholar"
    base: ClassVar[str] = "https://api.semanticscholar.org/graph/v1"

    @property
    def asks(self) -> Mapping[str, str]:
        return {"query": self.query, "from": str(self.start), "to": str(self.end)}

    def transport(self) -> Transport:
        key = key_of(_KEYS)
        headers = {} if key is None else {"x-api-key": key.reveal()}
        return Transport(
            base=self.url or self.base, key=key, headers=headers, variable=_KEYS[0], interval=1.0
        )

    def page(self, transport: Transport, place: str | None) -> Page:
        params = {
            # A hyphen negates the term after it, so it is no part of a word there.
            "query": re.sub(r"(?<=\w)[-‐‑](?=\w)", " ", self.query),
            "fields": _FIELDS,
            "publicationDateOrYear": f"{self.start}:{self.end}",
            "token": place,
        }
        return transport.get("/paper/search/bulk", params, _read)


def _read(answer: httpx.Response) -> Page:
    # No "data" beside a total of 0 means that nothing was found.
    value = read_object(answer, "total")
    records = value.get("data") or []
    if not isinstance(records, list) or (value["total"] and "data" not in value):
        raise CallError("the answer lacks its papers", retry=True)
    return Page(
        records=tuple(record for record in records if isinstance(record, dict)),
        after=value.get("token") or None,
        total=value["total"] if isinstance(value["total"], int) else None,
    )
