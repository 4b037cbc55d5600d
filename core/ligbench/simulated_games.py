"""Games whose truth is planted: what parameters and noise do to a rating (Tables 9–11).

The paper does not say how its validation games were made. Here an idea of planted quality q
meets references whose scores are drawn from N(2.8, 0.6), as the qualities are; the judge names
the idea with the probability that the model itself expects (or, 'ordering', always the better
one), and a share ``noise`` of its choices is turned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import EloMode, Settings
from core.errors import UsageError
from core.ligbench.bradley_terry import fit
from core.ligbench.elo import HIGHEST, LOWEST, UNSEEN_START, expected, run_batch
from core.ligbench.published import NOISE, SCALE_GRID, STEP_GRID

Floats = NDArray[np.float64]
JudgeModel = Literal["ordering", "bradley_terry"]
CENTRE, SPREAD = 2.8, 0.6
IDEAS, GAMES = 200, 50


@dataclass(frozen=True, kw_only=True, eq=False)
class SimulatedGames:
    """Planted ``qualities`` (ideas,), and ``references`` and ``outcomes`` (ideas, games), the
    latter from the idea's side, 1 or 0."""

    qualities: Floats
    references: Floats
    outcomes: Floats
    noise: float
    judge: JudgeModel
    seed: int


def simulate_games(
    *,
    ideas: int = IDEAS,
    games: int = GAMES,
    noise: float = 0.0,
    seed: int = 0,
    qualities: Sequence[float] | None = None,
    judge: JudgeModel = "bradley_terry",
    d: float = 1.5,
) -> SimulatedGames:
    """Games of planted ideas, or of ``qualities`` where given.

    ``judge`` 'ordering' names the better one for certain, 'bradley_terry' with the probability
    E of eq. 3 at scale ``d``; ``noise`` then turns that share of the outcomes. Raises
    :class:`UsageError` for a noise outside of 0 to 1.
    """
    if not 0 <= noise <= 1:
        raise UsageError(f"noise must be from 0 to 1 (given: {noise:g})")
    planted_rng, reference_rng, outcome_rng, noise_rng = np.random.default_rng(seed).spawn(4)
    planted = (
        np.clip(planted_rng.normal(CENTRE, SPREAD, ideas), LOWEST, HIGHEST)
        if qualities is None
        else np.asarray(qualities, float)
    )
    references = reference_rng.normal(CENTRE, SPREAD, (len(planted), games))
    if judge == "ordering":
        won = planted[:, None] > references
    else:
        chance = expected(planted[:, None], references, d)
        won = outcome_rng.random(references.shape) < chance
    turned = noise_rng.random(references.shape) < noise
    return SimulatedGames(
        qualities=planted,
        references=references,
        outcomes=np.where(turned, ~won, won).astype(float),
        noise=noise,
        judge=judge,
        seed=seed,
    )


@dataclass(frozen=True, kw_only=True)
class Recovery:
    """How well ratings find the planted qualities again.

    ``mae``: mean |rating − quality|, 0 is best. ``rank_correlation``: Spearman, 1 is best, None
    where it is undefined. ``converged``: share of orders that stopped before their last game
    (None for Bradley–Terry). ``games``: mean number played. ``stability``: 1 − the mean, over
    ideas, of the ratings' standard deviation over orders. ``ratings`` (ideas,).
    """

    mae: float
    rank_correlation: float | None
    converged: float | None
    games: float
    stability: float | None
    ratings: Floats


def recover(simulated: SimulatedGames, settings: Settings) -> Recovery:
    """Elo ratings of simulated games under ``settings``, from the start 2.5."""
    runs = run_batch(
        [
            (outcomes, references, UNSEEN_START, f"idea {number}")
            for number, (outcomes, references) in enumerate(
                zip(simulated.outcomes, simulated.references, strict=True)
            )
        ],
        settings=settings,
    )
    ratings = np.array([run.mean for run in runs])
    return Recovery(
        mae=float(np.abs(ratings - simulated.qualities).mean()),
        rank_correlation=_spearman(ratings, simulated.qualities),
        converged=float(np.mean([run.stopped.mean() for run in runs])),
        games=float(np.mean([run.played.mean() for run in runs])),
        stability=1 - float(np.mean([run.finals.std() for run in runs])),
        ratings=ratings,
    )


def recover_bradley_terry(simulated: SimulatedGames, settings: Settings) -> Recovery:
    """Bradley–Terry ratings of the same games; they know no order."""
    ratings = []
    for outcomes, references in zip(simulated.outcomes, simulated.references, strict=True):
        found = fit(
            outcomes,
            references,
            d=settings.elo_d,
            prior_mean=CENTRE,
            prior_sd=settings.bt_prior_sd,
        )
        assert found.value is not None
        ratings.append(found.value)
    rated = np.array(ratings)
    return Recovery(
        mae=float(np.abs(rated - simulated.qualities).mean()),
        rank_correlation=_spearman(rated, simulated.qualities),
        converged=None,
        games=float(simulated.outcomes.shape[1]),
        stability=None,
        ratings=rated,
    )


@dataclass(frozen=True, kw_only=True)
class Grid:
    """One of the paper's grids by simulation, its own numbers beside ours.

    ``frame``: the varied parameters, mode ('latent', 'paper', 'bradley_terry'), mae,
    rank_correlation, converged, games, stability, and published_mae, published_correlation,
    published_converged, published_games, published_stability where the paper has them.
    """

    name: str
    settings: Settings
    ideas: int
    games: int
    seed: int
    judge: JudgeModel
    frame: pd.DataFrame


def scale_grid(
    settings: Settings,
    *,
    ideas: int = IDEAS,
    games: int = GAMES,
    seed: int = 0,
    judge: JudgeModel = "bradley_terry",
) -> Grid:
    """Table 9: the scale d."""
    rows = []
    simulated = simulate_games(ideas=ideas, games=games, seed=seed, judge=judge)
    for d, (mae, rho, converged) in SCALE_GRID.items():
        told = {
            "published_mae": mae,
            "published_correlation": rho,
            "published_converged": converged,
        }
        rows += _modes({"elo_d": d}, simulated, settings, told)
    return _grid("scale d", settings, ideas, games, seed, judge, rows)


def step_grid(
    settings: Settings,
    *,
    ideas: int = IDEAS,
    games: int = GAMES,
    seed: int = 0,
    judge: JudgeModel = "bradley_terry",
) -> Grid:
    """Table 10: the first step K_max and its decay γ."""
    rows = []
    simulated = simulate_games(ideas=ideas, games=games, seed=seed, judge=judge)
    for (k_max, gamma), (played, mae, stability) in STEP_GRID.items():
        told = {
            "published_mae": mae,
            "published_games": played,
            "published_stability": stability,
        }
        values = {"elo_k_max": k_max, "elo_gamma": gamma}
        rows += _modes(values, simulated, settings, told)
    return _grid("steps", settings, ideas, games, seed, judge, rows)


def noise_grid(
    settings: Settings,
    *,
    ideas: int = IDEAS,
    games: int = GAMES,
    seed: int = 0,
    judge: JudgeModel = "bradley_terry",
) -> Grid:
    """Table 11: the share of judgements that are turned."""
    rows = []
    for noise, (mae, rho, converged) in NOISE.items():
        simulated = simulate_games(ideas=ideas, games=games, noise=noise, seed=seed, judge=judge)
        told = {
            "published_mae": mae,
            "published_correlation": rho,
            "published_converged": converged,
        }
        for row in _modes({}, simulated, settings, told):
            rows.append({"noise": noise, **row})
    return _grid("judge noise", settings, ideas, games, seed, judge, rows)


def _modes(
    values: dict[str, float],
    simulated: SimulatedGames,
    settings: Settings,
    told: dict[str, float],
) -> list[dict[str, object]]:
    modes: tuple[EloMode, ...] = ("latent", "paper")
    rows = []
    for mode in modes:
        changed = settings.model_copy(update={**values, "elo_mode": mode})
        rows.append({**values, "mode": mode, **_row(recover(simulated, changed)), **told})
    changed = settings.model_copy(update=values)
    found = recover_bradley_terry(simulated, changed)
    rows.append({**values, "mode": "bradley_terry", **_row(found), **told})
    return rows


def _row(found: Recovery) -> dict[str, object]:
    return {name: value for name, value in vars(found).items() if name != "ratings"}


def _grid(
    name: str,
    settings: Settings,
    ideas: int,
    games: int,
    seed: int,
    judge: JudgeModel,
    rows: list[dict[str, object]],
) -> Grid:
    return Grid(
        name=name,
        settings=settings,
        ideas=ideas,
        games=games,
        seed=seed,
        judge=judge,
        frame=pd.DataFrame(rows),
    )


def _spearman(x: Floats, y: Floats) -> float | None:
    if len(x) < 3 or not np.ptp(x) or not np.ptp(y):
        return None
    from core.stats.correlate import spearman

    return float(spearman(x[None, :], y).rho[0])
