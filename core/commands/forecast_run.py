"""``foreseen forecast run``: forecasts by a model or by a baseline."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from core.commands.options import JsonFlag, StudyFolder, note, print_json
from core.config import FORECAST_CONTEXT_TOKENS, FORECAST_MAX_TOKENS, FORECAST_TEMPERATURE


def register(forecast: typer.Typer) -> None:
    """Add the command to ``foreseen forecast``."""
    from core.commands.judge_options import with_judge_options

    forecast.command("run")(
        with_judge_options(
            run_,
            leave_out=("judge", "repeats", "dry_run"),
            model=None,
            temperature=FORECAST_TEMPERATURE,
            max_tokens=FORECAST_MAX_TOKENS,
        )
    )


def run_(
    study: StudyFolder,
    forecaster: Annotated[
        str,
        typer.Option(
            metavar="direct|summary|topic-trend|memory|retrieval|mdf|random|recent|cited|template",
            help="How to forecast; the last four need no model",
        ),
    ],
    chosen: Any,
    system: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name in the tables; else forecaster and model"),
    ] = None,
    cutoffs: Annotated[
        str | None,
        typer.Option(metavar="2024-07..2025-06", help="Only these (without a manifest: all)"),
    ] = None,
    topics: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this topic; repeatable")
    ] = None,
    slots: Annotated[
        int | None, typer.Option(min=1, max=50, help="Forecasts an episode (else the study's)")
    ] = None,
    context_tokens: Annotated[
        int, typer.Option(min=100, help="Tokens of evidence in a prompt, about")
    ] = FORECAST_CONTEXT_TOKENS,
    prior_judge: Annotated[
        str | None, typer.Option(metavar="NAME", help="mdf: whose verdicts teach the prior")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="random: seed of what is drawn")] = 0,
    json_: JsonFlag = False,
) -> None:
    """Forecast every episode: up to five ranked ideas from what its cutoff lets be seen.

    What a call has answered is not asked again: the same command goes on where a run stopped.
    """
    from core.commands.judge_options import INTERRUPTED, report_text, shown_progress
    from core.commands.judge_run import plain
    from core.errors import UsageError, nearest
    from core.forecast.episodes import build_manifest, parse_cutoffs
    from core.forecast.forecasters import FORECASTERS, STRATEGIES
    from core.forecast.forecasters.strategy import Ask
    from core.forecast.forecasting import chosen_episodes, run_baseline, run_strategy
    from core.forecast.manifest import stored_manifest
    from core.judging.interrupt import stop_on_interrupt
    from core.study import Study

    if forecaster not in FORECASTERS:
        raise UsageError(f"No forecaster '{forecaster}'. {nearest(forecaster, FORECASTERS)}")
    if forecaster in STRATEGIES and not chosen.model:
        raise UsageError(f"Forecaster '{forecaster}' asks a model. Name it with --model M.")
    opened = Study.open(study)
    days = parse_cutoffs(cutoffs) if cutoffs else ()
    manifest = stored_manifest(opened)
    if manifest is None:
        if not days:
            raise UsageError(
                "This study has no manifest. Make it with `foreseen forecast episodes`, or give"
                " --cutoffs 2024-07..2025-06."
            )
        manifest = build_manifest(opened, days, topics=topics)
    episodes = chosen_episodes(manifest, cutoffs=days, topics=topics or ())
    ask = Ask(slots=slots or opened.settings.slots, context_tokens=context_tokens, seed=seed)
    if forecaster not in STRATEGIES:
        done = run_baseline(opened, forecaster, episodes, ask, system=system or "")
    else:
        with stop_on_interrupt(note) as stop, shown_progress("forecasting") as progress:
            done = run_strategy(
                opened,
                forecaster,
                episodes,
                ask,
                chosen.client,
                system=system or "",
                prior_judge=prior_judge,
                parameters=chosen.parameters,
                limits=chosen.limits,
                budget=chosen.budget,
                prices=chosen.prices,
                retry_failed=chosen.retry_failed,
                progress=progress,
                stop=stop,
            )
    for line in done.notes:
        note(line)
    bad = [attempt for attempt in done.attempts if attempt.state != "ok"]
    for attempt in bad[:20]:
        note(f"{attempt.topic} {attempt.cutoff}: {attempt.state}: {attempt.reason}")
    if forecaster == "cited":
        note("caution: citation counts are of the study's snapshot, later than the cutoffs")
    if json_:
        told = {k: v for k, v in vars(done).items() if k not in ("study", "reports")}
        print_json({**told, "reports": [plain(report) for report in done.reports]})
    else:
        for report in done.reports:
            typer.echo(report_text(report))
        typer.echo(
            f"{done.system}: {done.forecasts:,} forecasts for {done.episodes - done.open:,} of"
            f" {done.episodes:,} episodes"
        )
    if done.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)
    if done.stopped == "server" or (done.open and done.open == done.episodes):
        raise typer.Exit(1)
