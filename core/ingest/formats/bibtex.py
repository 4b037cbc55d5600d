"""BibTeX, as the ACL Anthology and reference managers write it: braces, LaTeX, month names."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.errors import DataError
from core.ingest.dates import read_month
from core.ingest.formats.opened import Opened, present
from core.ingest.formats.reading import Format, Reading, Row
from core.ingest.identifiers import arxiv_id

if TYPE_CHECKING:
    from bibtexparser.library import Library
    from bibtexparser.model import Entry

_CHUNK = 1 << 18
_BEGINS = re.compile(r"\s*@\s*\w+\s*[{(]")
_STRING = re.compile(r"\s*@\s*string\s*[{(]", re.I)
_NOT_PAPERS = {"proceedings", "book", "collection", "comment"}
_VENUES = ("booktitle", "journal", "journaltitle", "series", "school", "institution")
_USED = {"title", "abstract", "year", "month", "date", "url", "doi", "eprint", "keywords",
         "booktitle", "journal", "journaltitle"}  # fmt: skip
_PARTED = re.compile(r'[\s#"/\-–]+')
_MARKED = re.compile(r"\\([_%&#$~{}])")
_OWN_ID = re.compile(r"paper_id (\S.*)")
_LATEX = re.compile(r"[\\${}]")


def _is_bibtex(opened: Opened) -> bool:
    return opened.kind == "bibtex"


def _read(opened: Opened, reading: Reading) -> Iterator[Row]:
    from bibtexparser.model import DuplicateBlockKeyBlock, Entry

    seen = 0
    for begun, library in _libraries(opened):
        for block in library.blocks:
            line = begun + (block.start_line or 0)
            repeated = isinstance(block, DuplicateBlockKeyBlock)
            entry = getattr(block, "ignore_error_block", None) if repeated else block
            if isinstance(entry, Entry):
                seen += 1
                row = _paper(line, entry, reading)
                if row is not None:
                    yield row
        for failed in library.failed_blocks:
            if isinstance(failed, DuplicateBlockKeyBlock):
                continue
            seen += 1
            why = str(failed.error) or "a brace or a quotation mark is open"
            reading.drop(
                begun + (failed.start_line or 0), f"is not readable as BibTeX: {why}"[:200]
            )
    if not seen:
        raise DataError(f"{opened.path}: holds no BibTeX entry.")


def _libraries(opened: Opened) -> Iterator[tuple[int, Library]]:
    """The file in pieces that end where an entry ends, each with the line it begins on.

    The abbreviations of @string hold for what follows, so each piece gets those before it.
    """
    strings = ""
    with opened.text() as text:
        piece: list[str] = []
        size, begun = 0, 0
        for number, line in enumerate(text):
            if size > _CHUNK and _BEGINS.match(line):
                yield begun - strings.count("\n") + 1, _parsed(strings + "".join(piece))
                strings += "".join(part for part in piece if _STRING.match(part))
                piece, size, begun = [], 0, number
            piece.append(line.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff"))
            size += len(line)
        yield begun - strings.count("\n") + 1, _parsed(strings + "".join(piece))


def _parsed(text: str) -> Library:
    from bibtexparser.entrypoint import parse_string

    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    return parse_string(text)


def _paper(line: int, entry: Entry, reading: Reading) -> Row | None:
    if entry.entry_type.lower() in _NOT_PAPERS:
        reading.drop(line, f"is a @{entry.entry_type}, not a paper")
        return None
    cells = {name.lower(): str(field.value) for name, field in entry.fields_dict.items()}
    plain = {name: _plain(cell) for name, cell in cells.items() if name not in ("url", "doi")}
    # Addresses are written as they are, or with LaTeX's marks before _ % & #.
    cells |= {
        name: _MARKED.sub(r"\1", cells[name]) for name in ("url", "doi", "eprint") if name in cells
    }
    identifiers = {"doi": cells.get("doi"), "arxiv": None}
    for name in ("eprint", "url", "journal"):
        identifiers["arxiv"] = identifiers["arxiv"] or arxiv_id(cells.get(name))
    place = plain.get("howpublished", "")
    if place and "://" not in place:
        plain.setdefault("booktitle", plain.pop("howpublished"))
    own = _OWN_ID.fullmatch(plain.get("note", ""))
    if own:
        del plain["note"]
    extra: dict[str, object] = {
        name: text for name, text in plain.items() if name not in _USED and present(text)
    }
    extra["type"] = entry.entry_type.lower()
    return Row("papers", line, {
        "paper_id": own[1] if own else entry.key, "title": plain.get("title"), "abstract": plain.get("abstract"),
        "published": _day(plain), "url": cells.get("url"),
        "venue": next((plain[name] for name in _VENUES if present(plain.get(name))), None),
        "identifiers": {name: cell for name, cell in identifiers.items() if present(cell)},
        "extra": extra,
    })  # fmt: skip


def _day(plain: dict[str, str]) -> str | None:
    if present(plain.get("date")):
        return plain["date"].partition("/")[0]
    year = plain.get("year", "").strip()
    # Two months, and months joined by #, begin with the first one.
    month = read_month(_PARTED.split(plain.get("month", "").strip(' "'))[0])
    return (f"{year}-{month:02d}" if month else year) if year else None


def _plain(text: str) -> str:
    """A field without LaTeX and braces; a formula that cannot be decoded stays as it is."""
    if not _LATEX.search(text) or len(text) > _CHUNK:
        return text
    from pylatexenc.latex2text import LatexNodes2Text

    logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)
    try:
        decoded = LatexNodes2Text(math_mode="verbatim", keep_comments=True).latex_to_text(
            text, tolerant_parsing=True
        )
    except (ValueError, RecursionError, IndexError, KeyError, TypeError, AttributeError):
        return text.replace("{", "").replace("}", "")
    # The decoder makes an accent without a letter of the sign that the macro stands for.
    return str(decoded).replace("ˆ", "^") if r"\textasciicircum" in text else str(decoded)


FORMATS = (
    Format(
        name="bibtex",
        title="BibTeX",
        tables=("papers",),
        recognise=_is_bibtex,
        read=_read,
        told={
            "the entry's key": "paper_id",
            "year, month | date": "published",
            "booktitle | journal": "venue",
            "doi, eprint": "identifiers",
        },
    ),
)
