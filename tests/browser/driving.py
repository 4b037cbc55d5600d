"""What every test in a browser waits for."""

from __future__ import annotations

import re
from typing import Any

_QUIET = "!document.querySelector('[data-testid=stApp][data-test-script-state=running]')"


def settle(page: Any) -> None:
    """Wait until a title stands and the script rests; fails where an exception is shown."""
    page.wait_for_selector("h1, [data-testid=stException]")
    page.wait_for_function(_QUIET)
    assert page.locator("[data-testid=stException]").all_inner_texts() == []


def moved(page: Any, pattern: str, text: str | None = None) -> None:
    """Wait until the move of a control stands in the address, and until ``text`` is drawn.

    The address moves before the script runs: what is clicked next and must not be drawn anew, such
    as an open list, needs a text that only the new page holds.
    """
    page.wait_for_url(re.compile(pattern))
    if text is not None:
        page.get_by_text(text).first.wait_for()
    settle(page)


def choose(page: Any, control: str, option: str) -> None:
    """Choose in a list, opened again where a drawing that came late has closed it."""
    from playwright.sync_api import TimeoutError as Closed

    wanted = page.get_by_role("option", name=option, exact=True)
    for _ in range(20):
        page.get_by_role("combobox", name=control).click()
        try:
            wanted.click(timeout=5_000)
        except Closed:
            continue
        return
    raise AssertionError(f"the list {control!r} never held {option!r}")
