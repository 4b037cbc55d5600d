"""What became of each candidate of an episode, and why not credited, worked by hand."""

from __future__ import annotations

from datetime import date
from itertools import product

import pandas as pd
import pytest
from builders import study
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from core.config import Settings
from core.errors import UsageError
from core.forecast.episode_view import episode_names, outcomes
from core.forecast.inspector import EpisodeView, inspect_episode
from core.study import Study

CUTOFF = date(2023, 6, 30)
CANDIDATES = {"a1": ["p1", "p2", "p4"], "a2": ["p1", "p3"], "a3": ["p4", "p5"]}
# (problem, method, specificity), a state, or nothing where the pair was not judged.
VERDICTS: dict[tuple[str, str], tuple[int, int, int] | str] = {
    ("a1", "p1"): (3, 3, 3),
    ("a1", "p2"): (3, 2, 2),
    ("a1", "p4"): (2, 2, 1),
    ("a2", "p1"): (3, 3, 2),
    ("a2", "p3"): (2, 2, 3),
    ("a3", "p4"): "refused",
}


def forecasts(verdicts: dict[tuple[str, str], tuple[int, int, int] | str]) -> Study:
    """Three forecasts of one system for one topic, judged by 'ann'."""
    rows = []
    for (idea, paper), grade in verdicts.items():
        row = {"idea_id": idea, "paper_id": paper, "judge": "ann"}
        if isinstance(grade, str):
            rows.append(row | {"state": grade})
        else:
            names = ("problem", "method", "specificity")
            rows.append(row | dict(zip(names, grade, strict=True)))
    return study(
        ideas=[
            {
                "idea_id": idea,
                "system": "alpha",
                "topic": "agents",
                "title": f"Title {idea}",
                "rank": n,
            }
            for n, idea in enumerate(CANDIDATES, start=1)
        ],
        papers=[
            {"paper_id": f"p{n}", "title": f"Paper {n}", "published": "2024-05-01"}
            for n in range(1, 6)
        ],
        candidates=[
            {"idea_id": idea, "paper_id": paper, "similarity": 1 - place / 10, "rank": place}
            for idea, papers in CANDIDATES.items()
            for place, paper in enumerate(papers, start=1)
        ],
        verdicts=rows,
    )


def view(made: Study, **settings: int) -> EpisodeView:
    chosen = Settings.of({"gate_pm": 5, "gate_s": 2, "r": 10, **settings})
    return inspect_episode(made, chosen, system="alpha", topic="agents", cutoff=CUTOFF)


def told(found: EpisodeView) -> dict[tuple[int, str], tuple[str, str]]:
    return {(o.rank, o.paper_id): (o.outcome, o.why) for o in outcomes(found, "ann")}


def test_every_reason_worked_by_hand() -> None:
    found = told(view(forecasts(VERDICTS)))
    assert found == {
        (1, "p1"): ("credited", "credited: the nearest that passes and is free"),
        (1, "p2"): ("passed_over", "passes, but a nearer one was credited"),
        (1, "p4"): ("below_gate", "below the gate: P + M = 4 < 5 and S = 1 < 2"),
        (2, "p1"): ("taken", "passes, but is already credited to rank 1"),
        (2, "p3"): ("below_gate", "below the gate: P + M = 4 < 5"),
        (3, "p4"): ("failed", "verdict failed: the judge refused"),
        (3, "p5"): ("unjudged", "not judged"),
    }


def test_a_move_of_the_gate_moves_the_reasons() -> None:
    made = forecasts(VERDICTS)
    assert told(view(made, gate_pm=4))[2, "p3"][0] == "credited"
    # With S ≥ 3, a1 keeps p1; a2's p1 has S = 2, so it is below the gate and not taken.
    strict = told(view(made, gate_s=3))
    assert strict[2, "p1"] == ("below_gate", "below the gate: S = 2 < 3")
    assert strict[1, "p2"] == ("below_gate", "below the gate: S = 2 < 3")


def test_r_and_slots_cut_what_is_listed() -> None:
    made = forecasts(VERDICTS)
    assert set(told(view(made, r=1))) == {(1, "p1"), (2, "p1"), (3, "p4")}
    assert {rank for rank, _ in told(view(made, slots=1))} == {1}


def test_a_paper_free_again_is_passed_on() -> None:
    # a1's p1 no longer passes, so a1 takes p2 and p1 is free for a2.
    found = told(view(forecasts(VERDICTS | {("a1", "p1"): (0, 0, 0)})))
    assert found[1, "p2"][0] == "credited"
    assert found[2, "p1"][0] == "credited"


def test_an_unknown_judge_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="ann"):
        outcomes(view(forecasts(VERDICTS)), "anne")


PAIRS = [(idea, paper) for idea, papers in CANDIDATES.items() for paper in papers]
GRADES = st.sampled_from([*product((2, 3), (2, 3), (1, 2, 3)), "call_failed"])


@examples(max_examples=25, deadline=None)
@given(st.lists(GRADES, min_size=len(PAIRS), max_size=len(PAIRS)))
def test_outcomes_agree_with_the_credit_of_the_engine(
    grades: list[tuple[int, int, int] | str],
) -> None:
    found = view(forecasts(dict(zip(PAIRS, grades, strict=True))))
    rows = outcomes(found, "ann")
    credited = {row.rank: row.paper_id for row in rows if row.outcome == "credited"}
    assert credited == {
        f.rank: f.credited["ann"] for f in found.forecasts if f.credited["ann"] is not None
    }
    assert len(set(credited.values())) == len(credited)
    for row in rows:
        if row.outcome == "taken":
            assert row.taken_by is not None
            assert row.taken_by < row.rank
            assert credited[row.taken_by] == row.paper_id
        if row.outcome == "passed_over":
            assert row.rank in credited


def test_names_are_sorted_and_told_apart() -> None:
    frame = pd.DataFrame(
        {
            "system": ["b", "a / x", "a", "b"],
            "topic": ["t", "y", "x / y", "t"],
            "cutoff": pd.to_datetime(["2024-07-31"] * 4),
        }
    )
    names = episode_names(frame)
    assert list(names) == [
        "a / x / y / 2024-07-31",
        "a / x / y / 2024-07-31 (2)",
        "b / t / 2024-07-31",
    ]
    assert [name.system for name in names.values()] == ["a", "a / x", "b"]
    no_topic = pd.DataFrame(
        {"system": ["a"], "topic": [""], "cutoff": pd.to_datetime(["2024-07-31"])}
    )
    assert list(episode_names(no_topic)) == ["a / no topic / 2024-07-31"]
