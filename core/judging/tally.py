"""The counts of a run while it goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from core.judging.calls import Call
from core.judging.limits import Usage
from core.judging.plan import Job, Plan, read_call
from core.judging.report import Outcome, Progress, RunReport, Stop


class Tally:
    """Outcomes so far, and everything that is counted over them."""

    def __init__(self, total: int, plan: Plan, *, priced: bool) -> None:
        self.total = total
        self.cached = len(plan.cached)
        self.kept = len(plan.kept)
        self.outcomes: list[Outcome] = [*plan.cached, *plan.kept]
        self.states = Counter(outcome.reading.state for outcome in self.outcomes)
        self.calls = 0
        self.retries = 0
        self.tokens_in = 0
        self.tokens_out = 0
        self.with_usage = 0
        self.without_usage = 0
        self.cost: float | None = 0.0 if priced else None

    def add(self, job: Job, call: Call) -> None:
        """Count a call and every task that it answers."""
        self.calls += 1
        for task in job.tasks:
            reading = read_call(call, task.fields)
            self.outcomes.append(Outcome(task=task, call=call, reading=reading, cached=False))
            self.states[reading.state] += 1
        if call.tokens_in is not None and call.tokens_out is not None:
            self.with_usage += 1
            self.tokens_in += call.tokens_in
            self.tokens_out += call.tokens_out
        elif call.answered:
            self.without_usage += 1
        if self.cost is not None:
            self.cost += call.cost or 0.0

    @property
    def asked(self) -> int:
        return len(self.outcomes) - self.cached - self.kept

    @property
    def mean_usage(self) -> Usage | None:
        """Tokens of a call on average; None before the first that was counted."""
        if not self.with_usage:
            return None
        return Usage(
            tokens_in=self.tokens_in / self.with_usage, tokens_out=self.tokens_out / self.with_usage
        )

    def progress(self, seconds: float, in_flight: int, last_problem: str | None) -> Progress:
        rate = self.asked / seconds if self.asked and seconds > 0 else None
        return Progress(
            total=self.total,
            done=len(self.outcomes),
            cached=self.cached,
            ok=self.states["ok"],
            refused=self.states["refused"],
            parse_failed=self.states["parse_failed"],
            call_failed=self.states["call_failed"],
            in_flight=in_flight,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            cost=self.cost,
            seconds=seconds,
            rate=rate * 60 if rate else None,
            remaining=(self.total - len(self.outcomes)) / rate if rate else None,
            last_problem=last_problem,
        )

    def report(
        self,
        *,
        judge: str,
        model: str,
        base_url: str | None,
        parameters: Mapping[str, Any],
        seconds: float,
        stopped: Stop | None,
        stop_reason: str | None,
        notes: tuple[str, ...],
    ) -> RunReport:
        return RunReport(
            judge=judge,
            model=model,
            base_url=base_url,
            parameters=parameters,
            total=self.total,
            cached=self.cached,
            kept_failures=self.kept,
            asked=self.asked,
            calls=self.calls,
            unasked=self.total - len(self.outcomes),
            ok=self.states["ok"],
            refused=self.states["refused"],
            parse_failed=self.states["parse_failed"],
            call_failed=self.states["call_failed"],
            retries=self.retries,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            without_usage=self.without_usage,
            cost=self.cost,
            seconds=seconds,
            stopped=stopped,
            stop_reason=stop_reason,
            notes=notes,
            outcomes=tuple(self.outcomes),
        )
