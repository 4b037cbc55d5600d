"""``foreseen judge starts``, ``comparisons`` and ``formalise``: LigBench's calls to a model."""

from __future__ import annotations

from typing import Annotated, Any, cast

import typer

from core.commands.options import JsonFlag, StudyFolder, note, print_json
from core.config import COMPARED_REFERENCES, LIGBENCH_REPEATS

Ideas = Annotated[list[str] | None, typer.Option(metavar="ID,ID…", help="Only these ideas")]
Systems = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Only this system's ideas; repeatable")
]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first so many ideas")]
Embedding = Annotated[
    bool,
    typer.Option(
        "--embedding/--no-embedding", help="Find references by vectors too, or by keywords alone"
    ),
]
Encoder = Annotated[
    str | None, typer.Option(help="minilm, specter2, a model's name or folder (else the study's)")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of what is drawn or tied")]


def register(app: typer.Typer) -> None:  # noqa: ARG001
    """Add the commands to ``foreseen judge``."""
    from core.commands.judge import judge
    from core.commands.judge_options import with_judge_options

    judge.command("starts")(with_judge_options(judge_starts, repeats=LIGBENCH_REPEATS))
    judge.command("comparisons")(with_judge_options(judge_comparisons, repeats=LIGBENCH_REPEATS))
    judge.command("formalise")(with_judge_options(judge_formalise, repeats=LIGBENCH_REPEATS))


def judge_starts(
    study: StudyFolder,
    chosen: Any,
    ideas: Ideas = None,
    system: Systems = None,
    limit: Limit = None,
    embedding: Embedding = True,
    encoder: Encoder = None,
    seed: Seed = 0,
    json_: JsonFlag = False,
) -> None:
    """First marks from 0 to 5 (rating, contribution, soundness, novelty), beside three references.

    What a call has answered is not asked again: the same command goes on where a run stopped.
    """
    from core.commands.judge_run import carry_out
    from core.judging.starts import start_tasks
    from core.study import Study

    opened = Study.open(study)
    asked = start_tasks(
        opened,
        repeats=chosen.repeats,
        ideas=_names(ideas),
        systems=system,
        limit=limit,
        encoder=encoder,
        embedding=embedding,
        seed=seed,
    )
    carry_out(opened, asked, chosen, json_=json_)


def judge_comparisons(
    study: StudyFolder,
    chosen: Any,
    references: Annotated[
        int, typer.Option(min=1, metavar="N", help="References that each idea meets")
    ] = COMPARED_REFERENCES,
    orders: Annotated[
        str, typer.Option(metavar="both|idea_first", help="Show either first, or the idea alone")
    ] = "both",
    pairs: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Instead: N pairs of close references, to test the judge"
        ),
    ] = None,
    ideas: Ideas = None,
    system: Systems = None,
    limit: Limit = None,
    embedding: Embedding = True,
    encoder: Encoder = None,
    seed: Seed = 0,
    json_: JsonFlag = False,
) -> None:
    """Compare ideas with reviewed papers on rating, soundness and contribution.

    References are found by keywords and by embedding. The judge sees no score and is not told
    which side is the paper. What a call has answered is not asked again.
    """
    from core.commands.judge_run import carry_out
    from core.judging.comparisons import comparison_tasks, reference_pair_tasks
    from core.study import Study

    opened = Study.open(study)
    if pairs is not None:
        asked = reference_pair_tasks(
            opened, pairs=pairs, orders=orders, repeats=chosen.repeats, seed=seed
        )
    else:
        asked = comparison_tasks(
            opened,
            references=references,
            orders=orders,
            repeats=chosen.repeats,
            ideas=_names(ideas),
            systems=system,
            limit=limit,
            encoder=encoder,
            embedding=embedding,
            seed=seed,
        )
    if orders == "idea_first":
        note("one order only: a judge that likes what stands first cannot be told from a fair one")
    carry_out(opened, asked, chosen, json_=json_)


def judge_formalise(
    study: StudyFolder,
    chosen: Any,
    table: Annotated[
        str, typer.Option(metavar="ideas|references", help="What is brought into four parts")
    ] = "ideas",
    ids: Annotated[
        list[str] | None, typer.Option(metavar="ID,ID…", help="Only these ideas or references")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many rows")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Make parts anew where they are there already")
    ] = False,
    json_: JsonFlag = False,
) -> None:
    """Bring ideas or references into LigBench's four formal parts; their own text stays.

    What a call has answered is not asked again: the same command goes on where a run stopped.
    """
    from core.commands.judge_options import estimate_text, report_text, shown_progress
    from core.commands.judge_run import exit_by, plain
    from core.errors import UsageError
    from core.judging.interrupt import stop_on_interrupt
    from core.ligbench.formalise import (
        FormalTable,
        estimate_formalise,
        formalise,
        rows_to_formalise,
    )
    from core.study import Study

    if chosen.repeats != 1:
        raise UsageError("--repeats: parts are made once. Leave it out.")
    opened = Study.open(study)
    which = cast(FormalTable, table)
    rows, left_out = rows_to_formalise(
        opened, which, ids=_names(ids), limit=limit, replace_parts=replace
    )
    reasons = [reason for _, reason in left_out]
    for reason in sorted(set(reasons)):
        note(f"left out: {reasons.count(reason)} {table}: {reason}")
    if chosen.dry_run:
        guess = estimate_formalise(
            opened,
            rows,
            table=which,
            model=chosen.model,
            parameters=chosen.parameters,
            prices=chosen.prices,
            retry_failed=chosen.retry_failed,
        )
        if json_:
            print_json(guess)
        else:
            typer.echo(estimate_text(guess))
        return
    with stop_on_interrupt(note) as stop, shown_progress("formalising") as progress:
        done = formalise(
            opened,
            chosen.client(),
            table=which,
            ids=_names(ids),
            limit=limit,
            replace_parts=replace,
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
    for name, part, reason in done.failed[:10]:
        note(f"failed: {name}: {part}: {reason}")
    if json_:
        print_json(
            {
                "table": done.table,
                "made": done.made,
                "left_out": dict(done.left_out),
                "failed": done.failed,
                "lengths": done.lengths,
                "runs": [plain(run) for run in done.runs],
            }
        )
    else:
        for run in done.runs:
            typer.echo(report_text(run))
        typer.echo(f"{done.made:,} {table} got their four parts")
        if done.made:
            before, after = done.lengths["before"].median(), done.lengths["after"].median()
            typer.echo(f"median length {before:,.0f} words before, {after:,.0f} after")
    for run in done.runs:
        exit_by(run)


def _names(given: list[str] | None) -> list[str]:
    return [name.strip() for part in given or [] for name in part.split(",") if name.strip()]
