"""A judge that asks nobody: for trying things out, for tests and for demonstrations."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.judging.client import Answer, Request
from core.judging.task import LETTERS_A_TOKEN


def middle_reply(request: Request) -> str:
    """The middle of every range, the first of every choice, and a reason that says so."""
    return json.dumps({n: _value(s) for n, s in dict(request.schema)["properties"].items()})


def _value(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "integer":
        return (schema["minimum"] + schema["maximum"]) // 2
    if schema["type"] == "number":
        return (schema["minimum"] + schema["maximum"]) / 2
    if schema["type"] == "array":
        return [_value(schema["items"])] * schema.get("minItems", 1)
    if schema["type"] == "object":
        return {name: _value(part) for name, part in schema["properties"].items()}
    return "Written by a mock model, which read nothing."


@dataclass
class MockClient:
    """Answers by a function of the request: a text, an :class:`Answer`, or a raised CallError.

    ``asked`` keeps every request; ``delay`` is a wait in seconds before each answer.
    """

    model: str = "mock"
    reply: Callable[[Request], str | Answer] = middle_reply
    delay: float = 0.0
    base_url: str | None = None
    asked: list[Request] = field(default_factory=list)

    async def send(self, request: Request) -> Answer:
        self.asked.append(request)
        await asyncio.sleep(self.delay)
        reply = self.reply(request)
        if isinstance(reply, Answer):
            return reply
        letters = sum(len(message.content) for message in request.messages)
        return Answer(
            text=reply,
            mode="json_schema",
            finish_reason="stop",
            served_model=self.model,
            tokens_in=letters // LETTERS_A_TOKEN,
            tokens_out=len(reply) // LETTERS_A_TOKEN,
        )

    async def close(self) -> None:
        return None

    def scrub(self, text: str) -> str:
        return text
