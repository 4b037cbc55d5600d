"""Which forecast is credited with which paper (IdeaForecastBench, Crediting)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.forecast.ledger import Ledger

Mask = NDArray[np.bool_]
NOT_CREDITED = -1


def passes(ledger: Ledger, *, gate_pm: int, gate_s: int, failed: bool = False) -> Mask:
    """Which candidates pass the gate P + M ≥ ``gate_pm`` and S ≥ ``gate_s``.

    (judges, episodes, slots, depth). A candidate without an ok verdict passes only where
    ``failed`` is True, which gives the best case.
    """
    problem, method, specificity = (ledger.grades[..., part] for part in range(3))
    ok = ledger.states == 0
    through = ok & (problem + method >= gate_pm) & (specificity >= gate_s)
    return np.asarray(through | (failed & (ledger.states > 0)))


def credit(papers: NDArray[np.int64], passing: Mask) -> NDArray[np.int64]:
    """The place (0 to depth − 1) of each forecast's credited candidate, −1 where none.

    ``papers`` (…, slots, depth): candidates by falling similarity, −1 where none; ``passing``
    likewise. In rank order each forecast takes its first passing candidate whose paper is not
    yet credited in the episode, so a paper supports one forecast only. Returns (…, slots).
    """
    papers = np.broadcast_to(papers, passing.shape)
    slots = passing.shape[-2]
    places = np.full(passing.shape[:-1], NOT_CREDITED)
    taken = np.full(passing.shape[:-1], -2)
    for slot in range(slots):
        own = papers[..., slot, :]
        free = passing[..., slot, :] & (own >= 0)
        for earlier in range(slot):
            free &= own != taken[..., earlier, None]
        if not free.shape[-1]:
            continue
        first = free.argmax(axis=-1)
        found = free.any(axis=-1)
        places[..., slot] = np.where(found, first, NOT_CREDITED)
        paper = np.take_along_axis(own, first[..., None], axis=-1)[..., 0]
        taken[..., slot] = np.where(found, paper, -2)
    return places
