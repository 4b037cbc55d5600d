"""IdeaForecastBench's verdicts: does a paper carry out the idea? Problem, method, specificity, 0–3.

The judge sees the idea's texts and the paper's title and abstract: no system, rank, date, venue,
citation count or similarity. The gate is applied when verdicts are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import Settings
from core.errors import DataError, UsageError, nearest
from core.judging.choosing import chosen_ideas, formal_text
from core.judging.fields import Field, Text, Whole
from core.judging.judgements import Judgements
from core.judging.prompts import fence, fenced_parts, load_template
from core.judging.tables import rebuild
from core.judging.task import Task
from core.study import Study

KIND = "verdicts"
LOW, HIGH = 0, 3
REASON_LETTERS = 600
GRADES = ("problem", "method", "specificity")
FIELDS: tuple[Field, ...] = (
    Text(name="reason", longest=REASON_LETTERS, blank=True),
    *(Whole(name=name, low=LOW, high=HIGH) for name in GRADES),
)
Window = Literal["target", "backward"]


def verdict_tasks(
    study: Study,
    settings: Settings,
    *,
    window: str = "target",
    ideas: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    limit: int | None = None,
) -> Judgements:
    """One task for each idea and each of its first ``settings.r`` candidates.

    All ideas' nearest candidates first, then all second ones, so that a run that stops early has
    judged every idea about as deeply. ``window`` 'target' takes the candidates of the idea's
    target pool, 'backward' those of the equally long window before its cutoff. An idea without
    text or without a candidate is left out, with the reason. Raises :class:`DataError` where no
    candidates are stored.
    """
    if window not in get_args(Window):
        raise UsageError(
            f"--window {window!r}: no such choice. {nearest(window, get_args(Window))}"
        )
    chosen = chosen_ideas(study.ideas, ideas=ideas, systems=systems, limit=limit)
    places = _candidates(study, settings, window)
    template = load_template(KIND)
    papers = [forecast_paper_text(row) for row in study.papers.to_dict("records")]
    left_out: list[tuple[str, str]] = []
    shown: list[tuple[str, str, list[int]]] = []
    for row, idea in zip(chosen.index, chosen.to_dict("records"), strict=True):
        text, own = forecast_text(idea), [p for p in places[int(row)].tolist() if p >= 0]
        if not text:
            left_out.append((str(idea["idea_id"]), "it has no text to judge"))
        elif not own:
            left_out.append((str(idea["idea_id"]), f"no paper lies in its {window} pool"))
        else:
            shown.append((str(idea["idea_id"]), fence("IDEA", text), own))
    ids = study.papers["paper_id"].tolist()
    depth = max((len(own) for _, _, own in shown), default=0)
    tasks = [
        Task(
            kind=KIND,
            key={"idea_id": idea_id, "paper_id": str(ids[own[place]])},
            messages=template.messages(idea=text, paper=fence("PAPER", papers[own[place]])),
            fields=FIELDS,
            template=template.version,
            expected_tokens=90,
        )
        for place in range(depth)
        for idea_id, text, own in shown
        if place < len(own)
    ]
    short = sum(len(own) < settings.r for _, _, own in shown)
    notes = (f"{short} ideas have fewer than {settings.r} candidates",) if short else ()
    return Judgements(kind=KIND, tasks=tuple(tasks), left_out=tuple(left_out), notes=notes)


def rebuild_verdicts(study: Study, *, judge: str | None = None) -> Study:
    """Write the ``verdicts`` of model judges again from ``calls.jsonl``; other rows stay."""
    return rebuild(study, KIND, FIELDS, judge=judge)


def forecast_text(idea: Mapping[str, Any]) -> str:
    """Title, problem, rationale, approach and key terms under their names, what there is of them;
    else the formal parts; '' where there is none."""
    names = {"title": "Title", "problem": "Problem", "rationale": "Rationale", "method": "Approach"}
    parts = {label: str(idea[name]) for name, label in names.items() if not pd.isna(idea[name])}
    terms = ", ".join(idea.get("key_terms") or ())
    return fenced_parts({**parts, "Key terms": terms} if parts else {}) or formal_text(idea)


def forecast_paper_text(paper: Mapping[str, Any]) -> str:
    """A paper's title and abstract under their names, and nothing else of it."""
    return fenced_parts(
        {
            name.capitalize(): str(paper[name])
            for name in ("title", "abstract")
            if not pd.isna(paper[name])
        }
    )


def _candidates(study: Study, settings: Settings, window: str) -> NDArray[np.int64]:
    """Rows of papers, (ideas, r), −1 where there is none."""
    from core.forecast.geometry import NO_GEOMETRY, read_geometry
    from core.forecast.ledger import first_candidates

    if window == "target":
        return first_candidates(study, settings.r, ambiguous=settings.ambiguous_dates == "include")
    found = read_geometry(study)
    if found is None:
        raise DataError(f"The window before the cutoff is {NO_GEOMETRY}.")
    return first_candidates(study, settings.r, of=found.backward)
