"""Every threshold at once, from the stored candidates.

HindSight(i) is a step function of θ: it changes only where θ passes the similarity of one of
the idea's K candidates. So the whole curve is worked out at those breakpoints, exactly, with no
search and no grid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import JUDGE_DIMENSIONS, SIGNIFICANCE, UNDEFINED_DRAWS, Settings
from core.errors import UsageError
from core.hindsight.correlations import correlation_family
from core.hindsight.marks import Marks, marks
from core.hindsight.panel import Ideas, ideas_of, matched, prefix_scores
from core.hindsight.results import Conclusion, Sweep
from core.hindsight.score import bootstrap, study_info
from core.stats.compare import holm_rows, mann_whitney
from core.stats.correlate import LEAST_PAIRS, rank_product, spearman_p, standard_ranks
from core.stats.resample import BLOCK, Draws, percentile_interval, ratio
from core.study import Study

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Pair:
    """System ``a`` against ``b`` at every row of scores; nan where undefined."""

    a: str
    b: str
    difference: Floats
    low: Floats
    high: Floats
    ratio: Floats
    ratio_low: Floats
    ratio_high: Floats
    left_out: Floats
    p: Floats
    rank_biserial: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Member:
    """ρ of one system's scores with one judge's dimension at every row of scores."""

    system: str
    judge: str
    dimension: str
    rho: Floats
    p: Floats


def sweep(
    study: Study, settings: Settings, thetas: Sequence[float] | Floats | None = None
) -> Sweep:
    """Everything that depends on θ, at every breakpoint, or at ``thetas`` where given.

    Per θ and system: mean, median, match rate, mean number of matches. Per θ and pair: ratio of
    means with its 95 % interval, Mann–Whitney p, and p adjusted by Holm over the comparisons
    that :func:`core.hindsight.score.score` makes at that θ. Per θ, system and dimension:
    Spearman's ρ with the chosen judge (or all), adjusted over the same family as there. A ratio
    whose denominator is 0 is undefined. :class:`DataError` where no candidates are stored.
    """
    ideas, judged, found = ideas_of(study), marks(study), matched(study, settings)
    judged.of(settings.judge)
    at = _breakpoints(found.similarity) if thetas is None else _grid(thetas)
    draws = bootstrap(study, settings.draws, settings.seed)
    runs = prefix_scores(found.impact, settings.aggregate)
    blocks = [
        _block(part, found.similarity, runs, ideas, judged, settings, draws)
        for part in _parts(at, len(ideas))
    ]
    points, ratios, rhos = (
        pd.concat([block[place] for block in blocks], ignore_index=True) for place in range(3)
    )
    family = ratios.pop("judge_p_adjusted")
    return Sweep(
        study=study_info(study),
        settings=settings,
        thetas=at,
        exact=thetas is None,
        points=points,
        ratios=ratios,
        correlations=rhos,
        conclusions=tuple(_conclusions(at, ideas, ratios, rhos, family)),
        resampled=draws.drawn,
    )


def _breakpoints(similarity: Floats) -> Floats:
    return np.unique(similarity[np.isfinite(similarity)])


def _grid(thetas: Sequence[float] | Floats) -> Floats:
    grid = np.unique(np.asarray(thetas, dtype=float))
    if not len(grid) or not np.isfinite(grid).all() or grid[0] < -1 or grid[-1] > 1:
        raise UsageError("Thresholds must be numbers from -1 to 1, at least one.")
    return grid


def _parts(thetas: Floats, ideas: int) -> Iterator[Floats]:
    step = max(1, BLOCK // max(ideas, 1))
    for start in range(0, max(len(thetas), 1), step):
        yield thetas[start : start + step]


def counts_at(thetas: Floats, similarity: Floats) -> Ints:
    """|M(i)| at every θ, (θ, ideas), from similarities that fall along each row."""
    rising = np.ascontiguousarray(-similarity)
    counts = np.empty((len(thetas), len(similarity)), dtype=np.int64)
    for idea, row in enumerate(rising):
        counts[:, idea] = np.searchsorted(row, -thetas, side="right")
    return counts


def compare_pair(scores: Floats, first: int, second: int, ideas: Ideas, draws: Draws) -> Pair:
    """Two systems at every row of ``scores`` (rows, ideas), intervals from the same draws."""
    names = ideas.systems[first], ideas.systems[second]
    a, b = (scores[:, ideas.system == code] for code in (first, second))
    test = mann_whitney(a, b)
    mean_a, mean_b = a.mean(axis=1), b.mean(axis=1)
    low, high, ratio_low, ratio_high, left_out = (np.empty(len(scores)) for _ in range(5))
    step = max(1, BLOCK // len(draws.counts))
    for start in range(0, len(scores), step):
        rows = slice(start, start + step)
        drawn_a, drawn_b = (
            draws.means(scores[rows].T, ideas.system == code) for code in (first, second)
        )
        plain = percentile_interval(drawn_a - drawn_b)
        quotient = percentile_interval(ratio(drawn_a, drawn_b))
        low[rows], high[rows] = plain.low, plain.high
        ratio_low[rows], ratio_high[rows] = quotient.low, quotient.high
        left_out[rows] = quotient.left_out
    ratio_low[mean_b == 0] = ratio_high[mean_b == 0] = np.nan
    return Pair(
        a=names[0],
        b=names[1],
        difference=mean_a - mean_b,
        low=low,
        high=high,
        ratio=ratio(mean_a, mean_b),
        ratio_low=ratio_low,
        ratio_high=ratio_high,
        left_out=left_out,
        p=test.p,
        rank_biserial=test.rank_biserial,
    )


def correlate_all(scores: Floats, ideas: Ideas, judged: Marks, settings: Settings) -> list[Member]:
    """Every correlation of :mod:`core.hindsight.correlations` at every row of ``scores``."""
    ranks: dict[bytes, Floats] = {}
    members = []
    for member in correlation_family(ideas, judged, settings):
        n = int(member.chosen.sum())
        rho = np.full(len(scores), np.nan)
        if n >= LEAST_PAIRS:
            name = member.chosen.tobytes()
            if name not in ranks:
                ranks[name] = standard_ranks(scores[:, member.chosen])
            theirs = standard_ranks(member.marks[None, member.chosen])[0]
            rho = rank_product(ranks[name], theirs)
        members.append(
            Member(
                system=member.system,
                judge=member.judge,
                dimension=member.dimension,
                rho=rho,
                p=spearman_p(rho, n) if n >= LEAST_PAIRS else rho,
            )
        )
    return members


def judge_p(ideas: Ideas, judged: Marks, settings: Settings) -> dict[tuple[str, str], Floats]:
    """Mann–Whitney p of each pair on each judge dimension, nan where a system has no value."""
    values = judged.of(settings.judge)
    found = {}
    for first, second in combinations(range(len(ideas.systems)), 2):
        p = np.full(len(JUDGE_DIMENSIONS), np.nan)
        for place in range(len(JUDGE_DIMENSIONS)):
            column = values[:, place]
            known = np.isfinite(column)
            a, b = (column[known & (ideas.system == code)] for code in (first, second))
            if len(a) and len(b):
                p[place] = mann_whitney(a[None, :], b[None, :]).p[0]
        found[ideas.systems[first], ideas.systems[second]] = p
    return found


def _block(
    thetas: Floats,
    similarity: Floats,
    runs: Floats,
    ideas: Ideas,
    judged: Marks,
    settings: Settings,
    draws: Draws,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    counts = counts_at(thetas, similarity)
    scores = runs[np.arange(len(ideas))[None, :], counts]
    # Many breakpoints leave every score as it was: statistics are taken once for each run.
    fresh = np.ones(len(scores), dtype=bool)
    fresh[1:] = (scores[1:] != scores[:-1]).any(axis=1)
    run = np.cumsum(fresh) - 1
    distinct = scores[fresh]
    points = _points(thetas, counts, distinct, run, ideas)
    pairs = [
        compare_pair(distinct, first, second, ideas, draws)
        for first, second in combinations(range(len(ideas.systems)), 2)
    ]
    ratios = _ratios(thetas, pairs, run, judge_p(ideas, judged, settings))
    members = correlate_all(distinct, ideas, judged, settings)
    return points, ratios, _correlations(thetas, members, run, settings)


def _points(
    thetas: Floats, counts: Ints, distinct: Floats, run: Ints, ideas: Ideas
) -> pd.DataFrame:
    frames = []
    for code, name in enumerate(ideas.systems):
        own = ideas.system == code
        frames.append(
            pd.DataFrame(
                {
                    "theta": thetas,
                    "system": name,
                    "mean": distinct[:, own].mean(axis=1)[run],
                    "median": np.median(distinct[:, own], axis=1)[run],
                    "match_rate": (counts[:, own] > 0).mean(axis=1),
                    "mean_matches": counts[:, own].mean(axis=1),
                }
            )
        )
    columns = ["theta", "system", "mean", "median", "match_rate", "mean_matches"]
    return _stacked(frames, columns)


def _ratios(
    thetas: Floats, pairs: list[Pair], run: Ints, judges: dict[tuple[str, str], Floats]
) -> pd.DataFrame:
    columns = ["theta", "a", "b", "ratio", "low", "high", "p", "undefined", "difference"]
    columns += ["difference_low", "difference_high", "p_adjusted", "rank_biserial"]
    columns += ["judge_p_adjusted"]
    if not pairs:
        return pd.DataFrame(columns=columns)
    own = np.stack([pair.p for pair in pairs], axis=1)
    fixed = np.concatenate([judges[pair.a, pair.b] for pair in pairs])
    family = holm_rows(np.concatenate([own, np.tile(fixed, (len(own), 1))], axis=1))
    overall = len(JUDGE_DIMENSIONS) - 1
    frames = []
    for place, pair in enumerate(pairs):
        judge = family[:, len(pairs) + place * len(JUDGE_DIMENSIONS) + overall]
        frames.append(
            pd.DataFrame(
                {
                    "theta": thetas,
                    "a": pair.a,
                    "b": pair.b,
                    "ratio": pair.ratio[run],
                    "low": pair.ratio_low[run],
                    "high": pair.ratio_high[run],
                    "p": pair.p[run],
                    "undefined": pd.Series(_reasons(pair)[run], dtype=object),
                    "difference": pair.difference[run],
                    "difference_low": pair.low[run],
                    "difference_high": pair.high[run],
                    "p_adjusted": family[:, place][run],
                    "rank_biserial": pair.rank_biserial[run],
                    "judge_p_adjusted": judge[run],
                }
            )
        )
    return _stacked(frames, columns)


def _reasons(pair: Pair) -> NDArray[np.object_]:
    reasons = np.full(len(pair.ratio), None, dtype=object)
    wide = pair.left_out > UNDEFINED_DRAWS
    reasons[wide] = [
        f"interval of the ratio: {share:.0%} of draws have no ratio"
        for share in pair.left_out[wide]
    ]
    reasons[np.isnan(pair.ratio)] = f"ratio: the mean of {pair.b} is 0"
    return reasons


def _correlations(
    thetas: Floats, members: list[Member], run: Ints, settings: Settings
) -> pd.DataFrame:
    columns = ["theta", "system", "dimension", "rho", "p", "p_adjusted"]
    if not members:
        return pd.DataFrame(columns=columns)
    adjusted = holm_rows(np.stack([member.p for member in members], axis=1))
    frames = [
        pd.DataFrame(
            {
                "theta": thetas,
                "system": member.system,
                "dimension": member.dimension,
                "rho": member.rho[run],
                "p": member.p[run],
                "p_adjusted": adjusted[:, place][run],
            }
        )
        for place, member in enumerate(members)
        if member.judge == settings.judge
    ]
    return _stacked(frames, columns)


def _stacked(frames: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    """Frames of equal length, one under the other, row by row of θ."""
    if not frames:
        return pd.DataFrame(columns=columns)
    whole = pd.concat(frames, ignore_index=True)
    size = len(frames[0])
    order = np.arange(len(whole)).reshape(len(frames), size).T.reshape(-1)
    return whole.iloc[order].reset_index(drop=True)[columns]


def _conclusions(
    thetas: Floats,
    ideas: Ideas,
    ratios: pd.DataFrame,
    rhos: pd.DataFrame,
    judge: pd.Series,
) -> Iterator[Conclusion]:
    """Each statement in the direction that holds at more thresholds."""
    if not len(thetas):
        return
    corrected = f"p < {SIGNIFICANCE}, Holm"
    for a, b in combinations(ideas.systems, 2):
        rows = (ratios["a"] == a) & (ratios["b"] == b)
        own, difference = ratios[rows], ratios.loc[rows, "difference"].to_numpy(dtype=float)
        flip = (difference < 0).sum() > (difference > 0).sum()
        up, down = (b, a) if flip else (a, b)
        higher = difference < 0 if flip else difference > 0
        sure = own["p_adjusted"].to_numpy(dtype=float) < SIGNIFICANCE
        yield Conclusion(
            name=f"higher:{up}:{down}", statement=f"{up} scores higher than {down}", holds=higher
        )
        yield Conclusion(
            name=f"higher_significant:{up}:{down}",
            statement=f"{up} scores significantly higher than {down} ({corrected})",
            holds=higher & sure,
        )
        level = judge[rows].to_numpy(dtype=float)
        if np.isfinite(level).all():
            yield Conclusion(
                name=f"judges_level:{a}:{b}",
                statement=f"Judges see no significant difference overall between {a} and {b}",
                holds=level >= SIGNIFICANCE,
            )
    for system in ideas.systems:
        own = rhos[(rhos["system"] == system) & (rhos["dimension"] == JUDGE_DIMENSIONS[0])]
        rho = own["rho"].to_numpy(dtype=float)
        if not np.isfinite(rho).any():
            continue
        negative = (rho < 0).sum() >= (rho > 0).sum()
        word = "negatively" if negative else "positively"
        holds = rho < 0 if negative else rho > 0
        sure = own["p_adjusted"].to_numpy(dtype=float) < SIGNIFICANCE
        yield Conclusion(
            name=f"novelty_{word}:{system}",
            statement=f"{system}: judged novelty correlates {word} with HindSight",
            holds=holds,
        )
        yield Conclusion(
            name=f"novelty_{word}_significant:{system}",
            statement=f"{system}: judged novelty correlates {word}, significantly ({corrected})",
            holds=holds & sure,
        )
