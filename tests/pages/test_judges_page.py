"""The page on judges: every control, links, selections, marking, undefined cases, foreign texts."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import case_tables
from html_parsing import live_marks
from page_studies import HOSTILE, write_study
from streamlit.testing.v1 import AppTest

from core.judging import queue
from core.judging.calls import CALLS_FILE, Call, CallsLog
from core.study import Study
from dashboard import state

Open = Callable[..., AppTest]
Tables = dict[str, list[dict[str, Any]]]


def disputed() -> Tables:
    """The small study, where bob marks i1 higher by 4, i4 by 2, i2 lower by 1 than ann."""
    tables = copy.deepcopy(case_tables())
    for row in tables["scores"]:
        if row["judge"] == "bob" and row["state"] == "ok":
            row["overall"] += {"i1": 4, "i4": 2, "i2": -1}.get(row["idea_id"], 0)
    return tables


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_study(tmp_path / "own", disputed())


def texts(app: AppTest) -> str:
    """All that a reader sees, with Markdown's escapes taken out."""
    kinds = (app.title, app.subheader, app.markdown, app.caption, app.info, app.error, app.warning)
    found = "\n".join(str(element.value) for kind in kinds for element in kind)
    return found.replace("\\", "")


def press(app: AppTest, prefix: str) -> AppTest:
    next(button for button in app.button if str(button.key).startswith(prefix)).click().run()
    assert not app.exception, app.exception[0].value
    return app


def give(app: AppTest, judge: str, idea: str, **marks: int) -> AppTest:
    """Set the marks of the form and save."""
    for name, mark in marks.items():
        app.get_by_key(f"mark {name} {judge} {idea}").set_value(mark)
    return press(app, f"save {judge} {idea}")


ALL_FOUR = {"novelty": 3, "feasibility": 9, "impact": 4, "overall": 5}


def test_the_finding_and_its_figures_come_first(open_page: Open, folder: Path) -> None:
    app = open_page("judges", folder)
    assert app.title[0].value.startswith("Two judges agree")
    # Of i1 to i6, which both marked, i3, i5 and i6 have the same mark.
    assert "give the same mark to **50 %**" in app.markdown[0].value
    assert "of 6 ideas" in app.markdown[0].value
    assert "3 of 16 replies failed" in app.markdown[0].value
    rows = app.dataframe[0].value
    assert {"failures", "n", "agreement", "kappa", "pabak", "ac1", "shares"} <= set(rows.columns)
    assert rows["failures"].tolist() == ["left out", "worst case"]
    assert len(app.get("plotly_chart")) == 2


def test_what_is_compared_moves_by_widget_and_link(open_page: Open, folder: Path) -> None:
    app = open_page("judges", folder)
    app.selectbox(key="on").set_value("novelty").run()
    assert "marks for novelty" in app.title[0].value
    linked = open_page("judges", folder, on="novelty")
    assert linked.title[0].value == app.title[0].value
    wrong = open_page("judges", folder, on="noveltyy")
    assert "is not in this study" in texts(wrong)
    assert "overall marks" in wrong.title[0].value


def test_the_points_are_marks_or_differences(open_page: Open, folder: Path) -> None:
    app = open_page("judges", folder)
    assert "Who marks how high" in texts(app)
    app.segmented_control(key="judge_plot").set_value("Bland–Altman").run()
    assert not app.exception
    assert "How far their marks lie apart" in texts(app)
    assert "Bias above 0" in texts(app)


def test_a_point_opens_the_replies_of_its_idea(open_page: Open, folder: Path) -> None:
    app = open_page("judges", folder)
    app.session_state["judges_scatter"] = {
        "selection": {"points": [{"customdata": ["i4", "…"]}], "box": [], "lasso": []}
    }
    app.run()
    assert app.query_params["idea"] == "i4"
    assert "Idea number 4" in [item.value for item in app.subheader]


def test_the_largest_disagreement_is_open_and_a_row_opens_another(
    open_page: Open, folder: Path
) -> None:
    app = open_page("judges", folder)
    assert "Idea number 1" in [item.value for item in app.subheader]
    assert "Idea i1: ann 5, bob 9" in texts(app)
    select_row(app, "disputes_", 1)
    assert "Idea i4: ann 4, bob 6" in texts(app)
    assert app.query_params["idea"] == "i4"
    shown = next(frame.value for frame in app.dataframe if "difference" in frame.value.columns)
    assert shown["idea_id"].tolist() == ["i1", "i4", "i2"]
    assert shown["difference"].tolist() == [-4, -2, 1]


def test_a_linked_idea_is_open_or_said_to_be_elsewhere(open_page: Open, folder: Path) -> None:
    assert "Idea i2: ann 8, bob 7" in texts(open_page("judges", folder, idea="i2"))
    elsewhere = texts(open_page("judges", folder, idea="i5"))
    assert "Idea i5 is not in this list" in elsewhere
    assert "no idea 'i55'" in texts(open_page("judges", folder, idea="i55"))


def test_each_dispute_links_to_its_idea(open_page: Open, folder: Path) -> None:
    app = open_page("judges", folder)
    (link,) = [item.proto for item in app.get("page_link") if "Open the idea" in str(item.proto)]
    assert 'page: "ideas"' in str(link)
    assert "idea=i1" in str(link)


def test_both_judges_full_replies_are_there(open_page: Open, tmp_path: Path) -> None:
    tables = disputed()
    for row in tables["scores"]:
        row["call_id"] = f"{row['judge']}-{row['idea_id']}"
    folder = write_study(tmp_path / "called", tables)
    reply = "<script>alert(1)</script>\n{}"
    with CallsLog(folder / CALLS_FILE) as log:
        log.append(
            Call(
                id="ann-i1",
                kind="scores",
                key={"idea_id": "i1"},
                judge="ann",
                model="gpt-x",
                prompt_digest="d",
                repeat=1,
                state="ok",
                reply=reply,
                reasoning="I *wonder*.",
            )
        )
    app = open_page("judges", folder)
    assert [code.value for code in app.code] == [reply]
    # bob's call is lost: the reason that the table keeps stands there, and that it is lost.
    assert "The full reply is not kept: calls.jsonl does not hold call bob-i1." in texts(app)
    assert "Reason of bob for 1" in "".join(str(item.proto) for item in app.get("html"))
    key = next(str(k) for k in app.session_state.to_dict() if str(k).startswith("thought_"))
    app.session_state[key] = True
    app.run()
    assert "I *wonder*." in [item.value for item in app.text]


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("Repeats", "No judge marked any idea twice"),
        ("Biases", "On overall marks. A correlation is no proof"),
        ("Together", "6 marked by two or more, 6 by all"),
        ("Mark", "Your marks are saved to this study"),
        ("Disputes", "Overall: they differ on 3 of 6 ideas"),
    ],
)
def test_each_part_opens_by_link(open_page: Open, folder: Path, part: str, told: str) -> None:
    assert told in texts(open_page("judges", folder, judges_part=part))


def test_who_judged_what_unfolds(open_page: Open, folder: Path) -> None:
    app = open_page("judges", folder)
    assert any(
        item.label.startswith("Who judged what: 2 judges, 16 replies, 19 %")
        for item in app.expander
    )
    app.session_state["who_judged"] = True
    app.run()
    rows = next(frame.value for frame in app.dataframe if "failed_share" in frame.value.columns)
    assert rows[["judge", "ok", "refused"]].to_numpy().tolist() == [["ann", 7, 1], ["bob", 6, 2]]


def test_the_judge_of_the_length_chart_can_be_chosen(open_page: Open, folder: Path) -> None:
    app = open_page("judges", folder, judges_part="Biases")
    before = app.get("plotly_chart")[-1].proto.spec
    app.selectbox(key="probe_judge").set_value("bob").run()
    assert not app.exception
    assert app.get("plotly_chart")[-1].proto.spec != before
    app.session_state["halo_fold"] = True
    app.run()
    assert any("dimensions" in frame.value.columns for frame in app.dataframe)


def test_a_person_marks_the_disputed_and_figures_follow(open_page: Open, folder: Path) -> None:
    app = open_page("judges", folder, judges_part="Mark")
    app.text_input(key="person").set_value("Zoe").run()
    assert "Zoe (person) has marked 0 of 3" in texts(app).replace("**", "")
    assert app.selectbox(key="queue_idea").value == "i1"
    give(app, "Zoe (person)", "i1", **ALL_FOUR)
    assert app.title[0].value.startswith("Three judges agree")
    assert app.selectbox(key="queue_idea").value == "i4"
    assert "has marked 1 of 3" in texts(app).replace("**", "")
    assert app.selectbox(key="judge_pair").options == [
        "Zoe (person) / ann",
        "Zoe (person) / bob",
        "ann / bob",
    ]
    scores = Study.open(folder).scores
    row = scores[scores["judge"] == "Zoe (person)"].iloc[0]
    assert {name: row[name] for name in ALL_FOUR} == ALL_FOUR
    assert "Zoe (person)" in app.selectbox(key="judge").options


def test_marks_given_can_be_replaced(open_page: Open, folder: Path) -> None:
    app = open_page("judges", folder, judges_part="Mark")
    app.text_input(key="person").set_value("Zoe").run()
    app.text_area(key="reason Zoe (person) i1").set_value("Known =1+1 <b>since</b> 2019.")
    give(app, "Zoe (person)", "i1", **ALL_FOUR)
    app.selectbox(key="queue_idea").set_value("i1").run()
    assert app.get_by_key("mark novelty Zoe (person) i1").value == 3
    assert app.text_area(key="reason Zoe (person) i1").value == "Known =1+1 <b>since</b> 2019."
    give(app, "Zoe (person)", "i1", novelty=10)
    scores = Study.open(folder).scores
    assert scores.loc[scores["judge"] == "Zoe (person)", "novelty"].tolist() == [10]


def test_all_marked_is_told(open_page: Open, folder: Path) -> None:
    app = open_page("judges", folder, judges_part="Mark")
    app.text_input(key="person").set_value("Zoe").run()
    for idea in ("i1", "i4", "i2"):
        give(app, "Zoe (person)", idea, **ALL_FOUR)
    assert "has marked 3 of 3" in texts(app).replace("**", "")
    assert "Saved. All are marked." in [toast.value for toast in app.toast]


def test_two_people_in_two_sessions_keep_each_others_marks(open_page: Open, folder: Path) -> None:
    first = open_page("judges", folder, judges_part="Mark")
    second = open_page("judges", folder, judges_part="Mark")
    first.text_input(key="person").set_value("Zoe").run()
    second.text_input(key="person").set_value("Max").run()
    give(first, "Zoe (person)", "i1", **ALL_FOUR)
    give(second, "Max (person)", "i1", **ALL_FOUR)
    scores = Study.open(folder).scores
    assert set(scores["judge"]) == {"ann", "bob", "Zoe (person)", "Max (person)"}
    assert second.title[0].value.startswith("Four judges")


def test_missing_marks_are_asked_for_and_nothing_is_written(open_page: Open, folder: Path) -> None:
    app = open_page("judges", folder, judges_part="Mark")
    app.text_input(key="person").set_value("Zoe").run()
    before = (folder / "scores.jsonl").read_bytes()
    give(app, "Zoe (person)", "i1", novelty=3, overall=4)
    assert "Give a mark for feasibility, impact" in app.error[0].value
    assert (folder / "scores.jsonl").read_bytes() == before
    assert app.get_by_key("mark novelty Zoe (person) i1").value == 3


@pytest.mark.parametrize("name", ["all", "<script>", "a/b", "n" * 50, "=x"])
def test_a_bad_name_is_told(open_page: Open, folder: Path, name: str) -> None:
    app = open_page("judges", folder, judges_part="Mark")
    app.text_input(key="person").set_value(name).run()
    assert not app.exception
    assert len(app.error) == 1
    assert "<script" not in live_marks(app.error[0].value)
    assert not [button for button in app.button if str(button.key).startswith("save ")]


def test_the_bundled_study_is_not_written_and_a_copy_is_named(
    open_page: Open, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "BUNDLED", folder.resolve())
    app = open_page("judges", folder, judges_part="Mark")
    assert "The bundled study is read-only" in texts(app)
    assert any(f"cp -r {folder} my-study" in code.value for code in app.code)
    assert not [item for item in app.text_input if item.key == "person"]


def test_one_judge_can_be_joined_by_a_person(open_page: Open, tmp_path: Path) -> None:
    tables = disputed()
    tables["scores"] = [row for row in tables["scores"] if row["judge"] == "ann"]
    folder = write_study(tmp_path / "one", tables)
    app = open_page("judges", folder)
    assert app.title[0].value.startswith("One judge alone: ann")
    assert "It takes marks of two judges" in texts(app)
    assert "makes no set" in texts(open_page("judges", folder, judges_part="Together"))
    app = open_page("judges", folder, judges_part="Mark")
    app.text_input(key="person").set_value("Zoe").run()
    assert "in a drawn order (seed 0)" in texts(app)
    idea = app.selectbox(key="queue_idea").value
    give(app, "Zoe (person)", idea, **ALL_FOUR)
    assert app.title[0].value.startswith("Two judges")


def test_nobody_no_mark_and_no_common_idea_are_told(open_page: Open, tmp_path: Path) -> None:
    empty = open_page("judges", write_study(tmp_path / "none", case_tables() | {"scores": []}))
    assert empty.title[0].value == "Nobody has judged anything in this study yet"
    assert any("foreseen judge scores" in code.value for code in empty.code)
    tables = case_tables()
    marks = ("novelty", "feasibility", "impact", "overall")
    tables["scores"] = [
        row | dict.fromkeys(marks) | {"state": "parse_failed"} for row in tables["scores"]
    ]
    failed = open_page("judges", write_study(tmp_path / "failed", tables))
    assert failed.title[0].value == "The judges' replies hold no mark"
    assert any("16 replies, 100 % failed" in item.label for item in failed.expander)
    tables = case_tables()
    tables["scores"] = [
        row
        for row in tables["scores"]
        if (row["judge"] == "ann") == (row["idea_id"] in ("i1", "i2", "i3"))
    ]
    apart = open_page("judges", write_study(tmp_path / "apart", tables))
    assert "no two of them marked the same idea" in apart.title[0].value
    assert not apart.get("plotly_chart")


def test_judges_who_never_differ_are_told(open_page: Open, plain_folder: Path) -> None:
    app = open_page("judges", plain_folder)
    assert "ann and bob do not differ on any idea" in texts(app)
    assert app.title[0].value == "Two judges agree closely on overall marks"


def test_verdicts_have_cells_categories_and_replies(open_page: Open, tmp_path: Path) -> None:
    grades = ((3, 3, 3), (0, 0, 0), (3, 2, 2))
    tables = case_tables()
    tables["verdicts"] = [
        {
            "idea_id": f"i{n}",
            "paper_id": f"p{n}",
            "judge": judge,
            **dict(zip(("problem", "method", "specificity"), grades[(n + shift) % 3], strict=True)),
            "reason": f"{judge} on {n}",
        }
        for n in range(1, 7)
        for judge, shift in (("ann", 0), ("cat", n // 5))
    ]
    folder = write_study(tmp_path / "verdicts", tables)
    app = open_page("judges", folder, on="gate")
    assert "on what passes the gate" in app.title[0].value
    assert len(app.get("plotly_chart")) == 1
    assert any("category" in frame.value.columns for frame in app.dataframe)
    assert "and paper p" in texts(app)
    repeats = open_page("judges", folder, on="gate", judges_part="Repeats")
    assert "Verdicts have no repeats" in texts(repeats)
    for part in ("Biases", "Together", "Mark"):
        open_page("judges", folder, on="problem", judges_part=part)


def test_what_two_judges_said_comes_before_what_one_said(open_page: Open, tmp_path: Path) -> None:
    tables = case_tables()
    tables["scores"] = [row for row in tables["scores"] if row["judge"] == "ann"]
    tables["verdicts"] = [
        {"idea_id": f"i{n}", "paper_id": "p1", "judge": judge, "problem": n % 4, "method": 2,
         "specificity": 1}
        for n in range(1, 7)
        for judge in ("ann", "cat")
    ]  # fmt: skip
    app = open_page("judges", write_study(tmp_path / "mixed", tables))
    assert app.selectbox(key="on").value == "gate"
    assert app.title[0].value.startswith("Two judges")
    assert open_page("judges", tmp_path / "mixed", on="overall").selectbox(key="on").value == (
        "overall"
    )


@pytest.mark.parametrize("number", range(1, len(HOSTILE) + 1))
def test_foreign_texts_are_shown_as_text(open_page: Open, tmp_path: Path, number: int) -> None:
    tables = disputed()
    text = HOSTILE[number - 1]
    for row in tables["scores"]:
        row["judge"] = f"{row['judge']} {text[:60].strip()}"
        row["overall"] = min(10, 5 + len(row["judge"]) % 2 + (row["judge"][0] == "b") * 2)
        row["reason"], row["state"] = text, "ok"
    for idea in tables["ideas"]:
        idea |= {"title": text[:300].strip(), "problem": text, "system": text[:40].strip()}
    folder = write_study(tmp_path / "foreign", tables)
    app = open_page("judges", folder)
    shown = live_marks(
        "\n".join(
            str(element.value)
            for kind in (app.title, app.subheader, app.markdown, app.caption, app.info)
            for element in kind
        )
    )
    for mark in ("<script", "](javascript", "$\\int", "**bold**", "<img"):
        assert mark not in shown
    assert all(not element.allow_html for element in app.markdown)
    for item in app.get("html"):
        assert "<script" not in str(item.proto)
    marking = open_page("judges", folder, judges_part="Mark")
    marking.text_input(key="person").set_value("Zoe").run()
    assert not marking.exception


def select_row(app: AppTest, prefix: str, place: int) -> None:
    """Simulate a click on a row of the table whose key begins with ``prefix``."""
    key = next(name for name in app.session_state.to_dict() if str(name).startswith(prefix))
    app.session_state[key] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    app.run()
    assert not app.exception


def test_another_study_brings_its_own_choices(
    open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = disputed()
    tables["verdicts"] = [
        {
            "idea_id": f"i{n}",
            "paper_id": "p1",
            "judge": judge,
            "problem": 3,
            "method": n % 4,
            "specificity": 2,
        }
        for n in range(1, 9)
        for judge in ("cat", "dan", "eve")
    ]
    first, second = write_study(tmp_path / "first", tables), write_study(tmp_path / "b", disputed())
    app = open_page("judges", first, on="gate")
    app.selectbox(key="judge_pair").set_value("dan / eve").run()
    monkeypatch.setenv("FORESEEN_STUDIES", json.dumps([str(first), str(second)]))
    app.run()
    app.selectbox(key="study").set_value("b").run()
    assert not app.exception
    assert "overall marks" in app.title[0].value
    assert app.selectbox(key="on").value == "overall"
    app.selectbox(key="study").set_value("first").run()
    assert not app.exception


def test_every_control_is_known_to_links(open_page: Open, folder: Path) -> None:
    known = {*state.MOVABLE, state.STUDY, state.PRESET, *state.PAGE_KEYS}
    for part in ("Disputes", "Repeats", "Biases", "Together"):
        app = open_page("judges", folder, judges_part=part)
        groups = (app.slider, app.selectbox, app.number_input, app.multiselect)
        keys = {item.key for group in (*groups, app.segmented_control) for item in group}
        assert keys <= known, part
        assert not app.warning


def test_a_model_has_its_family_and_a_person_has_none(open_page: Open, tmp_path: Path) -> None:
    tables = disputed()
    names = {"ann": "claude-sonnet", "bob": "Claude (person)"}
    for row in tables["scores"]:
        row["judge"] = names[row["judge"]]
    folder = write_study(tmp_path / "kin", tables, models={"alpha": "claude-haiku"})
    app = open_page("judges", folder, judges_part="Biases")
    rows = next(frame.value for frame in app.dataframe if "family" in frame.value.columns)
    families = dict(zip(rows["judge"], rows["family"], strict=True))
    assert families == {"Claude (person)": "not known", "claude-sonnet": "claude"}
