"""Every shape of the known formats: what is read of it, and that nothing is lost unsaid."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import study
from foreign_files import FILES, REVIEWED, SHAPES

from core.ingest.foreign import plan_files, read_foreign
from core.ingest.importing import ImportPlan


def plans(name: str) -> dict[str, ImportPlan]:
    table, data = FILES[name]
    file = read_foreign(Path("file"), table, data=data)
    return {plan.table: plan for plan in plan_files(study(), table, [file])}


def rows(name: str, table: str | None = None) -> list[dict[str, Any]]:
    return list(plans(name)[table or FILES[name][0]].frame.to_dict("records"))


def shape(name: str) -> dict[str, ImportPlan]:
    form, table, data = SHAPES[name]
    file = read_foreign(Path("no-suffix"), table, data=data)
    assert file.format == form
    return {plan.table: plan for plan in plan_files(study(), table, [file])}


def test_the_execution_studys_marks_are_told() -> None:
    plan = shape("the execution study")["scores"]
    (mark,) = plan.frame.to_dict("records")
    assert (mark["overall"], mark["reason"], mark["judge"]) == (4, "overall: why", "expert")
    (told,) = plan.report.files
    assert {"codebase_quality_score", "faithfulness_score", "experience", "minutes"} <= set(
        told.left_out
    )
    assert [row.line for row in told.dropped] == [3]


@pytest.mark.parametrize("name", SHAPES)
def test_other_shapes_are_known_and_accounted_for(name: str) -> None:
    for plan in shape(name).values():
        (told,) = plan.report.files
        assert told.read == told.kept + told.merged + len(told.dropped)


def test_forecasts_judged_or_not() -> None:
    first, _ = rows("ideaforecastbench")
    assert (first["topic"], first["rank"], first["method"]) == ("Graphs", 1, "A")
    assert (str(first["cutoff"].date()), first["extra"]["confidence"]) == ("2024-07-31", 0.9)
    told = plans("ideaforecastbench")["ideas"].report.files[0]
    assert [row.line for row in told.dropped] == [3, 4]
    assert "repeats window" in told.dropped[0].reason
    assert any("1 windows of the configured months are missing" in note for note in told.notes)
    judged = {
        r["paper_id"]: r for r in shape("judged forecasts")["verdicts"].frame.to_dict("records")
    }
    # 0/0/0 beside a failed call is that call's; null is a reply that could not be read.
    assert {paper: row["state"] for paper, row in judged.items()} == {
        "p1": "call_failed", "p2": "parse_failed", "p3": "ok", "p4": "ok",
    }  # fmt: skip
    assert (judged["p3"]["problem"], judged["p4"]["problem"]) == (3, 0)


def test_a_paper_of_the_corpus_in_markdown() -> None:
    (paper,) = rows("ideaforecastbench-paper")
    assert (paper["paper_id"], paper["title"]) == ("2407.00001", "A paper: of graphs")
    assert (paper["abstract"], str(paper["published"].date())) == ("Two lines.", "2024-07-03")
    assert paper["extra"] == {"keywords": "gnn, é"}


def test_what_a_system_writes_beside_its_idea_is_kept() -> None:
    (case,) = shape("a case of CoI")["ideas"].frame.to_dict("records")
    assert (case["method"], case["extra"]) == ("Core: I", {"experiment": "E", "score": 3})
    (idea,) = shape("a failed run first")["ideas"].frame.to_dict("records")
    assert idea["method"] == "D: step: X"
    kept = idea["extra"]["method"]["targeted_designs_details"]
    assert kept == [{"pseudo_code": "y"}]


def test_pages_and_dumps_of_papers() -> None:
    plan = shape("a page of works")["papers"]
    assert plan.frame["date_precision"].tolist() == ["year"]
    (dropped,) = plan.report.files[0].dropped
    assert (dropped.line, "day" in dropped.reason) == (1, True)
    old, new = shape("a daily dump")["papers"].frame.to_dict("records")
    assert (old["paper_id"], str(old["published"].date())) == ("cs/0501001", "2005-01-03")
    assert old["extra"]["primary_category"] == "cs.DL"
    assert old["extra"]["id"] == 7
    assert new["paper_id"] == "2403.00002"


def test_an_export_of_ours_brings_its_marks_along() -> None:
    first, second = rows("foreseen-ideas")
    assert (first["key_terms"], first["extra"]) == (("k",), {"note": 1})
    assert str(first["cutoff"].date()) == "2024-06-30"
    assert second["extra"] == {}
    ann, bob = rows("foreseen-ideas", "scores")
    assert (ann["repeat"], ann["novelty"], ann["reason"]) == (2, 5, "R")
    assert bob["state"] == "refused"


def records_of(data: bytes) -> tuple[Any, bool]:
    """A file's JSON, and whether it stands in lines."""
    try:
        return json.loads(data), False
    except json.JSONDecodeError:
        return [json.loads(line) for line in data.decode().splitlines()], True


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to each object in a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    inner = [p for key, v in items if isinstance(v, (dict, list)) for p in places(v, (*at, key))]
    return [at, *inner] if isinstance(value, dict) else inner


# What is no row of ours: a page around its rows, a row that is dropped, ideas by their names, an
# index of words, versions (which are told as one), what we compute ourselves.
NO_ROW = {
    ("semantic-scholar", ()), ("scipip", (1,)), ("ai-idea-bench", (1,)),
    ("ai-idea-bench", (1, "summary")), ("openalex", (0, "abstract_inverted_index")),
    ("openalex", (1, "abstract_inverted_index")), ("ai-researcher-cache", ("ideas", 0)),
    ("arxiv", (0, "versions", 0)), ("arxiv", (0, "versions", 1)),
    ("foreseen-ideas", (0, "hindsight")),
}  # fmt: skip
NESTED = [name for name, (_, data) in FILES.items() if data[:1] in (b"[", b"{")]


@pytest.mark.parametrize("name", [n for n in NESTED if n != "ideaforecastbench"])
def test_no_field_is_lost_unsaid_and_no_personal_one_comes_in(name: str) -> None:
    table, data = FILES[name]
    whole, in_lines = records_of(data)
    for place in places(whole):
        if (name, place) in NO_ROW:
            continue
        other = json.loads(json.dumps(whole))
        inner = other
        for key in place:
            inner = inner[key]
        inner |= {"unheard_of": "A value", "email": "someone@example.org"}
        text = "\n".join(map(json.dumps, other)) if in_lines else json.dumps(other)
        made = plan_files(study(), table, [read_foreign(Path("f"), table, data=text.encode())])
        cells = json.dumps([plan.frame.astype(str).to_dict("list") for plan in made])
        said = made[0].report.files[0]
        assert "example.org" not in cells, place
        assert "A value" in cells or any("unheard_of" in n for n in said.left_out), place
        assert "email" in said.personal, place


def reviewed(name: str) -> Any:
    """The plan for references of one shape, from a file whose name says nothing."""
    form, data = REVIEWED[name]
    file = read_foreign(Path("no-suffix"), "references", data=data)
    assert file.format == form
    return plan_files(study(), "references", [file])[0]


def test_reviewed_papers_in_every_shape() -> None:
    plan = reviewed("the listing of PAIR-IQ")
    (paper,) = plan.frame.to_dict("records")
    assert (paper["rating"], paper["contribution"], paper["decision"]) == (3.125, 2.5, "poster")
    assert paper["innovative_methods"] == "1\n2"
    assert plan.report.files[0].left_out == ("embedding",)
    assert [(row.line, "0 to 5" in row.reason or "0..5" in row.reason)
            for row in plan.report.files[0].dropped] == [(2, True)]  # fmt: skip
    (paper,) = reviewed("one paper of PAIR-IQ").frame.to_dict("records")
    assert (paper["main_target"], paper["innovative_methods"]) == ("M", "A")


def test_reviews_of_both_versions() -> None:
    plan = reviewed("notes of version 1")
    (paper,) = plan.frame.to_dict("records")
    # 6 on 1..10 is 5/9 · 5.
    assert paper["rating"] == pytest.approx(25 / 9)
    assert (paper["decision"], paper["extra"]["confidence"]) == (
        "Accept (Poster)",
        ["4: confident"],
    )
    assert plan.report.files[0].personal == ("authorids", "signatures")
    assert "~A_B1" not in str(paper)
    (paper,) = reviewed("notes of version 2").frame.to_dict("records")
    # '3 good' is 3 on 1..4, 2/3 · 5; '2 fair' is 1/3 · 5.
    assert paper["soundness"] == pytest.approx(10 / 3)
    assert paper["contribution"] == pytest.approx(5 / 3)
    assert (paper["extra"]["presentation"], paper["extra"]["confidence"]) == (["4 excellent"], [3])


def test_ratings_in_three_ways_of_writing() -> None:
    frame = reviewed("three ways to write ratings").frame.set_index("reference_id")
    # Means 6.5, 4, 8.5 and 6, each less 1, over 9, times 5; none is unknown, not 0.
    expected = {"a": 5.5 * 5 / 9, "b": 3 * 5 / 9, "c": 7.5 * 5 / 9, "e": 5 * 5 / 9}
    assert frame["rating"].dropna().to_dict() == pytest.approx(expected)
    assert frame.loc["a", "extra"]["reviews"] == {"rating": [5, 7, 7, 7]}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("ideas.json", b'{"system": "a", "problem": "p"}\n{"system": "a", "problem": "q"}\n'),
        ("ideas.csv", b'[{"system": "a", "problem": "p"}, {"system": "a", "problem": "q"}]'),
        ("ideas", b'{"made": 1, "rows": [{"system": "a", "problem": "p"}, {"problem": "q",'
                  b' "system": "a"}]}'),
        ("ideas.json", b'{"system": "a", "problem": "p", "key_terms": ["x"]}'),
        ("ideas", b"system\tproblem\na\tp, with a comma\n"),
    ],
)  # fmt: skip
def test_the_content_counts_before_the_name(name: str, data: bytes) -> None:
    file = read_foreign(Path(name), "ideas", data=data)
    assert len(plan_files(study(), "ideas", [file])[0].frame) in (1, 2)
    assert set(plan_files(study(), "ideas", [file])[0].frame["system"]) == {"a"}
