"""Ratings where both sides of a comparison move: Elo in the order of the rows, Bradley–Terry.

LigBench rates ideas against references whose reviewed scores stand still. Labels of pairs that
others publish have no such scores; here every name on either side is a player. Sources: Elo
(1978); Bradley and Terry (1952), a tie being half a win for each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import ALL_JUDGES
from core.errors import DataError, UsageError, nearest
from core.ligbench.debias import DIMENSIONS
from core.ligbench.elo import expected
from core.study import Study

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
COLUMNS = ("player", "games", "wins", "ties", "losses", "elo", "bradley_terry")
_STEPS = 200
_SMALL = 1e-13


@dataclass(frozen=True, kw_only=True)
class Tournament:
    """Every player's ratings from the ``n`` comparisons of ``judge`` in ``dimension``.

    ``frame``, the highest Elo first: player, games, wins, ties, losses, elo, bradley_terry (a
    strength above 0; all sum to 1; None where ``undefined`` says why). ``start``, ``k`` and
    ``scale`` are Elo's. ``left_out`` counts rows that are no game, by state ('unmarked' where
    the judge said nothing in this dimension).
    """

    judge: str
    dimension: str
    start: float
    k: float
    scale: float
    n: int
    left_out: dict[str, int]
    frame: pd.DataFrame
    undefined: str | None


def tournament(
    study: Study,
    *,
    judge: str = ALL_JUDGES,
    dimension: str = "rating",
    start: float,
    k: float,
    scale: float,
) -> Tournament:
    """Rate all ideas and references that meet in ``study.comparisons``, each row a game.

    Rows count in the order in which the table holds them, which is that of the imported file;
    the study's digest does not depend on it, but Elo does. Raises :class:`DataError` where the
    study has no comparison of this judge, :class:`UsageError` for another dimension or scale.
    """
    if dimension not in DIMENSIONS:
        raise UsageError(f"No dimension '{dimension}'. {nearest(dimension, DIMENSIONS)}")
    if not scale > 0:
        raise UsageError(f"The scale of Elo is {scale:g}; it must be above 0.")
    rows = study.comparisons
    if rows.empty:
        raise DataError("The study has no comparisons. Add them: foreseen import comparisons FILE")
    if judge != ALL_JUDGES:
        judges = sorted(set(rows["judge"]))
        rows = rows[rows["judge"] == judge]
        if rows.empty:
            raise DataError(f"Judge '{judge}' compared nothing. {nearest(judge, judges)}")
    state = rows["state"].where((rows["state"] != "ok") | rows[dimension].notna(), "unmarked")
    played = rows[state == "ok"]
    outcomes = played[dimension].to_numpy(float)
    sides = pd.concat([played["idea_id"], played["reference_id"]], ignore_index=True)
    codes, names = pd.factorize(sides, sort=True)
    first, second = codes[: len(played)], codes[len(played) :]
    elo = elo_in_order(first, second, outcomes, len(names), start=start, k=k, scale=scale)
    strength, undefined = bradley_terry(first, second, outcomes, len(names))
    results = np.concatenate([outcomes, 1 - outcomes])
    tallies = {
        name: np.bincount(codes[chosen], minlength=len(names))
        for name, chosen in (
            ("games", slice(None)),
            ("wins", results > 0.5),
            ("ties", results == 0.5),
            ("losses", results < 0.5),
        )
    }
    fitted = [None] * len(names) if strength is None else strength.tolist()
    frame = pd.DataFrame(
        {"player": names, **tallies, "elo": elo, "bradley_terry": fitted}, columns=list(COLUMNS)
    )
    return Tournament(
        judge=judge,
        dimension=dimension,
        start=start,
        k=k,
        scale=scale,
        n=len(played),
        left_out={str(name): int(n) for name, n in state[state != "ok"].value_counts().items()},
        frame=frame.sort_values(["elo", "player"], ascending=[False, True], ignore_index=True),
        undefined=undefined,
    )


def elo_in_order(
    first: Places,
    second: Places,
    outcomes: Floats,
    players: int,
    *,
    start: float,
    k: float,
    scale: float,
) -> Floats:
    """Ratings (players,) after all games in the order given; their mean stays ``start``.

    ``outcomes`` S (games,) are the first side's, 0 to 1. In each game both sides move by
    K (S − E), in opposite directions, with E = 1/(1 + 10^((s_second − s_first)/scale)).
    """
    scores = np.full(players, start, float)
    for one, other, outcome in zip(first, second, outcomes, strict=True):
        step = k * (outcome - float(expected(scores[one], scores[other], scale)))
        scores[one] += step
        scores[other] -= step
    return scores


def bradley_terry(
    first: Places, second: Places, outcomes: Floats, players: int
) -> tuple[Floats | None, str | None]:
    """Strengths p (players,) that sum to 1, P(first wins) = p_first/(p_first + p_second); or why
    there are none.

    The maximum of the likelihood, found by Newton's method with halved steps. It exists only
    where no group of players has lost nothing to, and drawn nothing with, all others (Ford
    1957): so an unbeaten player, or groups that never meet, leave it undefined.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not len(outcomes):
        return None, "no game"
    won, lost = outcomes > 0, outcomes < 1
    source = np.concatenate([first[won], second[lost]])
    target = np.concatenate([second[won], first[lost]])
    beats = coo_array((np.ones(len(source)), (source, target)), shape=(players, players)).tocsr()
    groups, _ = connected_components(beats, directed=True, connection="strong")
    if groups > 1:
        return None, (
            f"the players fall into {groups} groups of which one never took a point from another:"
            " strengths would be without bound"
        )
    scores = np.zeros(players)
    for _ in range(_STEPS):
        chance = expected(scores[first], scores[second], 1.0)
        surprise = np.bincount(first, outcomes - chance, players)
        surprise -= np.bincount(second, outcomes - chance, players)
        weight = np.log(10.0) * chance * (1 - chance)
        met = np.zeros((players, players))
        np.add.at(met, (first, second), weight)
        met += met.T
        information = np.diag(met.sum(axis=1)) - met
        # Only differences are determined: the last player stands still.
        step = np.zeros(players)
        step[:-1] = np.linalg.solve(information[:-1, :-1], surprise[:-1])
        held = _likelihood(scores, first, second, outcomes)
        while _likelihood(scores + step, first, second, outcomes) < held - abs(held) * 1e-12:
            step /= 2
        scores = scores + step
        if np.abs(step).max() < _SMALL:
            break
    strength = 10.0 ** (scores - scores.max())
    return strength / strength.sum(), None


def _likelihood(scores: Floats, first: Places, second: Places, outcomes: Floats) -> float:
    gap = np.log(10.0) * (scores[first] - scores[second])
    return float((outcomes * gap - np.logaddexp(0.0, gap)).sum())
