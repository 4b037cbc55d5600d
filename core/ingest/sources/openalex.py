"""OpenAlex works, by words and dates, with its cursor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

import httpx

from core.ingest.sources.fetch import Page
from core.ingest.sources.transport import Transport, key_of, read_object
from core.retry import CallError

# Authors are not asked for: they come with ids that are theirs.
_SELECT = (
    "id,doi,ids,title,display_name,abstract_inverted_index,publication_date,publication_year,"
    "primary_location,locations,cited_by_count,fwci,citation_normalized_percentile,type"
)
_KEYS = ("OPENALEX_API_KEY",)
_PER_PAGE = 200


@dataclass(frozen=True, kw_only=True)
class OpenAlexSearch:
    """Works with the words of ``query``, published from ``start`` to ``end``."""

    query: str
    start: date
    end: date
    url: str | None = None
    name: ClassVar[str] = "openalex"
    base: ClassVar[str] = "https://api.openalex.org"

    @property
    def asks(self) -> Mapping[str, str]:
        return {"query": self.query, "from": str(self.start), "to": str(self.end)}

    def transport(self) -> Transport:
        key = key_of(_KEYS)
        headers = {} if key is None else {"Authorization": f"Bearer {key.reveal()}"}
        return Transport(
            base=self.url or self.base, key=key, headers=headers, variable=_KEYS[0], interval=0.1
        )

    def page(self, transport: Transport, place: str | None) -> Page:
        dates = f"from_publication_date:{self.start},to_publication_date:{self.end}"
        params = {
            "search": self.query,
            "filter": dates,
            "select": _SELECT,
            "per-page": _PER_PAGE,
            "cursor": place or "*",
        }
        return transport.get("/works", params, _read)


def _read(answer: httpx.Response) -> Page:
    value = read_object(answer, "results", "meta")
    records, meta = value["results"], value["meta"]
    if not isinstance(records, list) or not isinstance(meta, dict):
        raise CallError("the answer lacks its works", retry=True)
    count = meta.get("count")
    return Page(
        records=tuple(record for record in records if isinstance(record, dict)),
        after=(meta.get("next_cursor") or None) if records else None,
        total=count if isinstance(count, int) else None,
    )
