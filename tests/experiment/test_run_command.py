"""``foreseen run`` as users start it: a local server, a kill in the middle, and what is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import study_folder
from experiment_helpers import CALLS, FILE, write_papers
from hash_encoder import HashEncoder
from typer.testing import CliRunner, Result
from writer_server import WriterServer, serving, wait_until

from core.cli import app
from core.study import Study


@pytest.fixture
def server() -> Iterator[WriterServer]:
    with serving() as running:
        yield running


def experiment(folder: Path, server: WriterServer, text: str = FILE) -> Path:
    """The file, asking the local server, up to the search: no encoder is loaded."""
    write_papers(folder)
    text = text.replace('model = "', f'base_url = "{server.url}"\nconcurrency = 1\nmodel = "')
    path = folder / "experiment.toml"
    path.write_text(text.replace("[match]\ndepth = 5\n", "").replace("[calibrate]\n", ""))
    return path


def run(*command: str) -> Result:
    return CliRunner().invoke(app, ["run", *command])


def test_from_one_file_to_scores_and_again(server: WriterServer, tmp_path: Path) -> None:
    path = str(experiment(tmp_path, server))
    dry = run(path, "--dry-run")
    assert dry.exit_code == 0, dry.output
    assert "generate RA: would run" in dry.stdout
    assert not (tmp_path / "s").exists()
    done = run(path)
    assert done.exit_code == 0, done.output
    assert "generate RA: ran: 4 ideas made" in done.stdout
    assert "judge marker: ran: 16 marks, 0 failed" in done.stdout
    assert "import papers 1: runs, as it has not come to its end yet" in done.stderr
    study = Study.open(tmp_path / "s")
    assert (len(study.ideas), len(study.scores)) == (8, 16)
    asked = len(server.bodies)
    again = json.loads(run(path, "--json").stdout)
    assert [step["state"] for step in again["steps"]] == ["skipped"] * 5
    assert len(server.bodies) == asked


def test_killed_in_the_middle_and_started_again(
    server: WriterServer, tmp_path: Path, root: Path
) -> None:
    path = experiment(tmp_path, server)
    server.delay = 0.05
    log = tmp_path / "s" / "calls.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-c", "from core.cli import main; main()", "run", str(path)],
        cwd=root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    wait_until(
        lambda: log.exists() and log.read_bytes().count(b"\n") >= 10,
        lambda: process.poll() is None,
    )
    process.kill()
    process.wait()
    kept = log.read_bytes().count(b"\n")
    assert 10 <= kept < CALLS
    asked, server.delay = len(server.bodies), 0.0
    done = run(str(path))
    assert done.exit_code == 0, done.output
    assert len(server.bodies) - asked == CALLS - kept
    assert "import papers 1: skipped" in done.stdout
    assert "generate RA: skipped" in done.stdout
    study = Study.open(tmp_path / "s")
    assert (len(study.ideas), len(study.scores)) == (8, 16)


def test_a_budget_is_no_failure_and_a_dead_server_is(server: WriterServer, tmp_path: Path) -> None:
    path = experiment(
        tmp_path, server, FILE.replace("repeats = 2", "repeats = 2\nbudget_calls = 3")
    )
    done = run(str(path))
    assert done.exit_code == 0
    assert "stopped: the budget of 3 calls is used up" in done.stderr
    text = (
        path.read_text()
        .replace(server.url, f"{server.url}/nowhere")
        .replace("_calls = 3", "_calls = 9")
    )
    path.write_text(text)
    done = run(str(path))
    assert done.exit_code == 1
    assert "judge marker: stopped" in done.stdout


def test_the_search_and_what_follows(
    server: WriterServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(name: str, *, batch_size: int) -> HashEncoder:
        assert (name, batch_size) == ("minilm", 7)
        return HashEncoder()

    monkeypatch.setattr("core.experiment.steps.open_encoder", opened)
    study_folder(tmp_path / "s", candidates=False)
    path = tmp_path / "e.toml"
    path.write_text('study = "s"\n[match]\nbatch_size = 7\n[calibrate]\n')
    done = run(str(path))
    assert done.exit_code == 0, done.output
    assert "match: ran: 1,440 candidates of 24 ideas" in done.stdout
    assert "calibrate: ran: θ" in done.stdout


def test_the_dashboard_opens_on_the_study_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched: list[list[Path]] = []
    monkeypatch.setattr("core.opening.launch", lambda studies, options: launched.append(studies))
    study_folder(tmp_path / "s")
    path = tmp_path / "e.toml"
    path.write_text('study = "s"\n')
    assert run(str(path)).exit_code == 0
    assert launched == []
    assert run(str(path), "--open", "--dry-run").exit_code == 0
    assert launched == []
    assert run(str(path), "--open").exit_code == 0
    assert launched == [[(tmp_path / "s").resolve()]]
    path.write_text('study = "s"\nopen = true\n')
    assert run(str(path)).exit_code == 0
    assert len(launched) == 2


def test_wrong_use_is_told(tmp_path: Path) -> None:
    done = run(str(tmp_path / "none.toml"))
    assert "no such file" in str(done.exception)
    (tmp_path / "e.toml").write_text('study = "s"\n')
    done = run(str(tmp_path / "e.toml"))
    assert "holds no study and the file has no [new]" in str(done.exception)
