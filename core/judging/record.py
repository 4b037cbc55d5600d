"""A task and what came back, as the call that is kept."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.judging.calls import Call
from core.judging.client import Answer, ChatClient
from core.judging.limits import Prices
from core.judging.parse import Reading, read_reply
from core.judging.task import Task


def read_answer(answer: Answer, task: Task) -> Reading:
    """How the answer reads against the task's fields."""
    if answer.problem is not None:
        return Reading(state="parse_failed", reason=answer.problem)
    return read_reply(
        answer.text, task.fields, finish_reason=answer.finish_reason, refusal=answer.refusal
    )


def scrubbed(answer: Answer, scrub: Callable[[str], str]) -> Answer:
    """The answer without the key: a server may echo what it was sent."""

    def clean(text: str | None) -> str | None:
        return None if text is None else scrub(text)

    return replace(
        answer,
        text=clean(answer.text),
        reasoning=clean(answer.reasoning),
        refusal=clean(answer.refusal),
        raw=clean(answer.raw),
    )


def record_call(
    task: Task,
    reading: Reading,
    answer: Answer | None,
    *,
    client: ChatClient,
    judge: str,
    parameters: Mapping[str, Any],
    prices: Prices | None,
    seconds: float,
    attempts: Sequence[dict[str, Any]],
    at: str,
) -> Call:
    """The call to keep; ``answer`` is None where no try was answered."""
    sent: dict[str, Any] = {"messages": [dict(vars(message)) for message in task.messages]}
    if answer is not None and answer.response_format is not None:
        sent["response_format"] = dict(answer.response_format)
    told = answer or Answer(text=None)
    cost = None
    if prices is not None and told.tokens_in is not None and told.tokens_out is not None:
        cost = prices.cost(told.tokens_in, told.tokens_out)
    return Call(
        id=uuid.uuid4().hex[:16],
        kind=task.kind,
        key=dict(task.key),
        judge=judge,
        model=client.model,
        served_model=told.served_model,
        base_url=client.base_url,
        parameters=dict(parameters),
        template=task.template,
        prompt_digest=task.prompt_digest,
        repeat=task.repeat,
        mode=answer.mode if answer else None,
        request=sent,
        reply=told.text,
        reasoning=told.reasoning,
        refusal=told.refusal,
        raw=told.raw,
        finish_reason=told.finish_reason,
        state=reading.state,
        reason=reading.reason,
        tokens_in=told.tokens_in,
        tokens_out=told.tokens_out,
        seconds=round(seconds, 4),
        cost=cost,
        attempts=tuple(attempts),
        at=at,
    )
