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
from core.errors import DataError
from core.keys import ApiKey, scrub
from core.retry import CallError, RetryPolicy, retry_after

_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 522, 524})
_SHOWN = 200
_AGENT = "foreseen (https://pypi.org/project/foreseen)"
T = TypeVar("T")


def quiet(_: str) -> None:
    """Tell nobody."""


class SourceError(DataError):
    """A source cannot be asked, or not now; what has been fetched is kept."""


@dataclass(kw_only=True)
class Transport:
    """Asks one source; sends its key in a header and shows it nowhere.

    429 and 5xx, broken connections and answers that ``read`` cannot use are tried again by
    ``policy``; at least ``interval`` seconds lie between two requests.
    """

    base: str
    key: ApiKey | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    interval: float = 0.0
    policy: RetryPolicy = field(default_factory=lambda: RetryPolicy(attempts=SOURCE_ATTEMPTS))
    sleep: Callable[[float], None] = time.sleep
    chance: random.Random = field(default_factory=random.Random)
    note: Callable[[str], None] = quiet
    _asked: bool = field(default=False, init=False)

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
                return read(self._once(path, params))
            except CallError as error:
                wait = self.policy.wait(tried, error, self.chance)
                if wait is None:
                    raise SourceError(self._end(error, tried)) from None
                self.note(f"{error.reason}; trying again in {wait:.0f} s")
                self.sleep(wait)

    def _once(self, path: str, params: Mapping[str, Any]) -> httpx.Response:
        given = {name: value for name, value in params.items() if value is not None}
        headers = {"User-Agent": _AGENT, **self.headers}
        try:
            answer = httpx.get(
                f"{self.base.rstrip('/')}{path}",
                params=given,
                headers=headers,
                timeout=SOURCE_TIMEOUT,
                follow_redirects=True,
            )
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise CallError(f"{self.base} cannot be asked: {error}") from None
        except httpx.HTTPError as error:
            what = scrub(str(error) or type(error).__name__, self.key)
            raise CallError(f"{self.base}: no answer: {what}", retry=True) from None
        if answer.is_success:
            return answer
        said = scrub(" ".join(answer.text[:_SHOWN].split()), self.key)
        raise CallError(
            f"{self.base} answered {answer.status_code}" + (f": {said}" if said else ""),
            status=answer.status_code,
            retry=answer.status_code in _RETRIED,
            after=retry_after(answer.headers, datetime.now(UTC)),
        )

    def _end(self, error: CallError, tried: int) -> str:
        again = "What has been fetched is kept: run the same command again to go on."
        if error.status in (401, 403):
            return f"{error.reason}. Is the key right, and allowed here? {again}"
        if self.policy.too_long(error):
            return f"{error.reason}. It asks to wait {error.after:.0f} s. {again}"
        times = f", after {tried} tries" if tried > 1 else ""
        return f"{error.reason}{times}. {again}"


def key_of(variables: Sequence[str]) -> ApiKey | None:
    """The key in the first of these variables of the environment that is set."""
    for name in variables:
        value = os.environ.get(name, "").strip()
        if value:
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
