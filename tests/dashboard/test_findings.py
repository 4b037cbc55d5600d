"""Titles and sentences follow the numbers, whatever these are."""

from __future__ import annotations

import made_results as made
import pytest

from core.config import Settings
from dashboard import findings


def test_one_system_ahead_and_judges_blind() -> None:
    found = findings.overview(made.score())
    assert found.title == "Alpha ideas foresaw more; the judges saw no difference"
    assert found.sentence == (
        "HindSight scores alpha ideas **2.44 times** as high as beta ideas (95 % interval 1.8 to"
        " 3.4, p < 0.001, n = 100 + 100). The judges' overall marks differ by **0.03** of 10,"
        " alpha higher (−0.06 to 0.12, p = 0.58)."
    )


def test_the_other_system_ahead_turns_the_ratio_round() -> None:
    # beta against alpha: 1 / 0.4 = 2.5, and the interval's ends change places.
    row = made.comparison(
        difference=-0.178,
        difference_low=-0.25,
        difference_high=-0.1,
        ratio=0.4,
        ratio_low=0.25,
        ratio_high=0.5,
        rank_biserial=-0.4,
        n_a=90,
    )
    systems = (made.system("alpha", 0.122), made.system("beta", 0.3))
    found = findings.overview(made.score(systems, (row, made.no_difference())))
    assert found.title.startswith("Beta ideas foresaw more")
    assert "**2.50 times**" in found.sentence
    assert "2.0 to 4.0" in found.sentence
    assert "n = 100 + 90" in found.sentence


def test_judges_of_the_other_opinion() -> None:
    judges = made.no_difference(
        difference=-0.5,
        difference_low=-0.7,
        difference_high=-0.3,
        p_adjusted=0.002,
        rank_biserial=-0.3,
    )
    found = findings.overview(made.score(comparisons=(made.comparison(), judges)))
    assert found.title == "Alpha ideas foresaw more; the judges prefer beta ideas"
    assert "differ by **0.50** of 10, beta higher (0.30 to 0.70, p = 0.002)" in found.sentence


def test_judges_of_the_same_opinion() -> None:
    judges = made.no_difference(difference=0.5, p_adjusted=0.002, rank_biserial=0.3)
    found = findings.overview(made.score(comparisons=(made.comparison(), judges)))
    assert found.title.endswith("; the judges agree")


def test_no_clear_difference() -> None:
    row = made.comparison(p_adjusted=0.06)
    found = findings.overview(made.score(comparisons=(row,)))
    assert found.title == "No clear difference between alpha ideas and beta ideas"
    assert found.sentence.endswith("No judge has marked these ideas.")


def test_mean_and_ranks_that_disagree_are_no_win() -> None:
    row = made.comparison(rank_biserial=-0.3)
    assert findings.winner(row) is None


def test_a_ratio_without_a_denominator_gives_the_difference() -> None:
    row = made.comparison(ratio=None, ratio_low=None, ratio_high=None, undefined="mean of b is 0")
    found = findings.overview(made.score(comparisons=(row,)))
    assert "**0.178** higher than beta ideas (95 % interval 0.10 to 0.25" in found.sentence


def test_an_undefined_comparison_says_why() -> None:
    row = made.undefined("hindsight", "beta has no scored ideas")
    found = findings.overview(made.score(comparisons=(row,)))
    assert found.title == "Alpha and beta cannot be compared"
    assert found.sentence == "Beta has no scored ideas."


def test_one_system_is_described_not_compared() -> None:
    found = findings.overview(made.score((made.system("only"),), (), judged=False))
    assert found.title == "80 % of only ideas met a later paper"
    assert "**0.300** (95 % interval 0.25 to 0.35, n = 100)" in found.sentence


def test_three_systems_name_the_best() -> None:
    systems = (made.system("a", 0.1), made.system("b", 0.4), made.system("c", 0.2))
    rows = (
        made.comparison(a="a", b="b", difference=-0.3, ratio=0.25, rank_biserial=-0.5),
        made.comparison(a="a", b="c", p_adjusted=0.2),
        made.comparison(a="b", b="c", difference=0.2, ratio=2.0, rank_biserial=0.5),
    )
    found = findings.overview(made.score(systems, rows))
    assert found.title == "B ideas foresaw the most of 3 systems"
    assert "b ideas **2.00 times** as high as c ideas" in found.sentence


def test_three_systems_without_a_winner() -> None:
    systems = (made.system("a", 0.1), made.system("b", 0.4), made.system("c", 0.2))
    rows = (made.comparison(a="b", b="c", p_adjusted=0.3), made.comparison(a="a", b="b"))
    found = findings.overview(made.score(systems, rows))
    assert found.title == "No clear winner: b ideas score highest of 3"


def test_no_match_at_all() -> None:
    systems = (made.system("alpha", 0.0, 0.0), made.system("beta", 0.0, 0.0))
    found = findings.overview(made.score(systems, settings=Settings(theta=0.9)))
    assert found.title == "No idea met a later paper at θ = 0.900"


def test_names_cannot_break_the_page() -> None:
    systems = (made.system("$a$*"), made.system("b", 0.1))
    row = made.comparison(a="$a$*", b="b")
    found = findings.overview(made.score(systems, (row,)))
    assert found.title.startswith("\\$a\\$\\* ideas foresaw more")


@pytest.mark.parametrize(
    ("rho", "p", "title"),
    [
        (-0.3, 0.001, "The higher the judges' novelty, the lower the score"),
        (0.3, 0.001, "The higher the judges' novelty, the higher the score"),
        (-0.3, 0.2, "No judge's mark goes with the score"),
        (None, None, "Judges' marks and the score cannot be correlated"),
    ],
)
def test_the_heat_map_has_its_finding(rho: float | None, p: float | None, title: str) -> None:
    assert findings.correlation_title([made.correlation("alpha", "novelty", rho, p)]) == title


def test_both_signs_are_told() -> None:
    rows = [
        made.correlation("alpha", "novelty", -0.3, 0.001),
        made.correlation("alpha", "feasibility", 0.3, 0.001),
    ]
    title = findings.correlation_title(rows)
    assert title == "Judges' feasibility rises with the score, novelty falls"


def test_cards_lead_with_the_best_and_keep_the_others_beneath() -> None:
    cards = findings.cards(made.score())
    assert [card.label for card in cards][-1] == "Judges' overall, of 10"
    assert cards[0].value == "0.300"
    assert cards[0].beneath == "beta 0.122"
    assert len(findings.cards(made.score(judged=False))) == 3
