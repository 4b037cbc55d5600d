"""The paper's studies by hand: pair accuracy, experts, decisions, sources, the report."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import study
from scipy import stats

from core.config import Settings
from core.errors import DataError
from core.ligbench.debias import debias
from core.ligbench.pair_accuracy import pair_accuracy
from core.ligbench.references import references_report, verdict_of
from core.ligbench.studies import accepted_rejected, expert_agreement, one_source

SETTINGS = Settings(draws=200, orders=10)


def reference(number: int, rating: float | None, **more: Any) -> dict[str, Any]:
    own = {"reference_id": f"r{number}", "title": f"Paper {number}", "venue": "V", "year": 2024}
    return own | {"rating": rating} | more


REFERENCES = [reference(n, rating) for n, rating in enumerate((1.0, 2.0, 2.0, 4.0, None))]


def choice(idea: str, other: str, rating: float, **more: Any) -> dict[str, Any]:
    own = {"idea_id": idea, "reference_id": other, "judge": "j", "order": "idea_first"}
    return own | {"rating": rating} | more


def rating_row(found: Any, source: str, judge: str = "j") -> dict[str, Any]:
    frame = found.frame
    chosen = frame[
        (frame["source"] == source) & (frame["judge"] == judge) & (frame["dimension"] == "rating")
    ]
    assert len(chosen) == 1
    return dict(chosen.iloc[0])


def test_pair_accuracy_of_comparisons_by_hand() -> None:
    comparisons = [
        choice("r3", "r0", 1),  # right, gap 3
        choice("r0", "r1", 1),  # wrong, gap 1
        choice("r1", "r3", 0.5),  # a tie counts ½, gap 2
        choice("r1", "r2", 1),  # equal truth: left out
        choice("r4", "r0", 1),  # no truth
        choice("i", "r0", 1),  # an idea, not a reference
    ]
    made = study(
        ideas=[{"idea_id": "i", "system": "s"}], references=REFERENCES, comparisons=comparisons
    )
    row = rating_row(pair_accuracy(made, SETTINGS), "comparisons")
    # (1 + 0 + 1/2) / 3 = 1/2; gaps (3 + 1 + 2)/3 = 2, of the wrong one 1.
    assert row["n"] == 3
    assert row["accuracy"] == 0.5
    assert (row["gap"], row["wrong"], row["wrong_gap"]) == (2, 1, 1)
    assert (row["ties"], row["equal_truth"]) == (1, 1)


def test_either_place_and_both_orders_are_one_pair() -> None:
    comparisons = [
        choice("r3", "r0", 1),
        choice("r3", "r0", 0, order="reference_first"),  # a flip: a tie
        choice("r0", "r3", 0),  # the same pair the other way round names r3
    ]
    row = rating_row(
        pair_accuracy(study(references=REFERENCES, comparisons=comparisons), SETTINGS),
        "comparisons",
    )
    # ½ and 1 from r3's side: their mean names r3.
    assert (row["n"], row["accuracy"]) == (1, 1)


def test_marks_against_a_slow_twin() -> None:
    generator = np.random.default_rng(3)
    references = [
        reference(n, float(generator.integers(0, 6)), venue=str(n % 2)) for n in range(12)
    ]
    marks = [
        {"idea_id": f"r{n}", "judge": "j", "repeat": repeat, "rating": float(generator.integers(6))}
        for n in range(12)
        for repeat in (1, 2)
    ]
    made = study(references=references, starts=marks)
    truth = debias(made.references).frame.set_index("reference_id")["rating"]
    given = made.starts.groupby("idea_id")["rating"].mean()
    points, gaps, wrong = [], [], []
    for a, b in combinations(sorted(truth.index), 2):
        gap = truth[a] - truth[b]
        if abs(gap) < 1e-9:
            continue
        own = given[a] - given[b]
        points.append(0.5 if own == 0 else float((own > 0) == (gap > 0)))
        gaps.append(abs(gap))
        wrong += [abs(gap)] if points[-1] == 0 else []
    row = rating_row(pair_accuracy(made, SETTINGS), "marks")
    assert row["n"] == len(points)
    assert row["accuracy"] == pytest.approx(np.mean(points))
    assert row["gap"] == pytest.approx(np.mean(gaps))
    assert row["wrong_gap"] == pytest.approx(np.mean(wrong))
    assert row["low"] <= row["accuracy"] <= row["high"]


def test_the_truth_itself_is_always_right_and_its_mirror_never() -> None:
    marks = [
        {"idea_id": f"r{n}", "judge": name, "rating": rating if name == "true" else 5 - rating}
        for n, rating in enumerate((1.0, 2.0, 3.0, 4.0))
        for name in ("true", "mirror")
    ]
    references = [reference(n, rating) for n, rating in enumerate((1.0, 2.0, 3.0, 4.0))]
    found = pair_accuracy(study(references=references, starts=marks), SETTINGS)
    assert rating_row(found, "marks", "true")["accuracy"] == 1
    assert rating_row(found, "marks", "mirror")["accuracy"] == 0
    assert rating_row(found, "marks", "true")["wrong_gap"] is None or pd.isna(
        rating_row(found, "marks", "true")["wrong_gap"]
    )


def test_debiasing_decides_pairs_across_venues() -> None:
    # Raw 3 beats 2, but venue A is generous: means 3.5 and 1.5, so debiased 2.0 and 3.0.
    references = [
        reference(0, 3.0, venue="A"),
        reference(1, 4.0, venue="A"),
        reference(2, 1.0, venue="B"),
        reference(3, 2.0, venue="B"),
    ]
    made = study(references=references, comparisons=[choice("r0", "r3", 0)])
    assert rating_row(pair_accuracy(made, SETTINGS), "comparisons")["accuracy"] == 1


def test_nothing_to_judge_by_is_said() -> None:
    with pytest.raises(DataError, match="import references"):
        pair_accuracy(study(), SETTINGS)
    made = study(references=REFERENCES, comparisons=[choice("r1", "r2", 1)])
    row = rating_row(pair_accuracy(made, SETTINGS), "comparisons")
    assert row["accuracy"] is None or pd.isna(row["accuracy"])
    assert row["undefined"] == "no judged pair has debiased scores that differ"


def test_agreement_with_experts_by_hand() -> None:
    comparisons = [
        choice("i", "r0", 1),
        choice("i", "r1", 0),
        choice("i", "r2", 0.5),
        choice("i", "r3", 1),
        choice("i", "r0", 1, judge="ann"),
        choice("i", "r1", 1, judge="ann"),
        choice("i", "r2", 0.5, judge="ann"),
    ]
    found = expert_agreement(study(comparisons=comparisons), SETTINGS, ["ann"])
    row = found.frame[found.frame["dimension"] == "rating"].iloc[0]
    # Three pairs of both, two alike; of the two that both decide, one alike.
    assert (row["expert"], row["judge"], row["n"]) == ("ann", "j", 3)
    assert row["agreement"] == pytest.approx(2 / 3)
    assert (row["decided_n"], row["decided"]) == (2, 0.5)
    with pytest.raises(DataError, match="Did you mean 'ann'"):
        expert_agreement(study(comparisons=comparisons), SETTINGS, ["anne"])


def test_accepted_and_rejected_against_scipy() -> None:
    scores = {"Accept (poster)": [3.0, 3.5, 4.0], "Reject": [1.0, 2.0], "Withdrawn": [5.0]}
    references = [
        reference(n, score, decision=decision)
        for n, (decision, score) in enumerate((d, s) for d, own in scores.items() for s in own)
    ]
    found = accepted_rejected(study(references=references), SETTINGS)
    row = found.frame[found.frame["dimension"] == "rating"].iloc[0]
    oracle = stats.ttest_ind([3.0, 3.5, 4.0], [1.0, 2.0], equal_var=False).confidence_interval()
    assert (row["accepted"], row["rejected"], row["difference"]) == (3.5, 1.5, 2.0)
    assert (row["low"], row["high"]) == pytest.approx((oracle.low, oracle.high))
    assert found.undecided == {"Withdrawn": 1}
    assert set(found.frame["source"]) == {"reviews"}
    other = found.frame[found.frame["dimension"] == "soundness"].iloc[0]
    assert other["undefined"] == "no accepted paper has a score"


def test_references_compared_as_ideas_are_rated_too() -> None:
    references = [reference(n, 2.5, decision="Accept" if n < 2 else "Reject") for n in range(4)]
    comparisons = [choice(f"r{n}", f"r{m}", 1 if n < 2 else 0) for n in range(4) for m in range(4)]
    found = accepted_rejected(study(references=references, comparisons=comparisons), SETTINGS)
    elo = found.frame[(found.frame["source"] == "elo") & (found.frame["dimension"] == "rating")]
    assert float(elo["accepted"].iloc[0]) > 2.5 > float(elo["rejected"].iloc[0])


def test_one_source_beside_all() -> None:
    references = [
        reference(0, 2.0, venue="A"), reference(1, 3.0, venue="A"), reference(2, 2.5, venue="B")
    ]  # fmt: skip
    ideas = [{"idea_id": name, "system": "s"} for name in "xy"]
    comparisons = [choice(i, f"r{n}", 1 if n < 2 else 0) for i in "xy" for n in range(3)]
    made = study(ideas=ideas, references=references, comparisons=comparisons[:-1])
    found = one_source(made, SETTINGS).frame
    rows = found[found["dimension"] == "rating"].set_index("venue")
    assert rows["n"].to_dict() == {"A 2024": 2, "B 2024": 1}
    assert rows.loc["A 2024", "difference"] > 0 > rows.loc["B 2024", "difference"]
    a = rows.loc["A 2024"]
    assert a["relative"] == pytest.approx(a["difference"] / a["mean_all"])
    soundness = found[(found["dimension"] == "soundness")].iloc[0]
    assert "no idea met" in soundness["undefined"]


def test_one_venue_only_is_all_of_it() -> None:
    made = study(
        ideas=[{"idea_id": "x", "system": "s"}],
        references=REFERENCES,
        comparisons=[choice("x", "r0", 1), choice("x", "r3", 0)],
    )
    row = one_source(made, SETTINGS).frame.iloc[0]
    assert row["difference"] == 0


@pytest.mark.parametrize(
    ("decision", "verdict"),
    [
        ("Accept (Poster)", "accepted"),
        ("accept-spotlight", "accepted"),
        ("Oral", "accepted"),
        ("Reject", "rejected"),
        ("Desk reject", "rejected"),
        ("Withdrawn", None),
        ("Unknown", None),
        (None, None),
    ],
)
def test_a_decision_says_one_thing_or_neither(decision: str | None, verdict: str | None) -> None:
    assert verdict_of(decision) == verdict


def test_the_report_of_the_references() -> None:
    references = [
        reference(0, 2.0, venue="A", decision="Accept", area="x", extra={"scale": "rating 0..10"}),
        reference(1, 4.0, venue="A", decision="Accept", area="y"),
        reference(2, 5.0, venue="B", decision="Reject", area="x"),
        reference(3, None, venue="B", title="PAPER 2"),
    ]
    found = references_report(study(references=references))
    assert found.n == 4
    assert found.unreviewed == 1
    assert found.repeated == ("Paper 2",)
    assert found.venues[["venue", "n", "share", "reviewed"]].values.tolist() == [
        ["A", 2, 0.5, 2],
        ["B", 2, 0.5, 1],
    ]
    assert found.venues["scale"].iloc[0] == "rating 0..10"
    assert found.decisions.values.tolist() == [
        ["Accept", 2, 0.5],
        ["Reject", 1, 0.25],
        ["not stated", 1, 0.25],
    ]
    rating = found.means[found.means["dimension"] == "rating"]
    # Means 3 and 5, of all 11/3: debiased both stand at 11/3.
    assert rating["before"].tolist() == [3, 5]
    assert rating["after"].tolist() == pytest.approx([11 / 3, 11 / 3])
    assert references_report(study()).n == 0
