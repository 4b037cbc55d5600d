"""Foreseen's own export of ideas: one object a line, its judges' marks with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.ingest.formats.opened import Opened, rest
from core.ingest.formats.reading import Format, Reading, Row
from core.schema import IDEAS, SCORES

_COMPUTED = ("hindsight", "simulated")


def _is_ideas(opened: Opened) -> bool:
    return opened.has("idea_id", "system", "hindsight") and isinstance(
        opened.first.get("scores"), list
    )


def _read_ideas(opened: Opened, reading: Reading) -> Iterator[Row]:
    reading.note("hindsight is left out: it is computed anew from the papers")
    for line, record in opened.items():
        extra = record.get("extra")
        others = rest(record, *IDEAS.names, *_COMPUTED, "scores")
        cells = {name: record.get(name) for name in IDEAS.names}
        cells["extra"] = (dict(extra) if isinstance(extra, Mapping) else {}) | others
        yield Row("ideas", line, cells)
        marks = record.get("scores")
        for mark in marks if isinstance(marks, list) else ():
            if isinstance(mark, Mapping):
                reading.leave(mark, *SCORES.names)
                given = {name: mark.get(name) for name in SCORES.names}
                yield Row("scores", line, given | {"idea_id": record.get("idea_id")})


FORMATS = (
    Format(
        name="foreseen-ideas",
        title="ideas that Foreseen exported",
        tables=("ideas", "scores"),
        recognise=_is_ideas,
        read=_read_ideas,
        told={name: name for name in (*IDEAS.names, *SCORES.names[1:-2])},
    ),
)
