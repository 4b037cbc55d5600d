"""The published numbers stand as printed, and beside a study by position alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import case_study, case_tables, study

from core.published import PUBLISHED, beside


def value(quantity: str, side: str) -> object:
    found = beside(case_study().score()).rows.set_index("quantity")
    return found.loc[quantity, side]


def test_table_three_counts_every_idea_once() -> None:
    counts = [pair for pair in PUBLISHED if pair.table == "Table 3"]
    assert sum(pair.better for pair in counts) == sum(pair.other for pair in counts) == 100


def test_numbers_are_those_of_the_paper(root: Path) -> None:
    paper = root.parent / "shared" / "papers" / "hindsight.txt"
    if not paper.is_file():
        pytest.skip("the paper's text is not beside this checkout")
    text = paper.read_text(encoding="utf-8").replace("$-$", "-").replace("+", "")
    for pair in PUBLISHED:
        if pair.table == "Table 2":
            dimension = pair.quantity.removeprefix("rho_").capitalize()
            row = f"{dimension}\t{pair.better:.3f}\t{pair.p}\t{pair.other:.3f}\t{pair.p_other}"
            assert row in text
        elif pair.quantity in ("mean", "median"):
            assert f"({pair.quantity})\t{pair.better:.3f}\t{pair.other:.3f}" in text


def test_the_better_system_is_the_one_with_the_higher_mean() -> None:
    # alpha: (0.6 + 0.46 + 0 + 0) / 4 = 0.265; beta: (0.3 + 0 + 0 + 0.46) / 4 = 0.19.
    found = beside(case_study().score())
    assert (found.better, found.other, found.systems) == ("alpha", "beta", 2)
    assert value("mean", "own_better") == pytest.approx(0.265)
    assert value("mean", "own_other") == pytest.approx(0.19)
    assert value("match_rate", "own_better") == pytest.approx(3 / 4)
    assert value("mean", "paper_better") == 0.297


def test_judges_quadrants_and_correlations_are_the_systems_own() -> None:
    assert value("judge_overall", "own_better") == pytest.approx((5 + 8 + 9 + 4) / 4)
    assert value("hidden_gem", "own_better") == 1
    assert value("hidden_gem", "own_n_other") == 3  # i8 is unscored
    # ρ of alpha: scores rank 4, 3, 1.5, 1.5 against marks 2, 3, 4, 1.
    assert value("rho_overall", "own_better") == pytest.approx(-0.105409, abs=1e-5)


def test_p_of_the_comparison_is_found_whichever_system_leads() -> None:
    score = case_study().score()
    row = next(row for row in score.comparisons if row.metric == "hindsight")
    assert value("mean", "own_p") == row.p
    assert value("match_rate", "own_p") is None


def test_one_system_has_none_beside_the_baseline() -> None:
    tables = case_tables()
    for idea in tables["ideas"]:
        idea["system"] = "only"
    found = beside(study(config_values={"settings": {"theta": 0.5}}, **tables).score())
    assert (found.better, found.other) == ("only", None)
    assert found.rows["own_other"].isna().all()


def test_without_judges_marks_are_unknown_not_zero() -> None:
    tables = case_tables() | {"scores": []}
    found = beside(study(config_values={"settings": {"theta": 0.5}}, **tables).score())
    rows = found.rows.set_index("quantity")
    assert rows.loc["judge_overall", "own_better"] is None
    assert rows.loc["hidden_gem", "own_better"] is None
