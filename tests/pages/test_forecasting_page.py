"""The page on forecasting: every control, links, selections, empty cases, foreign texts."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from forecast_page_studies import forecast_tables
from html_parsing import live_marks
from page_studies import HOSTILE, write_study
from streamlit.testing.v1 import AppTest

from dashboard import picking

Open = Callable[..., AppTest]
LAST = "alpha / graphs / 2023-06-30"
DEMO = Path(__file__).resolve().parents[2] / "data" / "demo-forecasts"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("studies") / "forecasts"
    return write_study(made, forecast_tables(), preset="ideaforecastbench")


@pytest.fixture
def page(open_page: Open, folder: Path) -> AppTest:
    return open_page("forecasting", folder)


def texts(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.info, app.warning, app.code)
    return "\n".join(element.value for kind in kinds for element in kind).replace("\\", "")


def part(app: AppTest, name: str) -> AppTest:
    app.session_state["forecast_part"] = name
    app.run()
    assert not app.exception
    return app


def table(app: AppTest, *columns: str) -> list[list[object]]:
    """The rows of the first table that has these columns, as text."""
    frame = next(t.value for t in app.dataframe if set(columns) <= set(t.value.columns))
    return [list(row) for row in frame[list(columns)].itertuples(index=False)]


def test_the_finding_comes_first_and_stands_on_one_judge(page: AppTest) -> None:
    # Hit of alpha is (1 + 0) / 2 under ann; beta's one episode has a failed verdict.
    assert page.title[0].value == "No forecaster can be told ahead by hit"
    assert "Under ann, Hit@5 of alpha is **0.500**" in texts(page)
    assert "not to be held against beta" in texts(page)


def test_systems_of_both_judges(page: AppTest) -> None:
    rows = table(page, "system", "n", "Precision@5", "MRR")
    assert [row[:2] for row in rows] == [["alpha", 2], ["beta", 0]]
    assert str(rows[0][2]).startswith("0.100")
    assert rows[1][2] == "not defined"
    page.get_by_key("verdict_judge").set_value("bob").run()
    assert not page.exception
    rows = table(page, "system", "n", "Precision@5", "MRR")
    # Under bob (2/5 + 1/5) / 2 = 0.3, and both episodes are hit at rank 1.
    assert str(rows[0][2]).startswith("0.300")
    assert str(rows[0][3]).startswith("1.000")


def test_the_metric_is_that_of_title_and_charts(page: AppTest) -> None:
    page.get_by_key("forecast_metric").set_value("precision").run()
    assert "Precision@5 of alpha is **0.100**" in texts(page)
    page.get_by_key("forecast_metric").set_value("mrr").run()
    assert "MRR of alpha is **0.500**" in texts(page)


def test_the_gate_moves_credit_at_once(page: AppTest) -> None:
    page.get_by_key("forecast_metric").set_value("precision").run()
    # With P + M ≥ 4, a2's p3 passes: (2/5 + 0) / 2.
    page.slider(key="gate_pm").set_value(4).run()
    assert "Precision@5 of alpha is **0.200**" in texts(page)
    # With S ≥ 1 as well, a3's p4 passes: (2/5 + 1/5) / 2.
    page.slider(key="gate_s").set_value(1).run()
    assert "Precision@5 of alpha is **0.300**" in texts(page)


def test_a_reset_brings_the_gate_back(page: AppTest) -> None:
    page.slider(key="gate_pm").set_value(3).run()
    page.button(key="reset").click().run()
    assert not page.exception
    assert page.slider(key="gate_pm").value == 5


@pytest.mark.parametrize(
    ("name", "value", "kept"), [("gate_pm", "9", 5), ("r", "500", 10), ("slots", "many", 5)]
)
def test_a_gate_beyond_the_scale_in_a_link_falls_back(
    open_page: Open, folder: Path, name: str, value: str, kept: int
) -> None:
    app = open_page("forecasting", folder, **{name: value})
    assert app.slider(key=name).value == kept


def test_r_and_slots_cut_at_once(page: AppTest) -> None:
    page.get_by_key("verdict_judge").set_value("bob").run()
    # At R = 1 a1's only candidate fails the gate, a2 takes p1: 1/5; beta is whole now.
    page.slider(key="r").set_value(1).run()
    assert table(page, "system", "n")[1] == ["beta", 1]
    # With one slot alpha's episodes hold a1 and a3 alone: Hit 0 and 1, and beta's 1.
    page.slider(key="slots").set_value(1).run()
    assert not page.exception
    rows = table(page, "system", "Hit@1")
    assert [str(row[1])[:5] for row in rows] == ["0.500", "1.000"]


def test_the_baseline_turns_the_differences(open_page: Open, folder: Path) -> None:
    app = open_page("forecasting", folder, verdict_judge="bob", r="1")
    assert any("Against alpha" in head.value for head in app.subheader)
    app.selectbox(key="baseline").set_value("beta").run()
    assert not app.exception
    assert any("Against beta" in head.value for head in app.subheader)


def test_a_link_holds_judge_metric_gate_and_episode(open_page: Open, folder: Path) -> None:
    app = open_page(
        "forecasting",
        folder,
        verdict_judge="bob",
        forecast_metric="MRR",
        gate_pm="4",
        episode="alpha / graphs / 2023-06-30",
    )
    assert "Under bob, MRR of alpha" in texts(app)
    assert app.slider(key="gate_pm").value == 4
    assert "**alpha** on **graphs**" in texts(app)


def test_a_link_to_what_is_not_here_is_said(open_page: Open, folder: Path) -> None:
    app = open_page(
        "forecasting", folder, episode="alpha / grphs / 2023-06-30", verdict_judge="zoe"
    )
    assert "This study has no episode 'alpha / grphs / 2023-06-30'" in texts(app)
    assert "alpha / graphs / 2023-06-30" in texts(app)
    assert "zoe" in texts(app)


def test_the_episode_says_who_was_credited_and_why_not(page: AppTest) -> None:
    shown = texts(page)
    assert "**alpha** on **agents**: under ann, 1 of 2 forecasts credited" in shown
    assert "2 of 5 slots filled; 3 empty slots, each a miss" in shown
    assert "Target: 4 papers" in shown
    rows = table(page, "Result", "Why", "paper_id", "Grades: ann", "Reason: bob")
    assert rows[0] == [
        "credited",
        "credited: the nearest that passes and is free",
        "p1",
        "P 3, M 3, S 3",
        "Reason of bob on a1 and p1",
    ]
    assert rows[1][1] == "passes, but a nearer one was credited"


def test_a_closed_forecast_opens(page: AppTest) -> None:
    page.session_state["forecast_fold_2"] = True
    page.run()
    assert not page.exception
    frames = [t.value for t in page.dataframe if "Why" in t.value.columns]
    assert list(frames[1]["Why"]) == [
        "passes, but is already credited to rank 1",
        "below the gate: P + M = 4 < 5",
    ]


def test_lists_and_steps_move_the_episode(page: AppTest) -> None:
    page.selectbox(key="_episode_topic").set_value("graphs").run()
    assert not page.exception
    assert "**alpha** on **graphs**" in texts(page)
    assert page.query_params["episode"] == LAST
    # beta has no episode on graphs: the lists fall back on the one that it has.
    page.selectbox(key="_episode_system").set_value("beta").run()
    assert "**beta** on **agents**" in texts(page)
    assert "Some verdicts failed, so this is no certain miss" in texts(page)
    page.button(key="previous_episode").click().run()
    assert "**alpha** on **graphs**" in texts(page)
    page.button(key="next_episode").click().run()
    assert "**beta** on **agents**" in texts(page)
    assert page.button(key="next_episode").disabled


def test_topics_have_a_table_that_selects(page: AppTest) -> None:
    part(page, "Topics")
    rows = table(page, "topic", "system", "Hit@5", "Left out")
    assert rows == [
        ["agents", "alpha", "1.000", 0],
        ["agents", "beta", "not defined", 1],
        ["graphs", "alpha", "0.000", 0],
    ]
    ids = ["alpha / agents / 2023-06-30", "beta / agents / 2023-06-30", LAST]
    key = f"topics_{picking.digest(ids)}"
    page.session_state[key] = {"selection": {"rows": [2], "columns": [], "cells": []}}
    page.run()
    assert not page.exception
    assert "**alpha** on **graphs**" in texts(page)


def test_failures_are_neither_misses_nor_matches(page: AppTest) -> None:
    part(page, "Failures")
    shown = texts(page)
    assert "**1** of ann's 7 verdicts" in shown
    assert "**1 episode**" in shown
    assert "foreseen judge verdicts" in shown
    assert table(page, "judge", "Call failed", "Not judged") == [["ann", 1, 0], ["bob", 0, 1]]
    assert "1 episode that" in shown
    assert [row[:2] for row in table(page, "system", "topic", "cutoff")][-1] == ["beta", "graphs"]


def test_nothing_failed_is_said(open_page: Open, tmp_path: Path) -> None:
    tables = forecast_tables()
    tables["verdicts"] = [
        row for row in tables["verdicts"] if row["judge"] == "ann" and row["idea_id"] != "b1"
    ]
    tables["ideas"] = [row for row in tables["ideas"] if row["system"] == "alpha"]
    tables["candidates"] = [row for row in tables["candidates"] if row["idea_id"] != "b1"]
    app = open_page("forecasting", write_study(tmp_path / "s", tables, preset="ideaforecastbench"))
    assert "one system there is nothing to compare" in texts(app)
    assert "None of ann's 5 verdicts failed" in texts(part(app, "Failures"))
    assert "One judge alone" in texts(part(app, "Judges"))


def test_judges_agreement_on_candidates(page: AppTest) -> None:
    part(page, "Judges")
    # Both graded a1–p1, a1–p2, a2–p1, a2–p3, a3–p4: the gate agrees on p2, p1 and p3 of a2.
    assert table(page, "On", "n", "Agreement")[0] == ["Gate", 5, "0.600"]
    links = page.get("page_link")
    assert any(link.proto.label == "Everything on the judges" for link in links)


def test_what_stands_behind_the_rate(page: AppTest) -> None:
    part(page, "Behind the rate")
    rows = table(page, "system", "Hit rate", "Method", "Key terms")
    # alpha: a1 and a3 hold a method of three words, a2 none; a1 alone has a key term.
    assert rows == [
        ["alpha", "0.500", "3, 1 of 3 empty", "1, 2 of 3 empty"],
        ["beta", "not defined", "3", "none, 1 of 1 empty"],
    ]
    page.selectbox(key="forecast_measure").set_value("words").run()
    assert not page.exception
    assert "orrelation with" in texts(page)
    assert "foreseen judge generality" in texts(page)
    assert "[knowledge_cutoff]" in texts(page)


def test_a_judge_under_whom_all_failed(open_page: Open, tmp_path: Path) -> None:
    tables = forecast_tables()
    tables["verdicts"] = [
        {k: row[k] for k in ("idea_id", "paper_id", "judge")} | {"state": "refused"}
        for row in tables["verdicts"]
    ]
    app = open_page("forecasting", write_study(tmp_path / "s", tables, preset="ideaforecastbench"))
    assert app.title[0].value == "Under ann no episode can be scored"
    for name in ("Topics", "Failures", "Judges", "Behind the rate"):
        part(app, name)


def test_a_study_without_forecasts_says_so_and_opens_the_bundled_one(
    monkeypatch: pytest.MonkeyPatch, plain_folder: Path
) -> None:
    monkeypatch.setenv("FORESEEN_STUDIES", json.dumps([str(plain_folder), str(DEMO)]))
    app = AppTest.from_file(str(DEMO.parents[1] / "dashboard" / "app.py"), default_timeout=90)
    app.switch_page("../pages/forecasting.py").run()
    assert not app.exception
    assert app.title[0].value == "This study holds no forecasts"
    assert "foreseen import ideas FILE --into" in texts(app)
    app.button(key="open_demo_forecasts").click().run()
    assert not app.exception
    assert app.title[0].value.startswith("Summary foresaw more than direct and past-titles")


def test_where_the_bundled_study_is_not_open_its_command_is_shown(
    open_page: Open, plain_folder: Path
) -> None:
    app = open_page("forecasting", plain_folder)
    assert "foreseen open" in texts(app)
    assert "demo-forecasts" in texts(app)


@pytest.mark.parametrize(
    ("lacking", "title", "command"),
    [
        ("candidates", "4 forecasts wait for their candidates", "foreseen match"),
        ("verdicts", "4 forecasts wait for a judge", "foreseen judge verdicts"),
    ],
)
def test_what_is_lacking_is_named_with_its_command(
    open_page: Open, tmp_path: Path, lacking: str, title: str, command: str
) -> None:
    tables = forecast_tables()
    del tables[lacking]
    if lacking == "candidates":
        del tables["verdicts"]
    app = open_page("forecasting", write_study(tmp_path / "s", tables, preset="ideaforecastbench"))
    assert app.title[0].value == title
    assert command in texts(app)


def test_ranks_with_a_gap_name_the_episode(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tables = forecast_tables()
    tables["ideas"][1]["rank"] = 3
    made = write_study(tmp_path / "s", tables, preset="ideaforecastbench")
    monkeypatch.setenv("FORESEEN_STUDIES", json.dumps([str(made)]))
    app = AppTest.from_file(str(DEMO.parents[1] / "dashboard" / "app.py"), default_timeout=60)
    app.switch_page("../pages/forecasting.py").run()
    assert not app.exception
    assert "the ranks of system 'alpha', topic 'agents'" in texts(app)


def test_an_episode_of_another_study_is_dropped_without_a_word(
    monkeypatch: pytest.MonkeyPatch, folder: Path, tmp_path: Path
) -> None:
    tables = forecast_tables()
    for row in tables["ideas"]:
        row["system"] = f"new {row['system']}"
    other = write_study(tmp_path / "other", tables, preset="ideaforecastbench")
    monkeypatch.setenv("FORESEEN_STUDIES", json.dumps([str(folder), str(other)]))
    app = AppTest.from_file(str(DEMO.parents[1] / "dashboard" / "app.py"), default_timeout=60)
    app.switch_page("../pages/forecasting.py").run()
    app.selectbox(key="_episode_topic").set_value("graphs").run()
    app.selectbox(key="study").set_value("other").run()
    assert not app.exception
    assert "has no episode" not in texts(app)
    assert "**new alpha** on **agents**" in texts(app)


def test_foreign_text_stays_text(open_page: Open, tmp_path: Path) -> None:
    tables = forecast_tables()
    for n, row in enumerate(tables["ideas"]):
        text = HOSTILE[n % len(HOSTILE)]
        row |= {
            "title": text[:300].strip(),
            "rationale": text,
            "method": text,
            "key_terms": [text[:80]],
        }
        row |= {"topic": HOSTILE[0][:60], "system": f"{row['system']} **b** [x](javascript:1)"}
    for n, row in enumerate(tables["papers"]):
        row["title"] = HOSTILE[n % len(HOSTILE)][:300].strip()
    for row in tables["verdicts"]:
        row["judge"] = f"{row['judge']} :red[x] <b>"
        row["reason"] = HOSTILE[0]
    app = open_page("forecasting", write_study(tmp_path / "s", tables, preset="ideaforecastbench"))
    for name in ("Cutoffs", "Topics", "Failures", "Judges", "Behind the rate"):
        part(app, name)
        for kind in (app.title, app.markdown, app.caption, app.info, app.warning):
            for element in kind:
                assert "[x](javascript:1)" not in element.value
                assert "<script>" not in element.value
        for block in app.get("html"):
            assert not live_marks(block.proto.body)


def test_any_protocol_works_on_the_bundled_study(open_page: Open, tmp_path: Path) -> None:
    copied = tmp_path / "demo-forecasts"
    shutil.copytree(DEMO, copied, ignore=shutil.ignore_patterns("vectors*"))
    toml = (copied / "study.toml").read_text(encoding="utf-8")
    (copied / "study.toml").write_text(toml.replace("depth = 20", "depth = 20\ndraws = 100"))
    for name in ("overview", "thresholds", "quadrants", "ideas", "data"):
        app = open_page(name, copied)
        assert app.title[0].value


def test_the_page_on_data_names_no_single_window(open_page: Open) -> None:
    """Cutoffs run from July to December 2024, and each window takes the three months after."""
    app = open_page("data", DEMO)
    assert "a window of its own: 3 months from its cutoff (excluded)" in texts(app)
    assert "the first after 2024-07-31, the last to 2025-03-31" in texts(app)
    assert "The window runs from" not in texts(app)


def test_the_backward_panel_names_who_repeats_the_past(open_page: Open) -> None:
    app = open_page("forecasting", DEMO, forecast_part="Behind the rate", draws="200")
    assert "**past-titles** met more in the window before" in texts(app)


def test_pages_of_many_intervals_say_how_few_draws_they_take(open_page: Open, folder: Path) -> None:
    app = open_page("robustness", folder, draws="10000")
    assert "rests on 1,000 of the settings' 10,000 draws" in texts(app)
    assert "of the settings'" not in texts(open_page("robustness", folder, draws="500"))
