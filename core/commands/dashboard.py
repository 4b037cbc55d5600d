"""``foreseen`` and ``foreseen open``: the dashboard in the browser.

The command line opens it by :mod:`core.opening` alone; these tell of it in the help.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.opening import DEMOS, find_studies, launch, part_options

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
