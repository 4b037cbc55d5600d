"""The page on ideas: filters, links, the inspector, previous and next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from builders import case_tables
from html_parsing import live_marks, parse
from page_studies import HOSTILE, write_study
from streamlit.testing.v1 import AppTest

Open = Callable[..., AppTest]


def listed(app: AppTest) -> list[str]:
    """The ids in the table of ideas."""
    frames = [f.value for f in app.dataframe if "judge_overall" in f.value.columns]
    return frames[0]["idea_id"].tolist() if frames else []


def texts(app: AppTest) -> str:
    return "\n".join(
        element.value for kind in (app.markdown, app.caption, app.info) for element in kind
    )


def pages_html(app: AppTest) -> str:
    return "".join(element.value for element in app.html)


def test_all_ideas_are_listed_best_first(open_page: Open, plain_folder: Path) -> None:
    app = open_page("ideas", plain_folder)
    assert app.title[0].value == "5 of 8 ideas met a later paper"
    assert listed(app) == ["i1", "i2", "i8", "i5", "i3", "i4", "i6", "i7"]


@pytest.mark.parametrize(
    ("kind", "key", "value", "ids"),
    [
        ("multiselect", "system", ["beta"], ["i8", "i5", "i6", "i7"]),
        ("multiselect", "topic", ["agents"], ["i2", "i8", "i4", "i6"]),
        ("multiselect", "quadrant", ["Hidden gem"], ["i1", "i5"]),
        ("number_input", "low", 0.4, ["i1", "i2", "i8"]),
        ("number_input", "high", 0.0, ["i3", "i4", "i6", "i7"]),
        ("text_input", "search", "Number 7", ["i7"]),
    ],
)
def test_each_filter_leaves_what_fits(
    open_page: Open, plain_folder: Path, kind: str, key: str, value: object, ids: list[str]
) -> None:
    app = open_page("ideas", plain_folder)
    getattr(app, kind)(key=key).set_value(value).run()
    assert not app.exception
    assert listed(app) == ids
    assert f"n = {len(ids)} of 8 ideas" in texts(app)


def test_filters_come_from_the_link(open_page: Open, plain_folder: Path) -> None:
    app = open_page("ideas", plain_folder, system=["beta"], search="problem", low="0.2")
    assert listed(app) == ["i8", "i5"]


def test_a_filter_of_the_link_that_is_not_here_is_said(open_page: Open, plain_folder: Path) -> None:
    app = open_page("ideas", plain_folder, system="gamma")
    assert "gamma" in texts(app)
    assert len(listed(app)) == 8


def test_a_filter_that_leaves_nothing_says_so(open_page: Open, plain_folder: Path) -> None:
    app = open_page("ideas", plain_folder, search="nowhere")
    assert "No idea fits: the filter leaves none of 8." in texts(app)


def test_a_link_opens_an_idea(open_page: Open, plain_folder: Path) -> None:
    app = open_page("ideas", plain_folder, idea="i2")
    assert app.header[0].value == "Idea number 2"
    assert "HindSight 0.460: the best of 2 matches." in texts(app)
    candidates = next(f.value for f in app.dataframe if "read_as" in f.value.columns)
    assert candidates["match"].tolist() == ["match", "match", "below θ"]
    assert candidates["read_as"].tolist()[1] == "the main conference of ICLR"
    assert candidates["citations"].tolist() == ["50", "10", "0"]
    marks = next(f.value for f in app.dataframe if "repeat" in f.value.columns)
    assert marks["judge"].tolist() == ["ann", "bob"]


def test_shared_terms_are_marked_in_both_texts(open_page: Open, plain_folder: Path) -> None:
    app = open_page("ideas", plain_folder, idea="i2")
    page = parse(pages_html(app))
    assert page.tags.count("mark") >= 6
    # Of 'Diffusion models are slow, problem 2. Distil the cascade of denoisers.' and
    # 'Paper number 5. A cascade of diffusion denoisers.'
    assert "They share 3 terms: cascade, denoiser, diffusion." in texts(app)


def test_an_unknown_idea_is_said(open_page: Open, plain_folder: Path) -> None:
    app = open_page("ideas", plain_folder, idea="i99")
    assert any("no idea 'i99'" in warning.value for warning in app.warning)
    assert not app.header


def test_a_row_opens_an_idea_and_the_address_names_it(open_page: Open, plain_folder: Path) -> None:
    app = open_page("ideas", plain_folder)
    select_row(app, "ideas_", 3)
    assert app.header[0].value == "Idea number 5"
    assert app.query_params["idea"] == "i5"


def test_previous_and_next_follow_the_list(open_page: Open, plain_folder: Path) -> None:
    app = open_page("ideas", plain_folder, idea="i1")
    assert app.button(key="previous_idea").disabled
    app.button(key="next_idea").click().run()
    assert app.header[0].value == "Idea number 2"
    assert app.query_params["idea"] == "i2"
    app.button(key="previous_idea").click().run()
    assert app.header[0].value == "Idea number 1"
    app.query_params["idea"] = "i7"
    app.run()
    assert app.button(key="next_idea").disabled


def test_an_idea_outside_the_filter_stays_open(open_page: Open, plain_folder: Path) -> None:
    app = open_page("ideas", plain_folder, idea="i1", system="beta")
    assert app.header[0].value == "Idea number 1"
    assert "Not among the ideas that the filter leaves" in texts(app)
    assert app.button(key="next_idea").disabled


def test_a_candidates_row_puts_that_paper_beside(open_page: Open, plain_folder: Path) -> None:
    app = open_page("ideas", plain_folder, idea="i2")
    assert "Paper p5" in texts(app)
    select_row(app, "candidates_i2", 2)
    assert "Paper p3" in texts(app)
    assert "No abstract: matched by its title alone." in texts(app)
    assert "below θ 0.500" in texts(app)


def test_folds_open(open_page: Open, plain_folder: Path) -> None:
    app = open_page("ideas", plain_folder, idea="i1")
    assert not app.json
    app.session_state["extra"] = True
    app.session_state["reasons"] = True
    app.run()
    assert '"planted"' in app.json[0].value
    assert "Reason of bob for 1" in [text.value for text in app.text]


def test_an_idea_without_candidate_or_mark_is_told(open_page: Open, tmp_path: Path) -> None:
    tables = case_tables()
    tables["scores"] = [row for row in tables["scores"] if row["idea_id"] != "i7"]
    app = open_page("ideas", write_study(tmp_path / "bare", tables), idea="i7")
    assert "No candidate" in texts(app)
    assert "No judge has marked this idea." in texts(app)


def test_refusals_are_states(open_page: Open, plain_folder: Path) -> None:
    app = open_page("ideas", plain_folder, idea="i8")
    marks = next(f.value for f in app.dataframe if "repeat" in f.value.columns)
    assert marks["state"].tolist() == ["refused to judge"] * 2
    assert "2 attempts: refused to judge" in texts(app)


def test_leaks_are_marked(open_page: Open, tmp_path: Path) -> None:
    folder = write_study(
        tmp_path / "leaky", case_tables(), knowledge_cutoff={"alpha": "2024-02-01"}
    )
    app = open_page("ideas", folder, idea="i1")
    candidates = next(f.value for f in app.dataframe if "read_as" in f.value.columns)
    # p1 appeared on 2024-01-15, p3 on 2024-03-15.
    assert candidates["leaked"].tolist() == ["before cutoff", ""]
    assert "Before the knowledge cutoff" in texts(app)


@pytest.mark.parametrize("number", range(1, len(HOSTILE) + 1))
def test_foreign_texts_are_shown_as_text(
    open_page: Open, hostile_folder: Path, number: int
) -> None:
    app = open_page("ideas", hostile_folder, idea=f"i{number}")
    assert not app.exception
    page = parse(pages_html(app))
    assert set(page.tags) <= {"div", "mark"}
    assert all(name in ("dir", "style") for name, _ in page.attributes)
    assert HOSTILE[number - 1][:40] in page.shown
    shown = live_marks(texts(app) + app.header[0].value)
    for mark in ("<script", "](javascript", "$\\int", "**bold**", "<img"):
        assert mark not in shown
    assert all(not element.allow_html for element in app.markdown)
    assert not app.get("link_button")


def select_row(app: AppTest, prefix: str, place: int) -> None:
    """Simulate a click on a row of the table whose key begins with ``prefix``."""
    key = next(
        name
        for name in app.session_state.to_dict()
        if str(name).startswith(prefix) and not str(name).endswith("_csv")
    )
    app.session_state[key] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    app.run()
    assert not app.exception
