"""LigBench's Elo over many orders, against a plain Python loop and evalica's Elo.

    python tests/benchmarks/bench_elo.py

1,000 ideas × 50 comparisons × 1,000 orders = 50 million games, one vectorised pass. The plain
loop plays a thousandth of them and evalica's compiled Elo a fiftieth, in the same run; their
times are extrapolated to all. evalica has constant steps and two moving players, so it does
less; its time includes turning names into numbers, which it does at every call.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable

import evalica
import numpy as np

from core.config import Settings
from core.ligbench.elo import run_batch
from core.ligbench.simulated_games import SimulatedGames, simulate_games

IDEAS, GAMES, ORDERS = 1_000, 50, 1_000
LOOP_SHARE, EVALICA_SHARE = 1_000, 50


def seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def plain_loop(games: SimulatedGames, settings: Settings, orders: int) -> list[float]:
    """Every order of every idea, one game after another."""
    finals = []
    generator = np.random.default_rng(settings.seed)
    for outcomes, references in zip(
        games.outcomes.tolist(), games.references.tolist(), strict=True
    ):
        for _ in range(orders):
            score, quiet = 2.5, 0
            for t, game in enumerate(generator.permutation(len(outcomes)).tolist()):
                chance = 1 / (1 + 10 ** ((references[game] - score) / settings.elo_d))
                step = settings.elo_k_max * settings.elo_gamma**t * (outcomes[game] - chance)
                score += step
                small = abs(step) < settings.elo_epsilon and t >= settings.elo_min_games
                quiet = quiet + 1 if small else 0
                if quiet >= settings.elo_patience:
                    break
            finals.append(min(5.0, max(0.0, score)))
    return finals


def main() -> None:
    games = simulate_games(ideas=IDEAS, games=GAMES)
    settings = Settings(orders=ORDERS)
    jobs = [
        (outcomes, references, 2.5, f"i{place}")
        for place, (outcomes, references) in enumerate(
            zip(games.outcomes, games.references, strict=True)
        )
    ]
    whole = IDEAS * GAMES * ORDERS
    run_batch(jobs[:40], settings=settings)
    ours = statistics.median(seconds(lambda: run_batch(jobs, settings=settings)) for _ in range(3))
    one_order = plain_loop(games, settings, 1)
    loop = LOOP_SHARE * seconds(lambda: plain_loop(games, settings, ORDERS // LOOP_SHARE))
    names = [f"i{place}" for place in range(IDEAS)]
    order = np.random.default_rng(0).permutation(IDEAS * GAMES)
    left = [names[place // GAMES] for place in order] * (ORDERS // EVALICA_SHARE)
    right = [f"r{place}" for place in order] * (ORDERS // EVALICA_SHARE)
    won = games.outcomes.reshape(-1)[order] * 1
    winners = [evalica.Winner.X if w else evalica.Winner.Y for w in won] * (ORDERS // EVALICA_SHARE)
    index = evalica.indexing(left[: len(order)], right[: len(order)])[2]
    theirs = EVALICA_SHARE * seconds(lambda: evalica.elo(left, right, winners, index=index))
    means = [run.mean for run in run_batch(jobs[:200], settings=settings)]
    gap = float(np.mean(np.abs(np.array(means) - np.array(one_order[:200]))))
    print(f"{whole:,} games, {IDEAS:,} ideas × {GAMES} comparisons × {ORDERS:,} orders")
    print(f"ours, one vectorised pass   {ours:8.2f} s   {whole / ours / 1e6:6.1f} million a second")
    print(f"plain Python loop           {loop:8.2f} s   ratio {loop / ours:5.1f} (extrapolated)")
    print(
        f"evalica {evalica.__version__:<8}            {theirs:8.2f} s   ratio {theirs / ours:5.1f}"
    )
    print(f"mean |one order − mean over orders| {gap:.3f}")
    assert math.isfinite(gap)


if __name__ == "__main__":
    main()
