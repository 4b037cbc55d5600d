"""``foreseen run``: an experiment from one file, each step once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.commands.options import JsonFlag, note, print_json
from core.errors import DataError


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("run")(run_)


def run_(
    experiment: Annotated[
        Path, typer.Argument(metavar="experiment.toml", help="What to do; see data/experiment.toml")
    ],
    again: Annotated[
        list[str] | None,
        typer.Option(metavar="STEP", help="Run this step whatever its inputs; repeatable"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would run and why; do and write nothing")
    ] = False,
    open_: Annotated[
        bool, typer.Option("--open", help="Open the dashboard on the study at the end")
    ] = False,
    json_: JsonFlag = False,
) -> None:
    """Make, fetch, import, generate, match, judge, calibrate and report, as the file says.

    A step is skipped where its inputs have not changed since it last came to its end. After a
    stop or a kill the same command goes on where it was; no call that was answered is asked again.
    """
    from core.commands.judge_options import INTERRUPTED, shown_progress
    from core.commands.matching import progress_bars
    from core.commands.report import write_report
    from core.experiment.chain import run_experiment
    from core.experiment.schema import Experiment
    from core.experiment.step import Surroundings
    from core.judging.interrupt import stop_on_interrupt

    def report(study: Path, output: Path) -> None:
        if write_report(study, output, {}):
            raise DataError(f"{output}: the report could not be written.")

    asked = Experiment.read(experiment)
    around = Surroundings(
        base=experiment.resolve().parent,
        log=note,
        progress=shown_progress,
        encoding=progress_bars,
        stopping=lambda: stop_on_interrupt(note),
        write_report=report,
    )
    done = run_experiment(asked, around, dry_run=dry_run, again=tuple(again or ()))
    if json_:
        print_json({**vars(done), "study": str(done.study)})
    else:
        for step in done.steps:
            typer.echo(f"{step.name}: {step.state}" + (f": {step.told}" if step.told else ""))
    if done.stopped is not None:
        note(f"stopped: {done.stopped}. The same command goes on from there.")
        if done.cause != "budget":
            raise typer.Exit(INTERRUPTED if done.cause == "interrupted" else 1)
        return
    if (open_ or asked.open) and not dry_run:
        from core.opening import launch

        launch([done.study.resolve()], [])
