"""What the diagnostics return: frozen, with the inputs that shaped them.

A field named ``undefined`` holds the reason why the values beside it are None. A rate is the
share of forecasts credited under the gate, R and judge named.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import pandas as pd

from core.config import Settings


@dataclass(frozen=True, kw_only=True)
class FieldProfile:
    """One field of one system's forecasts: how many hold it, and how long it is in words.

    ``empty`` counts forecasts without it; ``median``, ``low`` and ``high`` (the quartiles) are
    over those that have it, None where none has. Field is title, rationale, method or key_terms (length = number of terms).
    """

    system: str
    field: str
    forecasts: int
    empty: int
    median: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class Association:
    """One measure of forecasts against being credited, for one judge.

    ``r`` is Pearson's with its interval (topics resampled); ``partial`` the same once ``controls``
    are taken out of both by least squares. ``matched`` is the mean difference in rate between
    forecasts above and at most the measure's median within the same stratum (``within``), over
    ``strata`` strata that hold both. None with the reason in ``undefined``.
    """

    measure: str
    judge: str
    n: int
    r: float | None
    low: float | None
    high: float | None
    partial: float | None
    partial_low: float | None
    partial_high: float | None
    controls: tuple[str, ...]
    matched: float | None
    matched_low: float | None
    matched_high: float | None
    within: str
    strata: int
    undefined: str | None


@dataclass(frozen=True, kw_only=True)
class RateBin:
    """Rate of the forecasts whose measure lies in one of up to five bins of like size."""

    measure: str
    judge: str
    bin: int
    low: float
    high: float
    n: int
    rate: float


@dataclass(frozen=True, kw_only=True)
class GeneralityMean:
    """Mean generality of a system's forecasts under one rater (12 − sum of four specificity
    ratings; higher is broader), with its interval."""

    system: str
    rater: str
    n: int
    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class Contamination:
    """Hit rate of a system's episodes before and after a model's knowledge cutoff.

    ``model`` is a system or a judge named under ``[knowledge_cutoff]``; ``role`` says which.
    Before: the window ended on or before that day. After: it opened on or after it. Episodes
    astride of it are counted and left out. Observational: other things change with time too.
    """

    model: str
    role: str
    system: str
    judge: str
    knowledge_cutoff: date
    n_before: int
    n_after: int
    astride: int
    before: float | None
    after: float | None
    difference: float | None
    low: float | None
    high: float | None
    undefined: str | None


@dataclass(frozen=True, kw_only=True)
class BackwardControl:
    """A system's forecasts against the equally long window before their cutoff.

    What is met there already existed. ``similarity`` and ``similarity_backward`` are mean
    cosines of each forecast's nearest paper of either window; ``hit`` and ``hit_backward`` the
    hit rates over the ``episodes`` whose verdicts are whole in both. A difference near 0 says that
    the forecasts tell the past as well as the future.
    """

    system: str
    judge: str | None
    forecasts: int
    similarity: float | None
    similarity_backward: float | None
    episodes: int
    hit: float | None
    hit_backward: float | None
    difference: float | None
    low: float | None
    high: float | None
    undefined: str | None


@dataclass(frozen=True, kw_only=True)
class EqualPools:
    """Hit rate and precision of a system if every target pool held ``size`` papers.

    Pools are drawn without replacement, the same for all systems, ``draws`` times; smaller pools
    stay whole. ``hit`` is the mean over draws, ``low`` and ``high`` the range of 95 % of them.
    Candidates come from those judged, so papers that would move up unjudged are not met.
    """

    system: str
    judge: str
    size: int
    draws: int
    episodes: int
    smaller: int
    hit: float | None
    low: float | None
    high: float | None
    precision: float | None
    hit_all: float | None
    undefined: str | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Diagnostics:
    """What hit rates hide, for one study under one gate.

    ``forecasts``: one row a filled slot and judge: idea_id, system, topic, cutoff, rank, judge,
    credited (nan where its episode has a failed verdict), and every measure (see
    ``MEASURES``). ``measures`` names those that could be worked out, ``not_measured`` the
    others with the reason.
    """

    settings: Settings
    forecasts: pd.DataFrame
    measures: tuple[str, ...]
    not_measured: dict[str, str]
    fields: tuple[FieldProfile, ...]
    generality: tuple[GeneralityMean, ...]
    associations: tuple[Association, ...]
    bins: tuple[RateBin, ...]
    contamination: tuple[Contamination, ...]
    backward: tuple[BackwardControl, ...]
    equal_pools: tuple[EqualPools, ...]
    cautions: tuple[str, ...]
    resampled: str
    seed: int
