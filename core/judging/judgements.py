"""From tasks to a table of the study: ask, keep every call, write the rows, flag families.

The same for every kind of judgement whose task's ``kind`` is the name of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.errors import UsageError
from core.judging.calls import CALLS_FILE, CallIndex, CallsLog, read_calls
from core.judging.client import ChatClient
from core.judging.families import FamilyFlag, study_family_flags
from core.judging.limits import Budget, Limits, Prices
from core.judging.plan import estimate, make_plan
from core.judging.report import Estimate, Outcome, Progress, RunReport
from core.judging.run import StopSignal, run
from core.judging.tables import merge_rows, refuse_foreign_marks
from core.judging.task import Task
from core.retry import RetryPolicy
from core.study import Study


@dataclass(frozen=True, kw_only=True)
class Judgements:
    """What is to be judged: the tasks of one kind, what is left out with the reason, and what
    else is worth knowing."""

    kind: str
    tasks: tuple[Task, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A run, what it left out, the families of judge and systems, and the study after it."""

    run: RunReport
    left_out: tuple[tuple[str, str], ...]
    families: tuple[FamilyFlag, ...]
    notes: tuple[str, ...]
    study: Study


def estimate_judgements(
    study: Study,
    asked: Judgements,
    *,
    model: str,
    parameters: Mapping[str, Any],
    prices: Prices | None = None,
    retry_failed: bool = False,
) -> Estimate:
    """What :func:`judge` would ask for; nothing is sent or written."""
    calls = () if study.folder is None else read_calls(study.folder / CALLS_FILE).calls
    plan = make_plan(asked.tasks, model, parameters, CallIndex(calls), retry_failed=retry_failed)
    earlier = [call for call in calls if call.model == model and call.kind == asked.kind]
    return estimate(plan, parameters, prices, earlier)


def judge(
    study: Study,
    client: ChatClient,
    asked: Judgements,
    *,
    judge: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    budget: Budget | None = None,
    prices: Prices | None = None,
    retry: RetryPolicy | None = None,
    retry_failed: bool = False,
    progress: Callable[[Progress], None] | None = None,
    stop: StopSignal | None = None,
    keep: Callable[[Study, Sequence[Outcome], str], Study] | None = None,
) -> Judged:
    """Ask, and write the answers to the study's table ``asked.kind``, or as ``keep`` does.

    Calls go to ``calls.jsonl`` as they come, rows to the table from time to time and at the end,
    also when the run is stopped. Rows of an earlier run of the same judge are replaced by key.
    """
    if study.folder is None:
        raise UsageError("This study is not in a folder, so no call could be kept.")
    name = (judge or client.model).strip()
    if keep is None:
        refuse_foreign_marks(study, asked.kind, name)

    def save(outcomes: Sequence[Outcome]) -> None:
        nonlocal study
        if outcomes and keep is not None:
            study = keep(study, outcomes, name)
        elif outcomes:
            study = merge_rows(study, asked.kind, [outcome.row(name) for outcome in outcomes])

    with CallsLog(study.folder / CALLS_FILE, scrub=client.scrub) as log:
        report = run(
            asked.tasks,
            client,
            log,
            judge=name,
            parameters=parameters,
            limits=limits,
            budget=budget,
            prices=prices,
            retry=retry,
            retry_failed=retry_failed,
            progress=progress,
            checkpoint=save,
            stop=stop,
        )
        save(report.outcomes)
    ideas = [str(task.key["idea_id"]) for task in asked.tasks if "idea_id" in task.key]
    marked = pd.DataFrame({"idea_id": ideas, "judge": name}, dtype=str)
    flags = study_family_flags(marked, study.ideas, study.config.models, {name: client.model})
    return Judged(
        run=report, left_out=asked.left_out, families=flags, notes=report.notes, study=study
    )
