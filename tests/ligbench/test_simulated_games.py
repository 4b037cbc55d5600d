"""Planted qualities: noise, grids, the agreement of Elo and Bradley–Terry, and reproducibility."""

from __future__ import annotations

import numpy as np
import pytest

from core.config import Settings
from core.errors import UsageError
from core.ligbench.published import NOISE, SCALE_GRID, STEP_GRID
from core.ligbench.simulated_games import (
    noise_grid,
    recover,
    recover_bradley_terry,
    scale_grid,
    simulate_games,
    step_grid,
)

FEW = Settings(orders=10)


def test_a_certain_judge_names_the_better_one() -> None:
    games = simulate_games(ideas=20, games=30, judge="ordering", seed=1)
    better = games.qualities[:, None] > games.references
    assert (games.outcomes == better).all()


def test_noise_turns_about_its_share_and_all_of_it_at_one() -> None:
    plain = simulate_games(ideas=50, games=50, judge="ordering")
    turned = simulate_games(ideas=50, games=50, judge="ordering", noise=0.2)
    share = float((plain.outcomes != turned.outcomes).mean())
    assert share == pytest.approx(0.2, abs=4 * np.sqrt(0.2 * 0.8 / 2500))
    mirrored = simulate_games(ideas=50, games=50, judge="ordering", noise=1.0)
    assert (plain.outcomes + mirrored.outcomes == 1).all()
    with pytest.raises(UsageError, match="from 0 to 1"):
        simulate_games(noise=1.5)


def test_the_same_seed_gives_the_same_games() -> None:
    one, same, other = (simulate_games(ideas=5, games=5, seed=seed) for seed in (3, 3, 4))
    assert (one.outcomes == same.outcomes).all()
    assert not (one.references == other.references).all()


def test_latent_means_agree_with_bradley_terry_on_planted_qualities() -> None:
    games = simulate_games(ideas=60, games=100, seed=2)
    settings = Settings(orders=50, elo_epsilon=0)
    elo, order_free = recover(games, settings), recover_bradley_terry(games, settings)
    assert np.corrcoef(elo.ratings, order_free.ratings)[0, 1] > 0.99
    # Both lie about as far from the truth: within the sampling error of 100 games, whose
    # standard error at E ≈ ½ is d / (ln 10 · √(100/4)) = 0.13.
    assert abs(elo.mae - order_free.mae) < 0.13


def test_paper_mode_ends_nearer_to_the_middle() -> None:
    games = simulate_games(qualities=[1, 2, 3, 4, 4.5], games=200, noise=0.1)
    settings = Settings(orders=50, elo_epsilon=0)
    spread = {
        mode: float(np.ptp(recover(games, settings.model_copy(update={"elo_mode": mode})).ratings))
        for mode in ("latent", "paper")
    }
    assert spread["paper"] < 0.7 < 1.5 < spread["latent"]


def test_noise_makes_ratings_worse() -> None:
    frame = noise_grid(FEW, ideas=100, games=40).frame
    for mode in ("latent", "paper", "bradley_terry"):
        own = frame[frame["mode"] == mode].set_index("noise")
        assert list(own.index) == list(NOISE)
        assert own.loc[0.3, "mae"] > own.loc[0.0, "mae"]
        assert own["rank_correlation"].is_monotonic_decreasing
    assert frame["published_mae"].iloc[0] == 0.251


def test_every_grid_has_every_cell_of_the_paper_in_three_modes() -> None:
    scale = scale_grid(FEW, ideas=20, games=20).frame
    steps = step_grid(FEW, ideas=20, games=20).frame
    assert len(scale) == 3 * len(SCALE_GRID)
    assert len(steps) == 3 * len(STEP_GRID)
    assert scale["converged"].dropna().between(0, 1).all()
    assert steps["games"].between(0, 20).all()


def test_in_paper_mode_the_published_scale_is_the_best_of_the_grid() -> None:
    """With a judge that follows E at d = 1.5, Algorithm 1 errs least at the paper's d."""
    frame = scale_grid(FEW).frame
    own = frame[frame["mode"] == "paper"].set_index("elo_d")["mae"]
    assert own.idxmin() in (1.25, 1.5, 1.75)
    assert own[0.5] > own[1.5] < own[2.0]
