"""LigBench's adapted Elo, over many seeded orders at once (§3.3, eqs 3–4, Appendix E).

One idea plays references whose scores never move. The result depends on the order of the games
because the steps K_t shrink and have a finite sum; so an idea's rating is the mean over many
orders, with their spread.
"""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from core.config import Settings

Floats = NDArray[np.float64]
LOWEST, HIGHEST = 0.0, 5.0
CENTRE = 2.5
UNSEEN_START = CENTRE
_BATCH = 32


def expected(score: Floats | float, reference: Floats | float, d: float) -> Floats:
    """E = 1 / (1 + 10^((s_R − s)/d)): the expected outcome, 0 to 1 (eq. 3)."""
    from scipy.special import expit

    gap = (np.asarray(score, float) - np.asarray(reference, float)) / d
    return np.asarray(expit(np.log(10.0) * gap), float)


def clamp(score: Floats | float) -> Floats:
    """C(s) = 2.5 + 2.5 tanh((s − 2.5)/2.5): into (0, 5), slope 1 at the centre (eq. 11)."""
    return np.asarray(CENTRE + CENTRE * np.tanh((np.asarray(score) - CENTRE) / CENTRE), float)


@dataclass(frozen=True, kw_only=True)
class EloRun:
    """Final ratings of one idea in one dimension, an entry an order.

    ``finals`` (orders,) are on [0, 5]: latent scores are clipped to be shown. ``played``
    (orders,) counts the games used. ``stopped`` (orders,) says which orders ended before
    their last game. ``path`` is the first order's score after each game, its start first.
    """

    finals: Floats
    played: NDArray[np.int64]
    stopped: NDArray[np.bool_]
    path: Floats
    games: int
    start: float
    mode: str
    seed: int

    @property
    def mean(self) -> float:
        return float(self.finals.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """The 2.5 % and 97.5 % quantiles over orders: spread by order, not sampling error."""
        low, high = np.quantile(self.finals, [0.025, 0.975])
        return float(low), float(high)


def run_orders(
    outcomes: Floats,
    references: Floats,
    *,
    start: float,
    settings: Settings,
    idea_id: str,
) -> EloRun:
    """All orders of one idea's games. ``outcomes`` and ``references`` are (games,)."""
    return run_batch([(outcomes, references, start, idea_id)], settings=settings)[0]


def run_batch(jobs: list[tuple[Floats, Floats, float, str]], *, settings: Settings) -> list[EloRun]:
    """Ideas × orders in one vectorised pass; each job is outcomes, references, start, idea_id.

    An idea's orders come from (seed, idea_id) alone, so other ideas and the order of rows do
    not touch them. An idea without games keeps its start.
    """
    runs: list[EloRun | None] = [None] * len(jobs)
    by_size = sorted(range(len(jobs)), key=lambda place: len(jobs[place][0]))
    for begin in range(0, len(by_size), _BATCH):
        chosen = by_size[begin : begin + _BATCH]
        for place, run in zip(chosen, _run([jobs[i] for i in chosen], settings), strict=True):
            runs[place] = run
    return [run for run in runs if run is not None]


def _run(jobs: list[tuple[Floats, Floats, float, str]], settings: Settings) -> list[EloRun]:
    paper = settings.elo_mode == "paper"
    patience = 1 if paper else settings.elo_patience
    min_games = 0 if paper else settings.elo_min_games
    lengths = np.array([len(job[0]) * settings.elo_passes for job in jobs])
    steps = int(min(lengths.max(initial=0), settings.elo_max_games))
    won, against = _schedules(jobs, settings, steps)
    score = np.repeat(np.array([[job[2]] for job in jobs]), settings.orders, axis=1)
    going = np.ones(score.shape, bool)
    quiet = np.zeros(score.shape, int)
    played = np.zeros(score.shape, int)
    paths = [[float(job[2])] for job in jobs]
    for t in range(steps):
        going &= (t < lengths)[:, None]
        if not going.any():
            break
        moved = score + settings.elo_k_max * settings.elo_gamma**t * (
            won[t] - expected(score, against[t], settings.elo_d)
        )
        if paper:
            moved = clamp(moved)
        played += going
        small = np.abs(moved - score) < settings.elo_epsilon
        quiet = np.where(small & (t >= min_games), quiet + 1, 0)
        ends = going & (quiet >= patience)
        # Algorithm 1 leaves the loop before it takes the last, small step.
        score = np.where(going & ~(ends & paper), moved, score)
        for place in np.flatnonzero(going[:, 0]):
            paths[place].append(float(score[place, 0]))
        going &= ~ends
    last = np.minimum(lengths, settings.elo_max_games)[:, None]
    stopped = played < last
    finals = score if paper else np.clip(score, LOWEST, HIGHEST)
    return [
        EloRun(
            finals=finals[i],
            played=played[i],
            stopped=stopped[i],
            path=np.array(paths[i]),
            games=len(job[0]),
            start=float(job[2]),
            mode=settings.elo_mode,
            seed=settings.seed,
        )
        for i, job in enumerate(jobs)
    ]


def _schedules(
    jobs: list[tuple[Floats, Floats, float, str]], settings: Settings, steps: int
) -> tuple[Floats, Floats]:
    """Outcomes and references in playing order, each (steps, ideas, orders), padded with 0."""
    shape = (steps, len(jobs), settings.orders)
    won, against = np.zeros(shape), np.zeros(shape)
    for place, (outcomes, references, _, idea_id) in enumerate(jobs):
        if not len(outcomes):
            continue
        generator = np.random.default_rng([settings.seed, crc32(idea_id.encode())])
        deck = np.tile(np.arange(len(outcomes)), (settings.orders, 1))
        order = np.hstack([generator.permuted(deck, axis=1) for _ in range(settings.elo_passes)]).T[
            :steps
        ]
        won[: len(order), place] = outcomes[order]
        against[: len(order), place] = references[order]
    return won, against
