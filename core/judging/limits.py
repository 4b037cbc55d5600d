"""How fast and how much: concurrency, requests and tokens a minute, and a total budget."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from core.config import JUDGE_CONCURRENCY, JUDGE_GIVE_UP_AFTER
from core.errors import UsageError

MINUTE = 60.0


class Clock:
    """Time and sleep in one place, so that a test can put its own there."""

    def now(self) -> float:
        """Seconds on a clock that only moves forward."""
        return time.monotonic()

    def wall(self) -> datetime:
        """The date and time, in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """``concurrency`` calls at once; ``rpm`` requests and ``tpm`` tokens in any 60 seconds.

    After ``give_up_after`` failed calls in a row the run stops: the server is not there.
    """

    concurrency: int = JUDGE_CONCURRENCY
    rpm: int | None = None
    tpm: int | None = None
    give_up_after: int = JUDGE_GIVE_UP_AFTER

    def __post_init__(self) -> None:
        for name in ("concurrency", "rpm", "tpm", "give_up_after"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"'{name}' must be at least 1 (given: {value})")


@dataclass(frozen=True, kw_only=True)
class Prices:
    """Money for a million tokens, in and out, in whatever currency the user thinks."""

    per_million_in: float
    per_million_out: float

    def __post_init__(self) -> None:
        if self.per_million_in < 0 or self.per_million_out < 0:
            raise UsageError("Prices per million tokens must be at least 0.")

    def cost(self, tokens_in: float, tokens_out: float) -> float:
        return (tokens_in * self.per_million_in + tokens_out * self.per_million_out) / 1e6


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What one run may use; None is no limit. Tokens are those in and out together."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        for name in ("calls", "tokens", "cost"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise UsageError(f"A budget in {name} must be at least 0 (given: {value}).")

    def after(self, calls: int, tokens: int, cost: float | None) -> Budget:
        """What is left for the next stage of a run."""
        return Budget(
            calls=None if self.calls is None else max(0, self.calls - calls),
            tokens=None if self.tokens is None else max(0, self.tokens - tokens),
            cost=None if self.cost is None else max(0.0, self.cost - (cost or 0.0)),
        )


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens in and out of one call, or expected of it."""

    tokens_in: float
    tokens_out: float

    @property
    def tokens(self) -> float:
        return self.tokens_in + self.tokens_out


class Spending:
    """What a run has used and what its open calls will probably use.

    A call starts only while something of the budget would be left with every open call at its
    expected use; so the budget is passed by no more than one call's error of estimate.
    """

    def __init__(self, budget: Budget, prices: Prices | None) -> None:
        if budget.cost is not None and prices is None:
            raise UsageError("A budget in money needs --price-in and --price-out.")
        self.budget = budget
        self.prices = prices
        self.started = 0
        self.tokens = 0.0
        self.cost = 0.0
        self._open: dict[int, Usage] = {}

    def may_start(self) -> Literal["yes", "wait", "no"]:
        """``wait`` where it hangs on what the open calls will have used."""
        calls = self.budget.calls
        if calls is not None and self.started >= calls:
            return "no"
        tokens, cost = self.budget.tokens, self.budget.cost
        if (tokens is not None and self.tokens >= tokens) or (
            cost is not None and self.cost >= cost
        ):
            return "no"
        if tokens is None and cost is None:
            return "yes"
        open_tokens = sum(usage.tokens for usage in self._open.values())
        open_cost = sum(self._cost(usage) for usage in self._open.values())
        if self._open and (
            (tokens is not None and self.tokens + open_tokens >= tokens)
            or (cost is not None and self.cost + open_cost >= cost)
        ):
            return "wait"
        return "yes"

    def start(self, call: int, expected: Usage) -> None:
        self.started += 1
        self._open[call] = expected

    def finish(self, call: int, used: Usage | None) -> None:
        """Book what a call used; None where it used nothing."""
        del self._open[call]
        if used is not None:
            self.tokens += used.tokens
            self.cost += self._cost(used)

    @property
    def spent(self) -> str:
        """The limit that was reached, in words."""
        budget = self.budget
        if budget.calls is not None and self.started >= budget.calls:
            return f"the budget of {budget.calls:,} calls is used up"
        if budget.tokens is not None and self.tokens >= budget.tokens:
            return f"the budget of {budget.tokens:,} tokens is used up ({self.tokens:,.0f} used)"
        return f"the budget of {budget.cost:g} in money is used up ({self.cost:.4g} used)"

    def _cost(self, usage: Usage) -> float:
        return 0.0 if self.prices is None else self.prices.cost(usage.tokens_in, usage.tokens_out)


class RateLimiter:
    """Lets a request go when the 60 seconds before it hold fewer than ``rpm`` and ``tpm``.

    First come, first served. ``pause`` holds everybody back, as a 429 asks.
    """

    def __init__(
        self, limits: Limits, clock: Clock, sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._sleep = sleep
        self._lock = asyncio.Lock()
        self._sent: deque[list[float]] = deque()
        self._paused_until = 0.0

    def pause(self, seconds: float) -> None:
        self._paused_until = max(self._paused_until, self._clock.now() + seconds)

    async def admit(self, tokens: float) -> list[float]:
        """Wait for a turn; the entry that comes back is handed to :meth:`settle`."""
        async with self._lock:
            while (wait := self._wait(tokens)) > 0:
                await self._sleep(wait)
            entry = [self._clock.now(), tokens]
            if self._limits.rpm or self._limits.tpm:
                self._sent.append(entry)
            return entry

    def settle(self, entry: list[float], tokens: float) -> None:
        """Put the tokens that a request really took in place of the estimate."""
        entry[1] = tokens

    def _wait(self, tokens: float) -> float:
        now = self._clock.now()
        if now < self._paused_until:
            return self._paused_until - now
        while self._sent and self._sent[0][0] <= now - MINUTE:
            self._sent.popleft()
        rpm, tpm = self._limits.rpm, self._limits.tpm
        if rpm is not None and len(self._sent) >= rpm:
            return self._sent[len(self._sent) - rpm][0] + MINUTE - now
        if tpm is None:
            return 0.0
        excess = sum(entry[1] for entry in self._sent) + tokens - tpm
        for sent_at, used in self._sent:
            if excess <= 0:
                break
            excess -= used
            if excess <= 0 or sent_at == self._sent[-1][0]:
                return sent_at + MINUTE - now
        return 0.0
