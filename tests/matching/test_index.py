"""The search: FAISS against plain arithmetic, ties, pools, and vectors that are no good."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from builders import config, table
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from core.errors import DataError
from core.matching.index import Neighbours, normalised, rounded, search, search_numpy
from core.matching.pools import Pools, pools

Vectors = NDArray[np.float32]
# Few small whole numbers, so that many pairs tie exactly.
FEW = st.integers(-1, 2).map(float)


def one_pool(ideas: int, papers: int) -> Pools:
    """Every paper in every idea's pool."""
    return made_pools(np.ones((1, papers), dtype=bool), np.zeros(ideas, dtype=np.int64))


def made_pools(certain: NDArray[np.bool_], groups: NDArray[np.int64]) -> Pools:
    days = np.full(len(certain), np.datetime64("2023-06-30"))
    return Pools(
        groups=groups,
        certain=certain,
        ambiguous=np.zeros_like(certain),
        cutoffs=days,
        ends=days,
        topics=(None,) * len(certain),
    )


def told(found: Neighbours) -> list[tuple[int, int, float, int]]:
    return list(
        zip(
            found.idea.tolist(),
            found.paper.tolist(),
            found.similarity.tolist(),
            found.rank.tolist(),
            strict=True,
        )
    )


def test_cosines_by_hand() -> None:
    # (3, 4) and (4, 3): 24/25; (3, 4) and (−4, 3): 0; (3, 4) and (6, 8): 1, though not of unit length
    ideas = np.array([[3, 4]], dtype=np.float32)
    papers = np.array([[4, 3], [-4, 3], [6, 8]], dtype=np.float32)
    found = search(ideas, papers, one_pool(1, 3), ["a", "b", "c"], depth=2)
    assert told(found) == [(0, 2, 1.0, 1), (0, 0, 0.96, 2)]


def test_ties_go_by_paper_id_also_across_the_cut() -> None:
    papers = np.tile(np.array([[1, 1]], dtype=np.float32), (300, 1))
    ids = [f"p{n:03d}" for n in np.random.default_rng(0).permutation(300)]
    found = search(np.array([[1, 0]], np.float32), papers, one_pool(1, 300), ids, depth=5)
    assert [ids[row] for row in found.paper] == ["p000", "p001", "p002", "p003", "p004"]
    assert set(found.similarity) == {0.707107}


def test_similarities_equal_after_rounding_are_ties() -> None:
    # 0.8 and 0.8 + 6e-9 differ, but not in six decimals: 'a' comes before 'b'.
    papers = np.array([[0.8, 0.6], [0.8 + 1e-8, 0.6]], dtype=np.float64)
    found = search(
        np.array([[1, 0]], np.float32),
        papers.astype(np.float32),
        one_pool(1, 2),
        ["a", "b"],
        depth=1,
    )
    assert told(found) == [(0, 0, 0.8, 1)]


@settings(deadline=None, max_examples=100)
@given(data=st.data(), depth=st.integers(1, 12), n_groups=st.integers(1, 3))
def test_faiss_and_numpy_agree(data: st.DataObject, depth: int, n_groups: int) -> None:
    n_ideas, n_papers = data.draw(st.integers(0, 6)), data.draw(st.integers(0, 40))
    ideas = data.draw(arrays(np.float32, (n_ideas, 3), elements=FEW))
    papers = data.draw(arrays(np.float32, (n_papers, 3), elements=FEW))
    ideas[~ideas.any(axis=1)] = 1
    papers[~papers.any(axis=1)] = 1
    certain = data.draw(arrays(np.bool_, (n_groups, n_papers)))
    groups = data.draw(arrays(np.int64, n_ideas, elements=st.integers(0, n_groups - 1)))
    ids = data.draw(st.permutations([f"p{n}" for n in range(n_papers)]))
    made = made_pools(certain, groups)
    found = search(ideas, papers, made, ids, depth=depth)
    assert told(found) == told(search_numpy(ideas, papers, made, ids, depth=depth))
    slow = []
    for idea in range(n_ideas):
        pool = np.flatnonzero(certain[groups[idea]])
        a = ideas[idea].astype(float)
        pairs = sorted(
            (
                -round(float(a @ b / np.linalg.norm(a) / np.linalg.norm(b)), 5),
                ids[paper],
            )
            for paper, b in ((paper, papers[paper].astype(float)) for paper in pool)
        )
        slow += [(idea, paper_id) for _, paper_id in pairs[:depth]]
    assert [(int(i), ids[p]) for i, p in zip(found.idea, found.paper, strict=True)] == slow


def test_near_ties_beyond_what_is_first_fetched() -> None:
    # All papers lie within float32's error of one another, so the search must widen.
    random = np.random.default_rng(5)
    papers = (np.ones((2000, 64)) + 1e-6 * random.normal(size=(2000, 64))).astype(np.float32)
    ideas = random.normal(size=(30, 64)).astype(np.float32)
    ids = [f"p{n:04d}" for n in random.permutation(2000)]
    made = one_pool(30, 2000)
    assert told(search(ideas, papers, made, ids, depth=7)) == told(
        search_numpy(ideas, papers, made, ids, depth=7)
    )


def random_study(seed: int, n: int = 60) -> tuple[Vectors, Vectors, list[str], list[date]]:
    random = np.random.default_rng(seed)
    ideas = random.integers(-2, 3, size=(4, 5)).astype(np.float32) + np.float32(0.5)
    papers = random.integers(-2, 3, size=(n, 5)).astype(np.float32) + np.float32(0.5)
    days = [date(2023, 1, 1) + timedelta(int(d)) for d in random.integers(0, 1500, n)]
    return ideas, papers, [f"p{i:02d}" for i in range(n)], days


def tables_and_pools(ids: list[str], days: list[date], cutoffs: list[date]) -> Pools:
    ideas = table(
        "ideas", [{"idea_id": f"i{n}", "system": "s", "cutoff": c} for n, c in enumerate(cutoffs)]
    )
    rows = [{"paper_id": p, "title": "t", "published": d} for p, d in zip(ids, days, strict=True)]
    return pools(ideas, table("papers", rows), config(horizon_months=12), "all")


CUTOFFS = [date(2023, 6, 30), date(2024, 1, 31), date(2023, 6, 30), date(2025, 1, 31)]


@given(seed=st.integers(0, 1000), order=st.permutations(range(60)))
@settings(deadline=None, max_examples=20)
def test_row_order_changes_nothing(seed: int, order: list[int]) -> None:
    ideas, papers, ids, days = random_study(seed)
    first = search(ideas, papers, tables_and_pools(ids, days, CUTOFFS), ids, depth=8)
    ids2, days2 = [ids[n] for n in order], [days[n] for n in order]
    again = search(ideas, papers[order], tables_and_pools(ids2, days2, CUTOFFS), ids2, depth=8)
    assert [ids[p] for p in first.paper] == [ids2[p] for p in again.paper]
    assert first.similarity.tolist() == again.similarity.tolist()


@given(seed=st.integers(0, 1000))
@settings(deadline=None, max_examples=20)
def test_a_paper_outside_every_window_changes_nothing(seed: int) -> None:
    ideas, papers, ids, days = random_study(seed)
    first = search(ideas, papers, tables_and_pools(ids, days, CUTOFFS), ids, depth=8)
    # It is every idea's twin, and its id comes first, but it appeared on a cutoff before them all.
    more = np.concatenate([papers, ideas[:1]])
    made = tables_and_pools([*ids, "p"], [*days, date(2023, 6, 30)], CUTOFFS)
    assert told(search(ideas, more, made, [*ids, "p"], depth=8)) == told(first)


def test_input_is_left_as_it_is() -> None:
    ideas, papers, ids, days = random_study(1)
    before = ideas.copy(), papers.copy()
    search(ideas, papers, tables_and_pools(ids, days, CUTOFFS), ids, depth=3)
    assert np.array_equal(ideas, before[0])
    assert np.array_equal(papers, before[1])


def test_empty_pools_give_no_row() -> None:
    made = made_pools(np.zeros((1, 3), dtype=bool), np.zeros(2, dtype=np.int64))
    ones = np.ones((3, 2), np.float32)
    assert told(search(ones[:2], ones, made, ["a", "b", "c"], depth=5)) == []
    none = made_pools(np.zeros((1, 0), dtype=bool), np.zeros(2, dtype=np.int64))
    assert told(search(ones[:2], ones[:0], none, [], depth=5)) == []


@pytest.mark.parametrize(
    ("bad", "words"),
    [([[1, 1], [0, 0]], "row 2 is zero"), ([[np.nan, 1], [1, 1]], "row 1 is zero or not finite")],
)
def test_vectors_without_direction_are_refused(bad: list[list[float]], words: str) -> None:
    with pytest.raises(DataError, match=words):
        search(
            np.ones((1, 2), np.float32),
            np.array(bad, np.float32),
            one_pool(1, 2),
            ["a", "b"],
            depth=1,
        )


def test_unlike_widths_and_depth_are_refused() -> None:
    with pytest.raises(DataError, match="2 dimensions and papers of 3"):
        search(
            np.ones((1, 2), np.float32), np.ones((1, 3), np.float32), one_pool(1, 1), ["a"], depth=1
        )
    with pytest.raises(DataError, match="depth must be at least 1"):
        search(
            np.ones((1, 2), np.float32), np.ones((1, 2), np.float32), one_pool(1, 1), ["a"], depth=0
        )


@pytest.mark.parametrize("scale", [1e-30, 1e-12, 1.0, 1e12, 1e30])
def test_unit_length_at_any_scale(scale: float) -> None:
    vectors = np.array([[3, 4], [1, 0]], dtype=np.float32) * np.float32(scale)
    assert normalised(vectors, "x") == pytest.approx(np.array([[0.6, 0.8], [1, 0]]))


def test_cosines_are_clipped_and_have_no_negative_zero() -> None:
    found = rounded(np.array([1.0000001, -1.0000001, -1e-9]))
    assert found.tolist() == [1.0, -1.0, 0.0]
    assert not np.signbit(found[2])
