"""Carry a set of judgements out from the command line: dry run, run, report, exit code."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import typer

from core.commands.judge_options import (
    INTERRUPTED,
    JudgeOptions,
    estimate_text,
    report_text,
    shown_progress,
)
from core.commands.options import note, print_json
from core.judging.interrupt import stop_on_interrupt
from core.judging.judgements import Judged, Judgements, estimate_judgements, judge
from core.judging.report import Outcome, RunReport
from core.study import Study


def carry_out(
    study: Study,
    asked: Judgements,
    options: JudgeOptions,
    *,
    json_: bool,
    keep: Callable[[Study, Sequence[Outcome], str], Study] | None = None,
) -> None:
    """Ask what is missing (or say what would be asked), tell how it went, and exit by it.

    ``keep`` stands in for the table of that kind where the study has none.
    """
    for what in asked.left_out:
        note(f"left out: idea {what[0]}: {what[1]}")
    for line in asked.notes:
        note(line)
    if options.dry_run:
        guess = estimate_judgements(
            study,
            asked,
            model=options.model,
            parameters=options.parameters,
            prices=options.prices,
            retry_failed=options.retry_failed,
        )
        if json_:
            print_json(guess)
        else:
            typer.echo(estimate_text(guess))
        return
    with stop_on_interrupt(note) as stop, shown_progress("judging") as progress:
        report = judge(
            study,
            options.client(),
            asked,
            judge=options.judge,
            parameters=options.parameters,
            limits=options.limits,
            budget=options.budget,
            prices=options.prices,
            retry_failed=options.retry_failed,
            progress=progress,
            stop=stop,
            keep=keep,
        )
    tell(report, json_=json_)


def tell(report: Judged, *, json_: bool) -> None:
    """Notes and cautions to stderr, the run to stdout; exit 1 or 130 where it failed."""
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
