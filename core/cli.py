"""The command ``foreseen``: every subcommand, and errors as one clear text.

Results go to stdout, notes and progress to stderr. Exit codes: 0 fine, 1 the data is not as it
must be, 2 the request is not.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from core import opening
from core.errors import ForeseenError

if TYPE_CHECKING:
    import typer

COMMAND_MODULES = (
    "study",
    "fetch",
    "matching",
    "hindsight",
    "ligbench",
    "ligbench_studies",
    "forecast",
    "agreement",
    "judge",
    "judge_ligbench",
    "judge_forecasts",
    "generate",
    "run",
    "simulate",
    "dashboard",
    "report",
    "export",
)


@cache
def commands() -> typer.Typer:
    """The command line with every subcommand; ``core.cli.app`` is the same."""
    import typer

    app = typer.Typer(
        name="foreseen",
        help="Did these research ideas foresee what the field went on to do?",
        add_completion=False,
        no_args_is_help=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name in COMMAND_MODULES:
        import_module(f"core.commands.{name}").register(app)
    return app


def __getattr__(name: str) -> Any:
    if name == "app":
        return commands()
    raise AttributeError(f"module 'core.cli' has no attribute '{name}'")


def main() -> None:
    """Run the command line; an error that is the user's to mend is told without a traceback."""
    words = sys.argv[1:]
    try:
        if opening.opens(words):
            opening.run(words[1:] if words[:1] == ["open"] else words)
        else:
            commands()()
    except ForeseenError as error:
        sys.stderr.write(f"foreseen: {error}\n")
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
