"""Months and lengths, counted by hand."""

from __future__ import annotations

import pandas as pd
import pytest
from builders import case_study, study

from core.hindsight.descriptives import field_lengths, papers_per_month


def test_months_are_counted_and_gaps_are_zero() -> None:
    found = papers_per_month(
        study(
            papers=[
                {"paper_id": "a", "title": "t", "published": "2024-01-31", "citations": 1},
                {"paper_id": "b", "title": "t", "published": "2024-01"},
                {"paper_id": "c", "title": "t", "published": "2024-03-01", "citations": 2},
                {"paper_id": "d", "title": "t", "published": "2024"},
                {"paper_id": "e", "title": "t"},
            ]
        )
    )
    assert found.frame["month"].dt.strftime("%Y-%m").tolist() == ["2024-01", "2024-02", "2024-03"]
    assert found.frame["papers"].tolist() == [2, 0, 1]
    assert found.frame["unknown_citations"].tolist() == [1, 0, 0]
    assert (found.n, found.year_only, found.undated) == (3, 1, 1)
    assert found.window_end.isoformat() == "2025-12-31"


def test_a_study_without_papers_has_no_month() -> None:
    found = papers_per_month(study())
    assert found.frame.empty
    assert (found.n, found.undated) == (0, 0)


def test_lengths_are_medians_over_ideas_that_have_the_field() -> None:
    found = field_lengths(
        study(
            ideas=[
                {"idea_id": "1", "system": "a", "problem": "one two  three"},
                {"idea_id": "2", "system": "a", "problem": "one"},
                {"idea_id": "3", "system": "a"},
                {"idea_id": "4", "system": "b"},
            ]
        )
    ).set_index(["system", "field"])
    assert found.loc[("a", "problem"), "median_words"] == 2  # of 3 and 1
    assert found.loc[("a", "problem"), "empty"] == pytest.approx(1 / 3)
    assert pd.isna(found.loc[("b", "problem"), "median_words"])
    assert found.loc[("b", "problem"), "empty"] == 1


def test_fields_that_no_idea_has_are_left_out() -> None:
    assert set(field_lengths(case_study())["field"]) == {"title", "problem", "method"}
    assert field_lengths(study()).empty
