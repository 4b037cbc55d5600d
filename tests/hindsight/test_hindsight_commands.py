"""``foreseen score`` and ``foreseen sweep``: keys, options, exit codes."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from random_studies import random_study

from core import cli
from core.study import Study

Run = Callable[..., tuple[int, str, str]]
KEYS = {
    "study": "name digest cutoff horizon_months encoder",
    "pool": "papers in_window undated ambiguous_date title_only unknown_citations top_venue",
    "systems": "system n mean mean_low mean_high median match_rate mean_matches"
    " mean_citation_term mean_venue_term",
    "comparisons": "a b metric n_a n_b difference difference_low difference_high ratio ratio_low"
    " ratio_high u p p_adjusted rank_biserial undefined",
    "correlations": "system judge dimension n rho rho_low rho_high p p_adjusted undefined",
    "quadrants": "rule comparison hindsight_cut judge_cut on_cut counts",
    "ideas": "idea_id system topic score n_matches best_paper_id similarity citation_term"
    " venue_term judge_overall quadrant",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = random_study(21, ideas=20)
    place = tmp_path_factory.mktemp("studies") / "s"
    on_disk = Study.create(place, cutoff=date(2023, 6, 30), horizon_months=30)
    for name in ("ideas", "papers", "scores"):
        on_disk = on_disk.write(name, getattr(made, name), suffix=".jsonl")
    assert made.candidates is not None
    assert made.candidates_info is not None
    on_disk.write_candidates(made.candidates, made.candidates_info, suffix=".jsonl")
    return place


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    monkeypatch.setenv("FORESEEN_CACHE", str(tmp_path / "cache"))

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["foreseen", *map(str, words)])
        code = 0
        try:
            cli.main()
        except SystemExit as end:
            code = int(end.code or 0)
        out = capsys.readouterr()
        return code, out.out, out.err

    return call


def test_score_prints_one_object_with_its_keys(run: Run, folder: Path) -> None:
    code, out, _ = run("score", folder, "--json", "--ideas", "--theta", 0.6, "--draws", 100)
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    assert found["settings"]["theta"] == 0.6
    for name, keys in KEYS.items():
        rows = found[name] if isinstance(found[name], list) else [found[name]]
        for row in rows:
            assert list(row)[: len(keys.split())] == keys.split()
    counts = ["system", "true_positive", "hidden_gem", "overhyped", "true_negative", "unscored"]
    assert list(found["quadrants"]["counts"][0]) == counts
    assert {row["metric"] for row in found["comparisons"]} == {
        "hindsight",
        "novelty",
        "feasibility",
        "impact",
        "overall",
    }
    assert "NaN" not in out
    assert "ideas" not in json.loads(run("score", folder, "--json")[1])


def test_every_setting_is_an_option(run: Run, folder: Path) -> None:
    words = "--k 5 --normalizer log --aggregate mean --citation-weight 0.5 --venue-weight 0.5"
    words += " --unknown-citations zero --quadrant-rule tertile --inclusive --seed 3 --draws 200"
    code, out, _ = run("score", folder, "--json", *words.split())
    assert code == 0
    found = json.loads(out)
    assert found["quadrants"]["rule"] == "tertile"
    assert found["quadrants"]["comparison"] == ">="
    assert found["settings"]["unknown_citations"] == "zero"


def test_csv_of_systems_ideas_impacts_and_specifications(run: Run, folder: Path) -> None:
    def table(*words: object) -> pd.DataFrame:
        code, out, _ = run("score", folder, "--csv", "--draws", 100, *words)
        assert code == 0
        return pd.read_csv(io.StringIO(out))

    assert table("--theta", 0.5)["system"].tolist() == ["BL", "RA"]
    assert len(table("--ideas")) == 20
    impacts = table("--impacts")
    names = ["paper_id", "citations", "citation_term", "venue_term", "impact"]
    assert impacts.columns.tolist() == names
    first, again = table("--specifications"), table("--specifications")
    assert len(first) > 1000
    pd.testing.assert_frame_equal(first, again)


def test_a_table_to_read_begins_with_the_answer(run: Run, folder: Path) -> None:
    code, out, err = run("score", folder, "--theta", 0.6)
    assert code == 0
    assert out.startswith(("BL ", "RA "))
    assert "hidden gem" in out
    assert "no known citation count" in err


def test_sweep_at_every_breakpoint_and_on_a_grid(run: Run, folder: Path) -> None:
    exact = json.loads(run("sweep", folder, "--json", "--draws", 100)[1])
    names = ["theta", "system", "mean", "median", "match_rate", "mean_matches"]
    assert list(exact["points"][0]) == names
    ratios = ["theta", "a", "b", "ratio", "low", "high", "p", "undefined"]
    assert list(exact["ratios"][0])[:8] == ratios
    assert {row["theta"] for row in exact["points"]} == {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}
    words = ("--from", 0.5, "--to", 0.6, "--step", 0.05)
    grid = json.loads(run("sweep", folder, "--json", "--draws", 100, *words)[1])
    assert [row["theta"] for row in grid["ratios"]] == [0.5, 0.55, 0.6]
    assert run("sweep", folder, "--csv")[1].startswith("theta,system,mean")
    assert "scores higher" in run("sweep", folder)[1]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--normalizer", "zscore"], 2, "minmax"),
        (["--json", "--csv"], 2, "Choose one of"),
        (["--ideas", "--impacts"], 2, "Choose one of"),
        (["--judge", "nobody"], 2, "No judge 'nobody'"),
        (["--quadrant-rule", "fixed"], 2, "hindsight_cut"),
    ],
)
def test_what_is_asked_wrongly_is_refused(
    run: Run, folder: Path, words: list[str], code: int, message: str
) -> None:
    found = run("score", folder, *words)
    assert found[0] == code
    assert message in found[2]
    assert found[1] == ""


@pytest.mark.parametrize("words", [["--from", "0.5"], ["--from", "0.6", "--to", "0.5"]])
def test_a_grid_that_is_none_is_refused(run: Run, folder: Path, words: list[str]) -> None:
    assert run("sweep", folder, *words)[0] == 2


def test_a_study_without_candidates_is_told_what_to_do(run: Run, tmp_path: Path) -> None:
    Study.create(tmp_path / "new", cutoff=date(2023, 6, 30))
    for command in ("score", "sweep"):
        code, out, err = run(command, tmp_path / "new", "--json")
        assert (code, out) == (1, "")
        assert "foreseen match" in err
