"""``foreseen simulate``: a study whose truth is planted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.commands.options import note
from core.simulate import IDEAS, PAPERS, write_study


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""

    @app.command("simulate")
    def simulate(
        folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the new study")],
        seed: Annotated[int, typer.Option(help="Seed; the same seed gives the same bytes")] = 0,
        papers: Annotated[int, typer.Option(help="Papers in all")] = PAPERS,
        ideas: Annotated[int, typer.Option(help="Ideas of each of the two systems")] = IDEAS,
    ) -> None:
        """Make a study with invented ideas, papers and judges, and a truth that is known."""
        study = write_study(folder, seed=seed, papers=papers, ideas=ideas)
        note(
            f"{folder}: {len(study.ideas):,} ideas, {len(study.papers):,} papers,"
            f" {len(study.scores):,} scores. Ideas, papers and citations are invented."
            f" Next: foreseen match {folder}"
        )
