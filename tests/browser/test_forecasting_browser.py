"""Forecasts in a real browser: both bundled studies open, and the address holds the view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from command_process import opened
from driving import moved, settle

pytestmark = pytest.mark.browser
_WIDER = "(() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth - m.clientWidth })()"
STUDY = "study=Demo+forecasts+(simulated)"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """``foreseen open`` without a study, on a free port."""
    with opened(tmp_path_factory.mktemp("elsewhere")) as address:
        yield address


def test_the_first_study_points_to_the_second(page: Any, address: str) -> None:
    page.goto(f"{address}/forecasting")
    settle(page)
    assert page.locator("h1").inner_text() == "This study holds no forecasts"
    page.get_by_role("button", name="Open Demo forecasts").click()
    moved(page, "study=Demo")
    page.get_by_role("heading", name="Summary foresaw more").wait_for()
    settle(page)


def test_every_move_stands_in_the_address_and_a_link_brings_it_back(
    page: Any, address: str
) -> None:
    page.goto(f"{address}/forecasting?{STUDY}&gate_s=3")
    settle(page)
    page.get_by_text("strict-judge", exact=True).first.click()
    moved(page, "verdict_judge=strict-judge")
    page.get_by_text("MRR", exact=True).first.click()
    moved(page, "forecast_metric=MRR")
    page.get_by_role("tab", name="Failures").click()
    moved(page, "forecast_part=Failures")
    page.get_by_role("button", name="Next").click()
    moved(page, "episode=")
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
    moved(page, r"/ideas\?.*idea=su-")
    settle(page)


@pytest.mark.parametrize("part", ["Cutoffs", "Topics", "Failures", "Judges", "Behind+the+rate"])
def test_nothing_runs_over_a_narrow_screen(page: Any, address: str, part: str) -> None:
    page.set_viewport_size({"width": 400, "height": 900})
    page.goto(f"{address}/forecasting?{STUDY}&forecast_part={part}")
    settle(page)
    assert page.evaluate(_WIDER) <= 0
