"""Real reviews as references, through the product's command: debiased, and judges held to them."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from core.cli import app
from core.config import Settings
from core.ligbench.debias import DIMENSIONS, debias
from core.ligbench.pair_accuracy import pair_accuracy
from core.ligbench.references import references_report
from core.study import Study

SETTINGS = Settings(draws=100)


def run(*words: object) -> None:
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, (result.exception, result.stderr)


@pytest.fixture(scope="module")
def reviewed(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """ICLR 2022's papers and six judges' marks of them, and ICLR 2026's submissions."""
    folder = tmp_path_factory.mktemp("reviewed") / "s"
    Study.create(folder, cutoff=date(2021, 6, 30))
    own = shared_data / "iclr2022-judges"
    run(
        *("import", "references", own / "papers.jsonl", "--into", folder),
        *("--format", "openreview", "--set", "venue=ICLR", "--set", "year=2022"),
        *("--map", "title_papercopilot=title", "--map", "abstract_from_pdf_text=abstract"),
        *("--map", "correctness=soundness", "--map", "technical_novelty=contribution"),
    )
    run(
        *("import", "starts", own / "llm_judge_scores.csv", "--into", folder),
        *("--map", "paper_id=idea_id"),
        *("--scale", "rating=1..10 soundness=1..4 contribution=1..4"),
    )
    file = shared_data / "iclr2026-reviews" / "papers.jsonl"
    run("import", "references", file, "--into", folder, "--format", "openreview")
    return Study.open(folder)


def test_debiasing_brings_both_years_to_one_mean(reviewed: Study) -> None:
    shifted = debias(reviewed.references)
    assert shifted.n == 600
    for dimension in DIMENSIONS:
        means = shifted.frame.groupby("year")[dimension].mean()
        assert means[2022] == pytest.approx(means[2026])
        before = shifted.groups[shifted.groups["dimension"] == dimension].set_index("year")["mean"]
        assert abs(before[2022] - before[2026]) > 0.5
    assert references_report(reviewed).unreviewed == 4


def test_six_judges_are_held_to_reviewers(reviewed: Study) -> None:
    found = pair_accuracy(reviewed, SETTINGS)
    frame = found.frame
    assert found.unknown == 0
    assert frame["judge"].nunique() == 6
    assert len(frame) == 18
    # 500 papers make 124,750 pairs; those whose debiased scores are equal are counted apart.
    assert (frame["n"] + frame["equal_truth"] == 124_750).all()
    assert frame["accuracy"].between(0.5, 0.7).all()
    assert (frame["low"] < frame["accuracy"]).all()
    assert (frame["accuracy"] < frame["high"]).all()
    # Wrong pairs lie closer together than pairs on the whole, as in the paper's Table 3.
    assert (frame["wrong_gap"] < frame["gap"]).all()


def test_one_judge_against_a_slow_twin(reviewed: Study) -> None:
    """Accuracy on 60 papers by a plain loop over their pairs."""
    judge = sorted(set(reviewed.starts["judge"]))[0]
    chosen = sorted(reviewed.starts["idea_id"].unique())[:60]
    starts = reviewed.starts[
        (reviewed.starts["judge"] == judge) & reviewed.starts["idea_id"].isin(chosen)
    ]
    truth = debias(reviewed.references).frame.set_index("reference_id")["rating"]
    marks = starts.set_index("idea_id")["rating"]
    points = [
        0.5 if marks[a] == marks[b] else float((marks[a] > marks[b]) == (truth[a] > truth[b]))
        for place, a in enumerate(chosen)
        for b in chosen[:place]
        if abs(truth[a] - truth[b]) > 1e-9
    ]
    from dataclasses import replace

    own = replace(reviewed, starts=starts)
    frame = pair_accuracy(own, SETTINGS).frame
    row = frame[frame["dimension"] == "rating"].iloc[0]
    assert row["n"] == len(points)
    assert row["accuracy"] == pytest.approx(pd.Series(points).mean())
