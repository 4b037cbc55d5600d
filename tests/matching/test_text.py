"""What of an idea and of a paper is encoded."""

from __future__ import annotations

from builders import table

from core.matching.text import idea_texts, paper_texts, text_digest

IDEA = {"system": "s"}
SEP = "[SEP]"


def test_idea_is_problem_and_method_and_an_empty_part_takes_its_separator_along() -> None:
    rows = [
        {"idea_id": "both", "problem": "P", "method": "M", "title": "T"},
        {"idea_id": "problem", "problem": " P ", "title": "T"},
        {"idea_id": "method", "problem": "  ", "method": "M"},
        {"idea_id": "neither", "title": "T", "rationale": "R"},
        {"idea_id": "title", "title": "T"},
        {"idea_id": "nothing"},
    ]
    found = idea_texts(table("ideas", [IDEA | row for row in rows]), SEP)
    assert found.texts == ("P[SEP]M", "P", "M", "T[SEP]R", "T", "")
    assert found.flagged.tolist() == [False, False, False, True, True, True]
    assert found.empty == ("nothing",)


def test_forecast_is_title_rationale_method_and_key_terms() -> None:
    rows = [
        {"idea_id": "f1", "rank": 1, "title": "T", "problem": "P", "method": "M",
         "rationale": "R", "key_terms": ["a", "b"]},
        {"idea_id": "f2", "rank": 2, "title": "T", "key_terms": ["a"]},
        {"idea_id": "i", "title": "T", "problem": "P"},
    ]  # fmt: skip
    found = idea_texts(table("ideas", [IDEA | row for row in rows]), SEP)
    assert found.texts == ("T[SEP]R[SEP]M[SEP]a, b", "T[SEP]a", "P")
    assert not found.flagged.any()


def test_paper_without_abstract_is_flagged() -> None:
    rows = [
        {"paper_id": "a", "title": "T", "abstract": "A"},
        {"paper_id": "b", "title": "T"},
        {"paper_id": "c", "title": "T", "abstract": " \n"},
    ]
    found = paper_texts(table("papers", rows), "\n")
    assert found.texts == ("T\nA", "T", "T")
    assert found.flagged.tolist() == [False, True, True]


def test_digest_tells_texts_apart() -> None:
    assert len({text_digest(text) for text in ("a", "b", "a ", "é", "😀", "")}) == 6
    assert text_digest("a") == text_digest("a")


def test_no_rows() -> None:
    assert idea_texts(table("ideas", []), SEP).texts == ()
    assert paper_texts(table("papers", []), SEP).flagged.shape == (0,)
