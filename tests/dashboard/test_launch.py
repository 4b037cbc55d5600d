"""How the server is started: where it listens, what it is told, how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path

import pytest
from builders import study_folder

from core import opening
from dashboard import launch

ROOT = Path(__file__).resolve().parents[2]


def test_studies_and_options_are_parted() -> None:
    assert launch.part(["a", "b", "--", "--server.port=1"]) == (["a", "b"], ["--server.port=1"])
    assert launch.part(["a"]) == (["a"], [])


def test_it_listens_on_this_machine_only_unless_told_otherwise() -> None:
    settled = launch.with_defaults([])
    assert "--server.address=localhost" in settled
    told = launch.with_defaults(["--server.address=0.0.0.0", "--server.port=9"])
    assert told[:2] == ["--server.address=0.0.0.0", "--server.port=9"]
    assert not any(option.startswith("--server.address=localhost") for option in told)


def test_a_taken_port_is_passed_over() -> None:
    with socket.create_server(("localhost", 0)) as taken:
        port = taken.getsockname()[1]
        assert launch.free_port("localhost", first=port) != port


def test_no_browser_is_opened_where_nobody_sits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    assert launch.can_open_browser()
    monkeypatch.setenv("SSH_CONNECTION", "somewhere")
    assert not launch.can_open_browser()
    monkeypatch.delenv("SSH_CONNECTION")
    monkeypatch.delenv("DISPLAY")
    assert not launch.can_open_browser()


def test_the_theme_is_one_that_streamlit_takes() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["browser"]["gatherUsageStats"] is False
    assert {"light", "dark"} <= config["theme"].keys()


def test_the_real_server_answers_prints_one_line_and_ends_on_ctrl_c(tmp_path: Path) -> None:
    folder = study_folder(tmp_path / "study")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    server = subprocess.Popen(
        [sys.executable, "-m", "dashboard.launch", str(folder)],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        address = re.search(r"http://localhost:\d+/", line)
        assert address is not None, line
        with urllib.request.urlopen(f"{address[0]}_stcore/health", timeout=20) as answer:
            assert answer.read() == b"ok"
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=20)
    finally:
        server.kill()
    assert server.returncode in (0, 130)
    assert "Traceback" not in err
    assert out.strip() in ("", "Stopping...")


@pytest.mark.parametrize(
    ("words", "theirs"),
    [
        (["--server.port", "8600"], True),
        (["--server.port=8600"], True),
        (["--help"], False),
        (["score", "a.b"], False),
        (["open", "--server.port", "8600"], False),
        ([], False),
    ],
)
def test_streamlit_s_options_need_no_command(words: list[str], theirs: bool) -> None:
    assert opening.names_streamlit_option(words) is theirs


@pytest.mark.parametrize(
    ("words", "opened"),
    [
        ([], True),
        (["open", "study", "--server.port", "8600"], True),
        (["--server.port=8600"], True),
        (["open", "--help"], False),
        (["--help"], False),
        (["score", "study"], False),
    ],
)
def test_the_dashboard_opens_without_the_command_lines_library(
    words: list[str], opened: bool
) -> None:
    assert opening.opens(words) is opened
    code = "import sys, core.cli\nprint('typer' in sys.modules, 'pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.split() == ["False", "False"]


def test_the_source_is_not_watched_unless_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--server.fileWatcherType=none" in launch.with_defaults([])
    told = launch.with_defaults(["--server.fileWatcherType=auto"])
    assert "--server.fileWatcherType=none" not in told
    monkeypatch.setenv("STREAMLIT_SERVER_FILE_WATCHER_TYPE", "poll")
    assert not any("fileWatcherType" in option for option in launch.with_defaults([]))
