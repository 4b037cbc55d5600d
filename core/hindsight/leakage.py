"""Matches that a system could have known: dated on or before its knowledge cutoff."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.config import Settings
from core.hindsight.panel import ideas_of, matched, panel, prefix_scores
from core.hindsight.results import Leakage
from core.study import Study


def leakage(study: Study, settings: Settings) -> tuple[Leakage, ...]:
    """Per system: matches, those that leaked, and the mean score with and without them.

    ``mean`` admits leaked papers and ``mean_without`` does not (the next stored candidates move
    up), whatever ``settings.leakage`` says. A paper whose date is known to the month or year
    counts as of its first day. A system without a knowledge cutoff in ``study.toml`` has none
    that leaked as far as is known. Without candidates the means are None.
    """
    ideas, knows = ideas_of(study), study.config.knowledge_cutoff
    if study.candidates is None:
        return tuple(_row(study, name, 0, 0, None, None) for name in ideas.systems)
    means: dict[str, NDArray[np.float64]] = {}
    for admission in ("include", "exclude"):
        if admission == "exclude" and not any(name in knows for name in ideas.systems):
            means[admission] = means["include"]
            continue
        now = Settings.of({"leakage": admission}, base=settings)
        found = matched(study, now)
        counts = found.counts(now.theta)
        scores = prefix_scores(found.impact, now.aggregate)[np.arange(len(counts)), counts]
        means[admission] = scores
        if admission == "include":
            inside = np.arange(found.impact.shape[1])[None, :] < counts[:, None]
            leaked = (panel(study, now).leaked[:, : now.k] & inside).sum(axis=1)
            total = counts
    rows = []
    for name in ideas.systems:
        own = ideas.of(name)
        rows.append(
            _row(
                study,
                name,
                int(total[own].sum()),
                int(leaked[own].sum()),
                float(means["include"][own].mean()),
                float(means["exclude"][own].mean()),
            )
        )
    return tuple(rows)


def _row(
    study: Study, system: str, n: int, leaked: int, mean: float | None, without: float | None
) -> Leakage:
    day = study.config.knowledge_cutoff.get(system)
    return Leakage(
        system=system,
        knowledge_cutoff=None if day is None else day.isoformat(),
        n_matches=n,
        n_leaked=leaked,
        mean=mean,
        mean_without=without,
    )
