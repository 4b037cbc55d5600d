"""A person's round through the dashboard, in a headless Chromium, over the real command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import study_folder
from command_process import opened
from driving import settle

from dashboard import navigation

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """``foreseen open`` on two small studies, from a folder of its own, on a free port."""
    folder = tmp_path_factory.mktemp("browser")
    study_folder(folder / "studies" / "small", simulated=True)
    study_folder(folder / "studies" / "three", name="Three", systems=("a*b_c", "beta", "gamma"))
    with opened(folder, "studies") as address:
        yield address


@pytest.mark.parametrize("info", list(navigation.infos()), ids=lambda info: info.name)
def test_every_page_opens_by_its_address(page: Any, address: str, info: Any) -> None:
    page.goto(f"{address}{info.path}")
    settle(page)
    page.get_by_text("its papers and citations are invented").first.wait_for()


def test_every_page_opens_from_the_menu_and_keeps_theta(page: Any, address: str) -> None:
    page.goto(f"{address}/?theta=0.7")
    settle(page)
    for info in navigation.infos():
        page.get_by_role("link", name=info.title, exact=True).first.click()
        page.wait_for_url(re.compile(f"{address}{info.path}(\\?.*)?$"))
        settle(page)
        assert "theta=0.7" in page.url
        assert page.get_by_text("Page not found").count() == 0


def test_moving_theta_changes_numbers_and_address(page: Any, address: str) -> None:
    page.goto(address)
    settle(page)
    card = page.locator("[data-testid=stMetricValue]").first
    before = card.inner_text()
    slider = page.get_by_role("slider", name="Threshold θ")
    slider.focus()
    for _ in range(60):
        slider.press("ArrowRight")
    page.wait_for_url(re.compile(r"theta=0\.68"))
    page.wait_for_function(
        "before => document.querySelector('[data-testid=stMetricValue]').innerText !== before",
        arg=before,
    )
    settle(page)
    shared = page.url
    after = card.inner_text()
    page.goto(shared)
    settle(page)
    assert page.locator("[data-testid=stMetricValue]").first.inner_text() == after
    page.get_by_role("button", name="Reset to the study's settings").click()
    page.wait_for_function("!location.search.includes('theta')")


def test_a_link_picks_study_page_and_settings(page: Any, address: str) -> None:
    page.goto(f"{address}/thresholds?study=Three&theta=0.66&normalizer=log")
    settle(page)
    page.get_by_text("At θ = 0.660").first.wait_for()
    page.get_by_text("min–max of log(1 + citations)").wait_for()
    assert "study=Three" in page.url


def test_a_bad_link_is_told_and_tidied(page: Any, address: str) -> None:
    page.goto(f"{address}/?theta=high")
    settle(page)
    page.get_by_text("of the link could not be taken").wait_for()
    page.wait_for_function("!location.search.includes('theta')")


def test_a_csv_is_downloaded(page: Any, address: str) -> None:
    page.goto(address)
    settle(page)
    with page.expect_download() as waiting:
        page.locator(".st-key-scores_csv").get_by_role("button", name="CSV").click()
    text = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert waiting.value.suggested_filename == "scores.csv"
    assert text.startswith("idea_id,system,topic,score\n")
    assert text.count("\n") == 25


def test_an_idea_link_opens_the_idea(page: Any, address: str) -> None:
    page.goto(f"{address}/ideas?idea=retrieval-03")
    settle(page)
    page.get_by_text("retrieval-03").first.wait_for()
    assert "idea=retrieval-03" in page.url


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(browser: Any, address: str, scheme: str) -> None:
    context = browser.new_context(viewport={"width": 400, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    for info in navigation.infos():
        page.goto(f"{address}{info.path}")
        settle(page)
        wider = page.evaluate(
            "() => [...document.querySelectorAll('h1,h2,h3,p,.js-plotly-plot')]"
            ".filter(e => e.getBoundingClientRect().right > window.innerWidth + 1)"
            ".map(e => e.innerText.slice(0, 40))"
        )
        assert wider == [], info.name
    context.close()
