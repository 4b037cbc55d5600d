"""Dates and identifiers as sources write them."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.ingest.dates import arxiv_month, earliest, read_date, read_month, year_and_month
from core.ingest.identifiers import arxiv_id, content_id, doi, normal_identifiers, tells_apart
from core.ingest.identifiers import title_key as key


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2024-06-12", "2024-06-12"),
        ("2024-06-12T08:30:00Z", "2024-06-12"),
        ("2024-06", "2024-06"),
        ("2024", "2024"),
        (2024, "2024"),
        (2024.0, "2024"),
        ("June 2023", "2023-06"),
        ("Jun 2023", "2023-06"),
        ("jun. 2023", "2023-06"),
        ("Sept 2023", "2023-09"),
        ("2023 June", "2023-06"),
        ("12 June 2023", "2023-06-12"),
        ("June 12th, 2023", "2023-06-12"),
        ("Mon, 12 Jun 2023 00:00:00 GMT", "2023-06-12"),
        ("2023/6/1", "2023-06-01"),
        ("20230601", "2023-06-01"),
        (pd.Timestamp("2023-06-01 23:00"), "2023-06-01"),
        (date(2023, 6, 1), "2023-06-01"),
        ("", None),
        (None, None),
    ],
)
def test_dates_keep_their_precision(written: object, read: str | None) -> None:
    assert read_date(written) == read


@pytest.mark.parametrize(
    "written", ["2023-13-40", "31 June 2023", "06/12/2023", "soon", "2023-06-01 banana", 3.5, True]
)
def test_what_is_no_date_is_said(written: object) -> None:
    with pytest.raises(ValueError, match="must be a date"):
        read_date(written)


@settings(deadline=None)
@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2200, 1, 1)))
def test_a_day_reads_alike_however_it_is_worded(day: date) -> None:
    for form in ("%Y-%m-%d", "%d %B %Y", "%b %d, %Y", "%Y/%m/%d", "%Y%m%d"):
        assert read_date(day.strftime(form)) == day.isoformat()


@pytest.mark.parametrize(
    ("given_", "best"),
    [
        (["2024-06", "2024-06-12"], "2024-06-12"),  # the month holds the day
        (["2024-06-20", "2024-06", "2024-06-12"], "2024-06-12"),
        (["2024-06", "2024-07-02"], "2024-06"),
        (["2025", "2024-12-30"], "2024-12-30"),
        (["2024", "2025-01-05"], "2024"),
        (["2024", "2024-06", "2024-06-03"], "2024-06-03"),
        ([None, "2024"], "2024"),
        ([None], None),
    ],
)
def test_the_earliest_date_as_finely_as_another_confirms(
    given_: list[str | None], best: str | None
) -> None:
    assert earliest(given_) == best
    assert earliest(reversed(given_)) == best


@pytest.mark.parametrize(
    ("identifier", "month"),
    [
        ("2503.12141", "2025-03"),
        ("arXiv:2503.12141v2", "2025-03"),
        ("https://arxiv.org/abs/2503.12141", "2025-03"),
        ("cs/0501001", "2005-01"),
        ("hep-th/9901001v3", "1999-01"),
        ("2513.12141", None),
        ("10.1000/2503.12141", None),
        ("paper374", None),
        (None, None),
    ],
)
def test_the_month_in_an_arxiv_id(identifier: object, month: str | None) -> None:
    assert arxiv_month(identifier) == month


def test_a_year_with_or_without_its_month() -> None:
    assert [read_month(m) for m in ("jan", "{aug}", "8", "08", "NaN", "13", None)] == [
        1, 8, 8, 8, None, None, None,
    ]  # fmt: skip
    assert year_and_month("2024", "jun") == "2024-06"
    assert year_and_month(2024, None) == "2024"
    assert year_and_month(None, "jun") is None


def test_identifiers_of_one_paper_are_alike() -> None:
    assert arxiv_id("https://arxiv.org/pdf/2503.12141v3.pdf") == arxiv_id("2503.12141")
    assert doi("https://doi.org/10.1000/ABC") == doi("doi: 10.1000/abc") == "10.1000/abc"
    assert normal_identifiers({"ArXiv": "2503.12141v1", "CorpusId": 7, "MAG": None}) == {
        "arxiv": "2503.12141",
        "corpusid": "7",
    }
    assert normal_identifiers({"DOI": "10.48550/arXiv.2503.12141"})["arxiv"] == "2503.12141"


def test_titles_of_one_paper_are_alike() -> None:
    assert (
        key("{BERT}: Pre-training  of Déep\nTransformers!")
        == "bert pre training of deep transformers"
    )
    assert key("BERT: pre–training of deep transformers") == key(
        "{BERT}: Pre-Training of Deep Transformers"
    )
    assert key(None) == ""


@pytest.mark.parametrize(
    ("title", "own"),
    [
        ("Preface", False),
        ("Introduction", False),
        ("Proceedings of the Tenth Workshop on Things", False),
        ("Attention", False),
        ("A to B", False),
        ("Attention is all you need", True),
        ("大规模语言模型的幻觉研究", True),
    ],
)
def test_generic_titles_tell_nothing_apart(title: str, own: bool) -> None:
    assert tells_apart(key(title)) is own


def test_a_made_id_depends_on_content_alone() -> None:
    assert content_id("idea", "a", None, " b ") == content_id("idea", "a", "", "b")
    assert content_id("idea", "a", "b") != content_id("idea", "b", "a")
    assert content_id("idea", "ab", "") != content_id("idea", "a", "b")
