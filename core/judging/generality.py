"""Outcome-blind ratings of forecasts: how particular each is by itself (IdeaForecastBench).

Four ratings from 0 to 3; generality = 12 − their sum, 0 to 12, higher is broader. The rater sees
no paper, outcome, system or rank. Kept in ``generality.jsonl`` beside the tables.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from core.errors import TableError, UsageError
from core.forecast.stored import RATINGS_FILE
from core.ingest.tabular import read_rows, write_rows
from core.judging.choosing import chosen_ideas
from core.judging.fields import Field, Text, Whole
from core.judging.judgements import Judgements
from core.judging.prompts import fence, load_template
from core.judging.report import Outcome
from core.judging.task import Task
from core.judging.verdicts import forecast_text
from core.schema import STATES, Column, Table, admit
from core.study import Study

KIND = "generality"
RATINGS = ("problem", "method", "setting", "claim")
LOW, HIGH = 0, 3
MOST = HIGH * len(RATINGS)
FIELDS: tuple[Field, ...] = (
    Text(name="reason", longest=400, blank=True),
    *(Whole(name=name, low=LOW, high=HIGH) for name in RATINGS),
)
TABLE = Table(
    KIND,
    "a rater's view of how particular an idea is",
    ("idea_id", "judge"),
    (
        Column("idea_id", "text", "the idea rated", required=True),
        Column("judge", "text", "who rated", required=True),
        *(
            Column(name, "integer", f"how particular its {name} is, 0 to 3", low=LOW, high=HIGH)
            for name in RATINGS
        ),
        Column("reason", "text", "the rater's reason"),
        Column("state", "choice", "how the call ended", allowed=STATES, default="ok"),
        Column("call_id", "text", "the model call in calls.jsonl"),
    ),
)


def generality_tasks(
    study: Study,
    *,
    ideas: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    limit: int | None = None,
) -> Judgements:
    """One task an idea; one without text is left out, with the reason."""
    template = load_template(KIND)
    left_out, tasks = [], []
    chosen = chosen_ideas(study.ideas, ideas=ideas, systems=systems, limit=limit)
    for idea in chosen.to_dict("records"):
        name, text = str(idea["idea_id"]), forecast_text(idea)
        if not text:
            left_out.append((name, "it has no text to rate"))
            continue
        tasks.append(
            Task(
                kind=KIND,
                key={"idea_id": name},
                messages=template.messages(idea=fence("IDEA", text)),
                fields=FIELDS,
                template=template.version,
                expected_tokens=90,
            )
        )
    return Judgements(kind=KIND, tasks=tuple(tasks), left_out=tuple(left_out), keep=keep_ratings)


def read_ratings(study: Study) -> pd.DataFrame:
    """All ratings with ``generality`` (nan where the state is not ok); empty without a file.

    Raises :class:`TableError` where the file breaks its schema.
    """
    path = None if study.folder is None else study.folder / RATINGS_FILE
    raw = read_rows(path) if path is not None and path.is_file() else pd.DataFrame()
    frame, problems = admit(TABLE, raw, file=RATINGS_FILE)
    if problems:
        raise TableError(problems)
    marks = frame[list(RATINGS)].astype("float64")
    frame["generality"] = MOST - marks.sum(axis=1, skipna=False)
    frame.loc[frame["state"] != "ok", "generality"] = float("nan")
    return frame


def keep_ratings(study: Study, outcomes: Sequence[Outcome], judge: str) -> Study:
    """Write ratings, each in place of the one with its idea and judge."""
    if study.folder is None:
        raise UsageError("This study is not in a folder, so ratings cannot be kept.")
    rows = [outcome.row(judge) for outcome in outcomes]
    new = pd.DataFrame([{name: row.get(name) for name in TABLE.names} for row in rows])
    admitted, problems = admit(TABLE, new, file="calls")
    if problems:
        raise TableError(problems)
    old = read_ratings(study)[list(TABLE.names)]
    key = list(TABLE.key)
    taken = pd.MultiIndex.from_frame(admitted[key].astype(object))
    kept = old[~pd.MultiIndex.from_frame(old[key].astype(object)).isin(taken)]
    both = admitted if kept.empty else pd.concat([kept, admitted], ignore_index=True)
    write_rows(both, study.folder / RATINGS_FILE)
    return study
