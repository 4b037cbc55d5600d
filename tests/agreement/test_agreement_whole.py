"""A study's agreement as one result: worked by hand, undefined, and at worst."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from builders import study
from sklearn.metrics import cohen_kappa_score

from core.agreement import Agreement, agreement
from core.commands.options import jsonable
from core.config import Settings
from core.study import Study

FAST = Settings(draws=100)


def scored(marks: dict[str, list[Any]], *, topics: int = 1, **more: Any) -> Study:
    """One mark a judge and idea; text in place of a number is a state."""
    rows = []
    for judge, values in marks.items():
        for place, value in enumerate(values):
            if value is None:
                continue
            row: dict[str, Any] = {"idea_id": f"i{place:02d}", "judge": judge}
            rows.append(row | ({"state": value} if isinstance(value, str) else {"overall": value}))
    n = max(map(len, marks.values()))
    ideas = [
        {"idea_id": f"i{place:02d}", "system": "s", "topic": f"t{place % topics}"}
        for place in range(n)
    ]
    return study(ideas=ideas, scores=rows, **more)


def graded(a: list[int], b: list[int]) -> Study:
    """Two judges' verdicts: 1 passes the gate, 0 does not."""
    grades = {1: (3, 3, 3), 0: (1, 1, 1)}
    rows = [
        {"idea_id": f"i{place}", "paper_id": "p", "judge": judge}
        | dict(zip(("problem", "method", "specificity"), grades[value], strict=True))
        for judge, values in (("a", a), ("b", b))
        for place, value in enumerate(values)
    ]
    return study(verdicts=rows)


def pair(found: Agreement, on: str) -> Any:
    (one,) = [pair for pair in found.pairs if pair.on == on]
    return one


def test_a_gate_worked_by_hand() -> None:
    """20 pairs: 2 both pass, 1 only a, 2 only b, 15 neither.

    p_o = 17/20; passes 3/20 and 4/20; p_e = (3·4 + 17·16)/400 = .71; κ = .14/.29.
    PABAK = 2·.85 − 1. π = 7/40: p_e = 2·7·33/1600 = .28875; AC1 = (.85 − p_e)/(1 − p_e).
    Positive agreement 2·2/(3 + 4), negative 2·15/(17 + 16).
    """
    a = [1] * 2 + [1] + [0] * 2 + [0] * 15
    b = [1] * 2 + [0] + [1] * 2 + [0] * 15
    found = pair(agreement(graded(a, b), FAST), "gate")
    assert found.n == 20
    assert found.table == ((15, 2), (1, 2))
    assert found.agreement == pytest.approx(0.85)
    assert (found.prevalence_of, found.prevalence_a, found.prevalence_b) == (1.0, 0.15, 0.2)
    assert found.kappa == pytest.approx(0.14 / 0.29)
    assert found.kappa_low < found.kappa < found.kappa_high
    assert found.pabak == pytest.approx(0.7)
    assert found.ac1 == pytest.approx((0.85 - 0.28875) / (1 - 0.28875))
    assert found.positive_agreement == pytest.approx(4 / 7)
    assert found.negative_agreement == pytest.approx(30 / 33)
    assert found.undefined is None


def test_scores_use_quadratic_weights_and_the_whole_scale() -> None:
    a, b = [7, 7, 8, 3, 5, 6], [8, 7, 8, 4, 5, 4]
    found = pair(agreement(scored({"a": a, "b": b}), FAST), "overall")
    expected = cohen_kappa_score(a, b, labels=range(1, 11), weights="quadratic")
    assert found.kappa == pytest.approx(expected)
    assert found.kappas["plain"].value == pytest.approx(cohen_kappa_score(a, b))
    assert found.pabak == pytest.approx((10 * 0.5 - 1) / 9)  # Q = 10, used or not
    assert found.prevalence_a is None
    assert found.shares_a[6] == pytest.approx(2 / 6)


def test_a_judge_who_never_varies_is_named() -> None:
    found = pair(agreement(scored({"flat": [7] * 5, "b": [7, 7, 7, 8, 6]}), FAST), "overall")
    assert found.kappa is found.kappa_low is found.kappa_high is None
    assert "'flat' never varies" in found.undefined
    assert found.agreement == pytest.approx(0.6)
    assert found.ac1 is not None
    assert found.spearman is None
    assert "same mark" in found.estimates["spearman"].undefined


def test_full_agreement_on_one_mark_is_not_1() -> None:
    found = agreement(scored({"a": [7] * 4, "b": [7] * 4}), FAST)
    assert pair(found, "overall").kappa is None
    assert "'a' and 'b' never vary" in pair(found, "overall").undefined
    for name in ("alpha", "fleiss_kappa", "icc2_1", "icc2_k", "kendall_w"):
        assert getattr(found.overall, name) is None
        assert found.overall.undefined[name]


def test_perfect_agreement_has_a_bootstrap_interval() -> None:
    found = pair(agreement(scored({"a": [3, 5, 8] * 4, "b": [3, 5, 8] * 4}), FAST), "overall")
    assert (found.kappa, found.kappa_low, found.kappa_high) == (1, 1, 1)
    assert found.kappa_interval.startswith("bootstrap")


def test_left_out_units_are_counted_by_state() -> None:
    marks = {
        "a": [5, 6, "refused", "parse_failed", 7, None, "call_failed"],
        "b": [5, 7, 5, "call_failed", None, 8, None],
    }
    found = pair(agreement(scored(marks), FAST), "overall")
    assert found.n == 2
    assert found.n_left_out == 5
    assert found.left_out_a == {
        "refused": 1, "parse_failed": 1, "call_failed": 1, "not_judged": 1,
    }  # fmt: skip
    assert found.left_out_b == {"call_failed": 1, "not_judged": 2}


def test_the_worst_case_counts_failures_as_disagreements() -> None:
    """Two units marked by both, agreeing on one. Failed: unit 2 (b gave 5: a stands at 10),
    unit 3 (both: half a unit in each far corner). Units that one was never asked are out.
    """
    marks = {
        "a": [5, 6, "refused", "parse_failed", 7, "refused"],
        "b": [5, 7, 5, "call_failed", None, None],
    }
    worst = pair(agreement(scored(marks), FAST), "overall").worst
    assert (worst.n, worst.n_failed) == (4, 2)
    assert worst.agreement == pytest.approx(1 / 4)
    assert worst.pabak == pytest.approx((10 / 4 - 1) / 9)
    # κ with the failed marks put in, each half a unit counted as such.
    a, b = [5, 6, 10, 1, 10], [5, 7, 5, 10, 1]
    assert worst.kappa == pytest.approx(_spaced(a, b, [1, 1, 1, 0.5, 0.5]))


def _spaced(a: list[int], b: list[int], weights: list[float]) -> float:
    """Quadratic κ from its definition: 1 − Σ w (a − b)² / Σ Σ w w' (a − b')² · Σ w."""
    x, y, w = (np.array(values, float) for values in (a, b, weights))
    observed = (w * (x - y) ** 2).sum() / w.sum()
    expected = (np.outer(w, w) * np.subtract.outer(x, y) ** 2).sum() / w.sum() ** 2
    return float(1 - observed / expected)


def test_without_failures_the_worst_case_is_the_case() -> None:
    found = agreement(scored({"a": [3, 5, 8, 4], "b": [3, 6, 8, 2], "c": [1, 5, 9, 9]}), FAST)
    for one in found.pairs:
        assert one.worst.n_failed == 0
        assert one.worst.kappa == pytest.approx(one.kappa)
        assert one.worst.ac1 == pytest.approx(one.ac1)
    for name in ("alpha", "fleiss_kappa", "icc2_1", "icc2_k", "kendall_w"):
        value = getattr(found.overall, name)
        assert getattr(found.overall.worst, name) == pytest.approx(value)


def test_failures_lower_the_set_at_worst() -> None:
    marks = {"a": [2, 5, 8, 4, "refused"], "b": [2, 6, 8, 4, 9], "c": [3, 5, 9, 4, 8]}
    found = agreement(scored(marks), FAST).overall
    assert found.n == 5
    assert found.n_complete == 4
    assert found.left_out == {"refused": 1}
    # The others of unit 4 gave 9 and 8: the refused mark stands at 1.
    filled = agreement(scored(marks | {"a": [2, 5, 8, 4, 1]}), FAST).overall
    for name in ("alpha", "fleiss_kappa", "icc2_1", "icc2_k", "kendall_w"):
        assert getattr(found.worst, name) == pytest.approx(getattr(filled, name))
    assert found.worst.alpha < found.alpha


def test_pairs_without_a_common_unit_say_so() -> None:
    found = agreement(scored({"a": [5, None], "b": [None, 6]}), FAST)
    one = pair(found, "overall")
    assert one.n == 0
    assert one.agreement is one.kappa is one.pabak is one.ac1 is None
    assert "no unit" in one.undefined
    assert found.overall.alpha is None
    assert "no unit" in found.overall.undefined["alpha"]


def test_repeats_worked_by_hand() -> None:
    """Repeats (1, 3), (5, 7): MS_w = (2 + 2)/2 = 2, MS_b = 2·(2² + 2²)/1 = 16; ICC = 14/18."""
    rows = [
        {"idea_id": idea, "judge": "j", "repeat": repeat, "overall": mark}
        for idea, marks in (("a", (1, 3)), ("b", (5, 7)), ("c", (4,)))
        for repeat, mark in enumerate(marks, start=1)
    ]
    (found,) = agreement(study(scores=rows), FAST).repeats
    assert (found.judge, found.dimension, found.n, found.left_out) == ("j", "overall", 2, 1)
    assert found.icc == pytest.approx(14 / 18)
    assert found.sd == pytest.approx(math.sqrt(2))
    assert found.same == 0


def test_one_repeat_is_no_repeat() -> None:
    (found, _) = agreement(scored({"a": [5, 6], "b": [5, 7]}), FAST).repeats
    assert found.n == 0
    assert found.icc is found.sd is None
    assert "no repeats" in found.undefined


def test_states_are_counted_by_judge_and_by_table() -> None:
    marks = {"a": [5, "refused", "refused", "call_failed"], "b": ["parse_failed", 6]}
    verdicts = [{"idea_id": "i", "paper_id": "p", "judge": "a", "state": "refused"}]
    found = agreement(scored(marks, verdicts=verdicts), FAST)
    a, b = found.states
    assert (a.judge, a.ok, a.refused, a.parse_failed, a.call_failed) == ("a", 1, 3, 0, 1)
    assert (b.judge, b.ok, b.refused, b.parse_failed, b.call_failed) == ("b", 1, 0, 1, 0)
    assert [(row.judge, row.source) for row in found.states_by] == [
        ("a", "scores"), ("b", "scores"), ("a", "verdicts"),
    ]  # fmt: skip


def test_overall_prefers_what_two_judges_marked() -> None:
    verdicts = [
        {"idea_id": f"i{n}", "paper_id": "p", "judge": judge, "problem": n % 4, "method": 3,
         "specificity": 2}
        for judge in "ab" for n in range(4)
    ]  # fmt: skip
    alone = agreement(scored({"a": [5, 6]}, verdicts=verdicts), FAST)
    assert alone.overall.on == "gate"
    both = agreement(scored({"a": [5, 6], "b": [5, 7]}, verdicts=verdicts), FAST)
    assert both.overall.on == "overall"
    assert [found.on for found in both.overall_by] == [
        "overall", "gate", "problem", "method", "specificity",
    ]  # fmt: skip


def test_a_study_without_judges_has_reasons_only() -> None:
    found = agreement(study(), FAST)
    assert found.pairs == found.states == found.repeats == ()
    assert found.overall.on is None
    assert set(found.overall.undefined.values()) == {"nobody has judged anything in this study"}


def test_the_same_seed_gives_the_same_result_whatever_the_rows_order() -> None:
    rng = np.random.default_rng(4)
    marks = {judge: rng.integers(1, 11, 30).tolist() for judge in "abc"}
    one = scored(marks, topics=5)
    other = Study(
        config=one.config,
        ideas=one.ideas.sample(frac=1, random_state=1),
        scores=one.scores.sample(frac=1, random_state=2).reset_index(drop=True),
    )
    assert jsonable(agreement(one, FAST).pairs) == jsonable(agreement(other, FAST).pairs)
    assert agreement(one, FAST).resampled == "topics"
    moved = agreement(one, Settings(draws=100, seed=1))
    assert moved.overall.alpha == agreement(one, FAST).overall.alpha
    assert moved.overall.alpha_low != agreement(one, FAST).overall.alpha_low


def test_no_figure_is_nan_and_every_none_has_a_reason() -> None:
    marks = {
        "a": [5, "refused", 7, 7, None, 2],
        "flat": [7, 7, 7, 7, 7, 7],
        "c": ["call_failed"] * 6,
    }
    found = agreement(scored(marks, topics=2), FAST)
    assert not any(isinstance(v, float) and not math.isfinite(v) for v in _leaves(found))
    for one in found.pairs:
        assert (one.kappa is None) == bool(one.undefined)
        for estimate in one.estimates.values():
            assert (estimate.value is None) == bool(estimate.undefined)


def _leaves(value: Any) -> list[Any]:
    if is_dataclass(value) and not isinstance(value, type):
        return [leaf for f in fields(value) for leaf in _leaves(getattr(value, f.name))]
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value]


def test_holms_correction_runs_over_all_pairs() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 11, 20)
    marks = {
        judge: np.clip(truth + rng.integers(-3, 4, 20), 1, 10).tolist() for judge in ("a", "b", "c")
    }
    found = agreement(scored(marks), FAST)
    p = sorted((one.spearman_p, one.spearman_p_adjusted) for one in found.pairs)
    assert p[0][1] == pytest.approx(3 * p[0][0])
    assert p[1][1] == pytest.approx(max(3 * p[0][0], 2 * p[1][0]))


def test_the_result_is_a_table_too() -> None:
    frame = agreement(scored({"a": [5, 6, 7], "b": [5, 6, 8]}), FAST).to_frame()
    assert frame.loc[0, ["judge_a", "judge_b", "on", "n"]].tolist() == ["a", "b", "overall", 3]
    assert "worst_kappa" in frame
