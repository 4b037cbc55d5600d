"""From an empty folder to matched ideas by the page alone, with real uploads, in Chromium."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import study_folder
from command_process import opened
from driving import settle

from core.study import Study

pytestmark = [pytest.mark.browser, pytest.mark.slow]
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
    with opened(tmp_path, "small") as address:
        yield address, tmp_path


def upload(page: Any, name: str, data: bytes) -> None:
    page.locator("input[type=file]").first.set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": data}
    )
    page.get_by_text("What would be written").wait_for()
    settle(page)


def shot(page: Any, name: str) -> None:
    if folder := os.environ.get("FORESEEN_SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png")


def test_from_an_empty_folder_to_matched_ideas(served: tuple[str, Path], page: Any) -> None:
    address, folder = served
    page.set_viewport_size({"width": 1280, "height": 2000})
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
    study = Study.open(folder / "mine")
    assert study.candidates is not None
    assert len(study.candidates) == 4
