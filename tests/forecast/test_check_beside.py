"""``foreseen check`` on episodes, attempts, ratings and calls: every fault by file, line, field."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from core.cli import app
from core.forecast.manifest import EPISODES_FILE
from core.forecast.stored import ATTEMPTS_FILE, RATINGS_FILE
from core.ingest.beside import beside_problems
from core.judging.calls import CALLS_FILE
from core.study import read_tables

DEMO = Path(__file__).resolve().parents[2] / "data" / "demo-forecasts"
ATTEMPT = {
    "system": "direct",
    "topic": "",
    "cutoff": "2024-07-31",
    "forecasts": 0,
    "state": "ok",
    "reason": None,
}
CALL = {
    "id": "c1",
    "kind": "scores",
    "key": {"idea_id": "a"},
    "judge": "j",
    "model": "m",
    "prompt_digest": "d",
    "repeat": 1,
    "state": "ok",
}
Manifest = dict[str, Any]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, pd.DataFrame]]:
    folder = tmp_path_factory.mktemp("study")
    for name in ("study.toml", "ideas.jsonl", "papers.jsonl", EPISODES_FILE, RATINGS_FILE):
        shutil.copy(DEMO / name, folder / name)
    manifest = json.loads((folder / EPISODES_FILE).read_text())
    attempt = ATTEMPT | {"topic": manifest["topics"][0]}
    (folder / ATTEMPTS_FILE).write_text(json.dumps(attempt) + "\n")
    (folder / CALLS_FILE).write_text(json.dumps(CALL) + "\n")
    tables, problems = read_tables(folder)
    assert not problems
    return folder, tables


@pytest.fixture
def told(
    whole: tuple[Path, dict[str, pd.DataFrame]], tmp_path: Path
) -> Callable[[str, str], list[tuple[int | None, str | None, str]]]:
    """Row, field and message of the problems where one file holds ``text`` instead."""
    folder, tables = whole

    def told(name: str, text: str) -> list[tuple[int | None, str | None, str]]:
        for file in (EPISODES_FILE, ATTEMPTS_FILE, RATINGS_FILE, CALLS_FILE):
            shutil.copy(folder / file, tmp_path / file)
        (tmp_path / name).write_text(text)
        problems = beside_problems(tmp_path, tables)
        assert {problem.file for problem in problems} <= {name}
        return [(problem.row, problem.column, problem.message) for problem in problems]

    return told


Told = Callable[[str, str], list[tuple[int | None, str | None, str]]]


def test_whole_files_have_no_problem(whole: tuple[Path, dict[str, pd.DataFrame]]) -> None:
    assert beside_problems(*whole) == []


def _with(change: Callable[[Manifest], object]) -> str:
    manifest = json.loads((DEMO / EPISODES_FILE).read_text())
    change(manifest)
    return json.dumps(manifest)


@pytest.mark.parametrize(
    ("change", "row", "field", "said"),
    [
        (lambda m: m["episodes"].append(m["episodes"][0]), 49, "topic, cutoff", "stands 2 times"),
        (lambda m: m["episodes"].pop(3), None, "episodes", "is missing"),
        (lambda m: m["episodes"][4].update(digest="0"), 5, "digest", "digest is not that of its"),
        (lambda m: m.update(digest="0"), None, "digest", "digest is not that of its episodes"),
        (lambda m: m["episodes"][0]["target"].append("zz"), 1, "target", "'zz' has no date"),
        (lambda m: m["episodes"][0].update(end="2024-12-31"), 1, "end", "is not 3 months on"),
        (lambda m: m["episodes"][1].update(cutoff="soon"), 2, "cutoff", "must be a day as YYYY"),
        (lambda m: m["episodes"][1].update(uncertain=-1), 2, "uncertain", "a whole number from 0"),
        (lambda m: m["episodes"][2].pop("history"), 3, "history", "is missing"),
        (lambda m: m["episodes"].append("x"), 49, None, "must be a JSON object"),
        (lambda m: m.pop("topics"), None, "topics", "is missing"),
        (lambda m: m.update(horizon_months="3"), None, "horizon_months", "a whole number"),
        (lambda m: m.update(cutoffs=["July"]), None, "cutoffs", "days as YYYY-MM-DD"),
    ],
)
def test_episodes(
    change: Callable[[Manifest], object], row: int | None, field: str | None, said: str, told: Told
) -> None:
    found = told(EPISODES_FILE, _with(change))
    assert (row, field) in {(r, f) for r, f, message in found if said in message}
    assert all("make the file again" in message for _, _, message in found)


@pytest.mark.parametrize("text", ["", '{"study": "x", "topi', "[]"])
def test_a_cut_manifest_is_one_problem(text: str, told: Told) -> None:
    [(row, field, message)] = told(EPISODES_FILE, text)
    assert (row, field) == (None, None)
    assert "make the file again" in message


TOPIC = "Alignment & Safety"


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"cutoff": "2031-01-31"}, "topic, cutoff", "no such episode in episodes.json"),
        ({"topic": "Cooking"}, "topic, cutoff", "no such episode in episodes.json"),
        ({"cutoff": 3}, "cutoff", "must be a day as YYYY-MM-DD"),
        ({"forecasts": 1.5}, "forecasts", "must be a whole number from 0"),
        ({"forecasts": True}, "forecasts", "must be a whole number from 0"),
        ({"state": "fine"}, "state", "must be one of ok, refused"),
        ({"forcasts": 2}, "forcasts", "no such field. Did you mean 'forecasts'?"),
        ({"system": None}, "system", "must be text"),
        ({}, "system, topic, cutoff", "repeats line 1"),
    ],
)
def test_attempts(change: dict[str, object], field: str, said: str, told: Told) -> None:
    good = ATTEMPT | {"topic": TOPIC}
    found = told(ATTEMPTS_FILE, f"{json.dumps(good)}\n\n{json.dumps(good | change)}\n")
    assert found[0][:2] == (3, field)
    assert said in found[0][2]


def test_every_bad_line_is_listed(told: Told) -> None:
    good = json.dumps(ATTEMPT | {"topic": TOPIC})
    found = told(ATTEMPTS_FILE, f"{good}\n{good[:30]}\n7\n{{}}\n")
    assert [row for row, _, _ in found] == [2, 3, 4, 4, 4, 4, 4]
    assert "is cut off" in found[0][2]
    assert "delete the line" in found[0][2]
    assert [field for row, field, _ in found if row == 4] == list(ATTEMPT)[:5]


@pytest.mark.parametrize(
    ("change", "row", "field", "said"),
    [
        ({"idea_id": "di-0001"}, 2, "idea_id", "no such idea in the table ideas"),
        ({"problem": 4}, 2, "problem", "must be from 0 to 3"),
        ({"judge": None}, 2, "judge", "must not be empty"),
        ({"clarity": 2}, None, "clarity", "no such column"),
        ({"idea_id": "di-001"}, 2, "idea_id, judge", "must stand once"),
    ],
)
def test_ratings(
    change: dict[str, object], row: int | None, field: str, said: str, told: Told
) -> None:
    first = {"idea_id": "di-001", "judge": "r", "problem": 3, "method": 1, "setting": 2, "claim": 0}
    second = first | {"idea_id": "di-002"} | change
    found = told(RATINGS_FILE, f"{json.dumps(first)}\n{json.dumps(second)}\n")
    assert [(r, f) for r, f, _ in found] == [(row, field)]
    assert said in found[0][2]
    assert "delete the line" in found[0][2]


@pytest.mark.parametrize(
    ("line", "field", "said"),
    [
        (json.dumps(CALL)[:40], None, "is cut off"),
        (json.dumps(CALL)[:40] + "\n", None, "is no call"),
        (json.dumps(CALL | {"state": "well"}) + "\n", "state", "is no call"),
        (json.dumps({**CALL, "id": "c2", "key": 3}) + "\n", "key", "is no call"),
        (json.dumps({k: v for k, v in CALL.items() if k != "model"}) + "\n", "model", "is no call"),
        (json.dumps(CALL) + "\n", "id", "repeats the id of line 1"),
    ],
)
def test_calls(line: str, field: str | None, said: str, told: Told) -> None:
    [found] = told(CALLS_FILE, json.dumps(CALL) + "\n" + line)
    assert found[:2] == (2, field)
    assert said in found[2]


def test_the_command_ends_with_1(
    whole: tuple[Path, dict[str, pd.DataFrame]], tmp_path: Path
) -> None:
    folder = tmp_path / "s"
    shutil.copytree(whole[0], folder)
    assert CliRunner().invoke(app, ["check", str(folder)]).exit_code == 0
    lines = (folder / RATINGS_FILE).read_text().splitlines(keepends=True)
    (folder / RATINGS_FILE).write_text("".join(lines[:2]) + lines[2][:20])
    done = CliRunner().invoke(app, ["check", str(folder)])
    assert done.exit_code == 1
    assert f"{RATINGS_FILE}, row 3: is no JSON, or is cut off" in done.output
