"""Credit against a brute-force twin, its laws, and metrics by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from core.forecast.credit import credit
from core.forecast.metrics import (
    coverage,
    fill_rate,
    hit,
    precision,
    reciprocal_rank,
    soft_score,
)

SHAPE = st.tuples(st.integers(1, 3), st.integers(1, 5), st.integers(0, 6))


@st.composite
def episodes(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Candidates of a few papers only, so that forecasts often want the same one."""
    shape = draw(SHAPE)
    papers = draw(hnp.arrays(np.int64, shape, elements=st.integers(-1, 4)))
    return papers, draw(hnp.arrays(bool, shape))


def slow_credit(papers: np.ndarray, passing: np.ndarray) -> list[int]:
    """One episode, as the paper words it."""
    taken: set[int] = set()
    places = []
    for candidates, through in zip(papers.tolist(), passing.tolist(), strict=True):
        place = -1
        for number, (paper, good) in enumerate(zip(candidates, through, strict=True)):
            if good and paper >= 0 and paper not in taken:
                taken.add(paper)
                place = number
                break
        places.append(place)
    return places


@given(episodes())
def test_credit_is_the_greedy_one(case: tuple[np.ndarray, np.ndarray]) -> None:
    papers, passing = case
    found = credit(papers, passing)
    assert found.tolist() == [slow_credit(p, g) for p, g in zip(papers, passing, strict=True)]


@given(episodes())
def test_no_paper_is_credited_twice(case: tuple[np.ndarray, np.ndarray]) -> None:
    papers, passing = case
    for own, places in zip(papers, credit(papers, passing), strict=True):
        credited = [own[slot][place] for slot, place in enumerate(places) if place >= 0]
        assert len(credited) == len(set(credited))


@given(episodes(), st.data())
def test_a_looser_gate_never_loses_a_hit(
    case: tuple[np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    papers, passing = case
    strict = passing & data.draw(hnp.arrays(bool, passing.shape))
    assert (hit(credit(papers, passing)) >= hit(credit(papers, strict))).all()


@given(episodes(), st.integers(0, 6))
def test_more_candidates_never_lose_a_hit(case: tuple[np.ndarray, np.ndarray], r: int) -> None:
    papers, passing = case
    fewer = credit(papers[..., :r], passing[..., :r])
    assert (hit(credit(papers, passing)) >= hit(fewer)).all()
    assert (reciprocal_rank(credit(papers, passing)) >= reciprocal_rank(fewer)).all()


def test_an_episode_by_hand() -> None:
    # Papers 7, 8. Rank 1 passes on nothing; rank 2 takes 7; rank 3 wants 7, then takes 8;
    # rank 4 wants 8 alone, which is gone; rank 5 is missing.
    papers = np.array([[7, 8], [7, 8], [7, 8], [8, 7], [-1, -1]])
    passing = np.array([[0, 0], [1, 1], [1, 1], [1, 0], [0, 0]], bool)
    places = credit(papers, passing)
    assert places.tolist() == [-1, 0, 1, -1, -1]
    assert hit(places) == 1.0
    assert precision(places) == pytest.approx(2 / 5)
    assert reciprocal_rank(places) == pytest.approx(1 / 2)
    grades = np.zeros((5, 2, 3), np.int8)
    grades[1, 0], grades[2, 1] = (3, 2, 2), (3, 3, 3)
    # ((3 + 2 + 2)/9 + 9/9) / 2 = 8/9.
    assert soft_score(places, grades) == pytest.approx(8 / 9)
    assert fill_rate(np.array([0, 1, 2, 3, -1])) == pytest.approx(4 / 5)
    # Paper 7 lies in cluster 0, paper 8 in 1, of three: both are credited.
    clusters = np.where(papers == 7, 0, np.where(papers == 8, 1, -1)).astype(np.int8)
    assert coverage(places, clusters, np.array(3)) == pytest.approx(2 / 3)
    same = np.where(papers >= 0, 0, -1).astype(np.int8)
    assert coverage(places, same, np.array(3)) == pytest.approx(1 / 3)


def test_nothing_credited_is_zero_and_nothing_to_cover_is_unknown() -> None:
    papers = np.full((5, 2), -1)
    places = credit(papers, np.zeros((5, 2), bool))
    assert places.tolist() == [-1] * 5
    assert [float(m(places)) for m in (hit, precision, reciprocal_rank)] == [0.0, 0.0, 0.0]
    assert float(soft_score(places, np.full((5, 2, 3), -1, np.int8))) == 0.0
    unknown = np.full((5, 2), -1, np.int8)
    assert np.isnan(coverage(places, unknown, np.array(0)))
    assert float(coverage(places, unknown, np.array(5))) == 0.0
