"""What the tables of a study look like before anything is matched: months and lengths."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import pandas as pd

from core.config import Settings
from core.hindsight.impact import pool_of
from core.schema import FORMAL_PARTS, IDEA_TEXTS
from core.study import Study

if TYPE_CHECKING:
    from core.ingest.coverage import CoverageEntry
    from core.ingest.report import MergedPaper

FIELDS = (*IDEA_TEXTS, *FORMAL_PARTS)


@dataclass(frozen=True, kw_only=True)
class MonthlyPapers:
    """Papers by month of first submission.

    ``frame``: month (first day), papers, unknown_citations; every month from the first to the
    last stands, with 0 where there is none. ``year_only`` and ``undated`` papers are in no
    month. The window is the study's own; ideas may have cutoffs of their own.
    """

    frame: pd.DataFrame
    n: int
    year_only: int
    undated: int
    cutoff: date
    window_end: date
    snapshot: date | None


def papers_per_month(study: Study) -> MonthlyPapers:
    """How many papers of each month the study holds; the last months thin out where a source
    has not taken everything in yet."""
    papers = study.papers
    dated = papers["published"].notna()
    exact = dated & (papers["date_precision"] != "year")
    months = papers.loc[exact, "published"].dt.to_period("M")
    unknown = papers.loc[exact, "citations"].isna()
    if len(months):
        every = pd.period_range(months.min(), months.max(), freq="M")
    else:
        every = pd.PeriodIndex([], freq="M")
    frame = pd.DataFrame(
        {
            "month": every.to_timestamp(),
            "papers": months.value_counts().reindex(every, fill_value=0).to_numpy(),
            "unknown_citations": (
                months[unknown].value_counts().reindex(every, fill_value=0).to_numpy()
            ),
        }
    )
    return MonthlyPapers(
        frame=frame,
        n=int(exact.sum()),
        year_only=int((dated & ~exact).sum()),
        undated=int((~dated).sum()),
        cutoff=study.config.cutoff,
        window_end=study.config.window_end(),
        snapshot=study.config.snapshot,
    )


def field_lengths(study: Study) -> pd.DataFrame:
    """How long each text field of the ideas is, by system.

    Columns: system, field, n (ideas of the system), empty (share without a text, 0 to 1),
    median_words (over ideas that have the field, None where none has), longest_words. Fields
    that no idea has are left out. Words are runs between white space. A judge may reward
    length, so systems whose fields differ much are not alike to it.
    """
    rows = []
    for field in FIELDS:
        words = study.ideas[field].dropna().str.split().map(len).reindex(study.ideas.index)
        if not words.notna().any():
            continue
        for system, own in words.groupby(study.ideas["system"], sort=True):
            full = own[own > 0]
            rows.append(
                {
                    "system": system,
                    "field": field,
                    "n": len(own),
                    "empty": 1 - len(full) / len(own),
                    "median_words": float(full.median()) if len(full) else None,
                    "longest_words": int(full.max()) if len(full) else None,
                }
            )
    columns = ["system", "field", "n", "empty", "median_words", "longest_words"]
    return pd.DataFrame(rows, columns=columns)


def ideas_with_empty_pool(study: Study, settings: Settings) -> tuple[str, ...]:
    """Ideas for which no paper of their window takes part: they can meet nothing, and score 0."""
    pool = pool_of(study, settings)
    sizes = (pool.member & pool.takes_part).sum(axis=1)
    bare = sizes[pool.group] == 0
    return tuple(str(idea_id) for idea_id in study.ideas.loc[bare, "idea_id"])


@dataclass(frozen=True, kw_only=True)
class Description:
    """What a study's tables hold and lack, whatever the settings."""

    coverage: tuple[CoverageEntry, ...]
    months: MonthlyPapers
    lengths: pd.DataFrame
    merges: tuple[MergedPaper, ...]


def describe(study: Study) -> Description:
    """Oddities by table, papers by month, lengths of fields, and merged records."""
    from core.ingest.coverage import coverage
    from core.ingest.merge import recorded_merges

    return Description(
        coverage=tuple(coverage(study)),
        months=papers_per_month(study),
        lengths=field_lengths(study),
        merges=recorded_merges(study.papers),
    )
