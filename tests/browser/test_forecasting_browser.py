"""Forecasts in a real browser: both bundled studies open, and the address holds the view."""

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

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-background-networking"]
ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium on this machine"),
]
_QUIET = "!document.querySelector('[data-testid=stApp][data-test-script-state=running]')"
_WIDER = "(() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth - m.clientWidth })()"
STUDY = "study=Demo+forecasts+(simulated)"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """``foreseen open`` without a study, on a free port."""
    with socket.create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from core.cli import main; main()", "open"]
    server = subprocess.Popen(
        [*command, f"--server.port={port}"],
        cwd=tmp_path_factory.mktemp("elsewhere"),
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


def test_the_first_study_points_to_the_second(page: Any, address: str) -> None:
    page.goto(f"{address}/forecasting")
    settle(page)
    assert page.locator("h1").inner_text() == "This study holds no forecasts"
    page.get_by_role("button", name="Open Demo forecasts").click()
    page.wait_for_url(re.compile("study=Demo"))
    page.get_by_role("heading", name="Summary foresaw more").wait_for()
    settle(page)


def test_every_move_stands_in_the_address_and_a_link_brings_it_back(
    page: Any, address: str
) -> None:
    page.goto(f"{address}/forecasting?{STUDY}&gate_s=3")
    settle(page)
    page.get_by_text("strict-judge", exact=True).first.click()
    page.wait_for_url(re.compile("verdict_judge=strict-judge"))
    page.get_by_text("MRR", exact=True).first.click()
    page.wait_for_url(re.compile("forecast_metric=MRR"))
    page.get_by_role("tab", name="Failures").click()
    page.wait_for_url(re.compile("forecast_part=Failures"))
    page.get_by_role("button", name="Next").click()
    page.wait_for_url(re.compile("episode="))
    settle(page)
    shared, title = page.url, page.locator("h1").inner_text()
    assert "gate_s=3" in shared
    page.goto(f"{address}/")
    settle(page)
    page.goto(shared)
    settle(page)
    assert page.locator("h1").inner_text() == title
    assert "Under strict-judge, MRR" in page.locator("[data-testid=stMain]").inner_text()
    assert page.get_by_role("tab", name="Failures").get_attribute("aria-selected") == "true"
    assert page.url == shared


def test_a_forecast_opens_as_an_idea(page: Any, address: str) -> None:
    page.goto(f"{address}/forecasting?{STUDY}&episode=summary+/+LLM+Agents+/+2024-09-30")
    settle(page)
    page.get_by_role("link", name="Open it as an idea").first.click()
    page.wait_for_url(re.compile(r"/ideas\?.*idea=su-"))
    settle(page)


@pytest.mark.parametrize("part", ["Cutoffs", "Topics", "Failures", "Judges", "Behind+the+rate"])
def test_nothing_runs_over_a_narrow_screen(page: Any, address: str, part: str) -> None:
    page.set_viewport_size({"width": 400, "height": 900})
    page.goto(f"{address}/forecasting?{STUDY}&forecast_part={part}")
    settle(page)
    assert page.evaluate(_WIDER) <= 0
