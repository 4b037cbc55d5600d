"""The effect under every combination of defensible choices.

A specification curve shows how far a conclusion hangs on choices; it is no better estimate than
any one of its rows. Source: Simonsohn, Simmons & Nelson (2020), Specification curve analysis.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import (
    AGGREGATES,
    JUDGE_DIMENSIONS,
    NORMALIZERS,
    PAPER_THETA,
    SIGNIFICANCE,
    Settings,
)
from core.errors import UsageError, nearest
from core.hindsight.marks import marks
from core.hindsight.panel import Ideas, ideas_of, matched, prefix_scores
from core.hindsight.results import SpecificationCurve
from core.hindsight.score import bootstrap, study_info
from core.hindsight.sweep import Member, Pair, compare_pair, correlate_all, counts_at
from core.study import Study

Floats = NDArray[np.float64]

CHOICES = ("theta", "k", "normalizer", "aggregate", "citation_weight")
_MATCH_RATES = np.linspace(0.95, 0.10, 10)
_KS = (5, 10, 20, 50)
_WEIGHTS = (0.2, 0.4, 0.6, 0.8, 1.0)


def default_grid(study: Study, settings: Settings) -> dict[str, tuple[Any, ...]]:
    """The choices that are crossed where the user names none; some thousands of combinations.

    θ: ten values, from the one at which 95 % of ideas have a match to that at which 10 % do.
    K: 5, 10, 20 and 50 as far as the stored depth goes. All normalisers, all aggregates,
    citation weights 0.2 to 1, the venue's weight being the rest of 1. ``settings``' own value
    of each choice is always among them.
    """
    best = matched(study, settings).similarity[:, 0]
    best = best[np.isfinite(best)]
    thetas = np.quantile(best, 1 - _MATCH_RATES).round(3).tolist() if len(best) else []
    info = study.candidates_info
    depth = info.depth if info is not None else max(_KS)
    return {
        "theta": _with(thetas, settings.theta),
        "k": _with([k for k in _KS if k <= depth], settings.k),
        "normalizer": NORMALIZERS,
        "aggregate": AGGREGATES,
        "citation_weight": _with(_WEIGHTS, settings.citation_weight),
    }


def specifications(
    study: Study,
    settings: Settings,
    *,
    a: str | None = None,
    b: str | None = None,
    **grid: Sequence[Any],
) -> SpecificationCurve:
    """System ``a`` against ``b`` (else the first two by name) under every combination.

    ``grid``: values for any of θ (``theta``), ``k``, ``normalizer``, ``aggregate`` and
    ``citation_weight``; a choice not named has its default values where ``grid`` is empty, else
    the settings' own value. The venue's weight is 1 − citation_weight, and the settings' own
    where the citation weight is theirs. All other settings stay.

    Difference and ratio of means with 95 % intervals from the same draws for all rows; p by
    Mann–Whitney and Spearman's ρ with the chosen judge (or all), neither corrected for the
    number of specifications. ``explained``: the share of the variance of the difference that a
    choice's main effect makes up (η² of the balanced grid), the rest being interactions;
    undefined where the difference is the same everywhere. Undefined with one system.
    :class:`UsageError` for an unknown choice, value or system; :class:`DataError` where no
    candidates are stored.
    """
    ideas = ideas_of(study)
    marks(study).of(settings.judge)
    crossed = _checked(grid, settings) if grid else default_grid(study, settings)
    pair = _pair(ideas, a, b)
    if pair is None:
        return _undefined(study, settings, crossed, ideas)
    names, scores, choices = _scores(study, settings, crossed, ideas)
    first, second = (ideas.systems.index(name) for name in pair)
    draws = bootstrap(study, settings.draws, settings.seed)
    compared = compare_pair(scores, first, second, ideas, draws)
    members = [
        member
        for member in correlate_all(scores, ideas, marks(study), settings)
        if member.judge == settings.judge and member.system in pair
    ]
    rows = _rows(names, choices, compared, members, settings)
    return SpecificationCurve(
        study=study_info(study),
        settings=settings,
        a=pair[0],
        b=pair[1],
        grid=crossed,
        rows=rows.sort_values("difference", ignore_index=True, kind="stable"),
        shares=_shares(compared, members),
        explained=_explained(rows, crossed),
        undefined=None,
    )


def _with(values: Sequence[Any], own: Any) -> tuple[Any, ...]:
    return tuple(sorted({*values, own}))


def _checked(grid: Mapping[str, Sequence[Any]], settings: Settings) -> dict[str, tuple[Any, ...]]:
    for name in grid:
        if name not in CHOICES:
            raise UsageError(f"No choice '{name}' to vary. {nearest(name, CHOICES)}")
    crossed: dict[str, tuple[Any, ...]] = {}
    for name in CHOICES:
        given = grid.get(name, (getattr(settings, name),))
        values = [getattr(Settings.of({name: value}, base=settings), name) for value in given]
        if not values:
            raise UsageError(f"Name at least one value of '{name}'.")
        crossed[name] = tuple(dict.fromkeys(values))
    return crossed


def _pair(ideas: Ideas, a: str | None, b: str | None) -> tuple[str, str] | None:
    for name in (a, b):
        if name is not None and name not in ideas.systems:
            raise UsageError(f"No system '{name}'. {nearest(name, ideas.systems)}")
    if a is not None and a == b:
        raise UsageError(f"Name two systems: '{a}' cannot be held against itself.")
    if len(ideas.systems) < 2:
        return None
    first = a or next(name for name in ideas.systems if name != b)
    second = b or next(name for name in ideas.systems if name != first)
    return first, second


def _scores(
    study: Study, settings: Settings, crossed: dict[str, tuple[Any, ...]], ideas: Ideas
) -> tuple[list[str], Floats, list[tuple[Any, ...]]]:
    """Scores of every idea under every specification, (specifications, ideas), and its choices."""
    deepest = settings.model_copy(update={"k": max(crossed["k"])})
    similarity = matched(study, deepest).similarity
    thetas = np.array(crossed["theta"], dtype=float)
    counts = {k: counts_at(thetas, similarity[:, :k]) for k in crossed["k"]}
    scores, choices = [], []
    at = np.arange(len(ideas))[None, :]
    for normalizer, weight in product(crossed["normalizer"], crossed["citation_weight"]):
        venue = venue_weight(weight, settings)
        now = deepest.model_copy(
            update={"normalizer": normalizer, "citation_weight": weight, "venue_weight": venue}
        )
        impact = matched(study, now).impact
        for k, aggregate in product(crossed["k"], crossed["aggregate"]):
            scores.append(prefix_scores(impact[:, :k], aggregate)[at, counts[k]])
            choices += [
                (theta, k, normalizer, aggregate, weight, venue) for theta in crossed["theta"]
            ]
    return [*CHOICES, "venue_weight"], np.concatenate(scores), choices


def venue_weight(citation_weight: float, settings: Settings) -> float:
    """What the venue weighs beside a citation weight: the rest of 1, or the settings' own."""
    if citation_weight == settings.citation_weight:
        return settings.venue_weight
    return round(1 - citation_weight, 10)


def _rows(
    names: list[str],
    choices: list[tuple[Any, ...]],
    compared: Pair,
    members: list[Member],
    settings: Settings,
) -> pd.DataFrame:
    rows = pd.DataFrame(choices, columns=names)
    rows["difference"], rows["low"], rows["high"] = compared.difference, compared.low, compared.high
    rows["ratio"] = compared.ratio
    rows["ratio_low"], rows["ratio_high"] = compared.ratio_low, compared.ratio_high
    rows["p"], rows["rank_biserial"] = compared.p, compared.rank_biserial
    rho = {f"rho_{m.dimension}__{m.system}": m.rho for m in members}
    p = {f"p_{m.dimension}__{m.system}": m.p for m in members}
    rows = pd.concat([rows, pd.DataFrame(rho | p)], axis=1)
    rows["own"] = _is(rows, {name: getattr(settings, name) for name in names})
    paper = Settings()
    own = {name: getattr(paper, name) for name in names}
    rows["paper"] = _is(rows, own | {"theta": PAPER_THETA})
    return rows


def _is(rows: pd.DataFrame, values: Mapping[str, Any]) -> NDArray[np.bool_]:
    same = [(rows[name] == value).to_numpy(dtype=bool) for name, value in values.items()]
    return np.asarray(np.logical_and.reduce(same))


def _shares(compared: Pair, members: list[Member]) -> pd.DataFrame:
    rows = list(_counted(compared, members))
    return pd.DataFrame(rows, columns=["conclusion", "share", "n"])


def _counted(compared: Pair, members: list[Member]) -> Iterator[tuple[str, float | None, int]]:
    """Each conclusion, the share of specifications in which it holds, of how many."""
    sure = f"significantly (p < {SIGNIFICANCE})"
    a, b, difference = compared.a, compared.b, compared.difference
    significant = compared.p < SIGNIFICANCE
    for up, down, holds in ((a, b, difference > 0), (b, a, difference < 0)):
        yield _share(f"{up} scores higher than {down}", holds, difference)
        yield _share(f"{up} scores higher than {down}, {sure}", holds & significant, difference)
    for member in members:
        what = f"{member.system}: {member.dimension} correlates"
        significant = member.p < SIGNIFICANCE
        for word, holds in (("negatively", member.rho < 0), ("positively", member.rho > 0)):
            yield _share(f"{what} {word}", holds, member.rho)
            yield _share(f"{what} {word}, {sure}", holds & significant, member.rho)


def _share(
    conclusion: str, holds: NDArray[np.bool_], values: Floats
) -> tuple[str, float | None, int]:
    n = int(np.isfinite(values).sum())
    return conclusion, float(holds.sum() / n) if n else None, n


def _explained(rows: pd.DataFrame, crossed: dict[str, tuple[Any, ...]]) -> pd.DataFrame:
    """η² of each choice that was varied; on a balanced grid they and interactions add up to 1."""
    difference = rows["difference"]
    total = float(((difference - difference.mean()) ** 2).sum())
    shares: list[tuple[str, float | None]] = []
    for name in CHOICES:
        if len(crossed[name]) < 2:
            continue
        level = difference.groupby(rows[name]).transform("mean")
        between = float(((level - difference.mean()) ** 2).sum())
        shares.append((name, between / total if total > 1e-24 else None))
    if shares:
        known = [share for _, share in shares if share is not None]
        rest = max(0.0, 1 - sum(known)) if len(known) == len(shares) else None
        shares.append(("interactions", rest))
    return pd.DataFrame(shares, columns=["choice", "share"])


def _undefined(
    study: Study, settings: Settings, crossed: dict[str, tuple[Any, ...]], ideas: Ideas
) -> SpecificationCurve:
    columns = [*CHOICES, "venue_weight", "difference", "low", "high", "ratio", "ratio_low"]
    columns += ["ratio_high", "p", "rank_biserial"]
    columns += [f"rho_{name}__{system}" for name in JUDGE_DIMENSIONS for system in ideas.systems]
    return SpecificationCurve(
        study=study_info(study),
        settings=settings,
        a=ideas.systems[0] if ideas.systems else "",
        b="",
        grid=crossed,
        rows=pd.DataFrame(columns=[*columns, "own", "paper"]),
        shares=pd.DataFrame(columns=["conclusion", "share", "n"]),
        explained=pd.DataFrame(columns=["choice", "share"]),
        undefined=f"There is one system only ({', '.join(ideas.systems) or 'none'}):"
        " nothing to compare.",
    )
