"""OpenReview: the submissions of a conference with their reviews and decisions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import httpx

from core.errors import UsageError, nearest
from core.ingest.sources.fetch import Page
from core.ingest.sources.transport import Transport, key_of, read_object
from core.retry import CallError

_HOSTS = {
    "ICLR": "ICLR.cc",
    "NeurIPS": "NeurIPS.cc",
    "ICML": "ICML.cc",
    "COLM": "colmweb.org/COLM",
}
# The first year whose submissions are there in this form, and the first of the second API.
_SINCE = {"ICLR": 2018, "NeurIPS": 2021, "ICML": 2023, "COLM": 2024}
_SECOND_API = {"ICLR": 2024, "NeurIPS": 2023, "ICML": 2023, "COLM": 2024}
_FIRST_BASE = "https://api.openreview.net"
_KEYS = ("OPENREVIEW_TOKEN",)
_PER_PAGE = 500


@dataclass(frozen=True, kw_only=True)
class OpenReviewVenue:
    """Every public submission of a conference, such as 'ICLR 2025'."""

    venue: str
    url: str | None = None
    name: ClassVar[str] = "openreview"
    base: ClassVar[str] = "https://api2.openreview.net"

    def __post_init__(self) -> None:
        self._conference()

    @property
    def asks(self) -> Mapping[str, str]:
        conference, year = self._conference()
        return {"venue": f"{conference} {year}"}

    def transport(self) -> Transport:
        conference, year = self._conference()
        key = key_of(_KEYS)
        headers = {} if key is None else {"Authorization": f"Bearer {key.reveal()}"}
        base = self.base if year >= _SECOND_API[conference] else _FIRST_BASE
        return Transport(
            base=self.url or base, key=key, headers=headers, variable=_KEYS[0], interval=1.0
        )

    def page(self, transport: Transport, place: str | None) -> Page:
        at = int(place or 0)
        conference, year = self._conference()
        second = year >= _SECOND_API[conference]
        params = {
            "invitation": f"{_HOSTS[conference]}/{year}/Conference/-/"
            + ("Submission" if second else "Blind_Submission"),
            "details": "replies" if second else "directReplies",
            "limit": _PER_PAGE,
            "offset": at,
        }
        return transport.get("/notes", params, lambda answer: _read(answer, at))

    def _conference(self) -> tuple[str, int]:
        found = re.fullmatch(r"\s*([A-Za-z]+)\s*[ -]?\s*(20\d\d)\s*", self.venue)
        if found is None:
            raise UsageError(f"--venue {self.venue!r}: must be a name and year, such as ICLR 2025")
        spelled = {name.upper(): name for name in _HOSTS} | {"NIPS": "NeurIPS"}
        name = spelled.get(found[1].upper(), "")
        if not name:
            raise UsageError(f"--venue {self.venue!r}: not known. {nearest(found[1], _HOSTS)}")
        year = int(found[2])
        if year < _SINCE[name]:
            raise UsageError(
                f"--venue {self.venue!r}: OpenReview holds its submissions from {_SINCE[name]} on."
            )
        return name, year


def _read(answer: httpx.Response, at: int) -> Page:
    value = read_object(answer, "notes")
    records = value["notes"]
    if not isinstance(records, list):
        raise CallError("the answer lacks its notes", retry=True)
    total = value.get("count")
    total = total if isinstance(total, int) else None
    after = at + len(records)
    if not records and at < (total or 0):
        raise CallError(f"the page at {at} of {total} is empty", retry=True)
    more = bool(records) and (after < total if total is not None else len(records) == _PER_PAGE)
    return Page(
        records=tuple(record for record in records if isinstance(record, dict)),
        after=str(after) if more else None,
        total=total,
    )
