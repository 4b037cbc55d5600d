"""Elo and Bradley–Terry against evalica and against published results on real comparisons.

The product rates ideas against references that stand still. Where both players move, the same
two pieces decide: the expected outcome, and the step or the likelihood made of it. So these
tests build the free form of each from :func:`core.ligbench.elo.expected` and nothing else.
"""

from __future__ import annotations

from pathlib import Path

import evalica
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from core.config import Settings
from core.ligbench.bradley_terry import fit
from core.ligbench.elo import expected, run_orders

Floats = NDArray[np.float64]
STATES = {"left": 1.0, "right": 0.0, "tie": 0.5}
WINNERS = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}


def free_elo(
    left: list[str], right: list[str], outcomes: Floats, *, start: float, k: float, scale: float
) -> dict[str, float]:
    """Both sides move by K (S − E), in the order given."""
    scores: dict[str, float] = {}
    for a, b, outcome in zip(left, right, outcomes, strict=True):
        one, other = scores.setdefault(a, start), scores.setdefault(b, start)
        step = k * (outcome - float(expected(one, other, scale)))
        scores[a], scores[b] = one + step, other - step
    return scores


def free_bradley_terry(left: list[str], right: list[str], outcomes: Floats) -> dict[str, float]:
    """The scores at which every player's surprise Σ (S − E) is 0, by Newton; 10^s sums to 1."""
    names = sorted({*left, *right})
    place = {name: row for row, name in enumerate(names)}
    a, b = (np.array([place[name] for name in side]) for side in (left, right))
    scores = np.zeros(len(names))
    for _ in range(50):
        chance = expected(scores[a], scores[b], 1.0)
        surprise = np.zeros(len(names))
        np.add.at(surprise, a, outcomes - chance)
        np.add.at(surprise, b, chance - outcomes)
        information = np.zeros((len(names), len(names)))
        weight = np.log(10.0) * chance * (1 - chance)
        for one, other, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            np.add.at(information, (one, other), sign * weight)
        step = np.linalg.lstsq(information, surprise, rcond=None)[0]
        scores += step
        if np.abs(step).max() < 1e-14:
            break
    strength = 10.0**scores
    return dict(zip(names, strength / strength.sum(), strict=True))


def test_the_free_forms_agree_with_evalica() -> None:
    generator = np.random.default_rng(1)
    left = [f"m{n}" for n in generator.integers(0, 5, 300)]
    right = [
        f"m{(int(name[1:]) + n) % 5}"
        for name, n in zip(left, generator.integers(1, 5, 300), strict=True)
    ]
    outcomes = generator.choice([0.0, 0.5, 1.0], 300)
    winners = [WINNERS[outcome] for outcome in outcomes.tolist()]
    elo = evalica.elo(left, right, winners, initial=1000, k=4, scale=400).scores
    ours = free_elo(left, right, outcomes, start=1000, k=4, scale=400)
    assert ours == pytest.approx(elo.to_dict(), abs=1e-9)
    theirs = evalica.bradley_terry(left, right, winners, tolerance=1e-14, limit=10_000).scores
    found = free_bradley_terry(left, right, outcomes)
    assert found == pytest.approx((theirs / theirs.sum()).to_dict(), abs=1e-9)


def test_one_idea_against_one_reference_is_evalicas_first_step() -> None:
    """With constant steps and one game, the two moves are the same but for the reference's."""
    settings = Settings(elo_k_max=0.5, elo_gamma=1.0, elo_epsilon=0, orders=2)
    for outcome in (1.0, 0.5, 0.0):
        run = run_orders(
            np.array([outcome]), np.array([2.5]), start=2.5, settings=settings, idea_id="i"
        )
        theirs = evalica.elo(["i"], ["r"], [WINNERS[outcome]], initial=2.5, k=0.5, scale=1.5)
        assert run.finals[0] == pytest.approx(theirs.scores["i"])


def test_fixed_references_give_the_free_fit_where_the_others_stand_as_fitted() -> None:
    """Fix all others at the free fit: the remaining one's own fit is the free one's."""
    generator = np.random.default_rng(5)
    left, right = ["i"] * 40, [f"m{n}" for n in generator.integers(0, 3, 40)]
    outcomes = generator.choice([0.0, 0.5, 1.0], 40)
    found = free_bradley_terry(left, right, outcomes)
    scores = {name: 1.5 * np.log10(value / found["i"]) + 2.5 for name, value in found.items()}
    alone = fit(
        outcomes,
        np.array([scores[name] for name in right]),
        d=1.5,
        prior_mean=2.5,
        prior_sd=1e6,
    )
    assert alone.raw == pytest.approx(2.5, abs=1e-6)


@pytest.fixture(scope="module")
def published(shared_data: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    folder = shared_data / "agreement"
    return pd.read_csv(folder / "llmfao_pairs.csv"), pd.read_csv(folder / "llmfao_golden.csv")


def golden(table: pd.DataFrame, algorithm: str) -> dict[str, float]:
    own = table[table["algorithm"] == algorithm]
    return dict(zip(own["item"], own["score"], strict=True))


def test_published_elo_to_nine_digits(published: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    pairs, table = published
    outcomes = pairs["winner"].map(STATES).to_numpy(float)
    found = free_elo(
        pairs["left"].tolist(), pairs["right"].tolist(), outcomes, start=1000, k=4, scale=400
    )
    assert found == pytest.approx(golden(table, "elo"), abs=1e-9)


def test_published_bradley_terry_to_nine_digits(
    published: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    pairs, table = published
    outcomes = pairs["winner"].map(STATES).to_numpy(float)
    found = free_bradley_terry(pairs["left"].tolist(), pairs["right"].tolist(), outcomes)
    assert found == pytest.approx(golden(table, "bradley_terry"), abs=1e-9)
