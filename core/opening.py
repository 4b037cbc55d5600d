"""What ``foreseen`` and ``foreseen open`` start, apart from the command line's own library.

The dashboard starts from here alone, so that nothing loads before the server that it can do
without.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from core.errors import DataError
from core.files import CONFIG_FILE

ROOT = Path(__file__).resolve().parents[1]
DEMOS = [ROOT / "data" / name for name in ("demo", "demo-forecasts")]


def opens(words: list[str]) -> bool:
    """Whether a command line asks for the dashboard and for nothing that its help tells."""
    plain = not {"-h", "--help", "--"} & set(words)
    return plain and (words[:1] in ([], ["open"]) or names_streamlit_option(words))


def names_streamlit_option(words: list[str]) -> bool:
    """Whether a command line begins with an option of Streamlit's, such as ``--server.port``."""
    return bool(words) and words[0].startswith("--") and "." in words[0].partition("=")[0]


def run(words: list[str]) -> None:
    """Run the dashboard in this process on what follows ``open``, until it is told to stop."""
    paths, options = part_options(words)
    studies = find_studies(paths) or DEMOS
    os.environ["PYTHONPATH"] = search_path()
    import_module("dashboard.launch").main([*map(str, studies), "--", *options])


def launch(studies: list[Path], options: list[str]) -> None:
    """Replace this process by the server; where processes cannot be replaced, wait for it."""
    command = [sys.executable, "-P", "-m", "dashboard.launch", *map(str, studies), "--", *options]
    environment = {**os.environ, "PYTHONPATH": search_path()}
    if os.name == "posix":
        os.execve(sys.executable, command, environment)  # noqa: S606
    sys.exit(subprocess.call(command, env=environment))  # noqa: S603


def search_path() -> str:
    """The project's root before what PYTHONPATH holds."""
    return os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))


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
