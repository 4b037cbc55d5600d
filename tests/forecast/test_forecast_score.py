"""Forecasts of a whole study: episodes by hand, gates, failures, missing and faulty ranks."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from builders import study

from core.config import Settings
from core.errors import DataError
from core.forecast.score import score_forecasts

DRAWS = Settings(draws=200)


def forecast(
    system: str, rank: int, cutoff: str = "2024-07-31", topic: str = "t"
) -> dict[str, Any]:
    return {
        "idea_id": f"{system}-{topic}-{cutoff}-{rank}",
        "system": system,
        "topic": topic,
        "cutoff": cutoff,
        "rank": rank,
        "title": "a forecast",
    }


def verdict(
    idea: dict[str, Any], paper: str, p: int, m: int, s: int, **more: Any
) -> dict[str, Any]:
    return {
        "idea_id": idea["idea_id"],
        "paper_id": paper,
        "judge": "j",
        "problem": p,
        "method": m,
        "specificity": s,
        **more,
    }


A1, A2, B1 = forecast("A", 1), forecast("A", 2), forecast("B", 1)
A3 = forecast("A", 1, topic="u")
PAPERS = [
    {"paper_id": name, "title": name, "published": "2024-08-15", "topics": ["t", "u"]}
    for name in ("p1", "p2")
]
CANDIDATES = [
    {"idea_id": idea["idea_id"], "paper_id": paper, "similarity": 0.9 - 0.1 * place, "rank": place}
    for idea in (A1, A2, B1, A3)
    for place, paper in ((1, "p1"), (2, "p2"))
]
VERDICTS = [
    verdict(A1, "p1", 3, 2, 2),
    verdict(A1, "p2", 0, 0, 0),
    verdict(A2, "p1", 3, 3, 3),
    verdict(A2, "p2", 3, 2, 2),
    verdict(B1, "p1", 2, 2, 3),
    verdict(B1, "p2", 0, 0, 0),
    verdict(A3, "p1", 0, 0, 0),
    verdict(A3, "p2", 0, 0, 0),
]


def forecasts(verdicts: list[dict[str, Any]] = VERDICTS, ideas: Any = (A1, A2, B1, A3)) -> Any:
    return study(
        config_values={"horizon_months": 3},
        ideas=list(ideas),
        papers=PAPERS,
        candidates=CANDIDATES,
        verdicts=verdicts,
    )


def systems(result: Any) -> dict[str, dict[str, Any]]:
    return {row["system"]: row for row in result.systems.to_dict("records")}


def test_a_study_by_hand() -> None:
    result = score_forecasts(forecasts(), DRAWS)
    a, b = systems(result)["A"], systems(result)["B"]
    # Topic t: rank 1 takes p1, rank 2 then p2: hit 1, precision 2/5, MRR 1,
    # soft (7/9 + 7/9)/2. Topic u: nothing. Means over the two episodes.
    assert a["episodes"] == 2
    assert a["hit"] == pytest.approx(1 / 2)
    assert a["precision"] == pytest.approx(1 / 5)
    assert a["mrr"] == pytest.approx(1 / 2)
    assert a["soft"] == pytest.approx(7 / 18)
    # Slots filled: 2/5 and 1/5.
    assert a["fill_rate"] == pytest.approx(3 / 10)
    assert b["hit"] == 0.0
    assert (a["hit"], a["hit"]) == (a["hit_worst_case"], a["hit_best_case"])
    assert result.missing.to_dict("records") == [
        {"system": "B", "topic": "u", "cutoff": pd.Timestamp("2024-07-31")}
    ]
    pair = result.pairs.set_index("metric").loc["hit"]
    assert (pair["a"], pair["b"], pair["episodes"], pair["difference"]) == ("A", "B", 1, 1.0)
    assert result.gate == {"pm": 5, "s": 2, "r": 10}


def test_credit_is_worked_out_anew_for_every_gate_and_r() -> None:
    strict = systems(score_forecasts(forecasts(), Settings(draws=200, gate_s=3)))
    # Only A2–p1 passes S ≥ 3: rank 2 is the first credited.
    assert strict["A"]["mrr"] == pytest.approx(1 / 4)
    loose = systems(score_forecasts(forecasts(), Settings(draws=200, gate_pm=4)))
    assert loose["B"]["hit"] == 1.0
    near = systems(score_forecasts(forecasts(), Settings(draws=200, r=1)))
    # With the nearest candidate alone, rank 2's p1 is already credited.
    assert near["A"]["precision"] == pytest.approx(1 / 10)


def test_a_failed_verdict_is_neither_a_miss_nor_a_match() -> None:
    failed = [dict(row) for row in VERDICTS]
    failed[4] = {**failed[4], "state": "call_failed", "problem": None}
    result = score_forecasts(forecasts(failed), DRAWS)
    b = systems(result)["B"]
    assert (b["hit"], b["hit_worst_case"], b["hit_best_case"]) == (None, 0.0, 1.0)
    assert (b["episodes"], b["left_out"]) == (0, 1)
    assert systems(result)["A"]["left_out"] == 0
    states = result.states.iloc[0].to_dict()
    assert (states["ok"], states["call_failed"], states["unjudged"]) == (7, 1, 0)


def test_a_candidate_that_nobody_judged_is_told_apart_from_a_miss() -> None:
    result = score_forecasts(forecasts(VERDICTS[:-1]), DRAWS)
    assert result.states.iloc[0]["unjudged"] == 1
    assert systems(result)["A"]["left_out"] == 1
    assert systems(result)["A"]["hit"] == 1.0


def test_two_judges_stay_apart() -> None:
    other = [{**row, "judge": "k", "problem": 0} for row in VERDICTS]
    rows = score_forecasts(forecasts(VERDICTS + other), DRAWS).systems
    hits = rows[rows["system"] == "A"].set_index("judge")["hit"].to_dict()
    assert hits == {"j": 0.5, "k": 0.0}


def test_ranks_with_a_gap_name_the_episode() -> None:
    gap = {**A2, "rank": 3}
    with pytest.raises(DataError, match=r"'A', topic 't', cutoff 2024-07-31 are 1, 3"):
        score_forecasts(forecasts(ideas=(A1, gap, B1)), DRAWS)


def test_forecasts_beyond_the_slots_are_counted_and_left_out() -> None:
    result = score_forecasts(forecasts(), Settings(draws=200, slots=1))
    assert result.surplus == 1
    assert systems(result)["A"]["precision"] == pytest.approx(1 / 2)


def test_a_target_pool_without_a_paper_is_a_miss() -> None:
    empty = [row for row in CANDIDATES if row["idea_id"] != A3["idea_id"]]
    made = study(
        config_values={"horizon_months": 3},
        ideas=[A1, A2, A3],
        papers=PAPERS,
        candidates=empty,
        verdicts=VERDICTS[:4],
    )
    assert systems(score_forecasts(made, DRAWS))["A"]["hit"] == 0.5


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"ideas": [A1]}, "no candidates yet"),
        ({"ideas": [{**A1, "rank": None}], "candidates": CANDIDATES}, "no forecasts"),
        ({"ideas": [A1], "papers": PAPERS, "candidates": CANDIDATES}, "no verdicts"),
    ],
)
def test_what_is_missing_is_named(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        score_forecasts(study(**tables), DRAWS)
