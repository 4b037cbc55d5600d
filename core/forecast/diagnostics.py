"""What hit rates hide: generality, lengths, pool size, contamination, the backward control."""

from __future__ import annotations

from core.config import Settings
from core.forecast.diagnosed import Diagnostics
from core.study import Study

MEASURES = (
    "generality",
    "words",
    "method_words",
    "key_terms",
    "rarity",
    "specifics",
    "pool_size",
    "novelty",
)


def diagnostics(study: Study, settings: Settings) -> Diagnostics:
    """Every diagnostic of the study's forecasts; see :class:`Diagnostics`."""
    raise NotImplementedError
