"""The page on methods: every quantity, the paper's numbers, settings and words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from builders import case_tables
from page_studies import write_study
from streamlit.testing.v1 import AppTest

from core.config import Settings
from core.glossary import GLOSSARY
from core.hindsight.quantities import QUANTITIES

Open = Callable[..., AppTest]


def texts(app: AppTest) -> str:
    return "\n".join(
        element.value for kind in (app.markdown, app.caption, app.info) for element in kind
    )


def test_each_quantity_opens_to_formula_words_and_source(
    open_page: Open, plain_folder: Path
) -> None:
    app = open_page("methods", plain_folder)
    assert not app.latex
    for quantity in QUANTITIES:
        app.session_state[f"quantity_{quantity.name}"] = True
    app.run()
    assert not app.exception
    assert len(app.latex) == len(QUANTITIES)
    said = texts(app)
    for quantity in QUANTITIES:
        assert f"Source: {quantity.source}" in said
    assert "Now **0.5**; default 0.96" in said.replace("\\", "")


def test_the_papers_numbers_stand_beside_and_are_not_ours(
    open_page: Open, plain_folder: Path
) -> None:
    app = open_page("methods", plain_folder)
    assert "**This study is not theirs.**" in texts(app)
    first = next(f.value for f in app.dataframe if "paper's p" in f.value.columns).set_index("")
    assert first.loc["Score, mean", "paper: ResearchAgent"] == "0.297"
    assert first.loc["Score, mean", "here: alpha"] == "0.265"
    assert first.loc["Match rate", "here: beta"] == "50 %"


def test_settings_in_force_follow_the_view(open_page: Open, plain_folder: Path) -> None:
    app = open_page("methods", plain_folder)
    app.slider(key="k").set_value(5).run()
    in_force = next(f.value for f in app.dataframe if "allowed" in f.value.columns)
    rows = in_force.set_index("setting")
    assert (rows.loc["k", "now"], rows.loc["k", "study"]) == ("5", "20")
    assert len(rows) == len(Settings.model_fields)
    assert "**1 setting** moved" in texts(app)


def test_every_word_is_explained(open_page: Open, plain_folder: Path) -> None:
    said = texts(open_page("methods", plain_folder))
    assert all(f"**{word}**" in said for word in GLOSSARY)


def test_what_is_simulated_is_said(
    open_page: Open, hostile_folder: Path, plain_folder: Path
) -> None:
    assert "What is simulated here" in texts(open_page("methods", hostile_folder))
    assert "What is simulated here" not in texts(open_page("methods", plain_folder))


def test_without_scores_the_papers_numbers_wait(open_page: Open, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "bare", case_tables() | {"candidates": []})
    assert "nothing to set beside them" in texts(open_page("methods", folder))
