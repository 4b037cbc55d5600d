"""Each known format: recognised by content, read with its oddities, reported row by row."""

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

from core.cli import app
from core.errors import DataError, UsageError
from core.ingest.foreign import ForeignFile, known_formats, plan_files, read_foreign
from core.ingest.formats import formats
from core.ingest.formats.literals import read_literal
from core.ingest.formats.opened import Opened
from core.ingest.importing import ImportPlan
from core.ingest.tabular import to_csv
from core.study import Study


def plans(name: str) -> dict[str, ImportPlan]:
    table, data = FILES[name]
    file = read_foreign(Path("file"), table, data=data)
    return {plan.table: plan for plan in plan_files(study(), table, [file])}


def rows(name: str, table: str | None = None) -> list[dict[str, Any]]:
    frame = plans(name)[table or FILES[name][0]].frame
    return [dict(row) for row in frame.to_dict("records")]


def report(name: str) -> Any:
    return plans(name)[FILES[name][0]].report.files[0]


def test_every_format_has_a_file() -> None:
    assert set(FILES) == set(formats())
    assert set(formats()) <= set(known_formats())


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_known_by_its_content(name: str) -> None:
    table, data = FILES[name]
    file = read_foreign(Path("no-suffix"), table, data=data)
    assert file.format == name
    told = plan_files(study(), table, [file])[0].report
    assert f"({name})" in told.to_text()
    (each,) = told.files
    assert each.read == each.kept + each.merged + len(each.dropped)
    assert each.mapping
    assert all(item.how == "format" for item in each.mapping)


@pytest.mark.parametrize("name", FILES)
def test_no_other_format_takes_it(name: str) -> None:
    opened = Opened(Path("file"), FILES[name][1])
    taken = [each for each, entry in formats().items() if entry.recognise(opened)]
    assert taken[0] == name


@pytest.mark.parametrize("name", FILES)
def test_a_named_format_refuses_another_shape(name: str) -> None:
    with pytest.raises(DataError, match=r"does not have the shape of"):
        read_foreign(Path("x"), FILES[name][0], form=name, data=b'[{"a": 1}]')


@pytest.mark.parametrize("name", FILES)
def test_importing_twice_changes_nothing(name: str, tmp_path: Path) -> None:
    table, data = FILES[name]
    Study.create(tmp_path / "s", cutoff=date(2024, 6, 30))
    (tmp_path / "file").write_bytes(data)
    words = ["import", table, str(tmp_path / "file"), "--into", str(tmp_path / "s"), "--json"]
    first, second = (CliRunner().invoke(app, words, catch_exceptions=False) for _ in range(2))
    assert first.exit_code == second.exit_code == 0
    assert json.loads(first.stdout)["written"] is True
    told = json.loads(second.stdout)
    assert [told["written"], *(other["written"] for other in told.get("also", ()))] == [
        False, *(False for _ in told.get("also", ())),
    ]  # fmt: skip


def test_cached_ideas() -> None:
    first, second = rows("ai-researcher-cache")
    assert (first["title"], first["topic"], first["system"]) == (
        "First Idea", "bias in language models", "AI-Researcher",
    )  # fmt: skip
    assert first["method"] == "Step a\nStep b"
    assert first["extra"] == {"Existing Methods": "E1", "Experiment Plan": {"Step 1": "Data"}}
    assert second["method"] == "Part: text"
    assert [(row.line, row.reason) for row in report("ai-researcher-cache").dropped] == [
        (1, "idea 'Broken Idea' is no record of sections"),
        (2, "is no {name: idea} record"),
    ]
    assert report("ai-researcher-cache").extra == ("Existing Methods", "Experiment Plan")


def test_proposals() -> None:
    (idea,) = rows("ai-researcher-proposal")
    assert [idea[name] for name in ("title", "problem", "rationale", "method")] == [
        "A Plan", "P", "M", "X",
    ]  # fmt: skip
    assert idea["extra"]["Step-by-Step Experiment Plan"] == {"Step 1": "S"}
    assert idea["extra"]["novelty"] == "yes"


def test_experts_scores() -> None:
    first, second = rows("ai-researcher-scores")
    assert (first["novelty"], first["feasibility"], first["impact"], first["overall"]) == (
        4, 5, 6, 8,
    )  # fmt: skip
    assert first["reason"] == 'novelty: no, "really"\nno\n\noverall: fine'
    assert (first["judge"], first["repeat"], second["repeat"]) == ("expert", 1, 2)
    told = report("ai-researcher-scores")
    # The quoted cell runs over two lines, so the row without marks begins on line 5.
    assert [row.line for row in told.dropped] == [5]
    assert {"soundness_score", "familiarity", "excitement_score", "topic"} <= set(told.left_out)
    assert told.personal == ("reviewer_email",)


def test_stray_spaces_in_ids_are_linked() -> None:
    made = study(ideas=[{"idea_id": "A_1_AI", "system": "AI", "title": "T"}])
    table, data = FILES["ai-researcher-scores"]
    (plan,) = plan_files(made, table, [read_foreign(Path("f"), table, data=data)])
    assert set(plan.frame["idea_id"]) == {"A_1_AI"}


def test_own_marks_are_scores_of_the_judge_self() -> None:
    made = plans("ai-scientist")
    assert list(made) == ["ideas", "scores"]
    assert made["ideas"].frame["method"].tolist() == ["Do it", "Do that", "Unmarked"]
    (score,) = made["scores"].frame.to_dict("records")
    assert score["idea_id"] == made["ideas"].frame["idea_id"][0]
    assert (score["judge"], score["novelty"], score["feasibility"]) == ("self", 6, 8)
    (dropped,) = made["scores"].report.files[0].dropped
    assert (dropped.line, "from 1 to 10" in dropped.reason) == (2, True)
    assert made["scores"].report.unknown_ids == ()


def test_version_two_has_a_hypothesis() -> None:
    first, second = rows("ai-scientist-v2")
    assert (first["rationale"], first["method"]) == ("H", "A")
    assert second["method"] == "E1\nE2"
    assert first["extra"]["Risk Factors and Limitations"] == ["L"]


def test_idea_systems() -> None:
    assert rows("research-agent")[0]["rationale"] == "R"
    assert rows("research-agent")[0]["extra"]["problem_feedbacks"] == {"Clarity": {"rating": 4}}
    assert rows("coi-agent")[0]["rationale"] == "T\n\nF"
    assert [(i["title"], i["method"]) for i in rows("scipip")][1] == ("T", "idea: Two")
    assert [row.reason for row in report("scipip").dropped] == [
        "its idea 3 is empty", "has no idea",
    ]  # fmt: skip
    assert rows("ai-idea-bench")[0]["method"] == "D1: X\n\nD2"
    assert [row.reason for row in report("ai-idea-bench").dropped] == ["has no model_result"]


def test_hypotheses_are_literals_and_never_run() -> None:
    assert [idea["method"] for idea in rows("ideabench")] == ["Hypothesis one", "Hypothesis two"]
    reasons = [(row.line, row.reason) for row in report("ideabench").dropped]
    assert [line for line, _ in reasons] == [3, 4]
    assert "neither JSON nor a Python literal" in reasons[0][1]


@pytest.mark.parametrize(
    "text",
    ["open('x')", "__import__('os')", "[x for x in 'ab']", "1" + "+1" * 100_000, "(" * 100_000,
     "[" * 60 + "]" * 60, "'" * 3, "-" * 100_000 + "1", "a" * 1_000_001, "{[]: 1}", "lambda: 0"],
    ids=range(11),
)  # fmt: skip
def test_what_is_no_literal_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="literal"):
        read_literal(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=5,
    )
)
@settings(max_examples=50, deadline=None)
def test_a_printed_value_comes_back(value: object) -> None:
    if not isinstance(value, str):
        assert read_literal(repr(value)) == value


def test_live_critiques_fail_in_their_own_ways() -> None:
    (idea,) = rows("liveideabench")
    assert (idea["system"], idea["key_terms"], idea["method"]) == ("m1", ("cells",), "An idea")
    marks = {row["judge"]: row for row in rows("liveideabench", "scores")}
    assert {judge: row["state"] for judge, row in marks.items()} == {
        "c1": "ok", "c2": "parse_failed", "c3": "call_failed", "c4": "refused",
    }  # fmt: skip
    assert (marks["c1"]["novelty"], marks["c1"]["feasibility"]) == (7, 6)
    # A failed critique has no mark, and 0 is none.
    assert marks["c2"]["novelty"] != marks["c2"]["novelty"]
    assert [row.reason for row in report("liveideabench").dropped] == [
        "has no idea (error: refused)"
    ]


def test_agents_ideas_with_two_critics() -> None:
    assert len(rows("agentideabench")) == 1
    states = {row["judge"]: row["state"] for row in rows("agentideabench", "scores")}
    assert states == {"c1": "ok", "c2": "call_failed"}


def test_semantic_scholar() -> None:
    first, second = rows("semantic-scholar")
    assert first["published"].strftime("%Y-%m") == "2023-06"
    assert (first["date_precision"], first["extra"]["date_given"]) == ("month", "2024-05-01")
    assert first["abstract"] != first["abstract"]
    assert (first["venue"], first["citations"]) == ("ACL", 3)
    assert first["identifiers"] == {"arxiv": "2306.01234", "doi": "10.1/x", "s2": "a1"}
    assert second["date_precision"] == "year"
    assert second["citations"] != second["citations"]
    told = report("semantic-scholar")
    assert [row.line for row in told.dropped] == [2]
    assert told.personal == ("authorId",)


def test_dumps_in_lower_case_are_semantic_scholars_too() -> None:
    record = {"corpusid": 5, "externalids": {"DOI": "10.1/Y"}, "title": "A dumped title of theirs",
              "publicationdate": "2024-01-01", "citationcount": 0, "year": 2024}  # fmt: skip
    file = read_foreign(Path("f"), "papers", data=json.dumps([record]).encode())
    assert file.format == "semantic-scholar"
    (paper,) = plan_files(study(), "papers", [file])[0].frame.to_dict("records")
    assert (paper["paper_id"], paper["citations"]) == ("corpus:5", 0)


def test_openalex() -> None:
    first, second = rows("openalex")
    assert first["abstract"] == "this is this"
    assert first["published"].strftime("%Y-%m") == "2023-12"
    assert first["identifiers"]["arxiv"] == "2312.00001"
    assert first["extra"]["authors"] == ["Q"]
    assert second["abstract"] != second["abstract"]
    told = report("openalex")
    assert set(told.personal) == {"id", "orcid"}
    assert any("inverted index" in note for note in told.notes)


def test_arxiv_dates_are_first_submissions() -> None:
    first, second = rows("arxiv-atom")
    assert first["paper_id"] == "2401.00001"
    assert first["published"].date() == date(2024, 1, 2)
    assert first["title"] == "A title that is broken over lines"
    assert first["abstract"] == "First line second line"
    assert second["paper_id"] == "cs/0501001"
    told = report("arxiv-atom")
    assert (told.merged, [row.line for row in told.dropped]) == (1, [4])
    dumped, revised = rows("arxiv")
    assert dumped["published"].date() == date(2007, 4, 2)
    assert dumped["extra"]["categories"] == ["hep-ph", "cs.CL"]
    assert "submitter" not in dumped["extra"]
    assert (revised["paper_id"], revised["date_precision"]) == ("2403.00002", "month")
    assert revised["published"].date() == date(2024, 3, 1)


def test_paperlists() -> None:
    first, second, third = rows("paperlists")
    assert (first["venue"], third["venue"]) == ("ICLR 2025", "ICML 2024")
    assert first["citations"] != first["citations"]
    assert third["citations"] == 0
    assert second["venue"] != second["venue"]
    assert first["extra"]["rating"] == "5;7;7;7"
    assert report("paperlists").personal == ("author_orcid",)


def test_bibtex() -> None:
    first, second = rows("bibtex")
    assert first["title"] == r"BERT goes to École: $\alpha$ naïve"
    assert first["venue"] == "Association for Computational Linguistics"
    assert first["published"].strftime("%Y-%m") == "2024-08"
    assert first["identifiers"] == {"doi": "10.18653/v1/2024.acl-long.1"}
    assert second["identifiers"] == {"arxiv": "2306.00009"}
    assert [row.line for row in report("bibtex").dropped] == [12, 13]


def test_abbreviations_reach_later_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.ingest.formats.bibtex._CHUNK", 10)
    entries = "".join(
        f"@inproceedings{{k{n},\n title = {{A paper with number {n}}},\n booktitle = acl\n}}\n"
        for n in range(5)
    )
    data = ("@string{acl = {The Venue}}\n" + entries).encode()
    file = read_foreign(Path("f"), "papers", data=data)
    assert set(file.tables["papers"].frame["venue"]) == {"The Venue"}
    assert file.tables["papers"].lines == (2, 6, 10, 14, 18)


def test_a_known_shape_gives_way_to_a_mapping_by_hand(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_bytes(FILES["ai-researcher-scores"][1])
    Study.create(tmp_path / "s", cutoff=date(2024, 6, 30))
    words = ["import", "scores", str(tmp_path / "r.csv"), "--into", str(tmp_path / "s"),
             "--set", "judge=ann", "--map", "excitement_score=impact"]  # fmt: skip
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0
    assert set(Study.open(tmp_path / "s").scores["impact"]) == {7.0}
    with pytest.raises(UsageError, match="generic reader"):
        CliRunner().invoke(
            app, [*words, "--format", "ai-researcher-scores"], catch_exceptions=False
        )


def test_a_constant_goes_before_the_readers_own(tmp_path: Path) -> None:
    (tmp_path / "i").write_bytes(FILES["coi-agent"][1])
    Study.create(tmp_path / "s", cutoff=date(2024, 6, 30))
    words = ["import", "ideas", str(tmp_path / "i"), "--into", str(tmp_path / "s"),
             "--set", "system=Mine"]  # fmt: skip
    assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
    assert Study.open(tmp_path / "s").ideas["system"].tolist() == ["Mine"]


def test_marks_beside_ideas_join_the_scores_that_are_there(tmp_path: Path) -> None:
    Study.create(tmp_path / "s", cutoff=date(2024, 6, 30))
    (tmp_path / "scores.csv").write_text("idea_id,judge,novelty\nold,ann,5\n")
    (tmp_path / "v1").write_bytes(FILES["ai-scientist"][1])
    for table, name in (("scores", "scores.csv"), ("ideas", "v1")):
        words = ["import", table, str(tmp_path / name), "--into", str(tmp_path / "s")]
        assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
    assert set(Study.open(tmp_path / "s").scores["judge"]) == {"ann", "self"}


def test_only_the_asked_table_is_filled_from_the_other_side() -> None:
    _, data = FILES["ai-scientist"]
    file = read_foreign(Path("f"), "scores", data=data)
    assert set(file.tables) == {"scores"}
    assert any("foreseen import ideas" in note for note in file.tables["scores"].notes)


def test_a_file_for_another_table_is_told() -> None:
    with pytest.raises(UsageError, match="fills papers, not ideas"):
        read_foreign(Path("f"), "ideas", form="bibtex", data=FILES["bibtex"][1])
    with pytest.raises(UsageError, match="Did you mean 'bibtex'"):
        read_foreign(Path("f"), "papers", form="bibtx", data=FILES["bibtex"][1])


def test_an_unknown_shape_goes_to_the_generic_reader() -> None:
    file = read_foreign(Path("mine.csv"), "ideas", data=b"id,system,problem\n1,a,p\n")
    assert isinstance(file, ForeignFile)
    assert file.format == "generic"
    assert plan_files(study(), "ideas", [file])[0].report.files[0].mapping[0].how == "guessed"


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=30).map(
    lambda text: " ".join(text.split())
)
IDEA = st.fixed_dictionaries(
    {"title": TEXT.map(lambda t: f"T {t}".strip()), "problem": TEXT.map(lambda t: f"P {t}".strip()),
     "method": TEXT.map(lambda t: f"M {t}".strip())}
)  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(st.lists(IDEA, min_size=1, max_size=4), st.sampled_from(["utf-8-sig", "utf-16", "utf-8"]))
def test_read_write_read_keeps_ideas(ideas: list[dict[str, str]], encoding: str) -> None:
    """A cache is read, written as our own JSONL and as CSV, and read again."""
    cache = {"topic_description": "t", "ideas": [
        {idea["title"]: {"Problem": idea["problem"], "Proposed Method": idea["method"]}}
        for idea in ideas
    ]}  # fmt: skip
    data = json.dumps(cache, ensure_ascii=False).encode(encoding)
    first = plan_files(study(), "ideas", [read_foreign(Path("c"), "ideas", data=data)])[0].frame
    shown = first[["idea_id", "system", "topic", "title", "problem", "method"]]
    lines = "\n".join(json.dumps(row) for row in shown.to_dict("records"))
    for name, text in (("o.jsonl", lines), ("o.csv", to_csv(shown, escape=False))):
        file = read_foreign(Path(name), "ideas", data=text.encode())
        again = plan_files(study(), "ideas", [file])[0].frame
        assert again[shown.columns].to_dict("records") == shown.to_dict("records")


@pytest.mark.parametrize(
    ("record", "shape"),
    [
        ({"title": "T", "conference": "ICLR", "year": 2024, "rating": 3, "contribute": 2}, "pair-iq"),
        ({"title": "T", "main": "M", "approach": "A", "year": 2024, "rating": 3}, "pair-iq"),
        ({"id": "r", "title": "T", "venueid": "ICLR.cc/2026/Conference",
          "reviews": [{"rating": 6, "soundness": 3, "contribution": 2}]}, "openreview"),
        ({"id": "r", "forum": "r", "content": {"title": {"value": "T"}}}, "openreview"),
        ({"id": "r", "title": "T", "rating": 3}, "generic"),
    ],
)  # fmt: skip
def test_reviewed_papers_are_known_by_their_shape(record: dict[str, Any], shape: str) -> None:
    data = (json.dumps(record) + "\n").encode()
    file = read_foreign(Path("r.jsonl"), "references", data=data)
    assert file.format == shape
    told = plan_files(study(), "references", [file])[0].report.to_text()
    assert (f"read as {shape}, known by its content" in told) == (shape != "generic")
