"""What the README says is so: its commands exist, its tables are the code's, its code runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.main import get_command

from core.cli import app
from core.hindsight.quantities import quantity_table
from core.study import Study

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def between(mark: str) -> str:
    found = re.search(rf"<!-- {mark} -->\n(.*?)\n?<!-- /{mark} -->", README, re.DOTALL)
    assert found, mark
    return found[1]


def test_the_table_of_quantities_is_the_code_s() -> None:
    assert between("quantities").strip() == quantity_table().strip()


def test_every_command_that_is_named_exists() -> None:
    commands = get_command(app).commands  # type: ignore[attr-defined]
    named = set(re.findall(r"^foreseen ([a-z]+)", README, re.MULTILINE))
    assert named
    assert named <= set(commands)
    for option in set(re.findall(r"(--[a-z][a-z-]+)", README)) - {"--help"}:
        texts = [
            parameter.opts + parameter.secondary_opts
            for command in _all(commands)
            for parameter in command.params
        ]
        assert any(option in text for text in texts), option


def _all(commands: dict) -> list:
    found = []
    for command in commands.values():
        found += _all(command.commands) if hasattr(command, "commands") else [command]
    return found


@pytest.mark.parametrize(
    "verb", ["score", "sweep", "specifications", "rank", "forecast", "agreement"]
)
def test_every_verb_of_the_notebook_exists(verb: str) -> None:
    assert f"study.{verb}(" in README
    assert callable(getattr(Study, verb))


def test_the_pictures_and_pages_that_are_linked_exist(root: Path) -> None:
    for target in re.findall(r"\]\(([^)h][^)]*)\)", README):
        assert (root / target).is_file(), target


def test_ci_runs_the_command_that_the_reader_runs() -> None:
    written = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    command = next(line for line in written if line.startswith("pytest"))
    assert f'pip install -e ".[test]" && {command} ' in README
