"""``foreseen agreement``: the keys that other programs read, and what people see."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import study, table
from typer.testing import CliRunner

from core.cli import app
from core.study import Study

PAIR = (
    "judge_a", "judge_b", "on", "n", "agreement", "prevalence_a", "prevalence_b", "kappa",
    "kappa_low", "kappa_high", "pabak", "ac1", "undefined",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        {"idea_id": f"i{n}", "judge": judge, "repeat": repeat, "overall": 1 + (n + repeat * k) % 9}
        for k, judge in enumerate(("human", "model"), start=1)
        for n in range(9)
        for repeat in (1, 2)
    ]
    made = Study.create(tmp_path / "s", cutoff=study().config.cutoff, horizon_months=30)
    made.write("scores", table("scores", rows), suffix=".csv")
    return tmp_path / "s"


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["agreement", *words])
    return done.exit_code, done.stdout


def test_json_has_the_promised_keys(folder: Path) -> None:
    code, text = run(str(folder), "--json")
    assert code == 0
    found = json.loads(text)
    assert set(PAIR) <= set(found["pairs"][0])
    assert {"alpha", "fleiss_kappa", "icc2_1", "icc2_k", "kendall_w"} <= set(found["overall"])
    assert {"judge", "dimension", "n", "icc", "sd"} <= set(found["repeats"][0])
    assert {"judge", "ok", "refused", "parse_failed", "call_failed"} <= set(found["states"][0])
    assert found["states"][0]["ok"] == 18
    assert "NaN" not in text


def test_settings_are_options_and_come_back(folder: Path) -> None:
    _, text = run(str(folder), "--json", "--gate-pm", "6", "--seed", "3", "--draws", "200")
    settings = json.loads(text)["settings"]
    assert (settings["gate_pm"], settings["seed"], settings["draws"]) == (6, 3, 200)


def test_csv_and_text(folder: Path) -> None:
    code, text = run(str(folder), "--csv")
    assert (code, text.split(",")[0]) == (0, "judge_a")
    code, text = run(str(folder))
    assert code == 0
    for word in ("κ", "PABAK", "AC1", "refused", "model"):
        assert word in text


def test_an_empty_study_is_told(tmp_path: Path) -> None:
    Study.create(tmp_path / "s", cutoff=study().config.cutoff, horizon_months=30)
    code, text = run(str(tmp_path / "s"), "--json")
    assert code == 0
    assert json.loads(text)["overall"]["alpha"] is None
    assert run(str(tmp_path / "s"))[1] == ""


def test_names_are_text_and_never_markup(tmp_path: Path) -> None:
    made = Study.create(tmp_path / "s", cutoff=study().config.cutoff, horizon_months=30)
    rows = [
        {"idea_id": f"i{n}", "judge": judge, "overall": 1 + n}
        for judge in ("[red]a[/red]", "b")
        for n in range(3)
    ]
    made.write("scores", table("scores", rows))
    assert "[red]a[/red]" in run(str(tmp_path / "s"))[1]
