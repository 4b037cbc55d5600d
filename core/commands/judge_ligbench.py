"""``foreseen judge starts``, ``comparisons`` and ``formalise``: LigBench's calls to a model."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from core.commands.judge import Ideas, Limit, Systems, judge, names_of
from core.commands.options import JsonFlag, StudyFolder, note, print_json
from core.config import COMPARED_REFERENCES, LIGBENCH_REPEATS

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
    from core.commands.judge_run import carry_out, tell

    done = carry_out(
        study,
        "starts",
        chosen,
        json_=json_,
        ideas=names_of(ideas),
        systems=system or (),
        limit=limit,
        embedding=embedding,
        encoder=encoder,
        seed=seed,
    )
    tell(done, json_=json_)


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
    from core.commands.judge_run import carry_out, tell

    if orders == "idea_first":
        note("one order only: a judge that likes what stands first cannot be told from a fair one")
    done = carry_out(
        study,
        "comparisons",
        chosen,
        json_=json_,
        references=references,
        orders=orders,
        pairs=pairs,
        ideas=names_of(ideas),
        systems=system or (),
        limit=limit,
        embedding=embedding,
        encoder=encoder,
        seed=seed,
    )
    tell(done, json_=json_)


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
    from core.commands.judge_options import report_text
    from core.commands.judge_run import carry_out, exit_by, plain
    from core.ligbench.formalise import failures, lengths, whole_parts

    done = carry_out(
        study,
        "formalise",
        chosen,
        json_=json_,
        table=table,
        ids=names_of(ids),
        limit=limit,
        replace=replace,
    )
    if done is None:
        return
    for line in done.notes:
        note(line)
    failed = [item for run in done.runs for item in failures(run.outcomes)]
    for name, part, reason in failed[:10]:
        note(f"failed: {name}: {part}: {reason}")
    which: Any = table
    made = whole_parts(done.run.outcomes, which)
    words = lengths(done.study, which)
    words = words[words.iloc[:, 0].isin(made)].reset_index(drop=True)
    if json_:
        print_json(
            {
                "table": table,
                "made": len(made),
                "left_out": dict(done.left_out),
                "failed": failed,
                "lengths": words,
                "runs": [plain(run) for run in done.runs],
            }
        )
    else:
        for run in done.runs:
            typer.echo(report_text(run))
        typer.echo(f"{len(made):,} {table} got their four parts")
        if made:
            before, after = words["before"].median(), words["after"].median()
            typer.echo(f"median length {before:,.0f} words before, {after:,.0f} after")
    for run in done.runs:
        exit_by(run)
