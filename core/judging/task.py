"""One question to a judge: what it is about, what is asked, and what the reply must hold.

Every kind of judgement is a list of tasks; the engine in :mod:`core.judging.run` knows no kinds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.judging.fields import Field, object_schema
from core.judging.parse import Reading

LETTERS_A_TOKEN = 4
MESSAGE_OVERHEAD = 8


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message of the conversation: ``role`` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, kw_only=True)
class Task:
    """One judgement to ask for.

    ``kind`` names the table or the purpose ('scores'); ``key`` holds the columns that say what
    is judged, such as ``{"idea_id": "a1"}``; ``template`` names the prompt and its digest;
    ``fields`` are the reply's keys; ``to_row`` turns a reply's values into the table's columns
    (the values themselves where it is None); ``expected_tokens`` is a usual reply's length.
    """

    kind: str
    key: Mapping[str, Any]
    messages: tuple[Message, ...]
    fields: tuple[Field, ...]
    template: str
    repeat: int = 1
    to_row: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    expected_tokens: int = 150

    @cached_property
    def prompt_digest(self) -> str:
        """Digest of everything that is asked: the messages and the form of the reply."""
        asked = [[message.role, message.content] for message in self.messages]
        text = json.dumps([asked, self.schema()], ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @cached_property
    def prompt_tokens(self) -> int:
        """About how many tokens the messages are: a token for four bytes of UTF-8."""
        return sum(
            MESSAGE_OVERHEAD
            + -(-len(message.content.encode("utf-8", "replace")) // LETTERS_A_TOKEN)
            for message in self.messages
        )

    def schema(self, *, bounded: bool = True) -> dict[str, Any]:
        """The JSON schema of the reply."""
        return object_schema(self.fields, bounded=bounded)

    def row(self, *, judge: str, reading: Reading, call_id: str) -> dict[str, Any]:
        """The table's row. Where the state is not ok it has no marks, and ``reason`` says why."""
        return judged_row(
            self.key,
            judge=judge,
            repeat=self.repeat,
            reading=reading,
            call_id=call_id,
            to_row=self.to_row,
        )


def judged_row(
    key: Mapping[str, Any],
    *,
    judge: str,
    repeat: int,
    reading: Reading,
    call_id: str,
    to_row: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None,
) -> dict[str, Any]:
    """A table's row from how a reply was read."""
    marks: Mapping[str, Any] = {}
    if reading.values is not None:
        marks = to_row(reading.values) if to_row else reading.values
    columns = {"reason": reading.reason, **marks}
    return {
        **key,
        "judge": judge,
        "repeat": repeat,
        **{name: _writable(value) for name, value in columns.items()},
        "state": reading.state,
        "call_id": call_id,
    }


def _writable(value: Any) -> Any:
    """Text that a file can hold: a model may send half a surrogate pair."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def cache_key(model: str, parameters: Mapping[str, Any], prompt_digest: str, repeat: int) -> str:
    """What an answer is remembered by: model, parameters, prompt and number of the repeat."""
    return json.dumps([model, dict(sorted(parameters.items())), prompt_digest, repeat])
