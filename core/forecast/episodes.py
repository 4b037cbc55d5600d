"""Rolling episodes: what each cutoff lets a forecaster see, and what came of it.

For a topic and a cutoff t: history is the topic's papers first submitted on or before t, target
those after t and no later than the last day of month(t) + horizon. A paper whose date is known
to the month or year is in a pool only if each of its possible days is.
Source: IdeaForecastBench, arXiv 2609.00747.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np

from core.config import window_end
from core.errors import DataError, UsageError, nearest
from core.forecast.manifest import Episode, Manifest, manifest_digest, pools_digest
from core.matching.pools import possible_days, topic_masks
from core.study import Study

_MONTH = re.compile(r"\d{4}-\d{2}")


def parse_cutoffs(text: str) -> tuple[date, ...]:
    """Cutoffs from text: '2024-07..2025-06' is the last day of each of these months, '2024-07'
    that of one month, '2024-07-15' that day; several are parted by commas. Ascending, each once.
    """
    days: set[date] = set()
    for part in (piece.strip() for piece in text.split(",")):
        first, dots, last = (piece.strip() for piece in part.partition(".."))
        if dots and _MONTH.fullmatch(first) and _MONTH.fullmatch(last):
            start, end = _month_end(first), _month_end(last)
            if start > end:
                raise UsageError(f"--cutoffs '{part}': {first} is after {last}.")
            count = (end.year - start.year) * 12 + end.month - start.month
            days |= {window_end(start.replace(day=1), step) for step in range(count + 1)}
        elif not dots and _MONTH.fullmatch(part):
            days.add(_month_end(part))
        else:
            try:
                days.add(date.fromisoformat(part))
            except ValueError:
                raise UsageError(
                    f"--cutoffs '{part}': must be months as 2024-07..2025-06, one month as"
                    " 2024-07 or a day as 2024-07-31."
                ) from None
    return tuple(sorted(days))


def build_manifest(
    study: Study,
    cutoffs: Sequence[date],
    *,
    horizon_months: int | None = None,
    topics: Sequence[str] | None = None,
) -> Manifest:
    """The episodes of every topic (else all that papers carry, sorted) with every cutoff.

    ``horizon_months`` is the study's where None. Raises :class:`UsageError` for a topic that no
    paper carries or a missing cutoff, :class:`DataError` where no paper has a topic.
    """
    months = study.config.horizon_months if horizon_months is None else horizon_months
    if not 1 <= months <= 600:
        raise UsageError(f"--horizon-months must be from 1 to 600 (given: {months})")
    if not cutoffs:
        raise UsageError("No cutoff. Give them as --cutoffs 2024-07..2025-06.")
    known = sorted({name for names in study.papers["topics"] for name in names})
    if not known:
        raise DataError("No paper has a topic. Assign them: foreseen forecast topics STUDY")
    for name in topics or ():
        if name not in known:
            raise UsageError(f"No paper has the topic '{name}'. {nearest(name, known)}")
    names = sorted(set(topics)) if topics else known
    ids = study.papers["paper_id"].to_numpy(dtype=object)
    first, last = possible_days(study.papers)
    masks = topic_masks(study.papers, names)
    dated = ~np.isnat(first)
    left_out = np.zeros(len(ids), dtype=bool)
    episodes = []
    for place, topic in enumerate(names):
        for cutoff in sorted(set(cutoffs)):
            end = window_end(cutoff, months)
            t, until = np.datetime64(cutoff, "D"), np.datetime64(end, "D")
            history = masks[place] & dated & (last <= t)
            target = masks[place] & dated & (first > t) & (last <= until)
            split = masks[place] & dated & (first <= until) & ~history & ~target
            left_out |= split
            episodes.append(
                _episode(topic, cutoff, end, ids[history], ids[target], int(split.sum()))
            )
    return Manifest(
        study=study.config.name,
        horizon_months=months,
        topics=tuple(names),
        cutoffs=tuple(sorted(set(cutoffs))),
        episodes=tuple(episodes),
        undated=int((masks.any(axis=0) & ~dated).sum()),
        uncertain=int(left_out.sum()),
        digest=manifest_digest(episodes),
    )


def _month_end(text: str) -> date:
    try:
        return window_end(date.fromisoformat(f"{text}-01"), 0)
    except ValueError:
        raise UsageError(f"--cutoffs '{text}': there is no such month.") from None


def _episode(
    topic: str, cutoff: date, end: date, history: Any, target: Any, uncertain: int
) -> Episode:
    seen, to_come = tuple(sorted(map(str, history))), tuple(sorted(map(str, target)))
    return Episode(
        topic=topic,
        cutoff=cutoff,
        end=end,
        history=seen,
        target=to_come,
        uncertain=uncertain,
        digest=pools_digest(seen, to_come),
    )
