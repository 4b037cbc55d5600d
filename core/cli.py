"""The command ``foreseen``: every subcommand, and errors as one clear text.

Results go to stdout, notes and progress to stderr. Exit codes: 0 fine, 1 the data is not as it
must be, 2 the request is not.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import typer

from core.errors import ForeseenError

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

app = typer.Typer(
    name="foreseen",
    help="Did these research ideas foresee what the field went on to do?",
    add_completion=False,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def names_streamlit_option(words: list[str]) -> bool:
    """Whether a command line begins with an option of Streamlit's, such as ``--server.port``."""
    return bool(words) and words[0].startswith("--") and "." in words[0].partition("=")[0]


# The dashboard starts in another process: nothing that it does not need is loaded before.
_OPENS = Path(sys.argv[0]).name == "foreseen" and (
    sys.argv[1:2] in ([], ["open"]) or names_streamlit_option(sys.argv[1:])
)
for _name in ("dashboard",) if _OPENS else COMMAND_MODULES:
    import_module(f"core.commands.{_name}").register(app)


def main() -> None:
    """Run the command line; an error that is the user's to mend is told without a traceback."""
    if names_streamlit_option(sys.argv[1:]):
        sys.argv.insert(1, "open")
    try:
        app()
    except ForeseenError as error:
        sys.stderr.write(f"foreseen: {error}\n")
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
