"""``foreseen`` in a process of its own, as users start it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def start(*words: object, cwd: Path = ROOT) -> subprocess.Popen[str]:
    """The running command; its output and its errors are kept for whoever ends it."""
    return subprocess.Popen(
        [sys.executable, "-c", "from core.cli import main; main()", *map(str, words)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def wait_for_calls(
    process: subprocess.Popen[str], log: Path, count: int, *, wait: float = 60.0
) -> None:
    """Until the log of calls holds so many lines; fails where the process ends first."""
    until = time.monotonic() + wait
    while not log.exists() or log.read_bytes().count(b"\n") < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.01)


def kill_after_calls(
    process: subprocess.Popen[str], log: Path, count: int, *, wait: float = 60.0
) -> None:
    """SIGKILL as soon as the log of calls holds so many lines."""
    try:
        wait_for_calls(process, log, count, wait=wait)
    finally:
        process.kill()
        process.communicate()


def finish(process: subprocess.Popen[str], *, wait: float = 60.0) -> str:
    """What the command wrote, once it has ended well."""
    output, errors = process.communicate(timeout=wait)
    assert process.returncode == 0, errors
    return output


@contextmanager
def opened(cwd: Path, *words: object) -> Iterator[str]:
    """The address of ``foreseen open`` on a free port; it must end on Ctrl-C without a trace."""
    with socket.create_server(("localhost", 0)) as free:
        address = f"http://localhost:{free.getsockname()[1]}"
    server = start("open", *words, f"--server.port={address.rpartition(':')[2]}", cwd=cwd)
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        assert f"{address}/" in line, line or server.communicate()
        yield address
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=60)
        assert "Traceback" not in errors
    finally:
        server.kill()
        server.communicate()
