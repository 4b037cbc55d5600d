"""The LigBench page: every control, every tab, links, selections, empty cases, foreign texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from html_parsing import live_marks
from ligbench_studies import ligbench_folder, ligbench_tables
from page_studies import HOSTILE
from streamlit.testing.v1 import AppTest

from core.ligbench import simulated_games
from core.ligbench.similar_papers import SimilarInfo, SimilarPapers, inputs_digest, store
from core.study import Study

Open = Callable[..., AppTest]
SMALL = {"ideas": 12, "games": 8, "seed": 0, "judge": "bradley_terry"}
TABS = ("Systems", "One idea", "References", "Novelty", "Judges", "Against HindSight")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ligbench_folder(tmp_path_factory.mktemp("ligbench") / "small")


def texts(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.info, app.warning, app.text, app.subheader)
    return "\n".join(str(element.value) for kind in kinds for element in kind).replace("\\", "")


def frame(app: AppTest, *columns: str):  # type: ignore[no-untyped-def]
    return next(each.value for each in app.dataframe if set(columns) <= set(each.value.columns))


def charts(app: AppTest) -> int:
    return len(app.get("plotly_chart"))


def select(app: AppTest, prefix: str, place: int) -> None:
    key = next(name for name in app.session_state.to_dict() if str(name).startswith(prefix))
    app.session_state[key] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    app.run()
    assert not app.exception


def store_similarities(folder: Path) -> None:
    """Each idea's two nearest earlier papers: 0.9 − 0.1 × its number, and 0.1 below."""
    study = Study.open(folder)
    rows = [
        {
            "idea_id": f"i{n}",
            "paper_id": f"p{rank}",
            "similarity": 1 - 0.1 * n - 0.1 * (rank - 1),
            "rank": rank,
            "ambiguous": False,
        }
        for n in range(1, 9)
        for rank in (1, 2)
    ]
    import pandas as pd

    info = SimilarInfo(
        encoder="minilm",
        revision="test",
        encoder_digest="0" * 16,
        depth=2,
        inputs=inputs_digest(study),
        digest="test",
    )
    store(folder, SimilarPapers(frame=pd.DataFrame(rows), info=info))


def test_the_finding_comes_first_with_mode_orders_and_judge(open_page: Open, folder: Path) -> None:
    """Ideas i1 to i4 are alpha's and stronger: 12 of their games are won against 3 of beta's."""
    app = open_page("ligbench", folder)
    assert app.title[0].value == (
        "Beside reviewed papers, alpha ideas beat beta on rating, contribution and soundness"
    )
    said = texts(app)
    assert "Elo in latent mode, mean over 200 orders, all judges." in said
    assert "n = 4 and 3" in said
    assert "1 ideas have no game and no rating" in said


@pytest.mark.parametrize("tab", TABS)
def test_only_the_open_tab_is_drawn(open_page: Open, folder: Path, tab: str) -> None:
    drawn = {"Systems": 3, "One idea": 2, "References": 3, "Novelty": 0, "Judges": 1}
    app = open_page("ligbench", folder, lig_tab=tab)
    assert not app.exception
    assert charts(app) == drawn.get(tab, 1)


def test_tabs_change_what_is_drawn(open_page: Open, folder: Path) -> None:
    app = open_page("ligbench", folder)
    assert charts(app) == 3
    app.session_state["lig_tab"] = "References"
    app.run()
    assert "4 references of 2 venues" in texts(app).replace("*", "")
    assert frame(app, "reviewed")["n"].tolist() == [2, 2]


@pytest.mark.parametrize(("shown", "n"), [("dots", 3), ("radar", 3), ("table", 2)])
def test_systems_are_shown_one_way_at_a_time(
    open_page: Open, folder: Path, shown: str, n: int
) -> None:
    app = open_page("ligbench", folder)
    app.get_by_key("lig_view").set_value(shown).run()
    assert not app.exception
    assert charts(app) == n
    if shown == "table":
        means = frame(app, "system", "dimension", "mean")
        assert means["dimension"].tolist()[:2] == ["rating", "rating"]
        assert set(frame(app, "a", "b")["difference"] > 0) == {True}


def test_the_mode_moves_the_ratings_and_is_named(open_page: Open, folder: Path) -> None:
    app = open_page("ligbench", folder, lig_tab="One idea")
    latent = frame(app, "elo").set_index("idea_id")["elo"]
    app.get_by_key("elo_mode").set_value("paper").run()
    assert "Elo in paper-literal mode" in texts(app)
    paper = frame(app, "elo").set_index("idea_id")["elo"]
    assert latent["i1"] > paper["i1"] > 2.5
    assert latent["i7"] < paper["i7"] < 2.5


def test_the_judge_is_that_of_the_comparisons(open_page: Open, folder: Path) -> None:
    """i3 beats r1 and r2 and loses to r3 and r4 for Ann; for Bob r2 is a tie, for it turned."""
    app = open_page("ligbench", folder, lig_tab="One idea", idea="i3")
    app.get_by_key("lig_judge").set_value("ann").run()
    row = frame(app, "wins").set_index("idea_id").loc["i3"]
    assert row[["wins", "ties", "losses"]].tolist() == [2, 0, 2]
    app.get_by_key("lig_judge").set_value("bob").run()
    row = frame(app, "wins").set_index("idea_id").loc["i3"]
    assert row[["wins", "ties", "losses"]].tolist() == [1, 1, 2]
    assert "judge bob" in texts(app)


def test_orders_and_passes_are_taken(open_page: Open, folder: Path) -> None:
    app = open_page("ligbench", folder)
    app.number_input(key="orders").set_value(50).run()
    assert "mean over 50 orders" in texts(app)
    app.number_input(key="elo_passes").set_value(5).run()
    assert not app.exception


def test_a_link_holds_the_view(open_page: Open, folder: Path) -> None:
    app = open_page(
        "ligbench",
        folder,
        lig_dimension="soundness",
        lig_judge="ann",
        elo_mode="paper",
        orders="20",
        lig_tab="One idea",
        idea="i2",
    )
    said = texts(app)
    assert "Elo in paper-literal mode, mean over 20 orders, judge ann." in said
    assert "i2 · alpha · soundness" in said
    assert "Idea number 2" in said


def test_a_judge_that_is_not_there_is_said(open_page: Open, folder: Path) -> None:
    app = open_page("ligbench", folder, lig_judge="carl")
    assert "carl" in texts(app)
    assert "all judges" in texts(app)


def test_the_highest_idea_is_open_until_a_row_is_picked(open_page: Open, folder: Path) -> None:
    app = open_page("ligbench", folder, lig_tab="One idea")
    assert "i1 · alpha · rating" in texts(app)
    ids = frame(app, "elo")["idea_id"].tolist()
    select(app, "lig_ideas_", ids.index("i5"))
    assert "i5 · beta · rating" in texts(app)
    assert app.query_params["idea"] == "i5"


def test_reasons_are_those_of_the_reference_that_is_picked(open_page: Open, folder: Path) -> None:
    app = open_page("ligbench", folder, lig_tab="One idea", idea="i2")
    games = frame(app, "reference_score")
    assert games["reference_score"].tolist() == [3, 3, 2, 2]
    first = games["reference_id"].iloc[0]
    assert f"ann on i2 and {first}, idea_first" in texts(app)
    select(app, "lig_games_", 3)
    said = texts(app)
    assert f"bob on i2 and {games['reference_id'].iloc[3]}, reference_first" in said
    assert f"ann on i2 and {first}, idea_first" not in said


def test_a_refused_comparison_is_told_as_such(open_page: Open, folder: Path) -> None:
    app = open_page("ligbench", folder, lig_tab="One idea", idea="i7")
    place = frame(app, "reference_score")["reference_id"].tolist().index("r1")
    select(app, "lig_games_", place)
    assert "refused to judge" in texts(app)
    assert "held by the prior: it lost every game" not in texts(app)


def test_an_idea_without_a_game_has_no_rating(open_page: Open, folder: Path) -> None:
    app = open_page("ligbench", folder, lig_tab="One idea", idea="i8")
    assert "no game in rating, so it has no rating" in texts(app)
    assert not charts(app)


def test_an_idea_that_is_not_there_is_said(open_page: Open, folder: Path) -> None:
    app = open_page("ligbench", folder, lig_tab="One idea", idea="i99")
    assert any("no idea 'i99'" in warning.value for warning in app.warning)


def test_flip_rates_and_accuracy(open_page: Open, folder: Path) -> None:
    """No judge compared two references, so accuracy is unknown; accepted papers score higher."""
    app = open_page("ligbench", folder, lig_tab="Judges")
    assert "accuracy against reviewers is unknown" in texts(app)
    decided = frame(app, "accepted", "rejected").set_index("dimension")
    assert decided.loc["rating", ["accepted_n", "rejected_n"]].tolist() == [3, 1]


def test_one_judge_may_be_a_person(open_page: Open, folder: Path) -> None:
    app = open_page("ligbench", folder, lig_tab="Judges")
    app.session_state["lig_people"] = True
    app.run()
    app.multiselect(key="lig_experts").set_value(["ann"]).run()
    assert set(frame(app, "expert")["judge"]) == {"bob"}


def test_one_source_is_computed_when_it_is_opened(open_page: Open, folder: Path) -> None:
    app = open_page("ligbench", folder, lig_tab="Judges")
    assert not any("mean_one" in each.value.columns for each in app.dataframe)
    app.session_state["lig_sources"] = True
    app.run()
    assert set(frame(app, "mean_one")["venue"]) == {"ICLR 2024", "NeurIPS 2024"}


def test_with_one_judge_there_is_nothing_to_choose(open_page: Open, tmp_path: Path) -> None:
    tables = ligbench_tables()
    tables["comparisons"] = [row for row in tables["comparisons"] if row["judge"] == "ann"]
    app = open_page("ligbench", ligbench_folder(tmp_path / "one", tables), lig_tab="Judges")
    assert app.selectbox(key="lig_judge").disabled
    app.session_state["lig_people"] = True
    app.run()
    assert "nobody to agree with" in texts(app)


def test_novelty_says_what_to_run(open_page: Open, folder: Path) -> None:
    app = open_page("ligbench", folder, lig_tab="Novelty")
    assert any("foreseen novelty" in code.value for code in app.code)


def test_the_novelty_map_moves(open_page: Open, tmp_path: Path) -> None:
    """Weighted similarity of i1: 0.6 × 0.9 + 0.4 × 0.85 = 0.88; at α = 1 it is 0.9."""
    folder = ligbench_folder(tmp_path / "novel")
    store_similarities(folder)
    app = open_page("ligbench", folder, lig_tab="Novelty")
    assert charts(app) == 1
    rows = frame(app, "weighted").set_index("idea_id")
    assert rows.loc["i1", "weighted"] == pytest.approx(0.88)
    app.number_input(key="novelty_alpha").set_value(1.0).run()
    assert frame(app, "weighted").set_index("idea_id").loc["i1", "weighted"] == pytest.approx(0.9)
    app.number_input(key="novelty_n").set_value(1).run()
    assert set(frame(app, "weighted")["papers"]) == {1}
    app.number_input(key="novelty_n").set_value(20).run()
    assert app.number_input(key="novelty_k").disabled
    app.get_by_key("novelty_map").set_value("fixed").run()
    assert not app.number_input(key="novelty_k").disabled
    app.number_input(key="novelty_k").set_value(6.0).run()
    app.number_input(key="novelty_mu").set_value(0.5).run()
    assert "k = 6.00, μ = 0.500: k and μ as given" in texts(app)
    app.number_input(key="novelty_beta").set_value(0.0).run()
    # With β = 0 novelty is the judges' mark alone: 5 − 4.5.
    assert frame(app, "weighted").set_index("idea_id").loc["i1", "novelty"] == pytest.approx(0.5)


def test_protocols_meet_in_a_correlation_with_its_n(open_page: Open, folder: Path) -> None:
    """Seven ideas have both a score and a rating."""
    app = open_page("ligbench", folder, lig_tab="Against HindSight")
    rows = frame(app, "rho").set_index(["system", "measure"])
    assert rows.loc[("all systems", "rating"), "n"] == 7
    assert rows.loc[("alpha", "rating"), "n"] == 4
    assert "n = 7" in texts(app)
    app.get_by_key("lig_measure").set_value("soundness").run()
    assert "soundness" in app.subheader[0].value.lower()


def test_disagreements_open_the_idea(open_page: Open, folder: Path) -> None:
    """i3 and i4 score 0 and are rated in the middle; i5 scores 0.3 and is rated low."""
    app = open_page("ligbench", folder, lig_tab="Against HindSight")
    high = frame(app, "difference")
    assert (high["difference"] > 0).all()
    select(app, "lig_disagree_", 1)
    assert app.query_params["idea"] == high["idea_id"].iloc[1]
    app.get_by_key("lig_side").set_value("come true, rated low").run()
    assert (frame(app, "difference")["difference"] < 0).all()


def test_a_button_leads_to_the_games(open_page: Open, folder: Path) -> None:
    app = open_page("ligbench", folder, lig_tab="Against HindSight", idea="i5")
    app.button(key="lig_open_games").click().run()
    assert not app.exception
    assert app.session_state["lig_tab"] == "One idea"
    assert "i5 · beta · rating" in texts(app)


def test_a_point_opens_the_idea(open_page: Open, folder: Path) -> None:
    app = open_page("ligbench", folder, lig_tab="Against HindSight")
    app.session_state["lig_meeting_rating"] = {
        "selection": {"points": [{"customdata": ["i5", "…"]}], "box": [], "lasso": []}
    }
    app.run()
    assert not app.exception
    assert app.query_params["idea"] == "i5"


def test_grids_are_simulated_when_the_tab_is_open(
    open_page: Open, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few ideas and games here; both grids show two charts with what the paper prints."""
    monkeypatch.setattr(simulated_games.noise_grid, "__kwdefaults__", SMALL)
    monkeypatch.setattr(simulated_games.scale_grid, "__kwdefaults__", SMALL)
    app = open_page("ligbench", folder, lig_tab="Simulation", orders="2")
    assert charts(app) == 2
    assert "12 planted ideas × 8 games" in texts(app)
    app.get_by_key("lig_grid").set_value("scale").run()
    app.get_by_key("lig_grid_judge").set_value("ordering").run()
    assert not app.exception
    assert "d = 1.5" in str(app.get("plotly_chart")[0].proto.spec)
    app.session_state["lig_grid_rows"] = True
    app.run()
    assert set(frame(app, "mae", "mode")["mode"]) == {"latent", "paper", "bradley_terry"}


def test_the_inspector_tells_an_ideas_marks_and_links_to_its_games(
    open_page: Open, folder: Path, plain_folder: Path
) -> None:
    app = open_page("ideas", folder, idea="i2")
    assert "LigBench, 0 to 5: rating" in texts(app).replace("*", "")
    assert "in latent mode after 4 games" in texts(app)
    assert "LigBench" not in texts(open_page("ideas", folder, idea="i8"))
    assert "LigBench" not in texts(open_page("ideas", plain_folder, idea="i2"))


def test_without_references_the_page_says_what_to_run(open_page: Open, plain_folder: Path) -> None:
    app = open_page("ligbench", plain_folder)
    assert "no reviewed papers" in app.title[0].value
    assert any("foreseen import references" in code.value for code in app.code)
    assert not charts(app)


def test_without_comparisons_the_references_are_still_shown(
    open_page: Open, tmp_path: Path
) -> None:
    tables = ligbench_tables() | {"comparisons": []}
    app = open_page("ligbench", ligbench_folder(tmp_path / "bare", tables))
    assert app.title[0].value == "4 reviewed papers, and no idea compared with one yet"
    assert any("foreseen judge comparisons" in code.value for code in app.code)
    assert charts(app) == 3


def test_judges_of_references_are_shown_without_a_comparison(
    open_page: Open, tmp_path: Path
) -> None:
    """Ann marks r1 to r4 as reviewers did after debiasing, 2, 3, 2, 3: all four pairs whose
    truth differs are right, two of equal truth are left out."""
    tables = ligbench_tables() | {"comparisons": []}
    tables["starts"] = [
        {"idea_id": f"r{n}", "judge": "ann", "repeat": 1, "state": "ok"}
        | dict.fromkeys(("rating", "contribution", "soundness"), float(2 + (n % 2 == 0)))
        for n in range(1, 5)
    ]
    app = open_page("ligbench", ligbench_folder(tmp_path / "marks", tables), lig_tab="Judges")
    assert "position bias is unknown" in texts(app)
    held = frame(app, "accuracy", "equal_truth").set_index("dimension").loc["rating"]
    assert held[["source", "n", "accuracy", "equal_truth"]].tolist() == ["marks", 4, 1, 2]
    assert charts(app) == 1
    app.session_state["lig_printed"] = True
    app.run()
    assert "GPT-5" in set(frame(app, "judge", "rating")["judge"])


def test_references_without_scores_are_told(open_page: Open, tmp_path: Path) -> None:
    tables = ligbench_tables() | {"comparisons": [], "starts": []}
    for row in tables["references"]:
        for name in ("rating", "contribution", "soundness"):
            del row[name]
    folder = ligbench_folder(tmp_path / "unscored", tables)
    app = open_page("ligbench", folder)
    assert "No reference has a rating" in texts(app)
    assert charts(app) == 2
    app = open_page("ligbench", folder, lig_tab="Judges")
    assert not charts(app)


def test_a_judge_who_compared_no_reference_leaves_the_rest_standing(
    open_page: Open, tmp_path: Path
) -> None:
    """Bob compared references with each other, Ann did not."""
    tables = ligbench_tables()
    extra = [
        {"idea_id": "r1", "reference_id": "r2", "judge": "bob", "order": order, "repeat": 1}
        | dict.fromkeys(("rating", "contribution", "soundness"), 0.0)
        | {"state": "ok"}
        for order in ("idea_first", "reference_first")
    ]
    tables["comparisons"] = [*tables["comparisons"], *extra]
    folder = ligbench_folder(tmp_path / "held", tables)
    app = open_page("ligbench", folder, lig_tab="Judges", lig_judge="ann")
    assert "compared nothing" in texts(app)
    assert charts(app) == 2


def test_without_a_readable_comparison_nothing_is_rated(open_page: Open, tmp_path: Path) -> None:
    tables = ligbench_tables()
    tables["comparisons"] = [
        {name: row[name] for name in ("idea_id", "reference_id", "judge", "order", "repeat")}
        | {"state": "refused"}
        for row in tables["comparisons"]
    ]
    folder = ligbench_folder(tmp_path / "refused", tables)
    for tab in TABS:
        app = open_page("ligbench", folder, lig_tab=tab)
        assert app.title[0].value == "No idea has been rated against reviewed papers yet"


def test_without_candidates_hindsight_is_missing(open_page: Open, tmp_path: Path) -> None:
    tables = ligbench_tables() | {"candidates": []}
    folder = ligbench_folder(tmp_path / "unmatched", tables)
    app = open_page("ligbench", folder, lig_tab="Against HindSight")
    assert any("foreseen match" in code.value for code in app.code)


def test_one_system_is_told_alone(open_page: Open, tmp_path: Path) -> None:
    tables = ligbench_tables()
    tables["ideas"] = [idea | {"system": "only"} for idea in tables["ideas"]]
    folder = ligbench_folder(tmp_path / "single", tables)
    for tab in ("Systems", "Against HindSight"):
        app = open_page("ligbench", folder, lig_tab=tab)
        assert app.title[0].value.startswith("Only ideas reach ")


def test_three_systems_have_a_leader(open_page: Open, tmp_path: Path) -> None:
    tables = ligbench_tables()
    names = ("one", "two", "three")
    tables["ideas"] = [
        idea | {"system": names[place % 3]} for place, idea in enumerate(tables["ideas"])
    ]
    app = open_page("ligbench", ligbench_folder(tmp_path / "three", tables))
    assert "lead 3 systems, at" in app.title[0].value


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Foreign texts wherever the tables hold text, another one a row."""
    tables = ligbench_tables()
    for place, row in enumerate(tables["comparisons"]):
        row["reason"] = HOSTILE[place % len(HOSTILE)]
        row["judge"] = HOSTILE[1][:60] if row["judge"] == "ann" else HOSTILE[0][:60]
    for place, row in enumerate(tables["references"]):
        text = HOSTILE[place]
        row |= {"title": f"{text} {place}", "decision": text[:60], "area": text[:60]}
        row["venue"] = HOSTILE[place % 2][:40]
    for place, row in enumerate(tables["ideas"]):
        text = HOSTILE[place % len(HOSTILE)]
        row |= {"title": text, "system": HOSTILE[1][:30] if place < 4 else HOSTILE[2][:20]}
    return ligbench_folder(tmp_path_factory.mktemp("ligbench") / "foreign", tables)


@pytest.mark.parametrize("tab", TABS)
def test_foreign_texts_are_shown_as_text(open_page: Open, foreign: Path, tab: str) -> None:
    app = open_page("ligbench", foreign, lig_tab=tab)
    assert not app.exception
    kinds = (app.markdown, app.caption, app.subheader, app.title)
    shown = live_marks("\n".join(element.value for kind in kinds for element in kind))
    for mark in ("<script", "](javascript", "$\\int", "**bold**", "<img"):
        assert mark not in shown
    assert all(not element.allow_html for element in app.markdown)
