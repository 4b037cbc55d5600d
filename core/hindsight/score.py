"""HindSight of a study: systems, comparisons, correlations, quadrants.

Source: arXiv 2603.15164, sections 3 to 6. Tests are two-sided; Mann–Whitney is asymptotic with
tie and continuity correction; intervals are 95 % percentile intervals of a bootstrap that draws
topics (with one topic, ideas within systems); Holm's family is all comparisons, and all
correlations, of one result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

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
    found, matches = _scored(study, settings, ideas)
    scores = np.asarray(found["score"], dtype=float)
    columns = np.concatenate([scores[:, None], values], axis=1)
    draws = bootstrap(study, settings.draws, settings.seed)
    drawn = value_means(columns, ideas, draws)
    placed = quadrants(scores, values[:, -1], ideas.system, ideas.systems, settings)
    marked = {
        f"judge_{dimension}": values[:, place] for place, dimension in enumerate(JUDGE_DIMENSIONS)
    }
    short = found.pop("short_of_k")
    frame = pd.DataFrame({**found, **marked, "quadrant": placed.labels, "short_of_k": short})
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


def _scored(study: Study, settings: Settings, ideas: Ideas) -> tuple[dict[str, Any], pd.DataFrame]:
    """The columns of ``Score.ideas`` that hang on the candidates, and ``Score.matches``."""
    total = len(ideas.frame)
    columns: dict[str, Any] = dict(_named(study))
    if study.candidates is None:
        blank = np.full(total, np.nan)
        columns |= {"score": blank, "n_matches": blank}
        columns["best_paper_id"] = pd.Series([None] * total, dtype=object)
        columns |= dict.fromkeys(("similarity", "citation_term", "venue_term"), blank)
        columns["short_of_k"] = np.zeros(total, dtype=bool)
        return columns, pd.DataFrame(columns=list(_MATCH_COLUMNS))
    found, pairs = _pairs(study, settings.model_copy(update={"theta": 0.0}))
    scores, counts = idea_scores(found, settings)
    best = scoring_place(found.impact, counts, settings.aggregate)
    rows, has = np.arange(total), best >= 0
    names = study.papers["paper_id"].to_numpy(dtype=object)
    papers = np.full(total, None, dtype=object)
    papers[has] = names[found.paper[rows[has], best[has]]]
    columns["score"] = scores
    columns["n_matches"] = counts
    columns["best_paper_id"] = papers
    columns["similarity"] = np.where(has, found.similarity[rows, best], np.nan)
    for name, terms in (("citation_term", found.citation), ("venue_term", found.venue)):
        columns[name] = _scoring_terms(terms, counts, best, settings)
    columns["short_of_k"] = panel(study, settings).admitted < settings.k
    matches = pairs.copy(deep=False)
    within = (pairs["place"] <= np.repeat(counts, (found.paper >= 0).sum(axis=1))).to_numpy()
    matches.insert(_MATCH_COLUMNS.index("matched"), "matched", within)
    return columns, matches


@once_per_study(1)
def _named(study: Study) -> dict[str, pd.Series]:
    frame = ideas_of(study).frame
    topic = frame["topic"].where(frame["topic"] != "", np.nan)
    return {"idea_id": frame["idea_id"], "system": frame["system"], "topic": topic}


def _scoring_terms(terms: Floats, counts: Ints, best: Ints, settings: Settings) -> Floats:
    """The part of the score that one term makes up: of the best match for ``max`` and
    ``top1``, the mean or sum over the matches for ``mean`` and ``sum``; 0 without a match."""
    rows = np.arange(len(terms))
    if settings.aggregate in ("mean", "sum"):
        return prefix_scores(terms, settings.aggregate)[rows, counts]
    return np.where(best >= 0, terms[rows, best], 0.0)


@once_per_study(2)
def _pairs(study: Study, settings: Settings) -> tuple[Matched, pd.DataFrame]:
    """What each idea may match, and ``Score.matches`` of it but for ``matched``.

    Of the settings θ alone plays no part.
    """
    found, there = matched(study, settings), panel(study, settings)
    idea, place = np.nonzero(found.paper >= 0)
    paper = found.paper[idea, place]
    names = study.papers["paper_id"].to_numpy(dtype=object)
    pairs = pd.DataFrame(
        {
            "idea_id": ideas_of(study).frame["idea_id"].to_numpy()[idea],
            "paper_id": names[paper] if len(paper) else np.empty(0, dtype=object),
            "similarity": found.similarity[idea, place],
            "rank": there.rank[idea, place],
            "place": place + 1,
            "impact": found.impact[idea, place],
            "citation_term": found.citation[idea, place],
            "venue_term": found.venue[idea, place],
            "leaked": there.leaked[idea, place],
        }
    )
    return found, pairs


def _systems(frame: pd.DataFrame, ideas: Ideas, drawn: Sequence[Floats]) -> tuple[SystemScore, ...]:
    columns = ("score", "n_matches", "citation_term", "venue_term")
    rows = []
    for code, name in enumerate(ideas.systems):
        mine = ideas.system == code
        own = {column: frame[column].to_numpy(dtype=float)[mine] for column in columns}
        known = not np.isnan(own["score"]).any()
        interval = percentile_interval(drawn[code][:, None])
        low, high = float(interval.low[0]), float(interval.high[0])
        rows.append(
            SystemScore(
                system=name,
                n=int(mine.sum()),
                mean=float(own["score"].mean()) if known else None,
                mean_low=low if known and np.isfinite(low) else None,
                mean_high=high if known and np.isfinite(high) else None,
                median=float(np.median(own["score"])) if known else None,
                match_rate=float((own["n_matches"] > 0).mean()) if known else None,
                mean_matches=float(own["n_matches"].mean()) if known else None,
                mean_citation_term=float(own["citation_term"].mean()) if known else None,
                mean_venue_term=float(own["venue_term"].mean()) if known else None,
            )
        )
    return tuple(rows)
