"""arXiv: Atom of its API, and the dumps that others collect from it.

``published`` in them is the day of version 1, ``updated`` and ``update_date`` are revisions and
never stand for it. Where a dump has no first day, the month in the id does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, BinaryIO
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from core.errors import DataError
from core.ingest.dates import arxiv_month
from core.ingest.formats.opened import Opened, joined, present, rest
from core.ingest.formats.reading import Format, Reading, Row
from core.ingest.identifiers import arxiv_id
from core.ingest.opening import open_bytes

_ATOM, _ARXIV = "{http://www.w3.org/2005/Atom}", "{http://arxiv.org/schemas/atom}"
_TOTAL = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"
_IDS = ("arxiv_id", "entry_id", "paper_id", "id", "arxiv", "url")
_LISTS = ("papers", "results", "data", "entries")
_USED = (*_IDS, "title", "abstract", "summary", "published", "updated", "versions", "update_date",
         "categories", "doi", "journal-ref", "journal_ref", "submitter", "authors_parsed")  # fmt: skip


def _is_atom(opened: Opened) -> bool:
    return opened.kind == "xml" and "<feed" in opened.head and "w3.org/2005/Atom" in opened.head


def _read_atom(opened: Opened, reading: Reading) -> Iterator[Row]:
    with open_bytes(opened.path, opened.data) as raw:
        entries = (e for e in _elements(str(opened.path), raw) if e.tag != _TOTAL)
        for number, element in enumerate(entries, start=1):
            record = _record(element)
            if "api/errors" in str(record["id"]):
                reading.drop(number, f"is an error of the source: {record['summary']}")
                continue
            yield _paper(number, record, reading)


def atom_feed(place: str, raw: BinaryIO) -> tuple[int | None, list[dict[str, Any]]]:
    """How many papers a feed says there are, and those in it; raises :class:`DataError`."""
    total, records = None, []
    for element in _elements(place, raw):
        if element.tag == _TOTAL:
            text = (element.text or "").strip()
            total = int(text) if text.isdecimal() and len(text) < 12 else None
        else:
            records.append(_record(element))
    return total, records


def _elements(place: str, raw: BinaryIO) -> Iterator[Element]:
    """Each <entry> and the total, forgotten once it is read."""
    try:
        for _, element in iterparse(raw, events=("end",), forbid_dtd=True):
            if element.tag in (f"{_ATOM}entry", _TOTAL):
                yield element
                element.clear()
    except (ParseError, DefusedXmlException, ValueError, LookupError, RecursionError) as error:
        raise DataError(f"{place}: not readable as Atom: {error}") from None


def _record(entry: Element) -> dict[str, Any]:
    return {
        "id": _under(entry, f"{_ATOM}id"),
        "title": _under(entry, f"{_ATOM}title"),
        "summary": _under(entry, f"{_ATOM}summary"),
        "published": _under(entry, f"{_ATOM}published"),
        "updated": _under(entry, f"{_ATOM}updated"),
        "doi": _under(entry, f"{_ARXIV}doi"),
        "journal_ref": _under(entry, f"{_ARXIV}journal_ref"),
        "comment": _under(entry, f"{_ARXIV}comment"),
        "categories": [part.get("term") for part in entry.iter(f"{_ATOM}category")],
        "authors": [part.text for part in entry.iter(f"{_ATOM}name")],
    }


def _under(entry: Element, tag: str) -> str | None:
    found = entry.find(tag)
    return None if found is None or not found.text else found.text.strip()


def _is_dump(opened: Opened) -> bool:
    sample = opened.sample(*_LISTS)
    dated = {"updated", "update_date", "versions"} & set(sample)
    named = any(arxiv_id(sample.get(name)) for name in _IDS)
    return named and "title" in sample and bool(dated)


def _read_dump(opened: Opened, reading: Reading) -> Iterator[Row]:
    for line, record in opened.items(*_LISTS):
        if not record:
            reading.drop(line, "is empty")
            continue
        yield _paper(line, record, reading)


def _paper(line: int, record: Mapping[str, Any], reading: Reading) -> Row:
    written = next((record[n] for n in _IDS if arxiv_id(record.get(n))), None)
    named = arxiv_id(written)
    published = record.get("published")
    if not present(published):
        published = _first_version(record.get("versions"))
    if not present(published) and named is not None and arxiv_month(named):
        published = arxiv_month(named)
        reading.note("published: {count} dated by the month in their arXiv id")
    identifiers = {"arxiv": named, "doi": record.get("doi")}
    categories = record.get("categories")
    if isinstance(categories, str):
        categories = categories.split()
    extra = rest(record, *_USED)
    extra |= {n: record[n] for n in _IDS if present(record.get(n)) and not arxiv_id(record[n])}
    if present(categories):
        extra["categories"] = categories
    if present(record.get("updated") or record.get("update_date")):
        extra["updated"] = str(record.get("updated") or record.get("update_date"))
    if present(record.get("submitter")):
        reading.personal.add("submitter")
    reading.leave(record, *set(record) - {"versions", "authors_parsed"})
    return Row("papers", line, {
        "paper_id": named or joined(written),
        "title": record.get("title"),
        "abstract": record.get("abstract") or record.get("summary"),
        "published": published,
        "venue": record.get("journal_ref") or record.get("journal-ref"),
        "url": f"https://arxiv.org/abs/{named}" if named else record.get("url"),
        "identifiers": {name: i for name, i in identifiers.items() if present(i)},
        "extra": extra,
    })  # fmt: skip


def _first_version(versions: object) -> str | None:
    """The day of version 1 in [{version, created}]."""
    for version in versions if isinstance(versions, list) else []:
        if isinstance(version, Mapping) and str(version.get("version", "v1")) in ("v1", "1"):
            created = version.get("created")
            try:
                return parsedate_to_datetime(str(created)).date().isoformat()
            except (ValueError, TypeError, IndexError, OverflowError):
                return str(created) if present(created) else None
    return None


FORMATS = (
    Format(
        name="arxiv-atom",
        title="Atom of the arXiv API",
        tables=("papers",),
        recognise=_is_atom,
        read=_read_atom,
        told={
            "id without its version": "paper_id",
            "summary": "abstract",
            "published (version 1)": "published",
            "arxiv:journal_ref": "venue",
            "arxiv:doi": "identifiers.doi",
        },
    ),
    Format(
        name="arxiv",
        title="a dump of arXiv's papers",
        tables=("papers",),
        recognise=_is_dump,
        read=_read_dump,
        told={
            "id without its version": "paper_id",
            "abstract | summary": "abstract",
            "published | versions.v1 | the id's month": "published",
            "journal-ref": "venue",
        },
    ),
)
