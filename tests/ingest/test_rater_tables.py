"""Labels of people and models, through the product's commands: what they become, and how far
their givers agree."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from builders import study
from foreign_files import FILES
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import core.agreement
from core.cli import app
from core.config import Settings
from core.errors import DataError, UsageError
from core.ingest.foreign import plan_files, read_foreign
from core.ingest.formats import recognise
from core.ingest.formats.opened import Opened
from core.ingest.mapping import ImportOptions
from core.study import Study

TABLE = "1,1,2,2,\n1,2,2,2,3\n"
WORDS = "NN,NN,VBP,VBP,\nNN,VBP,VBP,VBP,NN\n"
LABELS = """idx,pair,ann,ben
0,m_n,1,1
1,m_n,1,2
2,m_o,2,2
3,m_o,2,2
4,n_o,0,Tie
5,n_o,1,garbage
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Study.create(tmp_path / "s", cutoff=date(2024, 6, 30))
    return tmp_path / "s"


def bring(folder: Path, table: str, name: str, text: str, *options: str) -> str:
    """What the command says; its error is raised."""
    file = folder.parent / name
    file.write_text(text)
    words = ["import", table, str(file), "--into", str(folder), *options]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0
    return done.stderr


def agreement(folder: Path) -> dict[str, Any]:
    words = ["agreement", str(folder), "--json", "--draws", "100"]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    return dict(json.loads(done.stdout))


def kind(data: str | bytes) -> str | None:
    """The format that a file is known as."""
    raw = data if isinstance(data, bytes) else data.encode()
    found = recognise(Opened(Path("file"), raw))
    return found and found.name


def test_a_table_of_raters_gives_alpha_by_hand(folder: Path) -> None:
    """Units (1,1), (1,2), (2,2), (2,2); the fifth has one mark and pairs with nothing.

    Coincidences 11: 2, 12 and 21: 1 each, 22: 4; n₁ = 3, n₂ = 5, n = 8.
    D_o = 2/8, D_e = 2·3·5/(8·7) = 30/56, α = 1 − 2·7/30 = 8/15.
    """
    told = bring(folder, "scores", "codes.csv", TABLE)
    assert "each row is a rater (2), each column a unit (5)" in told
    assert "blank cells (or NA, *): 1, not marked, so no row" in told
    assert "9 rows read, 9 kept" in told
    assert "9 rows of 5 ids that the study does not have (kept)" in told
    scores = Study.open(folder).scores
    assert sorted(set(scores["judge"])) == ["codes rater 1", "codes rater 2"]
    assert "codes unit 5" not in set(scores.loc[scores["judge"] == "codes rater 1", "idea_id"])
    overall = agreement(folder)["overall"]
    assert overall["alpha_nominal"] == pytest.approx(8 / 15)
    assert (overall["on"], overall["n"]) == ("overall", 4)


def test_words_are_refused_until_their_numbers_are_named(folder: Path) -> None:
    with pytest.raises(DataError, match=r"line 1: column 'overall': 'NN' is no number.*--code"):
        bring(folder, "scores", "tags.csv", WORDS)
    assert Study.open(folder).scores.empty
    told = bring(folder, "scores", "tags.csv", WORDS, "--code", "NN=1", "--code", "VBP=2")
    assert "4 × 'NN' stands as 1" in told
    assert "labels are words (NN, VBP): each stays in reason as written" in told
    scores = Study.open(folder).scores
    assert set(zip(scores["reason"], scores["overall"], strict=True)) == {("NN", 1), ("VBP", 2)}
    assert agreement(folder)["overall"]["alpha_nominal"] == pytest.approx(8 / 15)


@pytest.mark.parametrize("codes", [{"NN": 2.0, "VBP": 1.0}, {"NN": 10.0, "VBP": 4.0}])
def test_nominal_alpha_does_not_hang_on_the_numbers(codes: dict[str, float]) -> None:
    file = read_foreign(Path("tags.csv"), "scores", data=WORDS.encode())
    (plan,) = plan_files(study(), "scores", [file], ImportOptions(codes=codes))
    made = study(scores=plan.frame.to_dict("records"))
    assert core.agreement.agreement(
        made, Settings(draws=100)
    ).overall.alpha_nominal == pytest.approx(8 / 15)


def test_a_word_without_a_number_is_dropped_with_its_line(folder: Path) -> None:
    told = bring(folder, "scores", "tags.csv", WORDS + "NN,JJ,NN,,\n", "--code", "NN=1",
                 "--code", "VBP=2")  # fmt: skip
    assert "1 dropped" in told
    assert "line 3 dropped: column 'overall': 'JJ' is no number" in told


def test_numbers_that_are_labels_may_have_another_number(folder: Path) -> None:
    """0 is no mark of 1 to 10: said to be a label, it stands as one; blank stays no mark."""
    told = bring(folder, "scores", "t.csv", "0,1,\n1,1,0\n")
    assert "2 dropped" in told
    bring(folder, "scores", "u.csv", "0,1,\n1,1,0\n", "--code", "0=2")
    scores = Study.open(folder).scores
    assert (scores["idea_id"].str.startswith("u ") & (scores["overall"] == 2)).sum() == 2


def test_a_corrected_table_replaces_its_marks(folder: Path) -> None:
    bring(folder, "scores", "codes.csv", TABLE)
    assert "8 unchanged" in bring(folder, "scores", "codes.csv", TABLE.replace("3", "4"))
    scores = Study.open(folder).scores
    assert (len(scores), set(scores["repeat"]), scores["overall"].max()) == (9, {1}, 4)


def test_a_row_that_lacks_a_cell_is_refused() -> None:
    text = "\n".join(["1,2,1"] * 60 + ["1,2"]) + "\n"
    with pytest.raises(DataError, match="line 61: 2 cells where the first row has 3"):
        read_foreign(Path("t.csv"), "scores", data=text.encode())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (TABLE, "rater-table"),
        (WORDS, "rater-table"),
        (TABLE.replace(",", "\t"), "rater-table"),
        (TABLE.replace(",", ";"), "rater-table"),
        ("1,NA,2\n1,2,*\n", "rater-table"),
        ("idea_id,judge,overall\ni1,ann,5\n", None),  # a header repeats no name
        ("a,b\nc,d\n", None),
        ("x,x\none,two\nthree,four\n", None),  # few of its words come back
        ("1,2,3\n", None),  # one rater
        ("1\n2\n", None),
        ("1,2\n1,2,3\n", None),
        ("left,right,winner\na,b,first\n", None),
        ("pair,ann,ben\na_b,good,bad\n", None),
        ("pair,ann\na_b,1\n", None),  # one judge: nothing says that 1 is the first
        ("idea_id,reference_id,judge,order,rating\ni,r,j,idea_first,1\n", None),
    ],
)
def test_shapes_are_known_by_content(text: str, name: str | None) -> None:
    assert kind(text) == name


def test_labels_of_pairs_give_kappa_by_hand(folder: Path) -> None:
    """ann 1 1 2 2 0, ben 1 2 2 2 Tie, the sixth unreadable: p_o = 4/5,
    p_e = (2·1 + 2·3 + 1·1)/25 = 9/25, κ = (20 − 9)/(25 − 9) = 11/16."""
    told = bring(folder, "comparisons", "l.csv", LABELS)
    assert "12 rows read, 12 kept" in told
    assert "1 × 'garbage': state parse_failed, and no label" in told
    rows = Study.open(folder).comparisons
    failed = rows[rows["state"] == "parse_failed"]
    assert failed[["idea_id", "reference_id", "judge"]].to_numpy().tolist() == [
        ["n #5", "o #5", "ben"]
    ]
    assert failed["rating"].isna().all()
    assert (set(rows["order"]), set(rows["repeat"])) == ({"idea_first"}, {1})
    found = agreement(folder)
    (pair,) = found["pairs"]
    assert (pair["on"], pair["n"], pair["left_out_b"]) == ("rating", 5, {"parse_failed": 1})
    assert pair["kappa"] == pytest.approx(11 / 16)
    assert {row["judge"]: row["parse_failed"] for row in found["states"]} == {"ann": 0, "ben": 1}


def test_a_corrected_label_of_a_pair_replaces_it(folder: Path) -> None:
    bring(folder, "comparisons", "l.csv", LABELS)
    told = bring(folder, "comparisons", "l.csv", LABELS.replace("1,m_n,1,2", "1,m_n,1,1"))
    assert "1 updated, 11 unchanged" in told
    assert len(Study.open(folder).comparisons) == 12


def test_labels_of_pairs_with_their_oddities() -> None:
    file = read_foreign(Path("l.csv"), "comparisons", data=FILES["pair-labels"][1])
    (plan,) = plan_files(study(), "comparisons", [file])
    (told,) = plan.report.files
    assert [(row.line, row.reason) for row in told.dropped] == [
        (4, "column 'ben': no label '9'. Known: 0, tie, 1, 2"),
        (5, "names no pair"),
    ]
    assert told.left_out == ("note",)
    assert any("1 blank cells: not judged" in note for note in told.notes)
    # A name that does not part in two stays whole.
    assert {"x_y_z, first #5", "x_y_z, second #5"} <= {
        *plan.frame["idea_id"], *plan.frame["reference_id"],
    }  # fmt: skip
    ties = plan.frame[plan.frame["rating"] == 0.5]
    assert ties[["idea_id", "judge"]].to_numpy().tolist() == [["a #0", "model"], ["b #2", "ann"]]


def test_winners_of_pairs_keep_repeats_and_the_files_order(folder: Path) -> None:
    text = "left,right,winner\na,b,left\nc,b,tie\na,b,left\na,b,right\nb,a,left\n"
    with pytest.raises(DataError, match=r"'judge'.*--set judge="):
        bring(folder, "comparisons", "w.csv", text)
    told = bring(folder, "comparisons", "w.csv", text, "--set", "judge=people")
    assert "5 rows read, 5 kept" in told
    assert "5 rows of 3 ids that the study does not have (kept)" in told
    assert "4 × " not in told
    rows = Study.open(folder).comparisons
    shown = rows[["idea_id", "reference_id", "repeat", "rating"]].to_numpy().tolist()
    assert shown == [["a", "b", 1, 1], ["c", "b", 1, 0.5], ["a", "b", 2, 1], ["a", "b", 3, 0],
                     ["b", "a", 1, 1]]  # fmt: skip
    assert "5 unchanged" in bring(folder, "comparisons", "w.csv", text, "--set", "judge=people")


def test_winners_that_say_nothing_are_dropped() -> None:
    file = read_foreign(Path("w.csv"), "comparisons", data=FILES["pair-winners"][1])
    (plan,) = plan_files(study(), "comparisons", [file])
    assert [(row.line, row.reason) for row in plan.report.files[0].dropped] == [
        (5, "does not name two sides"),
        (6, "column 'winner': no label 'nobody'. Known: left, right, tie"),
    ]
    assert plan.frame["state"].tolist() == ["ok", "ok", "ok", "parse_failed"]
    assert set(plan.frame["judge"]) == {"ann"}


def test_ids_with_a_text_are_known(folder: Path) -> None:
    bring(folder, "ideas", "i.csv", "idea_id,system,title\na,x,One\nc,x,Three\n")
    bring(folder, "references", "r.csv", "reference_id,title\nb,Two\n")
    told = bring(folder, "comparisons", "w.csv", "left,right,winner\na,b,left\nc,b,tie\n",
                 "--set", "judge=people")  # fmt: skip
    assert "does not have" not in told


# Labels by people as CSV, read by the generic reader.
def test_people_grade_pairs_of_idea_and_paper(folder: Path) -> None:
    text = "idea_id,paper_id,rater,problem,method,specificity\ni,p,ann,3,2,2\ni,p,ben,1,2,0\n"
    assert "rater → judge (guessed)" in bring(folder, "verdicts", "v.csv", text)
    (pair,) = [each for each in agreement(folder)["pairs"] if each["on"] == "gate"]
    assert (pair["judge_a"], pair["judge_b"], pair["n"], pair["agreement"]) == ("ann", "ben", 1, 0)


def test_people_choose_between_idea_and_reference(folder: Path) -> None:
    text = "idea_id,reference_id,rater,value\ni,r,ann,1\ni,r,ben,0.5\n"
    with pytest.raises(DataError, match=r"'order'.*--set order="):
        bring(folder, "comparisons", "c.csv", text)
    with pytest.raises(DataError, match=r"no column holds a mark.*--map theirs="):
        bring(folder, "comparisons", "c.csv", text, "--set", "order=idea_first")
    bring(folder, "comparisons", "c.csv", text, "--set", "order=idea_first", "--map",
          "value=rating")  # fmt: skip
    assert Study.open(folder).comparisons["rating"].tolist() == [1, 0.5]


def test_people_say_words(folder: Path) -> None:
    text = "idea_id,rater,value\ni,ann,Accept (Poster)\nj,ann,reject\ni,ben,reject\nj,ben,\n"
    codes = ["--code", "Accept (Poster)=10", "--code", "reject=1"]
    told = bring(folder, "scores", "h.csv", text, "--map", "value=overall", *codes)
    assert "line 5 dropped: has no mark" in told
    assert Study.open(folder).scores["overall"].tolist() == [10, 1, 1]


def test_a_code_leaves_the_number_of_a_repeat_alone(folder: Path) -> None:
    text = "idea_id,judge,repeat,overall\ni,ann,1,1\ni,ann,2,2\n"
    bring(folder, "scores", "r.csv", text, "--code", "1=9")
    scores = Study.open(folder).scores
    assert (scores["repeat"].tolist(), scores["overall"].tolist()) == ([1, 2], [9, 2])


@pytest.mark.parametrize("code", ["NN", "NN=", "=3", "NN=three", "NN=nan"])
def test_a_code_that_says_nothing_is_refused(folder: Path, code: str) -> None:
    with pytest.raises(UsageError, match="must be WORD=NUMBER"):
        bring(folder, "scores", "t.csv", WORDS, "--code", code)


def test_codes_are_for_marks_and_say_one_thing(folder: Path) -> None:
    with pytest.raises(UsageError, match="two numbers"):
        bring(folder, "scores", "t.csv", WORDS, "--code", "NN=1", "--code", "NN=2")
    with pytest.raises(UsageError, match="ideas hold none"):
        bring(folder, "ideas", "t.csv", "idea_id,system,title\ni,a,T\n", "--code", "T=1")


CELL = st.sampled_from(["", "1", "2", "7", "10"])


@settings(max_examples=40)
@given(st.integers(2, 5).flatmap(lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n),
                                                    min_size=2, max_size=6)))  # fmt: skip
def test_every_mark_of_a_table_comes_back(table: list[list[str]]) -> None:
    """Twin: every cell that holds a number is a row under its own unit and rater."""
    expected = {
        (f"t unit {u}", f"t rater {r}"): float(cell)
        for r, row in enumerate(table, start=1)
        for u, cell in enumerate(row, start=1)
        if cell
    }
    data = "".join(",".join(row) + "\n" for row in table).encode()
    if not expected:
        assert kind(data) is None
        return
    file = read_foreign(Path("t.csv"), "scores", data=data)
    (plan,) = plan_files(study(), "scores", [file])
    found = plan.frame.set_index(["idea_id", "judge"])["overall"].to_dict()
    assert found == expected
