"""Ratings of every idea: Elo over many orders and Bradley–Terry side by side (LigBench §3.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.config import ALL_JUDGES, Settings
from core.errors import DataError, nearest
from core.ligbench.bradley_terry import Fit, fit
from core.ligbench.debias import DIMENSIONS, Debiased, debias
from core.ligbench.elo import UNSEEN_START, EloRun, run_batch
from core.ligbench.games import Games, components, flip_rates, games
from core.stats.resample import draw_topics, percentile_interval
from core.study import Study

_TIE = 0.5


@dataclass(frozen=True, kw_only=True)
class Rank:
    """LigBench's ratings under one set of settings.

    ``ideas`` has one row an idea and dimension that has a game: idea_id, system, dimension,
    start, elo, elo_low, elo_high, orders, games, stopped, bradley_terry, bt_low, bt_high, wins,
    ties, losses, start_known, one_sided. ``systems``: system, dimension, n, mean, low, high
    (mean of Elo over ideas, topics resampled). ``flip_rates``: judge, dimension, n, rate.
    ``unrated``: ideas without any game. ``unplayable``: games whose reference has no score.
    ``one_order``: share of games judged in one order only, None without games. ``components``:
    groups of ideas that share references, directly or through others, the largest first.
    """

    settings: Settings
    elo_mode: str
    judge: str
    seed: int
    ideas: pd.DataFrame
    systems: pd.DataFrame
    flip_rates: pd.DataFrame
    unrated: tuple[str, ...]
    unplayable: pd.DataFrame
    one_order: float | None
    resampled: str
    cautions: tuple[str, ...]
    components: tuple[tuple[str, ...], ...] = ()


def rank(study: Study, settings: Settings) -> Rank:
    """Debias the references, make games of the comparisons and rate every idea that played.

    Raises :class:`DataError` where the study has no references or no comparisons, or where
    ``settings.judge`` compared nothing.
    """
    references, played = prepared(study, settings)
    known = set(study.ideas["idea_id"])
    frame = played.frame[played.frame["idea_id"].isin(known)]
    starts = start_scores(study, settings.judge)
    jobs, keys = [], []
    for (idea_id, dimension), group in frame.groupby(["idea_id", "dimension"], sort=True):
        start = starts.get((idea_id, dimension), UNSEEN_START)
        outcomes = group["outcome"].to_numpy(float)
        jobs.append((outcomes, group["reference_score"].to_numpy(float), start, str(idea_id)))
        keys.append((str(idea_id), str(dimension)))
    runs = run_batch(jobs, settings=settings)
    system = study.ideas.set_index("idea_id")["system"]
    rows = []
    for (idea_id, dimension), job, run in zip(keys, jobs, runs, strict=True):
        centre = references.overall[dimension]
        assert centre is not None
        rated = fit(
            job[0],
            job[1],
            d=settings.elo_d,
            prior_mean=centre,
            prior_sd=settings.bt_prior_sd,
        )
        known_start = (idea_id, dimension) in starts
        rows.append(_row(idea_id, str(system[idea_id]), dimension, job, run, rated, known_start))
    ideas = pd.DataFrame(rows, columns=_IDEA_COLUMNS)
    systems, resampled = _systems(study, ideas, settings)
    unrated = tuple(sorted(known - set(ideas["idea_id"])))
    one_order = float(frame["one_order"].mean()) if len(frame) else None
    unplayable = played.unplayable[played.unplayable["idea_id"].isin(known)]
    apart = components(frame)
    return Rank(
        settings=settings,
        elo_mode=settings.elo_mode,
        judge=settings.judge,
        seed=settings.seed,
        ideas=ideas,
        systems=systems,
        flip_rates=flip_rates(study.comparisons),
        unrated=unrated,
        unplayable=unplayable.reset_index(drop=True),
        one_order=one_order,
        resampled=resampled,
        cautions=tuple(_cautions(ideas, unrated, len(unplayable), one_order, apart)),
        components=apart,
    )


def prepared(study: Study, settings: Settings) -> tuple[Debiased, Games]:
    """The debiased references and the games of ``settings.judge``."""
    if study.references.empty:
        raise DataError("The study has no references. Add them: foreseen import references FILE")
    if study.comparisons.empty:
        raise DataError(
            "The study has no comparisons. Make them: foreseen judge comparisons STUDY --model M,"
            " or add them: foreseen import comparisons FILE"
        )
    judges = sorted(set(study.comparisons["judge"]))
    if settings.judge != ALL_JUDGES and settings.judge not in judges:
        raise DataError(
            f"Judge '{settings.judge}' compared nothing. {nearest(settings.judge, judges)}"
        )
    references = debias(study.references)
    return references, games(study.comparisons, references, settings.judge)


def start_scores(study: Study, judge: str = ALL_JUDGES) -> dict[tuple[str, str], float]:
    """Start of (idea, dimension): mean over a judge's ok repeats, then over judges."""
    ok = study.starts[study.starts["state"] == "ok"]
    if judge != ALL_JUDGES:
        ok = ok[ok["judge"] == judge]
    if ok.empty:
        return {}
    marks = ok.groupby(["idea_id", "judge"])[list(DIMENSIONS)].mean()
    means = marks.groupby("idea_id").mean().stack().dropna()
    return {(str(idea), str(dimension)): float(v) for (idea, dimension), v in means.items()}


_IDEA_COLUMNS = [
    "idea_id",
    "system",
    "dimension",
    "start",
    "elo",
    "elo_low",
    "elo_high",
    "orders",
    "games",
    "stopped",
    "bradley_terry",
    "bt_low",
    "bt_high",
    "wins",
    "ties",
    "losses",
    "start_known",
    "one_sided",
]


def _row(
    idea_id: str,
    system: str,
    dimension: str,
    job: tuple[np.ndarray, np.ndarray, float, str],
    run: EloRun,
    rated: Fit,
    start_known: bool,
) -> dict[str, object]:
    low, high = run.interval
    outcomes = job[0]
    return {
        "idea_id": idea_id,
        "system": system,
        "dimension": dimension,
        "start": run.start,
        "elo": run.mean,
        "elo_low": low,
        "elo_high": high,
        "orders": len(run.finals),
        "games": run.games,
        "stopped": float(run.stopped.mean()),
        "bradley_terry": rated.value,
        "bt_low": rated.low,
        "bt_high": rated.high,
        "wins": int((outcomes > _TIE).sum()),
        "ties": int((outcomes == _TIE).sum()),
        "losses": int((outcomes < _TIE).sum()),
        "start_known": start_known,
        "one_sided": rated.one_sided,
    }


def _systems(study: Study, ideas: pd.DataFrame, settings: Settings) -> tuple[pd.DataFrame, str]:
    topics = study.ideas.set_index("idea_id")["topic"].fillna("")
    rows: list[dict[str, object]] = []
    resampled = "topics"
    for (system, dimension), group in ideas.groupby(["system", "dimension"], sort=True):
        units = group.sort_values("idea_id")
        own = [str(topics[idea]) for idea in units["idea_id"]]
        draws = draw_topics(own, ["" for _ in own], draws=settings.draws, seed=settings.seed)
        resampled = "ideas" if draws.drawn == "ideas" else resampled
        values = units["elo"].to_numpy(float)[:, None]
        band = percentile_interval(draws.means(values, np.ones(len(units), bool)))
        low, high = float(band.low[0]), float(band.high[0])
        rows.append(
            {
                "system": system,
                "dimension": dimension,
                "n": len(units),
                "mean": float(values.mean()),
                "low": None if np.isnan(low) else low,
                "high": None if np.isnan(high) else high,
            }
        )
    frame = pd.DataFrame(rows, columns=["system", "dimension", "n", "mean", "low", "high"])
    return frame, resampled


def _cautions(
    ideas: pd.DataFrame,
    unrated: tuple[str, ...],
    unplayable: int,
    one_order: float | None,
    apart: tuple[tuple[str, ...], ...],
) -> list[str]:
    found = []
    if unrated:
        found.append(f"{len(unrated)} ideas have no game and no rating.")
    one_sided = ideas.loc[ideas["one_sided"].notna(), "idea_id"].nunique()
    if one_sided:
        found.append(
            f"{one_sided} ideas won or lost every game in a dimension: their Bradley–Terry"
            " rating is held by the prior."
        )
    without_start = ideas.loc[~ideas["start_known"].astype(bool), "idea_id"].nunique()
    if without_start:
        found.append(f"{without_start} ideas have no start mark: they begin at {UNSEEN_START}.")
    if one_order:
        found.append(f"{one_order:.0%} of the games were judged in one order only.")
    if unplayable:
        found.append(f"{unplayable} games are left out: their reference has no score.")
    if len(apart) > 1:
        found.append(
            f"The ideas fall into {len(apart)} groups that share no reference"
            f" ({', '.join(str(len(group)) for group in apart[:5])} ideas): between groups, only"
            " the reviewers' scores of the references compare them."
        )
    return found
