"""The page on quadrants: every control, links, selections, empty cases, foreign texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from builders import case_tables
from html_parsing import live_marks
from page_studies import HOSTILE, write_study
from streamlit.testing.v1 import AppTest

Open = Callable[..., AppTest]


def card(app: AppTest) -> str:
    """The heading of the card that is shown."""
    return app.container(key="case_card").subheader[0].value


def texts(app: AppTest) -> str:
    return "\n".join(
        element.value for kind in (app.markdown, app.caption, app.info) for element in kind
    )


def test_the_finding_comes_first_and_a_case_is_open(open_page: Open, plain_folder: Path) -> None:
    app = open_page("quadrants", plain_folder)
    assert app.title[0].value.startswith("2 hidden gems, 2 overhyped")
    assert card(app) == "Idea number 1"
    assert "1 idea exactly on it" in texts(app).replace("\\", "")
    assert "n = 7" in texts(app).replace("\\", "")


def test_the_rule_moves_the_cuts(open_page: Open, plain_folder: Path) -> None:
    app = open_page("quadrants", plain_folder)
    app.get_by_key("quadrant_rule").set_value("nonzero_median").run()
    assert not app.exception
    # Scores above 0: 0.3, 0.46, 0.6; the median is 0.46, so only i1 is above it.
    assert app.title[0].value.startswith("1 hidden gem, 3 overhyped")


def test_the_cut_itself_may_count_as_high(open_page: Open, plain_folder: Path) -> None:
    app = open_page("quadrants", plain_folder)
    app.toggle(key="inclusive").set_value(True).run()
    # Every score is ≥ 0, and marks ≥ 7 are those of i2, i3, i6, i7.
    assert app.title[0].value.startswith("3 hidden gems, 0 overhyped")


def test_fixed_cuts_begin_where_the_cuts_were_and_can_be_moved(
    open_page: Open, plain_folder: Path
) -> None:
    app = open_page("quadrants", plain_folder)
    app.get_by_key("quadrant_rule").set_value("fixed").run()
    assert app.number_input(key="judge_cut").value == 7
    assert app.number_input(key="hindsight_cut").value == 0
    assert app.title[0].value.startswith("2 hidden gems, 2 overhyped")
    app.number_input(key="judge_cut").set_value(4.5).run()
    # Marks above 4.5: all but i4, whose score is 0.
    assert app.title[0].value.startswith("0 hidden gems, 3 overhyped")


def test_a_link_holds_rule_and_cuts(open_page: Open, plain_folder: Path) -> None:
    app = open_page(
        "quadrants",
        plain_folder,
        quadrant_rule="fixed",
        judge_cut="4.5",
        hindsight_cut="0.1",
    )
    assert app.title[0].value.startswith("0 hidden gems, 3 overhyped")


def test_a_link_with_half_the_cuts_says_what_is_missing(
    open_page: Open, plain_folder: Path
) -> None:
    app = open_page("quadrants", plain_folder, quadrant_rule="fixed", judge_cut="4.5")
    assert "Fixed cuts need both numbers" in texts(app)


def test_a_point_opens_its_case_and_stands_in_the_address(
    open_page: Open, plain_folder: Path
) -> None:
    app = open_page("quadrants", plain_folder)
    app.session_state["quadrant_chart"] = {
        "selection": {"points": [{"customdata": ["i3", "…"]}], "box": [], "lasso": []}
    }
    app.run()
    assert not app.exception
    assert card(app) == "Idea number 3"
    assert app.query_params["idea"] == "i3"


def test_a_row_opens_its_case(open_page: Open, plain_folder: Path) -> None:
    app = open_page("quadrants", plain_folder)
    select_row(app, "quadrant_ideas_hidden_gem_", 1)
    assert card(app) == "Idea number 5"
    assert app.query_params["idea"] == "i5"


def test_the_list_shows_the_quadrant_that_is_chosen(open_page: Open, plain_folder: Path) -> None:
    app = open_page("quadrants", plain_folder)
    app.get_by_key("table").set_value("overhyped").run()
    shown = next(frame.value for frame in app.dataframe if "judge_overall" in frame.value.columns)
    assert shown["idea_id"].tolist() == ["i3", "i7"]
    assert card(app) == "Idea number 3"


def test_a_linked_idea_is_shown_and_an_unknown_one_is_said(
    open_page: Open, plain_folder: Path
) -> None:
    assert card(open_page("quadrants", plain_folder, idea="i6")) == "Idea number 6"
    app = open_page("quadrants", plain_folder, idea="i66")
    assert any("no idea 'i66'" in warning.value for warning in app.warning)


def test_the_figure_is_not_restyled_by_its_own_selection(
    open_page: Open, plain_folder: Path
) -> None:
    app = open_page("quadrants", plain_folder)
    before = app.get("plotly_chart")[0].proto.spec
    app.session_state["quadrant_chart"] = {
        "selection": {"points": [{"customdata": ["i3"]}], "box": [], "lasso": []}
    }
    app.run()
    assert app.get("plotly_chart")[0].proto.spec == before


def test_without_marks_the_page_says_why(open_page: Open, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "bare", case_tables() | {"scores": []})
    app = open_page("quadrants", folder)
    assert app.title[0].value == "Where do judges and the future disagree?"
    assert "no idea has both" in texts(app)
    assert not app.get("plotly_chart")


def test_without_candidates_the_page_says_what_to_run(open_page: Open, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "unmatched", case_tables() | {"candidates": []})
    app = open_page("quadrants", folder)
    assert any("foreseen match" in code.value for code in app.code)


def test_one_system_and_an_empty_quadrant_are_told(open_page: Open, tmp_path: Path) -> None:
    tables = case_tables()
    tables["ideas"] = [
        idea | {"system": "only"} for idea in tables["ideas"] if idea["idea_id"] in ("i1", "i4")
    ]
    for name in ("scores", "candidates"):
        tables[name] = [row for row in tables[name] if row["idea_id"] in ("i1", "i4")]
    app = open_page("quadrants", write_study(tmp_path / "one", tables))
    app.get_by_key("table").set_value("overhyped").run()
    assert not app.exception
    assert "No idea is overhyped under these cuts." in texts(app)


@pytest.mark.parametrize("number", range(1, len(HOSTILE) + 1))
def test_foreign_texts_are_shown_as_text(
    open_page: Open, hostile_folder: Path, number: int
) -> None:
    app = open_page("quadrants", hostile_folder, idea=f"i{number}")
    assert not app.exception
    shown = live_marks(texts(app) + card(app))
    for mark in ("<script", "](javascript", "$\\int", "**bold**", "<img"):
        assert mark not in shown
    assert all(not element.allow_html for element in app.markdown)


def select_row(app: AppTest, prefix: str, place: int) -> None:
    """Simulate a click on a row of the table whose key begins with ``prefix``."""
    key = next(name for name in app.session_state.to_dict() if str(name).startswith(prefix))
    app.session_state[key] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    app.run()
    assert not app.exception
