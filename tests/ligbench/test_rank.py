"""Debiasing, games and the ratings of a whole study."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import study, table
from hypothesis import given
from hypothesis import strategies as st

from core.config import Settings
from core.errors import DataError
from core.ligbench.debias import debias
from core.ligbench.fusion import fuse
from core.ligbench.games import combined, components, flip_rates, games
from core.ligbench.rank import rank

REFERENCES: list[dict[str, Any]] = [
    {"reference_id": "a1", "title": "A", "venue": "ICLR", "year": 2024, "rating": 2.0},
    {"reference_id": "a2", "title": "B", "venue": "ICLR", "year": 2024, "rating": 3.0},
    {"reference_id": "b1", "title": "C", "venue": "ICLR", "year": 2025, "rating": 4.0},
    {"reference_id": "c1", "title": "D", "venue": "NeurIPS", "year": 2024},
]


def compared(idea: str, reference: str, order: str, rating: float, **more: Any) -> dict[str, Any]:
    return {
        "idea_id": idea,
        "reference_id": reference,
        "judge": "j",
        "order": order,
        "rating": rating,
        **more,
    }


def test_debiasing_by_hand() -> None:
    # Means: ICLR 2024 5/2, ICLR 2025 4, all 9/3 = 3. Shifts +1/2 and −1.
    result = debias(table("references", REFERENCES))
    assert result.frame["rating"].tolist()[:3] == [2.5, 3.5, 3.0]
    assert np.isnan(result.frame["rating"].iloc[3])
    assert result.overall == {"rating": 3.0, "contribution": None, "soundness": None}
    rating = result.groups[result.groups["dimension"] == "rating"].set_index(["venue", "year"])
    assert rating.loc[("ICLR", 2024), "shift"] == 0.5
    assert rating.loc[("ICLR", 2025), "note"] == "one paper: it is moved onto the mean of all"
    assert rating.loc[("NeurIPS", 2024), "n"] == 0
    assert pd.isna(rating.loc[("NeurIPS", 2024), "mean"])


@given(
    st.lists(st.tuples(st.sampled_from(["x", "y", "z"]), st.floats(0, 5)), min_size=1, max_size=20)
)
def test_debiasing_keeps_gaps_within_a_venue_and_equalises_means(
    rows: list[tuple[str, float]],
) -> None:
    frame = table(
        "references",
        [
            {"reference_id": str(i), "title": "t", "venue": venue, "year": 2024, "rating": score}
            for i, (venue, score) in enumerate(rows)
        ],
    )
    moved = debias(frame).frame
    for _, group in moved.groupby("venue"):
        own = frame.loc[group.index, "rating"]
        assert (group["rating"] - own).std(ddof=0) == pytest.approx(0, abs=1e-9)
        assert group["rating"].mean() == pytest.approx(frame["rating"].mean(), abs=1e-9)


def test_two_orders_that_disagree_are_a_tie_and_a_flip() -> None:
    frame = table(
        "comparisons",
        [
            compared("i", "a1", "idea_first", 1),
            compared("i", "a1", "reference_first", 0),
            compared("i", "a2", "idea_first", 1),
            compared("i", "a2", "reference_first", 1),
            compared("i", "b1", "idea_first", 0),
            compared("i", "c1", "idea_first", 1),
            {**compared("i", "c1", "reference_first", 0), "state": "refused", "rating": None},
        ],
    )
    rows = combined(frame).set_index("reference_id")
    assert rows["outcome"].to_dict() == {"a1": 0.5, "a2": 1.0, "b1": 0.0, "c1": 1.0}
    assert rows["one_order"].to_dict() == {"a1": False, "a2": False, "b1": True, "c1": True}
    # Two pairs were judged in both orders, one of them turned.
    assert flip_rates(frame).to_dict("records") == [
        {"judge": "j", "dimension": "rating", "n": 2, "rate": 0.5}
    ]


def test_repeats_and_judges_are_averaged() -> None:
    frame = table(
        "comparisons",
        [
            compared("i", "a1", "idea_first", 1, repeat=1),
            compared("i", "a1", "idea_first", 0.5, repeat=2),
            compared("i", "a1", "idea_first", 0, judge="k"),
        ],
    )
    references = debias(table("references", REFERENCES))
    by_judge = games(frame, references, "j").frame
    assert by_judge["outcome"].tolist() == [0.75]
    # 'all' is the mean over judges: (3/4 + 0)/2.
    assert games(frame, references).frame["outcome"].tolist() == [0.375]


def small_study(order: int = 1) -> Any:
    comparisons = [
        compared("i1", "a1", "idea_first", 1),
        compared("i1", "a2", "idea_first", 0.5),
        compared("i2", "a1", "idea_first", 0),
        compared("i2", "c1", "idea_first", 1),
    ]
    return study(
        ideas=[
            {"idea_id": "i1", "system": "A", "topic": "t"},
            {"idea_id": "i2", "system": "B", "topic": "t"},
            {"idea_id": "i3", "system": "B", "topic": "u"},
        ],
        references=REFERENCES[::order],
        comparisons=comparisons[::order],
        starts=[
            {"idea_id": "i1", "judge": "j", "rating": 3.0},
            {"idea_id": "i1", "judge": "k", "repeat": 1, "rating": 4.0},
            {"idea_id": "i1", "judge": "k", "repeat": 2, "state": "refused"},
        ],
    )


def test_a_study_is_ranked() -> None:
    result = rank(small_study(), Settings())
    ideas = result.ideas.set_index("idea_id")
    assert ideas.loc["i1", "start"] == 3.5
    assert ideas.loc["i1", ["wins", "ties", "losses", "games"]].tolist() == [1, 1, 0, 2]
    assert ideas.loc["i2", "start"] == 2.5
    assert not ideas.loc["i2", "start_known"]
    assert ideas.loc["i2", "one_sided"] == "lost every game"
    assert ideas.loc["i2", "games"] == 1, "the reference without a score is no game"
    assert result.unplayable.to_dict("records") == [
        {"idea_id": "i2", "reference_id": "c1", "dimension": "rating"}
    ]
    assert result.unrated == ("i3",)
    assert result.systems["n"].tolist() == [1, 1]
    assert result.one_order == 1.0
    assert len(result.cautions) == 5


def test_the_order_of_rows_changes_nothing() -> None:
    one, other = rank(small_study(), Settings()), rank(small_study(-1), Settings())
    pd.testing.assert_frame_equal(one.ideas, other.ideas)
    pd.testing.assert_frame_equal(one.systems, other.systems)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(DataError, match="no references"):
        rank(study(), Settings())
    with pytest.raises(DataError, match="no comparisons"):
        rank(study(references=REFERENCES), Settings())
    with pytest.raises(DataError, match=r"'jj' compared nothing. Did you mean 'j'"):
        rank(small_study(), Settings(judge="jj"))


def test_fusion_by_hand() -> None:
    # b: 1/62 + 1/61; a: 1/61; c: 1/62.
    assert fuse([["a", "b"], ["b", "c"]]) == [
        ("b", pytest.approx(1 / 62 + 1 / 61)),
        ("a", pytest.approx(1 / 61)),
        ("c", pytest.approx(1 / 62)),
    ]
    assert fuse([["a", "a"], []]) == [("a", pytest.approx(1 / 61))]


def test_ideas_that_share_no_reference_are_told_apart() -> None:
    comparisons = [
        compared("i", "a1", "idea_first", 1),
        compared("k", "a1", "idea_first", 0),
        compared("m", "a2", "idea_first", 0),
        compared("a2", "b1", "idea_first", 0),  # a reference in the idea's place is no idea
    ]
    ideas = [{"idea_id": name, "system": "s"} for name in "ikm"]
    made = study(ideas=ideas, references=REFERENCES, comparisons=comparisons)
    found = rank(made, Settings(orders=2))
    assert found.components == (("i", "k"), ("m",))
    assert any("2 groups that share no reference" in caution for caution in found.cautions)
    joined = study(
        ideas=ideas,
        references=REFERENCES,
        comparisons=[*comparisons, compared("m", "a1", "idea_first", 1)],
    )
    assert len(rank(joined, Settings(orders=2)).components) == 1


def test_many_references_make_one_group() -> None:
    """200 ideas in a chain of 201 references: more than a byte can number."""
    rows = [
        {"idea_id": f"i{n}", "reference_id": f"r{n + side}"} for n in range(200) for side in (0, 1)
    ]
    assert [len(group) for group in components(pd.DataFrame(rows))] == [200]
    assert components(pd.DataFrame(rows[:0], columns=["idea_id", "reference_id"])) == ()
