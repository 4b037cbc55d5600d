"""Reviewers' marks as sources spell them, scales by venue, and what each refuses."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UsageError
from core.ingest.reviews import Scales, read_bounds, read_marks, settle_marks

FORMS = [
    ("5;7;7;7", [5, 7, 7, 7]),
    ("3, 3, 5, 5", [3, 3, 5, 5]),
    ("8-10-8-8", [8, 10, 8, 8]),
    ("6: marginally above the acceptance threshold", [6]),
    ("6: marginally above, but weak; 8: accept, good paper", [6, 8]),
    ("3 (fair)", [3]),
    ("5.25", [5.25]),
    (4, [4]),
    ([3, "5: borderline", {"value": 8}], [3, 5, 8]),
    ({"value": "2: reject"}, [2]),
    ("", []),
    (None, []),
    ("N/A", []),
    ([], []),
    ("5;;7", [5, 7]),
    ("[5, 6]", [5, 6]),
    ("0", [0]),
]


@pytest.mark.parametrize(("cell", "marks"), FORMS, ids=[repr(cell)[:30] for cell, _ in FORMS])
def test_every_spelling_is_read(cell: object, marks: list[float]) -> None:
    assert read_marks(cell) == marks


@pytest.mark.parametrize("cell", ["good", "accept: 7", True, "7/10", "3 5"])
def test_what_is_no_mark_is_refused(cell: object) -> None:
    with pytest.raises(ValueError, match="reviewers' marks"):
        read_marks(cell)


@given(
    st.lists(st.integers(0, 10), min_size=2, max_size=6), st.sampled_from([";", ", ", "-", "\n"])
)
def test_a_joined_list_is_read_back(marks: list[int], separator: str) -> None:
    assert read_marks(separator.join(map(str, marks))) == marks


def settled(row: dict[str, Any], *scales: str, missing: dict[str, set[str]] | None = None) -> Any:
    counts: Counter[str] = Counter()
    settle_marks(row, counts, Scales(scales), missing or {}, keep_raw=True)
    return row


def test_projection_by_hand() -> None:
    # Mean of 2, 4, 6 is 4 on 0..10, so 4/10 · 5 = 2; 3 on 1..4 is (3 − 1)/3 · 5 = 10/3.
    row = settled({"venue": "ICLR", "year": 2026, "rating": "2;4;6", "soundness": 3})
    assert row["rating"] == 2
    assert row["soundness"] == pytest.approx(10 / 3)
    assert row["extra"] == {
        "scale": "rating 0..10, soundness 1..4",
        "reviews": {"rating": [2, 4, 6], "soundness": [3]},
    }


def test_zero_is_a_mark_unless_it_is_declared_missing() -> None:
    own = {"venue": "ICLR", "year": 2026}
    # (0 + 4)/2 = 2 of 10 is 1 of 5; without the 0 it is 4 of 10, so 2 of 5.
    assert settled({**own, "rating": "0;4"})["rating"] == 1
    assert settled({**own, "rating": "0;4"}, missing={"rating": {"0"}})["rating"] == 2
    none = settled({**own, "rating": "0"}, missing={"rating": {"0"}})
    assert "rating" not in none


def test_zero_below_the_scale_is_refused_with_what_to_do() -> None:
    with pytest.raises(
        ValueError, match=r"0 is outside of the scale 1\.\.4.*--missing soundness=0"
    ):
        settled({"venue": "ICLR", "year": 2025, "soundness": "0;3"})


def test_an_unknown_scale_is_refused_and_a_given_one_comes_first() -> None:
    with pytest.raises(UsageError, match=r'--scale "Elsewhere 2020: rating=1\.\.10"'):
        settled({"venue": "Elsewhere", "year": 2020, "rating": 3})
    row = settled({"venue": "iclr", "year": "2026.0", "rating": 3}, "ICLR 2026: rating=1..5")
    assert row["rating"] == 2.5
    assert settled({"rating": 3}, "rating=1..5")["rating"] == 2.5


def test_the_study_states_scales_too() -> None:
    scales = Scales([], {"Mine 2020": "rating=0..4"})
    found = scales.find("mine 2020", ["rating"])
    assert found is not None
    assert (found.bounds["rating"], found.said) == ((0, 4), "study.toml")
    assert scales.find("Mine 2020", ["rating", "soundness"]) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rating=5", "must be as"),
        ("ratng=0..5", "Did you mean 'rating'"),
        ("rating=5..0", "from the lower to the higher"),
        ("rating=0..5 and more", "must be as"),
    ],
)
def test_a_scale_that_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_bounds("--scale", text)
