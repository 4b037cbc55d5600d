"""How long until the first page stands, against a bare Streamlit page, in one run.

``python tests/benchmarks/bench_cold_start.py [STUDY] [--rounds 5]``: both are started anew in
turn; the time runs from the start of the process to the title's being visible in a headless
Chromium that is open already. Prints medians and their ratio (aim: at most 1.3).
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BARE = 'import streamlit as st\nst.title("Bare")\nst.write("One page.")\n'
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-background-networking"]


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("study", nargs="?", default=str(ROOT / "data" / "demo"))
    words.add_argument("--rounds", type=int, default=5)
    given = words.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        bare = Path(place) / "bare.py"
        bare.write_text(BARE)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(given.rounds + 1):
            theirs.append(start(browser, bare_command(bare)))
            ours.append(start(browser, own_command(given.study)))
        browser.close()
    # The first round fills the disk's cache and counts for neither.
    bare_median, own_median = statistics.median(theirs[1:]), statistics.median(ours[1:])
    print(f"bare Streamlit page   {bare_median:.2f} s   (all: {listed(theirs[1:])})")
    print(f"Foreseen's first page {own_median:.2f} s   (all: {listed(ours[1:])})")
    print(f"ratio                 {own_median / bare_median:.2f}     (aim: at most 1.3)")


def bare_command(script: Path) -> list[str]:
    """Plain Streamlit on a page with a title."""
    quiet = ["--browser.gatherUsageStats=false", "--server.headless=true"]
    return [sys.executable, "-m", "streamlit", "run", str(script), *quiet]


def own_command(study: str) -> list[str]:
    """What a user types."""
    return [
        str(Path(sys.executable).with_name("foreseen")),
        "open",
        study,
        "--server.headless=true",
    ]


def start(browser: Any, command: list[str]) -> float:
    """Seconds from the start of the process to the title; the server is ended afterwards."""
    with socket.create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    page = browser.new_page()
    began = time.perf_counter()
    server = subprocess.Popen(
        [*command, f"--server.port={port}", "--server.address=localhost"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not listening(port):
            time.sleep(0.01)
        page.goto(f"http://localhost:{port}/", wait_until="commit")
        page.wait_for_selector("h1", timeout=60_000)
        return time.perf_counter() - began
    finally:
        page.close()
        server.send_signal(signal.SIGINT)
        server.wait(timeout=20)


def listening(port: int) -> bool:
    """Whether somebody answers at the port."""
    with socket.socket() as client:
        return client.connect_ex(("localhost", port)) == 0


def listed(seconds: list[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in seconds)


if __name__ == "__main__":
    main()
