"""The exact search: an idea's nearest papers within its pool, by cosine.

FAISS finds them in float32; what it finds is measured again in float64 and rounded, and as many
as it takes are fetched for the cut at ``depth`` to be right with ties. So the answer does not
depend on row order, on block sizes or on the number of threads. :func:`search_numpy` is the
same by plain arithmetic: the oracle of tests, and the fallback beside torch on macOS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import DataError
from core.matching.pools import Pools

DECIMALS = 6
_ROUNDING = 0.5 * 10.0**-DECIMALS
_BLOCK = 16
_NUMPY_BLOCK = 256
Report = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Neighbours:
    """Pairs of an idea and a paper, by rows of the tables; sorted by idea, then rank.

    ``similarity`` is the cosine in [−1, 1], rounded to 6 decimals; ``rank`` counts from 1, by
    similarity downwards and, where equal after rounding, by ``paper_id`` upwards.
    """

    idea: NDArray[np.int64]
    paper: NDArray[np.int64]
    similarity: NDArray[np.float64]
    rank: NDArray[np.int64]


def search(
    ideas: NDArray[np.float32],
    papers: NDArray[np.float32],
    pools: Pools,
    paper_ids: Sequence[str],
    *,
    depth: int,
    report: Report | None = None,
) -> Neighbours:
    """The ``depth`` nearest papers of each idea within its own pool, exactly, with FAISS.

    ``ideas`` (ideas, dimensions) and ``papers`` (papers, dimensions) need not be normalised and
    are left as they are. A pool smaller than ``depth`` is given whole; an empty one gives no row.
    Papers with ambiguous dates are searched too. Raises :class:`DataError` for vectors of unlike
    width, zero or not finite.
    """
    return _search(_nearest_faiss, ideas, papers, pools, paper_ids, depth, report)


def search_numpy(
    ideas: NDArray[np.float32],
    papers: NDArray[np.float32],
    pools: Pools,
    paper_ids: Sequence[str],
    *,
    depth: int,
    report: Report | None = None,
) -> Neighbours:
    """:func:`search` by measuring every pair; the same result."""
    return _search(_nearest_numpy, ideas, papers, pools, paper_ids, depth, report)


def normalised(vectors: NDArray[np.float32], what: str) -> NDArray[np.float32]:
    """A float32 copy of unit length; refuses a row that has no direction."""
    copy = np.array(vectors, dtype=np.float32, order="C")
    norms = np.sqrt(np.einsum("ij,ij->i", copy, copy, dtype=np.float32))
    extreme = ~(np.isfinite(norms) & (norms > 1e-15))
    if extreme.any():
        # A square may leave float32's range where the length does not.
        wide = np.linalg.norm(copy[extreme].astype(np.float64), axis=1)
        if not np.isfinite(wide).all() or not wide.all():
            row = int(np.flatnonzero(extreme)[~(np.isfinite(wide) & (wide > 0))][0])
            raise DataError(f"{what}: the vector in row {row + 1} is zero or not finite.")
        copy[extreme] = (copy[extreme] / wide[:, None]).astype(np.float32)
        norms[extreme] = 1.0
    copy /= norms[:, None]
    return copy


Nearest = Callable[
    [NDArray[np.float32], NDArray[np.float32], NDArray[np.int64], int],
    Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]],
]


def _search(
    nearest: Nearest,
    ideas: NDArray[np.float32],
    papers: NDArray[np.float32],
    pools: Pools,
    paper_ids: Sequence[str],
    depth: int,
    report: Report | None,
) -> Neighbours:
    if depth < 1:
        raise DataError(f"depth must be at least 1 (given: {depth})")
    order, searched = _order(pools)
    found_papers: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)] * len(ideas)
    found_cosines: list[NDArray[np.float64]] = [np.empty(0)] * len(ideas)
    if len(order) and len(ideas):
        if ideas.shape[1] != papers.shape[1]:
            raise DataError(
                f"ideas have vectors of {ideas.shape[1]} dimensions and papers of"
                f" {papers.shape[1]}: both must come from one encoder."
            )
        queries = normalised(ideas, "ideas")
        base = normalised(papers[order], "papers")
        place = np.empty(len(paper_ids), dtype=np.int64)
        place[sorted(range(len(paper_ids)), key=paper_ids.__getitem__)] = np.arange(len(paper_ids))
        done = 0
        for group in range(len(searched)):
            members = np.flatnonzero(pools.groups == group)
            rows = np.flatnonzero(searched[group])
            if len(members) and len(rows):
                block = _rows(base, rows)
                pairs = nearest(queries[members], block, place[order[rows]], depth)
                for idea, (local, cosines) in zip(members, pairs, strict=True):
                    found_papers[idea] = order[rows[local]]
                    found_cosines[idea] = cosines
            done += len(members)
            if report:
                report(done, len(ideas))
    counts = [len(found) for found in found_papers]
    return Neighbours(
        idea=np.repeat(np.arange(len(ideas), dtype=np.int64), counts),
        paper=np.concatenate([np.empty(0, dtype=np.int64), *found_papers]),
        similarity=np.concatenate([np.empty(0), *found_cosines]),
        rank=np.concatenate(
            [np.empty(0, dtype=np.int64), *(np.arange(1, n + 1, dtype=np.int64) for n in counts)]
        ),
    )


def _order(pools: Pools) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Rows of the papers in any pool, so ordered that pools by date are runs of rows.

    A paper is in the pools of a run of cutoffs; by the last and first of them, papers come in
    the order of their dates. A run of rows is searched in place, where other rows are copied.
    """
    searched = pools.searched
    rows = np.flatnonzero(searched.any(axis=0))
    inside = searched[:, rows]
    if not len(rows):
        return rows.astype(np.int64), inside
    first = inside.argmax(axis=0)
    last = len(inside) - 1 - inside[::-1].argmax(axis=0)
    by_date = np.lexsort((first, last))
    return rows[by_date].astype(np.int64), inside[:, by_date]


def _rows(base: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    start, stop = int(rows[0]), int(rows[-1]) + 1
    return base[start:stop] if stop - start == len(rows) else base[rows]


def _nearest_faiss(
    queries: NDArray[np.float32],
    base: NDArray[np.float32],
    place: NDArray[np.int64],
    depth: int,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    import faiss

    # Bound of a float32 dot product's error for unit vectors, whatever the order of summation.
    error = (base.shape[1] + 8) * 2.0**-24
    settled: list[tuple[NDArray[np.int64], NDArray[np.float64]] | None] = [None] * len(queries)
    open_rows = np.arange(len(queries))
    k = min(len(base), depth + max(16, depth // 4))
    while len(open_rows):
        scores, found = faiss.knn(queries[open_rows], base, k, metric=faiss.METRIC_INNER_PRODUCT)
        still_open = []
        for start in range(0, len(open_rows), _BLOCK):
            part = open_rows[start : start + _BLOCK]
            local = found[start : start + _BLOCK]
            cosines = _measured(queries[part], base, local)
            for row, ids, values, last in zip(
                part, local, cosines, scores[start : start + _BLOCK, -1], strict=True
            ):
                kept = ids >= 0
                best, similarity = _cut(ids[kept], values[kept], place, depth)
                unseen = float(last) + error + _ROUNDING
                if k == len(base) or unseen < similarity[-1]:
                    settled[row] = best, similarity
                else:
                    still_open.append(row)
        open_rows = np.array(still_open, dtype=np.int64)
        k = min(len(base), 4 * k)
    yield from (pair for pair in settled if pair is not None)


def _measured(
    queries: NDArray[np.float32], base: NDArray[np.float32], local: NDArray[np.int64]
) -> NDArray[np.float64]:
    found = base[np.maximum(local, 0)].astype(np.float64)
    return np.asarray(np.matmul(found, queries.astype(np.float64)[:, :, None])[:, :, 0])


def _nearest_numpy(
    queries: NDArray[np.float32],
    base: NDArray[np.float32],
    place: NDArray[np.int64],
    depth: int,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    wide = base.astype(np.float64).T
    everyone = np.arange(len(base), dtype=np.int64)
    for start in range(0, len(queries), _NUMPY_BLOCK):
        for cosines in queries[start : start + _NUMPY_BLOCK].astype(np.float64) @ wide:
            yield _cut(everyone, cosines, place, depth)


def _cut(
    ids: NDArray[np.int64], cosines: NDArray[np.float64], place: NDArray[np.int64], depth: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    similarity = rounded(cosines)
    best = np.lexsort((place[ids], -similarity))[:depth]
    return ids[best], similarity[best]


def rounded(cosines: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cosines as they are stored: clipped to [−1, 1], 6 decimals, no negative zero."""
    return np.asarray(np.round(np.clip(cosines, -1.0, 1.0), DECIMALS) + 0.0, dtype=np.float64)
