"""Marking in a real browser: the address holds the view, marks reach the disk, figures follow."""

from __future__ import annotations

import os
import re
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
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium on this machine"),
]
_QUIET = "!document.querySelector('[data-testid=stApp][data-test-script-state=running]')"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return study_folder(tmp_path_factory.mktemp("marked") / "small")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """``foreseen open`` on a study of its own, on a free port."""
    with socket.create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from core.cli import main; main()", "open", str(folder)]
    server = subprocess.Popen(
        [*command, f"--server.port={port}"],
        cwd=folder.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        assert f"http://localhost:{port}/" in server.stdout.readline()
        yield f"http://localhost:{port}"
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=20)
        assert "Traceback" not in errors
    finally:
        server.kill()
        server.wait()


@pytest.fixture
def page() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        page = chromium.new_page(viewport={"width": 1280, "height": 1000})
        page.set_default_timeout(60_000)
        yield page
        chromium.close()


def settle(page: Any) -> None:
    page.wait_for_selector("h1")
    page.wait_for_function(_QUIET)
    assert page.locator("[data-testid=stException]").count() == 0


def test_moving_a_control_moves_the_address(page: Any, address: str) -> None:
    page.goto(f"{address}/judges")
    settle(page)
    page.get_by_text("Bland–Altman", exact=True).click()
    page.wait_for_url(re.compile("judge_plot=Bland"))
    page.get_by_role("tab", name="Repeats").click()
    page.wait_for_url(re.compile("judges_part=Repeats"))
    page.get_by_role("combobox", name="Compare").click()
    page.get_by_role("option", name="feasibility").click()
    page.wait_for_url(re.compile("on=feasibility"))
    shared = page.url
    page.goto(shared)
    settle(page)
    assert "marks for feasibility" in page.locator("h1").inner_text()
    assert page.get_by_text("How far a judge's repeats lie apart").is_visible()
    assert page.get_by_text("How far their marks lie apart").is_visible()


def test_a_person_marks_and_the_figures_follow(page: Any, address: str, folder: Path) -> None:
    page.goto(f"{address}/judges?judges_part=Mark")
    settle(page)
    page.get_by_label("Your name").fill("Zoë")
    page.get_by_label("Your name").press("Enter")
    page.get_by_text("Zoë (person)").first.wait_for()
    settle(page)
    for label, mark in (
        ("Novelty", 3),
        ("Feasibility", 8),
        ("Expected impact", 4),
        ("Overall", 10),
    ):
        group = page.locator("[data-testid=stButtonGroup]", has_text=f"{label}, 1 to 10")
        group.get_by_text(str(mark), exact=True).click()
    page.get_by_label("Reason").fill("Seen before.")
    page.get_by_role("button", name="Save and go on").click()
    page.get_by_text("has marked 1 of").wait_for()
    settle(page)
    scores = Study.open(folder).scores
    row = scores[scores["judge"] == "Zoë (person)"].iloc[0]
    marks = [row[name] for name in ("novelty", "feasibility", "impact", "overall")]
    assert marks == [3, 8, 4, 10]
    assert row["reason"] == "Seen before."
    assert page.get_by_text("Who judged what: 3 judges").is_visible()
    assert page.get_by_role("combobox", name="Judges").is_visible()
