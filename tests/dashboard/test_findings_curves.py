"""What the pages on thresholds and robustness say first."""

from __future__ import annotations

import made_results as made
import numpy as np
import pandas as pd
import pytest

from core.hindsight.results import Sweep
from dashboard.findings.robustness import robustness, shares_frame
from dashboard.findings.thresholds import lead, pair_of, thresholds

PAIR = ("alpha", "beta")


def sweep(p: tuple[float, ...], ratios: tuple[float, ...] = (1.1, 1.2, 2.4, 2.8, 3.0)) -> Sweep:
    """The made sweep with the columns that the engine adds to the ratios."""
    result = made.sweep(ratios=ratios, p=p)
    result.ratios["p_adjusted"] = result.ratios["p"]
    result.ratios["difference"] = result.ratios["ratio"] - 1
    result.ratios["rank_biserial"] = result.ratios["ratio"] - 1
    return result


@pytest.mark.parametrize(
    ("p", "title"),
    [
        ((0.01, 0.01, 0.01, 0.01, 0.01), "Alpha's advantage holds at every threshold, and grows"),
        (
            (0.9, 0.2, 0.01, 0.01, 0.01),
            "Alpha's advantage holds at every threshold from 0.500 up",
        ),
        (
            (0.9, 0.01, 0.01, 0.9, 0.9),
            "Alpha's advantage holds for θ from 0.400 to 0.600, and grows",
        ),
        (
            (0.01, 0.9, 0.01, 0.01, 0.9),
            "Alpha's advantage holds mainly for θ from 0.500 to 0.700",
        ),
        ((0.9, 0.9, 0.9, 0.9, 0.9), "No threshold tells alpha ideas and beta ideas apart"),
    ],
)
def test_the_title_tells_where_the_advantage_holds(p: tuple[float, ...], title: str) -> None:
    assert thresholds(made.score(), sweep(p), 0.6, PAIR).title == title


def test_the_lower_system_can_lead() -> None:
    ratios = (0.5, 0.5, 0.4, 0.3, 0.2)
    found = lead(sweep((0.01,) * 5, ratios), *PAIR, 0.6)
    assert found is not None
    assert found.system == "beta"
    # 1 / 0.5 = 2 at the start, 1 / 0.2 = 5 at the end.
    assert (found.first_ratio, found.last_ratio) == pytest.approx((2, 5))


def test_the_sentence_has_the_ratio_here_and_where_few_match() -> None:
    sentence = thresholds(made.score(), sweep((0.01,) * 5), 0.6, PAIR).sentence
    assert "At θ = 0.600 the mean score of alpha ideas is **2.40** times" in sentence
    assert "(1.9 to 3.1)" in sentence
    # beta's match rates are 0.9, 0.675, 0.45, 0.225, 0 of 100 ideas: at least 10 up to θ = 0.7.
    assert "Above 0.700 fewer than 10 beta ideas match." in sentence


def test_an_undefined_ratio_gives_its_reason() -> None:
    result = sweep((0.01,) * 5)
    result.ratios.loc[2, ["ratio", "undefined"]] = [np.nan, "ratio: the mean of beta is 0"]
    sentence = thresholds(made.score(), result, 0.6, PAIR).sentence
    assert "not defined (ratio\\: the mean of beta is 0)" in sentence


def test_a_threshold_above_every_similarity_is_said() -> None:
    sentence = thresholds(made.score(), sweep((0.01,) * 5), 0.95, PAIR).sentence
    assert "At θ = 0.950 no idea has a match." in sentence


def test_one_system_is_told_by_its_matches() -> None:
    score = made.score((made.system("alpha"),), (), judged=False)
    assert pair_of(score) is None
    # alpha's match rates: 1, 0.775, 0.55, 0.325, 0.1; one half is kept up to θ = 0.6.
    found = thresholds(score, made.sweep(), 0.6, None)
    assert found.title == "Half of alpha ideas match at thresholds up to 0.600"


def test_the_lead_over_all_specifications() -> None:
    # Differences from −0.03 to 0.3 in 12 even steps of 0.03: 10 above 0, one at 0, one below;
    # p = 0.01 where above 0.06, that is for 8.
    found = robustness(made.specifications())
    assert found.title == "Alpha ideas lead in 83 % of 12 ways to compute the score"
    assert found.sentence.startswith(
        "The lead is significant (p < 0.05) in **67 %** of them. What moves it most is **θ**"
        " (58 % of the spread), then **citations** (21 %); K hardly matters."
    )


def test_no_effect_to_vary_says_why() -> None:
    found = robustness(made.specifications(reason="There is one system only."))
    assert found.title == "There is no effect to vary"
    assert found.sentence == "There is one system only."


def test_of_opposite_conclusions_the_commoner_is_shown() -> None:
    curve = made.specifications()
    sure = ", significantly (p < 0.05)"
    names = ["a higher", f"a higher{sure}", "b higher", f"b higher{sure}"]
    object.__setattr__(
        curve,
        "shares",
        pd.DataFrame({"conclusion": names, "share": [0.2, 0.1, 0.8, 0.604], "n": 12}),
    )
    assert shares_frame(curve).to_dict("records") == [
        {"conclusion": "b higher", "share": 0.8, "significant": 0.6, "n": 12}
    ]
