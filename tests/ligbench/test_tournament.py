"""Ratings where both sides move: by hand, by law, by evalica, and on published comparisons."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import evalica
import numpy as np
import pandas as pd
import pytest
from builders import study
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from core.cli import app
from core.config import TOURNAMENT_K, TOURNAMENT_SCALE, TOURNAMENT_START, Settings
from core.errors import DataError, UsageError
from core.ligbench.bradley_terry import fit
from core.ligbench.elo import run_orders
from core.ligbench.tournament import Tournament, bradley_terry, elo_in_order, tournament
from core.study import Study

WINNERS = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
ELO = {"start": TOURNAMENT_START, "k": TOURNAMENT_K, "scale": TOURNAMENT_SCALE}
Game = tuple[int, int, float]


def compared(*games: tuple[str, str, float | None], judge: str = "ann") -> list[dict[str, Any]]:
    """Rows of comparisons, one a game; None is a reply that could not be read."""
    rows = []
    for place, (one, other, outcome) in enumerate(games, start=1):
        row = {"idea_id": one, "reference_id": other, "judge": judge, "order": "idea_first"}
        state = {"state": "parse_failed"} if outcome is None else {"rating": outcome}
        rows.append(row | {"repeat": place} | state)
    return rows


def of(*games: tuple[str, str, float | None], **options: Any) -> Tournament:
    return tournament(study(comparisons=compared(*games)), **(ELO | options))


def column(found: Tournament, name: str) -> dict[str, Any]:
    return dict(zip(found.frame["player"], found.frame[name], strict=True))


def split(games: list[Game]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first, second, outcomes = zip(*games, strict=True)
    return np.array(first), np.array(second), np.array(outcomes, float)


def test_elo_by_hand() -> None:
    """E = ½ at first, so a's win moves both by 4·½ = 2; then the tie of c and b, with b at 998:
    E = 1/(1 + 10^(−2/400)), and c moves by 4(½ − E)."""
    found = of(("a", "b", 1), ("c", "b", 0.5))
    moved = 4 * (0.5 - 1 / (1 + 10 ** (-2 / 400)))
    assert column(found, "elo") == pytest.approx(
        {"a": 1002, "b": 998 - moved, "c": 1000 + moved}, abs=1e-12
    )
    assert found.frame.loc[0, ["player", "games", "wins", "ties", "losses"]].tolist() == [
        "a", 1, 1, 0, 0,
    ]  # fmt: skip


def test_elo_hangs_on_the_order_of_the_rows() -> None:
    one = of(("a", "b", 1), ("a", "b", 0), ("b", "a", 0.5))
    other = of(("a", "b", 0), ("a", "b", 1), ("b", "a", 0.5))
    assert column(one, "elo") != column(other, "elo")
    assert column(one, "bradley_terry") == pytest.approx(column(other, "bradley_terry"))


def test_bradley_terry_by_hand() -> None:
    """Two players: p_a/(p_a + p_b) is a's share of points, (1 + 1 + ½)/4 = 5/8."""
    found = of(("a", "b", 1), ("b", "a", 0), ("a", "b", 0.5), ("a", "b", 0))
    assert column(found, "bradley_terry") == pytest.approx({"a": 5 / 8, "b": 3 / 8}, abs=1e-14)
    assert found.undefined is None


@pytest.mark.parametrize(
    ("games", "groups"),
    [
        ([("a", "b", 1.0)], 2),  # b never took a point
        ([("a", "b", 0.5), ("c", "d", 0.5)], 2),  # they never meet
        ([("a", "b", 0.5), ("a", "c", 1.0), ("b", "c", 1.0)], 2),
    ],
)
def test_strengths_without_bound_are_undefined(games: list[Any], groups: int) -> None:
    found = of(*games)
    assert f"fall into {groups} groups" in str(found.undefined)
    assert found.frame["bradley_terry"].isna().all()
    assert found.frame["elo"].notna().all()


def test_an_unreadable_reply_is_no_game() -> None:
    found = of(("a", "b", 1), ("a", "b", None), ("b", "a", 1))
    assert (found.n, found.left_out) == (2, {"parse_failed": 1})
    nothing = of(("a", "b", None))
    assert (nothing.n, nothing.undefined, len(nothing.frame)) == (0, "no game", 0)
    unmarked = of(("a", "b", 1), dimension="soundness")
    assert unmarked.left_out == {"unmarked": 1}


def test_one_judge_of_two() -> None:
    rows = compared(("a", "b", 1)) + compared(("a", "b", 0), judge="ben")
    made = study(comparisons=rows)
    assert column(tournament(made, judge="ben", **ELO), "wins") == {"a": 0, "b": 1}
    assert tournament(made, **ELO).n == 2
    with pytest.raises(DataError, match=r"'bem' compared nothing. Did you mean 'ben'"):
        tournament(made, judge="bem", **ELO)


def test_what_cannot_be_rated_is_refused() -> None:
    with pytest.raises(DataError, match="import comparisons"):
        tournament(study(), **ELO)
    with pytest.raises(UsageError, match="Did you mean 'rating'"):
        of(("a", "b", 1), dimension="ratting")
    with pytest.raises(UsageError, match="above 0"):
        of(("a", "b", 1), scale=0)


GAMES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from([0.0, 0.5, 1.0])).filter(
        lambda game: game[0] != game[1]
    ),
    min_size=1,
    max_size=40,
)


@settings(max_examples=60)
@given(GAMES)
def test_elo_is_evalicas_and_its_mean_stands_still(games: list[Game]) -> None:
    first, second, outcomes = split(games)
    found = elo_in_order(first, second, outcomes, 5, **ELO)
    assert found.mean() == pytest.approx(1000)
    names = [[f"m{n}" for n in side] for side in (first, second)]
    theirs = evalica.elo(
        *names, [WINNERS[o] for o in outcomes.tolist()], initial=1000, k=4, scale=400
    )
    for name, score in theirs.scores.items():
        assert found[int(str(name)[1:])] == pytest.approx(score, abs=1e-10)
    swapped = elo_in_order(second, first, 1 - outcomes, 5, **ELO)
    assert swapped == pytest.approx(found, abs=1e-10)


@settings(max_examples=60)
@given(GAMES, st.permutations(range(5)))
def test_strengths_fit_the_points_whatever_the_names(games: list[Game], names: list[int]) -> None:
    """At the maximum every player's points are those expected, Σ S = Σ p/(p + q)."""
    games = [*games, *((n, (n + 1) % 5, 0.5) for n in range(5))]
    first, second, outcomes = split(games)
    strength, undefined = bradley_terry(first, second, outcomes, 5)
    assert undefined is None
    assert strength is not None
    assert strength.sum() == pytest.approx(1)
    chance = strength[first] / (strength[first] + strength[second])
    surprise = np.bincount(first, outcomes - chance, 5) - np.bincount(second, outcomes - chance, 5)
    assert surprise == pytest.approx(np.zeros(5), abs=1e-9)
    place = np.array(names)
    renamed, _ = bradley_terry(place[first], place[second], outcomes, 5)
    assert renamed is not None
    assert renamed[place] == pytest.approx(strength, abs=1e-12)


def test_strengths_are_evalicas() -> None:
    generator = np.random.default_rng(1)
    first = generator.integers(0, 6, 400)
    second = (first + generator.integers(1, 6, 400)) % 6
    outcomes = generator.choice([0.0, 0.5, 1.0], 400)
    found, _ = bradley_terry(first, second, outcomes, 6)
    winners = [WINNERS[outcome] for outcome in outcomes.tolist()]
    theirs = evalica.bradley_terry(
        [str(n) for n in first], [str(n) for n in second], winners, tolerance=1e-14, limit=10_000
    ).scores
    ours = {str(n): value for n, value in enumerate(found if found is not None else ())}
    assert ours == pytest.approx((theirs / theirs.sum()).to_dict(), abs=1e-9)


def test_one_game_against_a_reference_is_evalicas_first_step() -> None:
    """With constant steps and one game, the two moves are the same but for the reference's."""
    chosen = Settings(elo_k_max=0.5, elo_gamma=1.0, elo_epsilon=0, orders=2)
    for outcome, winner in WINNERS.items():
        run = run_orders(
            np.array([outcome]), np.array([2.5]), start=2.5, settings=chosen, idea_id="i"
        )
        theirs = evalica.elo(["i"], ["r"], [winner], initial=2.5, k=0.5, scale=1.5)
        assert run.finals[0] == pytest.approx(theirs.scores["i"])


def test_fixed_references_give_the_free_fit_where_the_others_stand_as_fitted() -> None:
    """Player 0 meets the others, which are fixed at the free fit: its own fit is the free one's."""
    generator = np.random.default_rng(5)
    others = generator.integers(1, 4, 40)
    outcomes = generator.choice([0.0, 0.5, 1.0], 40)
    found, _ = bradley_terry(np.zeros(40, int), others, outcomes, 4)
    assert found is not None
    scores = 1.5 * np.log10(found / found[0]) + 2.5
    alone = fit(outcomes, scores[others], d=1.5, prior_mean=2.5, prior_sd=1e6)
    assert alone.raw == pytest.approx(2.5, abs=1e-6)


def test_one_player_far_ahead_is_still_fitted() -> None:
    """One loss in 100,001 games: p_a/(p_a + p_b) = 100000/100001, far from where Newton starts."""
    outcomes = np.array([1.0] * 100_000 + [0.0])
    first = np.zeros(len(outcomes), int)
    found, _ = bradley_terry(first, first + 1, outcomes, 2)
    assert found is not None
    assert found[1] * 100_001 == pytest.approx(1, rel=1e-9)


def run(*words: object) -> Any:
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done


def test_the_command_says_what_was_left_out(tmp_path: Path) -> None:
    file = tmp_path / "w.csv"
    file.write_text("left,right,winner\na,b,left\nb,c,garbage\na,c,left\n")
    run("new", tmp_path / "s", "--cutoff", "2024-06-30")
    run("import", "comparisons", file, "--into", tmp_path / "s", "--set", "judge=people")
    done = run("ligbench", "tournament", tmp_path / "s", "--json", "--k", "8")
    found = json.loads(done.stdout)
    assert (found["n"], found["k"], found["left_out"]) == (2, 8, {"parse_failed": 1})
    assert found["frame"][0]["player"] == "a"
    assert found["frame"][0]["bradley_terry"] is None
    assert "1 comparisons are no game: parse_failed" in done.stderr
    assert "Bradley–Terry is not defined" in done.stderr


def test_whole_newton_steps_would_go_too_far() -> None:
    """Few upsets among thousands of games: without halved steps the equations become singular."""
    games = ((1, 2, 0, 1760), (1, 0, 1, 725), (2, 3, 1, 3308), (4, 0, 0, 147), (4, 3, 1, 1),
             (4, 3, 0, 1), *((n, (n + 1) % 5, 0.5, 1) for n in range(5)))  # fmt: skip
    first, second, outcomes, times = (np.array(part) for part in zip(*games, strict=True))
    found, _ = bradley_terry(*(np.repeat(a, times) for a in (first, second, outcomes)), 5)
    assert found is not None
    surprise = times * (outcomes - found[first] / (found[first] + found[second]))
    points = np.bincount(first, surprise, 5) - np.bincount(second, surprise, 5)
    assert points == pytest.approx(np.zeros(5), abs=1e-6)


@pytest.fixture(scope="module")
def published(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("llmfao") / "s"
    Study.create(folder, cutoff=date(2024, 6, 30))
    file = shared_data / "agreement" / "llmfao_pairs.csv"
    run("import", "comparisons", file, "--into", folder, "--set", "judge=people")
    return Study.open(folder)


@pytest.mark.parametrize("algorithm", ["elo", "bradley_terry"])
def test_published_ratings_to_twelve_digits(
    published: Study, shared_data: Path, algorithm: str
) -> None:
    table = pd.read_csv(shared_data / "agreement" / "llmfao_golden.csv")
    own = table[table["algorithm"] == algorithm]
    golden = dict(zip(own["item"], own["score"], strict=True))
    found = tournament(published, **ELO)
    assert (found.n, len(found.frame), found.left_out) == (8931, 59, {})
    assert column(found, algorithm) == pytest.approx(golden, rel=0, abs=1e-12)
