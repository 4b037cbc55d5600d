"""``foreseen rank``: LigBench's ratings."""

from __future__ import annotations

import sys
from typing import Any

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
