"""Pools: which papers an idea may meet, against a plain reading of the definition."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import config, table
from hypothesis import given
from hypothesis import strategies as st

from core.config import Pool
from core.matching.pools import pools


def ideas(*rows: dict[str, Any]) -> pd.DataFrame:
    return table("ideas", [{"idea_id": f"i{n}", "system": "s"} | row for n, row in enumerate(rows)])


def papers(*rows: dict[str, Any]) -> pd.DataFrame:
    return table("papers", [{"paper_id": f"p{n}", "title": "t"} | r for n, r in enumerate(rows)])


@pytest.mark.parametrize(
    ("published", "certain", "ambiguous"),
    [
        ("2024-06-30", False, False),  # the cutoff itself is not after it
        ("2024-07-01", True, False),
        ("2026-06-30", True, False),  # last day of month(cutoff) + 24
        ("2026-07-01", False, False),
        ("2024-06", False, False),  # all its days are on or before the cutoff
        ("2024-07", True, False),
        ("2026-06", True, False),
        ("2026-07", False, False),
        ("2024", False, True),
        ("2025", True, False),
        ("2026", False, True),
        ("2023", False, False),
        (None, False, False),
    ],
)
def test_window_of_24_months_after_2024_06_30(
    published: str | None, certain: bool, ambiguous: bool
) -> None:
    settings = config(cutoff=date(2024, 6, 30), horizon_months=24)
    found = pools(ideas({}), papers({"published": published}), settings, "all")
    assert found.certain.tolist() == [[certain]]
    assert found.ambiguous.tolist() == [[ambiguous]]
    assert found.ends.tolist() == [date(2026, 6, 30)]


def test_month_around_a_cutoff_within_it_is_ambiguous() -> None:
    found = pools(
        ideas({"cutoff": "2023-06-01"}), papers({"published": "2023-06"}), config(), "all"
    )
    assert found.ambiguous.tolist() == [[True]]


def test_a_full_date_marked_as_month_stands_for_the_month() -> None:
    rows = papers({"published": "2023-06-20", "date_precision": "month"})
    assert pools(ideas({"cutoff": "2023-06-10"}), rows, config(), "all").ambiguous.tolist() == [
        [True]
    ]


def test_ideas_with_one_cutoff_and_topic_share_a_group() -> None:
    both = ideas(
        {"topic": "b", "cutoff": "2024-01-01"},
        {"topic": "a"},
        {"topic": "b", "cutoff": "2024-01-01"},
        {"topic": "a", "cutoff": "2023-06-30"},
        {},
    )
    rows = papers(
        {"published": "2023-09-01", "topics": ["a", "b"]},
        {"published": "2024-09-01", "topics": ["b"]},
        {"published": "2024-09-01"},
    )
    whole = pools(both, rows, config(), "all")
    assert whole.groups.tolist() == [1, 0, 1, 0, 0]
    assert whole.certain.tolist() == [[True, True, True], [False, True, True]]
    own = pools(both, rows, config(), "topic")
    assert own.topics == (None, "a", "b")
    assert own.groups.tolist() == [2, 1, 2, 1, 0]
    assert own.certain.tolist() == [
        [False, False, False],  # no topic, so no pool
        [True, False, False],
        [False, True, False],
    ]


@pytest.mark.parametrize("pool", ["all", "topic"])
def test_nothing_to_pool(pool: Pool) -> None:
    assert pools(ideas(), papers({}), config(), pool).certain.shape == (0, 1)
    assert pools(ideas({}), papers(), config(), pool).certain.shape == (1, 0)


DAYS = st.dates(date(2022, 1, 1), date(2027, 12, 31))


@given(
    cutoff=DAYS,
    horizon=st.integers(1, 40),
    dated=st.lists(st.tuples(DAYS, st.sampled_from(["day", "month", "year"])), max_size=8),
)
def test_every_day_tried_one_by_one(
    cutoff: date, horizon: int, dated: list[tuple[date, str]]
) -> None:
    settings = config(cutoff=cutoff, horizon_months=horizon)
    end = settings.window_end()
    rows = papers(*({"published": day, "date_precision": how} for day, how in dated))
    found = pools(ideas({}), rows, settings, "all")
    for column, (day, how) in enumerate(dated):
        first, last = day, day
        if how == "month":
            first = day.replace(day=1)
            last = day.replace(day=calendar.monthrange(day.year, day.month)[1])
        elif how == "year":
            first, last = date(day.year, 1, 1), date(day.year, 12, 31)
        days = [first + timedelta(n) for n in range((last - first).days + 1)]
        inside = {cutoff < one <= end for one in days}
        assert found.certain[0, column] == (inside == {True})
        assert found.ambiguous[0, column] == (inside == {True, False})
    assert not np.any(found.certain & found.ambiguous)
