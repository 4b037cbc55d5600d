"""What idea systems write: ResearchAgent, CoI-Agent, SciPIP, AI Idea Bench 2025."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.ingest.formats.opened import Opened, as_text, present, rest
from core.ingest.formats.reading import Format, Reading, Row
from core.ingest.identifiers import content_id

_PARTS = ("problem", "method", "experiment")


def _is_research_agent(opened: Opened) -> bool:
    return opened.has("problem", "method") and bool(
        opened.keys & {"problem_feedbacks", "method_feedbacks", "method_rationale", "history"}
    )


def _read_research_agent(opened: Opened, reading: Reading) -> Iterator[Row]:
    for line, record in opened.items():
        problem, method = (
            reading.joined(record.get("problem")),
            reading.joined(record.get("method")),
        )
        if any(present(record.get(f"{part}_feedbacks")) for part in _PARTS):
            reading.note(
                "{count} ideas carry the system's own feedback, on a scale of 1 to 5: kept in"
                " extra, since scores run from 1 to 10"
            )
        yield Row("ideas", line, {
            "idea_id": content_id("idea", "ResearchAgent", problem, method),
            "system": "ResearchAgent", "title": reading.joined(record.get("title")),
            "problem": problem, "rationale": reading.joined(record.get("problem_rationale")),
            "method": method,
            "extra": rest(record, "title", "problem", "problem_rationale", "method"),
        })  # fmt: skip


def _is_coi(opened: Opened) -> bool:
    result = opened.has("idea") and len(
        opened.keys & {"idea_chain", "related_experiments", "trend", "future", "entities"}
    ) >= 2  # fmt: skip
    # A case is one object a file; a table of anyone's ideas with these names is a list or lines.
    case = opened.kind == "json" and opened.head[0] == "{" and opened.has("title", "idea")
    return (result or case) and not opened.keys & _NAMES_A_SYSTEM


_NAMES_A_SYSTEM = {"system", "model", "idea_model", "condition", "critic_model"}


def _read_coi(opened: Opened, reading: Reading) -> Iterator[Row]:
    for line, record in opened.items("cases"):
        title, idea = reading.joined(record.get("title")), reading.joined(record.get("idea"))
        year = record.get("year")
        if present(year):
            reading.note("{count} with a year, kept in extra: give cutoffs with --set cutoff=…")
        yield Row("ideas", line, {
            "idea_id": content_id("idea", "CoI-Agent", title, idea), "system": "CoI-Agent",
            "topic": reading.joined(record.get("topic")), "title": title,
            "rationale": reading.joined(record.get("trend"), record.get("future")), "method": idea,
            "extra": rest(record, "title", "idea", "topic", "trend", "future"),
        })  # fmt: skip


def _is_scipip(opened: Opened) -> bool:
    return opened.has("background", "ideas") and bool(
        opened.keys & {"brainstorm", "entities_bg", "hash_id"}
    )


def _read_scipip(opened: Opened, reading: Reading) -> Iterator[Row]:
    for line, record in opened.items():
        ideas = record.get("ideas")
        listed = ideas if isinstance(ideas, list) else [ideas]
        if not any(as_text(idea) for idea in listed):
            reading.drop(line, "has no idea")
            continue
        background = reading.joined(record.get("background"))
        extra = rest(record, "background", "ideas")
        for place, idea in enumerate(listed, start=1):
            if not as_text(idea):
                reading.drop(line, f"its idea {place} is empty")
                continue
            title = reading.joined(idea.get("title")) if isinstance(idea, Mapping) else None
            method = reading.joined(rest(idea, "title") if isinstance(idea, Mapping) else idea)
            yield Row("ideas", line, {
                "idea_id": content_id("idea", "SciPIP", record.get("hash_id"), place, title, method),
                "system": "SciPIP", "title": title, "problem": background, "method": method,
                "extra": extra,
            })  # fmt: skip


_DESIGN = ("design_name", "description")


def _is_idea_bench(opened: Opened) -> bool:
    if not opened.has("summary", "model_result"):
        return False
    # A run that failed leaves null there, and may be the first.
    return isinstance(opened.first["model_result"], Mapping) or opened.has("index")


def _read_idea_bench(opened: Opened, reading: Reading) -> Iterator[Row]:
    for line, record in opened.items():
        result, summary = record.get("model_result"), record.get("summary")
        if not isinstance(result, Mapping) or not present(result):
            reading.drop(line, "has no model_result")
            continue
        summary = summary if isinstance(summary, Mapping) else {}
        method = result.get("method")
        designs = method.get("targeted_designs_details") if isinstance(method, Mapping) else None
        if isinstance(designs, list):
            parts = [
                f"{design.get('design_name', '')}: {reading.text(design.get('description'))}".strip(
                    ": "
                )
                if isinstance(design, Mapping)
                else reading.text(design)
                for design in designs
            ]
            details = [rest(d, *_DESIGN) for d in designs if isinstance(d, Mapping)]
            left = rest(method, "targeted_designs_details") if isinstance(method, Mapping) else {}
            left |= {"targeted_designs_details": details} if any(details) else {}
        else:
            parts, left = [reading.text(method)], {}
        extra = rest(record, "summary", "model_result") | rest(
            result, "title", "motivation", "method"
        )
        extra |= rest(summary, "topic") | ({"method": left} if left else {})
        rationale, text = reading.joined(result.get("motivation")), reading.joined(*parts)
        yield Row("ideas", line, {
            "idea_id": content_id("idea", "AI-Idea-Bench", record.get("index"), rationale, text),
            "system": "AI-Idea-Bench", "topic": reading.joined(summary.get("topic")),
            "title": reading.joined(result.get("title")), "rationale": rationale, "method": text,
            "extra": extra,
        })  # fmt: skip


FORMATS = (
    Format(
        name="research-agent",
        title="ResearchAgent's ideas",
        tables=("ideas",),
        recognise=_is_research_agent,
        read=_read_research_agent,
        told={"problem": "problem", "problem_rationale": "rationale", "method": "method"},
    ),
    Format(
        name="scipip",
        title="SciPIP's ideas",
        tables=("ideas",),
        recognise=_is_scipip,
        read=_read_scipip,
        told={"background": "problem", "ideas.title": "title", "ideas": "method"},
    ),
    Format(
        name="ai-idea-bench",
        title="results of AI Idea Bench 2025",
        tables=("ideas",),
        recognise=_is_idea_bench,
        read=_read_idea_bench,
        told={
            "summary.topic": "topic",
            "model_result.motivation": "rationale",
            "model_result.method": "method",
        },
    ),
    Format(
        name="coi-agent",
        title="CoI-Agent's results",
        tables=("ideas",),
        recognise=_is_coi,
        read=_read_coi,
        told={"title": "title", "trend + future": "rationale", "idea": "method"},
    ),
)
