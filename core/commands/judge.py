"""``foreseen judge``: let a model judge, and keep every call."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from core.commands.options import JsonFlag, StudyFolder, note, print_json

judge = typer.Typer(
    help="Let a model judge; every call is kept in the study.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    from core.commands.judge_options import with_judge_options

    judge.command("scores")(with_judge_options(judge_scores))
    app.add_typer(judge, name="judge", rich_help_panel=None)


def judge_scores(
    study: StudyFolder,
    chosen: Any,
    ideas: Annotated[
        list[str] | None, typer.Option(metavar="ID,ID…", help="Only these ideas")
    ] = None,
    system: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this system's ideas; repeatable")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many ideas")] = None,
    json_: JsonFlag = False,
) -> None:
    """Marks from 1 to 10 for novelty, feasibility, impact and overall (HindSight's judge).

    What a call has answered is not asked again: the same command goes on where a run stopped.
    """
    from core.commands.judge_options import (
        INTERRUPTED,
        JudgeOptions,
        estimate_text,
        report_text,
        shown_progress,
    )
    from core.judging.interrupt import stop_on_interrupt
    from core.judging.scores import estimate_scores, judge_scores, score_tasks
    from core.study import Study

    options: JudgeOptions = chosen
    opened = Study.open(study)
    names = [name.strip() for part in ideas or [] for name in part.split(",") if name.strip()]
    tasks = score_tasks(opened, repeats=options.repeats, ideas=names, systems=system, limit=limit)
    for idea_id, reason in tasks.left_out:
        note(f"left out: idea {idea_id}: {reason}")
    if options.dry_run:
        guess = estimate_scores(
            opened,
            tasks.tasks,
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
        report = judge_scores(
            opened,
            options.client(),
            tasks,
            judge=options.judge,
            parameters=options.parameters,
            limits=options.limits,
            budget=options.budget,
            prices=options.prices,
            retry_failed=options.retry_failed,
            progress=progress,
            stop=stop,
        )
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
        plain = {k: v for k, v in vars(report.run).items() if k != "outcomes"}
        print_json({**plain, "left_out": dict(report.left_out), "families": report.families})
    else:
        typer.echo(report_text(report.run))
    if report.run.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)
    if report.run.stopped == "server" or (report.run.asked and not report.run.ok):
        raise typer.Exit(1)
