"""From an empty folder to matched ideas by the page alone, with real uploads, in Chromium."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import study_folder

from core.study import Study

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-background-networking"]
ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium on this machine"),
]
_QUIET = "!document.querySelector('[data-testid=stApp][data-test-script-state=running]')"
IDEAS = b"""id,model,research question,approach
a1,sys,How can graphs be pruned?,Learn a mask over edges
a2,sys,How can models forget?,Edit the weights
"""
PAPERS = b"""{"paperId": "p1", "title": "Pruning graphs", "abstract": "A mask over edges.", "publicationDate": "2024-02-01", "venue": "ICLR", "citationCount": 3}
{"paperId": "p2", "title": "Unlearning", "abstract": "Weights are edited.", "publicationDate": "2024-03-01", "venue": "ACL", "citationCount": 5}
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """``foreseen open`` on one small study, from its folder."""
    study_folder(tmp_path / "small", n=2)
    with socket.create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from core.cli import main; main()", "open", "small"]
    server = subprocess.Popen(
        [*command, f"--server.port={port}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        assert f"http://localhost:{port}/" in server.stdout.readline()
        yield f"http://localhost:{port}", tmp_path
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=30)
        assert "Traceback" not in errors
    finally:
        server.kill()
        server.wait()


def settle(page: Any) -> None:
    page.wait_for_selector("h1, [data-testid=stException]")
    page.wait_for_timeout(300)
    page.wait_for_function(_QUIET)
    assert page.locator("[data-testid=stException]").all_inner_texts() == []


def upload(page: Any, name: str, data: bytes) -> None:
    page.locator("input[type=file]").first.set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": data}
    )
    page.get_by_text("What would be written").wait_for()
    settle(page)


def shot(page: Any, name: str) -> None:
    if folder := os.environ.get("FORESEEN_SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png")


def test_from_an_empty_folder_to_matched_ideas(served: tuple[str, Path]) -> None:
    from playwright.sync_api import sync_playwright

    address, folder = served
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        page = chromium.new_context(viewport={"width": 1280, "height": 2000}).new_page()
        page.set_default_timeout(120_000)
        page.goto(f"{address}/bring?bring_part=New+study")
        settle(page)
        page.get_by_label("Name of the study and its folder").fill("mine")
        page.keyboard.press("Enter")
        for part, digits in (("year", "2023"), ("month", "06"), ("day", "30")):
            page.get_by_role("spinbutton", name=f"{part}, Cutoff").press_sequentially(digits)
        page.keyboard.press("Escape")
        page.locator("h1").click()
        settle(page)
        shot(page, "new")
        page.get_by_text("Its window runs from the day after 2023-06-30").wait_for()
        assert not (folder / "mine").exists()
        page.get_by_role("button", name="Make this study").click()
        page.wait_for_function("location.search.includes('study=mine')")
        settle(page)

        upload(page, "ideas.csv", IDEAS)
        shot(page, "tables")
        assert [path.name for path in (folder / "mine").iterdir()] == ["study.toml"]
        page.set_viewport_size({"width": 400, "height": 2600})
        settle(page)
        shot(page, "tables_400")
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 400
        page.set_viewport_size({"width": 1280, "height": 2000})
        page.get_by_role("button", name="Write ideas").click()
        page.get_by_text("Written.").wait_for()
        settle(page)
        assert len(Study.open(folder / "mine").ideas) == 2

        page.goto(f"{address}/bring?study=mine&bring_table=papers&bring_part=Tables")
        settle(page)
        upload(page, "papers.jsonl", PAPERS)
        page.get_by_role("button", name="Write papers").click()
        page.get_by_text("Written.").wait_for()
        page.get_by_role("link", name="Overview", exact=True).first.click()
        page.get_by_text("has not been matched yet").wait_for()
        page.get_by_role("link", name="Match it on the page").click()
        page.get_by_role("button", name="Start matching").wait_for()
        settle(page)
        shot(page, "before_match")
        page.get_by_role("button", name="Start matching").click()
        page.get_by_role("button", name="Stop").wait_for()
        page.get_by_role("link", name="Data", exact=True).first.click()
        page.get_by_text("What is loaded").wait_for()
        page.get_by_role("link", name="Bring your own").first.click()
        settle(page)
        shot(page, "running")
        page.get_by_text("candidates stored").or_(page.get_by_text("4 candidates")).first.wait_for()
        settle(page)
        shot(page, "matched")
        page.set_viewport_size({"width": 400, "height": 2600})
        settle(page)
        shot(page, "matched_400")
        chromium.close()
    study = Study.open(folder / "mine")
    assert study.candidates is not None
    assert len(study.candidates) == 4
