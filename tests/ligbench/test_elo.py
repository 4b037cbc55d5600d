"""Elo against hand-worked steps, its laws, an independent loop and the drag of two modes."""

from __future__ import annotations

from fractions import Fraction
from math import log, tanh

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import Settings
from core.ligbench.bradley_terry import fit
from core.ligbench.elo import clamp, expected, run_batch, run_orders

SCORE = st.floats(0, 5)
OUTCOME = st.sampled_from([0.0, 0.5, 1.0])


def settings(**values: object) -> Settings:
    return Settings.of({"orders": 2, **values})


def test_one_game_by_hand() -> None:
    # s = s_R, so E = 1/2; K_0 = 1/2; a win moves s by 1/2 · (1 − 1/2) = 1/4.
    run = run_orders(np.array([1.0]), np.array([2.5]), start=2.5, settings=settings(), idea_id="i")
    assert run.path.tolist() == [2.5, float(Fraction(5, 2) + Fraction(1, 4))]
    assert run.finals.tolist() == [2.75, 2.75]
    assert not run.stopped.any()


def test_expected_outcome_by_hand() -> None:
    # A lead of one scale d: 1 / (1 + 10^-1) = 10/11.
    assert expected(4.0, 2.5, 1.5) == pytest.approx(float(Fraction(10, 11)), abs=1e-15)


def test_two_games_follow_the_step_that_decays() -> None:
    # Equal outcomes and references: every order is the same run.
    s1 = 2.0 + 0.5 * (1 - 1 / (1 + 10 ** ((3.0 - 2.0) / 1.5)))
    s2 = s1 + 0.5 * 0.95 * (1 - 1 / (1 + 10 ** ((3.0 - s1) / 1.5)))
    run = run_orders(
        np.array([1.0, 1.0]), np.array([3.0, 3.0]), start=2.0, settings=settings(), idea_id="i"
    )
    assert run.finals == pytest.approx([s2, s2], abs=1e-12)


def test_paper_mode_clamps_at_every_step() -> None:
    s1 = 2.5 + 2.5 * tanh((4.0 + 0.5 * (1 - 1 / (1 + 10 ** ((3.0 - 4.0) / 1.5))) - 2.5) / 2.5)
    run = run_orders(
        np.array([1.0]),
        np.array([3.0]),
        start=4.0,
        settings=settings(elo_mode="paper"),
        idea_id="i",
    )
    assert run.finals == pytest.approx([s1, s1], abs=1e-12)
    assert s1 < 4.0, "a win against a weaker reference lowers the score: the drag of the clamp"


def test_paper_mode_leaves_before_it_takes_a_small_step() -> None:
    # At the centre a tie moves nothing: |s_new − s| = 0 < ε ends Algorithm 1 at t = 0.
    run = run_orders(
        np.array([0.5, 1.0]),
        np.array([2.5, 2.5]),
        start=2.5,
        settings=settings(elo_mode="paper", orders=64),
        idea_id="i",
    )
    assert set(run.played.tolist()) == {1, 2}
    assert run.finals[run.played == 1] == pytest.approx(2.5)
    assert (run.stopped == (run.played == 1)).all()


def test_a_tie_at_the_start_does_not_stop_a_latent_run() -> None:
    outcomes = np.array([0.5] * 3 + [1.0] * 9)
    run = run_orders(
        outcomes, np.full(12, 2.5), start=2.5, settings=settings(orders=50), idea_id="i"
    )
    assert run.played.min() >= 10


def test_patience_counts_small_steps_after_the_least_number_of_games() -> None:
    outcomes = np.full(30, 0.5)
    run = run_orders(outcomes, np.full(30, 2.5), start=2.5, settings=settings(), idea_id="i")
    # Ten games are played in any case, then three small steps in a row.
    assert run.played.tolist() == [13, 13]
    assert run.stopped.all()


@given(a=SCORE, b=SCORE, d=st.floats(0.2, 4))
def test_expected_outcomes_of_both_sides_add_up_to_one(a: float, b: float, d: float) -> None:
    assert expected(a, b, d) + expected(b, a, d) == pytest.approx(1.0, abs=1e-12)


@given(s=SCORE, r=SCORE, outcome=OUTCOME)
def test_the_step_is_the_gradient_of_the_likelihood(s: float, r: float, outcome: float) -> None:
    """E.2: ∂/∂s [S ln E + (1 − S) ln(1 − E)] = (ln 10 / d)(S − E)."""
    d, h = 1.5, 1e-5

    def loss(x: float) -> float:
        e = float(expected(x, r, d))
        return outcome * log(e) + (1 - outcome) * log(1 - e)

    numeric = (loss(s + h) - loss(s - h)) / (2 * h)
    assert numeric == pytest.approx(log(10) / d * (outcome - float(expected(s, r, d))), abs=1e-5)


@given(a=st.floats(-50, 50), b=st.floats(-50, 50))
def test_the_clamp_has_its_four_properties(a: float, b: float) -> None:
    assert float(clamp(2.5)) == 2.5
    assert 0 <= float(clamp(a)) <= 5
    assert float(clamp(1e3)) == pytest.approx(5.0)
    assert float(clamp(-1e3)) == pytest.approx(0.0)
    if a < b:
        assert clamp(a) <= clamp(b)
    slope = (float(clamp(2.5 + 1e-6)) - float(clamp(2.5 - 1e-6))) / 2e-6
    assert slope == pytest.approx(1.0, abs=1e-6)


def slow_run(outcomes: list[float], references: list[float], start: float, s: Settings) -> float:
    """The update as a plain loop, written apart from the vectorised one."""
    score, small = start, 0
    for t, (won, reference) in enumerate(zip(outcomes, references, strict=True)):
        if t >= s.elo_max_games:
            break
        e = 1 / (1 + 10 ** ((reference - score) / s.elo_d))
        new = score + s.elo_k_max * s.elo_gamma**t * (won - e)
        if s.elo_mode == "paper":
            new = 2.5 + 2.5 * tanh((new - 2.5) / 2.5)
            if abs(new - score) < s.elo_epsilon:
                return score
        elif abs(new - score) < s.elo_epsilon and t >= s.elo_min_games:
            small += 1
        else:
            small = 0
        score = new
        if s.elo_mode == "latent" and small >= s.elo_patience:
            break
    return score if s.elo_mode == "paper" else min(max(score, 0.0), 5.0)


@given(
    games=st.lists(st.tuples(OUTCOME, SCORE), min_size=1, max_size=30),
    start=SCORE,
    mode=st.sampled_from(["latent", "paper"]),
)
def test_every_order_is_some_plain_run(
    games: list[tuple[float, float]], start: float, mode: str
) -> None:
    chosen = settings(elo_mode=mode, orders=3)
    outcomes, references = (np.array(part, float) for part in zip(*games, strict=True))
    run = run_orders(outcomes, references, start=start, settings=chosen, idea_id="x")
    from zlib import crc32

    deck = np.tile(np.arange(len(games)), (3, 1))
    orders = np.random.default_rng([chosen.seed, crc32(b"x")]).permuted(deck, axis=1)
    slow = [slow_run(outcomes[o].tolist(), references[o].tolist(), start, chosen) for o in orders]
    assert run.finals == pytest.approx(slow, abs=1e-9)


def test_other_ideas_do_not_touch_a_run() -> None:
    generator = np.random.default_rng(1)
    jobs = [
        (generator.choice([0.0, 0.5, 1.0], n), generator.normal(2.8, 0.6, n), 2.5, f"i{n}")
        for n in (7, 0, 3, 40)
    ]
    together = run_batch(jobs, settings=settings(orders=20))
    for job, run in zip(jobs, together, strict=True):
        alone = run_batch([job], settings=settings(orders=20))[0]
        np.testing.assert_array_equal(alone.finals, run.finals)
        np.testing.assert_array_equal(alone.path, run.path)
    assert together[1].finals.tolist() == [2.5] * 20


QUALITIES = (1.0, 2.0, 3.0, 4.0, 4.5)


def planted(quality: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """200 games whose outcomes follow E, a tenth of them turned by the judge's noise."""
    generator = np.random.default_rng(seed)
    references = generator.normal(2.8, 0.6, 200)
    won = generator.random(200) < 1 / (1 + 10 ** ((references - quality) / 1.5))
    return np.where(generator.random(200) < 0.1, ~won, won).astype(float), references


@pytest.mark.parametrize(
    ("mode", "epsilon", "ends"),
    [
        ("paper", 0.0, (2.27, 2.34, 2.70, 2.75, 2.75)),
        ("paper", 0.01, (1.87, 2.13, 2.92, 3.31, 3.38)),
        ("latent", 0.0, (1.67, 2.18, 2.96, 3.63, 3.88)),
    ],
)
def test_repeated_clamping_drags_every_score_to_the_middle(
    mode: str, epsilon: float, ends: tuple[float, ...]
) -> None:
    """True qualities 1, 2, 3, 4, 4.5 and where each mode leaves them, to a tenth."""
    chosen = settings(elo_mode=mode, elo_epsilon=epsilon, orders=100)
    for quality, end in zip(QUALITIES, ends, strict=True):
        runs = [
            run_orders(*planted(quality, seed), start=2.5, settings=chosen, idea_id=str(seed)).mean
            for seed in range(20)
        ]
        assert np.mean(runs) == pytest.approx(end, abs=0.1)


def test_the_mean_over_orders_agrees_with_bradley_terry() -> None:
    chosen = settings(orders=200, elo_epsilon=0.0)
    for quality in QUALITIES[:4]:
        gaps = []
        for seed in range(20):
            outcomes, references = planted(quality, seed)
            elo = run_orders(
                outcomes, references, start=2.5, settings=chosen, idea_id=str(seed)
            ).mean
            free = fit(outcomes, references, d=1.5, prior_mean=2.8, prior_sd=1.5)
            assert free.value is not None
            gaps.append(elo - free.value)
        assert abs(np.mean(gaps)) < 0.15
