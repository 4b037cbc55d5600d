"""``foreseen agreement``: how far judges agree with each other and with themselves."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

from core.commands.options import (
    CsvFlag,
    JsonFlag,
    StudyFolder,
    note,
    print_json,
    with_settings,
)

if TYPE_CHECKING:
    from core.agreement import Agreement

PIPED_WIDTH = 140


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""

    @app.command()
    @with_settings("gate_pm", "gate_s", "draws", "seed")
    def agreement(
        study: StudyFolder,
        as_json: JsonFlag = False,
        as_csv: CsvFlag = False,
        *,
        given: dict[str, Any],
    ) -> None:
        """Agreement of judges: κ with what belongs beside it, sets of judges, repeats, states."""
        from core.config import Settings
        from core.errors import UsageError
        from core.ingest.tabular import to_csv
        from core.study import Study

        if as_json and as_csv:
            raise UsageError("--json and --csv exclude each other. Give one of them.")
        opened = Study.open(study)
        result = opened.agreement(Settings.of(given, base=opened.settings))
        if as_json:
            print_json(result)
        elif as_csv:
            sys.stdout.write(to_csv(result.to_frame()))
        else:
            _tell(result)


def _tell(result: Agreement) -> None:
    from rich.console import Console
    from rich.table import Table

    # Piped output has no width of its own; 80 columns would break every cell.
    width = None if sys.stdout.isatty() else PIPED_WIDTH
    console = Console(width=width, highlight=False, markup=False)
    if not result.states:
        note("Nobody has judged anything in this study. Run `foreseen judge`, or import marks.")
        return
    pairs = Table("pair", "on", "n", "left out", "agreement", "prevalence", "κ", "PABAK", "AC1")
    for pair in result.pairs:
        prevalence = f"{_number(pair.prevalence_a)} / {_number(pair.prevalence_b)}"
        kappa = _number(pair.kappa)
        if pair.kappa_low is not None:
            kappa += f" ({_number(pair.kappa_low)} to {_number(pair.kappa_high)})"
        pairs.add_row(
            f"{pair.judge_a} – {pair.judge_b}",
            pair.on,
            str(pair.n),
            str(pair.n_left_out),
            _number(pair.agreement),
            "–" if pair.prevalence_of is None else prevalence,
            kappa,
            _number(pair.pabak),
            _number(pair.ac1),
        )
    console.print(pairs)
    sets = Table(
        "on", "judges", "n", "α (ordinal)", "α (nominal)", "Fleiss κ", "ICC(2,1)", "ICC(2,k)", "W"
    )
    for found in result.overall_by:
        alphas = (found.alpha, found.alpha_nominal)
        figures = (*alphas, found.fleiss_kappa, found.icc2_1, found.icc2_k, found.kendall_w)
        sets.add_row(
            str(found.on), str(len(found.judges)), str(found.n), *(_number(f) for f in figures)
        )
    console.print(sets)
    states = Table("judge", "ok", "refused", "parse failed", "call failed")
    for row in result.states:
        counts = (row.ok, row.refused, row.parse_failed, row.call_failed)
        states.add_row(row.judge, *map(str, counts))
    console.print(states)
    for reason in dict.fromkeys(pair.undefined for pair in result.pairs if pair.undefined):
        note(f"κ is not defined: {reason}.")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
