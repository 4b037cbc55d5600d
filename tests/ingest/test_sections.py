"""One long text parted by its headings."""

from __future__ import annotations

import pytest

from core.ingest.cleaning import clean_text, clean_value, is_personal
from core.ingest.sections import split_sections

NUMBERED = """Title: A title: with a colon

1. Problem Statement: The problem.
2. Motivation: The reason.
3. Proposed Method: Steps:
\t1. Sampling: draw.
\t(2) Proposed method: not a heading.

4. Step-by-Step Experiment Plan:
\tStep 5: Evaluation: measure.
5. Test Case Examples:
Proposed Method: inside a case.
6. Fallback Plan: Else.
"""
FIELDS = {"title": "A title: with a colon", "problem": "The problem.", "rationale": "The reason."}


def test_numbered_headings() -> None:
    parts = split_sections(NUMBERED)
    assert parts.fields == FIELDS | {
        "method": "Steps:\n\t1. Sampling: draw.\n\t(2) Proposed method: not a heading."
    }
    assert parts.others == {
        "step_by_step_experiment_plan": "Step 5: Evaluation: measure.",
        "test_case_examples": "Proposed Method: inside a case.",
        "fallback_plan": "Else.",
    }


@pytest.mark.parametrize(
    "text",
    [
        "Title: T\nProblem Statement: P\nMotivation: R\nProposed Method: M",
        "Title: T 1. Problem Statement: P 2. Motivation: R 3. Proposed Method: M",
        "# Title\nT\n\n## Problem\nP\n\n## Motivation\nR\n\n## Method\nM",
        "**Title:** T\n**1. Problem Statement:** P\n**2. Motivation:** R\n**3. Proposed Method:** M",
        "TITLE: T\r\nI. PROBLEM: P\r\nII. RATIONALE: R\r\nIII. APPROACH: M",
        "A) Title: T\nB) Research Problem: P\nC) Motivation: R\nD) Methodology: M",
    ],
)
def test_the_same_sections_however_they_are_headed(text: str) -> None:
    assert split_sections(text).fields == {
        "title": "T", "problem": "P", "rationale": "R", "method": "M",
    }  # fmt: skip


def test_sections_inside_one_paragraph() -> None:
    text = "Problem Statement: It breaks. Motivation: We care. Proposed Method: We mend it."
    assert split_sections(text).fields == {
        "problem": "It breaks.",
        "rationale": "We care.",
        "method": "We mend it.",
    }


def test_a_list_inside_a_section_starts_its_own_count() -> None:
    text = "1. Problem: P\n2. Method: Steps:\n1. Draw: x\n2. Sort: y\n3. Timeline: a year"
    parts = split_sections(text)
    assert parts.fields == {"problem": "P", "method": "Steps:\n1. Draw: x\n2. Sort: y"}
    assert parts.others == {"timeline": "a year"}


def test_prose_has_no_sections() -> None:
    assert not split_sections("Our method: we like problems. The title is nothing.").found
    assert not split_sections("").found


def test_a_heading_without_text_is_left_out_and_what_comes_before_is_kept() -> None:
    parts = split_sections("Some words first.\nProblem: P\nMotivation:\nMethod: M")
    assert parts.fields == {"problem": "P", "method": "M"}
    assert parts.others == {"preamble": "Some words first."}


def test_a_long_text_is_parted() -> None:
    body = "word " * 20_000
    assert split_sections(f"Problem: {body}\nMethod: {body}").fields["method"] == body.strip()


def test_text_is_cleaned_but_not_changed() -> None:
    assert clean_text("a\x00b\x07\r\nc\x85 ") == "ab\nc"
    assert clean_text("a\ud800") == "a\ufffd"
    assert clean_text("one\ntwo\n\nthree\n four ", unwrap=True) == "one two\n\nthree four"
    kept = "=SUM(A1) <script>x</script> שלום 👩‍🔬 $\\alpha$"
    assert clean_text(kept) == kept


def test_personal_fields_are_known_by_name() -> None:
    for name in ("gender", "E-mail", "authorIds", "author_email", "Google Scholar", "or_profile"):
        assert is_personal(name)
    for name in ("authors", "title", "page", "coverage", "engender", "profiled system"):
        assert not is_personal(name)


def test_personal_fields_are_taken_out_of_what_is_nested() -> None:
    dropped: set[str] = set()
    value = {"authors": [{"name": "A", "authorId": 3, "homepage": "h"}], "n": float("nan"), "m": []}
    assert clean_value(value, dropped) == {"authors": [{"name": "A"}]}
    assert dropped == {"authorId", "homepage"}
