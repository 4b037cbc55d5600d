"""``foreseen ligbench …``: the paper's studies of its own method, on a study of yours."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from core.commands.options import (
    CsvFlag,
    JsonFlag,
    StudyFolder,
    note,
    print_json,
    with_settings,
)
from core.config import (
    HELD_OUT_SHARE,
    TOURNAMENT_K,
    TOURNAMENT_SCALE,
    TOURNAMENT_START,
    TRAINING_NEIGHBOURS,
    TRAINING_PAIRS,
    Settings,
)

ligbench = typer.Typer(
    help="LigBench's studies: references, judges' accuracy, grids, training pairs.",
    no_args_is_help=True,
)
_RATING = tuple(name for name in Settings.model_fields if name.startswith(("elo_", "bt_")))


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.add_typer(ligbench, name="ligbench")


@ligbench.command("references")
def references(study: StudyFolder, json_: JsonFlag = False) -> None:
    """Venues, decisions and areas of the references, and their means before and after debiasing."""
    from core.ligbench.references import references_report
    from core.study import Study

    report = references_report(Study.open(study))
    if json_:
        print_json(report)
        return
    lines = [f"{report.n:,} references, {report.unreviewed:,} without any score"]
    for title, frame in (("Venues", report.venues), ("Decisions", report.decisions)):
        lines += [title, *(_line(row) for row in frame.to_dict("records"))]
    lines += ["Areas", *(_line(row) for row in report.areas.head(20).to_dict("records"))]
    lines += ["Means", *(_line(row) for row in report.means.to_dict("records"))]
    if report.repeated:
        lines.append(f"{len(report.repeated)} titles stand under more than one id")
    sys.stdout.write("\n".join(lines) + "\n")


@ligbench.command("accuracy")
@with_settings("seed", "draws")
def accuracy(
    study: StudyFolder,
    given: dict[str, Any],
    neighbours: Annotated[
        int | None,
        typer.Option(min=1, help="From marks: pair each reference with so many nearest in theme"),
    ] = None,
    json_: JsonFlag = False,
    csv: CsvFlag = False,
) -> None:
    """How often each judge names the better of two reviewed papers (Tables 2 and 3)."""
    from core.ligbench.pair_accuracy import pair_accuracy
    from core.study import Study

    opened = Study.open(study)
    found = pair_accuracy(opened, Settings.of(given, base=opened.settings), neighbours=neighbours)
    _tell(found, found.frame, json_, csv)


@ligbench.command("accepted")
@with_settings(*_RATING, "orders", "judge", "seed", "draws")
def accepted(
    study: StudyFolder, given: dict[str, Any], json_: JsonFlag = False, csv: CsvFlag = False
) -> None:
    """Means of accepted and of rejected papers (Table 5)."""
    from core.ligbench.studies import accepted_rejected
    from core.study import Study

    opened = Study.open(study)
    found = accepted_rejected(opened, Settings.of(given, base=opened.settings))
    for name, count in found.undecided.items():
        note(f"{count} references are neither accepted nor rejected: {name}")
    _tell(found, found.frame, json_, csv)


@ligbench.command("one-source")
@with_settings(*_RATING, "orders", "judge", "seed", "draws")
def one_source_(
    study: StudyFolder, given: dict[str, Any], json_: JsonFlag = False, csv: CsvFlag = False
) -> None:
    """Ratings from one venue's references against those from all (Table 6)."""
    from core.ligbench.studies import one_source
    from core.study import Study

    opened = Study.open(study)
    found = one_source(opened, Settings.of(given, base=opened.settings))
    _tell(found, found.frame, json_, csv)


@ligbench.command("tournament")
@with_settings("judge")
def tournament_(
    study: StudyFolder,
    given: dict[str, Any],
    dimension: Annotated[
        str, typer.Option(metavar="rating|contribution|soundness", help="Which choice counts")
    ] = "rating",
    start: Annotated[float, typer.Option(help="Elo that all start from")] = TOURNAMENT_START,
    k: Annotated[float, typer.Option(help="Elo's step K")] = TOURNAMENT_K,
    scale: Annotated[
        float, typer.Option(help="Elo's scale: 10 to 1 is this far apart")
    ] = TOURNAMENT_SCALE,
    json_: JsonFlag = False,
    csv: CsvFlag = False,
) -> None:
    """Elo in the order of the rows, and Bradley–Terry, where both sides of a comparison move.

    For labels of pairs whose sides have no reviewed scores.
    """
    from core.ligbench.tournament import tournament
    from core.study import Study

    opened = Study.open(study)
    settings = Settings.of(given, base=opened.settings)
    found = tournament(
        opened, judge=settings.judge, dimension=dimension, start=start, k=k, scale=scale
    )
    for state, count in found.left_out.items():
        note(f"{count} comparisons are no game: {state}")
    if found.undefined:
        note(f"Bradley–Terry is not defined: {found.undefined}.")
    _tell(found, found.frame, json_, csv)


@ligbench.command("experts")
def experts(
    study: StudyFolder,
    expert: Annotated[
        list[str], typer.Option(metavar="NAME", help="A person's name among the judges; repeatable")
    ],
    json_: JsonFlag = False,
    csv: CsvFlag = False,
) -> None:
    """Agreement of judges with people on the same comparisons (Table 4)."""
    from core.ligbench.studies import expert_agreement
    from core.study import Study

    opened = Study.open(study)
    found = expert_agreement(opened, opened.settings, expert)
    _tell(found, found.frame, json_, csv)


@ligbench.command("grids")
@with_settings(*_RATING, "orders", "seed")
def grids(
    given: dict[str, Any],
    ideas: Annotated[int, typer.Option(min=3, help="Planted ideas")] = 200,
    games: Annotated[int, typer.Option(min=1, help="Games of each")] = 50,
    judge: Annotated[
        str, typer.Option(metavar="bradley_terry|ordering", help="How the judge chooses")
    ] = "bradley_terry",
    json_: JsonFlag = False,
) -> None:
    """Scale, steps and judge noise by simulation, beside the paper's (Tables 9 to 11)."""
    from typing import cast, get_args

    from core.errors import UsageError, nearest
    from core.ligbench.simulated_games import JudgeModel, noise_grid, scale_grid, step_grid

    if judge not in get_args(JudgeModel):
        raise UsageError(f"--judge {judge!r}: no such. {nearest(judge, get_args(JudgeModel))}")
    settings = Settings.of(given)
    found = [
        make(settings, ideas=ideas, games=games, seed=settings.seed, judge=cast(JudgeModel, judge))
        for make in (scale_grid, step_grid, noise_grid)
    ]
    if json_:
        print_json({grid.name: grid for grid in found})
        return
    for grid in found:
        sys.stdout.write(f"{grid.name}: {grid.ideas} ideas, {grid.games} games each\n")
        sys.stdout.write(grid.frame.round(3).to_string(index=False) + "\n")


@ligbench.command("training-pairs")
def training_pairs_(
    study: StudyFolder,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Folder of the files")],
    pairs: Annotated[int, typer.Option(min=1, help="Training pairs at most")] = TRAINING_PAIRS,
    neighbours: Annotated[
        int, typer.Option(min=1, help="A pair is close if one is among the other's so many nearest")
    ] = TRAINING_NEIGHBOURS,
    held_out: Annotated[
        float, typer.Option(min=0, help="Share of papers that no training pair has")
    ] = HELD_OUT_SHARE,
    form: Annotated[
        str, typer.Option(metavar="alpaca|messages", help="Form of an example")
    ] = "alpaca",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the split and of the draw")] = 0,
    teacher: Annotated[
        str | None, typer.Option(metavar="M", help="Model that explains each label")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="OpenAI-compatible address of the teacher")
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Write labelled pairs of references for training a small judge, as LLaMA-Factory reads them.

    train.jsonl, test.jsonl, dataset_info.json and split.json with the held-out papers' digest.
    """
    from core.ligbench.training_pairs import explained, training_pairs, write_training_pairs
    from core.study import Study

    opened = Study.open(study)
    made = training_pairs(opened, pairs=pairs, neighbours=neighbours, held_out=held_out, seed=seed)
    if teacher is not None:
        from core.commands.judge_options import shown_progress
        from core.config import JUDGE_MAX_TOKENS
        from core.judging.client import OpenAIClient
        from core.judging.interrupt import stop_on_interrupt
        from core.keys import find_key

        client = OpenAIClient(model=teacher, base_url=base_url, key=find_key())
        with stop_on_interrupt(note) as stop, shown_progress("explaining") as progress:
            made, run = explained(
                opened,
                made,
                client,
                parameters={"temperature": 0.0, "max_tokens": JUDGE_MAX_TOKENS},
                progress=progress,
                stop=stop,
            )
        if run.stopped:
            note(f"stopped: {run.stop_reason}. The same command goes on from there.")
    write_training_pairs(opened, made, out, form)
    if made.available < made.asked:
        note(f"{made.available:,} pairs are close in theme, {made.asked:,} were asked for")
    if teacher is None or made.unexplained:
        note(f"{made.unexplained:,} pairs have no teacher's reason")
    told = {
        "train": len(made.train),
        "test": len(made.test),
        "held_out": len(made.held_out),
        "held_out_digest": made.digest,
        "crossing": made.crossing,
        "unscored": made.unscored,
        "unexplained": made.unexplained,
        "seed": made.seed,
    }
    if json_:
        print_json(told)
    else:
        sys.stdout.write(
            f"{out}: {len(made.train):,} training pairs, {len(made.test):,} test pairs;"
            f" {len(made.held_out):,} papers held out, digest {made.digest[:16]}\n"
        )


def _tell(result: object, frame: Any, json_: bool, csv: bool) -> None:
    from core.ingest.tabular import to_csv

    if json_:
        print_json(result)
    elif csv:
        sys.stdout.write(to_csv(frame))
    else:
        sys.stdout.write(frame.round(3).to_string(index=False) + "\n")


def _line(row: dict[str, Any]) -> str:
    cells = []
    for name, value in row.items():
        if value is None or value != value:
            continue
        cells.append(f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}")
    return "  " + ", ".join(cells)
