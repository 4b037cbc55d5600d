"""HindSight of a study: systems, comparisons, correlations, quadrants.

Source: arXiv 2603.15164, sections 3 to 6. Tests are two-sided; Mann–Whitney is asymptotic with
tie and continuity correction; intervals are 95 % percentile intervals of a bootstrap that draws
topics (with one topic, ideas within systems); Holm's family is all comparisons, and all
correlations, of one result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import JUDGE_DIMENSIONS, Settings
from core.hindsight.cautions import cautions
from core.hindsight.comparisons import comparisons, value_means
from core.hindsight.correlations import correlations
from core.hindsight.impact import pool_counts
from core.hindsight.leakage import leakage
from core.hindsight.marks import marks
from core.hindsight.memo import once_per_study
from core.hindsight.panel import (
    Ideas,
    Matched,
    Panel,
    ideas_of,
    matched,
    panel,
    prefix_scores,
    scoring_place,
)
from core.hindsight.quadrants import quadrants
from core.hindsight.results import HINDSIGHT, Score, StudyInfo, SystemScore
from core.stats.resample import Draws, draw_topics, percentile_interval
from core.study import Study

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MATCH_COLUMNS = (
    "idea_id",
    "paper_id",
    "similarity",
    "rank",
    "place",
    "matched",
    "impact",
    "citation_term",
    "venue_term",
    "leaked",
)


def score(study: Study, settings: Settings) -> Score:
    """HindSight under ``settings``.

    HindSight(i) is the aggregate of h over the idea's match set, 0 where that is empty. Without
    stored candidates every score is unknown, and a caution says so. What does not depend on θ
    (impacts, order of candidates, marks, draws) is kept with ``study`` and reused.
    """
    ideas, judged = ideas_of(study), marks(study)
    values = judged.of(settings.judge)
    frame, matches = _scored(study, settings, ideas)
    scores = frame["score"].to_numpy(dtype=float)
    columns = np.concatenate([scores[:, None], values], axis=1)
    draws = bootstrap(study, settings.draws, settings.seed)
    drawn = value_means(columns, ideas, draws)
    placed = quadrants(scores, values[:, -1], ideas.system, ideas.systems, settings)
    for place, dimension in enumerate(JUDGE_DIMENSIONS):
        frame[f"judge_{dimension}"] = values[:, place]
    frame["quadrant"] = placed.labels
    short = frame.pop("short_of_k")
    frame["short_of_k"] = short
    result = Score(
        study=study_info(study),
        settings=settings,
        pool=pool_counts(study, settings),
        systems=_systems(frame, ideas, drawn[0]),
        comparisons=comparisons(columns, (HINDSIGHT, *JUDGE_DIMENSIONS), ideas, drawn),
        correlations=correlations(study, settings, scores, ideas, judged, draws),
        quadrants=placed.table,
        leakage=leakage(study, settings),
        cautions=(),
        resampled=draws.drawn,
        ideas=frame,
        matches=matches,
    )
    return replace(result, cautions=cautions(study, result))


@once_per_study(3)
def bootstrap(study: Study, draws: int, seed: int) -> Draws:
    """The draws that every interval of this study shares."""
    ideas = ideas_of(study)
    systems = [ideas.systems[code] for code in ideas.system]
    return draw_topics(ideas.topics, systems, draws=draws, seed=seed)


def study_info(study: Study) -> StudyInfo:
    """What a result says of its study."""
    info = study.candidates_info
    return StudyInfo(
        name=study.config.name,
        digest=study.digest,
        cutoff=study.config.cutoff.isoformat(),
        horizon_months=study.config.horizon_months,
        encoder=info.encoder if info is not None else study.config.encoder,
        simulated=study.config.simulated,
    )


def idea_scores(found: Matched, settings: Settings) -> tuple[Floats, Ints]:
    """HindSight(i) and |M(i)| of every idea, (ideas,)."""
    counts = found.counts(settings.theta)
    runs = prefix_scores(found.impact, settings.aggregate)
    return runs[np.arange(len(runs)), counts], counts


def _scored(study: Study, settings: Settings, ideas: Ideas) -> tuple[pd.DataFrame, pd.DataFrame]:
    frame = ideas.frame[["idea_id", "system", "topic"]].copy()
    frame["topic"] = frame["topic"].where(frame["topic"] != "", np.nan)
    if study.candidates is None:
        blank = ("score", "n_matches", "similarity", "citation_term", "venue_term")
        for name in blank:
            frame[name] = np.nan
        frame.insert(5, "best_paper_id", pd.Series([None] * len(frame), dtype=object))
        frame["short_of_k"] = False
        return frame, pd.DataFrame(columns=list(_MATCH_COLUMNS))
    found, there = matched(study, settings), panel(study, settings)
    scores, counts = idea_scores(found, settings)
    best = scoring_place(found.impact, counts, settings.aggregate)
    rows, has = np.arange(len(frame)), best >= 0
    names = study.papers["paper_id"].to_numpy(dtype=object)
    papers = np.full(len(frame), None, dtype=object)
    papers[has] = names[found.paper[rows[has], best[has]]]
    frame["score"] = scores
    frame["n_matches"] = counts
    frame["best_paper_id"] = papers
    frame["similarity"] = np.where(has, found.similarity[rows, best], np.nan)
    for name, terms in (("citation_term", found.citation), ("venue_term", found.venue)):
        frame[name] = _scoring_terms(terms, counts, best, settings)
    frame["short_of_k"] = there.admitted < settings.k
    return frame, _matches(found, there, counts, ideas, names)


def _scoring_terms(terms: Floats, counts: Ints, best: Ints, settings: Settings) -> Floats:
    """The part of the score that one term makes up: of the best match for ``max`` and
    ``top1``, the mean or sum over the matches for ``mean`` and ``sum``; 0 without a match."""
    rows = np.arange(len(terms))
    if settings.aggregate in ("mean", "sum"):
        return prefix_scores(terms, settings.aggregate)[rows, counts]
    return np.where(best >= 0, terms[rows, best], 0.0)


def _matches(
    found: Matched, there: Panel, counts: Ints, ideas: Ideas, names: NDArray[np.object_]
) -> pd.DataFrame:
    idea, place = np.nonzero(found.paper >= 0)
    paper = found.paper[idea, place]
    return pd.DataFrame(
        {
            "idea_id": ideas.frame["idea_id"].to_numpy()[idea],
            "paper_id": names[paper] if len(paper) else np.empty(0, dtype=object),
            "similarity": found.similarity[idea, place],
            "rank": there.rank[idea, place],
            "place": place + 1,
            "matched": place < counts[idea],
            "impact": found.impact[idea, place],
            "citation_term": found.citation[idea, place],
            "venue_term": found.venue[idea, place],
            "leaked": there.leaked[idea, place],
        },
        columns=list(_MATCH_COLUMNS),
    )


def _systems(frame: pd.DataFrame, ideas: Ideas, drawn: Sequence[Floats]) -> tuple[SystemScore, ...]:
    rows = []
    for code, name in enumerate(ideas.systems):
        own = frame[ideas.system == code]
        known = bool(own["score"].notna().all())
        interval = percentile_interval(drawn[code][:, None])
        low, high = float(interval.low[0]), float(interval.high[0])
        rows.append(
            SystemScore(
                system=name,
                n=len(own),
                mean=float(own["score"].mean()) if known else None,
                mean_low=low if known and np.isfinite(low) else None,
                mean_high=high if known and np.isfinite(high) else None,
                median=float(own["score"].median()) if known else None,
                match_rate=float((own["n_matches"] > 0).mean()) if known else None,
                mean_matches=float(own["n_matches"].mean()) if known else None,
                mean_citation_term=float(own["citation_term"].mean()) if known else None,
                mean_venue_term=float(own["venue_term"].mean()) if known else None,
            )
        )
    return tuple(rows)
