"""Throughput of judging against a server that answers in 200 ms and takes 32 calls at once.

    python tests/benchmarks/bench_judging.py

The possible rate is 32 / 0.2 s = 160 calls a second. Printed beside it: plain calls through the
same client library with nothing kept or checked, and how long a resumed run of 10,000 takes to
find that nothing is missing.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

from core.judging.calls import CallsLog
from core.judging.client import OpenAIClient
from core.judging.limits import Limits
from core.judging.mock import MockClient
from core.judging.prompts import fence, load_template
from core.judging.report import Progress, RunReport
from core.judging.run import run
from core.judging.scores import FIELDS
from core.judging.task import Task

SECONDS = 0.2
AT_ONCE = 32
CALLS = AT_ONCE * 40
REPLY = {"novelty": 7, "feasibility": 6, "impact": 5, "overall": 8, "reason": "Plain. " * 20}
BODY = json.dumps(
    {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "served",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": json.dumps(REPLY)},
            }
        ],
        "usage": {"prompt_tokens": 600, "completion_tokens": 60, "total_tokens": 660},
    }
).encode()
HEAD = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n"


def serve(pipe: Connection) -> None:
    """Answer every POST after 200 ms, 32 at once; the others wait."""

    async def main() -> None:
        places = asyncio.Semaphore(AT_ONCE)

        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while True:
                try:
                    head = await reader.readuntil(b"\r\n\r\n")
                    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                    await reader.readexactly(length)
                except (asyncio.IncompleteReadError, ConnectionError):
                    writer.close()
                    return
                async with places:
                    await asyncio.sleep(SECONDS)
                writer.write(HEAD.encode() + BODY)

        server = await asyncio.start_server(handle, "127.0.0.1", 0, backlog=256)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def tasks(count: int) -> list[Task]:
    template = load_template("scores")
    return [
        Task(
            kind="scores",
            key={"idea_id": f"i{place}"},
            messages=template.messages(idea=fence("IDEA", f"Idea {place}. " + "A method. " * 80)),
            fields=FIELDS,
            template=template.version,
        )
        for place in range(count)
    ]


def judged(url: str, path: Path, concurrency: int) -> tuple[RunReport, float]:
    """The report, and calls a second after the first quarter (start-up left out)."""
    client = OpenAIClient(model="m", base_url=url)
    times: list[float] = []

    def progress(now: Progress) -> None:
        while len(times) < now.done:
            times.append(now.seconds)

    with CallsLog(path, scrub=client.scrub) as log:
        report = run(
            tasks(CALLS),
            client,
            log,
            parameters={"temperature": 0.7, "max_tokens": 500},
            limits=Limits(concurrency=concurrency),
            progress=progress,
        )
    quarter = CALLS // 4
    return report, (CALLS - quarter) / (times[-1] - times[quarter - 1])


def plain(url: str) -> float:
    """The same calls with the bare library; seconds."""
    import openai

    async def go() -> float:
        client = openai.AsyncOpenAI(api_key="none", base_url=url, max_retries=0)
        places = asyncio.Semaphore(AT_ONCE)

        async def one(task: Task) -> None:
            async with places:
                await client.chat.completions.create(
                    model="m",
                    messages=[{"role": "user", "content": m.content} for m in task.messages],
                )

        made = tasks(CALLS)
        start = time.perf_counter()
        await asyncio.gather(*map(one, made))
        seconds = time.perf_counter() - start
        await client.close()
        return seconds

    return asyncio.run(go())


def resumed(path: Path, count: int = 10_000) -> tuple[float, int]:
    """Seconds to open the log and find that nothing is missing, and the calls made."""
    made = tasks(count)
    with CallsLog(path) as log:
        run(made, MockClient(), log, limits=Limits(concurrency=AT_ONCE))
    made = tasks(count)
    start = time.perf_counter()
    with CallsLog(path) as log:
        report = run(made, MockClient(), log)
    return time.perf_counter() - start, report.calls


def main() -> None:
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ours.recv()}/v1"
    possible = AT_ONCE / SECONDS
    with tempfile.TemporaryDirectory() as folder:
        before = time.process_time()
        bare = CALLS / plain(url)
        used = (time.process_time() - before) / CALLS * 1000
        print(f"possible {possible:.0f} calls/s")
        print(
            f"bare library, {AT_ONCE} at once: {bare:.1f} calls/s, {bare / possible:.1%};"
            f" {used:.2f} ms of processor a call"
        )
        for concurrency in (AT_ONCE, AT_ONCE * 5 // 4):
            before = time.process_time()
            path = Path(folder) / f"{concurrency}.jsonl"
            report, steady = judged(url, path, concurrency)
            used = (time.process_time() - before) / CALLS * 1000
            rate = report.calls / report.seconds
            print(
                f"judging, {concurrency} at once: {rate:.1f} calls/s, {rate / possible:.1%};"
                f" once under way {steady:.1f}, {steady / possible:.1%};"
                f" {used:.2f} ms of processor a call; {report.ok} of {CALLS} ok"
            )
        seconds, calls = resumed(Path(folder) / "resumed.jsonl")
    server.terminate()
    print(f"resume of 10,000: {seconds:.2f} s, {calls} calls")


if __name__ == "__main__":
    main()
