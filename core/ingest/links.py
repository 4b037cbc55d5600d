"""Ids that point from one table to another: linked but for white space, else counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from core.ingest.report import LinkedId
from core.study import Study

# The table and column in which each id is at home.
HOMES = {
    "idea_id": "ideas",
    "paper_id": "papers",
    "reference_id": "references",
}
_POINTING = ("scores", "starts", "comparisons", "verdicts")


def pointers(name: str) -> tuple[str, ...]:
    """The columns of a table that point to another table's rows."""
    if name not in _POINTING:
        return ()
    others = {"comparisons": ("reference_id",), "verdicts": ("paper_id",)}
    return ("idea_id", *others.get(name, ()))


def link_ids(
    study: Study, name: str, records: Sequence[dict[str, object]]
) -> tuple[list[dict[str, object]], tuple[LinkedId, ...]]:
    """Records whose unknown ids are replaced by the one known id that differs in white space.

    'Multilingual_9 _AI' becomes 'Multilingual_9_AI' where the study has that idea and not the
    other. Two known ids that differ in white space alone are both left as they are.
    """
    rows = [dict(record) for record in records]
    counts: Counter[tuple[str, str]] = Counter()
    for column in pointers(name):
        known = set(getattr(study, HOMES[column])[column])
        squeezed: dict[str, set[str]] = {}
        for identifier in known:
            squeezed.setdefault(_squeeze(identifier), set()).add(identifier)
        for row in rows:
            given = str(row[column])
            if given in known:
                continue
            matches = squeezed.get(_squeeze(given), set())
            if len(matches) == 1:
                row[column] = next(iter(matches))
                counts[given, str(row[column])] += 1
    links = (LinkedId(given=g, known=k, rows=n) for (g, k), n in sorted(counts.items()))
    return rows, tuple(links)


def unknown_ids(study: Study, name: str, frame: pd.DataFrame) -> tuple[tuple[str, ...], int]:
    """The ids of a table that their own table does not have, and how many rows hold one."""
    missing: set[str] = set()
    rows = pd.Series(False, index=frame.index)
    for column in pointers(name):
        unknown = ~frame[column].isin(known_ids(study, name, column))
        missing |= set(frame.loc[unknown, column])
        rows |= unknown
    return tuple(sorted(missing)), int(rows.sum())


def known_ids(study: Study, name: str, column: str) -> set[str]:
    """The ids that a table's column may point to.

    In starts and comparisons a reference may stand in the idea's place: so a judge is tested.
    """
    known = set(getattr(study, HOMES[column])[column])
    if column == "idea_id" and name in ("starts", "comparisons"):
        known |= set(study.references["reference_id"])
    return known


def _squeeze(identifier: str) -> str:
    return re.sub(r"\s+", "", identifier)
