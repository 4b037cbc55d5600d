"""Novelty in three stages: a judge's first mark, nearness to earlier papers, their fusion.

Source: LigBench (arXiv 2608.13136), §3.4 eq. 5 and Appendix F, eqs 12–14.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import ALL_JUDGES, Settings
from core.errors import DataError, nearest
from core.ligbench.elo import HIGHEST, UNSEEN_START
from core.ligbench.similar_papers import SimilarPapers, is_stale, read_similar
from core.stats.resample import draw_topics, percentile_interval
from core.study import Study

Floats = NDArray[np.float64]
SPREAD = 12 * (0.79 - 0.61)
"""The paper's k times the distance of its quartiles (Appendix F, Table 13)."""
RULE = "μ is the median of the ideas' weighted similarities; k = 2.16 / (their quartiles' distance)"
FEWEST_IDEAS = 4
NO_PAPER = "no paper on or before its cutoff was found"
IDEA_COLUMNS = (
    "idea_id", "system", "papers", "max", "mean", "weighted", "similarity_novelty", "start",
    "start_known", "novelty", "unknown",
)  # fmt: skip


def weighted_similarity(similarities: Floats, alpha: float) -> float:
    """α max s_i + (1 − α) mean s_i (eq. 12); ``similarities`` (papers,) must not be empty."""
    return float(alpha * similarities.max() + (1 - alpha) * similarities.mean())


def similarity_novelty(weighted: Floats | float, k: float, mu: float) -> Floats:
    """5 (1 − 1/(1 + e^(−k (s − μ)))): 0 to 5, falling in s, 2.5 at μ (eq. 13)."""
    from scipy.special import expit

    return np.asarray(HIGHEST * expit(-k * (np.asarray(weighted, float) - mu)), float)


def fused_novelty(by_similarity: float, start: float, beta: float) -> float:
    """β s_sim + (1 − β) s_0 (eqs 5 and 14), 0 to 5."""
    return beta * by_similarity + (1 - beta) * start


@dataclass(frozen=True, kw_only=True)
class NoveltyMap:
    """The map from weighted similarity to novelty, and where its constants come from.

    ``n`` ideas with weighted similarities of that ``median`` and those ``quartiles``. ``k`` and
    ``mu`` are None, with the reason in ``undefined``, where they cannot be fitted.
    """

    k: float | None
    mu: float | None
    rule: str
    n: int
    median: float | None
    quartiles: tuple[float, float] | None
    undefined: str | None

    def curve(self, low: float = 0.0, high: float = 1.0, points: int = 101) -> pd.DataFrame:
        """The map over [low, high]: similarity, novelty. No row where it is undefined."""
        if self.k is None or self.mu is None:
            return pd.DataFrame({"similarity": [], "novelty": []})
        at = np.linspace(low, high, points)
        return pd.DataFrame({"similarity": at, "novelty": similarity_novelty(at, self.k, self.mu)})


def novelty_map(weighted: Floats, settings: Settings) -> NoveltyMap:
    """The map by ``settings.novelty_map``: fitted to these ideas, or the settings' k and μ.

    Fitted: μ is the median of ``weighted`` (ideas,), so that the middle idea gets 2.5, and
    k = 2.16 / (third − first quartile), the ratio that the paper's constants bear to its own
    similarities. The map takes the weighted similarity, so that is what it is fitted to. With
    fewer than 4 ideas or no spread it is undefined.
    """
    n = len(weighted)
    low, median, high = (
        (float(q) for q in np.quantile(weighted, [0.25, 0.5, 0.75])) if n else (None,) * 3
    )
    quartiles = None if low is None or high is None else (low, high)
    if settings.novelty_map == "fixed":
        k: float | None = settings.novelty_k
        mu: float | None = settings.novelty_mu
        rule, undefined = "k and μ as given", None
    else:
        rule, undefined, k, mu = RULE, None, None, median
        spread = 0.0 if quartiles is None else quartiles[1] - quartiles[0]
        if n < FEWEST_IDEAS:
            undefined = f"{n} ideas with a similarity are too few to fit the map ({FEWEST_IDEAS})"
        elif spread <= 0:
            undefined = "the ideas' weighted similarities do not differ, so k cannot be fitted"
        else:
            k = SPREAD / spread
        if undefined:
            mu = None
    return NoveltyMap(
        k=k, mu=mu, rule=rule, n=n, median=median, quartiles=quartiles, undefined=undefined
    )


@dataclass(frozen=True, kw_only=True)
class Novelty:
    """Novelty of every idea under one set of settings.

    ``ideas``, one row an idea: idea_id, system, papers (earlier papers looked at), max, mean,
    weighted (eq. 12), similarity_novelty (eq. 13), start (the judge's mark, 2.5 where none is
    known), start_known, novelty (eq. 14), unknown (why novelty is None). ``systems``: system,
    dimension ('novelty'), n, mean, low, high. ``pairs``: the similarities that count, as
    idea_id, paper_id, similarity, rank. ``stale``: the tables have changed since the search.
    """

    settings: Settings
    judge: str
    encoder: str
    papers_per_idea: int
    depth: int
    map: NoveltyMap
    ideas: pd.DataFrame
    systems: pd.DataFrame
    pairs: pd.DataFrame
    stale: bool
    digest: str
    cautions: tuple[str, ...]


def novelty(study: Study, settings: Settings, similar: SimilarPapers | None = None) -> Novelty:
    """Novelty of the study's ideas, from ``similar`` or from what its folder has stored.

    An idea with no earlier paper is unknown, never novel. Nothing is encoded. Raises
    :class:`DataError` where no similarities are stored or ``settings.judge`` is no judge.
    """
    found = similar or read_similar(study)
    if found is None:
        raise DataError(
            "No similarities to earlier papers are stored. Run `foreseen novelty STUDY`, which"
            " encodes what is new and stores them."
        )
    starts = novelty_starts(study, settings.judge)
    pairs = found.frame[found.frame["idea_id"].isin(set(study.ideas["idea_id"]))]
    if settings.ambiguous_dates == "exclude":
        pairs = pairs[~pairs["ambiguous"]]
    pairs = pairs.sort_values(["idea_id", "rank"]).groupby("idea_id").head(settings.novelty_n)
    by_idea = {
        str(name): group["similarity"].to_numpy(float) for name, group in pairs.groupby("idea_id")
    }
    weighted = {name: weighted_similarity(s, settings.novelty_alpha) for name, s in by_idea.items()}
    fitted = novelty_map(np.array([weighted[name] for name in sorted(weighted)]), settings)
    rows = []
    for idea_id, system in zip(study.ideas["idea_id"], study.ideas["system"], strict=True):
        near = by_idea.get(idea_id)
        rows.append(_row(idea_id, system, near, weighted.get(idea_id), starts, fitted, settings))
    ideas = pd.DataFrame(rows, columns=list(IDEA_COLUMNS))
    stale = is_stale(study, found)
    return Novelty(
        settings=settings,
        judge=settings.judge,
        encoder=found.info.encoder,
        papers_per_idea=settings.novelty_n,
        depth=found.info.depth,
        map=fitted,
        ideas=ideas,
        systems=_systems(study, ideas, settings),
        pairs=pairs[["idea_id", "paper_id", "similarity", "rank"]].reset_index(drop=True),
        stale=stale,
        digest=found.info.digest,
        cautions=tuple(_cautions(ideas, fitted, stale)),
    )


def novelty_starts(study: Study, judge: str = ALL_JUDGES) -> dict[str, float]:
    """s_0 by idea: the mean of a judge's ok repeats, then over judges (Appendix F.1.1)."""
    marks = study.starts[(study.starts["state"] == "ok") & study.starts["novelty"].notna()]
    if judge != ALL_JUDGES:
        tables = (study.starts, study.comparisons, study.scores)
        judges = sorted({str(name) for table in tables for name in table["judge"]})
        if judge not in judges:
            raise DataError(f"No judge '{judge}'. {nearest(judge, judges)}")
        marks = marks[marks["judge"] == judge]
    if marks.empty:
        return {}
    means = marks.groupby(["idea_id", "judge"])["novelty"].mean().groupby("idea_id").mean()
    return {str(idea): float(value) for idea, value in means.items()}


def _row(
    idea_id: str,
    system: str,
    near: Floats | None,
    weighted: float | None,
    starts: dict[str, float],
    fitted: NoveltyMap,
    settings: Settings,
) -> dict[str, object]:
    start = starts.get(idea_id, UNSEEN_START)
    by_similarity = value = None
    unknown = NO_PAPER if weighted is None else fitted.undefined
    if weighted is not None and fitted.k is not None and fitted.mu is not None:
        by_similarity = float(similarity_novelty(weighted, fitted.k, fitted.mu))
        value = fused_novelty(by_similarity, start, settings.novelty_beta)
    return {
        "idea_id": idea_id,
        "system": system,
        "papers": 0 if near is None else len(near),
        "max": None if near is None else float(near.max()),
        "mean": None if near is None else float(near.mean()),
        "weighted": weighted,
        "similarity_novelty": by_similarity,
        "start": start,
        "start_known": idea_id in starts,
        "novelty": value,
        "unknown": unknown,
    }


def _systems(study: Study, ideas: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    topics = study.ideas.set_index("idea_id")["topic"].fillna("")
    rows = []
    for system, group in ideas[ideas["novelty"].notna()].groupby("system", sort=True):
        units = group.sort_values("idea_id")
        own = [str(topics[idea]) for idea in units["idea_id"]]
        draws = draw_topics(own, ["" for _ in own], draws=settings.draws, seed=settings.seed)
        values = units["novelty"].to_numpy(float)[:, None]
        band = percentile_interval(draws.means(values, np.ones(len(units), bool)))
        low, high = float(band.low[0]), float(band.high[0])
        rows.append(
            {
                "system": system,
                "dimension": "novelty",
                "n": len(units),
                "mean": float(values.mean()),
                "low": None if np.isnan(low) else low,
                "high": None if np.isnan(high) else high,
            }
        )
    return pd.DataFrame(rows, columns=["system", "dimension", "n", "mean", "low", "high"])


def _cautions(ideas: pd.DataFrame, fitted: NoveltyMap, stale: bool) -> list[str]:
    found = []
    if stale:
        found.append("Ideas, papers or dates have changed since the search: run it again.")
    if fitted.undefined:
        found.append(f"The novelty map is undefined: {fitted.undefined}.")
    nothing = int((ideas["papers"] == 0).sum())
    if nothing:
        found.append(f"{nothing} ideas have no earlier paper: their novelty is unknown.")
    without = int((~ideas["start_known"].astype(bool)).sum())
    if without:
        found.append(f"{without} ideas have no start mark for novelty: {UNSEEN_START} stands in.")
    return found
