"""Which ideas to look at: by system, topic, quadrant, score and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from core.hindsight.results import Score
from core.schema import IDEA_TEXTS
from core.study import Study


@dataclass(frozen=True, kw_only=True)
class IdeaFilter:
    """What an idea must be; an empty list or text and None ask for nothing.

    ``words`` must all stand, in any order and case, in an idea's id, title, problem, rationale
    or method. ``low`` and ``high`` bound the score, ends included.
    """

    systems: Sequence[str] = ()
    topics: Sequence[str] = ()
    quadrants: Sequence[str] = ()
    words: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class FoundIdeas:
    """``rows``: the score's row of each idea found, with its title, best score first, ties by
    idea_id; ``total`` says of how many."""

    rows: pd.DataFrame
    total: int
    filter: IdeaFilter


def find_ideas(study: Study, score: Score, wanted: IdeaFilter) -> FoundIdeas:
    """The ideas that fit ``wanted``."""
    texts = study.ideas.set_index("idea_id")[list(IDEA_TEXTS)].fillna("")
    rows = score.ideas
    keep = pd.Series(True, index=rows.index)
    for column, values in (
        ("system", wanted.systems),
        ("topic", wanted.topics),
        ("quadrant", wanted.quadrants),
    ):
        if values:
            keep &= rows[column].isin(list(values))
    if wanted.low is not None:
        keep &= rows["score"] >= wanted.low
    if wanted.high is not None:
        keep &= rows["score"] <= wanted.high
    words = wanted.words.casefold().split()
    if words:
        lines = texts.loc[rows["idea_id"]].agg("\n".join, axis=1).set_axis(rows.index)
        lines = (rows["idea_id"] + "\n" + lines).str.casefold()
        for word in words:
            keep &= lines.str.contains(word, regex=False)
    found = rows[keep].sort_values(["score", "idea_id"], ascending=[False, True])
    titles = texts["title"].reindex(found["idea_id"]).to_numpy()
    found = found.reset_index(drop=True)
    found.insert(1, "title", titles)
    return FoundIdeas(rows=found, total=len(rows), filter=wanted)
