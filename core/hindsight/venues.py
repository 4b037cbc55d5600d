"""Which conference a venue's text names, and whether it is the main conference.

A text is read whole: what decorates a name (years, ordinals, volumes, "poster", "Long Papers")
is set aside, and what is left must be a known name. Anything more ("Workshop on …", "Findings
of …", "… Track", "North American Chapter of …") is not the main conference, and the reading
says which words stood in the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import pandas as pd

from core.config import Settings
from core.hindsight.memo import once_per_study
from core.hindsight.venue_names import CONFERENCES, JOURNALS
from core.study import Study

_NUMBERS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth"
    " fortieth fiftieth sixtieth seventieth twenty thirty forty fifty sixty seventy"
)
_DECORATION = re.compile(
    r"\b(?:\d+(?:st|nd|rd|th)?|" + _NUMBERS.replace(" ", "|") + r"|i{1,3}|iv|v"
    r"|proceedings(?: of)?(?: the)?|proc(?: of)?|in proceedings of|annual|the|cc(?!s)|org|vol(?:ume)?|edition"
    r"|main conference(?: track)?|main technical track|main track|main|conference track"
    r"|conference paper|(?:long|short|full|regular) papers?|long|short|papers"
    r"|(?:top|notable top) \d+|notable|accept(?:ed)?|poster|oral|spotlight|highlight"
    r"|presentation)s?\b"
)
_AAAI_TECHNICAL = re.compile(r"^(?:the )?aaai technical track on ")
_ELSEWHERE = re.compile(
    r"\b(?:workshops?|findings|tracks?|demos?|demonstrations?|industry|industrial|student"
    r"|tutorials?|symposium|companion|doctoral|consortium|shared task|arr|rolling review"
    r"|submitted|submission|under review|withdrawn|rejected|datasets?|benchmarks?|journal"
    r"|competitions?|blogposts?|tiny papers|position papers?|co located|srw|transactions)\b"
)
_DAYS = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d|\d (?:january|february|march"
    r"|april|may|june|july|august|september|october|november|december)\b"
)


@dataclass(frozen=True, kw_only=True)
class VenueReading:
    """How one text was read.

    ``venue``: the canonical name, None where no known name is in the text. ``main``: the main
    conference itself. ``reason``: a clause for the user.
    """

    raw: str
    venue: str | None
    main: bool
    reason: str


def _words(text: str) -> str:
    text = re.sub(r"([a-z]{3,})[’']?(\d{2}|\d{4})\b", r"\1 \2", text.lower())
    text = re.sub(r"\s&(?:amp;)?\s", " and ", text)
    return " ".join(re.sub(r"\W|_", " ", text).split())


def _core(text: str) -> str:
    """The words of a text without what decorates a name."""
    words = " ".join(re.sub(_DECORATION, " ", _words(text)).split())
    bare = words.removesuffix(" conference").removeprefix("conference ")
    # "The Web Conference" is a name, "ICLR Conference" an acronym's.
    return bare if " " not in bare and bare != "web" else words


_ALIASES = MappingProxyType(
    {
        _core(alias): name
        for name, aliases in (CONFERENCES | JOURNALS).items()
        for alias in (name, *aliases)
    }
)
_ACRONYMS = frozenset(_core(name) for name in (*CONFERENCES, *JOURNALS, "NIPS"))


@lru_cache(maxsize=65_536)
def read_venue(text: str, free: tuple[str, ...] = ()) -> VenueReading:
    """Read one venue's text; ``free`` are further names that count as conferences.

    >>> read_venue("NeurIPS 2024 poster").venue
    'NeurIPS'
    >>> read_venue("Findings of the Association for Computational Linguistics: ACL 2023").main
    False
    """
    aliases = {_core(name): name for name in free if _core(name)} | dict(_ALIASES)
    whole = _core(text)
    if not _words(text):
        return VenueReading(raw=text, venue=None, main=False, reason="no venue given")
    if whole in aliases:
        return _main(text, aliases[whole])
    twice = _with_acronym(whole, aliases)
    if twice is not None:
        return _main(text, twice)
    if _AAAI_TECHNICAL.search(_words(text)):
        return _main(text, "AAAI")
    parts = [part for part in (_core(part) for part in re.split(r"[,:;()\[\]|]", text)) if part]
    named = [aliases[part] for part in parts if part in aliases]
    stray = [part for part in parts if part not in aliases]
    # Only where it is not part of a known name, as in "USENIX Security Symposium".
    elsewhere = _ELSEWHERE.search(" ".join(stray))
    if named and len(set(named)) == 1 and not elsewhere:
        dated = _DAYS.search(_words(text)) and any(part in _ACRONYMS for part in parts)
        if not stray or dated:
            return _main(text, named[0])
    found = named[0] if named else _mentioned(whole, aliases)
    if found is None:
        return VenueReading(raw=text, venue=None, main=False, reason="not a venue that is known")
    why = elsewhere.group(0) if elsewhere else ", ".join(stray)
    return VenueReading(
        raw=text,
        venue=found,
        main=False,
        reason=f"names {found}, but '{why}' shows that it is not the main conference",
    )


def _main(text: str, name: str) -> VenueReading:
    what = f"the journal {name}" if name in JOURNALS else f"the main conference of {name}"
    return VenueReading(raw=text, venue=name, main=True, reason=what)


def _with_acronym(words: str, aliases: Mapping[str, str]) -> str | None:
    """The venue whose full name and acronym the words are, in either order, and nothing else."""
    for acronym in _ACRONYMS & {*words.split()}:
        rest = " ".join(words.removeprefix(f"{acronym} ").removesuffix(f" {acronym}").split())
        if rest != words and aliases.get(rest) == aliases[acronym]:
            return aliases[acronym]
    return None


def _mentioned(words: str, aliases: dict[str, str]) -> str | None:
    found = [alias for alias in aliases if re.search(rf"\b{re.escape(alias)}\b", words)]
    return aliases[max(found, key=len)] if found else None


def chosen_venues(names: Iterable[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """The user's list: names not in the alias table, and all names in canonical spelling."""
    free, canonical = [], set()
    for name in names:
        known = _ALIASES.get(_core(name))
        if known is None:
            free.append(name)
        canonical.add(known or name)
    return tuple(free), frozenset(canonical)


def is_top(reading: VenueReading, canonical: frozenset[str]) -> bool:
    """v(p) = 1: the main conference of a chosen venue."""
    return reading.main and reading.venue in canonical


@once_per_study(4)
def top_flags(study: Study, venues: tuple[str, ...]) -> pd.Series:
    """v(p) of every paper, 0.0 or 1.0, by row of ``study.papers``."""
    free, canonical = chosen_venues(venues)
    texts = study.papers["venue"].fillna("")
    read = {text: float(is_top(read_venue(str(text), free), canonical)) for text in texts.unique()}
    return texts.map(read).astype(float)


def venue_readings(study: Study, settings: Settings) -> pd.DataFrame:
    """Every distinct venue text met and how it was read, most papers first.

    Columns: raw, venue, main, top (counts as a top venue under ``settings.venues``), reason,
    papers. Over all papers of the study; an empty text stands for papers without a venue.
    """
    free, canonical = chosen_venues(settings.venues)
    counts = study.papers["venue"].fillna("").value_counts()
    rows = []
    for raw, papers in counts.items():
        reading = read_venue(str(raw), free)
        rows.append(
            {
                "raw": reading.raw,
                "venue": reading.venue,
                "main": reading.main,
                "top": is_top(reading, canonical),
                "reason": reading.reason,
                "papers": int(papers),
            }
        )
    columns = ["raw", "venue", "main", "top", "reason", "papers"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.sort_values(
        ["papers", "raw"], ascending=[False, True], ignore_index=True, kind="stable"
    )
