"""Any OpenAI-compatible endpoint, one try at a time.

What a server can do is learned: JSON schema, else the schema without lengths and ranges, else
JSON mode, else plain text; the form that worked is kept and named with every answer. Retries are
:mod:`core.retry`'s. No error that leaves here holds a request, a header or the key.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from core.config import JUDGE_TIMEOUT
from core.errors import UsageError
from core.judging.task import Message
from core.keys import KEY_VARIABLES, SECRETS, ApiKey, public_url, scrub
from core.retry import CallError, retry_after

Mode = Literal["json_schema", "json_schema_bare", "json_object", "text"]
MODES: tuple[Mode, ...] = ("json_schema", "json_schema_bare", "json_object", "text")
OPENAI_URL = "https://api.openai.com/v1"
RETRIED_STATUSES = frozenset({408, 409, 425, 429})
HOPELESS_STATUSES = frozenset({401, 402, 403, 404})
_FORM_REFUSED = frozenset({400, 404, 415, 422, 501})
_NO_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "exceeded your current quota")
_NO_KEY = "no-key"


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked, before the client has chosen the form of the reply."""

    messages: tuple[Message, ...]
    parameters: Mapping[str, Any]
    schema_name: str
    schema: Mapping[str, Any]
    bare_schema: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back. ``problem`` says why there is no ``text``, with the body in ``raw``."""

    text: str | None
    mode: Mode = "text"
    response_format: Mapping[str, Any] | None = None
    reasoning: str | None = None
    refusal: str | None = None
    finish_reason: str | None = None
    served_model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    raw: str | None = None
    problem: str | None = None


class ChatClient(Protocol):
    """Whoever answers: an endpoint, or a stand-in such as :mod:`core.judging.mock`."""

    @property
    def model(self) -> str: ...

    @property
    def base_url(self) -> str | None: ...

    async def send(self, request: Request) -> Answer:
        """One try; raises :class:`CallError`."""

    async def close(self) -> None: ...

    def scrub(self, text: str) -> str:
        """The text without any secret that this client knows."""


@dataclass
class OpenAIClient:
    """An endpoint that speaks OpenAI's chat completions: OpenAI, vLLM, Ollama, llama.cpp, …

    ``base_url`` is that of OPENAI_BASE_URL, else OpenAI's, where it is None. Raises
    :class:`UsageError` where OpenAI itself is meant and there is no key.
    """

    model: str
    base_url: str | None = None
    key: ApiKey | None = None
    timeout: float = JUDGE_TIMEOUT
    _url: str = field(init=False, repr=False)
    _mode: Mode = field(default=MODES[0], init=False, repr=False)
    _limit_name: str = field(default="max_tokens", init=False, repr=False)
    _client: Any = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self._url = self.base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
        if not self._url.startswith(("http://", "https://")):
            raise UsageError(
                f"--base-url must begin with http:// or https:// (given: {public_url(self._url)})"
            )
        self.base_url = public_url(self._url)
        if self.key is None and self.base_url.rstrip("/") == OPENAI_URL:
            raise UsageError(
                f"{OPENAI_URL} needs a key. Set {' or '.join(KEY_VARIABLES)}, or write"
                f" [openai] api_key in {SECRETS}; for a local server name its --base-url."
            )

    def scrub(self, text: str) -> str:
        if self.key is not None:
            text = self.key.scrub(text)
        if self._url != self.base_url:
            text = text.replace(self._url, str(self.base_url))
        return text

    async def send(self, request: Request) -> Answer:
        """One try, in the richest form of reply that the server takes."""
        first = MODES.index(self._mode)
        for mode in MODES[first:]:
            form = response_format(mode, request)
            outcome = await self._post(request, form)
            if isinstance(outcome, CallError):
                if mode != MODES[-1] and outcome.status in _FORM_REFUSED:
                    continue
                raise outcome
            if MODES.index(mode) > MODES.index(self._mode):
                self._mode = mode
            return read_body(outcome, mode, form)
        raise AssertionError("the last form of reply either answers or raises")

    async def close(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    async def _post(self, request: Request, form: Mapping[str, Any] | None) -> str | CallError:
        """The body of a reply, or the error; never with the original exception attached."""
        for _ in range(2):
            parameters = dict(request.parameters)
            if "max_tokens" in parameters:
                parameters[self._limit_name] = parameters.pop("max_tokens")
            outcome = await self._post_once(request, parameters, form)
            if (
                isinstance(outcome, CallError)
                and outcome.status == 400
                and self._limit_name == "max_tokens"
                and "max_completion_tokens" in outcome.reason
            ):
                self._limit_name = "max_completion_tokens"
                continue
            break
        return outcome

    async def _post_once(
        self, request: Request, parameters: Mapping[str, Any], form: Mapping[str, Any] | None
    ) -> str | CallError:
        import openai

        if self._client is None:
            self._client = openai.AsyncOpenAI(
                api_key=self.key.reveal() if self.key else _NO_KEY,
                base_url=self._url,
                max_retries=0,
                timeout=openai.Timeout(self.timeout, connect=min(10.0, self.timeout)),
            )
        body: dict[str, Any] = {
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            **parameters,
            **({} if form is None else {"response_format": form}),
        }
        try:
            # As extra_body the request is sent as it is: the library neither refuses parameters
            # that only some servers know, nor spends a third of its time on typing them.
            response = await self._client.chat.completions.with_raw_response.create(
                model=self.model, messages=[], extra_body=body
            )
            return str(response.text)
        except openai.APITimeoutError:
            return CallError(f"no reply within {self.timeout:g} s", retry=True)
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            return CallError(
                self._clean(f"no connection to {self.base_url}: {type(cause).__name__}: {cause}"),
                retry=True,
            )
        except openai.APIStatusError as error:
            return self._of_status(error.status_code, error.response.text, error.response.headers)
        except Exception as error:
            return CallError(self._clean(f"{type(error).__name__}: {error}"))

    def _of_status(self, status: int, body: str, headers: Mapping[str, str]) -> CallError:
        said = self._clean(_message(body))
        quota = status == 429 and any(word in body for word in _NO_QUOTA)
        hint = ""
        if status in (401, 403):
            where = self.key.source if self.key else "none is set"
            hint = f" (key: {where})"
        elif status == 404:
            hint = f" (is the address right? {self.base_url}; most end in /v1)"
        return CallError(
            f"the server answered {status}: {said}{hint}",
            status=status,
            retry=not quota and (status in RETRIED_STATUSES or status >= 500) and status != 501,
            hopeless=quota or status in HOPELESS_STATUSES,
            after=retry_after(headers, datetime.now(UTC)),
        )

    def _clean(self, text: str) -> str:
        return scrub(self.scrub(" ".join(text.split())), self.key)[:400]


def response_format(mode: Mode, request: Request) -> dict[str, Any] | None:
    """The request's ``response_format`` in this mode."""
    if mode == "text":
        return None
    if mode == "json_object":
        return {"type": "json_object"}
    schema = request.schema if mode == "json_schema" else request.bare_schema
    return {
        "type": "json_schema",
        "json_schema": {"name": request.schema_name, "strict": True, "schema": dict(schema)},
    }


def read_body(body: str, mode: Mode, form: Mapping[str, Any] | None) -> Answer:
    """The answer in a body of status 200; raises :class:`CallError` where it is an error's."""
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        raise CallError(f"the server's body is not JSON: {body[:80]!r}", retry=True) from None
    if isinstance(reply, dict) and reply.get("error") and not reply.get("choices"):
        raise CallError(f"the server answered with an error: {_message(body)}", retry=True)
    choices = reply.get("choices") if isinstance(reply, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    counted = reply.get("usage") if isinstance(reply, dict) else None
    counted = counted if isinstance(counted, dict) else {}
    served = reply.get("model") if isinstance(reply, dict) else None
    tokens_in, tokens_out = (_count(counted.get(n)) for n in ("prompt_tokens", "completion_tokens"))
    served = served if isinstance(served, str) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return Answer(
            text=None,
            mode=mode,
            response_format=form,
            served_model=served,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            raw=body,
            problem="the server's reply holds no choices",
        )
    text = _content(message.get("content"))
    return Answer(
        text=text,
        mode=mode,
        response_format=form,
        reasoning=_text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        refusal=_text(message.get("refusal")),
        finish_reason=_text(choice.get("finish_reason")),
        served_model=served,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        raw=body if text is None else None,
    )


def _message(body: str) -> str:
    """A server's error in words, wherever it put them."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return body.strip()[:300] or "no reason given"
    for name in ("error", "message", "detail"):
        if isinstance(value, dict) and value.get(name):
            value = value[name]
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))[:300]


def _content(content: object) -> str | None:
    """A message's text; some servers send it in parts."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(text for text in texts if isinstance(text, str))
    return _text(content)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
