"""Probes of what a hit rate may owe to: knowledge of the target, the past, the pools' sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import EQUAL_POOL_DRAWS, Settings
from core.forecast.association import resampling
from core.forecast.credit import credit, passes
from core.forecast.diagnosed import BackwardControl, Contamination, EqualPools
from core.forecast.geometry import NO_GEOMETRY, Geometry, searched_pool, windows_of
from core.forecast.ledger import Ledger, first_candidates, with_candidates
from core.forecast.metrics import hit, precision
from core.stats.resample import percentile_interval
from core.study import Study

Floats = NDArray[np.float64]
NOT_JUDGED = (
    "no whole episode is judged in the window before: run"
    " `foreseen judge verdicts STUDY --window backward --model M`"
)


def contamination(
    study: Study, episodes: pd.DataFrame, *, draws: int, seed: int
) -> tuple[Contamination, ...]:
    """Before and after every knowledge cutoff of ``study.toml`` that a system or judge has.

    ``episodes`` as :attr:`ForecastScore.episodes`. A system or judge takes the cutoff under its
    own name, else under its model's. Episodes with a failed verdict take no part.
    """
    found = []
    for (system, judge), own in episodes.groupby(["system", "judge"], sort=True):
        for role, name in (("system", str(system)), ("judge", str(judge))):
            day = _knowledge(study, name)
            if day is not None:
                found.append(
                    _contaminated(study, own, name, role, str(system), str(judge), day, draws, seed)
                )
    return tuple(sorted(found, key=lambda c: (c.role != "system", c.model, c.system, c.judge)))


def backward_control(
    study: Study,
    laid: Ledger,
    settings: Settings,
    geometry: Geometry | None,
    *,
    draws: int,
    seed: int,
) -> tuple[BackwardControl, ...]:
    """The same forecasts against the equally long window before their cutoff, by system and
    judge (one row without a judge where there are no verdicts)."""
    systems = sorted(set(laid.episodes["system"]))
    judges: Sequence[str | None] = laid.judges or (None,)
    if geometry is None:
        return tuple(
            _backward(name, judge, 0, (None, None), NO_GEOMETRY)
            for name in systems
            for judge in judges
        )
    before = with_candidates(study, laid, first_candidates(study, settings.r, of=geometry.backward))
    near, near_before = _nearest(study, laid), _nearest(study, laid, geometry.backward)
    both = ~np.isnan(near) & ~np.isnan(near_before)
    hits, whole = _hits(laid, settings)
    hits_before, whole_before = _hits(before, settings)
    met_before = (before.papers >= 0).any(axis=(1, 2))
    topics = laid.episodes["topic"].to_numpy()
    found = []
    for name in systems:
        own = (laid.episodes["system"] == name).to_numpy()
        pairs = both & own[:, None]
        means: tuple[float | None, float | None] = (None, None)
        if pairs.any():
            means = float(near[pairs].mean()), float(near_before[pairs].mean())
        n = int(pairs.sum())
        for number, judge in enumerate(judges):
            if judge is None:
                found.append(_backward(name, None, n, means, "there are no verdicts"))
                continue
            use = own & whole[number] & whole_before[number] & met_before
            if not use.any():
                found.append(_backward(name, judge, n, means, NOT_JUDGED))
                continue
            gap = hits[number][use] - hits_before[number][use]
            again = resampling(topics[use].tolist(), draws=draws, seed=seed)
            sums = again.totals(np.column_stack([gap, np.ones_like(gap)]))
            drawn = np.full(len(sums), np.nan)
            np.divide(sums[:, 0], sums[:, 1], out=drawn, where=sums[:, 1] > 0)
            low, high = _interval(drawn)
            found.append(
                replace(
                    _backward(name, judge, n, means, None),
                    episodes=int(use.sum()),
                    hit=float(hits[number][use].mean()),
                    hit_backward=float(hits_before[number][use].mean()),
                    difference=float(gap.mean()),
                    low=low,
                    high=high,
                )
            )
    return tuple(found)


def equal_pools(
    study: Study,
    laid: Ledger,
    settings: Settings,
    *,
    size: int | None = None,
    draws: int = EQUAL_POOL_DRAWS,
) -> tuple[EqualPools, ...]:
    """Hit rates with every target pool cut to ``size`` papers at random.

    ``size`` None is the smallest pool with at least R papers. Seeded by ``settings.seed``.
    """
    windows = windows_of(study, searched_pool(study, settings))
    group = _groups(laid, windows.target.groups)
    sizes = windows.target.certain.sum(axis=1)
    used = np.unique(group[group >= 0])
    enough = sizes[used][sizes[used] >= settings.r]
    if size is None:
        size = int(enough.min()) if len(enough) else 0
    passing = passes(laid, gate_pm=settings.gate_pm, gate_s=settings.gate_s)
    whole = np.asarray((laid.states <= 0).all(axis=(2, 3)))
    hits = np.zeros((draws, *whole.shape))
    precisions = np.zeros((draws, *whole.shape))
    generator = np.random.default_rng(settings.seed)
    place = np.full(len(study.papers), -1)
    for number in used.tolist():
        rows = np.flatnonzero(group == number)
        pool = np.flatnonzero(windows.target.certain[number])
        order = np.argsort(study.papers["paper_id"].to_numpy()[pool])
        place[:] = -1
        place[pool[order]] = np.arange(len(pool))
        kept = np.ones((draws, len(pool) + 1), dtype=bool)
        if len(pool) > size:
            chance = generator.random((draws, len(pool)))
            kept[:, :-1] = chance.argsort(axis=1).argsort(axis=1) < size
        kept[:, -1] = False
        papers = laid.papers[rows]
        stay = kept[:, np.where(papers >= 0, place[np.maximum(papers, 0)], -1)]
        through = passing[None][:, :, rows] & stay[:, None]
        places = credit(papers[None, None], through)
        hits[:, :, rows], precisions[:, :, rows] = hit(places), precision(places)
    all_hits = hit(credit(laid.papers[None], passing))
    found = []
    for name in sorted(set(laid.episodes["system"])):
        own = (laid.episodes["system"] == name).to_numpy()
        for number, judge in enumerate(laid.judges):
            use = own & whole[number]
            found.append(
                _equal(
                    name,
                    judge,
                    size,
                    draws,
                    use,
                    int((sizes[group[use & (group >= 0)]] < size).sum()),
                    hits[:, number],
                    precisions[:, number],
                    all_hits[number],
                )
            )
    return tuple(found)


def _knowledge(study: Study, name: str) -> date | None:
    known = study.config.knowledge_cutoff
    return known.get(name) or known.get(study.config.models.get(name, ""))


def _contaminated(
    study: Study,
    own: pd.DataFrame,
    model: str,
    role: str,
    system: str,
    judge: str,
    day: date,
    draws: int,
    seed: int,
) -> Contamination:
    cutoffs = [pd.Timestamp(cutoff).date() for cutoff in own["cutoff"]]
    ended = np.array([study.config.window_end(cutoff) <= day for cutoff in cutoffs], dtype=bool)
    opened = np.array([cutoff >= day for cutoff in cutoffs], dtype=bool)
    hits = own["hit"].to_numpy(float)
    known = ~np.isnan(hits)
    before, after = ended & known, opened & known
    values: dict[str, float | None] = dict.fromkeys(
        ("before", "after", "difference", "low", "high")
    )
    if before.any():
        values["before"] = float(hits[before].mean())
    if after.any():
        values["after"] = float(hits[after].mean())
    undefined = None
    if not before.any() or not after.any():
        side = "ended by" if not before.any() else "opened on or after"
        undefined = f"no window with all its verdicts {side} {day}"
    else:
        values["difference"] = float(hits[after].mean() - hits[before].mean())
        use = before | after
        again = resampling(own["topic"].to_numpy()[use].tolist(), draws=draws, seed=seed)
        b, a, h = before[use].astype(float), after[use].astype(float), hits[use]
        sums = again.totals(np.column_stack([h * b, b, h * a, a]))
        fit = (sums[:, 1] > 0) & (sums[:, 3] > 0)
        drawn = np.full(len(sums), np.nan)
        drawn[fit] = sums[fit, 2] / sums[fit, 3] - sums[fit, 0] / sums[fit, 1]
        values["low"], values["high"] = _interval(drawn)
    return Contamination(
        model=model,
        role=role,
        system=system,
        judge=judge,
        knowledge_cutoff=day,
        n_before=int(before.sum()),
        n_after=int(after.sum()),
        astride=int((~ended & ~opened).sum()),
        undefined=undefined,
        **values,
    )


def _backward(
    system: str,
    judge: str | None,
    forecasts: int,
    means: tuple[float | None, float | None],
    undefined: str | None,
) -> BackwardControl:
    return BackwardControl(
        system=system,
        judge=judge,
        forecasts=forecasts,
        similarity=means[0],
        similarity_backward=means[1],
        episodes=0,
        hit=None,
        hit_backward=None,
        difference=None,
        low=None,
        high=None,
        undefined=undefined,
    )


def _hits(laid: Ledger, settings: Settings) -> tuple[Floats, NDArray[np.bool_]]:
    """Hit of every judge and episode, and whether its verdicts are whole."""
    passing = passes(laid, gate_pm=settings.gate_pm, gate_s=settings.gate_s)
    whole = np.asarray((laid.states <= 0).all(axis=(2, 3)))
    return hit(credit(laid.papers[None], passing)), whole


def _nearest(study: Study, laid: Ledger, of: pd.DataFrame | None = None) -> Floats:
    """Cosine of each forecast's nearest paper, (episodes, slots); nan where it has none."""
    nearest = first_candidates(study, 1, of=of)[:, 0]
    frame = study.candidates if of is None else of
    assert frame is not None
    by_pair = frame.set_index(["idea_id", "paper_id"])["similarity"]
    ids, papers = study.ideas["idea_id"].to_numpy(), study.papers["paper_id"].to_numpy()
    values = np.full(len(ids), np.nan)
    met = nearest >= 0
    pairs = pd.MultiIndex.from_arrays([ids[met], papers[nearest[met]]])
    values[met] = by_pair.reindex(pairs).to_numpy(float)
    result = values[np.maximum(laid.ideas, 0)]
    result[laid.ideas < 0] = np.nan
    return np.asarray(result)


def _groups(laid: Ledger, groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """The pool of each episode by its first forecast, −1 where it has none."""
    has = laid.ideas >= 0
    first = np.take_along_axis(laid.ideas, has.argmax(axis=1)[:, None], axis=1)[:, 0]
    return np.where(has.any(axis=1), groups[np.maximum(first, 0)], -1)


def _equal(
    system: str,
    judge: str,
    size: int,
    draws: int,
    use: NDArray[np.bool_],
    smaller: int,
    hits: Floats,
    precisions: Floats,
    all_hits: Floats,
) -> EqualPools:
    undefined = None
    if not size:
        undefined = "no target pool holds as many papers as are judged"
    elif not use.any():
        undefined = "every episode has a failed or missing verdict"
    rates = hits[:, use].mean(axis=1) if undefined is None else None
    low, high = (None, None) if rates is None else _interval(rates)
    return EqualPools(
        system=system,
        judge=judge,
        size=size,
        draws=draws,
        episodes=int(use.sum()),
        smaller=smaller,
        hit=None if rates is None else float(rates.mean()),
        low=low,
        high=high,
        precision=None if rates is None else float(precisions[:, use].mean()),
        hit_all=float(all_hits[use].mean()) if use.any() else None,
        undefined=undefined,
    )


def _interval(drawn: Floats) -> tuple[float | None, float | None]:
    band = percentile_interval(drawn[:, None])
    low, high = float(band.low[0]), float(band.high[0])
    return (None, None) if np.isnan(low) or np.isnan(high) else (low, high)
