"""Published agreement on real files, where they stand beside the checkout."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import study

from core.agreement import agreement, confusion
from core.config import Settings
from core.stats.agreement import krippendorff_alpha, unit_counts

FAST = Settings(draws=100)
OUTCOME = {"0": 0.5, "Tie": 0.5, "1": 1.0, "2": 0.0}
PUBLISHED_JUDGES = {
    "gpt-4o-2024-05-13_temp_0_1_pages_all": 0.66,
    "gpt-4o-2024-05-13_temp_0_1_reflect_5_pages_all": 0.68,
    "gpt-4o-2024-05-13_temp_0_1_reflect_5_ensemble_5_pages_all": 0.68,
    "gpt-4o-2024-05-13_temp_0_1_fewshot_1_reflect_5_ensemble_5_pages_all": 0.70,
}


def test_codings(shared_data: Path) -> None:
    table = pd.read_csv(shared_data / "agreement" / "codings.csv", header=None).to_numpy(float).T
    codes = np.where(np.isnan(table), 0, table).astype(int) - 1
    found = krippendorff_alpha(unit_counts(codes, 5), level="nominal")
    assert found.value == pytest.approx(0.7434211, abs=5e-8)


def test_pandalm(shared_data: Path) -> None:
    """The annotators as judges of comparisons: 1 first better, 2 second better, 0 a tie.

    An unreadable reply is a state: gpt_3_5 has 25, and they are in no table.
    """
    labels = pd.read_csv(shared_data / "agreement" / "pandalm_labels.csv", dtype=str)
    judges = ["annotator1", "annotator2", "annotator3", "gpt_3_5"]
    rows = []
    for record in labels.to_dict("records"):
        for judge in judges:
            label = record[judge]
            row = {"idea_id": record["idx"], "reference_id": record["pair"], "judge": judge}
            row |= {"order": "idea_first"}
            bad = label == "garbage"
            rows.append(row | ({"state": "parse_failed"} if bad else {"rating": OUTCOME[label]}))
    made = study(comparisons=rows)
    found = {(pair.judge_a, pair.judge_b): pair for pair in agreement(made, FAST).pairs}
    kappas = {pair: round(found[pair].kappa, 2) for pair in combinations(judges[:3], 2)}
    assert kappas == {
        ("annotator1", "annotator2"): 0.85,
        ("annotator1", "annotator3"): 0.88,
        ("annotator2", "annotator3"): 0.86,
    }
    assert {found[pair].n for pair in kappas} == {999}
    with_model = found[("annotator1", "gpt_3_5")]
    assert with_model.n == 974
    assert with_model.left_out_b == {"parse_failed": 25}
    assert (with_model.worst.n, with_model.worst.n_failed) == (999, 25)
    assert with_model.worst.agreement == pytest.approx(with_model.agreement * 974 / 999)
    assert with_model.worst.kappa < with_model.kappa


def test_iclr_2022_judges_against_human_decisions(shared_data: Path) -> None:
    """Accuracy is raw agreement on accept or reject; anything but "Reject" was accepted."""
    folder = shared_data / "iclr2022-judges"
    papers = pd.read_json(folder / "papers.jsonl", lines=True)
    marks = pd.read_csv(folder / "llm_judge_scores.csv")
    decisions = dict(zip(papers["paper_id"], papers["decision"] != "Reject", strict=True))
    said = [("people", paper, accepted) for paper, accepted in decisions.items()]
    said += [
        (judge, paper, decision == "Accept")
        for judge, paper, decision in zip(
            marks["judge"], marks["paper_id"], marks["Decision"], strict=True
        )
    ]
    rows = [
        {"idea_id": paper, "paper_id": "decision", "judge": judge}
        | dict.fromkeys(("problem", "method", "specificity"), 3 if accepted else 0)
        for judge, paper, accepted in said
    ]
    made = study(verdicts=rows)
    for judge, published in PUBLISHED_JUDGES.items():
        pair = confusion(made, judge, "people", "gate", FAST).pair
        assert pair.n == 500
        assert pair.agreement == pytest.approx(published, abs=0.005)
    # The judge that accepts 485 of 500 shows why agreement is never given alone.
    lenient = next(name for name in marks["judge"].unique() if name.startswith("claude"))
    pair = confusion(made, lenient, "people", "gate", FAST).pair
    assert pair.prevalence_a == pytest.approx(0.97)
    assert pair.prevalence_b == pytest.approx(184 / 500)
    assert pair.kappa < 0.1


def test_reviewers_who_share_few_papers(shared_data: Path) -> None:
    """ICLR 2026: papers have 0 to 6 reviews, so ICC(2) and W rest on few or none; α on all."""
    papers = pd.read_json(shared_data / "iclr2026-reviews" / "papers.jsonl", lines=True)
    rows = [
        {"idea_id": paper, "judge": f"reviewer {number}", "overall": review["rating"]}
        for paper, reviews in zip(papers["id"], papers["reviews"], strict=True)
        for number, review in enumerate(reviews, start=1)
        if review.get("rating")  # their scale has a 0, ours of scores does not
    ]
    found = agreement(study(scores=rows), FAST).overall
    assert found.n_complete < found.n
    assert found.alpha_low <= found.alpha <= found.alpha_high
    # An independent count: mean within-paper spread against the spread of all marks.
    table = pd.DataFrame(rows)
    sizes = table.groupby("idea_id")["overall"].transform("size")
    paired = table[sizes >= 2]
    within = paired.groupby("idea_id")["overall"].var(ddof=1)
    weights = paired.groupby("idea_id")["overall"].size()
    observed = 2 * (within * weights).sum() / weights.sum()
    expected = 2 * paired["overall"].var(ddof=1)
    assert found.alpha_interval == pytest.approx(1 - observed / expected)
