"""Systems held against each other, wins by the opponent, one idea's games, and HindSight beside."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import case_tables, study
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from scipy.stats import spearmanr

from core.config import Settings
from core.errors import DataError
from core.ligbench.contrasts import contrasts, rated, win_fractions
from core.ligbench.elo import UNSEEN_START
from core.ligbench.idea_games import MODES, idea_games
from core.ligbench.meeting import EVERY_SYSTEM, disagreements, meeting
from core.ligbench.rank import rank
from core.study import Study

QUICK = Settings(theta=0.5, draws=100, orders=20)
DIMENSIONS = ("rating", "contribution", "soundness")
SCORES = (1.0, 2.0, 3.0, 4.0)
QUALITY = {"i1": 4.5, "i2": 3.5, "i3": 2.5, "i4": 3.5, "i5": 1.5, "i6": 2.5, "i7": 0.5}


def tables(quality: dict[str, float] = QUALITY, **changed: Any) -> dict[str, list[dict[str, Any]]]:
    """The small study of cases; one judge names the better of idea and reference in both orders.

    One venue, so debiasing moves nothing: references stand at 1, 2, 3 and 4.
    """
    made = case_tables()
    made["references"] = [
        {"reference_id": f"r{n}", "title": f"Reviewed {n}", "venue": "ICLR", "year": 2024,
         **dict.fromkeys(DIMENSIONS, score)}
        for n, score in enumerate(SCORES, start=1)
    ]  # fmt: skip
    made["comparisons"] = [
        {"idea_id": idea, "reference_id": f"r{n}", "judge": "ann", "order": order, "repeat": 1,
         "reason": f"{idea} and r{n}", "state": "ok",
         **dict.fromkeys(DIMENSIONS, float(worth > score))}
        for idea, worth in quality.items()
        for n, score in enumerate(SCORES, start=1)
        for order in ("idea_first", "reference_first")
    ]  # fmt: skip
    return made | changed


@pytest.fixture(scope="module")
def small() -> Study:
    return study(**tables())


def test_a_contrast_is_the_difference_of_the_means(small: Study) -> None:
    ranked = rank(small, QUICK)
    frame = contrasts(small, ranked).frame.set_index("dimension")
    assert list(frame.index) == sorted(DIMENSIONS)
    own = ranked.ideas[ranked.ideas["dimension"] == "rating"].groupby("system")["elo"].mean()
    row = frame.loc["rating"]
    assert (row["a"], row["b"], row["n_a"], row["n_b"]) == ("alpha", "beta", 4, 3)
    assert row["difference"] == pytest.approx(own["alpha"] - own["beta"])
    assert row["low"] <= row["difference"] <= row["high"]
    assert row["told_apart"] == (row["low"] > 0)


def test_systems_that_win_a_topic_each_are_not_told_apart() -> None:
    """On graphs (odd numbers) alpha is better, on agents beta, by the same: the interval of
    drawn topics reaches both ways."""
    crossed = {
        "i1": 3.5,
        "i3": 3.5,
        "i5": 1.5,
        "i7": 1.5,
        "i2": 1.5,
        "i4": 1.5,
        "i6": 3.5,
        "i8": 3.5,
    }
    made = study(**tables(crossed))
    frame = contrasts(made, rank(made, QUICK)).frame
    assert not frame["told_apart"].any()
    assert frame["difference"].abs().max() < 0.05
    assert (frame["low"] < -0.5).all()
    assert (frame["high"] > 0.5).all()


def test_one_system_has_nothing_to_be_held_against() -> None:
    made = tables()
    made["ideas"] = [idea | {"system": "only"} for idea in made["ideas"]]
    lone = study(**made)
    assert contrasts(lone, rank(lone, QUICK)).frame.empty


def test_turning_the_names_turns_the_sign(small: Study) -> None:
    made = tables()
    other = {"alpha": "zeta", "beta": "beta"}
    made["ideas"] = [idea | {"system": other[idea["system"]]} for idea in made["ideas"]]
    turned = study(**made)
    one = contrasts(small, rank(small, QUICK)).frame["difference"]
    two = contrasts(turned, rank(turned, QUICK)).frame["difference"]
    assert two.to_numpy() == pytest.approx(-one.to_numpy())


def test_wins_fall_with_the_references_score(small: Study) -> None:
    """Of alpha's four ideas 4, 4, 3 and 1 beat the references at 1, 2, 3 and 4; of beta's three
    (1.5, 2.5, 0.5) 2, 1, 0 and 0."""
    wins = win_fractions(small, QUICK, "rating", bands=4)
    shares = {name: group["share"].tolist() for name, group in wins.groupby("system")}
    assert shares["alpha"] == pytest.approx([4 / 4, 4 / 4, 3 / 4, 1 / 4])
    assert shares["beta"] == pytest.approx([2 / 3, 1 / 3, 0, 0])
    assert wins["n"].sum() == 7 * 4
    assert (wins["low"] <= wins["share"]).all()
    assert (wins["share"] <= wins["high"]).all()


@given(st.permutations(range(56)))
@limits(max_examples=5, deadline=None)
def test_row_order_plays_no_part(order: list[int]) -> None:
    made = tables()
    made["comparisons"] = [made["comparisons"][place] for place in order]
    one, two = study(**tables()), study(**made)
    pd.testing.assert_frame_equal(
        win_fractions(one, QUICK, "rating"), win_fractions(two, QUICK, "rating")
    )


def test_wins_of_references_of_one_score_are_one_band() -> None:
    made = tables()
    for row in made["references"]:
        row["rating"] = 2.0
    wins = win_fractions(study(**made), QUICK, "rating")
    assert wins["band"].tolist() == [1, 1]
    assert wins["n"].tolist() == [16, 12]


def test_an_ideas_games_are_those_that_rank_it(small: Study) -> None:
    found = idea_games(small, QUICK, "i2", "rating")
    assert found.games["reference_score"].tolist() == [4, 3, 2, 1]
    assert found.games["outcome"].tolist() == [0, 1, 1, 1]
    assert found.games["venue"].unique().tolist() == ["ICLR 2024"]
    assert len(found.replies) == 8
    row = rank(small, QUICK).ideas.set_index(["idea_id", "dimension"]).loc[("i2", "rating")]
    assert found.runs["latent"].mean == row["elo"]
    assert found.fit.value == row["bradley_terry"]
    assert not found.start_known
    assert found.start == UNSEEN_START


def test_both_modes_play_the_same_order_and_paper_is_dragged(small: Study) -> None:
    """First game of each: the same update, which the paper's mode squeezes by tanh."""
    found = idea_games(small, QUICK, "i1", "rating")
    latent, paper = (found.runs[mode].path for mode in MODES)
    squeezed = 2.5 + 2.5 * np.tanh((latent[1] - 2.5) / 2.5)
    assert paper[1] == pytest.approx(squeezed)
    assert 2.5 < paper[-1] < latent[-1]


def test_an_idea_without_a_game_is_undefined_and_not_zero(small: Study) -> None:
    found = idea_games(small, QUICK, "i8", "rating")
    assert found.games.empty
    assert found.fit.value is None
    assert found.fit.undefined == "no game"
    assert found.runs["latent"].mean == UNSEEN_START


def test_what_is_not_there_is_refused(small: Study) -> None:
    with pytest.raises(DataError, match="no idea 'i99'"):
        idea_games(small, QUICK, "i99", "rating")
    with pytest.raises(DataError, match="Did you mean 'rating'"):
        idea_games(small, QUICK, "i1", "ratin")
    with pytest.raises(DataError, match="foreseen judge comparisons"):
        win_fractions(replace(small, comparisons=small.comparisons.iloc[:0]), QUICK, "rating")


def test_hindsight_meets_each_measure_as_scipy_has_it(small: Study) -> None:
    ranked = rank(small, QUICK)
    found = meeting(small, small.score(QUICK), ranked)
    both = found.ideas.dropna(subset=["score", "rating"])
    whole = spearmanr(both["score"], both["rating"])
    row = found.correlations.set_index(["system", "measure"]).loc[(EVERY_SYSTEM, "rating")]
    assert row["n"] == len(both) == 7
    assert row["rho"] == pytest.approx(whole.statistic)
    assert row["p"] == pytest.approx(whole.pvalue)
    assert "novelty" not in set(found.correlations["measure"])


def test_too_few_ideas_leave_the_correlation_undefined() -> None:
    made = study(**tables({"i1": 4.5, "i2": 3.5}))
    found = meeting(made, made.score(QUICK), rank(made, QUICK))
    rows = found.correlations
    assert rows["rho"].isna().all()
    assert rows["undefined"].str.contains("fewer than 3").all()


def test_disagreement_is_the_difference_of_the_mid_ranks(small: Study) -> None:
    """Scores of i1 to i7: 0.6, 0.46, 0, 0, 0.3, 0, 0: i1 ranks 7, so (7 − ½)/7; the four
    at 0 rank 2.5 each, so 2/7. i4 is rated second or third with i2."""
    found = meeting(small, small.score(QUICK), rank(small, QUICK))
    rows = disagreements(found, "rating").set_index("idea_id")
    assert rows.loc["i1", "score_rank"] == pytest.approx(6.5 / 7)
    assert rows.loc["i1", "difference"] == pytest.approx(0)
    assert rows.loc["i3", "score_rank"] == pytest.approx(2 / 7)
    assert rows["difference"].abs().is_monotonic_decreasing
    assert rows["difference"].sum() == pytest.approx(0)
    assert rows.index[0] in ("i4", "i5")
    with pytest.raises(DataError, match="No measure"):
        disagreements(found, "ratings")


def test_rated_has_one_row_an_idea_and_dimension(small: Study) -> None:
    values = rated(rank(small, QUICK))
    assert not values.duplicated(["idea_id", "dimension"]).any()
    assert len(values) == 7 * 3
