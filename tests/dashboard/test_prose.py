"""Numbers and foreign text as people read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard import prose


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.4372, "2.44"),
        (0.29714, "0.297"),
        (0.0021, "0.00210"),
        (0.99961, "1.00"),
        (9.996, "10.0"),
        (27589, "27,589"),
        (1234.5, "1,234"),
        (-0.291, "−0.291"),
        (0, "0"),
        (-0.0, "0"),
        (0.0000123, "1.23e−5"),
        (None, "not defined"),
        (math.nan, "not defined"),
        (math.inf, "not defined"),
    ],
)
def test_numbers_have_three_significant_digits(value: float | None, text: str) -> None:
    assert prose.number(value) == text


@given(st.floats(min_value=-1e8, max_value=1e8))
def test_a_number_reads_back_to_three_digits(value: float) -> None:
    text = prose.number(value).replace("−", "-").replace(",", "")
    assert float(text) == pytest.approx(value, rel=0.0051, abs=1e-300)


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.00099, "p < 0.001"),
        (0.001, "p = 0.001"),
        (0.0213, "p = 0.021"),
        (0.584, "p = 0.58"),
        (1.0, "p = 1.00"),
        (None, "p not defined"),
    ],
)
def test_p_values(p: float | None, text: str) -> None:
    assert prose.p_value(p) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (1.81, 3.38, "1.8 to 3.4"),
        (-0.0612, 0.1212, "−0.06 to 0.12"),
        (0.31, 0.382, "0.31 to 0.38"),
        (12.4, 103.2, "12 to 103"),
        (0, 0, "0 to 0"),
        (None, 1.0, "not defined"),
        (math.nan, 1.0, "not defined"),
    ],
)
def test_intervals_share_their_decimals(low: float | None, high: float | None, text: str) -> None:
    assert prose.interval(low, high) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.81, "81 %"), (0, "0 %"), (0.001, "< 1 %"), (0.999, "> 99 %"), (1, "100 %")],
)
def test_shares_hide_no_rest(share: float, text: str) -> None:
    assert prose.percent(share) == text


def test_stars_follow_the_usual_bounds() -> None:
    values = (0.0009, 0.001, 0.009, 0.01, 0.049, 0.05, None)
    assert [prose.stars(p) for p in values] == ["***", "**", "**", "*", "*", "", ""]


def test_small_words() -> None:
    assert prose.count(1, "idea") == "1 idea"
    assert prose.count(4320, "specification") == "4,320 specifications"
    assert prose.count(2, "study", "studies") == "2 studies"
    assert prose.listing(["a"]) == "a"
    assert prose.listing(["a", "b", "c"]) == "a, b and c"
    assert prose.shorten("a long title of a paper", 12) == "a long…"
    assert prose.shorten("short", 12) == "short"


@pytest.mark.parametrize(
    "text",
    ["$x_1$", "*bold*", "<b>x</b>", "[a](http://x)", "`code`", ":smile:", "# head", "a|b", "~~x~~"],
)
def test_marks_of_foreign_text_are_escaped(text: str) -> None:
    shown = prose.plain(text)
    assert shown.replace("\\", "") == text
    for mark in "$*<[`:#|~":
        assert shown.count(mark) == shown.count(f"\\{mark}")


@pytest.mark.parametrize("text", ["1. item", "12) item", "- item", "+ item", "www.x.org"])
def test_lists_and_bare_addresses_stay_text(text: str) -> None:
    shown = prose.plain(text)
    assert shown != text
    assert shown.replace("\\", "") == text


def test_plain_words_stay_as_they_are() -> None:
    assert prose.plain("retrieval-augmented, n. 3") == "retrieval-augmented, n. 3"


def test_control_and_direction_marks_are_dropped() -> None:
    assert prose.plain("a\x00b\u202ec\nd") == "abc d"
    assert prose.label("<i>a</i> & b") == "&lt;i&gt;a&lt;/i&gt; &amp; b"
