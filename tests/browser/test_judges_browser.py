"""Marking in a real browser: the address holds the view, marks reach the disk, figures follow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import study_folder
from command_process import opened
from driving import choose, moved, settle

from core.study import Study

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return study_folder(tmp_path_factory.mktemp("marked") / "small")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """``foreseen open`` on a study of its own, on a free port."""
    with opened(folder.parent, folder) as address:
        yield address


def test_moving_a_control_moves_the_address(page: Any, address: str) -> None:
    page.goto(f"{address}/judges")
    settle(page)
    page.get_by_text("Bland–Altman", exact=True).click()
    moved(page, "judge_plot=Bland", "How far their marks lie apart")
    page.get_by_role("tab", name="Repeats").click()
    moved(page, "judges_part=Repeats", "How far a judge's repeats lie apart")
    choose(page, "Compare", "feasibility")
    moved(page, "on=feasibility")
    shared = page.url
    page.goto(shared)
    settle(page)
    assert "marks for feasibility" in page.locator("h1").inner_text()
    page.get_by_text("How far a judge's repeats lie apart").wait_for()
    page.get_by_text("How far their marks lie apart").wait_for()


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
    page.get_by_text("Who judged what: 3 judges").wait_for()
    page.get_by_role("combobox", name="Judges").wait_for()
