"""``foreseen forecast diagnose``: what hit rates hide."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from core.commands.options import JsonFlag, StudyFolder, note, print_json, with_settings


def register(forecast: typer.Typer) -> None:
    """Add the command to ``foreseen forecast``."""
    forecast.command("diagnose")(
        with_settings("gate_pm", "gate_s", "r", "slots", "ambiguous_dates", "seed", "draws")(
            diagnose
        )
    )


def diagnose(
    study: StudyFolder,
    given: dict[str, Any],
    encode: Annotated[
        bool,
        typer.Option(
            "--encode", help="First encode what is new: novelty, coverage, the window before"
        ),
    ] = False,
    encoder: Annotated[
        str | None,
        typer.Option(help="minilm, specter2, a model's name or folder (else the study's)"),
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Generality, lengths, pool size, contamination and the backward control beside hit rates."""
    from core.config import Settings
    from core.forecast.diagnostics import diagnostics
    from core.forecast.geometry import measure_geometry
    from core.study import Study

    opened = Study.open(study)
    settings = Settings.of(given, base=opened.settings)
    if encode:
        found = measure_geometry(opened, settings, encoder=encoder)
        note(
            f"{found.info.encoder}: novelty of {len(found.novelty):,} ideas,"
            f" {found.clusters.groupby(['topic', 'cutoff']).ngroups:,} pools in clusters"
        )
        if opened.candidates is None:
            note("candidates are still to be found: run `foreseen match`")
            return
    result = diagnostics(opened, settings)
    for line in result.cautions:
        note(f"caution: {line}")
    for name, reason in result.not_measured.items():
        note(f"{name}: {reason}")
    if json_:
        told = {k: v for k, v in vars(result).items() if k != "forecasts"}
        print_json(
            {
                name: [vars(row) for row in value]
                if isinstance(value, tuple) and value and hasattr(value[0], "__dataclass_fields__")
                else value
                for name, value in told.items()
            }
        )
        return
    for item in result.associations:
        told_r = (
            item.undefined
            if item.r is None
            else f"r = {item.r:.2g} ({_interval(item.low, item.high)}), partial"
            f" {_number(item.partial)}, matched difference {_number(item.matched)}, n = {item.n}"
        )
        typer.echo(f"{item.measure}, judge {item.judge}: {told_r}")
    for row in result.contamination:
        told_c = (
            row.undefined
            if row.difference is None
            else f"{row.before:.3g} before, {row.after:.3g} after {row.knowledge_cutoff}"
            f" ({_interval(row.low, row.high)})"
        )
        typer.echo(f"{row.system}, judge {row.judge}, knowledge of {row.model}: {told_c}")
    for back in result.backward:
        typer.echo(
            f"{back.system}, judge {back.judge or 'none'}: nearest paper"
            f" {_number(back.similarity)} after, {_number(back.similarity_backward)} before the"
            f" cutoff; hit {_number(back.hit)} and {_number(back.hit_backward)}"
            + (f" ({back.undefined})" if back.undefined else "")
        )
    for equal in result.equal_pools:
        told_e = equal.undefined or (
            f"hit {_number(equal.hit)} with pools of {equal.size}, {_number(equal.hit_all)} as they"
            " are"
        )
        typer.echo(f"{equal.system}, judge {equal.judge}: {told_e}")


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3g}"


def _interval(low: float | None, high: float | None) -> str:
    return "no interval" if low is None or high is None else f"{low:.2g} to {high:.2g}"
