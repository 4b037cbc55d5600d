"""From tasks to a table of the study: ask, keep every call, write the rows, flag families.

The same for every kind of judgement whose task's ``kind`` is the name of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from core.config import ALL_JUDGES
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

Keep = Callable[[Study, Sequence[Outcome], str], Study]


@dataclass(frozen=True, kw_only=True)
class Judgements:
    """What is to be asked: the tasks of one kind, what is left out with the reason, and what
    else is worth knowing.

    ``keep`` writes the outcomes of a judge where the study has no table of that kind. ``then``
    tells what to ask when these tasks are answered; ``later`` stand in for those in an estimate.
    ``marks``: whether the answers are marks, which a model may give its own family too gladly.
    """

    kind: str
    tasks: tuple[Task, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    keep: Keep | None = None
    then: Callable[[Sequence[Outcome]], Judgements] | None = None
    later: tuple[Task, ...] = ()
    marks: bool = True


@dataclass(frozen=True, kw_only=True)
class Judged:
    """The run of each stage (mostly one), what was left out, the families of judge and systems,
    and the study after it."""

    runs: tuple[RunReport, ...]
    left_out: tuple[tuple[str, str], ...]
    families: tuple[FamilyFlag, ...]
    notes: tuple[str, ...]
    study: Study

    @property
    def run(self) -> RunReport:
        """The last run: its outcomes are what the table got."""
        return self.runs[-1]


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
    tasks = (*asked.tasks, *asked.later)
    plan = make_plan(tasks, model, parameters, CallIndex(calls), retry_failed=retry_failed)
    return estimate(plan, parameters, prices, [call for call in calls if call.model == model])


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
) -> Judged:
    """Ask, and write the answers to the study's table ``asked.kind``, or as ``asked.keep`` does.

    Calls go to ``calls.jsonl`` as they come, rows to the table from time to time and at the end,
    also when the run is stopped. Rows of an earlier run of the same judge are replaced by key.
    ``budget`` is for all stages together.
    """
    if study.folder is None:
        raise UsageError("This study is not in a folder, so no call could be kept.")
    name = (judge or client.model).strip()
    if name == ALL_JUDGES:
        raise UsageError(
            f"'{name}' means all judges together (the setting judge). Give this judge another name"
            " with --judge NAME."
        )
    if asked.keep is None:
        refuse_foreign_marks(study, asked.kind, name)

    runs: list[RunReport] = []
    notes: list[str] = []
    left = budget or Budget()
    stage: Judgements | None = asked
    while stage is not None:
        keep = stage.keep or partial(_into_table, asked.kind)

        def save(outcomes: Sequence[Outcome], keep: Keep = keep) -> None:
            nonlocal study
            if outcomes:
                study = keep(study, outcomes, name)

        with CallsLog(study.folder / CALLS_FILE, scrub=client.scrub) as log:
            report = run(
                stage.tasks,
                client,
                log,
                judge=name,
                parameters=parameters,
                limits=limits,
                budget=left,
                prices=prices,
                retry=retry,
                retry_failed=retry_failed,
                progress=progress,
                checkpoint=save,
                stop=stop,
            )
            save(report.outcomes)
        runs.append(report)
        notes += [note for note in report.notes if note not in notes]
        left = left.after(report.calls, report.tokens_in + report.tokens_out, report.cost)
        then = stage.then if report.stopped is None else None
        stage = None if then is None else then(report.outcomes)
        notes += () if stage is None else stage.notes
    flags: tuple[FamilyFlag, ...] = ()
    if asked.marks:
        ideas = [str(task.key["idea_id"]) for task in asked.tasks if "idea_id" in task.key]
        marked = pd.DataFrame({"idea_id": ideas, "judge": name}, dtype=str)
        flags = study_family_flags(marked, study.ideas, study.config.models, {name: client.model})
    return Judged(
        runs=tuple(runs), left_out=asked.left_out, families=flags, notes=tuple(notes), study=study
    )


def _into_table(kind: str, study: Study, outcomes: Sequence[Outcome], judge: str) -> Study:
    return merge_rows(study, kind, [outcome.row(judge) for outcome in outcomes])
