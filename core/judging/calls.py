"""``calls.jsonl``: every model call of a study, one JSON object a line.

One process writes, by appending whole lines; what it has written outlives the process, and is
forced to the disk by batch. A last line torn by a crash is cut off when the file is next opened
for writing, and left out when it is read; either is said.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from core.errors import DataError, UsageError
from core.judging.parse import State
from core.judging.task import cache_key

CALLS_FILE = "calls.jsonl"
SYNC_EVERY = 256
SYNC_SECONDS = 2.0
_STATES = ("ok", "refused", "parse_failed", "call_failed")


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call as it was made and answered.

    ``request`` holds the messages and the response format as sent; ``reply`` is the model's text
    to the letter; ``raw`` the server's body where no text could be taken from it; ``reason`` why
    the state is not ok; ``attempts`` the tries before the last, each with status, reason and
    seconds waited; ``seconds`` the time of the last try. ``tokens_in``, ``tokens_out`` and
    ``cost`` are None where the server or the prices do not tell.
    """

    id: str
    kind: str
    key: dict[str, Any]
    judge: str
    model: str
    served_model: str | None = None
    base_url: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    template: str = ""
    prompt_digest: str
    repeat: int
    mode: str | None = None
    request: dict[str, Any] | None = None
    reply: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    raw: str | None = None
    finish_reason: str | None = None
    state: State
    reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float | None = None
    cost: float | None = None
    attempts: tuple[dict[str, Any], ...] = ()
    at: str = ""

    @property
    def cache_key(self) -> str:
        return cache_key(self.model, self.parameters, self.prompt_digest, self.repeat)

    @property
    def answered(self) -> bool:
        """Whether something came back, readable or not."""
        return self.state != "call_failed"

    def to_line(self) -> str:
        return json.dumps({n: getattr(self, n) for n in _NAMES}, ensure_ascii=False) + "\n"


_NAMES = tuple(item.name for item in fields(Call))


@dataclass(frozen=True, kw_only=True)
class CallsRead:
    """The calls of a file in order; ``notes`` names every line that could not be read."""

    calls: tuple[Call, ...]
    notes: tuple[str, ...]

    def by_id(self) -> dict[str, Call]:
        return {call.id: call for call in self.calls}


class CallIndex:
    """The answer that stands for each cache key: the last valid one, else the last of all."""

    def __init__(self, calls: Iterable[Call] = ()) -> None:
        self._best: dict[str, Call] = {}
        for call in calls:
            self.add(call)

    def add(self, call: Call) -> None:
        key = call.cache_key
        known = self._best.get(key)
        if known is None or call.state == "ok" or known.state != "ok":
            self._best[key] = call

    def get(self, key: str) -> Call | None:
        return self._best.get(key)

    def __len__(self) -> int:
        return len(self._best)


def read_calls(path: Path, *, requests: bool = True) -> CallsRead:
    """Every call of a file; none where there is no file.

    ``requests=False`` leaves the requests out, which are most of the bytes.
    """
    calls: list[Call] = []
    notes: list[str] = []
    for number, line, whole in _lines(path):
        call = _call(line, requests=requests)
        if call is not None:
            calls.append(call)
        elif not whole:
            notes.append(f"{path}, line {number}: the last line is torn and is left out")
        elif line.strip():
            notes.append(f"{path}, line {number}: not a call of ours; it is left out")
    return CallsRead(calls=tuple(calls), notes=tuple(notes))


def line_problems(path: Path) -> list[tuple[int, str | None, str]]:
    """Line, field (None for the whole line) and what is wrong; empty where there is no file."""
    found: list[tuple[int, str | None, str]] = []
    first: dict[str, int] = {}
    for number, line, whole in _lines(path):
        if not line.strip():
            continue
        call = _call(line, requests=False)
        if call is not None:
            if call.id in first:
                again = f"repeats the id of line {first[call.id]}: keep one of them"
                found.append((number, "id", again))
            first.setdefault(call.id, number)
        elif whole:
            what = "is no call of `foreseen judge` or `foreseen forecast`: delete the line"
            found.append((number, _wrong_field(line), what))
        else:
            what = "is cut off: the next `foreseen judge` takes it out and asks again"
            found.append((number, None, what))
    return found


def _wrong_field(line: bytes) -> str | None:
    """The first field that keeps a line from being a call, None where it is no JSON object."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, Mapping):
        return None
    if record.get("state") not in _STATES:
        return "state"
    lacking = [
        item.name
        for item in fields(Call)
        if item.name not in record and item.default is MISSING and item.default_factory is MISSING
    ]
    wrong = [n for n in ("key", "parameters") if not isinstance(record.get(n, {}), dict)]
    return next(iter([*lacking, *wrong]), None)


def find_call(path: Path, call_id: str) -> Call | None:
    """One call with its request, by its id; reads no more of each line than it must."""
    mark = json.dumps(call_id).encode()
    for _, line, _ in _lines(path):
        if mark in line:
            call = _call(line, requests=True)
            if call is not None and call.id == call_id:
                return call
    return None


class CallsLog:
    """The one writer of a ``calls.jsonl``; use it in a ``with`` block.

    ``scrub`` masks the key in every line before it is written. Raises :class:`UsageError` where
    another process is writing the file.
    """

    def __init__(self, path: Path, *, scrub: Callable[[str], str] | None = None) -> None:
        self.path = path
        self.notes: tuple[str, ...] = ()
        self.index = CallIndex()
        self._scrub = scrub
        self._handle: int | None = None
        self._unsynced = 0
        self._synced_at = 0.0

    def __enter__(self) -> Self:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            _lock(self._handle, self.path)
            notes = _mend_tail(self._handle, self.path)
            read = read_calls(self.path, requests=False)
        except BaseException:
            self.close()
            raise
        self.index = CallIndex(read.calls)
        self.notes = (*notes, *read.notes)
        self._synced_at = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def append(self, call: Call) -> None:
        """Write one call; it outlives this process from here on."""
        if self._handle is None:
            raise UsageError("The log of calls is not open.")
        line = call.to_line()
        if self._scrub is not None:
            line = self._scrub(line)
        data = memoryview(line.encode("utf-8", "backslashreplace"))
        try:
            while data:
                data = data[os.write(self._handle, data) :]
        except OSError as error:
            raise DataError(f"{self.path}: cannot be written: {error}") from None
        self.index.add(call)
        self._unsynced += 1
        if self._unsynced >= SYNC_EVERY or time.monotonic() - self._synced_at >= SYNC_SECONDS:
            self.sync()

    def sync(self) -> None:
        """Force what is written to the disk."""
        if self._handle is not None and self._unsynced:
            os.fsync(self._handle)
        self._unsynced = 0
        self._synced_at = time.monotonic()

    def close(self) -> None:
        if self._handle is not None:
            try:
                self.sync()
            finally:
                os.close(self._handle)
                self._handle = None


def _lines(path: Path) -> Iterator[tuple[int, bytes, bool]]:
    """Number, bytes, and whether the line is ended."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                yield number, line, line.endswith(b"\n")
    except FileNotFoundError:
        return
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error}") from None


def _call(line: bytes, *, requests: bool) -> Call | None:
    try:
        record = json.loads(line)
        if not isinstance(record, Mapping) or record.get("state") not in _STATES:
            return None
        known = {name: value for name, value in record.items() if name in _NAMES}
        known["attempts"] = tuple(known.get("attempts") or ())
        if not requests:
            known["request"] = None
        call = Call(**known)
        return call if isinstance(call.parameters, dict) and isinstance(call.key, dict) else None
    except (ValueError, TypeError, RecursionError):
        return None


def _lock(handle: int, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # a system without it: one writer is then the user's to see to
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise UsageError(
            f"{path}: another run is writing there. Wait for its end, or stop it."
        ) from None


def _mend_tail(handle: int, path: Path) -> tuple[str, ...]:
    """End a whole last line that lacks its newline; cut a torn one off."""
    size = os.fstat(handle).st_size
    tail, start = b"", size
    with path.open("rb") as file:
        while start > 0 and b"\n" not in tail:
            step = min(1 << 16, start)
            start -= step
            file.seek(start)
            tail = file.read(step) + tail
    torn = tail.rsplit(b"\n", 1)[-1]
    if not torn:
        return ()
    if _call(torn, requests=False) is not None:
        os.write(handle, b"\n")
        return ()
    os.ftruncate(handle, size - len(torn))
    return (f"{path}: the last line was torn ({len(torn)} bytes) and is cut off",)
