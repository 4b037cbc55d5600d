"""AI-Researcher (Si et al., 2024): cached ideas, full proposals, and experts' scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.cells import parse_number
from core.ingest.formats.opened import Opened, present, rest
from core.ingest.formats.reading import Format, Reading, Row
from core.ingest.identifiers import content_id

SYSTEM = "AI-Researcher"
EXPERT = "expert"
_CACHE_USED = ("Title", "Problem", "Motivation", "Proposed Method")
_PLAN = "full_experiment_plan"
_PLAN_USED = ("Title", "Problem Statement", "Motivation", "Proposed Method")
_MARKS = ("novelty", "feasibility", "effectiveness", "overall")
_TAKEN = (
    "idea_id",
    *(f"{name}_score" for name in _MARKS),
    *(f"{name}_rationale" for name in (*_MARKS, "excitement")),
)


def _is_cache(opened: Opened) -> bool:
    first = opened.first
    if not opened.has("topic_description", "ideas") or not isinstance(first["ideas"], (list, dict)):
        return False
    return any(
        isinstance(idea, Mapping) and {"Problem", "Proposed Method"} & set(idea)
        for group in _groups(first["ideas"])
        for idea in group.values()
    )


def _groups(ideas: object) -> list[Mapping[str, Any]]:
    """The cache writes a list of {name: idea} records; one record of all is taken too."""
    listed = ideas if isinstance(ideas, list) else [ideas]
    return [group for group in listed if isinstance(group, Mapping)]


def _read_cache(opened: Opened, reading: Reading) -> Iterator[Row]:
    number = 0
    for _, record in opened.items():
        topic = record.get("topic_description")
        ideas, others = record.get("ideas"), rest(record, "topic_description", "ideas")
        for group in ideas if isinstance(ideas, list) else [ideas]:
            number += 1
            if not isinstance(group, Mapping):
                reading.drop(number, "is no {name: idea} record")
                continue
            for name, idea in group.items():
                if not isinstance(idea, Mapping):
                    reading.drop(number, f"idea {name!r} is no record of sections")
                    continue
                cells = {
                    "title": str(name),
                    "problem": reading.joined(idea.get("Problem")),
                    "rationale": reading.joined(idea.get("Motivation")),
                    "method": reading.joined(idea.get("Proposed Method")),
                    "extra": rest(idea, *_CACHE_USED) | others,
                }
                named = content_id("idea", SYSTEM, topic, name, cells["problem"], cells["method"])
                yield Row("ideas", number, {
                    "idea_id": named, "system": SYSTEM, "topic": topic, **cells,
                })  # fmt: skip


def _is_proposal(opened: Opened) -> bool:
    plan = opened.first.get(_PLAN) if isinstance(opened.first, dict) else None
    return isinstance(plan, Mapping) and bool(set(_PLAN_USED[1:]) & set(plan))


def _read_proposals(opened: Opened, reading: Reading) -> Iterator[Row]:
    for line, record in opened.items():
        plan = record.get(_PLAN)
        if not isinstance(plan, Mapping):
            reading.drop(line, f"has no '{_PLAN}'")
            continue
        title = reading.joined(plan.get("Title")) or reading.joined(record.get("idea_name"))
        cells = {
            "title": title,
            "problem": reading.joined(plan.get("Problem Statement")),
            "rationale": reading.joined(plan.get("Motivation")),
            "method": reading.joined(plan.get("Proposed Method")),
            "extra": rest(plan, *_PLAN_USED) | rest(record, "topic_description", _PLAN),
        }
        topic = record.get("topic_description")
        named = content_id("idea", SYSTEM, topic, title, cells["problem"], cells["method"])
        yield Row("ideas", line, {"idea_id": named, "system": SYSTEM, "topic": topic, **cells})


def _is_scores(opened: Opened) -> bool:
    marks = {"novelty_score", "effectiveness_score", "overall_score", "soundness_score",
             "codebase_quality_score", "faithfulness_score"}  # fmt: skip
    return opened.has("idea_id", "condition") and len(marks & opened.keys) >= 2


def _read_scores(opened: Opened, reading: Reading) -> Iterator[Row]:
    reading.note(
        "scores: effectiveness stands as impact; reviewers are not named in the file, so all are"
        f" the judge '{EXPERT}' and each one's marks are a repeat"
    )
    novelty: dict[str, list[float]] = {}
    for line, record in opened.items():
        reading.leave(record, *_TAKEN)
        if present(record.get("condition")):
            own = novelty.setdefault(str(record["condition"]), [])
            own += _marked(record.get("novelty_score"))
        marks = {name: record.get(f"{name}_score") for name in _MARKS}
        if not any(present(mark) for mark in marks.values()):
            reading.drop(line, "has no mark for novelty, feasibility, effectiveness or overall")
            continue
        marks["impact"] = marks.pop("effectiveness")
        reasons = [
            f"{name}: {text}"
            for name in (*_MARKS[:3], "excitement", *_MARKS[3:])
            if (text := reading.joined(record.get(f"{name}_rationale")))
        ]
        yield Row("scores", line, {
            "idea_id": record.get("idea_id"), "judge": EXPERT, **marks,
            "reason": reading.joined(*reasons),
        })  # fmt: skip
    # Conditions have no place in scores, and an idea without a text has no system to tell it.
    means = [
        f"{name} {sum(own) / len(own):.3g} ({len(own)})" for name, own in novelty.items() if own
    ]
    if means:
        reading.note(f"novelty by condition, mean over reviews (n): {', '.join(sorted(means))}")


def _marked(cell: object) -> list[float]:
    """A mark on 1 to 10, if there is one."""
    try:
        mark = parse_number(cell)
    except ValueError:
        return []
    return [mark] if 1 <= mark <= 10 else []


FORMATS = (
    Format(
        name="ai-researcher-proposal",
        title="AI-Researcher's proposals",
        tables=("ideas",),
        recognise=_is_proposal,
        read=_read_proposals,
        told={
            "topic_description": "topic",
            f"{_PLAN}.Title | idea_name": "title",
            f"{_PLAN}.Problem Statement": "problem",
            f"{_PLAN}.Motivation": "rationale",
            f"{_PLAN}.Proposed Method": "method",
        },
    ),
    Format(
        name="ai-researcher-cache",
        title="AI-Researcher's cached ideas",
        tables=("ideas",),
        recognise=_is_cache,
        read=_read_cache,
        told={
            "topic_description": "topic",
            "the idea's name": "title",
            "Problem": "problem",
            "Motivation": "rationale",
            "Proposed Method": "method",
        },
    ),
    Format(
        name="ai-researcher-scores",
        title="AI-Researcher's scores by experts",
        tables=("scores",),
        recognise=_is_scores,
        read=_read_scores,
        told={
            "idea_id": "idea_id",
            "novelty_score": "novelty",
            "feasibility_score": "feasibility",
            "effectiveness_score": "impact",
            "overall_score": "overall",
            "*_rationale": "reason",
        },
    ),
)
