"""What is asked for each idea, and how replies become rows of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from core.generate.literature import Literature, Search, nearest
from core.generate.slots import GeneratorSettings, Slot
from core.judging.fields import Field, Text, Texts
from core.judging.prompts import fence, fenced_parts, load_template
from core.judging.report import Outcome
from core.judging.task import Task

PROBLEM, METHOD, VANILLA = "generate_problem", "generate_method", "generate_vanilla"
# llama.cpp refuses a text of more than 2,000 letters in a form of reply
_LETTERS = {"title": 160, "problem": 1000, "rationale": 700, "method": 1800}


@dataclass(frozen=True, kw_only=True)
class Terms(Texts):
    """A list of short texts; ``longest`` is asked of the server only."""

    longest: int

    def schema(self, *, bounded: bool) -> dict[str, Any]:
        whole = super().schema(bounded=bounded)
        limits = {"maxLength": self.longest} if bounded else {}
        return {**whole, "items": {"type": "string", **limits}}


@dataclass(frozen=True, kw_only=True)
class Written(Text):
    """A text of the model's own: words of the question given back are no idea."""

    question: str

    def check(self, value: object) -> str:
        text = super().check(value)
        words = text.strip(" <>.\"'").casefold()
        if len(words.split()) > 2 and words in self.question.casefold():
            raise ValueError("repeats words of the question")
        return text


def _text(name: str, kind: str) -> Field:
    return Written(name=name, longest=_LETTERS[name], question=load_template(kind).user)


_TERMS = Terms(name="key_terms", least=1, most=10, longest=60)
_TEXTS = {
    PROBLEM: ("problem", "rationale"),
    METHOD: ("title", "method"),
    VANILLA: ("title", "problem", "rationale", "method"),
}
_EXPECTED_TOKENS = {PROBLEM: 220, METHOD: 340, VANILLA: 500}


@cache
def reply_fields(kind: str) -> tuple[Field, ...]:
    """What a reply of one stage must hold."""
    texts = tuple(_text(name, kind) for name in _TEXTS[kind])
    return texts if kind == PROBLEM else (*texts, _TERMS)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What the first stage found for an idea: the reply, the call, and the papers shown."""

    text: str
    rationale: str
    call_id: str
    shown: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Tasks, and the papers that each idea's prompt shows beside its seed paper."""

    tasks: tuple[Task, ...]
    shown: Mapping[str, tuple[str, ...]]


def vanilla_tasks(slots: Sequence[Slot]) -> Asked:
    """One task an idea: the topic's name, the same for every number."""
    template = load_template(VANILLA)
    tasks = [
        _task(VANILLA, slot, template.messages(topic=fence("TOPIC", slot.topic)), template.version)
        for slot in slots
    ]
    return Asked(tasks=tuple(tasks), shown={})


def problem_tasks(slots: Sequence[Slot], literature: Literature, search: Search, n: int) -> Asked:
    """One task an idea: its seed paper and the ``n`` papers nearest to that."""
    template = load_template(PROBLEM)
    seeds = [_seed(slot) for slot in slots]
    shown = nearest(literature, search, [literature.text(seed) for seed in seeds], seeds, n)
    tasks = []
    for slot, seed, papers in zip(slots, seeds, shown, strict=True):
        messages = template.messages(
            topic=fence("TOPIC", slot.topic),
            seed=fence("SEED PAPER", literature.text(seed)),
            literature=literature.fenced(papers),
        )
        tasks.append(_task(PROBLEM, slot, messages, template.version))
    return Asked(
        tasks=tuple(tasks),
        shown={slot.idea_id: papers for slot, papers in zip(slots, shown, strict=True)},
    )


def method_tasks(
    slots: Sequence[Slot],
    problems: Mapping[str, Problem],
    literature: Literature,
    search: Search,
    n: int,
) -> Asked:
    """One task an idea that has a problem: the ``n`` papers nearest to the problem."""
    template = load_template(METHOD)
    ready = [slot for slot in slots if slot.idea_id in problems]
    seeds = [_seed(slot) for slot in ready]
    texts = [
        fenced_parts(
            {
                "Problem": problems[slot.idea_id].text,
                "Why it is open": problems[slot.idea_id].rationale,
            }
        )
        for slot in ready
    ]
    shown = nearest(literature, search, texts, seeds, n)
    tasks = []
    for slot, seed, text, papers in zip(ready, seeds, texts, shown, strict=True):
        messages = template.messages(
            topic=fence("TOPIC", slot.topic),
            problem=fence("PROBLEM", text),
            seed=fence("SEED PAPER", literature.text(seed)),
            literature=literature.fenced(papers),
        )
        tasks.append(_task(METHOD, slot, messages, template.version))
    return Asked(
        tasks=tuple(tasks),
        shown={slot.idea_id: papers for slot, papers in zip(ready, shown, strict=True)},
    )


def found_problems(outcomes: Sequence[Outcome], asked: Asked) -> dict[str, Problem]:
    """Problems of the first stage by idea; those that failed are not among them."""
    found = {}
    for outcome in outcomes:
        values = outcome.reading.values
        if values is not None:
            name = str(outcome.task.key["idea_id"])
            found[name] = Problem(
                text=_plain(values["problem"]),
                rationale=_plain(values["rationale"]),
                call_id=outcome.call.id,
                shown=asked.shown[name],
            )
    return found


def idea_row(
    slot: Slot,
    outcome: Outcome,
    settings: GeneratorSettings,
    model: str,
    *,
    problem: Problem | None,
    shown: Sequence[str],
    literature: Literature,
) -> dict[str, Any]:
    """An idea of the table. With literature its cutoff is written out: moving the study's
    cutoff later does not make the idea's own reading disappear."""
    values = dict(outcome.reading.values or {})
    extra: dict[str, Any] = {
        "generator": settings.generator,
        "model": model,
        "calls": [*([problem.call_id] if problem else []), outcome.call.id],
    }
    row: dict[str, Any] = {
        "idea_id": slot.idea_id,
        "system": settings.system.strip(),
        "topic": slot.topic,
        "title": _plain(values["title"]),
        "problem": problem.text if problem else _plain(values["problem"]),
        "rationale": problem.rationale if problem else _plain(values["rationale"]),
        "method": _plain(values["method"]),
        "key_terms": [_plain(term) for term in values["key_terms"]],
        "extra": extra,
    }
    if problem is not None:
        row["cutoff"] = literature.cutoff.isoformat()
        extra |= {
            "seed_paper": slot.seed_paper,
            "retriever": settings.retriever,
            "retrieved": {"problem": list(problem.shown), "method": list(shown)},
        }
    return row


def _task(kind: str, slot: Slot, messages: Any, version: str) -> Task:
    return Task(
        kind=kind,
        key={"idea_id": slot.idea_id},
        messages=messages,
        fields=reply_fields(kind),
        template=version,
        repeat=1 if slot.seed_paper else slot.number,
        expected_tokens=_EXPECTED_TOKENS[kind],
    )


def _seed(slot: Slot) -> str:
    assert slot.seed_paper is not None
    return slot.seed_paper


def _plain(text: str) -> str:
    """Text that a file can hold: a model may send half a surrogate pair."""
    return text.encode("utf-8", "replace").decode().strip()
