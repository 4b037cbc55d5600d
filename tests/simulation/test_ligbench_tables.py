"""The simulated references, starts and comparisons: their shape, and that their truth comes out."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, spearmanr

from core.ligbench.debias import DIMENSIONS, debias
from core.ligbench.pair_accuracy import pair_accuracy
from core.ligbench.rank import Rank, rank
from core.simulate import planted_qualities, simulate
from core.simulation.comparisons import COMPARERS, MET
from core.simulation.plan import GROUNDED, VAGUE
from core.simulation.references import REFERENCES, SCALE
from core.simulation.texts import reviews
from core.study import Study


@pytest.fixture(scope="module")
def made() -> Study:
    return simulate(0)


@pytest.fixture(scope="module")
def quality() -> pd.DataFrame:
    return planted_qualities(0).set_index("idea_id")


@pytest.fixture(scope="module")
def ranked(made: Study) -> Rank:
    return rank(made, made.settings)


@pytest.fixture(scope="module")
def met(made: Study) -> pd.DataFrame:
    """The comparisons of ideas; those of two references stand apart."""
    return made.comparisons[made.comparisons["idea_id"].isin(set(made.ideas["idea_id"]))]


def rating(ranked: Rank, dimension: str) -> pd.DataFrame:
    return ranked.ideas[ranked.ideas["dimension"] == dimension].set_index("idea_id")


def test_venues_have_the_papers_shares_and_means(made: Study) -> None:
    """Table 1's means to a thousandth; 32.4, 36.7 and 30.9 % of 160 are 52, 59 and 49."""
    by_venue = made.references.groupby(["venue", "year"])
    assert by_venue.size().to_dict() == {
        ("ICLR", 2024): 52,
        ("ICLR", 2025): 59,
        ("NeurIPS", 2024): 49,
    }
    means = by_venue[list(DIMENSIONS)].mean()
    expected = {
        ("ICLR", 2024): (2.740, 2.689, 2.472),
        ("ICLR", 2025): (2.821, 2.687, 2.498),
        ("NeurIPS", 2024): (2.918, 2.914, 2.721),
    }
    for venue, values in expected.items():
        assert means.loc[venue].to_numpy() == pytest.approx(values, abs=1e-3)


def test_decisions_have_the_papers_shares_and_go_by_the_rating(made: Study) -> None:
    references = made.references
    counts = references["decision"].value_counts()
    assert counts.to_dict() == {"poster": 92, "reject": 58, "spotlight": 7, "oral": 3}
    means = references.groupby("decision")["rating"].mean()
    assert means["oral"] > means["spotlight"] > means["poster"] > means["reject"]


def test_references_are_no_paper_of_the_pool_and_no_idea(made: Study) -> None:
    titles = made.references["title"].str.lower()
    assert len(titles) == REFERENCES
    assert titles.is_unique
    assert not set(titles) & set(made.papers["title"].str.lower())
    assert not set(titles) & set(made.ideas["title"].str.lower())
    assert set(made.references["area"].value_counts()) == {16}
    assert all(extra == {"scale": SCALE} for extra in made.references["extra"])


def test_every_idea_meets_eight_references_of_its_topic_in_both_orders(
    made: Study, met: pd.DataFrame
) -> None:
    area = made.references.set_index("reference_id")["area"]
    topic = made.ideas.set_index("idea_id")["topic"]
    assert (area[met["reference_id"]].to_numpy() == topic[met["idea_id"]].to_numpy()).all()
    assert set(met.groupby(["idea_id", "judge"])["reference_id"].nunique()) == {MET}
    assert set(met.groupby(["idea_id", "reference_id", "judge"])["order"].nunique()) == {2}
    assert len(met) == 200 * MET * 2 * len(COMPARERS)


def test_some_replies_are_refused_or_unreadable(made: Study) -> None:
    for table, marks in ((made.comparisons, DIMENSIONS), (made.starts, (*DIMENSIONS, "novelty"))):
        failed = table["state"] != "ok"
        assert 0.003 < failed.mean() < 0.03
        assert set(table["state"]) <= {"ok", "refused", "parse_failed"}
        assert table.loc[failed, list(marks)].isna().all(axis=None)
        assert table.loc[~failed, list(marks)].notna().all(axis=None)
        assert table["reason"].notna().all()
    assert made.comparisons["state"].nunique() == 3


def test_about_thirteen_choices_in_a_hundred_turn_with_the_order(ranked: Rank) -> None:
    rates = ranked.flip_rates
    assert np.average(rates["rate"], weights=rates["n"]) == pytest.approx(0.13, abs=0.02)
    assert rates["rate"].between(0.08, 0.18).all()


def test_the_one_shown_first_gains(made: Study) -> None:
    shown = made.comparisons.groupby("order")["rating"].mean()
    assert shown["idea_first"] > shown["reference_first"] + 0.03


def test_judges_err_in_about_one_choice_in_eight(
    made: Study, met: pd.DataFrame, quality: pd.DataFrame
) -> None:
    """Decided choices whose side is not that of planted quality minus debiased score."""
    scores = debias(made.references).frame.set_index("reference_id")["rating"]
    decided = met[met["rating"].isin([0, 1])]
    gap = (
        quality["rating"].reindex(decided["idea_id"]).to_numpy()
        - scores.reindex(decided["reference_id"]).to_numpy()
    )
    wrong = (decided["rating"].to_numpy() == 1) != (gap > 0)
    assert wrong.mean() == pytest.approx(0.12, abs=0.03)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_planted_order_comes_back(ranked: Rank, quality: pd.DataFrame, dimension: str) -> None:
    """Rank correlations with planted quality: above 0.9 for Bradley–Terry (0.93 to 0.97 here),
    and no less for Elo, which has the start marks besides."""
    own = rating(ranked, dimension)
    truth = quality[dimension].reindex(own.index)
    assert spearmanr(own["bradley_terry"], truth).statistic > 0.9
    assert spearmanr(own["elo"], truth).statistic > 0.9


def test_the_sounder_and_the_newer_system_are_told_apart(
    ranked: Rank, made: Study, quality: pd.DataFrame
) -> None:
    means = quality.groupby("system")[["soundness", "novelty"]].mean()
    assert means.loc[GROUNDED, "soundness"] > means.loc[VAGUE, "soundness"]
    assert means.loc[VAGUE, "novelty"] > means.loc[GROUNDED, "novelty"]
    elo = rating(ranked, "soundness").groupby("system")["elo"].mean()
    assert elo[GROUNDED] > elo[VAGUE]
    first = made.starts.merge(made.ideas[["idea_id", "system"]]).groupby("system")["novelty"].mean()
    assert first[VAGUE] > first[GROUNDED]


def test_first_marks_follow_quality_less_closely_than_games(
    ranked: Rank, quality: pd.DataFrame
) -> None:
    own = rating(ranked, "rating")
    truth = quality["rating"].reindex(own.index)
    start = pearsonr(own["start"], truth).statistic
    assert 0.5 < start < pearsonr(own["bradley_terry"], truth).statistic


def test_judges_can_be_held_to_pairs_of_references(made: Study) -> None:
    """160 pairs of one topic; about one choice in eight is wrong, and a turned one counts half."""
    held = pair_accuracy(made, made.settings).frame
    assert set(zip(held["judge"], held["dimension"], strict=True)) == {
        (judge.name, dimension) for judge in COMPARERS for dimension in DIMENSIONS
    }
    assert held["n"].between(150, REFERENCES).all()
    assert held["accuracy"].between(0.75, 0.97).all()
    assert (held["wrong_gap"] < held["gap"]).all()


def test_the_dictionary_counts_the_new_tables(demo: Study, root: Path) -> None:
    text = (root / "data" / "README.md").read_text(encoding="utf-8")
    for name in ("references", "starts", "comparisons"):
        assert f"{len(getattr(demo, name)):,} {name}" in text


def test_another_seed_plants_other_qualities() -> None:
    one, two = (planted_qualities(seed, papers=200, ideas=10) for seed in (1, 2))
    assert one["idea_id"].tolist() == two["idea_id"].tolist()
    assert not np.allclose(one["rating"], two["rating"])
    assert planted_qualities(1, papers=200, ideas=10).equals(one)


def test_many_papers_leave_no_pair_free_and_references_are_still_made() -> None:
    study = simulate(0, papers=12_000, ideas=10)
    assert len(study.references) == REFERENCES
    assert not set(study.references["title"]) & set(study.papers["title"])


def test_texts_are_whole_and_every_frame_is_used(made: Study) -> None:
    columns = ("main_target", "core_breakthrough", "innovative_methods", "experimental_design")
    texts = [text for name in ("title", "abstract", *columns) for text in made.references[name]]
    texts += [*made.starts["reason"], *made.comparisons["reason"]]
    for text in texts:
        assert "{" not in text
        assert text == text.strip()
        assert not re.search(r"[.,;:]{2}|\s[.,;:?]|  ", text), text
        assert not re.search(r"\b(\w+) \1\b", text, re.IGNORECASE), text
    shown = "\n".join(texts).lower()
    for lists in reviews().values():
        for line in (line for lines in lists.values() for line in lines):
            fixed = max(re.split(r"\{[a-zA-Z_]+\}", line), key=len).strip().lower()
            assert fixed in shown, line
