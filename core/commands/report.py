"""``foreseen report``: one self-contained HTML file of a study."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from core.commands.options import StudyFolder, note, with_settings

ROOT = Path(__file__).resolve().parents[2]


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""

    @app.command("report")
    @with_settings()
    def report(
        study: StudyFolder,
        output: Annotated[
            Path, typer.Option("--output", "-o", metavar="FILE.html", help="The file to write")
        ],
        given: dict[str, Any],
    ) -> None:
        """Write what the dashboard shows of a study as one HTML file, to mail or keep."""
        code = write_report(study, output, given)
        if code:
            raise typer.Exit(code)
        note(f"Wrote {output}")


def write_report(study: Path, output: Path, given: Mapping[str, Any]) -> int:
    """Write the report in a process of its own; its exit code."""
    return subprocess.run(  # noqa: S603
        [
            sys.executable,
            "-m",
            "dashboard.report",
            str(study.resolve()),
            f"--output={output.resolve()}",
            f"--settings={json.dumps(given)}",
        ],
        env={**os.environ, "PYTHONPATH": _path()},
        check=False,
    ).returncode


def _path() -> str:
    return os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
