"""Bradley–Terry with fixed references: by hand, against a grid search, and at its limits."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ligbench.bradley_terry import fit
from core.ligbench.elo import expected

GAMES = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(0, 5)), min_size=1, max_size=20
)


def rated(outcomes: list[float], references: list[float], sd: float = 1.5):
    return fit(np.array(outcomes), np.array(references), d=1.5, prior_mean=2.5, prior_sd=sd)


def test_one_win_and_one_loss_against_the_prior_mean_stay_there() -> None:
    # The gradient (ln 10/d)(1 − E + 0 − E) vanishes at E = 1/2, s = s_R = m.
    assert rated([1, 0], [2.5, 2.5]).value == pytest.approx(2.5, abs=1e-9)


def test_interval_by_hand() -> None:
    # At E = 1/2 two games give (ln 10/1.5)² · 2/4, the prior 1/1.5².
    information = (log(10) / 1.5) ** 2 * 0.5 + 1 / 1.5**2
    result = rated([1, 0], [2.5, 2.5])
    assert result.low == pytest.approx(2.5 - 1.959963984540054 / information**0.5)
    assert result.high == pytest.approx(2.5 + 1.959963984540054 / information**0.5)


@given(games=GAMES)
def test_it_maximises_the_posterior(games: list[tuple[float, float]]) -> None:
    outcomes, references = (np.array(part, float) for part in zip(*games, strict=True))
    result = fit(outcomes, references, d=1.5, prior_mean=2.5, prior_sd=1.5)
    grid = np.linspace(-6, 11, 3401)
    chance = expected(grid[:, None], references[None, :], 1.5)
    objective = (outcomes * np.log(chance) + (1 - outcomes) * np.log1p(-chance)).sum(axis=1)
    objective -= (grid - 2.5) ** 2 / (2 * 1.5**2)
    assert result.raw == pytest.approx(grid[objective.argmax()], abs=0.006)


def test_an_unbeaten_idea_stays_finite_and_is_told() -> None:
    result = rated([1] * 50, [4.0] * 50)
    assert result.one_sided == "won every game"
    assert result.raw is not None
    assert np.isfinite(result.raw)
    assert result.value == 5.0
    assert rated([0] * 3, [2.0] * 3).one_sided == "lost every game"


@given(games=GAMES)
def test_order_and_duplication(games: list[tuple[float, float]]) -> None:
    outcomes, references = ([float(x) for x in part] for part in zip(*games, strict=True))
    one = rated(outcomes, references)
    assert rated(outcomes[::-1], references[::-1]).raw == pytest.approx(one.raw, abs=1e-9)
    twice = rated(outcomes * 2, references * 2)
    assert twice.low is not None
    assert one.low is not None
    assert twice.raw is not None
    assert abs(twice.raw - 2.5) >= abs(one.raw - 2.5) - 1e-9, "more games pull away from the prior"


def test_no_game_is_unknown() -> None:
    result = rated([], [])
    assert result.value is None
    assert result.undefined == "no game"


def test_it_agrees_with_evalica_where_the_players_are_two() -> None:
    """evalica fits strengths p with ties as half wins; on our scale s = d·log10 p.

    With one reference fixed and a flat prior the maximum of both is the same gap.
    """
    evalica = pytest.importorskip("evalica")
    winners = [evalica.Winner.X] * 7 + [evalica.Winner.Y] * 3 + [evalica.Winner.Draw] * 2
    result = evalica.bradley_terry(["a"] * 12, ["r"] * 12, winners, tolerance=1e-12)
    gap = 1.5 * np.log10(result.scores["a"] / result.scores["r"])
    ours = fit(
        np.array([1.0] * 7 + [0.0] * 3 + [0.5] * 2),
        np.full(12, 2.5),
        d=1.5,
        prior_mean=2.5,
        prior_sd=1e6,
    )
    assert ours.raw == pytest.approx(2.5 + gap, abs=1e-6)
