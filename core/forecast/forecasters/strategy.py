"""What every forecaster that asks a model shares: steps of tasks, and ideas read from the last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from core.forecast.forecasters.history import History
from core.judging.fields import Field, Records, Text, Texts
from core.judging.prompts import load_template
from core.judging.task import Task

FORECASTS = "forecasts"
NOTES = "forecast_notes"
MOST_TERMS = 12
Replies = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Draft:
    """One forecast as it was written; ``more`` goes to the idea's ``extra``."""

    title: str
    rationale: str = ""
    approach: str = ""
    key_terms: tuple[str, ...] = ()
    more: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Ask:
    """How much is asked: forecasts of an episode, tokens of evidence in a prompt, the seed."""

    slots: int
    context_tokens: int
    seed: int = 0


class Strategy(Protocol):
    """A forecaster that asks a model in ``steps`` steps.

    ``tasks`` gives a step's tasks from the replies to the step before (none at the first); an
    empty tuple at the last step means that there is nothing to forecast from. ``drafts`` reads
    the last step's one reply.
    """

    @property
    def name(self) -> str: ...
    @property
    def steps(self) -> int: ...
    def tasks(
        self, history: History, step: int, replies: Replies, ask: Ask
    ) -> tuple[Task, ...]: ...
    def drafts(self, history: History, reply: Mapping[str, Any], ask: Ask) -> list[Draft]: ...


def idea_fields(slots: int) -> tuple[Field, ...]:
    """The form of a reply with up to ``slots`` ideas, best first."""
    return (
        Records(
            name="ideas",
            fields=(
                Text(name="title"),
                Text(name="rationale", blank=True),
                Text(name="approach", blank=True),
                Texts(name="key_terms", most=MOST_TERMS),
            ),
            least=1,
            most=slots,
        ),
    )


def forecast_task(history: History, evidence: str, ask: Ask, *, step: str = "forecast") -> Task:
    """The question that ends every strategy: which ideas come next, in view of the evidence."""
    template = load_template("forecast")
    return Task(
        kind=FORECASTS if step == "forecast" else NOTES,
        key=episode_key(history, step),
        messages=template.messages(
            topic=history.topic,
            cutoff=history.cutoff.isoformat(),
            months=str(history.horizon_months),
            slots=str(ask.slots),
            evidence=evidence,
        ),
        fields=idea_fields(ask.slots),
        template=template.version,
        expected_tokens=220 * ask.slots,
    )


def episode_key(history: History, step: str) -> dict[str, Any]:
    return {"topic": history.topic, "cutoff": history.cutoff.isoformat(), "step": step}


def read_drafts(reply: Mapping[str, Any]) -> list[Draft]:
    """The ideas of a reply, whole: no field is shortened or built from another."""
    return [
        Draft(
            title=idea["title"].strip(),
            rationale=idea["rationale"].strip(),
            approach=idea["approach"].strip(),
            key_terms=tuple(term.strip() for term in idea["key_terms"]),
        )
        for idea in reply["ideas"]
    ]
