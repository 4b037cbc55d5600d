"""Any protocol on any idea: what each says, by hand, and why it says nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from builders import case_study, study, table

from core.config import Settings
from core.errors import UsageError
from core.protocols import protocols_of

NOW = Settings(theta=0.5, draws=200)


def judged(rows: list[tuple[str, str, int, int, int]], **more: Any) -> list[dict[str, Any]]:
    names = ("idea_id", "paper_id", "problem", "method", "specificity")
    return [dict(zip(names, row, strict=True)) | {"judge": "j"} | more for row in rows]


def test_an_idea_of_hindsight_gets_credit() -> None:
    made = case_study()
    verdicts = judged([("i2", "p2", 2, 2, 3), ("i2", "p5", 3, 2, 2), ("i2", "p3", 3, 3, 3)])
    found = protocols_of(replace(made, verdicts=table("verdicts", verdicts)), "i2", NOW)
    # By the derivation of case_tables: score 0.46, judges' overall 8, a true positive.
    assert found.hindsight.score == pytest.approx(0.46)
    assert (found.hindsight.judge_overall, found.hindsight.quadrant) == (8.0, "true_positive")
    (credit,) = found.forecast.credits
    # p2 has P + M = 4, p5 is the nearest that passes.
    assert (found.forecast.rank, credit.paper_id, credit.candidates) == (None, "p5", 3)
    assert (credit.problem, credit.method, credit.specificity) == (3, 2, 2)
    assert found.ligbench.ratings == ()
    assert found.ligbench.undefined is not None
    assert "no references" in found.ligbench.undefined
    assert found.ligbench.novelty is None
    assert found.ligbench.novelty_undefined


def test_what_is_unknown_says_why() -> None:
    made = case_study()
    none = protocols_of(made, "i7", NOW)
    assert none.forecast.undefined is not None
    assert "judge verdicts" in none.forecast.undefined
    with_verdicts = replace(made, verdicts=table("verdicts", judged([("i1", "p1", 0, 0, 0)])))
    (empty,) = protocols_of(with_verdicts, "i7", NOW).forecast.credits
    assert empty.undefined == "no paper lies in its pool"
    (missed,) = protocols_of(with_verdicts, "i1", NOW).forecast.credits
    assert missed.undefined == "no candidate passes the gate; 1 of 2 verdicts are missing"
    (unjudged,) = protocols_of(with_verdicts, "i3", NOW).forecast.credits
    assert unjudged.undefined == "no verdict on its candidates is whole"
    bare = protocols_of(study(ideas=[{"idea_id": "x", "system": "s"}]), "x", NOW)
    assert bare.hindsight.undefined == bare.forecast.undefined
    assert bare.hindsight.undefined is not None
    assert "foreseen match" in bare.hindsight.undefined
    with pytest.raises(UsageError, match="Did you mean 'i1'"):
        protocols_of(made, "i11", NOW)


def test_a_ranked_forecast_meets_those_before_it() -> None:
    ideas = [
        {"idea_id": f"f{rank}", "system": "s", "topic": "t", "rank": rank, "title": "x"}
        for rank in (1, 2, 3)
    ]
    papers = [{"paper_id": "p", "title": "x", "published": "2024-01-01", "citations": 3}]
    pairs = [
        {"idea_id": f"f{rank}", "paper_id": "p", "similarity": 0.9, "rank": 1} for rank in (1, 2, 3)
    ]
    verdicts = judged([(f"f{rank}", "p", 3, 3, 3) for rank in (1, 2, 3)])
    made = study(ideas=ideas, papers=papers, candidates=pairs, verdicts=verdicts)
    one, two = (protocols_of(made, f"f{rank}", NOW).forecast for rank in (1, 2))
    assert one.credits[0].paper_id == "p"
    assert two.credits[0].paper_id is None
    assert two.credits[0].undefined == "every paper that passes is credited to a better rank"
    beyond = protocols_of(made, "f3", Settings(theta=0.5, draws=200, slots=2)).forecast
    assert beyond.undefined == "its rank is beyond the 2 slots"
    score = made.score(NOW)
    assert protocols_of(made, "f1", NOW, score=score) == protocols_of(made, "f1", NOW)
