"""``foreseen simulate``: a study whose truth is planted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.commands.options import note
from core.errors import UsageError
from core.simulate import IDEAS, PAPERS, write_study


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""

    @app.command("simulate")
    def simulate(
        folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the new study")],
        seed: Annotated[int, typer.Option(help="Seed; the same seed gives the same bytes")] = 0,
        papers: Annotated[int, typer.Option(help="Papers in all")] = PAPERS,
        ideas: Annotated[int, typer.Option(help="Ideas of each of the two systems")] = IDEAS,
        forecasts: Annotated[
            bool, typer.Option("--forecasts", help="Ranked forecasts over episodes instead")
        ] = False,
        verdicts: Annotated[
            bool, typer.Option("--verdicts", help="Grade the candidates of such a study")
        ] = False,
    ) -> None:
        """Make a study with invented ideas, papers and judges, and a truth that is known.

        A study of forecasts takes four steps: simulate DIR --forecasts, match DIR, forecast
        diagnose DIR --encode, and simulate DIR --verdicts, as judges grade what the searches found.
        """
        if forecasts or verdicts:
            if (papers, ideas) != (PAPERS, IDEAS):
                raise UsageError("--papers and --ideas do not go with --forecasts or --verdicts.")
            _forecasts(folder, seed, verdicts=verdicts, both=forecasts and verdicts)
            return
        study = write_study(folder, seed=seed, papers=papers, ideas=ideas)
        note(
            f"{folder}: {len(study.ideas):,} ideas, {len(study.papers):,} papers,"
            f" {len(study.scores):,} scores. Ideas, papers and citations are invented."
            f" Next: foreseen match {folder}"
        )


def _forecasts(folder: Path, seed: int, *, verdicts: bool, both: bool) -> None:
    if both:
        raise UsageError(
            f"--forecasts and --verdicts are two steps: run `foreseen match {folder}` between them."
        )
    if not verdicts:
        from core.simulation.forecasts import write_forecasts

        study = write_forecasts(folder, seed=seed)
        note(
            f"{folder}: {len(study.ideas):,} forecasts, {len(study.papers):,} papers,"
            f" {len(study.scores):,} scores. All are invented."
            f" Next: foreseen match {folder}, then foreseen forecast diagnose {folder} --encode,"
            f" then foreseen simulate {folder} --verdicts"
        )
        return
    from core.simulation.verdicts import write_verdicts

    study = write_verdicts(folder, seed=seed)
    note(
        f"{folder}: {len(study.verdicts):,} verdicts and {len(study.ideas):,} ratings, invented. Next: foreseen forecast score"
        f" {folder}"
    )
