"""``foreseen judge``: let a model judge, and keep every call."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from core.commands.options import JsonFlag, StudyFolder

judge = typer.Typer(
    help="Let a model judge; every call is kept in the study.", no_args_is_help=True
)

Ideas = Annotated[list[str] | None, typer.Option(metavar="ID,ID…", help="Only these ideas")]
Systems = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Only this system's ideas; repeatable")
]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first so many ideas")]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    from core.commands.judge_options import with_judge_options

    judge.command("scores")(with_judge_options(judge_scores))
    app.add_typer(judge, name="judge", rich_help_panel=None)


def judge_scores(
    study: StudyFolder,
    chosen: Any,
    ideas: Ideas = None,
    system: Systems = None,
    limit: Limit = None,
    json_: JsonFlag = False,
) -> None:
    """Marks from 1 to 10 for novelty, feasibility, impact and overall (HindSight's judge).

    What a call has answered is not asked again: the same command goes on where a run stopped.
    """
    from core.commands.judge_run import carry_out, tell

    names = names_of(ideas)
    done = carry_out(
        study, "scores", chosen, json_=json_, ideas=names, systems=system or (), limit=limit
    )
    tell(done, json_=json_)


def names_of(given: list[str] | None) -> list[str]:
    """Names of an option that may be repeated and may hold several, parted by commas."""
    return [name.strip() for part in given or () for name in part.split(",") if name.strip()]
