"""Papers of the two open citation graphs: Semantic Scholar and OpenAlex.

Their date is the one of the record that a graph holds to be the main one, often the published
version. Where a record names an arXiv id of an earlier month, that month is the paper's date,
since the first submission counts; the date given is kept in ``extra``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.ingest.dates import arxiv_month, read_date
from core.ingest.formats.opened import Opened, as_text, present, rest
from core.ingest.formats.reading import Format, Reading, Row
from core.ingest.identifiers import arxiv_id

_S2_LISTS = ("data", "papers")
_S2_USED = ("paperid", "corpusid", "externalids", "title", "abstract", "venue", "year", "url",
            "publicationvenue", "publicationdate", "citationcount", "authors", "journal")  # fmt: skip
_OA_USED = ("id", "doi", "ids", "title", "display_name", "abstract_inverted_index", "abstract",
            "publication_date", "publication_year", "cited_by_count", "authorships", "locations",
            "primary_location", "best_oa_location")  # fmt: skip
_AUTHOR = ("authorId", "id", "orcid", "url", "name", "display_name")
_MAX_POSITIONS = 100_000


def _lowered(record: Mapping[str, Any]) -> dict[str, Any]:
    return {str(name).lower(): cell for name, cell in record.items()}


def _is_s2(opened: Opened) -> bool:
    keys = set(_lowered(opened.sample(*_S2_LISTS)))
    # Dumps spell the names in lower case and go by corpus id.
    telling = {"externalids", "citationcount", "publicationdate", "publicationvenue", "tldr",
               "fieldsofstudy", "s2fieldsofstudy"}  # fmt: skip
    named = "paperid" in keys or {"corpusid", "title"} <= keys
    return named and bool(keys & telling) and "hypotheses" not in keys


def _read_s2(opened: Opened, reading: Reading) -> Iterator[Row]:
    for line, record in opened.items(*_S2_LISTS):
        if not record:
            reading.drop(line, "is null: the source knows no such paper")
            continue
        row = _lowered(record)
        given = row.get("externalids")
        identifiers = dict(given) if isinstance(given, Mapping) else {}
        if present(row.get("corpusid")):
            identifiers.setdefault("CorpusId", row["corpusid"])
        arxiv = arxiv_id(next((i for n, i in identifiers.items() if n.lower() == "arxiv"), None))
        named = row.get("paperid")
        if present(named):
            identifiers["s2"] = named
        elif present(row.get("corpusid")):
            named = f"corpus:{row['corpusid']}"
        extra = {
            name: cell
            for name, cell in record.items()
            if present(cell) and str(name).lower() not in _S2_USED
        }
        tldr = extra.pop("tldr", None)
        if present(tldr):
            extra["tldr"] = tldr.get("text") if isinstance(tldr, Mapping) else tldr
            reading.leave(tldr, "text", under="tldr")
        for held in ("publicationVenue", "journal"):
            reading.leave(row.get(held.lower()), "name", under=held)
        authors = _authors(row.get("authors"), reading, under="authors")
        if authors:
            extra["authors"] = authors
        published = _first(row.get("publicationdate"), row.get("year"), arxiv, reading, extra)
        yield Row("papers", line, {
            "paper_id": named, "title": row.get("title"), "abstract": row.get("abstract"),
            "published": published, "venue": _s2_venue(row), "citations": row.get("citationcount"),
            "url": row.get("url"), "identifiers": identifiers, "extra": extra,
        })  # fmt: skip


def _s2_venue(row: Mapping[str, Any]) -> object:
    venue = row.get("publicationvenue")
    named = venue.get("name") if isinstance(venue, Mapping) else None
    journal = row.get("journal")
    inner = journal.get("name") if isinstance(journal, Mapping) else None
    return next((cell for cell in (row.get("venue"), named, inner) if present(cell)), None)


def _authors(listed: object, reading: Reading, *, under: str) -> list[str]:
    """Authors' names; their ids and pages are theirs, and are dropped."""
    names = []
    for author in listed if isinstance(listed, list) else []:
        inner = author.get("author", author) if isinstance(author, Mapping) else author
        if not isinstance(inner, Mapping):
            continue
        reading.personal.update(
            name for name in ("authorId", "id", "orcid", "url") if present(inner.get(name))
        )
        reading.leave(inner, *_AUTHOR, under=under)
        if inner is not author:
            reading.leave(author, "author", under=under)
        name = inner.get("name") or inner.get("display_name")
        if present(name):
            names.append(str(name))
    return names


def _first(
    day: object, year: object, arxiv: str | None, reading: Reading, extra: dict[str, Any]
) -> object:
    """The first submission as far as the record tells: its date, or its arXiv id's month."""
    given = day if present(day) else year if present(year) else None
    by_id = arxiv_month(arxiv)
    if by_id is None:
        return given
    try:
        written = read_date(given)
    except ValueError:
        return given
    if written is None or by_id[: len(written)] < written[:7]:
        reading.note("published: {count} dated by their arXiv id's month, before the record's date")
        if given is not None:
            extra["date_given"] = str(given)
        return by_id
    return given


def _is_openalex(opened: Opened) -> bool:
    sample = opened.sample("results")
    return "openalex.org/" in str(sample.get("id")) and bool(
        {"display_name", "title"} & set(sample)
    )


def _read_openalex(opened: Opened, reading: Reading) -> Iterator[Row]:
    for line, record in opened.items("results"):
        identifiers = dict(record["ids"]) if isinstance(record.get("ids"), Mapping) else {}
        identifiers = {n: str(i).rsplit("openalex.org/")[-1] for n, i in identifiers.items()}
        named = str(record.get("id") or "").rsplit("/", 1)[-1] or None
        if named:
            identifiers["openalex"] = named
        if present(record.get("doi")):
            identifiers["doi"] = record["doi"]
        arxiv = _oa_arxiv(record)
        if arxiv:
            identifiers["arxiv"] = arxiv
        source = _inside(record, "primary_location", "source")
        extra = rest(record, *_OA_USED)
        reading.leave(record, *set(record) - {"locations", "best_oa_location"})
        reading.leave(
            record.get("primary_location"), "source", "landing_page_url", under="primary_location"
        )
        reading.leave(source, "display_name", under="source")
        authors = _authors(record.get("authorships"), reading, under="authorships")
        if authors:
            extra["authors"] = authors
        try:
            abstract = record.get("abstract") or _uninverted(record.get("abstract_inverted_index"))
        except ValueError as error:
            reading.note(f"abstract: {{count}} left unknown, their inverted index {error}")
            abstract = None
        published = _first(
            record.get("publication_date"), record.get("publication_year"), arxiv, reading, extra
        )
        yield Row("papers", line, {
            "paper_id": named, "title": record.get("title") or record.get("display_name"),
            "abstract": abstract, "published": published,
            "venue": source.get("display_name") if isinstance(source, Mapping) else None,
            "citations": record.get("cited_by_count"),
            "url": _inside(record, "primary_location", "landing_page_url"),
            "identifiers": identifiers, "extra": extra,
        })  # fmt: skip


def _inside(record: Mapping[str, Any], *names: str) -> Any:
    value: Any = record
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _oa_arxiv(record: Mapping[str, Any]) -> str | None:
    places = record.get("locations")
    links = [_inside(record, "primary_location", "landing_page_url"), record.get("doi")]
    for place in places if isinstance(places, list) else []:
        if isinstance(place, Mapping):
            links.append(place.get("landing_page_url"))
    for link in links:
        found = arxiv_id(str(link).removeprefix("https://doi.org/")) if present(link) else None
        if found:
            return found
    return None


def _uninverted(index: object) -> str | None:
    """The text of {word: [positions]}; raises ``ValueError`` where it is no such index."""
    if not present(index):
        return None
    if isinstance(index, str):
        raise ValueError("is text")
    if not isinstance(index, Mapping):
        raise ValueError("is no record of words")
    words: list[tuple[int, str]] = []
    for word, positions in index.items():
        if not isinstance(positions, list):
            raise ValueError("has a word without positions")
        for place in positions:
            if not isinstance(place, int) or isinstance(place, bool):
                raise ValueError("has a position that is no whole number")
            words.append((place, as_text(word)))
        if len(words) > _MAX_POSITIONS:
            raise ValueError(f"has over {_MAX_POSITIONS:,} words")
    return " ".join(word for _, word in sorted(words)) or None


FORMATS = (
    Format(
        name="semantic-scholar",
        title="Semantic Scholar's papers",
        tables=("papers",),
        recognise=_is_s2,
        read=_read_s2,
        told={
            "paperId | corpusId": "paper_id",
            "publicationDate | year | the arXiv id's month": "published",
            "venue | publicationVenue.name | journal.name": "venue",
            "citationCount": "citations",
            "externalIds": "identifiers",
        },
    ),
    Format(
        name="openalex",
        title="OpenAlex works",
        tables=("papers",),
        recognise=_is_openalex,
        read=_read_openalex,
        told={
            "id": "paper_id",
            "abstract_inverted_index": "abstract",
            "publication_date | publication_year | the arXiv id's month": "published",
            "primary_location.source.display_name": "venue",
            "cited_by_count": "citations",
            "ids, doi, locations": "identifiers",
        },
    ),
)
