"""``foreseen judge``: let a model judge, and keep every call."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from core.commands.options import JsonFlag, StudyFolder

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
    from core.commands.judge_run import carry_out
    from core.judging.judgements import Judgements
    from core.judging.scores import KIND, score_tasks
    from core.study import Study

    opened = Study.open(study)
    names = [name.strip() for part in ideas or [] for name in part.split(",") if name.strip()]
    found = score_tasks(opened, repeats=chosen.repeats, ideas=names, systems=system, limit=limit)
    asked = Judgements(kind=KIND, tasks=found.tasks, left_out=found.left_out)
    carry_out(opened, asked, chosen, json_=json_)
