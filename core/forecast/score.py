"""Forecasts scored: every system under every judge, with what failures could change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import Settings
from core.errors import DataError
from core.forecast.averages import CASES, METRICS, SCORED, averages
from core.forecast.credit import credit, passes
from core.forecast.ledger import STATE_NAMES, Ledger, ledger
from core.forecast.manifest import Manifest, stored_manifest
from core.forecast.metrics import coverage, fill_rate, hit, precision, reciprocal_rank, soft_score
from core.forecast.stored import files_stamp
from core.hindsight.memo import once_per_study
from core.study import Study

Floats = NDArray[np.float64]
__all__ = ["CASES", "METRICS", "SCORED", "ForecastScore", "episode_metrics", "score_forecasts"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ForecastScore:
    """IdeaForecastBench of one study under one gate.

    ``episodes``: one row a system, judge, topic and cutoff with its metrics, ``novelty`` (mean
    over its forecasts), ``fill_rate``, ``failed`` (verdicts that failed or are missing) and each
    metric's ``_worst_case`` (failures as misses) and ``_best_case`` (failures as passing).
    ``systems``: means over episodes. ``hit`` and its like leave out episodes in which a verdict
    failed; ``episodes`` counts those that remain and ``left_out`` the others; the two cases are
    over all episodes, so all three are equal where nothing failed. ``novelty`` and ``coverage``
    are over the episodes where they are known, counted as ``novelty_episodes`` and
    ``coverage_episodes``; ``novelty_unknown`` and ``coverage_unknown`` say why where they are None.
    ``pairs``: a − b over the episodes that both have and that neither leaves out.
    ``missing``: system, topic, cutoff of episodes that the manifest lists (without a manifest:
    that another system has) and the system was not asked for; an episode that was asked for and
    gave nothing is a miss, not missing. ``manifest`` is its digest, None where there is none.
    ``states``: judge and how its verdicts on candidates ended. ``surplus``: forecasts beyond the slots, not counted.
    """

    settings: Settings
    gate: dict[str, int]
    episodes: pd.DataFrame
    systems: pd.DataFrame
    pairs: pd.DataFrame
    missing: pd.DataFrame
    states: pd.DataFrame
    surplus: int
    resampled: str
    seed: int
    manifest: str | None
    cautions: tuple[str, ...]


def score_forecasts(study: Study, settings: Settings) -> ForecastScore:
    """Apply gate, R and credit to the stored verdicts and average over episodes.

    Intervals resample topics (whole clusters), ``settings.draws`` times from ``settings.seed``.
    Raises :class:`DataError` where there are no forecasts, candidates or verdicts.
    """
    laid = ledger(study, settings)
    if not laid.judges:
        raise DataError("The study has no verdicts. Make them: foreseen judge verdicts STUDY")
    metrics = _episodes(laid, settings)
    found = averages(study, laid, metrics, settings)
    held = _held(study, laid, files_stamp(study))
    return ForecastScore(
        settings=settings,
        gate={"pm": settings.gate_pm, "s": settings.gate_s, "r": settings.r},
        episodes=_frame(laid, metrics),
        systems=found.systems,
        pairs=found.pairs,
        missing=held.missing.copy(),
        states=_states(laid),
        surplus=int((laid.episodes["forecasts"] - settings.slots).clip(lower=0).sum()),
        resampled=found.resampled,
        seed=settings.seed,
        manifest=held.manifest,
        cautions=held.cautions,
    )


def episode_metrics(laid: Ledger, settings: Settings) -> pd.DataFrame:
    """Every metric of every episode and judge: :attr:`ForecastScore.episodes`."""
    return _frame(laid, _episodes(laid, settings))


def _episodes(laid: Ledger, settings: Settings) -> dict[str, Floats]:
    """Every metric of ``averages.AVERAGED``, and ``failed``, each (judges, episodes)."""
    worst = _metrics(laid, passes(laid, gate_pm=settings.gate_pm, gate_s=settings.gate_s))
    failed = (laid.states > 0).sum(axis=(2, 3))
    best = worst
    if failed.any():
        best = _metrics(
            laid, passes(laid, gate_pm=settings.gate_pm, gate_s=settings.gate_s, failed=True)
        )
    found: dict[str, Floats] = {}
    for metric in SCORED:
        found[metric] = np.where(failed == 0, worst[metric], np.nan)
        for case, by_case in zip(CASES, (worst, best), strict=True):
            found[f"{metric}_{case}"] = by_case[metric]
    known = ~np.isnan(laid.novelty)
    total, count = np.where(known, laid.novelty, 0.0).sum(axis=1), known.sum(axis=1)
    novelty = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    found["novelty"] = np.broadcast_to(novelty, failed.shape)
    found["fill_rate"] = np.broadcast_to(fill_rate(laid.ideas), failed.shape)
    found["failed"] = failed
    return found


def _frame(laid: Ledger, metrics: dict[str, Floats]) -> pd.DataFrame:
    """One row a judge and episode, judge after judge."""
    episodes = laid.episodes
    rows = np.tile(np.arange(len(episodes)), len(laid.judges))
    columns: dict[str, Any] = {
        name: episodes[name].array.take(rows) for name in ("system", "topic", "cutoff")
    }
    judges = np.repeat(np.array(laid.judges, dtype=object), len(episodes))
    columns = {"system": columns.pop("system"), "judge": judges, **columns}
    return pd.DataFrame(columns | {name: values.ravel() for name, values in metrics.items()})


def _metrics(laid: Ledger, passing: NDArray[np.bool_]) -> dict[str, Floats]:
    places = credit(laid.papers[None], passing)
    # A verdict that failed has no grades; where it passes, the best case, it is worth full marks.
    grades = np.where(laid.grades < 0, 3, laid.grades).astype(np.int8)
    return {
        "hit": hit(places),
        "precision": precision(places),
        "mrr": reciprocal_rank(places),
        "soft": soft_score(places, grades),
        "coverage": coverage(
            places,
            np.broadcast_to(laid.clusters, passing.shape),
            np.broadcast_to(laid.cluster_totals, passing.shape[:2]),
        ),
    }


@dataclass(frozen=True, kw_only=True, eq=False)
class _Held:
    """What no gate moves."""

    missing: pd.DataFrame
    manifest: str | None
    cautions: tuple[str, ...]


@once_per_study(4)
def _held(study: Study, laid: Ledger, _stamp: object) -> _Held:
    manifest = stored_manifest(study)
    return _Held(
        missing=_missing(laid, manifest),
        manifest=None if manifest is None else manifest.digest,
        cautions=_cautions(study, laid, manifest),
    )


def _missing(laid: Ledger, manifest: Manifest | None) -> pd.DataFrame:
    have = laid.episodes[["system", "topic", "cutoff"]]
    due = have[["topic", "cutoff"]].drop_duplicates()
    if manifest is not None:
        due = manifest.to_frame()[["topic", "cutoff"]].astype(due.dtypes)
    everything = have[["system"]].drop_duplicates().merge(due, how="cross")
    merged = everything.merge(have, how="left", indicator=True)
    lacking = merged[merged["_merge"] == "left_only"].drop(columns="_merge")
    return lacking.sort_values(["system", "topic", "cutoff"]).reset_index(drop=True)


def _cautions(study: Study, laid: Ledger, manifest: Manifest | None) -> tuple[str, ...]:
    found = []
    if manifest is not None:
        listed = {(episode.topic, pd.Timestamp(episode.cutoff)) for episode in manifest.episodes}
        own = laid.episodes[["topic", "cutoff"]].drop_duplicates()
        beyond = sum((t, pd.Timestamp(c)) not in listed for t, c in own.itertuples(index=False))
        if beyond:
            found.append(f"{beyond} episodes with forecasts are not in the manifest.")
        if manifest.horizon_months != study.config.horizon_months:
            found.append(
                f"The manifest's horizon is {manifest.horizon_months} months, the study's"
                f" {study.config.horizon_months}: candidates come from the study's."
            )
    empty = int((laid.episodes["forecasts"] == 0).sum())
    if empty:
        found.append(f"{empty} episodes were asked for and gave no forecast: misses.")
    return tuple(found)


def _states(laid: Ledger) -> pd.DataFrame:
    rows = [
        {
            "judge": judge,
            **{
                name: int((laid.states[number] == code).sum())
                for code, name in enumerate(STATE_NAMES)
            },
        }
        for number, judge in enumerate(laid.judges)
    ]
    return pd.DataFrame(rows, columns=["judge", *STATE_NAMES])
