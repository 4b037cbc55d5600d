"""``foreseen generate`` as users start it, with a kill in the middle."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from generate_helpers import study_with_papers
from hash_encoder import HashEncoder
from typer.testing import CliRunner, Result
from writer_server import WriterServer, serving, wait_until

from core.cli import app
from core.study import Study


@pytest.fixture
def server() -> Iterator[WriterServer]:
    with serving() as running:
        yield running


def words(folder: Path, server: WriterServer, *more: str) -> list[str]:
    start = ["generate", str(folder), "--model", "llama", "--base-url", server.url]
    if "--generator" not in more:
        start += ["--generator", "retrieval"]
    return [*start, "--system", "RA", "--per-topic", "2", *more]


def run(*command: str) -> Result:
    return CliRunner().invoke(app, [*command])


def test_ideas_reach_the_table_and_the_terminal(server: WriterServer, tmp_path: Path) -> None:
    study_with_papers(tmp_path / "s")
    command = words(tmp_path / "s", server, "--knowledge-cutoff", "2023-12-31")
    done = run(*command)
    assert done.exit_code == 0, done.output
    assert "4 ideas of 'RA' made, 0 there already, 0 missing" in done.stdout
    assert len(server.bodies) == 8
    assert (server.bodies[0]["max_tokens"], server.bodies[0]["model"]) == (2000, "llama")
    told = json.loads(run(*command, "--json").stdout)
    assert (told["made"], told["already"], told["wanted"], told["runs"]) == (0, 4, 4, [])
    config = Study.open(tmp_path / "s").config
    assert config.models == {"RA": "llama"}
    assert config.knowledge_cutoff == {"RA": date(2023, 12, 31)}


def test_a_dry_run_asks_and_writes_nothing(server: WriterServer, tmp_path: Path) -> None:
    study_with_papers(tmp_path / "s")
    before = sorted(path.name for path in (tmp_path / "s").iterdir())
    more = ["--dry-run", "--topics", "graphs", "--price-in", "1", "--price-out", "2"]
    done = run(*words(tmp_path / "s", server, *more))
    assert "2 ideas to make on 1 topics, from 8 papers by 2023-06-30" in done.stdout
    assert "4 calls to make" in done.stdout
    told = json.loads(run(*words(tmp_path / "s", server, *more, "--json")).stdout)
    assert told["calls"] == 4
    assert told["cost"] == pytest.approx((told["tokens_in"] + 2 * told["tokens_out"]) / 1e6)
    assert not server.bodies
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == before


def test_killed_in_the_middle_and_resumed_nothing_answered_is_asked_again(
    server: WriterServer, tmp_path: Path, root: Path
) -> None:
    study_with_papers(tmp_path / "s")
    server.delay = 0.05
    log = tmp_path / "s" / "calls.jsonl"
    command = words(tmp_path / "s", server, "--concurrency", "1")
    process = subprocess.Popen(
        [sys.executable, "-c", "from core.cli import main; main()", *command],
        cwd=root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    wait_until(
        lambda: log.exists() and log.read_bytes().count(b"\n") >= 5,
        lambda: process.poll() is None,
    )
    process.kill()
    process.wait()
    kept = log.read_bytes().count(b"\n")
    assert 5 <= kept < 8
    asked = len(server.bodies)
    done = run(*command)
    assert done.exit_code == 0, done.output
    assert len(server.bodies) - asked == 8 - kept
    ideas = Study.open(tmp_path / "s").ideas
    assert len(ideas) == 4
    assert ideas["method"].notna().all()


def test_a_system_that_bears_a_generator_s_name_needs_no_other(
    server: WriterServer, tmp_path: Path
) -> None:
    study_with_papers(tmp_path / "s")
    start = ["generate", str(tmp_path / "s"), "--model", "llama", "--base-url", server.url]
    for system in ("vanilla", "retrieval"):
        done = run(*start, "--system", system, "--per-topic", "1", "--seed", "3")
        assert done.exit_code == 0, done.output
    ideas = Study.open(tmp_path / "s").ideas
    assert {(i["system"], i["extra"]["generator"]) for i in ideas.to_dict("records")} == {
        ("vanilla", "vanilla"), ("retrieval", "retrieval"),
    }  # fmt: skip
    refused = run(*start, "--system", "mine")
    assert "How does 'mine' write? Say --generator retrieval" in str(refused.exception)


def test_papers_are_found_by_vectors(
    server: WriterServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def opened(name: str) -> HashEncoder:
        asked.append(name)
        return HashEncoder()

    monkeypatch.setattr("core.generate.generator.open_encoder", opened)
    study_with_papers(tmp_path / "s", encoder="the-study-s")
    done = run(*words(tmp_path / "s", server, "--retriever", "dense"))
    assert done.exit_code == 0, done.output
    assert "4 ideas of 'RA' made" in done.stdout
    assert asked == ["the-study-s"]
    extra = Study.open(tmp_path / "s").ideas["extra"]
    assert {each["retriever"] for each in extra} == {"dense"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--generator", "magic"], "No generator 'magic'"),
        (["--retriever", "encoder"], "No retriever 'encoder'"),
        (["--topics", "grafs"], "Did you mean 'graphs'"),
        (["--knowledge-cutoff", "2023"], "must be YYYY-MM-DD"),
        (["--budget-cost", "1"], "needs --price-in and --price-out"),
    ],
)
def test_wrong_use_is_told(
    more: list[str], message: str, server: WriterServer, tmp_path: Path
) -> None:
    study_with_papers(tmp_path / "s")
    done = run(*words(tmp_path / "s", server, *more))
    assert message in str(done.exception)
    assert getattr(done.exception, "exit_code", None) == 2
    assert not server.bodies


def test_what_makes_no_sense_here_is_no_option(server: WriterServer, tmp_path: Path) -> None:
    study_with_papers(tmp_path / "s")
    for option in ("--judge", "--repeats"):
        assert run(*words(tmp_path / "s", server, option, "2")).exit_code == 2
    assert not server.bodies
