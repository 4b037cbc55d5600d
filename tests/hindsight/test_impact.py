"""Impacts by hand: every normaliser as a fraction, and who takes part."""

from __future__ import annotations

from datetime import date
from math import log
from typing import Any

import pytest
from builders import study

from core.config import Settings
from core.hindsight.impact import impacts, pool_counts
from core.study import Study

IDEA = {"idea_id": "i", "system": "a", "topic": "t", "problem": "p"}


def pool(counts: list[float | None], published: list[str] | None = None, **config: Any) -> Study:
    """A study whose pool has these citation counts."""
    days = published or ["2024-01-10"] * len(counts)
    papers = [
        {"paper_id": f"p{n}", "title": "t", "abstract": "a", "citations": c, "published": day}
        for n, (c, day) in enumerate(zip(counts, days, strict=True))
    ]
    return study(config_values=config, ideas=[IDEA], papers=papers)


def terms(made: Study, **values: Any) -> list[float]:
    """ĉ of the papers p0, p1, … (citation weight 1)."""
    found = impacts(made, Settings(citation_weight=1, venue_weight=0, **values))
    return found.frame["citation_term"].tolist()


def test_minmax() -> None:
    # (c − 2) / (10 − 2): 0, 1/4, 1.
    assert terms(pool([2, 4, 10])) == [0, 1 / 4, 1]


def test_log() -> None:
    # log(1 + c) = log 1, log 2, log 8 = 0, 1, 3 in units of log 2: 0, 1/3, 1.
    assert terms(pool([0, 1, 7]), normalizer="log") == pytest.approx([0, 1 / 3, 1])
    assert impacts(pool([0, 1, 7]), Settings(normalizer="log")).bounds["max"] == log(8)


def test_percentile_shares_ranks() -> None:
    # Ranks 1, 2½, 2½, 4 of 4: 0, 1/2, 1/2, 1.
    assert terms(pool([1, 5, 5, 9]), normalizer="percentile") == [0, 1 / 2, 1 / 2, 1]


def test_winsor_cuts_at_p99_by_linear_interpolation() -> None:
    # Of 0, 10, 1000 the 99 % quantile lies at place 1.98: 10 + 0.98·990 = 980.2.
    found = impacts(pool([0, 10, 1000]), Settings(normalizer="winsor", citation_weight=1))
    assert found.frame["citation_term"].tolist() == pytest.approx([0, 10 / 980.2, 1])
    assert found.bounds["p99"] == pytest.approx(980.2)


def test_rate_counts_completed_months_up_to_the_snapshot() -> None:
    # To 15 July 2024: from 15 January 6 months, from 16 January 5, from 1 July 0 taken as 1.
    # 12/6 = 2, 20/5 = 4, 8/1 = 8; (c − 2)/(8 − 2): 0, 1/3, 1.
    days = ["2024-01-15", "2024-01-16", "2024-07-01"]
    made = pool([12, 20, 8], days, snapshot=date(2024, 7, 15))
    assert terms(made, normalizer="rate") == pytest.approx([0, 1 / 3, 1])


def test_rate_without_a_snapshot_takes_the_newest_date_of_the_pool() -> None:
    # Newest 2024-03-01: 2 months and 0 → 1. 4/2 = 2, 6/1 = 6: 0, 1.
    made = pool([4, 6], ["2024-01-01", "2024-03-01"])
    assert terms(made, normalizer="rate") == [0, 1]
    assert impacts(made, Settings(normalizer="rate")).bounds["snapshot"] == "2024-03-01"


def test_monthly_percentile_stays_within_the_month() -> None:
    # January 1, 3, 8: 0, ½, 1. February one paper: 0. March two equal: 0.
    days = ["2024-01-01", "2024-01-20", "2024-01-31", "2024-02-01", "2024-03-02", "2024-03-03"]
    found = impacts(
        pool([1, 3, 8, 99, 4, 4], days),
        Settings(normalizer="monthly_percentile", citation_weight=1),
    )
    assert found.frame["citation_term"].tolist() == [0, 1 / 2, 1, 0, 0, 0]
    assert "2 of 3 months" in found.flags[0]


@pytest.mark.parametrize(
    "normalizer", ["minmax", "log", "percentile", "monthly_percentile", "rate", "winsor"]
)
@pytest.mark.parametrize("counts", [[7.0], [7.0, 7.0, 7.0]])
def test_equal_counts_give_0_and_a_flag(normalizer: str, counts: list[float]) -> None:
    found = impacts(pool(counts), Settings(normalizer=normalizer))  # type: ignore[arg-type]
    assert found.frame["citation_term"].tolist() == [0.0] * len(counts)
    assert found.flags


def test_both_terms_are_kept_beside_their_sum() -> None:
    papers = [
        {
            "paper_id": "p0",
            "title": "t",
            "citations": 0,
            "published": "2024-01-01",
            "venue": "ICML",
        },
        {"paper_id": "p1", "title": "t", "citations": 4, "published": "2024-01-01", "venue": "x"},
        {"paper_id": "p2", "title": "t", "citations": 2, "published": "2024-01-01", "venue": "ACL"},
    ]
    found = impacts(study(ideas=[IDEA], papers=papers), Settings()).frame
    assert found["citation_term"].tolist() == [0, 0.6, 0.3]
    assert found["venue_term"].tolist() == [0.4, 0, 0.4]
    assert found["impact"].tolist() == [0.4, 0.6, 0.7]


def test_unknown_citations_take_no_part_or_count_as_0() -> None:
    made = pool([2, None, 6])
    found = impacts(made, Settings(citation_weight=1))
    assert found.frame["citation_term"].fillna(-1).tolist() == [0, -1, 1]
    assert (found.n, found.left_out) == (2, 1)
    zero = impacts(made, Settings(citation_weight=1, unknown_citations="zero"))
    assert zero.frame["citation_term"].tolist() == [1 / 3, 0, 1]
    assert pool_counts(made, Settings()).unknown_citations == 1


def test_the_window_is_open_at_the_cutoff_and_closed_at_its_end() -> None:
    days = ["2023-06-30", "2023-07-01", "2025-12-31", "2026-01-01", "2023-06", "2025-12"]
    made = pool([1, 2, 3, 4, 5, 6], days)
    assert impacts(made, Settings()).frame["paper_id"].tolist() == ["p1", "p2", "p5"]
    made = pool([1, 2], ["2023", "2023-07-01"])
    counts = pool_counts(made, Settings())
    assert (counts.in_window, counts.ambiguous_date) == (1, 1)
    assert pool_counts(made, Settings(ambiguous_dates="include")).in_window == 2


def test_a_paper_outside_the_window_changes_nothing_but_the_counts() -> None:
    inside = pool([1, 5, 9])
    more = pool([1, 5, 9, 10_000], ["2024-01-10"] * 3 + ["2026-02-01"])
    for normalizer in ("minmax", "rate", "winsor", "percentile"):
        settings = Settings(normalizer=normalizer)
        assert impacts(inside, settings).frame.equals(impacts(more, settings).frame)
    assert pool_counts(more, Settings()).papers == 4
    assert pool_counts(more, Settings()).in_window == 3
