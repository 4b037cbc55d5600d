"""``foreseen judge verdicts`` and ``generality``: IdeaForecastBench's calls to a model."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from core.commands.options import JsonFlag, StudyFolder

Ideas = Annotated[list[str] | None, typer.Option(metavar="ID,ID…", help="Only these ideas")]
Systems = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Only this system's ideas; repeatable")
]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first so many ideas")]


def register(app: typer.Typer) -> None:  # noqa: ARG001
    """Add the commands to ``foreseen judge``."""
    from core.commands.judge import judge
    from core.commands.judge_options import with_judge_options

    judge.command("verdicts")(with_judge_options(judge_verdicts, repeats=1))
    judge.command("generality")(with_judge_options(judge_generality, repeats=1))


def judge_verdicts(
    study: StudyFolder,
    chosen: Any,
    r: Annotated[
        int | None, typer.Option(min=1, help="Candidates of each idea (else the study's r)")
    ] = None,
    window: Annotated[
        str,
        typer.Option(
            metavar="target|backward", help="Papers after the cutoff, or as long before it"
        ),
    ] = "target",
    ideas: Ideas = None,
    system: Systems = None,
    limit: Limit = None,
    json_: JsonFlag = False,
) -> None:
    """Grades from 0 to 3 (problem, method, specificity) for each idea and candidate paper.

    What a call has answered is not asked again: the same command goes on where a run stopped.
    """
    from core.commands.judge_run import carry_out
    from core.config import Settings
    from core.judging.verdicts import verdict_tasks
    from core.study import Study

    _once(chosen.repeats)
    opened = Study.open(study)
    settings = Settings.of({} if r is None else {"r": r}, base=opened.settings)
    asked = verdict_tasks(
        opened, settings, window=window, ideas=_names(ideas), systems=system, limit=limit
    )
    carry_out(opened, asked, chosen, json_=json_)


def judge_generality(
    study: StudyFolder,
    chosen: Any,
    ideas: Ideas = None,
    system: Systems = None,
    limit: Limit = None,
    json_: JsonFlag = False,
) -> None:
    """How particular each forecast is, by itself: four ratings from 0 to 3, no paper shown."""
    from core.commands.judge_run import carry_out
    from core.judging.generality import generality_tasks, keep_ratings
    from core.study import Study

    _once(chosen.repeats)
    opened = Study.open(study)
    asked = generality_tasks(opened, ideas=_names(ideas), systems=system, limit=limit)
    carry_out(opened, asked, chosen, json_=json_, keep=keep_ratings)


def _once(repeats: int) -> None:
    from core.errors import UsageError

    if repeats != 1:
        raise UsageError("--repeats must be 1: there is one verdict for each judge and pair.")


def _names(texts: list[str] | None) -> list[str]:
    return [name.strip() for text in texts or () for name in text.split(",") if name.strip()]
