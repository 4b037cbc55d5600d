"""The public benchmark's files through the real import: every known defect is told."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.cli import app
from core.config import Settings
from core.forecast.score import score_forecasts
from core.study import Study

PAPERS = [f"2408.0000{n}" for n in range(1, 4)]


def prediction(rank: int, **more: Any) -> dict[str, Any]:
    return {"rank": rank, "title": f"Idea {rank}", "rationale": "why", "approach": "how"} | {
        "score": 0.5,
        "confidence": 0.9,
        "key_terms": ["a"],
        "metadata": {},
        **more,
    }


def window(month: str, predictions: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"cutoff_month": month, "predictions": predictions, **more}


def backtest() -> dict[str, Any]:
    july = window("2024-07", [prediction(1), prediction(2, approach="")], cutoff_date="2024-07-31")
    return {
        "config": {"start_month": "2024-07", "end_month": "2024-09", "top_k": 5},
        "topic_results": {
            "gnn": {
                "topic_name": "Graph Neural Networks",
                "paper_count": 3,
                "backtest": {"windows": [july, window("2024-08", [prediction(1)]), july]},
            }
        },
    }


def candidate(paper: str, score: float, *grades: int | None, reason: str = "r") -> dict[str, Any]:
    names = ("problem_score", "method_score", "specificity_score")
    return {
        "paper_id": paper,
        "embed_score": score,
        "llm_match": False,
        "reasoning": reason,
        **dict(zip(names, grades, strict=True)),
    }


def judged() -> dict[str, Any]:
    first = {
        "rank": 1,
        "title": "Idea 1",
        "metadata": {"fallback_events": []},
        "top_candidates": [
            candidate(PAPERS[0], 0.9, 0, 0, 0, reason="Error code: 429 - rate limit"),
            candidate(PAPERS[1], 0.8, None, None, None),
            candidate(PAPERS[2], 0.7, 3, 3, 2),
        ],
    }
    second = {
        "rank": 2,
        "title": "Idea 2",
        "metadata": {"fallback_events": ["judge_call"]},
        "top_candidates": [
            candidate(PAPERS[0], 0.9, 0, 0, 0, reason=""),
            candidate(PAPERS[1], 0.8, 0, 0, 0, reason="Another problem altogether."),
            candidate(PAPERS[2], 0.7, 3, 3, 3),
        ],
    }
    windows = [
        {"cutoff_month": "2024-07", "per_prediction": [first, second]},
        {"cutoff_month": "2024-10", "per_prediction": []},
    ]
    return {
        "mode": "llm_judge_eval",
        "source_json": "/runs/summary_gpt.json",
        "embed_model": "voyage-3-large",
        "judge_model": "gpt-4.1-mini",
        "top_r": 10,
        "config": {"start_month": "2024-07", "end_month": "2024-07", "top_k": 5},
        "topic_results": {"gnn": {"topic_name": "Graph Neural Networks", "windows": windows}},
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Study.create(tmp_path / "s", cutoff=date(2024, 7, 31), preset="ideaforecastbench")
    (tmp_path / "summary_gpt.json").write_text(json.dumps(backtest()))
    (tmp_path / "judged.json").write_text(json.dumps(judged()))
    for number, paper in enumerate(PAPERS):
        text = f"# Paper {number}\npaper_id: {paper}\ndate: 2024-08-1{number}\nkeywords: gnn\n"
        (tmp_path / f"{paper}.md").write_text(f"{text}\n## Abstract\n\nA graph neural network.\n")
    return tmp_path


def run(*arguments: Any) -> Any:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, (result.output, result.exception)
    return result


def test_the_whole_way_of_a_published_release(folder: Path) -> None:
    study = folder / "s"
    told = run("import", "ideas", folder / "summary_gpt.json", "--into", study).output
    assert "repeats window 'Graph Neural Networks' 2024-07-31 with the same content" in told
    # July to September are due, September is missing; both kept windows have fewer than five.
    assert "1 windows of the configured months are missing" in told
    assert "2 windows hold fewer forecasts than top_k" in told
    assert "1 forecasts have no approach" in told
    ideas = Study.open(study).ideas
    assert ideas["rank"].tolist() == [1, 2, 1]
    assert set(ideas["system"]) == {"summary_gpt"}
    assert ideas["cutoff"].dt.date.tolist() == [date(2024, 7, 31)] * 2 + [date(2024, 8, 31)]
    assert ideas["extra"].iat[0]["confidence"] == 0.9

    args = ("--into", study, "--format", "ideaforecastbench")
    told = run("import", "verdicts", folder / "judged.json", *args).output
    assert "2 verdicts of 0/0/0 stand for calls that failed" in told
    assert "1 verdicts are null: parse_failed" in told
    after = Study.open(study)
    # The judged file adds no idea and takes no text away.
    assert after.ideas["method"].tolist()[0] == "how"
    assert len(after.ideas) == 3
    states = after.verdicts.groupby("idea_id", sort=False)["state"].agg(list).tolist()
    assert states == [["call_failed", "parse_failed", "ok"], ["call_failed", "ok", "ok"]]
    failed = after.verdicts[after.verdicts["state"] != "ok"]
    assert failed[["problem", "method", "specificity"]].isna().all(axis=None)

    papers = [folder / f"{paper}.md" for paper in PAPERS]
    run("import", "papers", *papers, "--into", study, "--format", "ideaforecastbench-paper")
    run("forecast", "topics", study, "--only", "Graph Neural Networks")
    run("forecast", "candidates", study, folder / "judged.json")
    whole = Study.open(study)
    assert whole.papers["abstract"].tolist() == ["A graph neural network."] * 3
    assert whole.candidates_info is not None
    assert whole.candidates_info.encoder == "voyage-3-large"
    now = Settings.of({"draws": 100}, base=whole.settings)
    (row,) = score_forecasts(whole, now).systems.to_dict("records")
    # July: the first forecast takes the third paper (3, 3, 2 pass), the second wants it too and
    # has no other: 1 of 5 slots. August has no candidate and October no forecast: both are
    # misses. July has failures.
    assert (row["episodes"], row["left_out"]) == (2, 1)
    assert row["precision_worst_case"] == pytest.approx((1 / 5 + 0 + 0) / 3)
    assert row["hit_worst_case"] == pytest.approx(1 / 3)


def test_a_null_window_and_an_unreadable_cutoff_are_dropped(folder: Path) -> None:
    faulty = backtest()
    faulty["topic_results"]["gnn"]["backtest"]["windows"].append(
        window("July", [prediction(1)], cutoff_date=None)
    )
    path = folder / "faulty.json"
    path.write_text(json.dumps(faulty))
    told = run("import", "ideas", path, "--into", folder / "s").output
    assert "has no cutoff (cutoff_date None, cutoff_month 'July')" in told
