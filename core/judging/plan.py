"""What is to be asked: the tasks, less what earlier calls have answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.judging.calls import Call, CallIndex
from core.judging.fields import Field
from core.judging.limits import Prices
from core.judging.parse import Reading, read_reply
from core.judging.report import Estimate, Outcome
from core.judging.task import Task, cache_key


@dataclass(frozen=True, kw_only=True)
class Job:
    """One call to make, and every task that it answers."""

    tasks: tuple[Task, ...]

    @property
    def task(self) -> Task:
        return self.tasks[0]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Calls to make in order, answers that stand (valid), and failures that are kept."""

    jobs: tuple[Job, ...]
    cached: tuple[Outcome, ...]
    kept: tuple[Outcome, ...]


def make_plan(
    tasks: Sequence[Task],
    model: str,
    parameters: Mapping[str, Any],
    index: CallIndex,
    *,
    retry_failed: bool,
) -> Plan:
    """Sort tasks into calls to make and answers that stand.

    A valid answer stands. A call that was never answered is asked again. An answer that was
    refused or unreadable stands as that, unless ``retry_failed``. Replies are read again, so a
    stricter reader takes nothing on trust from an earlier one.
    """
    open_tasks: dict[str, list[Task]] = {}
    cached: list[Outcome] = []
    kept: list[Outcome] = []
    for task in tasks:
        key = cache_key(model, parameters, task.prompt_digest, task.repeat)
        call = index.get(key)
        if call is not None and call.answered:
            reading = read_call(call, task.fields)
            if reading.state == "ok" or not retry_failed:
                outcome = Outcome(task=task, call=call, reading=reading, cached=True)
                (cached if reading.state == "ok" else kept).append(outcome)
                continue
        open_tasks.setdefault(key, []).append(task)
    jobs = tuple(Job(tasks=tuple(same)) for same in open_tasks.values())
    return Plan(jobs=jobs, cached=tuple(cached), kept=tuple(kept))


def read_call(call: Call, fields: Sequence[Field]) -> Reading:
    """A kept call's reply, read against the fields that were asked for."""
    if call.state == "call_failed" or (call.reply is None and call.refusal is None):
        state = "parse_failed" if call.state == "ok" else call.state
        return Reading(state=state, reason=call.reason or "the call holds no reply")
    return read_reply(call.reply, fields, finish_reason=call.finish_reason, refusal=call.refusal)


def estimate(
    plan: Plan,
    parameters: Mapping[str, Any],
    prices: Prices | None,
    earlier: Iterable[Call] = (),
) -> Estimate:
    """About what the plan's calls will take; ``earlier`` calls teach the length of replies."""
    seen: dict[str, list[int]] = {}
    for call in earlier:
        if call.tokens_out is not None:
            seen.setdefault(call.kind, []).append(call.tokens_out)
    tokens_in = sum(job.task.prompt_tokens for job in plan.jobs)
    most = parameters.get("max_tokens")
    tokens_out = 0.0
    for job in plan.jobs:
        known = seen.get(job.task.kind)
        usual = sum(known) / len(known) if known else job.task.expected_tokens
        tokens_out += usual if most is None else min(usual, most)
    tokens_out_most = None if most is None else most * len(plan.jobs)
    return Estimate(
        judgements=sum(len(job.tasks) for job in plan.jobs) + len(plan.cached) + len(plan.kept),
        cached=len(plan.cached),
        kept_failures=len(plan.kept),
        calls=len(plan.jobs),
        tokens_in=tokens_in,
        tokens_out=round(tokens_out),
        tokens_out_most=tokens_out_most,
        cost=None if prices is None else prices.cost(tokens_in, tokens_out),
        cost_most=None
        if prices is None or tokens_out_most is None
        else prices.cost(tokens_in, tokens_out_most),
    )
