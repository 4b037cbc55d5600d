"""LigBench from the command line: one JSON object, its keys, dry runs and wrong usage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from builders import study
from typer.testing import CliRunner, Result

from core.cli import app
from core.errors import UsageError
from core.ligbench import similar_papers
from core.ligbench.similar_papers import SimilarInfo, SimilarPapers, inputs_digest, store
from core.study import Study

REFERENCES = [
    {
        "reference_id": f"r{n}",
        "title": f"Traffic by graphs {n}",
        "abstract": f"Traffic flow {n}.",
        "venue": "ICLR" if n < 3 else "NeurIPS",
        "year": 2024,
        "decision": "Reject" if n % 2 else "Accept",
        "rating": 1.0 + n / 2,
        "contribution": 2.0,
        "soundness": 3.0 - n / 4,
    }
    for n in range(6)
]
COMPARISONS = [
    {
        "idea_id": idea,
        "reference_id": f"r{n}",
        "judge": "j",
        "order": order,
        "rating": int(n < 3),
        "contribution": 0.5,
        "soundness": 1,
    }
    for idea in ("a", "b", "r5")
    for n in range(5)
    for order in ("idea_first", "reference_first")
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ideas = [
        {"idea_id": name, "system": "s", "title": f"Idea {name}", "problem": "traffic"}
        for name in "ab"
    ]
    made = study(ideas=ideas, references=REFERENCES, comparisons=COMPARISONS)
    written = Study.create(tmp_path / "s", cutoff=made.config.cutoff)
    for name in ("ideas", "references", "comparisons"):
        written = written.write(name, getattr(made, name))
    return tmp_path / "s"


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def told(*words: object) -> dict[str, Any]:
    result = run(*words, "--json")
    assert result.exit_code == 0, (result.exception, result.stderr)
    value = json.loads(result.stdout)
    assert isinstance(value, dict)
    return value


def test_rank_prints_the_agreed_keys(folder: Path) -> None:
    found = told("rank", folder, "--elo-mode", "paper", "--orders", 5, "--seed", 3)
    assert {"ideas", "systems", "flip_rates", "settings"} <= set(found)
    assert set(found["ideas"][0]) >= {
        "idea_id", "system", "dimension", "start", "elo", "elo_low", "elo_high", "orders",
        "games", "stopped", "bradley_terry", "bt_low", "bt_high", "wins", "ties", "losses",
    }  # fmt: skip
    assert set(found["systems"][0]) == {"system", "dimension", "n", "mean", "low", "high"}
    assert set(found["flip_rates"][0]) == {"judge", "dimension", "n", "rate"}
    assert (found["settings"]["elo_mode"], found["settings"]["seed"]) == ("paper", 3)
    assert {row["idea_id"] for row in found["ideas"]} == {"a", "b"}  # r5 is a reference


def test_novelty_from_what_is_stored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*args: object, **more: object) -> None:
        raise AssertionError("nothing is to be encoded")

    monkeypatch.setattr(similar_papers, "find_similar", never)
    opened = Study.open(folder)
    info = SimilarInfo(
        encoder="minilm",
        revision="",
        encoder_digest="",
        depth=100,
        inputs=inputs_digest(opened),
        digest="d",
    )
    frame = pd.DataFrame(
        {"idea_id": ["a"], "paper_id": ["p"], "similarity": [0.72], "rank": [1], "ambiguous": False}
    )
    store(folder, SimilarPapers(frame=frame, info=info))
    found = told("novelty", folder, "--novelty-mu", 0.72)
    rows = {row["idea_id"]: row for row in found["ideas"]}
    assert rows["a"]["novelty"] == pytest.approx(2.5)
    assert rows["b"]["novelty"] is None
    assert "no paper" in rows["b"]["unknown"]
    assert (found["map"]["mu"], found["settings"]["novelty_map"]) == (0.72, "fixed")
    fitted = told("novelty", folder)
    assert fitted["map"]["k"] is None
    assert "too few" in fitted["map"]["undefined"]


@pytest.mark.parametrize(
    ("command", "key"),
    [
        ("references", "venues"),
        ("accuracy", "frame"),
        ("accepted", "frame"),
        ("one-source", "frame"),
    ],
)
def test_each_study_is_one_command(folder: Path, command: str, key: str) -> None:
    more = () if command == "references" else ("--seed", "1")
    found = told("ligbench", command, folder, *more)
    assert found[key]
    plain = run("ligbench", command, folder)
    assert plain.exit_code == 0
    assert "ICLR" in plain.stdout or "rating" in plain.stdout


def test_grids_stand_beside_the_papers() -> None:
    found = told("ligbench", "grids", "--ideas", 10, "--games", 12, "--orders", 2)
    assert set(found) == {"scale d", "steps", "judge noise"}
    assert found["judge noise"]["frame"][0]["published_mae"] == 0.251
    assert isinstance(run("ligbench", "grids", "--judge", "no").exception, UsageError)


@pytest.mark.parametrize(
    ("words", "calls"),
    [
        (("comparisons", "--references", 2), 8),
        (("comparisons", "--references", 2, "--orders", "idea_first"), 4),
        (("comparisons", "--pairs", 3, "--repeats", 2), 12),
        (("starts",), 2),
        (("starts", "--repeats", 3, "--ideas", "a"), 3),
    ],
)
def test_a_dry_run_counts_the_calls(folder: Path, words: tuple[object, ...], calls: int) -> None:
    more = () if "--pairs" in words else ("--no-embedding",)
    found = told("judge", *words[:1], folder, *words[1:], *more, "--model", "m", "--dry-run")
    assert found["calls"] == calls


def test_a_dry_run_of_formal_parts(folder: Path) -> None:
    words = ("judge", "formalise", folder, "--model", "m", "--dry-run")
    assert told(*words)["calls"] == 2
    assert told(*words, "--table", "references")["calls"] == 4 * 6
    assert isinstance(run(*words, "--table", "papers").exception, UsageError)
    assert isinstance(run(*words, "--repeats", 2).exception, UsageError)
