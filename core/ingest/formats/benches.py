"""Benchmarks of ideas: IdeaBench, LiveIdeaBench, AgentIdeaBench.

The two that a critic has marked write one row a critic, so an idea stands in many rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.ingest.formats.literals import read_literal
from core.ingest.formats.opened import Opened, as_text, joined, present, rest
from core.ingest.formats.reading import Format, Reading, Row
from core.ingest.identifiers import content_id

_NUMBERED = re.compile(r"\n\s*(?=(?:Hypothesis\s*)?\d+[.):]\s)", re.I)
_REFUSAL = re.compile(r"refus|reject|content.?(filter|policy)|safety", re.I)


def _is_idea_bench(opened: Opened) -> bool:
    return opened.has("hypotheses") and bool(opened.keys & {"targetPaperId", "abstract_summary"})


def _read_idea_bench(opened: Opened, reading: Reading) -> Iterator[Row]:
    for line, record in opened.items():
        cell = record.get("hypotheses")
        try:
            value = read_literal(cell)
        except ValueError as error:
            text = str(cell)
            if text.lstrip()[:1] in "[{(":
                reading.drop(line, f"its hypotheses cannot be read: the cell {error}")
                continue
            value = list(_NUMBERED.split(text))
        hypotheses = [text for item in _listed(value) if (text := as_text(item))]
        if not hypotheses:
            reading.drop(line, "has no hypothesis")
            continue
        target = record.get("targetPaperId") or record.get("paperId")
        extra = rest(record, "hypotheses", "title", "abstract_summary")
        for place, text in enumerate(hypotheses, start=1):
            yield Row("ideas", line, {
                "idea_id": content_id("idea", "IdeaBench", target, place, text),
                "system": "IdeaBench", "problem": record.get("abstract_summary"),
                "method": text, "extra": extra | {"target_title": record.get("title")},
            })  # fmt: skip


def _listed(value: object) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _is_live(opened: Opened) -> bool:
    return opened.has("idea_model", "critic_model", "idea") and bool(
        opened.keys & {"parsed_scores", "raw_critique"}
    )


def _read_live(opened: Opened, reading: Reading) -> Iterator[Row]:
    ideas: set[str] = set()
    for line, record in opened.items():
        text, model = joined(record.get("idea")), record.get("idea_model")
        if text is None:
            why = record.get("error")
            reading.drop(line, "has no idea" + (f" (error: {why})" if present(why) else ""))
            continue
        terms = record.get("keywords")
        named = content_id("idea", model, as_text(terms), text)
        if named in ideas:
            reading.note("{count} rows repeat an idea for another critic or run")
        else:
            ideas.add(named)
            yield Row("ideas", line, {
                "idea_id": named, "system": model, "topic": joined(terms),
                "method": text, "key_terms": _terms(terms),
                "extra": rest(record, "idea", "idea_model", "keywords", "critic_model",
                              "parsed_scores", "raw_critique", "parsed_reasoning",
                              "critique_reasoning", "error", "full_response"),
            })  # fmt: skip
        if present(record.get("critic_model")):
            yield Row("scores", line, {
                "idea_id": named, "judge": record["critic_model"],
                **_live_marks(record, reading),
                "reason": joined(record.get("parsed_reasoning"))
                or joined(record.get("critique_reasoning")),
            })  # fmt: skip


def _live_marks(record: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    """Marks of one critique, or how it failed: a mark that is not there is never 0."""
    try:
        marks = read_literal(record.get("parsed_scores"))
    except ValueError:
        marks = None
    if isinstance(marks, list) and marks and isinstance(marks[0], Mapping):
        marks = marks[0]
    found = dict(marks) if isinstance(marks, Mapping) else {}
    found = {str(name).lower(): mark for name, mark in found.items() if present(mark)}
    if {"originality", "feasibility"} & set(found):
        if set(found) - {"originality", "feasibility"}:
            others = ", ".join(sorted(set(found) - {"originality", "feasibility"}))
            reading.note(f"left out, no place in scores: {others} ({{count}} critiques)")
        return {"novelty": found.get("originality"), "feasibility": found.get("feasibility")}
    return {"state": _failed(record.get("error"), present(record.get("raw_critique")))}


def _failed(error: object, replied: bool) -> str:
    if present(error) and _REFUSAL.search(str(error)):
        return "refused"
    return "call_failed" if present(error) and not replied else "parse_failed"


def _terms(cell: object) -> list[str]:
    if isinstance(cell, (list, tuple)):
        return [str(term) for term in cell if present(term)]
    return [part.strip() for part in str(cell).split(",") if part.strip()] if present(cell) else []


def _is_agent(opened: Opened) -> bool:
    return opened.has("idea_model", "critic_model") and bool(
        opened.keys & {"score_originality", "score_impact", "score_feasibility"}
    )


_AGENT_USED = ("idea_text", "hypothesis", "critic_model", "idea_model", "domain", "error",
               "created_at", "score_originality", "score_feasibility", "score_clarity",
               "score_impact", "score_specificity")  # fmt: skip


def _read_agent(opened: Opened, reading: Reading) -> Iterator[Row]:
    ideas: set[str] = set()
    if opened.keys & {"score_clarity", "score_specificity"}:
        reading.note("left out, no place in scores: clarity, specificity")
    for line, record in opened.items():
        text = joined(record.get("idea_text")) or joined(record.get("hypothesis"))
        model = record.get("idea_model")
        if text is None:
            why = record.get("error")
            reading.drop(line, "has no idea" + (f" (error: {why})" if present(why) else ""))
            continue
        place = (record.get("track"), record.get("item_id"), record.get("idea_index"))
        named = content_id("idea", model, *place, text)
        if named in ideas:
            reading.note("{count} rows repeat an idea for another critic or run")
        else:
            ideas.add(named)
            hypothesis = joined(record.get("hypothesis")) if record.get("idea_text") else None
            yield Row("ideas", line, {
                "idea_id": named, "system": model, "topic": joined(record.get("domain")),
                "rationale": hypothesis, "method": text, "extra": rest(record, *_AGENT_USED),
            })  # fmt: skip
        if present(record.get("critic_model")):
            marks = {
                "novelty": record.get("score_originality"),
                "feasibility": record.get("score_feasibility"),
                "impact": record.get("score_impact"),
            }
            state = {} if any(present(mark) for mark in marks.values()) else {
                "state": _failed(record.get("error"), replied=False)
            }  # fmt: skip
            yield Row("scores", line, {
                "idea_id": named, "judge": record["critic_model"], **marks, **state,
                "reason": joined(record.get("error")) if state else None,
            })  # fmt: skip


FORMATS = (
    Format(
        name="ideabench",
        title="IdeaBench's hypotheses",
        tables=("ideas",),
        recognise=_is_idea_bench,
        read=_read_idea_bench,
        told={"abstract_summary": "problem", "hypotheses": "method"},
    ),
    Format(
        name="agentideabench",
        title="AgentIdeaBench's ideas and marks",
        tables=("ideas", "scores"),
        recognise=_is_agent,
        read=_read_agent,
        told={
            "idea_model": "system",
            "domain": "topic",
            "idea_text | hypothesis": "method",
            "critic_model": "judge",
            "score_originality": "novelty",
            "score_feasibility": "feasibility",
            "score_impact": "impact",
        },
    ),
    Format(
        name="liveideabench",
        title="LiveIdeaBench's ideas and critiques",
        tables=("ideas", "scores"),
        recognise=_is_live,
        read=_read_live,
        told={
            "idea_model": "system",
            "keywords": "topic, key_terms",
            "idea": "method",
            "critic_model": "judge",
            "parsed_scores.originality": "novelty",
            "parsed_scores.feasibility": "feasibility",
            "parsed_reasoning": "reason",
        },
    ),
)
