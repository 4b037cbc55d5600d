"""A headless Chromium for the tests of a module, and a page of its own for each.

Tests that ask for it skip where there is no Chromium, unless FORESEEN_REQUIRE_BROWSER says that it
must be there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-background-networking"]
# Opened below the root, Streamlit's page looks for its server under each part of the path first.
_STREAMLITS_OWN = re.compile(r"/\w+/_stcore/")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The running Chromium; ended with the module, as Playwright's event loop runs in this thread
    until then and no other can."""
    if not CHROMIUM.exists():
        message = f"no Chromium at {CHROMIUM}"
        if os.environ.get("FORESEEN_REQUIRE_BROWSER"):
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page whose console must stay free of errors, and which calls nothing but the server."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000}, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(120_000)
    troubles: list[str] = []

    def heard(message: Any) -> None:
        if message.type == "error" and not _STREAMLITS_OWN.search(message.location["url"]):
            troubles.append(f"{message.text} ({message.location['url']})")

    def asked(request: Any) -> None:
        if not request.url.startswith(("http://localhost", "data:", "blob:", "ws://localhost")):
            troubles.append(f"asked for {request.url}")

    page.on("console", heard)
    page.on("request", asked)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    yield page
    context.close()
    assert troubles == []
