"""Which of their columns is which of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import DataError, UsageError
from core.ingest.mapping import FieldMapping, ImportOptions, propose_mapping
from core.ingest.synonyms import SYNONYMS, plain_name
from core.ingest.tabular import read_file
from core.schema import TABLES


def mapping(table: str, header: str, row: str | None = None, **options: object) -> FieldMapping:
    cells = row if row is not None else ",".join("x" for _ in header.split(","))
    raw = read_file(Path("their.csv"), f"{header}\n{cells}\n".encode())
    return propose_mapping(TABLES[table], raw, ImportOptions(**options))  # type: ignore[arg-type]


def pairs(found: FieldMapping) -> dict[str, str]:
    return {line.ours: line.theirs for line in found.shown}


@pytest.mark.parametrize(
    ("table", "header", "ours"),
    [
        ("ideas", "ID,Condition,Title,Problem Statement,Motivation,Proposed Method",
         {"idea_id": "ID", "system": "Condition", "title": "Title", "problem": "Problem Statement",
          "rationale": "Motivation", "method": "Proposed Method"}),
        ("ideas", "idea_id,model,topic,idea",
         {"idea_id": "idea_id", "system": "model", "topic": "topic", "method": "idea"}),
        ("papers", "paperId,title,abstract,publicationDate,citationCount,year,venue,externalIds",
         {"paper_id": "paperId", "title": "title", "abstract": "abstract", "venue": "venue",
          "published": "publicationDate", "citations": "citationCount",
          "published.year": "year", "identifiers": "externalIds"}),
        ("papers", "arxiv_id,title,v1_date,id_month,topics",
         {"paper_id": "arxiv_id", "identifiers.arxiv": "arxiv_id", "title": "title",
          "published": "v1_date", "topics": "topics"}),
        ("papers", "doi,display_name,cited_by_count,publication_date",
         {"paper_id": "doi", "identifiers.doi": "doi", "title": "display_name",
          "citations": "cited_by_count", "published": "publication_date"}),
        ("scores", "item_id,Rater,novelty_score,overall_score",
         {"idea_id": "item_id", "judge": "Rater", "novelty": "novelty_score",
          "overall": "overall_score"}),
        ("verdicts", "idea_id,paper_id,judge,problem_score,method_score,specificity_score",
         {"idea_id": "idea_id", "paper_id": "paper_id", "judge": "judge",
          "problem": "problem_score", "method": "method_score",
          "specificity": "specificity_score"}),
    ],
)  # fmt: skip
def test_common_names_are_known(table: str, header: str, ours: dict[str, str]) -> None:
    assert pairs(mapping(table, header)) == ours


@pytest.mark.parametrize(
    "name",
    ["updated", "version_dates", "first_listing_file", "arxiv_first_listing", "announced",
     "listing_date", "update_date", "crawled_at"],
)  # fmt: skip
def test_no_other_day_is_taken_for_the_first_submission(name: str) -> None:
    found = mapping("papers", f"paper_id,title,{name}")
    assert pairs(found) == {"paper_id": "paper_id", "title": "title"}
    assert found.extra == (name,)


def test_synonyms_point_to_columns_that_exist() -> None:
    for table, names in SYNONYMS.items():
        for ours, synonyms in names.items():
            assert ours.split(".")[0] in TABLES[table].names
            assert all(name == plain_name(name) for name in synonyms)
            assert len(set(synonyms)) == len(synonyms)


def test_a_method_column_of_few_labels_names_systems() -> None:
    rows = "\n".join(f"{n},{'ours' if n % 2 else 'base'},text {n}" for n in range(8))
    raw = read_file(Path("t.csv"), f"id,method,idea\n{rows}\n".encode())
    found = propose_mapping(TABLES["ideas"], raw, ImportOptions())
    assert pairs(found) == {"idea_id": "id", "system": "method", "method": "idea"}
    raw = read_file(Path("t.csv"), b"id,system,method\n1,a,We do x\n2,a,We do y\n")
    found = propose_mapping(TABLES["ideas"], raw, ImportOptions())
    assert pairs(found) == {"idea_id": "id", "system": "system", "method": "method"}


def test_what_is_given_wins_and_what_is_left_goes_to_extra() -> None:
    found = mapping("ideas", "id,system,title,headline,year", maps=("headline=title",))
    assert pairs(found) == {"title": "headline", "idea_id": "id", "system": "system"}
    assert [line.how for line in found.shown] == ["given", "guessed", "guessed"]
    assert found.extra == ("title", "year")


def test_names_may_be_loose_nested_joined_or_first_given() -> None:
    found = mapping(
        "papers",
        "Paper ID,title,externalIds,a,b,c,d",
        maps=("paper_id=paper_id", "externalIds.DOI=identifiers.doi", "a+b=abstract", "c|d=venue"),
    )
    shown = pairs(found)
    assert shown["paper_id"] == "Paper ID"
    assert shown["identifiers.doi"] == "externalIds.DOI"
    assert (shown["abstract"], shown["venue"]) == ("a + b", "c | d")


def test_a_name_that_holds_a_sign_is_one_column() -> None:
    assert pairs(mapping("ideas", "id,system,a+b", maps=("a+b=title",)))["title"] == "a+b"


def test_extra_keeps_a_column_out_of_the_guess_and_drop_out_of_all() -> None:
    found = mapping("ideas", "id,system,title,rank,notes", maps=("rank=extra",), drop=("notes",))
    assert "rank" not in pairs(found)
    assert (found.extra, found.left_out) == (("rank",), ("notes",))


def test_personal_fields_are_neither_extra_nor_guessed() -> None:
    found = mapping("ideas", "id,system,title,gender,author_email,authorids")
    assert found.personal == ("gender", "author_email", "authorids")
    assert found.extra == ()


def test_tables_without_extra_leave_columns_out_and_say_so() -> None:
    found = mapping("scores", "idea_id,judge,novelty,confidence")
    assert (found.extra, found.left_out) == ((), ("confidence",))


@pytest.mark.parametrize(
    ("table", "header", "said"),
    [
        ("ideas", "id,system,colour", r"no column holds an idea's text.*Found: id, system, colour"),
        ("ideas", "id,title", r"column 'system' .*is missing.*--set system="),
        ("papers", "id,abstract", r"column 'title' .*is missing"),
        ("scores", "idea_id,novelty,judgement", r"column 'judge'.*Did you mean 'judgement'\?.*"),
        ("scores", "idea_id,judge,colour", r"no column holds a mark \(novelty, feasibility"),
    ],
)
def test_files_without_what_is_needed_are_refused(table: str, header: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        mapping(table, header)


@pytest.mark.parametrize(("data", "said"), [(b"", "holds nothing"), (b"id,title\n", "no rows")])
def test_files_without_rows_are_refused(data: bytes, said: str) -> None:
    with pytest.raises(DataError, match=said):
        propose_mapping(TABLES["ideas"], read_file(Path("t.csv"), data), ImportOptions())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"maps": ("titel=title",)}, r"no column 'titel'\. Did you mean 'title'\?"),
        ({"maps": ("title=titel",)}, r"ideas has no column 'titel'\. Did you mean 'title'\?"),
        ({"maps": ("title",)}, "must be theirs=ours"),
        ({"maps": ("id=title", "title=title")}, "mapped twice"),
        ({"maps": ("title=title.part",)}, "ideas has no column"),
        ({"constants": {"sistem": "a"}}, r"Did you mean 'system'\?"),
        ({"constants": {"title": "a"}, "maps": ("title=title",)}, "Give one"),
        ({"split_sections": "body"}, "no column 'body'"),
        ({"drop": ("body",)}, "no column 'body'"),
        ({"format": "generik"}, r"Did you mean 'generic'\?"),
    ],
)
def test_options_that_name_nothing_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        mapping("ideas", "id,system,title", **options)


LONG = '"Problem Statement: P. Motivation: R. Proposed Method: M"'


@pytest.mark.parametrize(
    ("header", "row", "section"),
    [
        ("id,system,Content", f"1,a,{LONG}", "Content"),
        ("id,system,Content,Summary", f"1,a,{LONG},plain words", "Content"),
        # a method column of their own says where the method is
        ("id,system,Method,Notes", f"1,a,m,{LONG}", None),
        # two of them: no guess
        ("id,system,title,Draft,Notes", f"1,a,t,{LONG},{LONG}", None),
        ("id,system,Content", "1,a,plain words", None),
    ],
)
def test_a_long_text_with_headings_is_parted_by_a_guess(
    header: str, row: str, section: str | None
) -> None:
    assert mapping("ideas", header, row).section_column == section


def test_the_guess_of_a_long_text_yields_to_what_is_given() -> None:
    header, row = "id,system,Content", f"1,a,{LONG}"
    assert mapping("ideas", header, row, maps=("Content=method",)).section_column is None
    assert mapping("ideas", header, row, drop=("id",)).section_column == "Content"
    whole = mapping("ideas", header, row, split_sections="")
    assert (whole.section_column, pairs(whole)["method"]) == (None, "Content")
