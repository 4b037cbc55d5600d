"""Carry a kind of judgement out from the command line: dry run, run, report, exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from core.commands.judge_options import (
    INTERRUPTED,
    JudgeOptions,
    estimate_text,
    report_text,
    shown_progress,
)
from core.commands.matching import progress_bars
from core.commands.options import note, print_json
from core.errors import UsageError
from core.experiment.calls import OWN_KEYS, Judge, Kind
from core.experiment.judge_step import JudgeStep
from core.experiment.step import Surroundings, Work
from core.judging.interrupt import stop_on_interrupt
from core.judging.judgements import Judged
from core.judging.report import RunReport
from core.study import Study


def carry_out(
    study: Path, kind: Kind, options: JudgeOptions, *, json_: bool, **own: Any
) -> Judged | None:
    """Ask what is missing and tell how it went, or say what would be asked (then None).

    ``own`` are the options of this kind, by their keys in an experiment's file.
    """
    if "repeats" in OWN_KEYS[kind]:
        own["repeats"] = options.repeats
    elif options.repeats != 1:
        raise UsageError(f"--repeats must be 1: {kind} are asked for once.")
    step = JudgeStep(Judge.asked(kind, judge=options.judge, **options.shared(), **own))
    around = Surroundings(
        base=study,
        log=note,
        client=lambda _: options.client(),
        progress=shown_progress,
        encoding=progress_bars,
        stopping=lambda: stop_on_interrupt(note),
    )
    work = Work(study=Study.open(study), around=around)
    asked = step.asked(work, encode=not options.dry_run)
    for name, reason in asked.left_out:
        note(f"left out: {name}: {reason}")
    for line in asked.notes:
        note(line)
    if not options.dry_run:
        return step.judged(work, asked)
    guess = step.estimate(work, asked)
    if json_:
        print_json(guess)
    else:
        typer.echo(estimate_text(guess))
    return None


def tell(report: Judged | None, *, json_: bool) -> None:
    """Notes and cautions to stderr, the run to stdout; exit 1 or 130 where it failed."""
    if report is None:
        return
    for line in report.notes:
        note(line)
    for flag in report.families:
        if flag.same:
            shared = ", ".join(sorted({*flag.judge_families} & {*flag.system_families}))
            note(
                f"caution: judge {flag.judge} and system {flag.system} are of one model family"
                f" ({shared}): a judge tends to prefer its own"
            )
    if json_:
        print_json(
            {
                **plain(report.run),
                "left_out": dict(report.left_out),
                "families": report.families,
            }
        )
    else:
        typer.echo(report_text(report.run))
    exit_by(report.run)


def plain(run: RunReport) -> dict[str, object]:
    """A run's counts, without its outcomes."""
    return {k: v for k, v in vars(run).items() if k != "outcomes"}


def exit_by(run: RunReport) -> None:
    """Leave with 130 where the run was interrupted, 1 where nothing that was asked came well."""
    if run.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)
    if run.stopped == "server" or (run.asked and not run.ok):
        raise typer.Exit(1)
