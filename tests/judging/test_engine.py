"""The engine: asks what is missing, keeps within limits and budget, stops cleanly."""

from __future__ import annotations

import asyncio
import random
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from judging_helpers import PARAMETERS, FastClock, ask

from core.errors import UsageError
from core.judging.calls import CallIndex, CallsLog, read_calls
from core.judging.client import Answer, Request
from core.judging.fields import Text, Whole
from core.judging.limits import Budget, Limits, Prices, RateLimiter
from core.judging.mock import MockClient
from core.judging.plan import estimate, make_plan
from core.judging.report import Outcome, Progress
from core.judging.run import StopSignal, run
from core.judging.task import Message, Task
from core.retry import CallError, RetryPolicy, retry_after

FIELDS = (Whole(name="mark", low=1, high=9), Text(name="reason"))
PRICES = Prices(per_million_in=1.0, per_million_out=10.0)


def tasks(count: int, repeats: int = 1, kind: str = "kind") -> list[Task]:
    return [
        Task(
            kind=kind,
            key={"idea_id": f"i{place}"},
            messages=(Message(role="user", content=f"judge number {place}"),),
            fields=FIELDS,
            template="t@0",
            repeat=repeat,
        )
        for repeat in range(1, repeats + 1)
        for place in range(count)
    ]


def counted(request: Request) -> Answer:
    """A valid reply of 100 tokens in and 20 out."""
    return Answer(text='{"mark": 5, "reason": "x"}', tokens_in=100, tokens_out=20)


def test_a_resumed_run_of_ten_thousand_asks_only_what_is_missing(tmp_path: Path) -> None:
    """2,500 subjects, 4 repeats; the first run stops after 6,000 calls, 1 in 100 unreadable."""
    path = tmp_path / "calls.jsonl"
    everything = tasks(2500, repeats=4)
    chance = random.Random(0)
    bad = MockClient(
        reply=lambda r: "no" if chance.random() < 0.01 else '{"mark": 5, "reason": "x"}'
    )
    first = ask(everything, bad, path, budget=Budget(calls=6000), limits=Limits(concurrency=50))
    assert (first.calls, first.unasked, first.stopped) == (6000, 4000, "budget")
    assert first.parse_failed > 0
    good = MockClient()
    second = ask(everything, good, path, limits=Limits(concurrency=50))
    assert len(good.asked) == second.calls == 4000
    assert second.cached == first.ok
    assert second.kept_failures == first.parse_failed
    third = ask(everything, good, path, retry_failed=True, limits=Limits(concurrency=50))
    assert third.calls == first.parse_failed
    assert (third.ok, third.unasked) == (10_000, 0)
    last = ask(everything, good, path)
    assert (last.calls, last.cached) == (0, 10_000)
    asked = [
        (c.key["idea_id"], c.repeat)
        for c in read_calls(path, requests=False).calls
        if c.state == "ok"
    ]
    assert len(asked) == len(set(asked)) == 10_000


def test_other_parameters_or_another_model_are_other_answers(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    ask(tasks(2), MockClient(), path)
    assert ask(tasks(2), MockClient(), path, parameters={"temperature": 0.0}).calls == 2
    assert ask(tasks(2), MockClient(model="other"), path).calls == 2
    assert ask(tasks(2), MockClient(), path, judge="by another name").cached == 2
    assert ask(tasks(2, repeats=3), MockClient(), path).calls == 4


def test_two_tasks_with_one_prompt_share_a_call(tmp_path: Path) -> None:
    first, second = tasks(2)
    twin = Task(**{**vars(first), "key": {"idea_id": "twin"}})  # type: ignore[arg-type]
    client = MockClient()
    report = ask([first, second, twin], client, tmp_path / "calls.jsonl")
    assert (report.total, report.calls, report.ok, len(client.asked)) == (3, 2, 3, 2)
    rows = {o.task.key["idea_id"]: o.row("j")["call_id"] for o in report.outcomes}
    assert rows["i0"] == rows["twin"] != rows["i1"]
    assert ask([first, second, twin], client, tmp_path / "calls.jsonl").cached == 3


@pytest.mark.parametrize(
    ("budget", "calls", "words"),
    [
        (Budget(calls=7), 7, "7 calls"),
        (Budget(calls=0), 0, "0 calls"),
        (Budget(tokens=600), 5, "600 tokens"),  # 120 a call: 5 · 120 = 600
        (Budget(tokens=601), 6, "601 tokens"),
        (Budget(cost=0.0009), 3, "0.0009 in money"),  # 100 · 1e-6 + 20 · 10e-6 = 0.0003 a call
    ],
)
@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_budget_ends_the_run_cleanly(
    budget: Budget, calls: int, words: str, concurrency: int, tmp_path: Path
) -> None:
    report = ask(
        tasks(40),
        MockClient(reply=counted),
        tmp_path / "calls.jsonl",
        budget=budget,
        prices=PRICES,
        limits=Limits(concurrency=concurrency),
    )
    assert (report.calls, report.ok, report.unasked) == (calls, calls, 40 - calls)
    assert report.stopped == "budget"
    assert words in (report.stop_reason or "")
    assert report.cost == pytest.approx(calls * 0.0003)


def test_a_budget_that_is_enough_stops_nothing(tmp_path: Path) -> None:
    report = ask(tasks(5), MockClient(), tmp_path / "calls.jsonl", budget=Budget(calls=5))
    assert (report.calls, report.stopped) == (5, None)
    with pytest.raises(UsageError, match="--price-in"):
        ask(tasks(1), MockClient(), tmp_path / "calls.jsonl", budget=Budget(cost=1.0))


def sent_at(client_limits: Limits, count: int, tokens: float, gap: float = 0.0) -> list[float]:
    """When a limiter lets ``count`` requests go that come ``gap`` seconds apart."""

    async def go() -> list[float]:
        clock = FastClock()
        limiter = RateLimiter(client_limits, clock, clock.sleep)
        times = []
        for _ in range(count):
            await limiter.admit(tokens)
            times.append(clock.now())
            await clock.sleep(gap)
        return times

    return asyncio.run(go())


def test_requests_a_minute() -> None:
    assert sent_at(Limits(rpm=2), 5, 1) == [0, 0, 60, 60, 120]
    assert sent_at(Limits(rpm=2), 4, 1, gap=10) == [0, 10, 60, 70]
    assert sent_at(Limits(), 4, 1) == [0, 0, 0, 0]


def test_tokens_a_minute() -> None:
    assert sent_at(Limits(tpm=100), 4, 50) == [0, 0, 60, 60]
    assert sent_at(Limits(tpm=100), 3, 60, gap=5) == [0, 60, 120]
    assert sent_at(Limits(tpm=100), 2, 500) == [0, 60]  # more than a minute holds: alone


def test_a_settled_request_gives_its_tokens_back() -> None:
    async def go() -> float:
        clock = FastClock()
        limiter = RateLimiter(Limits(tpm=100), clock, clock.sleep)
        limiter.settle(await limiter.admit(100), 10)
        await limiter.admit(90)
        return clock.now()

    assert asyncio.run(go()) == 0


def test_a_429_holds_everybody_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(RateLimiter, "pause", lambda self, seconds: pauses.append(seconds))
    clock = FastClock()
    times: list[float] = []

    def reply(request: Request) -> str:
        times.append(clock.now())
        if len(times) == 1:
            raise CallError("slow down", status=429, retry=True, after=50.0)
        return '{"mark": 5, "reason": "x"}'

    client = MockClient(reply=reply)
    report = ask(tasks(4), client, tmp_path / "c.jsonl", clock=clock, limits=Limits(concurrency=1))
    assert (report.ok, report.retries) == (4, 1)
    assert len(pauses) == 1
    assert 50 <= pauses[0] < 51
    assert times[0] == 0
    assert all(time >= 50 for time in times[1:])
    assert report.outcomes[0].call.attempts[0]["status"] == 429


def test_a_pause_holds_whoever_comes_next() -> None:
    async def go() -> list[float]:
        clock = FastClock()
        limiter = RateLimiter(Limits(), clock, clock.sleep)
        limiter.pause(50)
        limiter.pause(20)
        await limiter.admit(1)
        await limiter.admit(1)
        return clock.slept

    assert asyncio.run(go()) == [50]


def test_back_off_doubles_within_its_bounds_and_ends() -> None:
    policy = RetryPolicy(attempts=9, first=1, most=8)
    broken = CallError("x", retry=True)
    for seed in range(20):
        chance = random.Random(seed)
        waits = [policy.wait(tried, broken, chance) for tried in range(1, 10)]
        assert waits[-1] is None
        for wait, full in zip(waits[:-1], [1, 2, 4, 8, 8, 8, 8, 8], strict=True):
            assert wait is not None
            assert full / 2 <= wait <= full
    chance = random.Random(0)
    assert policy.wait(1, CallError("x"), chance) is None
    assert policy.wait(1, CallError("x", retry=True, after=301), chance) is None
    with pytest.raises(UsageError):
        RetryPolicy(attempts=0)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Wed, 01 Jan 2025 00:01:30 GMT"}, 90),
        ({"retry-after": "Wed, 01 Jan 2025 01:01:30 +0100"}, 90),
        ({"retry-after": "Tue, 31 Dec 2024 00:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_retry_after_in_every_spelling(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, datetime(2025, 1, 1, tzinfo=UTC)) == seconds


def test_a_client_that_breaks_fails_its_call_alone(tmp_path: Path) -> None:
    def reply(request: Request) -> str:
        if "number 1" in request.messages[0].content:
            raise ZeroDivisionError("a bug")
        return '{"mark": 5, "reason": "x"}'

    report = ask(tasks(3), MockClient(reply=reply), tmp_path / "calls.jsonl")
    assert (report.ok, report.call_failed) == (2, 1)
    failed = next(o for o in report.outcomes if o.reading.state == "call_failed")
    assert failed.reading.reason == "ZeroDivisionError: a bug"


def test_a_stop_from_another_thread_keeps_what_was_answered(tmp_path: Path) -> None:
    stop = StopSignal()
    path = tmp_path / "calls.jsonl"

    def reply(request: Request) -> str:
        if "number 9" in request.messages[0].content:
            threading.Thread(target=stop.soft.set).start()
        return '{"mark": 5, "reason": "x"}'

    client = MockClient(reply=reply, delay=0.01)
    with CallsLog(path) as log:
        report = run(
            tasks(5000), client, log, parameters=PARAMETERS, stop=stop, limits=Limits(concurrency=2)
        )
    assert report.stopped == "interrupted"
    assert 10 <= report.calls < 5000
    assert report.calls == len(client.asked) == len(read_calls(path).calls) == report.ok
    assert report.unasked == 5000 - report.calls


@pytest.mark.parametrize("hard", [True, False])
def test_a_call_that_never_ends_does_not_hold_up_a_stop(hard: bool, tmp_path: Path) -> None:
    stop = StopSignal()
    stop.soft.set()
    if hard:
        stop.hard.set()
    client = MockClient(delay=3600)
    with CallsLog(tmp_path / "calls.jsonl") as log:
        report = run(tasks(3), client, log, stop=stop, grace=60 if hard else 0.2)
    assert (report.stopped, report.calls, report.unasked) == ("interrupted", 0, 3)


def test_a_stop_ends_a_wait_for_the_server(tmp_path: Path) -> None:
    stop = StopSignal()

    def reply(request: Request) -> str:
        stop.soft.set()
        raise CallError("slow", retry=True, after=200.0)

    with CallsLog(tmp_path / "calls.jsonl") as log:
        report = run(tasks(4), MockClient(reply=reply), log, stop=stop)
    assert (report.stopped, report.calls, report.unasked) == ("interrupted", 0, 4)


def test_progress_counts_up_to_the_total(tmp_path: Path) -> None:
    seen: list[Progress] = []
    path = tmp_path / "calls.jsonl"
    ask(tasks(3), MockClient(reply=counted), path)
    clock = FastClock()

    def slow(request: Request) -> Answer:
        clock._now += 2.0
        return counted(request)

    ask(
        tasks(8), MockClient(reply=slow), path, progress=seen.append, prices=PRICES,
        clock=clock, limits=Limits(concurrency=1),
    )  # fmt: skip
    assert (seen[0].done, seen[0].cached, seen[0].rate, seen[0].remaining) == (3, 3, None, None)
    assert [now.done for now in seen[1:6]] == [4, 5, 6, 7, 8]
    second = seen[2]
    assert second.rate == pytest.approx(30)  # 2 calls in 4 s
    assert second.remaining == pytest.approx(6)  # 3 left, 2 s each
    assert second.cost == pytest.approx(0.0006)
    assert (seen[-1].ok, seen[-1].failed, seen[-1].in_flight) == (8, 0, 0)


def test_checkpoints_come_while_the_run_goes_on(tmp_path: Path) -> None:
    clock = FastClock()
    saved: list[int] = []

    def slow(request: Request) -> Answer:
        clock._now += 10.0
        return counted(request)

    def checkpoint(outcomes: Any) -> None:
        assert all(isinstance(outcome, Outcome) for outcome in outcomes)
        saved.append(len(outcomes))

    ask(
        tasks(7), MockClient(reply=slow), tmp_path / "c.jsonl", clock=clock,
        checkpoint=checkpoint, limits=Limits(concurrency=1),
    )  # fmt: skip
    assert saved == [3, 6]  # every 30 s


def test_it_runs_inside_a_running_loop(tmp_path: Path) -> None:
    async def notebook() -> int:
        return ask(tasks(2), MockClient(), tmp_path / "calls.jsonl").ok

    assert asyncio.run(notebook()) == 2


def test_an_estimate_counts_calls_and_learns_the_length_of_replies(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    ask(tasks(2), MockClient(reply=counted), path)
    earlier = read_calls(path).calls
    plan = make_plan(
        tasks(6, repeats=2), "mock", PARAMETERS, CallIndex(earlier), retry_failed=False
    )
    guess = estimate(plan, PARAMETERS, PRICES, earlier)
    # 'judge number 0' is 14 bytes: 4 tokens and 8 for the message, 10 calls; 20 out were usual
    assert (guess.judgements, guess.cached, guess.calls) == (12, 2, 10)
    assert (guess.tokens_in, guess.tokens_out, guess.tokens_out_most) == (120, 200, 2000)
    assert guess.cost == pytest.approx(120e-6 + 200 * 10e-6)
    assert guess.cost_most == pytest.approx(120e-6 + 2000 * 10e-6)
    plain = estimate(plan, {}, None)
    assert (plain.tokens_out, plain.tokens_out_most, plain.cost) == (1500, None, None)


def test_a_row_is_made_by_the_task(tmp_path: Path) -> None:
    """Comparisons, verdicts and the like turn the reply's values into their own columns."""
    task = Task(**{**vars(tasks(1)[0]), "to_row": lambda values: {"double": values["mark"] * 2}})  # type: ignore[arg-type]
    report = ask([task], MockClient(reply=counted), tmp_path / "calls.jsonl")
    row = report.outcomes[0].row("j")
    assert (row["double"], row["idea_id"], row["judge"], row["repeat"]) == (10, "i0", "j", 1)
    assert "mark" not in row


def test_limits_refuse_nonsense() -> None:
    with pytest.raises(UsageError, match="'concurrency' must be at least 1"):
        Limits(concurrency=0)
    with pytest.raises(UsageError, match="budget in tokens"):
        Budget(tokens=-1)
    with pytest.raises(UsageError, match="Prices"):
        Prices(per_million_in=-1, per_million_out=0)
