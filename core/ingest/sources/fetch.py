"""Pages of a source, kept in the study as they come, so that a stopped fetch goes on.

``fetched/NAME.jsonl`` holds the records as the source gave them, without personal fields;
``fetched/NAME.json`` how far it got. A page is written before the place after it, and what was
written beyond the place is cut off when the fetch goes on.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Protocol

from core.errors import DataError
from core.ingest.cleaning import clean_value
from core.ingest.sources.transport import SourceError, Transport, quiet
from core.ingest.tabular import replacing

FETCHED = "fetched"
_PLACE_GONE = frozenset({400, 404, 410, 422})


@dataclass(frozen=True, kw_only=True)
class Page:
    """One page: its records, where the next begins (None: this was the last), how many in all."""

    records: tuple[Mapping[str, Any], ...]
    after: str | None
    total: int | None = None


class Source(Protocol):
    """A search in one source."""

    name: ClassVar[str]
    base: ClassVar[str]

    @property
    def asks(self) -> Mapping[str, str]:
        """What is searched, in words: two searches with the same words are one."""
        ...

    def transport(self) -> Transport:
        """How the source is reached."""
        ...

    def page(self, transport: Transport, place: str | None) -> Page:
        """The page at ``place``, or the first."""
        ...


@dataclass(frozen=True, kw_only=True)
class Fetch:
    """How far a search got: ``latest`` is the day of its newest page, ``ended`` that of the last
    one, None while it goes on."""

    source: str
    asks: Mapping[str, str]
    place: str | None = None
    pages: int = 0
    records: int = 0
    bytes: int = 0
    total: int | None = None
    started: str = ""
    latest: str = ""
    ended: str | None = None
    resumed: int = 0


def fetch(
    source: Source,
    folder: Path,
    *,
    transport: Transport | None = None,
    today: date | None = None,
    limit: int | None = None,
    restart: bool = False,
    note: Callable[[str], None] = quiet,
) -> tuple[Path, Fetch]:
    """Fetch every page that is not there yet; the file of records, and how far it got.

    A search that has ended is not asked again, unless ``restart``. ``limit`` stops it after the
    page that reaches so many records. A place that the source knows no more (its tokens expire)
    is begun again from the first page. Raises :class:`SourceError` where the source gives up;
    the pages until then are kept.
    """
    spool = spool_of(folder, source)
    place = spool.with_suffix(".json")
    day = (today or date.today()).isoformat()
    begun = Fetch(source=source.name, asks=dict(source.asks), started=day)
    state = (None if restart else kept(folder, source)) or begun
    state = replace(state, resumed=state.pages)
    if state.ended is not None:
        return spool, state
    transport = transport or source.transport()
    spool.parent.mkdir(parents=True, exist_ok=True)
    with spool.open("r+b" if spool.exists() else "w+b") as out, _alone(out, source):
        while state.ended is None and not (limit and state.records >= limit):
            try:
                page = source.page(transport, state.place)
            except SourceError as error:
                if error.status not in _PLACE_GONE or not 0 < state.pages == state.resumed:
                    if not place.exists():
                        spool.unlink()
                    raise
                note(f"{error} {source.name} knows that page no more: begun again from the first")
                state = begun
                continue
            if not state.pages:
                place.unlink(missing_ok=True)
            state = _after(state, page, out, day)
            _write(place, state)
            of = f" of {state.total:,}" if state.total is not None else ""
            note(f"{source.name}: page {state.pages}, {state.records:,}{of} records")
    return spool, state


def spool_of(folder: Path, source: Source) -> Path:
    """The file of a search's records; how far it got stands beside it, as ``.json``."""
    return folder / FETCHED / f"{_stem(source)}.jsonl"


def kept(folder: Path, source: Source) -> Fetch | None:
    """How far the search got in an earlier run; None where there was none. Raises
    :class:`DataError` where what it left cannot be read."""
    spool = spool_of(folder, source)
    place = spool.with_suffix(".json")
    if not place.exists():
        return None
    state = _state(place)
    if dict(state.asks) != dict(source.asks) or state.source != source.name:
        raise DataError(f"{place}: is of another search. Fetch with --restart.")
    if not spool.exists() or spool.stat().st_size < state.bytes:
        raise DataError(f"{spool}: holds less than {place.name} says. Fetch with --restart.")
    return state


def _after(state: Fetch, page: Page, out: BinaryIO, day: str) -> Fetch:
    """The state with a page more, whose records are on the disk."""
    if page.after is not None and page.after == state.place:
        raise SourceError(f"{state.source}: its next page is the same page ({page.after}).")
    out.truncate(state.bytes)
    out.seek(state.bytes)
    for record in page.records:
        text = json.dumps(clean_value(record, set()), ensure_ascii=False)
        out.write(f"{text}\n".encode(errors="replace"))
    out.flush()
    os.fsync(out.fileno())
    return replace(
        state,
        place=page.after,
        pages=state.pages + 1,
        records=state.records + len(page.records),
        bytes=out.tell(),
        total=page.total if page.total is not None else state.total,
        latest=day,
        ended=day if page.after is None else None,
    )


@contextmanager
def _alone(out: BinaryIO, source: Source) -> Iterator[None]:
    """Refuse a second process at the same search: their pages would mix."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SourceError(
            f"{source.name}: another process is at this search. Wait for its end."
        ) from None
    yield


def fetches(folder: Path) -> Iterator[Fetch]:
    """Every search that the study has begun."""
    for path in sorted((folder / FETCHED).glob("*.json")):
        yield _state(path)


def _stem(source: Source) -> str:
    """A name for people, made safe and told apart by the digest of what is asked."""
    text = json.dumps(dict(source.asks), sort_keys=True)
    words = re.sub(r"[^a-z0-9]+", "-", next(iter(source.asks.values()), "").lower()).strip("-")
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return "-".join(part for part in (source.name, words[:40], digest) if part)


def _state(path: Path) -> Fetch:
    try:
        return Fetch(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise DataError(f"{path}: not readable ({error}). Fetch with --restart.") from None


def _write(path: Path, state: Fetch) -> None:
    with replacing(path) as out:
        text = json.dumps(asdict(replace(state, resumed=0)), ensure_ascii=False, indent=1)
        out.write(f"{text}\n".encode())
