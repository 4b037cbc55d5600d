"""``foreseen report`` from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from html_parsing import parse
from typer.testing import CliRunner

from core.cli import app


def test_the_command_writes_the_file_from_any_folder(
    plain_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["report", str(plain_folder), "-o", "r.html", "--k", "1"])
    assert done.exit_code == 0, done.output
    page = parse((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "k120Candidates an idea may match (K)" in page.shown
    assert "script" not in page.tags


def test_a_missing_study_ends_with_code_1(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["report", str(tmp_path / "no"), "-o", str(tmp_path / "r.html")])
    assert done.exit_code == 1
