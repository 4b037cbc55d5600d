"""Live sources of papers and references: asked page by page, resumed where they stopped.

A source says how one page is asked for and read (:class:`~core.ingest.sources.fetch.Source`); the
rest is shared: waiting, trying again, and a file in the study that holds the pages so far, in the
shape that the format of the same name reads. So what is fetched passes the same door as a file.

The sources are asked over :mod:`httpx` and not through their client packages, for what these
were seen to do. ``semanticscholar`` 0.12.0: 502 and 503 are an empty answer, asked again without
a wait or an end; Retry-After is not read; no search goes on from a token. ``pyalex`` 0.21: one
address for works, no time limit, no new try unless asked for, and then none over http or at 502.
``arxiv`` 4.0.2: Retry-After is not read, no time limit, a first page that is empty by mistake or
is HTML means that nothing was found. ``openreview-py`` 2.9.1: prints to stdout as it tries again,
no time limit, and sleeps inside a call as long as the server says, up to six hours.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from core.config import HINDSIGHT_MONTHS, HINDSIGHT_SEARCHES, LITERATURE_DAYS, StudyConfig
from core.errors import UsageError, nearest

if TYPE_CHECKING:
    from core.ingest.sources.fetch import Source

PAPER_SOURCES = ("semantic-scholar", "openalex", "arxiv")
COUNT_CITATIONS = ("semantic-scholar", "openalex")
FETCH_PRESETS = ("hindsight",)


def paper_source(name: str) -> Callable[..., Source]:
    """The source of papers with this name; called with ``query``, ``start`` and ``end``."""
    from core.ingest.sources.arxiv_api import ArxivSearch
    from core.ingest.sources.openalex import OpenAlexSearch
    from core.ingest.sources.semantic_scholar import SemanticScholarSearch

    sources = {s.name: s for s in (SemanticScholarSearch, OpenAlexSearch, ArxivSearch)}
    if name not in sources:
        raise UsageError(f"No source '{name}'. {nearest(name, sources)}")
    return sources[name]


def topics_of(query: Sequence[str], preset: str | None) -> tuple[tuple[str, str], ...]:
    """Topics with the words to search for each: of a preset, or of texts as ``[TOPIC=]WORDS``.

    A topic may have several searches, and the same words several topics.
    """
    if preset is not None and preset not in FETCH_PRESETS:
        raise UsageError(f"No preset '{preset}'. {nearest(preset, FETCH_PRESETS)}")
    if (preset is None) == (not query):
        raise UsageError("Give either --query WORDS or --preset hindsight.")
    if preset is not None:
        return HINDSIGHT_SEARCHES
    found = []
    for text in query:
        topic, sign, words = text.partition("=")
        words = " ".join((words if sign else text).split())
        if not words:
            raise UsageError(f"query {text!r}: has no words to search")
        found.append((topic.strip() or words, words))
    return tuple(dict.fromkeys(found))


def span_of(
    config: StudyConfig, preset: str | None, start: date | None, end: date | None
) -> tuple[date, date]:
    """First and last day to fetch where one is not given: the preset's, else the window's."""
    days = (config.cutoff + timedelta(days=1), config.window_end())
    first, last = days if preset is None else HINDSIGHT_MONTHS
    return start or first, end or last


def searches_for(topics: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Topics with words to search: the preset's for its topics, else the topic's name."""
    known = {topic for topic, _ in HINDSIGHT_SEARCHES}
    pairs = [pair for pair in HINDSIGHT_SEARCHES if pair[0] in topics]
    return (*pairs, *((topic, topic) for topic in topics if topic not in known))


def earlier_command(
    folder: Path | None,
    pairs: Sequence[tuple[str, str]],
    cutoff: date,
    *,
    source: str | None = None,
    start: date | None = None,
) -> str:
    """The command that fetches literature up to the cutoff, from two years before it (before
    ``start``, where that is earlier) on."""
    if tuple(pairs) == HINDSIGHT_SEARCHES:
        asked = ["--preset", "hindsight"]
    else:
        asked = [word for topic, words in pairs for word in ("--query", f"{topic}={words}")]
    first = min(start or cutoff, cutoff) - timedelta(days=LITERATURE_DAYS)
    into = "STUDY" if folder is None else str(folder)
    named = [] if source is None else ["--source", source]
    words = ["foreseen", "fetch", "papers", "--into", into, *named, *asked]
    return shlex.join([*words, "--from", str(first), "--to", str(cutoff)])
