"""HindSight's judge: four marks from 1 to 10 and a reason, several times an idea (§4.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from core.config import JUDGE_DIMENSIONS, JUDGE_REPEATS
from core.errors import UsageError
from core.judging.calls import CALLS_FILE, read_calls
from core.judging.choosing import chosen_ideas
from core.judging.families import FamilyFlag, study_family_flags
from core.judging.fields import Field, Text, Whole
from core.judging.judgements import Judgements
from core.judging.prompts import fence, fenced_parts, load_template
from core.judging.tables import judge_models, rebuild
from core.judging.task import Task
from core.schema import FORMAL_PARTS, IDEA_TEXTS
from core.study import Study

KIND = "scores"
LOW, HIGH = 1, 10
REASON_LETTERS = 600
FIELDS: tuple[Field, ...] = (
    *(Whole(name=name, low=LOW, high=HIGH) for name in JUDGE_DIMENSIONS),
    Text(name="reason", longest=REASON_LETTERS, blank=True),
)


def score_tasks(
    study: Study,
    *,
    repeats: int = JUDGE_REPEATS,
    ideas: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    limit: int | None = None,
) -> Judgements:
    """One task for each idea and repeat: all ideas once, then all again.

    So a run that stops early has marked as many ideas as it could. ``ideas`` and ``systems``
    choose by name, ``limit`` takes the first so many of those in the table's order. An idea
    without any text is left out, with the reason. Raises :class:`UsageError` for unknown names.
    """
    if repeats < 1:
        raise UsageError(f"--repeats must be at least 1 (given: {repeats})")
    frame = chosen_ideas(study.ideas, ideas=ideas, systems=systems, limit=limit)
    template = load_template(KIND)
    left_out: list[tuple[str, str]] = []
    prompts = []
    for idea in frame.to_dict("records"):
        text = idea_text(idea)
        if text:
            messages = template.messages(idea=fence("IDEA", text))
            prompts.append((str(idea["idea_id"]), messages))
        else:
            left_out.append((str(idea["idea_id"]), "it has no text to judge"))
    tasks = tuple(
        Task(
            kind=KIND,
            key={"idea_id": idea_id},
            messages=messages,
            fields=FIELDS,
            template=template.version,
            repeat=repeat,
            expected_tokens=120,
        )
        for repeat in range(1, repeats + 1)
        for idea_id, messages in prompts
    )
    return Judgements(kind=KIND, tasks=tasks, left_out=tuple(left_out))


def idea_text(idea: Mapping[str, Any]) -> str:
    """An idea as a judge sees it: title, problem, rationale, method; else its formal parts.

    Never its system, topic, date or rank.
    """
    for names in (IDEA_TEXTS, FORMAL_PARTS):
        parts = {
            name.replace("_", " ").capitalize(): str(idea[name])
            for name in names
            if not pd.isna(idea[name])
        }
        text = fenced_parts(parts)
        if text:
            return text
    return ""


def rebuild_scores(study: Study, *, judge: str | None = None) -> Study:
    """Write the ``scores`` of model judges again from ``calls.jsonl``; other rows stay."""
    return rebuild(study, KIND, FIELDS, judge=judge)


def score_families(study: Study) -> tuple[FamilyFlag, ...]:
    """Every judge of the study's scores against every system it marked."""
    calls = () if study.folder is None else read_calls(study.folder / CALLS_FILE).calls
    return study_family_flags(study.scores, study.ideas, study.config.models, judge_models(calls))
