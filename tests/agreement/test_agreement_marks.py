"""What a unit is and what its value is, on each of the three tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from builders import study
from hypothesis import given
from hypothesis import strategies as st

from core.agreement import DIMENSIONS, marks_of, present_dimensions
from core.agreement.marks import UNIT_STATES, categories_of
from core.config import Settings
from core.errors import UsageError

NOW = Settings()


def score(idea: str, judge: str, mark: float | None, **more: Any) -> dict[str, Any]:
    return {"idea_id": idea, "judge": judge, "overall": mark} | more


def verdict(idea: str, judge: str, grades: tuple[int | None, ...], **more: Any) -> dict[str, Any]:
    p, m, s = grades
    row = {"idea_id": idea, "paper_id": "p", "judge": judge}
    return row | {"problem": p, "method": m, "specificity": s} | more


def game(idea: str, order: str, outcome: float | None, **more: Any) -> dict[str, Any]:
    row = {"idea_id": idea, "reference_id": "r", "judge": "j", "order": f"{order}_first"}
    return row | {"rating": outcome} | more


def state(marks: Any, row: int, column: int) -> str:
    return UNIT_STATES[marks.states[row, column]]


def test_a_score_is_the_mean_of_ok_repeats_rounded_half_up() -> None:
    rows = [
        score("a", "x", 6, repeat=1),
        score("a", "x", 7, repeat=2),  # 6.5 → 7
        score("a", "x", None, repeat=3, state="refused"),
        score("b", "x", 2, repeat=1),
        score("b", "x", 3, repeat=2),
        score("b", "x", 2, repeat=3),  # 7/3 → 2
    ]
    marks = marks_of(study(scores=rows), "overall", NOW)
    assert marks.values[:, 0] == pytest.approx([6.5, 7 / 3])
    assert marks.rounded[:, 0].tolist() == [7, 2]


@given(st.lists(st.integers(10, 100), min_size=2, max_size=2))
def test_half_goes_up_in_spite_of_binary_fractions(tenths: list[int]) -> None:
    mean = np.mean([tenth / 10 for tenth in tenths])
    expected = (sum(tenths) + 10) // 20  # ⌊(a + b)/20 + 1/2⌋ in whole numbers
    code = categories_of(np.array([mean]), DIMENSIONS["overall"])[0]
    assert code + 1 == expected


def test_a_unit_without_a_mark_says_why() -> None:
    rows = [
        score("a", "x", None, state="refused"),
        score("b", "x", None, state="call_failed", repeat=1),
        score("b", "x", None, state="parse_failed", repeat=2),
        score("c", "x", None),
        score("d", "x", 5, repeat=1),
        score("d", "x", None, state="call_failed", repeat=2),
        score("e", "y", 5),
    ]
    marks = marks_of(study(scores=rows), "overall", NOW)
    assert [state(marks, row, 0) for row in range(5)] == [
        "refused", "parse_failed", "unmarked", "ok", "not_judged",
    ]  # fmt: skip
    assert (marks.codes[:, 0] >= 0).tolist() == [False, False, False, True, False]


def test_a_mark_in_a_failed_row_is_no_mark() -> None:
    marks = marks_of(study(scores=[score("a", "x", 1, state="parse_failed")]), "overall", NOW)
    assert np.isnan(marks.values).all()
    assert marks.codes.tolist() == [[-1]]


@pytest.mark.parametrize(
    ("grades", "passes"),
    [((3, 2, 2), 1), ((2, 3, 3), 1), ((2, 2, 3), 0), ((3, 3, 1), 0), ((0, 0, 0), 0)],
)
def test_the_gate_is_p_plus_m_5_and_s_2(grades: tuple[int, ...], passes: int) -> None:
    rows = [verdict("a", "x", grades)]
    assert marks_of(study(verdicts=rows), "gate", NOW).rounded.tolist() == [[passes]]


def test_the_gate_moves_with_the_settings() -> None:
    rows = [verdict("a", "x", (3, 2, 2))]
    for setting in ({"gate_s": 3}, {"gate_pm": 6}):
        assert marks_of(study(verdicts=rows), "gate", Settings(**setting)).rounded.item() == 0


def test_a_verdict_with_a_grade_missing_has_no_gate() -> None:
    marks = marks_of(study(verdicts=[verdict("a", "x", (3, 3, None))]), "gate", NOW)
    assert state(marks, 0, 0) == "unmarked"
    grades = marks_of(study(verdicts=[verdict("a", "x", (3, 3, None))]), "problem", NOW)
    assert grades.rounded.item() == 3


def test_both_orders_of_a_comparison_make_one_outcome() -> None:
    rows = [
        game("a", "idea", 1), game("a", "reference", 1),  # equal: 1
        game("b", "idea", 1), game("b", "reference", 0),  # different: a tie
        game("c", "idea", 0), game("c", "reference", None, state="refused"),  # one order: 0
        game("d", "idea", 1), game("d", "reference", 0.5),  # different: a tie
        game("e", "idea", None, state="refused"),
    ]  # fmt: skip
    marks = marks_of(study(comparisons=rows), "rating", NOW)
    assert marks.rounded[:4, 0].tolist() == [1, 0.5, 0, 0.5]
    assert state(marks, 4, 0) == "refused"
    assert marks.one_order == 1


@pytest.mark.parametrize(
    ("mean", "category"),
    [(0, 0), (0.2, 0), (0.25, 0.5), (0.5, 0.5), (0.75, 0.5), (0.8, 1), (1, 1)],
)
def test_repeats_of_a_comparison_round_alike_for_both_sides(mean: float, category: float) -> None:
    code = categories_of(np.array([mean]), DIMENSIONS["rating"])[0]
    assert DIMENSIONS["rating"].categories[code] == category


def test_repeats_of_a_comparison_are_averaged() -> None:
    rows = [
        game("a", order, outcome, repeat=repeat)
        for repeat, outcome in ((1, 1), (2, 1), (3, 0))
        for order in ("idea", "reference")
    ]
    assert marks_of(study(comparisons=rows), "rating", NOW).values.item() == pytest.approx(2 / 3)


def test_only_what_was_judged_is_compared() -> None:
    assert present_dimensions(study()) == ()
    assert present_dimensions(study(scores=[score("a", "x", 5)])) == ("overall",)
    graded = study(verdicts=[verdict("a", "x", (1, 2, 3))])
    assert present_dimensions(graded) == ("gate", "problem", "method", "specificity")


def test_unknown_names_are_refused_with_the_nearest() -> None:
    marks = marks_of(study(scores=[score("a", "gpt", 5)]), "overall", NOW)
    with pytest.raises(UsageError, match="Did you mean 'gpt'"):
        marks.column("gtp")
    with pytest.raises(UsageError, match="Did you mean 'overall'"):
        marks_of(study(), "overal", NOW)


def test_an_idea_that_the_study_lacks_is_still_a_unit() -> None:
    rows = [score("ghost", "x", 5), score("ghost", "y", 5)]
    marks = marks_of(study(scores=rows), "overall", NOW)
    assert marks.topics.tolist() == [""]
    assert (marks.codes >= 0).all()
