"""Imports: every row accounted for, nothing doubled, nothing half written."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.errors import DataError, TableError
from core.ingest import tabular
from core.ingest.importing import ImportPlan, open_for_import, plan_import
from core.ingest.mapping import ImportOptions
from core.ingest.tabular import read_file
from core.study import Study

IDEAS = "idea_id,system,title,problem\ni1,A,One,p1\ni2,B,Two,p2\n"


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.create(tmp_path / "study", cutoff=date(2023, 6, 30), horizon_months=30)


def plan(
    study: Study, name: str, *files: str | bytes | list[dict[str, Any]], **options: Any
) -> ImportPlan:
    raws = []
    for number, content in enumerate(files):
        if isinstance(content, list):
            text = "\n".join(json.dumps(row) for row in content)
            raws.append(read_file(Path(f"f{number}.jsonl"), text.encode()))
        else:
            data = content.encode() if isinstance(content, str) else content
            raws.append(read_file(Path(f"f{number}.csv"), data))
    return plan_import(study, name, raws, ImportOptions(**options))


def frame(study: Study, name: str, *files: Any, **options: Any) -> pd.DataFrame:
    return plan(study, name, *files, **options).frame


def paper(study: Study, row: dict[str, Any], **options: Any) -> dict[str, Any]:
    made = frame(study, "papers", [{"paper_id": "p", "title": "T", **row}], **options)
    return made.to_dict("records")[0]


def test_what_was_imported_can_be_opened(study: Study) -> None:
    after, report = plan(study, "ideas", IDEAS).apply()
    assert report.written
    assert after.folder is not None
    again = Study.open(after.folder)
    assert again.ideas["idea_id"].tolist() == ["i1", "i2"]
    assert again.digest == after.digest


def test_a_preview_writes_nothing(study: Study) -> None:
    made = plan(study, "ideas", IDEAS)
    assert (made.report.rows_before, made.report.rows_after, made.report.written) == (0, 2, False)
    assert study.folder is not None
    assert [path.name for path in study.folder.iterdir()] == ["study.toml"]


def test_importing_twice_doubles_nothing(study: Study) -> None:
    after, _ = plan(study, "ideas", IDEAS).apply()
    again = plan(after, "ideas", IDEAS)
    assert (again.report.files[0].unchanged, again.report.rows_after, again.changed) == (
        2,
        2,
        False,
    )
    changed = plan(after, "ideas", IDEAS.replace("p2", "better")).report.files[0]
    assert (changed.updated, changed.unchanged, changed.added) == (1, 1, 0)


def test_an_update_keeps_what_the_new_file_leaves_out(study: Study) -> None:
    after, _ = plan(study, "ideas", [{"id": "i1", "system": "A", "title": "T", "note": 1}]).apply()
    made = frame(after, "ideas", [{"id": "i1", "system": "A", "problem": "P", "other": 2}])
    (row,) = made.to_dict("records")
    assert (row["title"], row["problem"], row["extra"]) == ("T", "P", {"note": 1, "other": 2})


def test_every_row_is_accounted_for(study: Study) -> None:
    made = plan(
        study,
        "papers",
        "id,title,published,citations\na,Something quite particular,2024-01-01,1\n"
        "b,Something Quite Particular,2024-02,x\nc,,2024,2\nd,Fine title here,2023-13-40,3\n"
        "e,Something quite PARTICULAR,2024-01,7\n",
    )
    (file,) = made.report.files
    assert (file.read, file.kept, file.merged) == (5, 1, 1)
    assert [(row.line, row.reason.split(":")[0]) for row in file.dropped] == [
        (3, "column 'citations'"),
        (4, "has no text"),
        (5, "must be a date as YYYY-MM-DD, YYYY-MM or YYYY; month must be in 1..12"),
    ]
    assert file.read == file.kept + file.merged + len(file.dropped)
    assert made.frame["citations"].tolist() == [7.0]
    text = made.report.to_text()
    assert "5 rows read, 1 kept (1 new, 0 updated, 0 unchanged), 1 merged, 3 dropped" in text
    assert "line 4 dropped: has no text" in text
    assert made.report.to_frame()["dropped"].tolist() == [3]
    assert len(made.report.dropped_frame()) == 3


def test_several_files_are_one_import(study: Study) -> None:
    second = "id,condition,headline\ni3,B,Three\n"
    made = plan(study, "ideas", IDEAS, second.replace("headline", "title"))
    assert [file.added for file in made.report.files] == [2, 1]
    with pytest.raises(DataError, match="f1"):
        plan(study, "ideas", IDEAS, second)


def test_a_repeated_id_is_dropped_with_its_line(study: Study) -> None:
    rows = "id,system,title\ni1,A,One\ni1,A,Other\ni1,A,One\n"
    dropped = plan(study, "ideas", rows).report.files[0].dropped
    assert [row.reason for row in dropped] == [
        "repeats idea_id 'i1' of line 2 with other content",
        "repeats idea_id 'i1' of line 2 with the same content",
    ]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_failed_import_leaves_the_study_as_it_was(
    study: Study, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    after, _ = plan(study, "ideas", IDEAS).apply()
    after.write("ideas", after.ideas, suffix=suffix)
    assert after.folder is not None
    before = {path.name: path.read_bytes() for path in after.folder.iterdir()}

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tabular.os, "replace", fail)
    with pytest.raises(KeyboardInterrupt):
        plan(after, "ideas", "id,system,title\ni9,A,Nine\n").apply()
    assert {path.name: path.read_bytes() for path in after.folder.iterdir()} == before


def test_a_broken_table_is_not_imported_into(study: Study) -> None:
    assert study.folder is not None
    (study.folder / "ideas.csv").write_text("idea_id,system\ni1,A\ni1,A\n")
    with pytest.raises(TableError, match="repeats row 1"):
        open_for_import(study.folder, "ideas")
    assert open_for_import(study.folder, "scores").ideas.empty


# Ideas


def test_rows_without_an_id_get_one_from_their_content(study: Study) -> None:
    first = plan(study, "ideas", "system,title\nA,One\nA,Two\n")
    ids = first.frame["idea_id"].tolist()
    assert len(set(ids)) == 2
    assert all(name.startswith("idea-") for name in ids)
    assert any("2 made from the content" in note for note in first.report.files[0].notes)
    after, _ = first.apply()
    assert plan(after, "ideas", "system,title\nA,Two\nA,One\n").report.files[0].unchanged == 2


def test_sections_constants_and_joined_columns(study: Study) -> None:
    text = "1. Problem Statement: P\n2. Motivation: R\n3. Proposed Method: M\n4. Fallback Plan: F"
    (row,) = frame(
        study, "ideas", [{"id": " i1 ", "body": text, "a": "x", "b": None, "c": "y"}],
        constants={"system": "AI"}, split_sections="body", maps=("a+b+c=title",), join=" / ",
    ).to_dict("records")  # fmt: skip
    assert (row["idea_id"], row["system"], row["title"]) == ("i1", "AI", "x / y")
    assert (row["problem"], row["rationale"], row["method"]) == ("P", "R", "M")
    assert row["extra"] == {"fallback_plan": "F"}


def test_a_text_without_headings_is_kept_whole(study: Study) -> None:
    made = plan(
        study, "ideas", [{"id": "i", "system": "A", "body": "plain"}], split_sections="body"
    )
    assert made.frame["method"].tolist() == ["plain"]
    assert "1 texts without a known heading" in made.report.files[0].notes[0]


ODD = ["x" * 100_000, "=HYPERLINK(1)", "<img src=x onerror=1>", "שלום 👩‍🔬 مرحبا", "a\u202eb"]


@pytest.mark.parametrize("text", ODD, ids=["long", "formula", "html", "rtl", "override"])
def test_odd_texts_come_in_as_they_are(study: Study, text: str) -> None:
    after, _ = plan(study, "ideas", [{"id": "i", "system": "A", "title": text}]).apply()
    assert after.folder is not None
    assert Study.open(after.folder).ideas["title"].tolist() == [text]


def test_control_and_half_characters_are_taken_out_and_counted(study: Study) -> None:
    made = plan(study, "ideas", [{"id": "i", "system": "A", "title": "a\0b\ud800", "x": "\ud800"}])
    assert made.frame["title"].tolist() == ["ab\ufffd"]
    assert "title: control characters taken out of 1 cells" in made.report.files[0].notes
    made.apply()


@pytest.mark.parametrize("data", ["", "id,system,title\n", "id,system,title\ni1,A,\ni2,A,NaN\n"])
def test_nothing_to_import_is_an_error(study: Study, data: str) -> None:
    with pytest.raises(DataError, match="nothing"):
        plan(study, "ideas", data)


def test_personal_fields_do_not_come_in(study: Study) -> None:
    made = plan(
        study, "ideas",
        [{"id": "i", "system": "A", "title": "T", "gender": "f", "who": {"email": "e", "n": 1}}],
    )  # fmt: skip
    assert made.frame["extra"].tolist() == [{"who": {"n": 1}}]
    assert made.report.files[0].personal == ("email", "gender")
    assert "personal, dropped: email, gender" in made.report.to_text()


# Papers


@pytest.mark.parametrize(
    ("row", "published", "precision"),
    [
        ({"published": "June 2023"}, "2023-06-01", "month"),
        ({"published": "2023-06-12"}, "2023-06-12", "day"),
        ({"year": 2023}, "2023-01-01", "year"),
        ({"year": 2023, "bibtex_month": "jun"}, "2023-06-01", "month"),
        ({"year": 2023, "bibtex_month": "NaN"}, "2023-01-01", "year"),
        ({"publicationDate": None, "year": 2023}, "2023-01-01", "year"),
        ({"paper_id": "2503.12141v2"}, "2025-03-01", "month"),
        ({"arxiv_id": "2503.12141", "year": 2025}, "2025-03-01", "month"),
        ({"arxiv_id": "2412.00001", "year": 2025}, "2024-12-01", "month"),
        ({"id_month": "2025-04"}, "2025-04-01", "month"),
    ],
)
def test_dates_are_read_with_their_precision(
    study: Study, row: dict[str, Any], published: str, precision: str
) -> None:
    made = paper(study, row)
    assert (str(made["published"].date()), made["date_precision"]) == (published, precision)


@pytest.mark.parametrize(
    "row",
    [
        {"arxiv_id": "2503.12141", "v1_date": None},  # there is a date column: no guess by id
        {"updated": "2023-06-12"},
        {"version_dates": {"v2": "2023-06-12"}},
        {"first_listing_file": "2025-03-18"},
    ],
)
def test_no_date_is_made_up(study: Study, row: dict[str, Any]) -> None:
    assert pd.isna(paper(study, row)["published"])


def test_minus_one_citations_must_be_explained(study: Study) -> None:
    with pytest.raises(
        DataError, match=r"f0\.jsonl, line 1: citations is -1.*--missing citations=-1"
    ):
        paper(study, {"citations": -1})
    assert pd.isna(paper(study, {"citations": -1}, missing={"citations": ("-1",)})["citations"])
    assert pd.isna(paper(study, {"cites": "-1.0"}, maps=("cites=citations",),
                         missing={"cites": ("-1",)})["citations"])  # fmt: skip
    made = plan(study, "papers", [{"paper_id": "p", "title": "T", "gs_citation": -1}])
    assert made.report.files[0].notes[0] == "citations: 1 × -1 read as unknown"


@pytest.mark.parametrize("cell", ["NaN", "n/a", "", None, "-"])
def test_unknown_numbers_are_unknown_and_never_0(study: Study, cell: object) -> None:
    assert pd.isna(paper(study, {"citations": cell})["citations"])


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "many", True, "1_000", 10**400])
def test_numbers_that_are_none_drop_the_row(study: Study, cell: object) -> None:
    with pytest.raises(DataError, match=r"every row would be dropped.*must be a"):
        paper(study, {"citations": cell})


def test_hard_line_breaks_are_unwrapped(study: Study) -> None:
    made = paper(study, {"abstract": "one\ntwo\r\nthree", "title": "A\n title"})
    assert (made["abstract"], made["title"]) == ("one two three", "A title")


def test_identifiers_come_from_every_place(study: Study) -> None:
    made = paper(study, {"externalIds": {"ArXiv": "2503.12141v1", "CorpusId": 5}, "doi": "10.1/AB"})
    assert made["identifiers"] == {"arxiv": "2503.12141", "corpusid": "5", "doi": "10.1/ab"}
    made = paper(study, {"ids": {"a": {"b": "10.1/x"}}}, maps=("ids.a.b=identifiers.doi",))
    assert made["identifiers"] == {"doi": "10.1/x"}


@pytest.mark.parametrize(
    ("row", "venue"),
    [
        ({"venue": "EMNLP", "status": "Findings"}, "EMNLP Findings"),
        ({"venue": "ICML", "status": "Poster", "track": "main"}, "ICML"),
        ({"venue": "IJCAI", "track": "Demo Track", "status": "Poster"}, "IJCAI Demo Track"),
        ({"venue": {"name": "Nature", "id": 3}}, "Nature"),
    ],
)
def test_a_side_track_is_written_with_its_venue(
    study: Study, row: dict[str, Any], venue: str
) -> None:
    assert paper(study, row)["venue"] == venue


def test_an_entry_without_an_abstract_is_kept(study: Study) -> None:
    made = frame(study, "papers", "id,title,year\na,Preface,2024\nb,Preface,2024\n")
    assert made["paper_id"].tolist() == ["a", "b"]


def test_an_id_used_for_another_paper_is_dropped(study: Study) -> None:
    after, _ = plan(study, "papers", "id,title\npaper1,Graphs for molecules\n").apply()
    made = plan(after, "papers", "id,title\npaper1,How voters change\npaper2,New things\n")
    assert "already names another paper, 'Graphs for" in made.report.files[0].dropped[0].reason
    assert made.frame["title"].tolist() == ["Graphs for molecules", "New things"]


# Scores


def scored(study: Study, *files: Any, **options: Any) -> ImportPlan:
    after, _ = plan(study, "ideas", "id,system,title\nM_9_AI,A,One\ni2,A,Two\n").apply()
    return plan(after, "scores", *files, constants={"judge": "expert"}, **options)


MARKS = "idea_id,novelty\nM_9_AI,3\nM_9_AI,3\nM_9_AI,5\ni2,4\n"


def test_repeats_are_numbered_by_order_and_found_again(study: Study) -> None:
    first = scored(study, MARKS)
    assert first.frame[["idea_id", "repeat", "novelty"]].to_numpy().tolist() == [
        ["M_9_AI", 1, 3.0], ["M_9_AI", 2, 3.0], ["M_9_AI", 3, 5.0], ["i2", 1, 4.0],
    ]  # fmt: skip
    assert "repeats: the files do not number them" in first.report.rule
    after, _ = first.apply()
    again = plan(after, "scores", MARKS, constants={"judge": "expert"})
    assert (again.report.files[0].unchanged, again.changed) == (4, False)
    # The same rows in another order are the same rows; a new mark takes the next number.
    more = "idea_id,novelty\nM_9_AI,5\nM_9_AI,9\nM_9_AI,3\n"
    third = plan(after, "scores", more, constants={"judge": "expert"})
    assert (third.report.files[0].unchanged, third.report.files[0].added) == (2, 1)
    assert third.frame["repeat"].tolist() == [1, 2, 3, 1, 4]


def test_numbered_repeats_are_updated_by_key(study: Study) -> None:
    after, _ = scored(study, "idea_id,repeat,novelty\ni2,1,4\ni2,2,5\n").apply()
    made = plan(after, "scores", "idea_id,repeat,novelty\ni2,2,7\n", constants={"judge": "expert"})
    assert made.report.files[0].updated == 1
    assert made.frame["novelty"].tolist() == [4.0, 7.0]


def test_ids_are_linked_over_white_space_and_unknown_ones_stay(study: Study) -> None:
    made = scored(study, "idea_id,novelty\nM_9 _AI,3\n i2 ,4\nlost,5\n")
    assert made.frame["idea_id"].tolist() == ["M_9_AI", "i2", "lost"]
    (link,) = made.report.linked
    assert (link.given, link.known, link.rows) == ("M_9 _AI", "M_9_AI", 1)
    assert (made.report.unknown_ids, made.report.unknown_rows) == (("lost",), 1)
    assert "linked: 'M_9 _AI' is 'M_9_AI'" in made.report.to_text()


def test_marks_out_of_range_are_dropped_and_rows_without_marks_too(study: Study) -> None:
    made = scored(study, "idea_id,novelty,state\ni2,11,\ni2,,\ni2,,refused\ni2,NaN,\ni2,3,\n")
    reasons = [(row.line, row.reason) for row in made.report.files[0].dropped]
    assert reasons == [
        (2, "column 'novelty': must be from 1 to 10 (found '11.0')"),
        (3, "has no mark"),
        (5, "has no mark"),
    ]
    assert made.frame["state"].tolist() == ["refused", "ok"]
