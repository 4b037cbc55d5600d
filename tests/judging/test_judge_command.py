"""``foreseen judge scores`` as users start it, with kills in the middle."""

from __future__ import annotations

import json
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_process import finish, kill_after_calls, start, wait_for_calls
from judging_helpers import study_of
from misbehaving import Server, serving
from typer.testing import CliRunner

from core.cli import app
from core.judging.calls import read_calls
from core.study import Study


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def words(folder: Path, server: Server, *more: str) -> list[str]:
    return ["judge", "scores", str(folder), "--model", "m", "--base-url", server.url, *more]


def test_marks_reach_the_table_and_the_terminal(server: Server, tmp_path: Path) -> None:
    study_of(tmp_path / "s", ["well", "refusal-field", "half-json"])
    command = words(tmp_path / "s", server, "--repeats", "2")
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "6 judgements, 6 calls made" in done.stdout
    assert "2 ok, 2 refused, 2 unreadable" in done.stdout
    assert "--retry-failed" in done.stdout
    again = CliRunner().invoke(app, [*command, "--json", "--price-in", "1", "--price-out", "2"])
    told = json.loads(again.stdout)
    assert (told["calls"], told["cached"], told["kept_failures"], told["cost"]) == (0, 2, 4, 0)
    assert {flag["system"] for flag in told["families"]} == {"one", "two"}
    scores = Study.open(tmp_path / "s").scores
    assert len(scores) == 6
    body = server.bodies[0]
    assert (body["temperature"], body["model"]) == (0.7, "m")


def test_a_dry_run_asks_and_writes_nothing(server: Server, tmp_path: Path) -> None:
    study_of(tmp_path / "s", ["well"] * 3)
    before = sorted(path.name for path in (tmp_path / "s").iterdir())
    more = ["--dry-run", "--limit", "2", "--price-in", "1", "--price-out", "2"]
    done = CliRunner().invoke(app, words(tmp_path / "s", server, *more))
    assert done.exit_code == 0
    assert "6 judgements: 6 calls to make" in done.stdout
    assert "in money" in done.stdout
    told = json.loads(
        CliRunner().invoke(app, words(tmp_path / "s", server, *more, "--json")).stdout
    )
    assert told["calls"] == 6
    assert told["tokens_in"] > 1000
    assert told["cost"] == pytest.approx((told["tokens_in"] + 2 * told["tokens_out"]) / 1e6)
    assert not server.bodies
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == before


def test_a_budget_ends_the_command_cleanly(server: Server, tmp_path: Path) -> None:
    study_of(tmp_path / "s", ["well"] * 5)
    done = CliRunner().invoke(app, words(tmp_path / "s", server, "--budget-calls", "4"))
    assert done.exit_code == 0
    assert "stopped: the budget of 4 calls is used up" in done.stdout
    assert len(Study.open(tmp_path / "s").scores) == 4
    CliRunner().invoke(app, words(tmp_path / "s", server))
    assert dict(server.asked) == {f"a{place}": 3 for place in range(5)}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--budget-cost", "1"], "needs --price-in and --price-out"),
        (["--price-in", "1"], "go together"),
        (["--ideas", "a0,zz"], "No idea 'zz'"),
        (["--system", "three"], "No system 'three'"),
        (["--base-url", "localhost"], "must begin with http"),
    ],
)
def test_wrong_use_is_told(
    more: list[str], message: str, server: Server, tmp_path: Path, root: Path
) -> None:
    study_of(tmp_path / "s", ["well"])
    done = CliRunner().invoke(app, words(tmp_path / "s", server, *more))
    assert message in str(done.exception)
    assert getattr(done.exception, "exit_code", None) == 2
    assert not server.bodies


def test_killed_in_the_middle_and_resumed_nothing_answered_is_asked_again(
    server: Server, tmp_path: Path
) -> None:
    study_of(tmp_path / "s", ["well"] * 40)
    server.delay = 0.02
    log = tmp_path / "s" / "calls.jsonl"
    command = words(tmp_path / "s", server, "--repeats", "2", "--concurrency", "2")
    kill_after_calls(start(*command), log, 15)
    kept = Counter(call.key["idea_id"] for call in read_calls(log).calls)
    assert 15 <= kept.total() < 80
    server.asked.clear()
    output = finish(start(*command))
    assert f"{kept.total()} answered already" in output
    assert server.asked == Counter({f"a{place}": 2 for place in range(40)}) - kept
    table = Study.open(tmp_path / "s").scores
    assert len(table) == 80
    assert (table["state"] == "ok").all()
    assert table["call_id"].is_unique


def test_ctrl_c_writes_everything_answered(server: Server, tmp_path: Path) -> None:
    study_of(tmp_path / "s", ["well"] * 200)
    server.delay = 0.02
    log = tmp_path / "s" / "calls.jsonl"
    process = start(*words(tmp_path / "s", server, "--concurrency", "2"))
    wait_for_calls(process, log, 10)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Stopping" in errors
    assert "stopped by the user" in output
    assert "Traceback" not in errors
    calls = read_calls(log).calls
    assert 10 <= len(calls) < 600
    assert len(calls) == server.asked.total()  # those under way were waited for
    assert set(Study.open(tmp_path / "s").scores["call_id"]) == {call.id for call in calls}
