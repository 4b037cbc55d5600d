"""Studies to generate from, a model that writes by the form of reply, and a server of it."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from builders import table

from core.judging.client import Request
from core.study import Study

CUTOFF = date(2023, 6, 30)
TOPICS = ("graphs", "agents")


def paper(name: str, published: str | None, topic: str = "graphs", **more: Any) -> dict[str, Any]:
    """A paper whose title and abstract name it, so that a prompt that shows it can be told."""
    return {
        "paper_id": name,
        "title": f"Title of {name} on sparse things",
        "abstract": f"Abstract of {name}: sparse attention over {topic}.",
        "published": published,
        "topics": [topic],
        **more,
    }


def study_with_papers(folder: Path, *, per_topic: int = 4, **config: Any) -> Study:
    """Papers ``<topic>-<n>`` by the cutoff, and ``late-<topic>-<n>`` after it."""
    study = Study.create(folder, cutoff=CUTOFF, horizon_months=12, **config)
    rows = [
        paper(f"{late}{topic}-{n}", f"{year}-0{n + 1}-15", topic)
        for late, year in (("", 2023), ("late-", 2024))
        for topic in TOPICS
        for n in range(per_topic)
    ]
    return study.write("papers", table("papers", rows), suffix=".jsonl")


def written_by(text: str, schema: Mapping[str, Any]) -> str:
    """A reply of the asked form, whose words follow from what was asked."""
    mark = hashlib.sha256(text.encode()).hexdigest()[:8]
    values: dict[str, Any] = {}
    for name, part in schema["properties"].items():
        if part["type"] == "array":
            values[name] = ["sparse things", f"term {mark}"]
        elif part["type"] == "integer":
            values[name] = 5
        else:
            values[name] = f"A {name} on sparse attention, {mark}."
    return json.dumps(values)


def writer(request: Request) -> str:
    """For :class:`MockClient`: replies that differ with the prompt."""
    return written_by("\n".join(m.content for m in request.messages), request.schema)


def prompts(asked: list[Request]) -> str:
    """Everything that a client was asked, in one text."""
    return "\n".join(message.content for request in asked for message in request.messages)


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
        self.server.bodies.append(body)
        time.sleep(self.server.delay)
        text = "\n".join(message["content"] for message in body["messages"])
        reply = written_by(text, body["response_format"]["json_schema"]["schema"])
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
