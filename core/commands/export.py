"""``foreseen export``: what a study holds, for other programs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from core.commands.options import StudyFolder, note, with_settings
from core.errors import DataError, UsageError, nearest
from core.ingest.tabular import replacing
from core.study import Study

WHAT = {
    "bibtex": "matched papers as BibTeX",
    "matches": "idea–paper matches as CSV",
    "ideas": "ideas with their scores as JSONL",
    "croissant": "metadata as Croissant JSON-LD",
    "references": "references as PAIR-IQ's JSONL",
}
_HELP = "What to write: " + "; ".join(f"{name} ({text})" for name, text in WHAT.items())


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""

    @app.command("export")
    @with_settings()
    def export(
        study: StudyFolder,
        what: Annotated[str, typer.Option(metavar="|".join(WHAT), help=_HELP)],
        output: Annotated[
            Path | None,
            typer.Option("--output", "-o", metavar="FILE", help="The file to write; else stdout"),
        ] = None,
        *,
        given: dict[str, Any],
    ) -> None:
        """Write a part of a study for other programs."""
        from core.config import Settings

        if what not in WHAT:
            raise UsageError(f"--what {what}: not known. {nearest(what, WHAT)}")
        opened = Study.open(study)
        settings = Settings.of(given, base=opened.settings)
        lines = list(_lines(opened, what, settings))
        if not "".join(lines).strip():
            raise DataError(f"{study}: has no {what} to write.")
        if output is None:
            typer.echo("\n".join(lines))
            return
        with replacing(output) as out:
            out.write(("\n".join(lines) + "\n").encode())
        note(f"{output}: {WHAT[what]}")


def _lines(study: Study, what: str, settings: Any) -> Iterable[str]:
    if what == "ideas":
        from core.export.ideas import ideas_jsonl

        return ideas_jsonl(study, settings)
    if what == "references":
        from core.export.references import references_jsonl

        return references_jsonl(study)
    if what == "croissant":
        from core.export.croissant import croissant

        return [json.dumps(croissant(study), ensure_ascii=False, indent=1)]
    from core.export.matched import bibtex, matches_csv

    if what == "bibtex":
        return [bibtex(study, settings).rstrip("\n")]
    return [matches_csv(study, settings).rstrip("\n")]
