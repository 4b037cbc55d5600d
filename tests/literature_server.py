"""A local server that speaks as Semantic Scholar, OpenAlex, arXiv and OpenReview do, faults too."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit


@dataclass
class Fault:
    """An answer in place of the real one; ``cut`` ends it in the middle of its body, by a close
    of the connection or by a reset."""

    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: Literal["close", "reset"] | None = None


@dataclass
class Literature:
    """What the server holds; ``faults`` are given out before real answers, in order. ``before``
    is called with the number of each request before it is answered."""

    records: list[dict[str, Any]]
    per_page: int = 2
    faults: list[Fault | None] = field(default_factory=list)
    asked: list[tuple[str, dict[str, str], dict[str, str]]] = field(default_factory=list)
    url: str = ""
    before: Callable[[int], None] | None = None

    def answer(self, path: str, query: dict[str, str]) -> Fault:
        if path.endswith("/paper/search/bulk"):
            at = int(query.get("token", "t0")[1:])
            more = at + self.per_page < len(self.records)
            value: dict[str, Any] = {
                "total": len(self.records),
                "token": f"t{at + self.per_page}" if more else None,
            }
            if self.records:
                value["data"] = self.records[at : at + self.per_page]
            return Fault(body=json.dumps(value))
        if path.endswith("/works"):
            cursor = query["cursor"]
            at = 0 if cursor == "*" else int(cursor[1:])
            part = self.records[at : at + self.per_page]
            # The last cursor leads to an empty page, as there.
            following = f"c{at + self.per_page}" if part else None
            meta = {"count": len(self.records), "next_cursor": following}
            return Fault(body=json.dumps({"meta": meta, "results": part}))
        if path.endswith("/notes"):
            at = int(query["offset"])
            part = self.records[at : at + self.per_page]
            return Fault(body=json.dumps({"notes": part, "count": len(self.records)}))
        at = int(query["start"])
        return Fault(body=feed(self.records[at : at + self.per_page], len(self.records)))


def feed(records: list[dict[str, Any]], total: int) -> str:
    """Atom as the arXiv API writes it."""
    entries = "".join(
        f"<entry><id>http://arxiv.org/abs/{r['id']}</id><published>{r['published']}</published>"
        f"<updated>{r['updated']}</updated><title>{r['title']}</title>"
        f"<summary>{r['summary']}</summary><author><name>A. Author</name></author>"
        '<category term="cs.CL"/></entry>'
        for r in records
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"'
        ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
        f"<opensearch:totalResults>{total}</opensearch:totalResults>{entries}</feed>"
    )


@contextmanager
def serve(library: Literature) -> Iterator[Literature]:
    """The library at ``library.url`` until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
            library.asked.append((parts.path, query, dict(self.headers)))
            if library.before is not None:
                library.before(len(library.asked))
            fault = library.faults.pop(0) if library.faults else None
            answer = fault or library.answer(parts.path, query)
            body = answer.body.encode()
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if answer.cut else body)
            if answer.cut == "reset":
                self.wfile.flush()
                now = struct.pack("ii", 1, 0)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
                self.connection.close()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    library.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield library
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
