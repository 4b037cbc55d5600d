"""Novelty: eqs 12 to 14 by hand, their laws, calibration, and what stays unknown."""

from __future__ import annotations

from dataclasses import replace
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import study
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.config import Settings
from core.errors import DataError
from core.ligbench.novelty import (
    NO_PAPER,
    fused_novelty,
    novelty,
    novelty_map,
    similarity_novelty,
    weighted_similarity,
)
from core.ligbench.similar_papers import (
    SimilarInfo,
    SimilarPapers,
    find_similar,
    inputs_digest,
    is_stale,
    read_similar,
)
from core.study import Study

FIXED = Settings(novelty_map="fixed")


def test_weighted_similarity_by_hand() -> None:
    # α max + (1 − α) mean = 3/5 · 9/10 + 2/5 · (9/10 + 5/10 + 4/10)/3 = 54/100 + 24/100.
    assert weighted_similarity(np.array([0.9, 0.5, 0.4]), 0.6) == pytest.approx(0.78)
    assert weighted_similarity(np.array([0.9, 0.5]), 1.0) == 0.9
    assert weighted_similarity(np.array([0.9, 0.5]), 0.0) == pytest.approx(0.7)


def test_the_map_by_hand() -> None:
    assert float(similarity_novelty(0.72, 12, 0.72)) == 2.5
    # The paper says that f(1) is 0; by its own formula it is 5/(1 + e^(12 · 0.28)) = 0.168.
    assert float(similarity_novelty(1.0, 12, 0.72)) == pytest.approx(5 / (1 + exp(3.36)))
    assert round(float(similarity_novelty(1.0, 12, 0.72)), 3) == 0.168


def test_the_fusion_by_hand() -> None:
    assert fused_novelty(2.0, 4.0, 0.7) == pytest.approx(2.6)  # 7/10 · 2 + 3/10 · 4


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0.1, 60), st.floats(-1, 1))
def test_the_map_falls_and_is_symmetric_about_its_centre(
    a: float, b: float, k: float, mu: float
) -> None:
    low, high = sorted((a, b))
    first, second = (float(similarity_novelty(s, k, mu)) for s in (low, high))
    assert 5 >= first >= second >= 0
    mirrored = float(similarity_novelty(2 * mu - a, k, mu))
    assert float(similarity_novelty(a, k, mu)) + mirrored == pytest.approx(5)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=20), st.floats(0, 1))
def test_the_weighted_similarity_lies_between_mean_and_maximum(
    values: list[float], alpha: float
) -> None:
    found = weighted_similarity(np.array(values), alpha)
    assert np.mean(values) - 1e-12 <= found <= max(values) + 1e-12


def test_the_fit_gives_the_papers_k_at_the_papers_quartiles() -> None:
    # Quartiles 0.61 and 0.79, median 0.71: k = 12 · 0.18 / 0.18 = 12 and μ = 0.71.
    fitted = novelty_map(np.array([0.55, 0.61, 0.71, 0.79, 0.85]), Settings())
    assert fitted.k == pytest.approx(12)
    assert fitted.mu == 0.71
    assert fitted.quartiles == (0.61, 0.79)


def test_a_close_encoder_is_told_apart_only_by_the_fitted_map() -> None:
    close = np.linspace(0.91, 0.98, 21)
    fixed = novelty_map(close, FIXED)
    assert fixed.k is not None
    assert fixed.mu is not None
    assert np.ptp(similarity_novelty(close, fixed.k, fixed.mu)) < 0.3
    fitted = novelty_map(close, Settings())
    assert fitted.k is not None
    assert fitted.mu is not None
    assert np.ptp(similarity_novelty(close, fitted.k, fitted.mu)) > 3


def test_moving_all_similarities_moves_the_fit_along() -> None:
    values = np.array([0.2, 0.35, 0.4, 0.5, 0.7])
    one, other = novelty_map(values, Settings()), novelty_map(values + 0.1, Settings())
    assert one.k is not None
    assert one.mu is not None
    assert other.mu == pytest.approx(one.mu + 0.1)
    assert other.k == pytest.approx(one.k)


@pytest.mark.parametrize(
    ("values", "reason"), [([0.5, 0.6], "too few"), ([0.5] * 6, "do not differ"), ([], "too few")]
)
def test_a_map_that_cannot_be_fitted_says_why(values: list[float], reason: str) -> None:
    fitted = novelty_map(np.array(values), Settings())
    assert fitted.k is None
    assert fitted.undefined is not None
    assert reason in fitted.undefined
    assert fitted.curve().empty


IDEAS = [
    {"idea_id": f"i{n}", "system": "a" if n < 3 else "b", "problem": f"p{n}"} for n in range(5)
]


def similar(pairs: list[tuple[str, str, float, bool]]) -> SimilarPapers:
    import pandas as pd

    frame = pd.DataFrame(pairs, columns=["idea_id", "paper_id", "similarity", "ambiguous"])
    frame["rank"] = frame.groupby("idea_id").cumcount() + 1
    info = SimilarInfo(
        encoder="e", revision="", encoder_digest="", depth=100, inputs="", digest="d"
    )
    return SimilarPapers(frame=frame, info=info)


PAIRS = [
    ("i0", "p1", 0.9, False),
    ("i0", "p2", 0.7, False),
    ("i1", "p1", 0.72, False),
    ("i2", "p3", 0.8, True),
]


def test_an_ideas_novelty_by_hand_and_what_is_unknown() -> None:
    made = study(
        ideas=IDEAS,
        starts=[
            {"idea_id": "i1", "judge": "j", "repeat": 1, "novelty": 3},
            {"idea_id": "i1", "judge": "j", "repeat": 2, "novelty": 5},
            {"idea_id": "i0", "judge": "j", "state": "refused"},
        ],
    )
    found = novelty(made, FIXED, similar(PAIRS))
    rows = found.ideas.set_index("idea_id")
    # i1: at μ, so 2.5; start (3 + 5)/2 = 4: 0.7 · 2.5 + 0.3 · 4 = 2.95.
    assert rows.loc["i1", "novelty"] == pytest.approx(2.95)
    assert bool(rows.loc["i1", "start_known"])
    # i0: weighted 0.6 · 0.9 + 0.4 · 0.8 = 0.86, no start: 2.5 stands in.
    by_similarity = 5 / (1 + exp(12 * 0.14))
    assert rows.loc["i0", "novelty"] == pytest.approx(0.7 * by_similarity + 0.3 * 2.5)
    assert not rows.loc["i0", "start_known"]
    # i2's only paper may be younger than its cutoff; i3 has none. Neither is novel.
    for name in ("i2", "i3"):
        assert rows["novelty"].isna()[name]
        assert rows.loc[name, "unknown"] == NO_PAPER
    assert found.systems["n"].tolist() == [2]
    with_it = novelty(made, FIXED.model_copy(update={"ambiguous_dates": "include"}), similar(PAIRS))
    assert with_it.ideas["novelty"].notna().sum() == 3


def test_the_number_of_papers_moves_without_a_search() -> None:
    one = FIXED.model_copy(update={"novelty_n": 1})
    rows = novelty(study(ideas=IDEAS), one, similar(PAIRS)).ideas.set_index("idea_id")
    assert rows.loc["i0", "papers"] == 1
    assert rows.loc["i0", "weighted"] == pytest.approx(0.9)


def test_a_judge_without_a_start_is_named() -> None:
    made = study(ideas=IDEAS, starts=[{"idea_id": "i1", "judge": "judy", "novelty": 3}])
    with pytest.raises(DataError, match="Did you mean 'judy'"):
        novelty(made, FIXED.model_copy(update={"judge": "jud"}), similar(PAIRS))


class Counting:
    """A vector that says how often a text holds 'x' and 'y'."""

    name, revision, digest, dimensions, separator = "counting", "1", "c" * 16, 3, "\n"

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        return np.array([[0.1, t.count("x"), t.count("y")] for t in texts], np.float32)


def stored(tmp_path: Path, papers: list[dict[str, Any]]) -> Study:
    made = study(
        ideas=[
            {"idea_id": "late", "system": "a", "problem": "x"},
            {"idea_id": "early", "system": "a", "problem": "x", "cutoff": "2020-12-31"},
        ],
        papers=papers,
    )
    folder = Study.create(tmp_path / "s", cutoff=made.config.cutoff)
    return replace(made, folder=folder.folder)


def test_only_papers_up_to_each_ideas_cutoff_are_looked_at(tmp_path: Path) -> None:
    papers = [
        {"paper_id": "old", "title": "x y", "published": "2020-05-01"},
        {"paper_id": "last day", "title": "x", "published": "2023-06-30"},
        {"paper_id": "after", "title": "x", "published": "2023-07-01"},
        {"paper_id": "that year", "title": "x", "published": "2023"},
        {"paper_id": "undated", "title": "x"},
    ]
    made = stored(tmp_path, papers)
    found = find_similar(made, encoder=Counting())
    met = {str(n): set(g["paper_id"]) for n, g in found.frame.groupby("idea_id")}
    assert met == {"late": {"old", "last day", "that year"}, "early": {"old"}}
    flags = found.frame.set_index(["idea_id", "paper_id"])["ambiguous"]
    assert bool(flags["late", "that year"])
    assert not flags["late", "last day"]
    again = read_similar(made)
    assert again is not None
    assert again.info == found.info
    assert again.frame.to_dict("records") == found.frame.to_dict("records")
    assert found.info.inputs == inputs_digest(made)
    assert not is_stale(made, again)
    fewer = replace(made, papers=made.papers.head(3))
    assert is_stale(fewer, again)
    assert novelty(fewer, FIXED).stale


def test_no_paper_in_the_past_leaves_every_idea_unknown(tmp_path: Path) -> None:
    made = stored(tmp_path, [{"paper_id": "after", "title": "x", "published": "2024-01-01"}])
    find_similar(made, encoder=Counting())
    found = novelty(made, Settings())
    assert found.ideas["novelty"].isna().all()
    assert found.ideas["unknown"].tolist() == [NO_PAPER] * 2
    assert found.systems.empty


def test_without_stored_similarities_the_command_is_named() -> None:
    with pytest.raises(DataError, match="foreseen novelty"):
        novelty(study(ideas=IDEAS), Settings())
