"""The AI Scientist (Lu et al., 2024; Yamada et al., 2025): lists of ideas, v1 with own marks."""

from __future__ import annotations

from collections.abc import Iterator

from core.ingest.formats.opened import Opened, present, rest
from core.ingest.formats.reading import Format, Reading, Row
from core.ingest.identifiers import content_id

SELF = "self"
_V1_USED = ("Title", "Experiment")
_V2_USED = ("Title", "Short Hypothesis", "Abstract")


def _is_v1(opened: Opened) -> bool:
    return opened.has("Name", "Title", "Experiment") and bool(
        opened.keys & {"Interestingness", "Feasibility", "Novelty"}
    )


def _read_v1(opened: Opened, reading: Reading) -> Iterator[Row]:
    for line, record in opened.items("ideas"):
        title, method = (
            reading.joined(record.get("Title")),
            reading.joined(record.get("Experiment")),
        )
        named = content_id("idea", "AI-Scientist", record.get("Name"), title, method)
        yield Row("ideas", line, {
            "idea_id": named, "system": "AI-Scientist", "title": title, "method": method,
            "extra": rest(record, *_V1_USED),
        })  # fmt: skip
        marks = {"novelty": record.get("Novelty"), "feasibility": record.get("Feasibility")}
        if any(present(mark) for mark in marks.values()):
            reading.note(
                "{count} ideas carry marks of the system that wrote them: scores of the judge"
                f" '{SELF}'. Interestingness has no place among scores and is kept in extra"
            )
            yield Row("scores", line, {"idea_id": named, "judge": SELF, "repeat": 1, **marks})


def _is_v2(opened: Opened) -> bool:
    return opened.has("Name", "Title", "Short Hypothesis")


def _read_v2(opened: Opened, reading: Reading) -> Iterator[Row]:
    for line, record in opened.items("ideas"):
        title, hypothesis = (
            reading.joined(record.get("Title")),
            reading.joined(record.get("Short Hypothesis")),
        )
        method = reading.joined(record.get("Abstract"))
        if method is None and present(record.get("Experiments")):
            method = reading.joined(record["Experiments"])
            reading.note("{count} ideas have no abstract: their experiments stand as the method")
        yield Row("ideas", line, {
            "idea_id": content_id("idea", "AI-Scientist-v2", record.get("Name"), title, hypothesis),
            "system": "AI-Scientist-v2", "title": title, "rationale": hypothesis,
            "method": method, "extra": rest(record, *_V2_USED),
        })  # fmt: skip


FORMATS = (
    Format(
        name="ai-scientist-v2",
        title="ideas of The AI Scientist-v2",
        tables=("ideas",),
        recognise=_is_v2,
        read=_read_v2,
        told={"Title": "title", "Short Hypothesis": "rationale", "Abstract": "method"},
    ),
    Format(
        name="ai-scientist",
        title="ideas of The AI Scientist",
        tables=("ideas", "scores"),
        recognise=_is_v1,
        read=_read_v1,
        told={
            "Title": "title",
            "Experiment": "method",
            "Novelty": "novelty",
            "Feasibility": "feasibility",
        },
    ),
)
