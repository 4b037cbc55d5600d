"""Run judgements: ask what is missing, keep every answer, stop cleanly, lose nothing.

The engine knows tasks, a client and a log; kinds of judgement, tables and pages are others'.
"""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.judging.calls import Call, CallsLog
from core.judging.client import Answer, ChatClient, Request
from core.judging.limits import Budget, Clock, Limits, Prices, RateLimiter, Spending, Usage
from core.judging.parse import Reading
from core.judging.plan import Job, make_plan
from core.judging.record import read_answer, record_call, scrubbed
from core.judging.report import Outcome, Progress, RunReport, Stop
from core.judging.tally import Tally
from core.judging.task import Task
from core.retry import CallError, RetryPolicy

POLL_SECONDS = 0.1
CHECKPOINT_SECONDS = 30.0
GRACE_SECONDS = 10.0
Result = TypeVar("Result")


class _StoppedError(Exception):
    """The run is over; a call that waits is not asked."""


@dataclass(frozen=True, kw_only=True)
class StopSignal:
    """How a run is stopped from outside, from any thread.

    ``soft``: no new calls, those under way may end within the grace. ``hard``: at once.
    """

    soft: threading.Event = field(default_factory=threading.Event)
    hard: threading.Event = field(default_factory=threading.Event)


def run(
    tasks: Sequence[Task],
    client: ChatClient,
    log: CallsLog,
    *,
    judge: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    budget: Budget | None = None,
    prices: Prices | None = None,
    retry: RetryPolicy | None = None,
    retry_failed: bool = False,
    progress: Callable[[Progress], None] | None = None,
    checkpoint: Callable[[Sequence[Outcome]], None] | None = None,
    stop: StopSignal | None = None,
    clock: Clock | None = None,
    seed: int | None = None,
    grace: float = GRACE_SECONDS,
) -> RunReport:
    """Ask for every task that no earlier call has answered, and say how it went.

    ``log`` is open for writing; every answer is in it before anything else is done with it.
    ``parameters`` (temperature, max_tokens, …) go to the server as they are and are part of what
    an answer is remembered by. ``judge`` is the name in the tables, the model's where it is None.
    ``progress`` is called after every answer and failed try; ``checkpoint`` with the outcomes
    so far, from time to time and not at the end. ``seed`` is that of the jitter of waits.
    Works from a thread, and from a notebook whose event loop is already running.
    """
    engine = _Run(
        client=client,
        log=log,
        judge=judge or client.model,
        parameters=dict(parameters or {}),
        limits=limits or Limits(),
        prices=prices,
        spending=Spending(budget or Budget(), prices),
        retry=retry or RetryPolicy(),
        progress=progress,
        checkpoint=checkpoint,
        stop=stop or StopSignal(),
        clock=clock or Clock(),
        chance=random.Random(seed),  # noqa: S311
        grace=grace,
    )
    return _in_a_loop(engine.go(tasks, retry_failed=retry_failed))


def _in_a_loop(work: Coroutine[Any, Any, Result]) -> Result:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@dataclass(kw_only=True)
class _Run:
    client: ChatClient
    log: CallsLog
    judge: str
    parameters: dict[str, Any]
    limits: Limits
    prices: Prices | None
    spending: Spending
    retry: RetryPolicy
    progress: Callable[[Progress], None] | None
    checkpoint: Callable[[Sequence[Outcome]], None] | None
    stop: StopSignal
    clock: Clock
    chance: random.Random
    grace: float
    tally: Tally = field(init=False)
    in_flight: int = 0
    failures_in_a_row: int = 0
    stopped: Stop | None = None
    stop_reason: str | None = None
    last_problem: str | None = None

    async def go(self, tasks: Sequence[Task], *, retry_failed: bool) -> RunReport:
        plan = make_plan(
            tasks, self.client.model, self.parameters, self.log.index, retry_failed=retry_failed
        )
        self.tally = Tally(len(tasks), plan, priced=self.prices is not None)
        self.started_at = self.checked_at = self.clock.now()
        self.stopping = asyncio.Event()
        self.turn = asyncio.Condition()
        self.limiter = RateLimiter(self.limits, self.clock, self._sleep)
        self.queue = iter(enumerate(plan.jobs))
        self._tell()
        workers = [
            asyncio.create_task(self._work())
            for _ in range(min(self.limits.concurrency, len(plan.jobs)))
        ]
        watcher = asyncio.create_task(self._watch(workers))
        try:
            if workers:
                for ended in asyncio.as_completed(workers):
                    with suppress(asyncio.CancelledError):
                        await ended
        finally:
            for task in (watcher, *workers):
                task.cancel()
            await asyncio.gather(watcher, *workers, return_exceptions=True)
            self.log.sync()
            await self.client.close()
        self._tell()
        return self._report()

    async def _work(self) -> None:
        while (taken := await self._take()) is not None:
            number, job = taken
            usage: Usage | None = None
            self.in_flight += 1
            try:
                usage = self._keep(job, await self._ask(job))
            except _StoppedError:
                return
            finally:
                self.in_flight -= 1
                async with self.turn:
                    self.spending.finish(number, usage)
                    self.turn.notify_all()
            self._tell()

    async def _take(self) -> tuple[int, Job] | None:
        """The next job, once the budget allows it; None where there is to be no other."""
        async with self.turn:
            while not self.stopping.is_set() and self.stopped is None:
                may = self.spending.may_start()
                if may == "wait":
                    await self.turn.wait()
                    continue
                taken = next(self.queue, None)
                if taken is None:
                    return None
                if may == "no":
                    self._halt("budget", self.spending.spent)
                    return None
                self.spending.start(taken[0], self._expected(taken[1].task))
                return taken
        return None

    def _expected(self, task: Task) -> Usage:
        usual = Usage(tokens_in=task.prompt_tokens, tokens_out=task.expected_tokens)
        return self.tally.mean_usage or usual

    async def _ask(self, job: Job) -> Call:
        """The call, with every try that it takes."""
        task = job.task
        request = Request(
            messages=task.messages,
            parameters=self.parameters,
            schema_name=task.kind,
            schema=task.schema(),
            bare_schema=task.schema(bounded=False),
        )
        attempts: list[dict[str, Any]] = []
        while True:
            entry = await self.limiter.admit(task.prompt_tokens + task.expected_tokens)
            if self.stopping.is_set():
                raise _StoppedError
            asked_at = self.clock.now()
            try:
                answer = scrubbed(await self.client.send(request), self.client.scrub)
            except CallError as error:
                failure = error
            except Exception as error:
                failure = CallError(f"{type(error).__name__}: {error}")
            else:
                seconds = self.clock.now() - asked_at
                if answer.tokens_in is not None and answer.tokens_out is not None:
                    self.limiter.settle(entry, answer.tokens_in + answer.tokens_out)
                reading = read_answer(answer, task)
                return self._record(task, reading, seconds, attempts, answer)
            seconds = self.clock.now() - asked_at
            reason = self.client.scrub(failure.reason)
            self.last_problem = reason
            wait = self.retry.wait(len(attempts) + 1, failure, self.chance)
            if wait is None:
                if failure.hopeless or self.retry.too_long(failure):
                    self._halt("server", reason)
                reading = Reading(state="call_failed", reason=reason)
                return self._record(task, reading, seconds, attempts, None)
            attempts.append({"status": failure.status, "reason": reason, "waited": round(wait, 3)})
            self.tally.retries += 1
            if failure.after is not None:
                self.limiter.pause(wait)
            self._tell()
            await self._sleep(wait)

    def _keep(self, job: Job, call: Call) -> Usage | None:
        """Write the call, count it, and say what it used."""
        self.log.append(call)
        self.tally.add(job, call)
        if call.state == "call_failed":
            self._count_failure(call.reason or "")
            return None
        self.failures_in_a_row = 0
        if self.checkpoint and self.clock.now() - self.checked_at >= CHECKPOINT_SECONDS:
            self.checkpoint(tuple(self.tally.outcomes))
            self.checked_at = self.clock.now()
        if call.tokens_in is None or call.tokens_out is None:
            return self._expected(job.task)
        return Usage(tokens_in=call.tokens_in, tokens_out=call.tokens_out)

    def _count_failure(self, reason: str) -> None:
        self.failures_in_a_row += 1
        if self.failures_in_a_row >= self.limits.give_up_after:
            count = self.failures_in_a_row
            self._halt("server", f"{count} calls in a row failed, the last with: {reason}")

    def _halt(self, stop: Stop, reason: str) -> None:
        """Ask nothing more. Calls under way end; those that wait for another try only do so
        where the budget, not the server or the user, has ended the run."""
        if self.stopped is None:
            self.stopped, self.stop_reason = stop, reason
        if stop != "budget":
            self.stopping.set()

    async def _watch(self, workers: Sequence[asyncio.Task[None]]) -> None:
        """Look for a stop from outside; after the grace, leave unanswered calls."""
        left = self.grace
        while True:
            await asyncio.sleep(POLL_SECONDS)
            if self.stop.soft.is_set() or self.stop.hard.is_set():
                self._halt("interrupted", "stopped by the user")
                async with self.turn:
                    self.turn.notify_all()
                left -= POLL_SECONDS
            if self.stop.hard.is_set() or left <= 0:
                for worker in workers:
                    worker.cancel()
                return

    async def _sleep(self, seconds: float) -> None:
        """Sleep, unless the run is stopped, then raise."""
        sleeping = asyncio.ensure_future(self.clock.sleep(seconds))
        stopping = asyncio.ensure_future(self.stopping.wait())
        try:
            await asyncio.wait({sleeping, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleeping.cancel()
            stopping.cancel()
        if self.stopping.is_set():
            raise _StoppedError

    def _record(
        self,
        task: Task,
        reading: Reading,
        seconds: float,
        attempts: list[dict[str, Any]],
        answer: Answer | None,
    ) -> Call:
        return record_call(
            task,
            reading,
            answer,
            client=self.client,
            judge=self.judge,
            parameters=self.parameters,
            prices=self.prices,
            seconds=seconds,
            attempts=attempts,
            at=self.clock.wall().isoformat(timespec="milliseconds"),
        )

    def _tell(self) -> None:
        if self.progress is not None:
            seconds = self.clock.now() - self.started_at
            self.progress(self.tally.progress(seconds, self.in_flight, self.last_problem))

    def _report(self) -> RunReport:
        return self.tally.report(
            judge=self.judge,
            model=self.client.model,
            base_url=self.client.base_url,
            parameters=self.parameters,
            seconds=self.clock.now() - self.started_at,
            stopped=self.stopped,
            stop_reason=self.stop_reason,
            notes=self.log.notes,
        )
