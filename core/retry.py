"""A try without an answer, when to try again, and how long to wait before."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from core.config import JUDGE_ATTEMPTS
from core.errors import UsageError


class CallError(Exception):
    """A try without an answer.

    ``retry`` says whether another try may help, ``hopeless`` that no call of this run can
    succeed (wrong key, no such model, no quota), ``after`` how many seconds the server asks for.
    """

    def __init__(
        self,
        reason: str,
        *,
        status: int | None = None,
        retry: bool = False,
        hopeless: bool = False,
        after: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.retry = retry
        self.hopeless = hopeless
        self.after = after


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """At most ``attempts`` tries of one call.

    Before try n + 1 the wait is drawn from [½, 1] · min(``most``, ``first`` · 2^(n−1)) seconds; a
    Retry-After is waited for in full, with up to a second more so that not all come back at
    once. A server that asks for more than ``longest`` seconds ends the run: a resumed one goes
    on from there.
    """

    attempts: int = JUDGE_ATTEMPTS
    first: float = 1.0
    most: float = 60.0
    longest: float = 300.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise UsageError(f"A call needs at least 1 try (given: {self.attempts}).")

    def wait(self, tried: int, error: CallError, chance: random.Random) -> float | None:
        """Seconds before the next try after ``tried`` ones; None where there is to be none."""
        if not error.retry or tried >= self.attempts or self.too_long(error):
            return None
        backoff = min(self.most, self.first * 2.0 ** (tried - 1)) * (1 + chance.random()) / 2
        if not error.after:
            return backoff
        return error.after + min(1.0, backoff) * chance.random()

    def too_long(self, error: CallError) -> bool:
        return error.after is not None and error.after > self.longest


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that a reply's headers ask to wait: in seconds, milliseconds or as an HTTP date."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) / unit
        except ValueError:
            try:
                until = parsedate_to_datetime(value)
            except ValueError:
                continue
            if until.tzinfo is None:
                until = until.replace(tzinfo=UTC)
            seconds = (until - now).total_seconds()
        if seconds == seconds and seconds != float("inf"):
            return max(0.0, seconds)
    return None
