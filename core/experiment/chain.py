"""Run an experiment's steps in order, each once: those whose inputs are as they were are skipped.

::

    path = Path("experiment.toml")
    around = Surroundings(base=path.resolve().parent, log=print)
    run_experiment(Experiment.read(path), around).steps

The order is new, fetch, import, generate, forecast, match, judge, calibrate, report; of judges
formal parts first, then scores, starts, comparisons, verdicts. What is done stands in
``derived/run.json`` of the study, so a run that was killed goes on with the step it was in, and
that step (its calls and vectors are kept) where it was.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.errors import ForeseenError, UsageError, nearest
from core.experiment.calls import KINDS
from core.experiment.journal import Entry, Journal, changed
from core.experiment.judge_step import JudgeStep
from core.experiment.model_steps import ForecastStep, GenerateStep
from core.experiment.schema import Experiment
from core.experiment.step import Done, Step, Surroundings, Work
from core.experiment.steps import (
    CalibrateStep,
    FetchStep,
    ImportStep,
    MatchStep,
    ReportStep,
    make_study,
)
from core.judging.report import Estimate
from core.study import Study

State = Literal["ran", "skipped", "would run", "stopped", "not reached"]
NEW = "new"


@dataclass(frozen=True, kw_only=True)
class StepReport:
    """What became of one step and why; ``told`` is what it did, now or when it last ran.

    ``estimate`` is there in a dry run of a step that asks a model and whose inputs are known.
    """

    name: str
    state: State
    reason: str
    told: str = ""
    seconds: float = 0.0
    estimate: Estimate | None = None


@dataclass(frozen=True, kw_only=True)
class ExperimentReport:
    """Every step in order. ``cause`` is 'budget', 'interrupted' or 'server' where the chain
    stopped before its end, and ``stopped`` says it in words."""

    study: Path
    steps: tuple[StepReport, ...]
    dry_run: bool
    stopped: str | None = None
    cause: str | None = None


def steps_of(experiment: Experiment, base: Path) -> list[Step]:
    """The steps that follow the making of the study, in their order."""
    steps: list[Step] = [FetchStep(p, n) for n, p in enumerate(experiment.fetch, 1)]
    steps += [ImportStep(p, n) for n, p in enumerate(experiment.imports, 1)]
    steps += [GenerateStep(part, experiment.seed) for part in experiment.generate]
    steps += [ForecastStep(part, experiment.seed) for part in experiment.forecast]
    if experiment.match is not None:
        steps.append(MatchStep(experiment.match))
    judges = sorted(experiment.judge, key=lambda part: KINDS.index(part.kind))
    steps += [JudgeStep(part, experiment.seed) for part in judges]
    if experiment.calibrate is not None:
        steps.append(CalibrateStep(experiment.calibrate))
    if experiment.report is not None:
        steps.append(ReportStep(experiment.report, base))
    return steps


def run_experiment(
    experiment: Experiment,
    around: Surroundings,
    *,
    dry_run: bool = False,
    again: Sequence[str] = (),
) -> ExperimentReport:
    """Run what has to run. ``again`` names steps that run whatever their inputs.

    A step that stops (budget, Ctrl-C, server) ends the chain; the next run goes on from there. An
    error of a step is raised as it is, with the steps before it kept.
    """
    folder = around.base / experiment.study
    steps = steps_of(experiment, around.base)
    names = [step.name for step in steps]
    for name in again:
        if name not in names:
            raise UsageError(f"--again {name!r}: no such step. {nearest(name, names)}")
    made, told = make_study(experiment.new, folder, dry_run=dry_run)
    reports = [_made(made, told, dry_run)]
    around.log(_line(reports[-1]))
    if made and dry_run:
        reports += [
            StepReport(name=name, state="would run", reason="there is no study yet")
            for name in names
        ]
        for report in reports[1:]:
            around.log(_line(report))
        return ExperimentReport(study=folder, steps=tuple(reports), dry_run=True)
    journal = Journal(folder)
    if journal.note:
        around.log(journal.note)
    study: Study | None = Study.open(folder)
    stopped: Done | None = None
    waiting = False
    for step in steps:
        if stopped is not None:
            reports.append(
                StepReport(name=step.name, state="not reached", reason="the chain stopped before")
            )
        elif dry_run:
            study = study or Study.open(folder)
            work = Work(study=study, around=around)
            reports.append(_looked_at(step, work, journal, again, waiting=waiting))
            waiting = waiting or reports[-1].state == "would run"
        else:
            study = study or Study.open(folder)
            work = Work(study=study, around=around, again=step.name in again)
            report, study, stopped = _one(step, work, journal, again)
            reports.append(report)
        around.log(_line(reports[-1]))
    return ExperimentReport(
        study=folder,
        steps=tuple(reports),
        dry_run=dry_run,
        stopped=stopped.stopped if stopped else None,
        cause=stopped.cause if stopped else None,
    )


def _one(
    step: Step, work: Work, journal: Journal, again: Sequence[str]
) -> tuple[StepReport, Study | None, Done | None]:
    """One step: its report, the study after it (None: to be read anew), and its end if it stopped."""
    inputs = dict(step.inputs(work))
    reason = _why(step, work, journal.entries.get(step.name), inputs, again)
    if reason is None:
        return _skipped(step, journal.entries[step.name]), work.study, None
    work.around.log(f"{step.name}: runs, as {reason}")
    journal.forget(step.name)
    started = time.monotonic()
    try:
        done = step.run(work)
    except ForeseenError:
        work.around.log(f"{step.name}: failed; the steps before it are kept")
        raise
    report = StepReport(
        name=step.name,
        state="stopped" if done.stopped else "ran",
        reason=done.stopped or reason,
        told=done.told,
        seconds=time.monotonic() - started,
    )
    if done.stopped is not None:
        return report, done.study, done
    entry = Entry(
        inputs=inputs, told=done.told, count=done.count, failed=done.failed, output=done.output
    )
    journal.keep(step.name, entry)
    return report, done.study, None


def _looked_at(
    step: Step,
    work: Work,
    journal: Journal,
    again: Sequence[str],
    *,
    waiting: bool,
) -> StepReport:
    """What a dry run says of a step."""
    if waiting:
        return StepReport(
            name=step.name, state="would run", reason="a step before it may change its inputs"
        )
    inputs = dict(step.inputs(work))
    entry = journal.entries.get(step.name)
    reason = _why(step, work, entry, inputs, again)
    if reason is None and entry is not None:
        return _skipped(step, entry)
    guess = step.estimate(work)
    return StepReport(name=step.name, state="would run", reason=reason or "", estimate=guess)


def _why(
    step: Step, work: Work, entry: Entry | None, inputs: dict[str, str], again: Sequence[str]
) -> str | None:
    """Why a step has to run; None where it need not."""
    if step.name in again:
        return "--again names it"
    if entry is None:
        return "it has not come to its end yet"
    other = changed(entry, inputs)
    if other:
        return f"{' and '.join(other)} changed"
    return step.missing(work, entry)


def _skipped(step: Step, entry: Entry) -> StepReport:
    reason = f"nothing it depends on has changed since {entry.at}"
    return StepReport(name=step.name, state="skipped", reason=reason, told=entry.told)


def _made(made: bool, told: str, dry_run: bool) -> StepReport:
    if not made:
        return StepReport(name=NEW, state="skipped", reason=told)
    state: State = "would run" if dry_run else "ran"
    return StepReport(name=NEW, state=state, reason="there is no study yet", told=told)


def _line(report: StepReport) -> str:
    told = f" ({report.told})" if report.told else ""
    if report.state == "ran":
        return f"{report.name}: done in {report.seconds:.1f} s: {report.told}"
    line = f"{report.name}: {report.state}: {report.reason}{told}"
    if report.estimate is None:
        return line
    guess = report.estimate
    cost = "" if guess.cost is None else f", cost about {guess.cost:.4g}"
    return (
        f"{line}; {guess.calls:,} calls, about {guess.tokens_in:,} tokens in and"
        f" {guess.tokens_out:,} out{cost}"
    )
