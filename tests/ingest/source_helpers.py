"""Records as the sources spell them, and fetches that wait on paper only."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from literature_server import Literature

from core.ingest.sources.gather import gather_papers
from core.ingest.sources.transport import Transport
from core.retry import RetryPolicy

START, END = date(2023, 6, 1), date(2025, 12, 31)
TODAY = date(2026, 1, 15)
WORDS = ("Alpha", "Bravo", "Charlie", "Delta", "Echo")


def s2(number: int, **more: Any) -> dict[str, Any]:
    title = f"A study of {WORDS[number]} in language models"
    return {
        "paperId": f"s{number}", "externalIds": {"CorpusId": number}, "title": title,
        "abstract": None if number == 1 else f"About {WORDS[number]}.", "venue": "",
        "publicationVenue": None, "year": 2024, "publicationDate": f"2024-03-0{number + 1}",
        "citationCount": None if number == 2 else number, "url": f"https://x.org/{number}",
    } | more  # fmt: skip


def openalex(number: int) -> dict[str, Any]:
    return {
        "id": f"https://openalex.org/W{number}", "doi": None,
        "display_name": f"A study of {WORDS[number]} in language models",
        "abstract_inverted_index": {WORDS[number]: [1], "About": [0]} if number else None,
        "publication_date": f"2024-03-0{number + 1}", "publication_year": 2024,
        "primary_location": {"source": {"display_name": "Journal"}}, "cited_by_count": number,
    }  # fmt: skip


def arxiv(number: int) -> dict[str, Any]:
    return {
        "id": f"2403.0000{number}v{number + 1}", "published": f"2024-03-0{number + 1}T00:00:00Z",
        "updated": "2025-01-01T00:00:00Z",
        "title": f"A study of {WORDS[number]} in language models", "summary": "About.",
    }  # fmt: skip


MADE: dict[str, Callable[[int], dict[str, Any]]] = {
    "semantic-scholar": s2,
    "openalex": openalex,
    "arxiv": arxiv,
}


def quick(waits: list[float] | None = None, **policy: Any) -> Callable[[Any], Transport]:
    """Transports that wait on paper only."""

    def connect(source: Any) -> Transport:
        transport: Transport = source.transport()
        transport.sleep = (waits if waits is not None else []).append
        transport.chance = random.Random(0)
        transport.interval = 0.0
        if policy:
            transport.policy = RetryPolicy(**policy)
        return transport

    return connect


def gather(study: Path, library: Literature, source: str, **more: Any) -> Any:
    values: dict[str, Any] = {"start": START, "end": END, "url": library.url, "today": TODAY}
    values |= {"connect": quick()} | more
    return gather_papers(study, source, values.pop("topics", {"Models": "models"}), **values)


def note_of(number: int, marks: list[int]) -> dict[str, Any]:
    return {
        "id": f"n{number}", "forum": f"n{number}",
        "content": {
            "title": {"value": f"A submission about {WORDS[number]}"},
            "abstract": {"value": "Text."}, "authorids": {"value": ["~A_B1"]},
            "venue": {"value": "ICLR 2025 Poster"},
            "venueid": {"value": "ICLR.cc/2025/Conference"},
        },
        "details": {"replies": [
            {"id": f"r{number}{place}", "invitations": ["ICLR.cc/2025/Conference/-/Official_Review"],
             "content": {"rating": {"value": mark}, "soundness": {"value": 3},
                         "contribution": {"value": 2}}}
            for place, mark in enumerate(marks)
        ]},
    }  # fmt: skip
