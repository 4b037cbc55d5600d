"""paperlists: one JSON list a conference, with decisions, ratings and citation counts.

Ratings are written "5;7;7;7", "3, 3, 5, 5" or "8-10-8-8" by the crawl, may be empty or a single
review, and are kept as they are in ``extra``. A count of −1 was never looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.ingest.formats.opened import Opened, present, rest
from core.ingest.formats.reading import Format, Reading, Row

_TELLING = {"gs_citation", "gs_cited_by_link", "rating", "rating_avg", "confidence", "confidence_avg",
            "bibtex"}  # fmt: skip
_SITES = (
    (re.compile(r"//(?:www\.)?(iclr|icml|neurips|nips)\.cc/.*?(20\d\d)", re.I), "{0} {1}"),
    (
        re.compile(r"openaccess\.thecvf\.com/(?:content/)?(CVPR|ICCV|WACV)_?(20\d\d)", re.I),
        "{0} {1}",
    ),
)
_NAMES = {"iclr": "ICLR", "icml": "ICML", "neurips": "NeurIPS", "nips": "NeurIPS"}
_OUT = re.compile(r"reject|withdr", re.I)
_USED = ("id", "title", "abstract", "keywords", "site", "gs_citation", "author", "author_site")


def _is_list(opened: Opened) -> bool:
    sample = opened.sample()
    return (
        opened.kind in ("json", "jsonl")
        and {"title", "status"} <= set(sample)
        and bool({"site", "author", "author_site", "track"} & set(sample))
        and bool(_TELLING & set(sample))
        and "arxiv_id" not in sample
        and "venue" not in sample
    )


def _read_list(opened: Opened, reading: Reading) -> Iterator[Row]:
    for line, record in opened.items():
        count = record.get("gs_citation")
        if str(count).strip() in ("-1", "-1.0"):
            reading.note("citations: {count} × -1 read as unknown")
            count = None
        extra = rest(record, *_USED)
        if present(record.get("keywords")):
            extra["keywords"] = record["keywords"]
        names = record.get("author") or record.get("author_site")
        if present(names):
            extra["authors"] = names
        status = str(record.get("status") or "")
        venue, year = _venue(str(record.get("site") or ""))
        if _OUT.search(status):
            reading.note("venue: {count} left unknown, since they were not accepted")
            venue = None
        elif venue is None:
            reading.note("venue: {count} without one in the file: give it with --set venue=…")
        yield Row("papers", line, {
            "paper_id": record.get("id"), "title": record.get("title"),
            "abstract": record.get("abstract"), "published": record.get("year") or year,
            "venue": venue, "citations": count,
            "url": record.get("site"), "extra": extra,
        })  # fmt: skip


def _venue(site: str) -> tuple[str | None, str | None]:
    for pattern, text in _SITES:
        found = pattern.search(site)
        if found:
            name = _NAMES.get(found[1].lower(), found[1].upper())
            return text.format(name, found[2]), found[2]
    return None, None


FORMATS = (
    Format(
        name="paperlists",
        title="a conference's list of paperlists",
        tables=("papers",),
        recognise=_is_list,
        read=_read_list,
        told={
            "id": "paper_id",
            "site's conference": "venue",
            "site's year": "published",
            "gs_citation": "citations",
            "site": "url",
        },
    ),
)
