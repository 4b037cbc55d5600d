"""``foreseen judge verdicts`` and ``generality``: IdeaForecastBench's calls to a model."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from core.commands.judge import Ideas, Limit, Systems, judge, names_of
from core.commands.options import JsonFlag, StudyFolder


def register(app: typer.Typer) -> None:  # noqa: ARG001
    """Add the commands to ``foreseen judge``."""
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
    from core.commands.judge_run import carry_out, tell

    done = carry_out(
        study,
        "verdicts",
        chosen,
        json_=json_,
        ideas=names_of(ideas),
        systems=system or (),
        limit=limit,
        r=r,
        window=window,
    )
    tell(done, json_=json_)


def judge_generality(
    study: StudyFolder,
    chosen: Any,
    ideas: Ideas = None,
    system: Systems = None,
    limit: Limit = None,
    json_: JsonFlag = False,
) -> None:
    """How particular each forecast is, by itself: four ratings from 0 to 3, no paper shown."""
    from core.commands.judge_run import carry_out, tell

    names = names_of(ideas)
    done = carry_out(
        study, "generality", chosen, json_=json_, ideas=names, systems=system or (), limit=limit
    )
    tell(done, json_=json_)
