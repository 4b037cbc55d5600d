"""Text and nested values of a foreign file, made fit to keep."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any

import numpy as np

from core.cells import is_missing

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff]")
_HALVES = re.compile(r"[\ud800-\udfff]")
_PERSONAL = {
    "gender", "pronouns", "email", "emails", "mail", "emaildomain", "authorid", "authorids",
    "authorurl", "orcid", "orcids", "homepage", "homepages", "personalpage", "linkedin", "twitter",
    "googlescholar", "gscholar", "gsid", "dblp", "dblpid", "openreviewid", "orprofile", "profile",
    "profiles", "profileurl", "profilelink", "profilelinks", "github", "githubprofile", "phone",
    "birthdate", "dateofbirth", "age", "ethnicity", "nationality", "semanticscholarauthorid",
    "reviewerid", "reviewerids", "reviewername", "reviewernames", "reviewers", "signature",
    "signatures", "tauthor", "tcauthor", "googlescholarid", "orcidid", "orcidurl", "linkedinurl",
    "twitterhandle", "sex",
}  # fmt: skip


@lru_cache(maxsize=4096)
def is_personal(name: str) -> bool:
    """Whether a field's name says that it holds what is a person's own.

    Gender, author ids, profile links, e-mail and their like; authors' names are not among them.
    """
    plain = re.sub(r"[^a-z]", "", name.lower())
    stem = re.sub(r"^(author|authors|reviewer|user|rater|annotator|corresponding)", "", plain)
    last = re.split(r"[^a-z]+", name.lower())[-1]
    ends = plain.endswith(("email", "emails")) or last == "gender"
    return plain in _PERSONAL or stem in _PERSONAL or ends


def clean_text(text: str, *, unwrap: bool = False) -> str:
    """Text without control characters and outer space, its line ends made '\\n'.

    ``unwrap`` joins hard line breaks, and a word parted by nothing but the break stays parted;
    blank lines stay as paragraph ends. Half characters become U+FFFD. Emoji, right-to-left
    text, HTML and formulas stay as they are.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _HALVES.sub("\ufffd", _CONTROL.sub("", text))
    if unwrap:
        parts = re.split(r"\n[ \t]*\n\s*", text.strip())
        text = "\n\n".join(" ".join(part.split()) for part in parts)
    return text.strip()


def was_cleaned(text: str) -> bool:
    """Whether a text held control or half characters."""
    return bool(_CONTROL.search(text) or _HALVES.search(text))


def clean_value(value: object, dropped: set[str]) -> Any:
    """A nested value as JSON can hold it, without personal fields; their names go to ``dropped``.

    Empty values come back as None.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        kept = {}
        for name, item in value.items():
            if is_personal(str(name)):
                dropped.add(str(name))
            elif (inner := clean_value(item, dropped)) is not None:
                kept[str(name)] = inner
        return kept or None
    if isinstance(value, (list, tuple, np.ndarray)):
        return [clean_value(item, dropped) for item in value] or None
    if isinstance(value, str):
        return clean_text(value) or None
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    if is_missing(value):
        return None
    return value if isinstance(value, (bool, int, float)) else str(value)
