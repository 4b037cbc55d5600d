"""The LigBench charts apart from any page: what they draw, say and hand out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import study
from ligbench_studies import ligbench_tables

from core.config import Settings
from core.ligbench.contrasts import contrasts, win_fractions
from core.ligbench.idea_games import idea_games
from core.ligbench.meeting import meeting
from core.ligbench.novelty import novelty
from core.ligbench.rank import Rank, rank
from core.ligbench.references import references_report
from core.ligbench.similar_papers import SimilarInfo, SimilarPapers, inputs_digest
from core.ligbench.simulated_games import step_grid
from core.study import Study
from dashboard.charts.ligbench import (
    in_order,
    start_end_chart,
    systems_dots,
    systems_radar,
    wins_chart,
)
from dashboard.charts.ligbench_grids import grid_chart
from dashboard.charts.ligbench_idea import spread_chart, trajectory_chart
from dashboard.charts.ligbench_meeting import meeting_chart
from dashboard.charts.ligbench_novelty import novelty_map_chart
from dashboard.charts.ligbench_references import judges_chart, means_chart, shares_chart
from dashboard.charts.theme import DARK, LIGHT, Theme, system_styles
from dashboard.ligbench.findings import systems_finding

QUICK = Settings(theta=0.5, draws=100, orders=20)
FOREIGN = "<b>alpha</b>"
STYLES = system_styles([FOREIGN, "beta"])


@pytest.fixture(scope="module")
def small() -> Study:
    """The small study, its first system named in HTML."""
    tables = ligbench_tables()
    for idea in tables["ideas"]:
        idea["system"] = FOREIGN if idea["system"] == "alpha" else "beta"
    return study(**tables)


@pytest.fixture(scope="module")
def ranked(small: Study) -> Rank:
    return rank(small, QUICK)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("draw", [systems_dots, systems_radar])
def test_systems_are_drawn_with_their_means(ranked: Rank, theme: Theme, draw) -> None:  # type: ignore[no-untyped-def]
    chart = draw(ranked.systems, STYLES, theme, "Elo in latent mode.")
    text = chart.figure.to_json()
    assert "\\u003cb\\u003ealpha" not in text
    assert "&lt;b&gt;alpha" in text or "\\u0026lt;b\\u0026gt;alpha" in text
    assert "Elo in latent mode." in chart.caption
    assert chart.data["dimension"].tolist() == [
        "rating",
        "rating",
        "contribution",
        "contribution",
        "soundness",
        "soundness",
    ]
    mean = ranked.systems.set_index(["system", "dimension"]).loc[("beta", "rating"), "mean"]
    assert f"beta, rating: {mean:.2f}" in chart.alt


def test_order_is_that_of_the_paper(ranked: Rank) -> None:
    turned = ranked.systems.iloc[::-1]
    pd.testing.assert_frame_equal(in_order(turned), in_order(ranked.systems))


def test_wins_stand_at_the_mean_score_of_their_band(small: Study) -> None:
    wins = win_fractions(small, QUICK, "rating", bands=2)
    chart = wins_chart(wins, "rating", STYLES, LIGHT)
    line = next(trace for trace in chart.figure.data if trace.name == "beta")
    assert line.x == pytest.approx([2.0, 3.0])
    assert line.y == pytest.approx(wins[wins["system"] == "beta"]["share"])


def test_start_and_end_have_their_ideas_ids(ranked: Rank) -> None:
    chart = start_end_chart(ranked, "rating", STYLES, LIGHT)
    ids = {str(point[0]) for trace in chart.figure.data for point in trace.customdata}
    assert ids == {f"i{n}" for n in range(1, 8)}
    assert len(chart.data) == 7


def test_a_path_is_drawn_in_both_modes_and_every_order_has_its_mark(small: Study) -> None:
    found = idea_games(small, QUICK, "i1", "rating")
    path = trajectory_chart(found, STYLES[FOREIGN], LIGHT)
    assert [len(trace.x) for trace in path.figure.data] == [5, len(found.runs["paper"].path)]
    assert path.figure.data[0].y[0] == 4.5
    spread = spread_chart(found, STYLES[FOREIGN], LIGHT)
    assert len(spread.figure.data[0].x) == 20
    assert len(spread.data) == 40
    assert "Bradley–Terry" in spread.alt
    again = spread_chart(found, STYLES[FOREIGN], LIGHT)
    assert np.array_equal(spread.figure.data[0].y, again.figure.data[0].y)


def test_means_before_and_after_are_those_of_the_report(small: Study) -> None:
    """ICLR 1.5, NeurIPS 3.5: both are moved onto 2.5."""
    chart = means_chart(references_report(small), "rating", LIGHT)
    before, after = (trace for trace in chart.figure.data if trace.mode == "markers")
    assert list(before.x) == [1.5, 3.5]
    assert list(after.x) == [2.5, 2.5]
    assert "2.500" in chart.caption


def test_many_groups_are_cut_and_counted() -> None:
    shares = pd.DataFrame({"name": [f"area {n}" for n in range(40)], "n": 1, "share": 1 / 40})
    chart = shares_chart(shares, "area", LIGHT)
    assert len(chart.figure.data[0].x) == 15
    assert "25 smaller groups" in chart.caption
    assert len(chart.data) == 40


def test_judges_without_a_value_are_left_out(ranked: Rank) -> None:
    rates = ranked.flip_rates.astype({"rate": object})
    rates.loc[rates["judge"] == "ann", "rate"] = None
    chart = judges_chart(rates, "rate", "Choices that turn", LIGHT)
    assert [trace.name for trace in chart.figure.data] == ["bob"]


def test_the_map_passes_through_every_idea(small: Study) -> None:
    """On the map: 5 (1 − 1/(1 + e^(−k (s − μ)))) at each idea's weighted similarity."""
    rows = [
        {"idea_id": f"i{n}", "paper_id": "p1", "similarity": n / 10, "rank": 1, "ambiguous": False}
        for n in range(1, 9)
    ]
    info = SimilarInfo(
        encoder="minilm",
        revision="test",
        encoder_digest="0" * 16,
        depth=1,
        inputs=inputs_digest(small),
        digest="test",
    )
    similar = SimilarPapers(frame=pd.DataFrame(rows), info=info)
    fixed = QUICK.model_copy(update={"novelty_map": "fixed", "novelty_k": 6.0, "novelty_mu": 0.5})
    found = novelty(small, fixed, similar)
    chart = novelty_map_chart(found, STYLES, LIGHT)
    marks = [trace for trace in chart.figure.data if trace.mode == "markers"]
    x = np.concatenate([trace.x for trace in marks]).astype(float)
    y = np.concatenate([trace.y for trace in marks]).astype(float)
    assert y == pytest.approx(5 * (1 - 1 / (1 + np.exp(-6 * (x - 0.5)))))
    # A copy: 5 (1 − 1/(1 + e^(−3))) = 0.237.
    assert "would get 0.24" in chart.caption


def test_the_meeting_has_ids_and_leaves_out_what_is_unknown(small: Study, ranked: Rank) -> None:
    found = meeting(small, small.score(QUICK), ranked)
    chart = meeting_chart(found, "rating", STYLES, LIGHT)
    ids = {str(point[0]) for trace in chart.figure.data for point in trace.customdata}
    assert ids == {f"i{n}" for n in range(1, 8)}
    assert "7 ideas" in chart.alt


@pytest.mark.parametrize(("measure", "lines"), [("mae", 4), ("rank_correlation", 3)])
def test_a_grid_shows_what_the_paper_prints_where_it_does(measure: str, lines: int) -> None:
    """Table 10 prints errors and no rank correlations."""
    grid = step_grid(QUICK, ideas=8, games=6)
    chart = grid_chart(grid, measure, LIGHT)
    assert len(chart.figure.data) == lines
    assert "K 0.5, γ 0.95" in chart.data["setting"].tolist()


def test_the_finding_names_what_can_be_told_apart(small: Study, ranked: Rank) -> None:
    finding = systems_finding(ranked, contrasts(small, ranked))
    assert finding.title.endswith("beat beta on rating, contribution and soundness")
    assert "<b>" not in finding.title.replace("\\<", "")
