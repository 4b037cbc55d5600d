"""Normalisers side by side: how scores, their split and the ranking of ideas change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import NORMALIZERS, Settings
from core.hindsight.impact import normalized, pool_of
from core.hindsight.panel import ideas_of, matched
from core.hindsight.results import StudyInfo
from core.hindsight.score import idea_scores, score, study_info
from core.stats.correlate import standard_ranks
from core.study import Study


@dataclass(frozen=True, kw_only=True, eq=False)
class Variants:
    """One study under every normaliser, all else as in ``settings``.

    ``systems``: normalizer, system, n, mean, citation_term, venue_term (means over ideas; the
    two terms add up to the mean), mean_impact (over the pool's papers, of the citation term).
    ``comparisons``: normalizer, a, b, difference, ratio, low, high (of the ratio), p, undefined.
    ``ranks``: Spearman's ρ between the ideas' scores under each two normalisers, a square table;
    nan where the scores of one are constant. ``flags``: normalizer, flag. ``n``: ideas.
    """

    study: StudyInfo
    settings: Settings
    n: int
    systems: pd.DataFrame
    comparisons: pd.DataFrame
    ranks: pd.DataFrame
    flags: pd.DataFrame


def variants(study: Study, settings: Settings) -> Variants:
    """Every normaliser on the same candidates; :class:`DataError` where none are stored.

    ``p`` is not corrected over the normalisers: they are views of one comparison.
    """
    systems, comparisons, flags, scores = [], [], [], []
    part = pool_of(study, settings).takes_part
    for normalizer in NORMALIZERS:
        now = settings.model_copy(update={"normalizer": normalizer})
        scale = normalized(study, now)
        scores.append(idea_scores(matched(study, now), now)[0])
        found = score(study, now)
        worth = now.citation_weight * scale.values[part]
        for row in found.systems:
            systems.append(
                {
                    "normalizer": normalizer,
                    "system": row.system,
                    "n": row.n,
                    "mean": row.mean,
                    "citation_term": row.mean_citation_term,
                    "venue_term": row.mean_venue_term,
                    "mean_impact": float(worth.mean()) if len(worth) else None,
                }
            )
        for pair in found.comparisons:
            if pair.metric == "hindsight":
                comparisons.append(
                    {
                        "normalizer": normalizer,
                        "a": pair.a,
                        "b": pair.b,
                        "difference": pair.difference,
                        "ratio": pair.ratio,
                        "low": pair.ratio_low,
                        "high": pair.ratio_high,
                        "p": pair.p,
                        "undefined": pair.undefined,
                    }
                )
        flags += [{"normalizer": normalizer, "flag": flag} for flag in scale.flags]
    return Variants(
        study=study_info(study),
        settings=settings,
        n=len(ideas_of(study)),
        systems=pd.DataFrame(systems, columns=_SYSTEMS),
        comparisons=pd.DataFrame(comparisons, columns=_COMPARISONS),
        ranks=_ranks(np.stack(scores)),
        flags=pd.DataFrame(flags, columns=["normalizer", "flag"]),
    )


_SYSTEMS = ["normalizer", "system", "n", "mean", "citation_term", "venue_term", "mean_impact"]
_COMPARISONS = ["normalizer", "a", "b", "difference", "ratio", "low", "high", "p", "undefined"]


def _ranks(scores: NDArray[np.float64]) -> pd.DataFrame:
    ranks = standard_ranks(scores)
    rho = np.clip(ranks @ ranks.T, -1, 1)
    return pd.DataFrame(rho, index=list(NORMALIZERS), columns=list(NORMALIZERS))
