"""``foreseen new``, ``import`` and ``check``: a study made, filled and looked over."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from core.commands.options import JsonFlag, StudyFolder, jsonable, note, print_json
from core.config import PresetName
from core.errors import UsageError, nearest
from core.ingest.mapping import DEFAULT_JOIN, ImportOptions, read_codes
from core.ingest.tabular import replacing
from core.schema import TABLES
from core.study import Study

_PRESETS = get_args(PresetName)
_TABLES = "|".join(TABLES)
_IMPORT_HELP = """Bring files into a table of a study: CSV, TSV, JSONL, JSON, Parquet, and .gz of them.

Files that other programs write (AI-Researcher, AI Scientist, Semantic Scholar, OpenAlex, arXiv,
BibTeX, …) are known by their content; marks that stand beside ideas are imported with them. So are
tables of raters without a header (a row a rater, a column a unit), for scores, and labels or
winners of pairs (pair and a column a judge; left, right, winner), for comparisons.

In any other file columns are guessed from their names, and the mapping is printed. What can be given:

--map rater=judge takes a column (case and spaces are free); --map externalIds.DOI=identifiers.doi
a nested key; --map "problem+motivation=problem" joins columns with --join; --map "a|b=published"
takes the first that is not empty; --map notes=extra keeps a column out of the guess.

Marks that are words need a number each: --code Accept=10 --code Reject=1. Such numbers name the
labels; where the labels have no order, read alpha_nominal and the plain κ in `foreseen agreement
--json`.

Importing twice does not double rows. Nothing is written unless all files can be read."""


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""

    @app.command("new")
    def new(
        study: StudyFolder,
        cutoff: Annotated[
            str, typer.Option(help="Ideas know nothing after this day", metavar="YYYY-MM-DD")
        ],
        horizon_months: Annotated[
            int | None, typer.Option(help="Months of papers after the cutoff (else the preset's)")
        ] = None,
        encoder: Annotated[
            str, typer.Option(help="minilm, specter2, or a sentence-transformers name or path")
        ] = "minilm",
        preset: Annotated[
            str, typer.Option(help="Whose settings to start from", metavar="|".join(_PRESETS))
        ] = "hindsight",
        name: Annotated[
            str | None, typer.Option(help="The study's name (else the folder's)")
        ] = None,
        snapshot: Annotated[
            str | None,
            typer.Option(help="Day on which citations were counted", metavar="YYYY-MM-DD"),
        ] = None,
    ) -> None:
        """Make a study: a folder with a study.toml."""
        if preset not in _PRESETS:
            raise UsageError(f"No preset '{preset}'. {nearest(preset, _PRESETS)}")
        made = Study.create(
            study,
            cutoff=_day("--cutoff", cutoff),
            horizon_months=horizon_months,
            name=name,
            encoder=encoder,
            preset=cast(PresetName, preset),
            snapshot=None if snapshot is None else _day("--snapshot", snapshot),
        )
        end = made.config.window_end()
        note(
            f"{study}: made. The window runs from the day after {made.config.cutoff} to {end}."
            f" Next: foreseen import ideas FILE --into {study}"
        )

    @app.command("import", help=_IMPORT_HELP)
    def import_(
        table: Annotated[str, typer.Argument(metavar=_TABLES, help="The table to fill")],
        files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Files of rows")],
        into: Annotated[Path, typer.Option(metavar="STUDY", help="The study's folder")],
        format_: Annotated[
            str,
            typer.Option(
                "--format",
                metavar="NAME",
                help="auto: known by its content, else generic; or the name of a format",
            ),
        ] = "auto",
        maps: Annotated[
            list[str] | None,
            typer.Option("--map", metavar="THEIRS=OURS", help="Their column for ours; repeatable"),
        ] = None,
        join: Annotated[
            str, typer.Option(help=r"What parts columns joined by a+b=ours; \n is a line break")
        ] = DEFAULT_JOIN.replace("\n", r"\n"),
        constants: Annotated[
            list[str] | None,
            typer.Option("--set", metavar="OURS=VALUE", help="The same value in every row"),
        ] = None,
        missing: Annotated[
            list[str] | None,
            typer.Option(metavar="COLUMN=VALUE", help="A value that means unknown; repeatable"),
        ] = None,
        codes: Annotated[
            list[str] | None,
            typer.Option(
                "--code", metavar="WORD=NUMBER", help="The number of a word in marks; repeatable"
            ),
        ] = None,
        split_sections: Annotated[
            str | None,
            typer.Option(
                metavar="COLUMN",
                help="Part this text by its headings ('1. Problem Statement: …'), else as guessed; ''"
                " parts none",
            ),
        ] = None,
        drop: Annotated[
            list[str] | None, typer.Option(metavar="COLUMN", help="Leave a column out; repeatable")
        ] = None,
        scale: Annotated[
            list[str] | None,
            typer.Option(
                metavar="VENUE: MARK=LOW..HIGH …",
                help="Scale of review marks: 'ICLR 2026: rating=0..10 soundness=1..4'; repeatable",
            ),
        ] = None,
        dry_run: Annotated[
            bool, typer.Option("--dry-run", help="Show what would be done, write nothing")
        ] = False,
        report: Annotated[
            Path | None, typer.Option(metavar="FILE", help="Write the whole report there as JSON")
        ] = None,
        json_: JsonFlag = False,
    ) -> None:
        from core.ingest.foreign import plan_files, read_files
        from core.ingest.importing import apply_all, open_for_import
        from core.ingest.paper_stream import is_large, stream_papers

        if table not in TABLES:
            raise UsageError(f"No table '{table}'. {nearest(table, TABLES)}")
        options = ImportOptions(
            maps=tuple(maps or ()),
            join=join.replace(r"\n", "\n").replace(r"\t", "\t"),
            constants={name: values[-1] for name, values in _pairs("--set", constants).items()},
            missing=_pairs("--missing", missing),
            split_sections=split_sections,
            drop=tuple(drop or ()),
            scales=tuple(scale or ()),
            codes=read_codes(codes or ()),
        )
        if table == "papers" and is_large(files):
            done = stream_papers(into, files, options, form=format_, dry_run=dry_run, note=note)
            others = []
        else:
            read = read_files(table, files, options, form=format_)
            study = open_for_import(into, *{name for file in read for name in file.tables})
            plans = plan_files(study, table, read, options, form=format_)
            done, *others = [plan.report for plan in plans] if dry_run else apply_all(plans)
        told = done.to_dict()
        if others:
            told["also"] = [other.to_dict() for other in others]
        if report is not None:
            with replacing(report) as out:
                text = json.dumps(jsonable(told), ensure_ascii=False, indent=1)
                out.write(f"{text}\n".encode())
        for each in (done, *others):
            note(each.to_text())
        if json_:
            print_json(told)

    @app.command("check")
    def check(study: StudyFolder, json_: JsonFlag = False) -> None:
        """List every problem of a study by file, row and column, then what is worth knowing."""
        from core.ingest.checking import check_study

        found = check_study(study)
        if json_:
            print_json(found.to_dict())
        else:
            typer.echo(found.to_text())
        if found.problems:
            raise typer.Exit(1)


def _day(option: str, text: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError as error:
        raise UsageError(
            f"{option} {text!r}: must be a day as YYYY-MM-DD, such as 2024-06-30 ({error})"
        ) from None


def _pairs(option: str, texts: list[str] | None) -> dict[str, tuple[str, ...]]:
    pairs: dict[str, tuple[str, ...]] = {}
    for text in texts or ():
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise UsageError(f"{option} {text!r}: must be COLUMN=VALUE, such as judge=expert")
        pairs[name.strip()] = (*pairs.get(name.strip(), ()), value.strip())
    return pairs
