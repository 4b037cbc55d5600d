"""``foreseen`` and ``foreseen open``: the dashboard in the browser."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from core.errors import DataError
from core.files import CONFIG_FILE

ROOT = Path(__file__).resolve().parents[2]
DEMOS = [ROOT / "data" / name for name in ("demo", "demo-forecasts")]
_PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""

    @app.callback(invoke_without_command=True)
    def default(context: typer.Context) -> None:
        """Open the dashboard on the bundled studies where no command is named."""
        if context.invoked_subcommand is None:
            launch(DEMOS, [])

    @app.command("open", context_settings=_PASS_ON)
    def open_(
        context: typer.Context,
        studies: Annotated[
            list[Path] | None,
            typer.Argument(metavar="STUDY…", help="Studies, or a folder of studies"),
        ] = None,
    ) -> None:
        """Open the dashboard on your studies; other options go to Streamlit (--server.port …)."""
        paths, options = part_options([*map(str, studies or []), *context.args])
        launch(find_studies(paths) or DEMOS, options)


def part_options(words: list[str]) -> tuple[list[Path], list[str]]:
    """Study folders and Streamlit's options; ``--name value`` becomes ``--name=value``."""
    paths: list[Path] = []
    options: list[str] = []
    for word in words:
        if word.startswith("-"):
            options.append(word)
        elif options and "=" not in options[-1] and not Path(word).exists():
            options[-1] += f"={word}"
        else:
            paths.append(Path(word))
    return paths, options


def find_studies(paths: list[Path]) -> list[Path]:
    """The studies named: folders that hold a ``study.toml``, or whose sub-folders do."""
    studies: list[Path] = []
    for path in paths:
        inner = sorted(toml.parent for toml in path.glob(f"*/{CONFIG_FILE}"))
        found = [path] if (path / CONFIG_FILE).is_file() else inner
        if not found:
            raise DataError(f"{path}: no study.toml in it or one level below it")
        studies += [study.resolve() for study in found]
    return list(dict.fromkeys(studies))


def launch(studies: list[Path], options: list[str]) -> None:
    """Replace this process by the server; where processes cannot be replaced, wait for it."""
    command = [sys.executable, "-P", "-m", "dashboard.launch", *map(str, studies), "--", *options]
    search_path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": search_path}
    if os.name == "posix":
        os.execve(sys.executable, command, environment)  # noqa: S606
    raise typer.Exit(subprocess.call(command, env=environment))  # noqa: S603
