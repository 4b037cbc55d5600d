"""Forecasts scored: every system under every judge, with what failures could change."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import Settings
from core.errors import DataError
from core.forecast.credit import credit, passes
from core.forecast.geometry import NO_GEOMETRY
from core.forecast.ledger import STATE_NAMES, Ledger, ledger
from core.forecast.manifest import Manifest, stored_manifest
from core.forecast.metrics import coverage, fill_rate, hit, precision, reciprocal_rank, soft_score
from core.stats.resample import BLOCK, Draws, draw_topics, percentile_interval
from core.study import Study

Floats = NDArray[np.float64]
METRICS = ("hit", "precision", "mrr", "soft")
SCORED = (*METRICS, "coverage")
CASES = ("worst_case", "best_case")


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
    episodes = episode_metrics(laid, settings)
    systems, pairs, resampled = _summaries(episodes, settings, laid.has_geometry)
    manifest = stored_manifest(study)
    return ForecastScore(
        settings=settings,
        gate={"pm": settings.gate_pm, "s": settings.gate_s, "r": settings.r},
        episodes=episodes,
        systems=systems,
        pairs=pairs,
        missing=_missing(laid, manifest),
        states=_states(laid),
        surplus=int((laid.episodes["forecasts"] - settings.slots).clip(lower=0).sum()),
        resampled=resampled,
        seed=settings.seed,
        manifest=None if manifest is None else manifest.digest,
        cautions=_cautions(study, laid, manifest),
    )


def episode_metrics(laid: Ledger, settings: Settings) -> pd.DataFrame:
    """Every metric of every episode and judge: :attr:`ForecastScore.episodes`."""
    worst = passes(laid, gate_pm=settings.gate_pm, gate_s=settings.gate_s)
    best = passes(laid, gate_pm=settings.gate_pm, gate_s=settings.gate_s, failed=True)
    failed = (laid.states > 0).sum(axis=(2, 3))
    by_case = {case: _metrics(laid, p) for case, p in zip(CASES, (worst, best), strict=True)}
    known = ~np.isnan(laid.novelty)
    total = np.where(known, laid.novelty, 0.0).sum(axis=1)
    count = known.sum(axis=1)
    novelty = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    frames = []
    for number, judge in enumerate(laid.judges):
        frame = laid.episodes[["system", "topic", "cutoff"]].copy()
        frame.insert(1, "judge", judge)
        for metric in SCORED:
            frame[metric] = np.where(
                failed[number] == 0, by_case["worst_case"][metric][number], np.nan
            )
            for case in CASES:
                frame[f"{metric}_{case}"] = by_case[case][metric][number]
        frame["novelty"] = novelty
        frame["fill_rate"] = fill_rate(laid.ideas)
        frame["failed"] = failed[number]
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


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


def _summaries(
    episodes: pd.DataFrame, settings: Settings, measured: bool
) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    keys = ["topic", "cutoff"]
    units = episodes[keys].drop_duplicates().sort_values(keys).reset_index(drop=True)
    where = pd.MultiIndex.from_frame(units)
    draws = draw_topics(
        units["topic"].tolist(),
        [""] * len(units),
        draws=settings.draws,
        seed=settings.seed,
    )

    def columns(frame: pd.DataFrame, names: list[str]) -> Floats:
        """Values over all units, nan where the frame has no such episode."""
        own = frame.set_index(keys)[names].reindex(where)
        return np.asarray(own.to_numpy(float))

    cases = [f"{metric}_{case}" for metric in SCORED for case in CASES]
    names = [*SCORED, *cases, "novelty", "fill_rate"]
    tables = {
        (str(judge), str(system)): columns(group, names)
        for (judge, system), group in episodes.groupby(["judge", "system"], sort=True)
    }
    couples = [
        (judge, a, b)
        for judge in sorted({judge for judge, _ in tables})
        for a, b in combinations(sorted(s for j, s in tables if j == judge), 2)
    ]
    gaps = [(tables[judge, a] - tables[judge, b])[:, : len(METRICS)] for judge, a, b in couples]
    low, high = _bands([v[:, : len(SCORED)] for v in tables.values()] + gaps, draws)
    rows, at = [], 0
    for (judge, system), values in tables.items():
        mean, n = _means(values)
        row: dict[str, object] = {"system": system, "judge": judge, "episodes": int(n[0])}
        row["left_out"] = int((~np.isnan(values[:, -1])).sum() - n[0])
        for place, name in enumerate(names):
            row[name] = _known(mean[place])
            if name in SCORED:
                row[f"{name}_low"] = _known(low[at + place])
                row[f"{name}_high"] = _known(high[at + place])
            if name in ("novelty", "coverage"):
                row[f"{name}_episodes"] = int(n[place])
                row[f"{name}_unknown"] = None if n[place] else _unknown(name, measured)
        at += len(SCORED)
        rows.append(row)
    pairs = []
    for (judge, a, b), gap in zip(couples, gaps, strict=True):
        mean, n = _means(gap)
        pairs += [
            {
                "a": a,
                "b": b,
                "judge": judge,
                "metric": metric,
                "episodes": int(n[place]),
                "difference": _known(mean[place]),
                "low": _known(low[at + place]),
                "high": _known(high[at + place]),
            }
            for place, metric in enumerate(METRICS)
        ]
        at += len(METRICS)
    pair_columns = ["a", "b", "judge", "metric", "episodes", "difference", "low", "high"]
    systems_frame = pd.DataFrame(rows).astype(object)
    return (
        systems_frame.where(systems_frame.notna(), None),
        pd.DataFrame(pairs, columns=pair_columns),
        draws.drawn,
    )


def _means(values: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Mean of each column's known values (nan where there is none), and how many they are."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    sums = np.where(known, values, 0.0).sum(axis=0)
    return np.divide(sums, count, out=np.full(count.shape, np.nan), where=count > 0), count


def _bands(tables: list[Floats], draws: Draws) -> tuple[Floats, Floats]:
    """Intervals of the means of all tables' columns, side by side.

    Blocks of columns go through one product each: many small products would cost more in
    starting threads than in numbers.
    """
    values = np.concatenate(tables, axis=1)
    known = ~np.isnan(values)
    sums, counts = draws.sums(np.where(known, values, 0.0)), draws.sums(known.astype(float))
    wide = max(BLOCK // len(draws.counts), 1)
    low, high = np.empty(values.shape[1]), np.empty(values.shape[1])
    for start in range(0, values.shape[1], wide):
        part = slice(start, start + wide)
        total, n = draws.counts @ sums[:, part], draws.counts @ counts[:, part]
        drawn = np.divide(total, n, out=np.full_like(total, np.nan), where=n > 0)
        band = percentile_interval(drawn)
        low[part], high[part] = band.low, band.high
    return low, high


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _unknown(name: str, measured: bool) -> str:
    if not measured:
        return NO_GEOMETRY
    if name == "novelty":
        return "no forecast has a paper in its history"
    return "no episode has papers in its target pool and all its verdicts"


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
