"""A local server that misbehaves on purpose: what it does is read from the idea's text.

An idea that holds ``behave: NAME`` gets that treatment; every other one a valid reply. Requests
are counted by idea, so that a test can say what was asked, and how often.
"""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MARKS = {"novelty": 7, "feasibility": 6, "impact": 5, "overall": 8, "reason": "plain"}
_BEHAVE = re.compile(r"behave: (\S+)")
_NAME = re.compile(r"Idea (\w+)")
Behaviour = Callable[["Handler", int], None]


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.asked: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.release = threading.Event()
        self.delay = 0.0
        self.refused_forms: tuple[str, ...] = ()
        self.at_once = 0
        self.most_at_once = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of the game."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = body["messages"][-1]["content"]
        name = _NAME.search(text)
        behave = _BEHAVE.search(text)
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.keys.append(self.headers.get("Authorization"))
            self.server.at_once += 1
            self.server.most_at_once = max(self.server.most_at_once, self.server.at_once)
            key = name[1] if name else "?"
            self.server.asked[key] += 1
            turn = self.server.asked[key]
        try:
            form = body.get("response_format", {}).get("type", "text")
            if form in self.server.refused_forms:
                return self.error(400, f"response_format {form} is not supported")
            time.sleep(self.server.delay)
            BEHAVIOURS[behave[1] if behave else "well"](self, turn)
        finally:
            with self.server.lock:
                self.server.at_once -= 1

    def log_message(self, *args: Any) -> None:
        return None

    def raw(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def error(self, status: int, message: str, **headers: str) -> None:
        self.raw(status, json.dumps({"error": {"message": message}}).encode(), **headers)

    def say(self, content: str | None, *, finish: str = "stop", **message: Any) -> None:
        choice = {
            "index": 0,
            "finish_reason": finish,
            "message": {"role": "assistant", "content": content, **message},
        }
        self.raw(
            200,
            json.dumps(
                {
                    "id": "x",
                    "object": "chat.completion",
                    "created": 0,
                    "model": "served",
                    "choices": [choice],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
                }
            ).encode(),
        )

    def reset(self) -> None:
        """Close with RST: the client sees a broken connection."""
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True
        self.connection.close()


def well(handler: Handler, turn: int) -> None:
    handler.say(json.dumps(MARKS))


def first(misbehave: Callable[[Handler], None]) -> Behaviour:
    """Misbehave at the first try only."""
    return lambda handler, turn: misbehave(handler) if turn == 1 else well(handler, turn)


def says(content: str | None, **more: Any) -> Behaviour:
    return lambda handler, turn: handler.say(content, **more)


def empty_choices(handler: Handler, turn: int) -> None:
    handler.raw(200, json.dumps({"id": "x", "choices": [], "model": "served"}).encode())


def hang(handler: Handler, turn: int) -> None:
    handler.server.release.wait(30)
    handler.close_connection = True


def half_body(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"id": "x", "choices": [{"mess')
    handler.wfile.flush()
    handler.close_connection = True


def echo_key(handler: Handler, turn: int) -> None:
    sent = handler.headers.get("Authorization", "").removeprefix("Bearer ")
    handler.error(401, f"Incorrect API key provided: {sent}")


def echo_key_in_reply(handler: Handler, turn: int) -> None:
    sent = handler.headers.get("Authorization", "").removeprefix("Bearer ")
    handler.say(json.dumps({**MARKS, "reason": f"your key is {sent}"}))


def _with(**marks: Any) -> str:
    return json.dumps({**MARKS, **marks})


BEHAVIOURS: dict[str, Behaviour] = {
    "well": well,
    "429": first(lambda h: h.error(429, "slow down")),
    "429-after": first(lambda h: h.error(429, "slow down", Retry_After="7")),
    "429-date": first(lambda h: h.error(429, "slow down", Retry_After="Wed, 01 Jan 2025 00:00:30 GMT")),
    "429-always": lambda h, _: h.error(429, "slow down"),
    "429-tomorrow": lambda h, _: h.error(429, "slow down", Retry_After="86400"),
    "no-quota": lambda h, _: h.error(429, "You exceeded your current quota"),
    "500": first(lambda h: h.error(500, "oops")),
    "503-always": lambda h, _: h.error(503, "overloaded"),
    "400": lambda h, _: h.error(400, "context length exceeded"),
    "401": echo_key,
    "404": lambda h, _: h.error(404, "no such model"),
    "hang": hang,
    "reset": first(Handler.reset),
    "half-body": first(half_body),
    "not-json": first(lambda h: h.raw(200, b"<html>gateway</html>")),
    "error-200": first(lambda h: h.raw(200, b'{"error": {"message": "upstream", "code": 502}}')),
    "half-json": says('{"novelty": 7, "feasibility": 6, "impact'),
    "wrong-type": says(_with(novelty="7")),
    "boolean": says(_with(novelty=True)),
    "fraction": says(_with(novelty=7.5)),
    "out-of-range": says(_with(overall=11)),
    "missing-key": says(json.dumps({k: v for k, v in MARKS.items() if k != "impact"})),
    "extra-key": says(_with(bonus=3)),
    "duplicate-key": says('{"novelty": 1, "novelty": 10, "feasibility": 6, "impact": 5, "overall": 8, "reason": "x"}'),
    "cut-off": says(json.dumps(MARKS), finish="length"),
    "empty": says(""),
    "null": says(None),
    "empty-choices": empty_choices,
    "refusal-field": says(None, refusal="I will not rate this."),
    "refusal-phrase": says("I'm sorry, but I can't help with that request."),
    "filtered": says("", finish="content_filter"),
    "wrapped": says("Here you are:\n```json\n" + json.dumps(MARKS) + "\n```\nGood luck."),
    "thinking": says('<think>maybe {"novelty": 1}</think>' + json.dumps(MARKS)),
    "key-in-reply": echo_key_in_reply,
}  # fmt: skip


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.release.set()
        server.shutdown()
        server.server_close()
        thread.join()
