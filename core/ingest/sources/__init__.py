"""Live sources of papers and references: asked page by page, resumed where they stopped.

A source says how one page is asked for and read (:class:`~core.ingest.sources.fetch.Source`); the
rest is shared: waiting, trying again, and a file in the study that holds the pages so far, in the
shape that the format of the same name reads. So what is fetched passes the same door as a file.

The sources are asked over :mod:`httpx` and not through their client packages, for reasons seen in
these: ``semanticscholar`` 0.12 takes 502 and 503 for an empty answer and hides Retry-After;
``arxiv`` 4.0 hides Retry-After and takes a first page that is empty by mistake for the end;
``pyalex`` 0.21 asks without a time limit and keeps its key in a global; ``openreview-py`` 2.9
retries inside a call. None can go on in another process from the page where one stopped.
"""

from __future__ import annotations

from collections.abc import Callable

from core.errors import UsageError, nearest
from core.ingest.sources.fetch import Source

PAPER_SOURCES = ("semantic-scholar", "openalex", "arxiv")


def paper_source(name: str) -> Callable[..., Source]:
    """The source of papers with this name; called with ``query``, ``start`` and ``end``."""
    from core.ingest.sources.arxiv_api import ArxivSearch
    from core.ingest.sources.openalex import OpenAlexSearch
    from core.ingest.sources.semantic_scholar import SemanticScholarSearch

    sources = {s.name: s for s in (SemanticScholarSearch, OpenAlexSearch, ArxivSearch)}
    if name not in sources:
        raise UsageError(f"No source '{name}'. {nearest(name, sources)}")
    return sources[name]
