"""``foreseen match``, ``candidates`` and ``calibrate``: from texts to pairs, and to θ."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
from core.config import PAPER_ENCODER, PAPER_THETA, Settings
from core.errors import DataError, ForeseenError
from core.matching.candidates import Match, is_stale, run_match
from core.matching.encoders import BATCH_SIZE, Encoder, open_encoder
from core.matching.vectors import Progress, Step
from core.study import Study

_STAGES = {
    "ideas": "Encoding ideas",
    "papers": "Encoding papers",
    "references": "Encoding references",
    "search": "Searching",
    "calibration": "Measuring all pairs",
}


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""

    @app.command("match")
    @with_settings("depth", "pool")
    def match(
        folder: StudyFolder,
        given: dict[str, Any],
        encoder: Annotated[
            str | None,
            typer.Option(help="minilm, specter2, a model's name or folder (else the study's)"),
        ] = None,
        vectors: Annotated[
            list[str] | None,
            typer.Option(metavar="ideas|papers=FILE.npz", help="Vectors of your own; give both"),
        ] = None,
        batch_size: Annotated[int, typer.Option(help="Texts encoded at once")] = BATCH_SIZE,
    ) -> None:
        """Encode what is new, find each idea's nearest papers and store them as candidates."""
        study = Study.open(folder)
        settings = Settings.of(given, base=study.settings)
        files, model = None, None
        if vectors:
            from core.matching.brought import parse_vectors

            files = parse_vectors(vectors)
        else:
            model = open_encoder(encoder or study.config.encoder, batch_size=batch_size)
        with progress_bars() as progress:
            found = run_match(
                study, settings, encoder=model or encoder, vectors=files, progress=progress
            )
        for line in closing_lines(found, model):
            note(line)

    @app.command("candidates")
    def candidates(folder: StudyFolder, json_: JsonFlag = False, csv: CsvFlag = False) -> None:
        """Print the stored candidates: idea_id, paper_id, similarity, rank (CSV, or --json)."""
        study = Study.open(folder)
        if study.candidates is None or study.candidates_info is None:
            raise DataError(f"{folder}: no candidates yet. Run `foreseen match {folder}`.")
        if is_stale(study):
            note(f"The tables have changed since. Run `foreseen match {folder}` to search again.")
        if json_ and not csv:
            print_json({"search": study.candidates_info, "candidates": study.candidates})
            return
        from core.ingest.tabular import to_csv

        sys.stdout.write(to_csv(study.candidates))

    @app.command("calibrate")
    @with_settings("false_match_rate")
    def calibrate(
        folder: StudyFolder,
        given: dict[str, Any],
        json_: JsonFlag = False,
        write: Annotated[
            bool, typer.Option("--write", help="Put the suggested θ into study.toml")
        ] = False,
    ) -> None:
        """Say which θ keeps false matches, with papers of other topics, to a stated rate."""
        from core.hindsight.calibration import calibration

        study = Study.open(folder)
        found = calibration(study, Settings.of(given, base=study.settings))
        if json_:
            print_json(found)
        else:
            sys.stdout.write("\n".join(calibration_lines(found)) + "\n")
        if not write:
            return
        if found.suggested_theta is None:
            raise DataError(f"{folder}: θ is not written: {found.undefined}.")
        written = {**study.config.settings, **given, "theta": found.suggested_theta}
        study.write_config(study.config.model_copy(update={"settings": written}))
        note(f"study.toml now has theta = {found.suggested_theta:g}.")


@contextmanager
def progress_bars() -> Iterator[Progress]:
    """A bar for each stage on stderr, with rate and time left."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import (
        Progress as Bars,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """Rows a second."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed:,.0f}/s")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    # Steps may lie half a minute apart on a slow machine; the rate is taken over longer.
    with Bars(*columns, console=Console(stderr=True), speed_estimate_period=600) as bars:
        tasks: dict[str, Any] = {}

        def progress(step: Step) -> None:
            if not step.total:
                return
            if step.stage not in tasks:
                tasks[step.stage] = bars.add_task(_STAGES[step.stage], total=step.total)
            bars.update(tasks[step.stage], completed=step.done)

        yield progress


def closing_lines(found: Match, model: Encoder | None = None) -> list[str]:
    """What a run of the search did, what to know about it, and which θ fits."""
    outside = found.total_papers - found.papers
    lines = [
        f"{found.ideas:,} ideas × {found.papers:,} papers in their windows"
        + (f" ({outside:,} outside all of them)" if outside else "")
        + f", encoder {found.encoder}: {found.encoded:,} texts encoded anew,"
        f" {found.candidates:,} candidates stored, {len(found.empty_pools):,} ideas with an empty"
        f" pool, {found.seconds:.1f} s."
    ]
    if found.empty_pools:
        shown = ", ".join(found.empty_pools[:5]) + (", …" if len(found.empty_pools) > 5 else "")
        lines.append(f"No paper lies in the pool of {shown}.")
    if found.fallback_texts:
        lines.append(
            f"{found.fallback_texts:,} ideas have neither problem nor method: their title and"
            " rationale were encoded."
        )
    if found.title_only:
        lines.append(f"{found.title_only:,} papers have no abstract: their title was encoded.")
    if model is not None and model.separator == "\n":
        lines.append(f"{found.encoder} has no separator token: a line break parts the texts.")
    kept = found.study.config.encoder
    if model is not None and found.encoder != kept and not kept.startswith(f"{found.encoder}="):
        lines.append(
            f"study.toml names the encoder '{kept}'; set encoder = \"{found.encoder}\" there to"
            " have the next match use it too."
        )
    return lines + theta_lines(found.study)


def theta_lines(study: Study) -> list[str]:
    """The suggested θ, and a warning where the papers' θ stands with another encoder."""
    from core.hindsight.calibration import calibration

    info, settings = study.candidates_info, study.settings
    try:
        found = calibration(study)
    except ForeseenError as error:
        return [str(error)]
    if found.suggested_theta is None:
        lines = [f"No θ can be suggested: {found.undefined}."]
    else:
        lines = [
            f"Suggested θ = {found.suggested_theta:.3f}: at most"
            f" {settings.false_match_rate:.0%} of ideas would match a paper of another topic;"
            f" the study uses θ = {settings.theta:g}."
        ]
    if info is not None and settings.theta == PAPER_THETA and info.encoder != PAPER_ENCODER:
        lines.append(
            f"θ = {PAPER_THETA:g} was chosen for {PAPER_ENCODER} and says nothing for"
            f" {info.encoder}. Run `foreseen calibrate {study.folder} --write`."
        )
    return lines


def calibration_lines(found: Any) -> list[str]:
    """A calibration in sentences."""
    lines = [
        f"Encoder {found.encoder}: {found.n_own:,} pairs of an idea with a paper of its own topic,"
        f" {found.n_other:,} of another. {found.basis_note}"
    ]
    if found.suggested_theta is None:
        return [*lines, f"No θ can be suggested: {found.undefined}."]
    lines.append(
        f"Suggested θ = {found.suggested_theta:.3f}, the least at which at most"
        f" {found.false_match_rate:.1%} of {found.n_ideas_other:,} ideas match when shown only"
        f" papers of other topics ({found.false_matches:.1%} do)."
    )
    if found.own_matches is not None:
        lines.append(
            f"At it {found.own_matches:.1%} of {found.n_ideas_own:,} ideas match a paper of their"
            f" own topic."
        )
    own = "none" if found.own_pair_rate is None else f"{found.own_pair_rate:.3%}"
    lines.append(
        f"Of single pairs, {found.other_pair_rate:.3%} of other topics and {own} of own"
        " topic reach it."
    )
    return lines
