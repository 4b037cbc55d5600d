"""Ideas with their scores, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from core.cells import is_missing
from core.config import Settings
from core.schema import IDEAS
from core.study import Study

_SCORED = ("score", "n_matches", "best_paper_id", "similarity", "citation_term", "venue_term")


def ideas_jsonl(study: Study, settings: Settings | None = None) -> Iterator[str]:
    """One line an idea: its columns, ``hindsight`` and ``scores``.

    ``hindsight`` is its score under ``settings`` with its match count, best paper and terms;
    null where the study has no candidates. ``scores`` lists every row of the scores table for
    it, states and reasons too. Unknown values are left out;
    an invented idea says ``simulated``.
    """
    found: dict[str, dict[str, Any]] = {}
    if study.candidates is not None:
        frame = study.score(settings).ideas
        names = [name for name in _SCORED if name in frame.columns]
        found = {
            row["idea_id"]: _known({name: row[name] for name in names})
            for row in frame.to_dict("records")
        }
    marks: dict[str, list[dict[str, Any]]] = {}
    for row in study.scores.to_dict("records"):
        named = row.pop("idea_id")
        marks.setdefault(named, []).append(_known(row))
    for idea in study.ideas.to_dict("records"):
        record = _known({name: idea[name] for name in IDEAS.names})
        record["hindsight"] = found.get(idea["idea_id"])
        record["scores"] = marks.get(idea["idea_id"], [])
        if study.config.simulated:
            record["simulated"] = True
        yield json.dumps(record, ensure_ascii=False)


def _known(row: dict[str, Any]) -> dict[str, Any]:
    return {
        str(name): plain for name, cell in row.items() if (plain := plain_value(cell)) is not None
    }


def plain_value(cell: Any) -> Any:
    """A cell as JSON holds it; None where it is unknown or empty."""
    if isinstance(cell, (dict, tuple, list)):
        return (list(cell) if isinstance(cell, tuple) else cell) or None
    if is_missing(cell):
        return None
    if hasattr(cell, "isoformat"):
        return cell.isoformat()[:10]
    if hasattr(cell, "item"):
        cell = cell.item()
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return cell
