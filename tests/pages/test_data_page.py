"""The page on data: what is loaded, what is odd with its rows, months, venues, merges."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from builders import case_study, case_tables
from page_studies import write_study
from streamlit.testing.v1 import AppTest

from core.config import Settings
from core.hindsight.descriptives import ideas_with_empty_pool

Open = Callable[..., AppTest]


def table(app: AppTest, column: str):  # type: ignore[no-untyped-def]
    return next(frame.value for frame in app.dataframe if column in frame.value.columns)


def texts(app: AppTest) -> str:
    return "\n".join(
        element.value for kind in (app.markdown, app.caption, app.info) for element in kind
    )


def test_tables_are_counted(open_page: Open, plain_folder: Path) -> None:
    app = open_page("data", plain_folder)
    assert app.title[0].value == "8 ideas against 6 papers; 0 more lie outside the window"
    loaded = table(app, "filled").set_index("table")
    assert loaded["n"].to_dict() | {"ideas": 8} == {
        "ideas": 8,
        "papers": 6,
        "scores": 16,
        "references": 0,
        "starts": 0,
        "comparisons": 0,
        "verdicts": 0,
        "candidates": 10,
    }
    assert "No snapshot date is given." in texts(app)


def test_what_is_odd_has_its_rows_on_demand(open_page: Open, plain_folder: Path) -> None:
    app = open_page("data", plain_folder)
    odd = table(app, "code")
    assert {"unknown_citations", "title_only", "month_only", "refused"} <= set(odd["code"])
    place = odd["code"].tolist().index("unknown_citations")
    key = next(name for name in app.session_state.to_dict() if str(name).startswith("odd_"))
    app.session_state[key] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    app.run()
    assert table(app, "id")["id"].tolist() == ["p4"]


def test_venues_tell_how_they_were_read(open_page: Open, plain_folder: Path) -> None:
    app = open_page("data", plain_folder)
    readings = table(app, "raw").set_index("raw")
    assert bool(readings.loc["ICLR 2024", "top"])
    assert not readings.loc["arXiv", "main"]
    assert readings.loc["arXiv", "papers"] == 5
    assert "**17 %**" in texts(app)  # 1 of 6


def test_months_lengths_and_merges(open_page: Open, tmp_path: Path) -> None:
    tables = case_tables()
    tables["papers"][0]["extra"] = {
        "merged": [{"paper_id": "old", "by": "doi", "title": "Paper number 1", "venue": "arXiv"}]
    }
    app = open_page("data", write_study(tmp_path / "merged", tables))
    assert len(app.get("plotly_chart")) == 1
    assert table(app, "median_words")["field"].tolist()[:2] == ["title", "title"]
    assert table(app, "merged_id")["merged_id"].tolist() == ["old"]


def test_a_study_of_no_row_is_told(open_page: Open, tmp_path: Path) -> None:
    app = open_page("data", write_study(tmp_path / "empty", {}))
    said = texts(app)
    assert "No paper has a month of publication" in said
    assert "The study holds no papers." in said
    assert "No idea has a text." in said
    assert "foreseen match" in said


def test_ideas_that_can_meet_nothing_are_listed(open_page: Open, tmp_path: Path) -> None:
    tables = case_tables()
    tables["ideas"][0]["cutoff"] = "2030-01-01"
    app = open_page("data", write_study(tmp_path / "late", tables))
    assert "empty_pool" in table(app, "code")["code"].tolist()
    assert ideas_with_empty_pool(case_study(), Settings()) == ()


def test_foreign_texts_are_shown_as_text(open_page: Open, hostile_folder: Path) -> None:
    app = open_page("data", hostile_folder)
    assert "<script" not in texts(app)
    assert any("invented" in info.value for info in app.info)
