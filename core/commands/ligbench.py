"""``foreseen rank``, ``novelty`` and ``ligbench …``: LigBench's ratings and studies."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from core.commands.options import CsvFlag, JsonFlag, StudyFolder, note, print_json, with_settings
from core.config import Settings
from core.study import Study

_SETTINGS = (
    *(name for name in Settings.model_fields if name.startswith(("elo_", "bt_"))),
    "orders",
    "judge",
    "seed",
    "draws",
)
_NOVELTY_SETTINGS = (
    *(name for name in Settings.model_fields if name.startswith("novelty_")),
    "ambiguous_dates",
    "judge",
    "seed",
    "draws",
)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""

    @app.command("rank")
    @with_settings(*_SETTINGS)
    def rank_(
        study: StudyFolder, given: dict[str, Any], as_json: JsonFlag = False, csv: CsvFlag = False
    ) -> None:
        """Rate ideas against reviewed papers: Elo over many orders, and Bradley–Terry."""
        from core.ingest.tabular import to_csv

        opened = Study.open(study)
        settings = Settings.of(given, base=opened.settings)
        result = opened.rank(settings)
        for caution in result.cautions:
            note(caution)
        if as_json:
            print_json(
                {
                    "ideas": result.ideas,
                    "systems": result.systems,
                    "flip_rates": result.flip_rates,
                    "settings": settings,
                    "elo_mode": result.elo_mode,
                    "unrated": result.unrated,
                    "unplayable": result.unplayable,
                    "one_order": result.one_order,
                    "resampled": result.resampled,
                    "cautions": result.cautions,
                }
            )
        elif csv:
            sys.stdout.write(to_csv(result.ideas))
        else:
            sys.stdout.write(f"Mean Elo ({result.elo_mode} mode), 0 to 5, with 95 % interval\n")
            for row in result.systems.to_dict("records"):
                low, high = row["low"], row["high"]
                interval = "" if low is None else f" ({low:.3g} to {high:.3g})"
                sys.stdout.write(
                    f"  {row['system']}  {row['dimension']}: {row['mean']:.3g}{interval},"
                    f" n = {row['n']}\n"
                )

    @app.command("novelty")
    @with_settings(*_NOVELTY_SETTINGS)
    def novelty_(
        study: StudyFolder,
        given: dict[str, Any],
        encoder: Annotated[
            str | None,
            typer.Option(help="minilm, specter2, a model's name or folder (else the study's)"),
        ] = None,
        as_json: JsonFlag = False,
        csv: CsvFlag = False,
    ) -> None:
        """Rate ideas for novelty against the papers before their cutoff, encoding what is new.

        A μ or k that is given is used as it is; else the map is fitted to the similarities.
        """
        from core.commands.matching import progress_bars
        from core.ingest.tabular import to_csv
        from core.ligbench.similar_papers import find_similar, is_stale, read_similar

        opened = Study.open(study)
        if {"novelty_k", "novelty_mu"} & set(given):
            given.setdefault("novelty_map", "fixed")
        settings = Settings.of(given, base=opened.settings)
        similar = read_similar(opened)
        other = similar is not None and encoder is not None and similar.info.encoder != encoder
        if similar is None or other or is_stale(opened, similar):
            with progress_bars() as progress:
                find_similar(opened, encoder=encoder, progress=progress)
        result = opened.novelty(settings)
        for caution in result.cautions:
            note(caution)
        if as_json:
            print_json(
                {
                    "ideas": result.ideas,
                    "systems": result.systems,
                    "map": result.map,
                    "encoder": result.encoder,
                    "papers_per_idea": result.papers_per_idea,
                    "stale": result.stale,
                    "settings": settings,
                    "cautions": result.cautions,
                }
            )
        elif csv:
            sys.stdout.write(to_csv(result.ideas))
        else:
            if result.map.k is not None and result.map.mu is not None:
                sys.stdout.write(
                    f"Novelty, 0 to 5, by {result.encoder}: μ = {result.map.mu:.3g},"
                    f" k = {result.map.k:.3g} ({result.map.rule})\n"
                )
            for row in result.systems.to_dict("records"):
                sys.stdout.write(f"  {row['system']}: {row['mean']:.3g}, n = {row['n']}\n")
