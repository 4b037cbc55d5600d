"""``foreseen forecast …``: IdeaForecastBench."""

from __future__ import annotations

import sys
from typing import Any

import typer

from core.commands import forecast_diagnose, forecast_episodes, forecast_run
from core.commands.options import CsvFlag, JsonFlag, StudyFolder, print_json, with_settings
from core.config import Settings
from core.study import Study

_SETTINGS = ("gate_pm", "gate_s", "r", "slots", "ambiguous_dates", "seed", "draws")


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    forecast = typer.Typer(help="Ranked forecasts over rolling episodes (IdeaForecastBench)")
    app.add_typer(forecast, name="forecast")
    forecast_episodes.register(forecast)
    forecast_run.register(forecast)
    forecast_diagnose.register(forecast)

    @forecast.command("score")
    @with_settings(*_SETTINGS)
    def score_(
        study: StudyFolder, given: dict[str, Any], as_json: JsonFlag = False, csv: CsvFlag = False
    ) -> None:
        """Hit rate, precision and rank of forecasts, for every system under every judge."""
        from core.ingest.tabular import to_csv

        opened = Study.open(study)
        result = opened.forecast(Settings.of(given, base=opened.settings))
        if as_json:
            print_json(
                {
                    "systems": result.systems,
                    "pairs": result.pairs,
                    "gate": result.gate,
                    "missing": result.missing,
                    "states": result.states,
                    "surplus": result.surplus,
                    "manifest": result.manifest,
                    "cautions": result.cautions,
                    "resampled": result.resampled,
                    "settings": result.settings,
                }
            )
        elif csv:
            sys.stdout.write(to_csv(result.episodes))
        else:
            for row in result.systems.to_dict("records"):
                if row["hit"] is None:
                    told = "Hit unknown: every episode has a failed verdict"
                else:
                    told = (
                        f"Hit {row['hit']:.3g} ({row['hit_low']:.3g} to {row['hit_high']:.3g}),"
                        f" Precision {row['precision']:.3g}, MRR {row['mrr']:.3g}"
                    )
                sys.stdout.write(
                    f"{row['system']}, judge {row['judge']}: {told},"
                    f" n = {row['episodes']} episodes\n"
                )
