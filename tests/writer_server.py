"""A local server of chat completions that writes by the form of reply that is asked for."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def written_by(text: str, schema: Mapping[str, Any]) -> str:
    """A reply of the asked form, whose words follow from what was asked."""
    mark = hashlib.sha256(text.encode()).hexdigest()[:8]
    return json.dumps(_written(schema, "reply", mark))


def _written(part: Mapping[str, Any], name: str, mark: str) -> Any:
    kind = part["type"]
    if kind == "object":
        return {key: _written(of, key, mark) for key, of in part["properties"].items()}
    if kind == "array" and part["items"]["type"] == "object":
        wanted = range(max(1, part.get("minItems", 1)))
        return [_written(part["items"], name, f"{mark}-{n}") for n in wanted]
    if kind == "array":
        words = ["sparse things", f"term {mark}"]
        return words + [f"more {n}" for n in range(len(words), part.get("minItems", 0))]
    if kind == "integer":
        return min(5, part.get("maximum", 5))
    if kind == "number":
        choices = part.get("enum") or [part["minimum"], part["maximum"]]
        return choices[int(mark, 16) % len(choices)]
    return f"A {name} on sparse attention, {mark}."


class WriterServer(ThreadingHTTPServer):
    """Speaks OpenAI's chat completions; ``asked`` counts requests, ``delay`` seconds each."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[dict[str, Any]] = []
        self.delay = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that is killed hangs up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: WriterServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            self.send_error(404)
            return
        self.server.bodies.append(body)
        time.sleep(self.server.delay)
        text = "\n".join(message["content"] for message in body["messages"])
        form = body["response_format"]["json_schema"]
        if form["name"] == "generate_vanilla":  # one prompt a topic, and no two replies alike
            text += str(len(self.server.bodies))
        reply = written_by(text, form["schema"])
        message = {"role": "assistant", "content": reply}
        told = {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": "served",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }
        data = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: Any) -> None:
        return None


@contextmanager
def serving() -> Iterator[WriterServer]:
    server = WriterServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def wait_until(done: Callable[[], bool], alive: Callable[[], bool], seconds: float = 60.0) -> None:
    """Until something is so; fails where the process that should bring it has ended."""
    until = time.monotonic() + seconds
    while not done():
        assert alive()
        assert time.monotonic() < until
        time.sleep(0.01)
