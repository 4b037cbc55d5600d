"""LigBench's start: four marks from 0 to 5 beside three references with their scores (B.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.config import LIGBENCH_REPEATS, START_EXAMPLES
from core.errors import DataError, UsageError
from core.judging.choosing import chosen_ideas, formal_text, reference_text
from core.judging.fields import Field, Number, Text
from core.judging.judgements import Judgements
from core.judging.prompts import fence, load_template
from core.judging.scores import idea_text
from core.judging.tables import rebuild
from core.judging.task import Task
from core.ligbench.debias import DIMENSIONS, debias
from core.ligbench.elo import HIGHEST, LOWEST
from core.ligbench.retrieval import Retrieved, retrieve
from core.matching.encoders import Encoder
from core.matching.vectors import Progress
from core.study import Study

KIND = "starts"
NEAREST = 10
REASON_LETTERS = 600
FIELDS: tuple[Field, ...] = (
    *(
        Number(name=name, low=LOWEST, high=HIGHEST)
        for name in ("rating", "contribution", "soundness", "novelty")
    ),
    Text(name="reason", longest=REASON_LETTERS, blank=True),
)


def start_tasks(
    study: Study,
    *,
    repeats: int = LIGBENCH_REPEATS,
    ideas: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    limit: int | None = None,
    encoder: Encoder | str | None = None,
    embedding: bool = True,
    seed: int = 0,
    progress: Progress | None = None,
) -> Judgements:
    """One task for each idea and repeat: all ideas once, then all again.

    The three examples are of the idea's 10 nearest references with every score: the one with
    the lowest debiased rating, the highest, and the one in the middle. An idea without text is
    left out. Raises :class:`DataError` where fewer than three references have every score.
    """
    if repeats < 1:
        raise UsageError(f"--repeats must be at least 1 (given: {repeats})")
    scored = _scored(study)
    chosen = chosen_ideas(study.ideas, ideas=ideas, systems=systems, limit=limit)
    texts = {str(row["idea_id"]): formal_text(row) or idea_text(row) for row in _rows(chosen)}
    left_out = [(name, "it has no text to judge") for name, text in texts.items() if not text]
    with_text = chosen[chosen["idea_id"].map(texts) != ""]
    found = retrieve(
        _only(study, scored),
        with_text,
        n=NEAREST,
        encoder=encoder,
        embedding=embedding,
        seed=seed,
        progress=progress,
    )
    template = load_template(KIND)
    prompts = []
    rows = {str(row["reference_id"]): row for row in _rows(study.references)}
    for idea_id in with_text["idea_id"]:
        names = examples(found, idea_id, scored)
        if len(names) < START_EXAMPLES:
            left_out.append((str(idea_id), f"only {len(names)} scored references are not itself"))
            continue
        shown = "\n\n".join(
            fence(f"PAPER {place}", f"{reference_text(rows[name])}\n\n{_marks(scored.loc[name])}")
            for place, name in enumerate(names, 1)
        )
        messages = template.messages(examples=shown, idea=fence("IDEA", texts[idea_id]))
        prompts.append((str(idea_id), messages))
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


def examples(found: Retrieved, idea_id: str, scored: pd.DataFrame) -> list[str]:
    """Lowest, middle and highest debiased rating among the idea's nearest, in that order."""
    near = found.frame.loc[found.frame["idea_id"] == idea_id, "reference_id"].tolist()
    by_rating = sorted(near, key=lambda name: (float(scored.loc[name, "rating"]), name))
    if len(by_rating) <= START_EXAMPLES:
        return by_rating
    places = np.linspace(0, len(by_rating) - 1, START_EXAMPLES).round().astype(int)
    return [by_rating[place] for place in places]


def rebuild_starts(study: Study, *, judge: str | None = None) -> Study:
    """Write the ``starts`` of model judges again from ``calls.jsonl``; other rows stay."""
    return rebuild(study, KIND, FIELDS, judge=judge)


def _scored(study: Study) -> pd.DataFrame:
    """Debiased scores of the references that have all three, by id."""
    scores = debias(study.references).frame.set_index("reference_id")[list(DIMENSIONS)].dropna()
    if len(scores) < START_EXAMPLES:
        raise DataError(
            f"{len(scores)} references have a rating, a contribution and a soundness; a start needs"
            f" {START_EXAMPLES}. Add reviewed papers: foreseen import references FILE"
        )
    return scores


def _only(study: Study, scored: pd.DataFrame) -> Study:
    from dataclasses import replace

    kept = study.references[study.references["reference_id"].isin(scored.index)]
    return replace(study, references=kept.reset_index(drop=True))


def _marks(scores: pd.Series) -> str:
    shown = (f"{name} {min(HIGHEST, max(LOWEST, float(scores[name]))):.2f}" for name in DIMENSIONS)
    return "Reviewers' scores (0 to 5): " + ", ".join(shown)


def _rows(frame: pd.DataFrame) -> list[Mapping[str, Any]]:
    return frame.to_dict("records")  # type: ignore[no-any-return]
