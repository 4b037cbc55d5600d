"""What a run of judgements tells while it goes on and when it has ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from core.judging.calls import Call
from core.judging.parse import Reading
from core.judging.task import Task

Stop = Literal["budget", "interrupted", "server"]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Where a run stands. ``total`` counts judgements, ``done`` those that have an answer.

    ``rate`` is calls a minute and ``remaining`` seconds left at that rate; both are None before
    the first answer. ``cost`` is None without prices. ``last_problem`` is the latest failed try.
    """

    total: int
    done: int
    cached: int
    ok: int
    refused: int
    parse_failed: int
    call_failed: int
    in_flight: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    seconds: float
    rate: float | None
    remaining: float | None
    last_problem: str | None = None

    @property
    def failed(self) -> int:
        return self.refused + self.parse_failed + self.call_failed


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A task, the call that answered it and how that was read; ``cached`` if from an earlier run.

    Two tasks with the same prompt and repeat share one call.
    """

    task: Task
    call: Call
    reading: Reading
    cached: bool

    def row(self, judge: str) -> dict[str, Any]:
        return self.task.row(judge=judge, reading=self.reading, call_id=self.call.id)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What a run would ask for: calls, and about how many tokens and how much money.

    ``tokens_out`` is what replies usually take (the mean of this model's earlier replies of this
    kind where there are some), ``tokens_out_most`` what they may take at most, None where the
    parameters set no limit. Costs are None without prices.
    """

    judgements: int
    cached: int
    kept_failures: int
    calls: int
    tokens_in: int
    tokens_out: int
    tokens_out_most: int | None
    cost: float | None
    cost_most: float | None


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """How a run ended.

    Of ``total`` judgements, ``cached`` had a valid answer before, ``kept_failures`` had one that
    was refused or unreadable and were not asked again, ``asked`` were asked now (``calls`` of
    them apart: equal prompts share one), ``unasked`` are still open because the run stopped.
    The four states count all judgements with an answer. ``without_usage`` calls came back
    without a count of tokens: they are not in ``tokens_in`` and ``tokens_out``; ``cost`` is None
    without prices. ``stopped`` is None where the run came to its end.
    """

    judge: str
    model: str
    base_url: str | None
    parameters: Mapping[str, Any]
    total: int
    cached: int
    kept_failures: int
    asked: int
    calls: int
    unasked: int
    ok: int
    refused: int
    parse_failed: int
    call_failed: int
    retries: int
    tokens_in: int
    tokens_out: int
    without_usage: int
    cost: float | None
    seconds: float
    stopped: Stop | None
    stop_reason: str | None
    notes: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
