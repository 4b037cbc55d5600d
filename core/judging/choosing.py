"""Which ideas a judge is asked about, and the text that it sees of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from core.errors import UsageError, nearest
from core.judging.prompts import fenced_parts
from core.schema import FORMAL_PARTS


def chosen_ideas(
    frame: pd.DataFrame,
    *,
    ideas: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    limit: int | None = None,
    name: str = "idea_id",
) -> pd.DataFrame:
    """Rows by id and system, then the first ``limit`` of them in the table's order.

    Raises :class:`UsageError` for a name that the table does not hold.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"--limit must be at least 1 (given: {limit})")
    for column, chosen in ((name, ideas), ("system", systems)):
        if chosen:
            known = frame[column].unique().tolist()
            for asked in chosen:
                if asked not in known:
                    what = column.removesuffix("_id")
                    raise UsageError(f"No {what} '{asked}'. {nearest(asked, known)}")
            frame = frame[frame[column].isin(chosen)]
    return frame if limit is None else frame.head(limit)


def formal_text(row: Mapping[str, Any]) -> str:
    """The four formal parts under their names; '' where none is there."""
    parts = {
        name.replace("_", " ").capitalize(): str(row[name])
        for name in FORMAL_PARTS
        if not pd.isna(row[name])
    }
    return fenced_parts(parts)


def reference_text(row: Mapping[str, Any]) -> str:
    """A reference as a judge sees it: its formal parts, else title and abstract.

    Never its scores, its decision, its venue or its year.
    """
    return formal_text(row) or fenced_parts(
        {
            name.capitalize(): str(row[name])
            for name in ("title", "abstract")
            if not pd.isna(row[name])
        }
    )
