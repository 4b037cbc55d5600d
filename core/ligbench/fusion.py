"""Reciprocal rank fusion of several ranked lists."""

from __future__ import annotations

from collections.abc import Sequence

RANK_OFFSET = 60


def fuse(rankings: Sequence[Sequence[str]]) -> list[tuple[str, float]]:
    """Names with Σ 1/(60 + rank) over the lists that hold them, highest first.

    Ranks count from 1; ties are broken by name, ascending. A name that stands twice in one list
    counts at its first place. (Cormack, Clarke & Büttcher 2009.)
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, name in enumerate(dict.fromkeys(ranking), start=1):
            scores[name] = scores.get(name, 0.0) + 1.0 / (RANK_OFFSET + place)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
