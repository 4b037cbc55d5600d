"""Marks made elsewhere, by people or models: imported like any table, they are judges too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import study
from typer.testing import CliRunner

from core.agreement import confusion, disagreements
from core.cli import app
from core.config import Settings
from core.study import Study

FAST = Settings(draws=100)
IDEAS = "idea_id,system,topic,title\ni1,a,t1,One\ni2,a,t1,Two\ni3,b,t2,Three\n"
MODEL = "idea_id,judge,repeat,overall\ni1,gpt,1,5\ni1,gpt,2,6\ni2,gpt,1,7\ni3,gpt,1,9\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Study.create(tmp_path / "s", cutoff=study().config.cutoff, horizon_months=30)
    (tmp_path / "ideas.csv").write_text(IDEAS)
    bring(tmp_path / "s", "ideas", tmp_path / "ideas.csv")
    return tmp_path / "s"


def bring(folder: Path, name: str, file: Path, *options: str) -> None:
    done = CliRunner().invoke(app, ["import", name, str(file), "--into", str(folder), *options])
    assert done.exit_code == 0, done.output


def test_marks_of_ideas_stand_beside_a_models(folder: Path, tmp_path: Path) -> None:
    model, people = tmp_path / "model.csv", tmp_path / "people.csv"
    model.write_text(MODEL)
    people.write_text("idea_id,who,mark,note\ni1,anna,6,fair\ni2,anna,7,good\ni3,anna,2,poor\n")
    bring(folder, "scores", model)
    bring(folder, "scores", people, "--map", "who=judge", "--map", "mark=overall", "--map",
          "note=reason")  # fmt: skip
    made = Study.open(folder)
    found = made.agreement(FAST)
    (pair,) = found.pairs
    assert (pair.judge_a, pair.judge_b, pair.on, pair.n) == ("anna", "gpt", "overall", 3)
    assert pair.agreement == pytest.approx(2 / 3)  # gpt's 5.5 is a 6
    worst = disagreements(made).rows.iloc[0]
    assert (worst["idea_id"], worst["difference"]) == ("i3", -7)


def test_one_person_a_file_is_named_by_a_constant(folder: Path, tmp_path: Path) -> None:
    for name, marks in (("anna", "i1,6\ni2,7\n"), ("ben", "i1,6\ni2,3\n")):
        (tmp_path / f"{name}.csv").write_text("idea_id,overall\n" + marks)
        bring(folder, "scores", tmp_path / f"{name}.csv", "--set", f"judge={name}")
    (pair,) = Study.open(folder).agreement(FAST).pairs
    assert (pair.judge_a, pair.judge_b, pair.agreement) == ("anna", "ben", 0.5)


def test_grades_of_idea_and_paper_as_jsonl(folder: Path, tmp_path: Path) -> None:
    grades = {"anna": [(3, 2, 2), (1, 2, 2)], "ben": [(3, 3, 1), (0, 1, 1)]}
    lines = [
        {"idea_id": f"i{n}", "paper_id": "p1", "rater": who, "problem": p, "method": m,
         "specificity": s}
        for who, rows in grades.items()
        for n, (p, m, s) in enumerate(rows, start=1)
    ]  # fmt: skip
    file = tmp_path / "verdicts.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    bring(folder, "verdicts", file)
    pair = confusion(Study.open(folder), "anna", "ben", "gate", FAST).pair
    assert pair.table == ((1, 0), (1, 0))
    assert "'ben' never varies" in pair.undefined


def test_choices_between_idea_and_reference(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "choices.csv"
    file.write_text(
        "idea_id,reference_id,rater,order,rating\n"
        "i1,r1,anna,idea_first,1\ni2,r1,anna,idea_first,0\n"
        "i1,r1,ben,idea_first,1\ni2,r1,ben,idea_first,0.5\n"
    )
    bring(folder, "comparisons", file)
    found = Study.open(folder).agreement(FAST)
    assert [(pair.on, pair.n, pair.agreement) for pair in found.pairs] == [("rating", 2, 0.5)]
    assert found.one_order == 4


def test_an_empty_mark_is_no_mark(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text(
        "idea_id,judge,overall,novelty\ni1,anna,6,5\ni2,anna,,5\ni1,ben,6,5\ni2,ben,4,6\n"
    )
    bring(folder, "scores", file)
    pair, novelty = Study.open(folder).agreement(FAST).pairs
    assert (pair.on, pair.n, novelty.n) == ("overall", 1, 2)
    assert pair.left_out_a == {"unmarked": 1}


def test_a_mark_off_the_scale_is_refused(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("idea_id,judge,overall\ni1,anna,11\ni2,anna,7\n")
    done = CliRunner().invoke(app, ["import", "scores", str(file), "--into", str(folder)])
    assert "11" in done.output + str(done.exception)
    assert Study.open(folder).scores["overall"].tolist() == [7]
