"""Names of papers made alike, so that two records of one paper are seen to be one."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from core.cells import is_missing

_ARXIV = re.compile(
    r"(?:https?://(?:www\.)?arxiv\.org/(?:abs|pdf)/|arxiv:|10\.48550/arxiv\.)?"
    r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?",
    re.I,
)
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.[\d.]+/\S+)", re.I)
_GENERIC = re.compile(
    r"preface|foreword|introduction|editorial|front ?matter|back ?matter|title page|contents|"
    r"table of contents|organi[sz]ers?|(program(me)?|organi[sz]ing) committee|index|errata?|"
    r"corrigendum|acknowledge?ments?|keynotes?|invited (talks?|speakers?)|proceedings( of .*)?|"
    r"message from .*|conclusions?|discussion|overview|abstract|untitled|tutorials?",
)
_MIN_WORDS = 3
_MIN_LETTERS = 15


def arxiv_id(cell: object) -> str | None:
    """An arXiv id without prefix and version, lower case; None where the cell holds none."""
    found = _ARXIV.fullmatch(str(cell).strip()) if not is_missing(cell) else None
    return found[1].lower() if found else None


def doi(cell: object) -> str | None:
    """A DOI without resolver, lower case; None where the cell holds none."""
    found = _DOI.fullmatch(str(cell).strip()) if not is_missing(cell) else None
    return found[1].lower() if found else None


def normal_identifiers(given: Mapping[str, Any]) -> dict[str, str]:
    """Identifiers by lower-case name, arXiv ids and DOIs in one form, empty ones left out.

    A DOI that arXiv gives (10.48550/arXiv.2503.12141) is an arXiv id too.
    """
    found: dict[str, str] = {}
    for name, cell in given.items():
        if is_missing(cell) or isinstance(cell, (dict, list, tuple)):
            continue
        key = re.sub(r"[^a-z0-9]", "", str(name).lower())
        key = {"arxivid": "arxiv", "doiurl": "doi"}.get(key, key)
        text = str(cell).strip()
        if key == "arxiv":
            text = arxiv_id(text) or text.lower()
        elif key == "doi":
            text = doi(text) or text.lower()
            inner = arxiv_id(text)
            if inner is not None:
                found.setdefault("arxiv", inner)
        found[key] = text
    return found


def title_key(title: object) -> str:
    """A title in lower-case letters and digits alone, accents and LaTeX marks removed."""
    if is_missing(title):
        return ""
    text = re.sub(r"\\[a-zA-Z]+\s*|[{}$\\]", "", str(title))
    text = unicodedata.normalize("NFKD", text).casefold()
    return " ".join(re.sub(r"[^\w]+|_", " ", _without_marks(text)).split())


def tells_apart(key: str) -> bool:
    """Whether a normalised title is long and particular enough to name one paper.

    'Preface', 'Introduction' and titles under three words or fifteen letters are not.
    """
    wide = sum(ord(letter) > 0x2E80 for letter in key)
    if wide >= _MIN_WORDS * 2:
        return True
    letters = len(key.replace(" ", ""))
    return (
        len(key.split()) >= _MIN_WORDS
        and letters >= _MIN_LETTERS
        and _GENERIC.fullmatch(key) is None
    )


def content_id(prefix: str, *parts: object) -> str:
    """A name made from content: the same content has the same name everywhere."""
    text = "\x1f".join("" if is_missing(part) else str(part).strip() for part in parts)
    return f"{prefix}-{hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()[:12]}"


def _without_marks(text: str) -> str:
    if text.isascii():
        return text
    return "".join(letter for letter in text if not unicodedata.combining(letter))
