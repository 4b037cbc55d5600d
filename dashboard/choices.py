"""The choices that a specification curve crosses, as widgets bound to the address."""

from __future__ import annotations

from math import prod
from typing import Any

import streamlit as st

from dashboard import state

LIMIT = 10_000
_UNTICKED = ("sum",)
_LABELS = {
    "theta": ("spec_theta", "Thresholds θ"),
    "k": ("spec_k", "Candidates K"),
    "normalizer": ("spec_normalizer", "Citations"),
    "aggregate": ("spec_aggregate", "Aggregates"),
    "citation_weight": ("spec_weight", "Citation weights (venue: the rest of 1)"),
}


def draw(options: dict[str, tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
    """A multiple choice for each dimension; what is ticked comes back.

    All are ticked at first but the sum over matches: its scores have another scale, so its
    differences would drown the others.
    """
    ticked: dict[str, tuple[Any, ...]] = {}
    for name, values in options.items():
        key, title = _LABELS[name]
        texts = {as_text(value): value for value in values}
        chosen = st.pills(
            title,
            list(texts),
            selection_mode="multi",
            default=[text for text in texts if text not in _UNTICKED or len(texts) == 1],
            key=key,
            **state.BOUND,
        )
        ticked[name] = tuple(texts[text] for text in texts if text in chosen)
    return ticked


def size(grid: dict[str, tuple[Any, ...]]) -> int:
    """How many specifications a grid has."""
    return prod(len(values) for values in grid.values())


def as_text(value: object) -> str:
    """An option as it stands in the address: 0.62, 20, minmax."""
    return f"{value:g}" if isinstance(value, float) else str(value)
