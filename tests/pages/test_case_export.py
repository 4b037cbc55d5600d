"""Cards in files: hostile texts stay text, formulas stay text, simulated is said."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from builders import case_study, case_tables, study
from html_parsing import parse
from page_studies import write_study

from core.hindsight.cases import case, cases
from core.study import Study
from dashboard.export.cases import against_theta, cards_csv, cards_html, paper_facts
from dashboard.marked import marked_html
from dashboard.report import main, report_html


@pytest.fixture(scope="module")
def hostile(hostile_folder: Path) -> Study:
    return Study.open(hostile_folder)


def test_cards_hold_no_foreign_markup(hostile: Study) -> None:
    score = hostile.score()
    found = cases(hostile, score, list(score.ideas["idea_id"]))
    page = parse(cards_html(found, title="<h1>t</h1>", settings="θ 0.5"))
    assert not {"script", "img", "iframe"} & set(page.tags)
    assert page.tags.count("h1") == 1
    assert not [value for name, value in page.attributes if name == "href"]
    assert "<script>alert(1)</script>" in page.shown
    assert "invented" in page.shown
    assert page.tags.count("article") == 8


def test_no_cell_of_the_csv_is_a_formula(hostile: Study) -> None:
    score = hostile.score()
    text = cards_csv(cases(hostile, score, list(score.ideas["idea_id"]))).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 8
    assert not [cell for row in rows for cell in row.values() if cell[:1] in ("=", "+", "@")]
    assert any(row["title"].startswith("'=HYPERLINK") for row in rows)
    assert {row["simulated"] for row in rows} == {"True"}


def test_a_card_says_what_was_met_and_how_it_was_judged() -> None:
    made = case_study()
    shown = parse(cards_html([case(made, made.score(), "i2")], title="t", settings="s")).shown
    assert "Met byPaper number 5" in shown.replace("Met by ", "Met by")
    assert "similarity 0.700 (a match at θ 0.500)" in shown
    assert (
        "venue term 0.400 + citation term 0.060. HindSight 0.460: the best of 2 matches." in shown
    )
    assert "Judges: 8.00 overall, of 10." in shown
    assert "invented" not in shown


def test_below_theta_unknown_and_refused_are_said() -> None:
    made = case_study()
    score = made.score()
    below = case(made, score, "i4").papers[0]
    assert against_theta(below, 0.5) == "below θ 0.500"
    shown = parse(cards_html([case(made, score, "i8")], title="t", settings="s")).shown
    assert "Judges gave no mark." in shown
    assert "refused to judge" in shown
    unknown = replace(below, citations=None, venue=None, published=None)
    assert paper_facts(unknown) == "no venue given · undated · citations unknown"


def test_marks_are_the_only_markup_in_marked_text() -> None:
    page = parse(marked_html("<b>Diffusion</b> & models", {"diffusion"}))
    assert page.tags == ["div", "mark"]
    assert page.shown == "<b>Diffusion</b> & models"


def test_a_very_long_text_is_cut_and_said() -> None:
    shown = parse(marked_html("x" * 100_000, ())).shown
    assert len(shown) < 6_100
    assert shown.endswith("… 94,000 more characters")


def test_the_report_is_whole_and_safe(hostile: Study) -> None:
    page = parse(report_html(hostile, hostile.score()))
    assert not {"script", "img", "iframe", "link"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "invented" in page.shown
    for heading in ("Each system", "Systems compared", "HindSight and the judges"):
        assert heading in page.shown
    assert "This study is not theirs." in page.shown
    assert hostile.digest in page.shown


def test_the_report_tells_one_system_and_no_judge() -> None:

    tables = case_tables() | {"scores": []}
    for idea in tables["ideas"]:
        idea["system"] = "only"
    made = study(config_values={"settings": {"theta": 0.5}}, **tables)
    shown = parse(report_html(made, made.score())).shown
    assert "One system, so nothing is compared" in shown
    assert "no idea has both a HindSight score and a judge's overall mark" in shown
    assert "nan" not in shown.split()


def test_the_report_is_written_with_the_settings_given(plain_folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    assert main([str(plain_folder), "-o", str(file), "--settings", '{"theta": 0.85}']) == 0
    shown = parse(file.read_text(encoding="utf-8")).shown
    assert "theta0.85" in shown
    # Only i1's p1 (0.9) reaches 0.85; above 0.9 nothing does, so alpha leads up to there alone.
    assert "alpha scores higher than betayes" in shown
    assert "up to 0.900" in shown


def test_a_report_that_cannot_be_made_says_why(
    tmp_path: Path, plain_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "none"), "-o", str(tmp_path / "r.html")]) == 1
    assert "no such folder" in capsys.readouterr().err
    assert (
        main([str(plain_folder), "-o", str(tmp_path / "r.html"), "--settings", '{"thetta": 1}'])
        == 2
    )
    assert "Did you mean" in capsys.readouterr().err
    assert not (tmp_path / "r.html").exists()


def test_a_study_without_candidates_has_no_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:

    folder = write_study(tmp_path / "bare", case_tables() | {"candidates": []})
    assert main([str(folder), "-o", str(tmp_path / "r.html")]) == 1
    assert "foreseen match" in capsys.readouterr().err
