"""One request to a literature source, tried again as long as that can help."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

import httpx

from core.config import SOURCE_ATTEMPTS, SOURCE_TIMEOUT
from core.errors import DataError, UsageError
from core.keys import ApiKey, public_url, scrub
from core.retry import CallError, RetryPolicy, retry_after

_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 522, 524})
_SHOWN = 200
# Where there has been no answer at all yet, there is likely no network.
_TRIES_UNREACHED = 3
_AGENT = "foreseen (https://pypi.org/project/foreseen)"
T = TypeVar("T")


def quiet(_: str) -> None:
    """Tell nobody."""


class SourceError(DataError):
    """A source cannot be asked, or not now; what has been fetched is kept.

    ``status`` is that of the last answer, None where there was none.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


@dataclass(kw_only=True)
class Transport:
    """Asks one source; sends its key in a header to the source alone and shows it nowhere.

    429 and 5xx, broken connections and answers that ``read`` cannot use are tried again by
    ``policy``; at least ``interval`` seconds lie between two requests. ``variable`` is the one of
    the environment that a key is looked for in; a redirect to another host is followed without.
    """

    base: str
    key: ApiKey | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    variable: str | None = None
    interval: float = 0.0
    policy: RetryPolicy = field(default_factory=lambda: RetryPolicy(attempts=SOURCE_ATTEMPTS))
    sleep: Callable[[float], None] = time.sleep
    chance: random.Random = field(default_factory=random.Random)
    note: Callable[[str], None] = quiet
    _asked: bool = field(default=False, init=False)
    _reached: bool = field(default=False, init=False)

    def get(self, path: str, params: Mapping[str, Any], read: Callable[[httpx.Response], T]) -> T:
        """What ``read`` makes of the answer; raises :class:`SourceError` where there is none.

        ``read`` raises :class:`CallError` for an answer that another try may mend.
        """
        tried = 0
        while True:
            if self._asked and self.interval:
                self.sleep(self.interval)
            self._asked = True
            tried += 1
            try:
                return self._read(self._once(path, params), read)
            except CallError as error:
                self._reached = self._reached or error.status is not None
                wait = self.policy.wait(tried, error, self.chance)
                if not self._reached and tried >= _TRIES_UNREACHED:
                    wait = None
                if wait is None:
                    raise SourceError(self._end(error, tried), status=error.status) from None
                self.note(f"{error.reason}; trying again in {wait:.0f} s")
                self.sleep(wait)

    def _read(self, answer: httpx.Response, read: Callable[[httpx.Response], T]) -> T:
        self._reached = True
        try:
            return read(answer)
        except CallError as error:
            shown = self._said(answer) if error.retry else ""
            raise CallError(
                f"{self._where}: {scrub(error.reason, self.key)}{shown}", retry=error.retry
            ) from None

    def _once(self, path: str, params: Mapping[str, Any]) -> httpx.Response:
        given = {name: value for name, value in params.items() if value is not None}
        hooks = {"request": [self._without_key_elsewhere]}
        try:
            with httpx.Client(
                timeout=SOURCE_TIMEOUT, follow_redirects=True, event_hooks=hooks
            ) as client:
                answer = client.get(
                    f"{self.base.rstrip('/')}{path}",
                    params=given,
                    headers={"User-Agent": _AGENT, **self.headers},
                )
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise CallError(f"{self._where} cannot be asked: {error}") from None
        except httpx.HTTPError as error:
            what = scrub(str(error) or type(error).__name__, self.key)
            raise CallError(f"{self._where}: no answer: {what}", retry=True) from None
        if answer.is_success:
            return answer
        raise CallError(
            f"{self._where} answered {answer.status_code}{self._said(answer)}",
            status=answer.status_code,
            retry=answer.status_code in _RETRIED,
            after=retry_after(answer.headers, datetime.now(UTC)),
        )

    def _without_key_elsewhere(self, request: httpx.Request) -> None:
        home, here = httpx.URL(self.base), request.url
        if (here.scheme, here.host, here.port) != (home.scheme, home.host, home.port):
            for name in self.headers:
                request.headers.pop(name, None)

    @property
    def _where(self) -> str:
        return public_url(self.base) if "://" in self.base else self.base

    def _said(self, answer: httpx.Response) -> str:
        said = scrub(" ".join(answer.text.split()), self.key)[:_SHOWN]
        return f": {said}" if said else ""

    def _end(self, error: CallError, tried: int) -> str:
        told = error.reason
        if self.policy.too_long(error):
            told += f". It asks to wait {error.after:.0f} s"
        elif tried > 1:
            told += f", after {tried} tries"
        if error.status in (401, 403):
            told += ". Is the key right, and allowed here?"
        elif error.status == 429 and self.key is None and self.variable:
            told += f". With a key of your own in {self.variable} you wait less."
        elif error.status is None and "no answer" in error.reason:
            told += ". Is there a network here, and is the address right?"
        else:
            told += "."
        return f"{told} What has been fetched is kept: run the same command again to go on."


def key_of(variables: Sequence[str]) -> ApiKey | None:
    """The key in the first of these variables of the environment that is set.

    Raises :class:`UsageError`, which does not show it, where no header could hold it.
    """
    for name in variables:
        value = os.environ.get(name, "").strip()
        if value:
            if not (value.isascii() and value.isprintable()):
                raise UsageError(f"{name}: holds characters that no key has. Set it again.")
            return ApiKey(value, name)
    return None


def read_object(answer: httpx.Response, *names: str) -> dict[str, Any]:
    """The answer's JSON object with all of ``names``; :class:`CallError` where it is none."""
    try:
        value = answer.json()
    except (ValueError, RecursionError):
        raise CallError("the answer is not JSON, or is cut off", retry=True) from None
    if not isinstance(value, dict) or any(name not in value for name in names):
        raise CallError(f"the answer lacks {' and '.join(names)}", retry=True)
    return value
