"""``foreseen generate``: let a model write ideas from literature before the cutoff, or without."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import date
from typing import Annotated, Any, cast

import typer

from core.commands.options import JsonFlag, StudyFolder, note, print_json
from core.config import (
    GENERATE_LITERATURE,
    GENERATE_MAX_TOKENS,
    GENERATE_PER_TOPIC,
)
from core.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    from core.commands.judge_options import with_judge_options

    app.command("generate")(
        with_judge_options(
            generate_, leave_out=("judge", "repeats"), max_tokens=GENERATE_MAX_TOKENS
        )
    )


def generate_(
    study: StudyFolder,
    chosen: Any,
    system: Annotated[str, typer.Option(metavar="NAME", help="Name of the system that writes")],
    generator: Annotated[
        str | None,
        typer.Option(
            metavar="retrieval|vanilla",
            help="With literature before the cutoff, or without (else the system of that name)",
        ),
    ] = None,
    per_topic: Annotated[
        int, typer.Option(min=1, help="Ideas a topic, each from its own seed paper")
    ] = GENERATE_PER_TOPIC,
    topics: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B…", help="Only these topics (else all before the cutoff)"),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the choice of seed papers")] = 0,
    literature: Annotated[
        int, typer.Option(min=0, help="Papers shown beside the seed paper in each stage")
    ] = GENERATE_LITERATURE,
    retriever: Annotated[
        str, typer.Option(metavar="bm25|dense", help="How papers are found: by words or vectors")
    ] = "bm25",
    encoder: Annotated[
        str | None, typer.Option(help="Encoder of --retriever dense (else the study's)")
    ] = None,
    knowledge_cutoff: Annotated[
        str | None,
        typer.Option(metavar="YYYY-MM-DD", help="The model's knowledge ends then; for leakage"),
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Let a model write ideas: from literature before the cutoff, or from topics alone.

    What a call has answered is not asked again: the same command goes on where a run stopped.
    Ideas that are there stay as they are. The model is noted in study.toml under [models].
    """
    from core.commands.judge_options import estimate_text, report_text, shown_progress
    from core.commands.judge_run import exit_by, plain
    from core.commands.matching import progress_bars
    from core.generate.generator import estimate_generation, generate, prepare
    from core.generate.slots import GeneratorSettings, Retriever, generator_of
    from core.judging.interrupt import stop_on_interrupt
    from core.study import Study

    settings = GeneratorSettings(
        system=system,
        generator=generator_of(system, generator),
        topics=tuple(_names(topics)),
        per_topic=per_topic,
        seed=seed,
        literature=literature,
        retriever=cast(Retriever, retriever),
    )
    until = None if knowledge_cutoff is None else _day(knowledge_cutoff)
    opened = Study.open(study)
    prices = chosen.prices
    if chosen.dry_run:
        ready = prepare(opened, settings, model=chosen.model, dry_run=True)
        for line in ready.notes:
            note(line)
        guess = estimate_generation(
            opened,
            ready,
            model=chosen.model,
            parameters=chosen.parameters,
            prices=prices,
            retry_failed=chosen.retry_failed,
        )
        if json_:
            print_json(guess)
        else:
            typer.echo(
                f"{len(ready.slots):,} ideas to make on {len(ready.topics):,} topics,"
                f" from {len(ready.literature.papers):,} papers by {ready.literature.cutoff}"
            )
            typer.echo(estimate_text(guess))
        return
    client = chosen.client()
    with progress_bars() if retriever == "dense" else nullcontext() as encoding:
        ready = prepare(opened, settings, model=client.model, encoder=encoder, encoding=encoding)
    with stop_on_interrupt(note) as stop, shown_progress("generating") as progress:
        done = generate(
            opened,
            client,
            settings,
            ready=ready,
            knowledge_cutoff=until,
            parameters=chosen.parameters,
            limits=chosen.limits,
            budget=chosen.budget,
            prices=prices,
            retry_failed=chosen.retry_failed,
            progress=progress,
            stop=stop,
        )
    for line in done.notes:
        note(line)
    for name, stage, reason in done.failed[:10]:
        note(f"failed: {name}: {stage}: {reason}")
    if json_:
        print_json(
            {
                "system": done.settings.system,
                "generator": done.settings.generator,
                "model": done.model,
                "cutoff": done.cutoff,
                "papers": done.papers,
                "topics": done.topics,
                "wanted": done.wanted,
                "already": done.already,
                "made": done.made,
                "failed": done.failed,
                "runs": [plain(run) for run in done.runs],
            }
        )
    else:
        for run in done.runs:
            typer.echo(report_text(run))
        typer.echo(
            f"{done.made:,} ideas of '{done.settings.system}' made, {done.already:,} there"
            f" already, {done.wanted - done.made - done.already:,} missing"
        )
    for run in done.runs:
        exit_by(run)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError as error:
        raise UsageError(f"--knowledge-cutoff {text!r}: must be YYYY-MM-DD ({error})") from None


def _names(given: list[str] | None) -> list[str]:
    return [name.strip() for part in given or [] for name in part.split(",") if name.strip()]
