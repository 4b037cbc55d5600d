"""The bundled study of forecasts: the same bytes, sensible pools, and planted verdicts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from core.cli import app
from core.config import Settings
from core.errors import DataError, UsageError
from core.files import CONFIG_FILE
from core.forecast.geometry import read_geometry
from core.forecast.ledger import ledger
from core.forecast.probes import backward_control
from core.forecast.score import score_forecasts
from core.judging.generality import read_ratings
from core.matching.candidates import is_stale
from core.matching.pools import pools
from core.simulation.forecasts import (
    CUTOFFS,
    DEPTH,
    DIRECT,
    PAST_TITLES,
    SLOTS,
    SUMMARY,
    TOPICS,
    simulate_forecasts,
    write_forecasts,
)
from core.simulation.verdicts import (
    FAILED_EPISODES,
    JUDGES,
    simulate_ratings,
    simulate_verdicts,
)
from core.study import Study

FOLDER = Path(__file__).resolve().parents[2] / "data" / "demo-forecasts"
FILES = (CONFIG_FILE, "ideas.jsonl", "papers.jsonl", "scores.csv")


@pytest.fixture(scope="module")
def bundled() -> Study:
    return Study.open(FOLDER)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies") / "fresh"
    write_forecasts(folder, seed=0)
    return folder


def test_the_bundled_tables_are_a_fresh_run(fresh: Path) -> None:
    for name in FILES:
        assert (fresh / name).read_bytes() == (FOLDER / name).read_bytes(), name


def test_the_bundled_verdicts_follow_from_its_candidates(bundled: Study) -> None:
    again = simulate_verdicts(bundled)
    pd.testing.assert_frame_equal(again, bundled.verdicts)


def test_the_bundled_ratings_look_at_texts_alone(bundled: Study) -> None:
    stored = read_ratings(bundled)
    again = simulate_ratings(replace(bundled, verdicts=bundled.verdicts.head(0), candidates=None))
    pd.testing.assert_frame_equal(stored[again.columns.tolist()], again)
    told = stored.set_index("idea_id")["generality"].reindex(bundled.ideas["idea_id"]).to_numpy()
    vague = np.array([idea["vague"] for idea in bundled.ideas["extra"]])
    assert told[vague].mean() > told[~vague].mean() + 2


def test_the_bundled_candidates_fit_its_tables(bundled: Study) -> None:
    assert not is_stale(bundled)
    assert bundled.candidates_info is not None
    assert (bundled.candidates_info.pool, bundled.candidates_info.depth) == ("topic", DEPTH)


def test_the_bundled_novelty_and_clusters_fit_its_tables(bundled: Study) -> None:
    found = read_geometry(bundled)
    assert found is not None
    assert set(found.novelty["idea_id"]) == set(bundled.ideas["idea_id"])


def test_another_seed_gives_another_study() -> None:
    one, two = simulate_forecasts(1), simulate_forecasts(2)
    assert one.digest != two.digest
    with pytest.raises(UsageError, match="--seed"):
        simulate_forecasts(-1)


def test_episodes_are_whole_but_for_those_planted_as_missing(bundled: Study) -> None:
    found = bundled.ideas.groupby(["system", "topic", "cutoff"]).size()
    by_system = found.groupby("system")
    # Eight topics × six cutoffs = 48; two of direct and one of summary are missing.
    assert TOPICS * len(CUTOFFS) == 48
    assert by_system.size().to_dict() == {DIRECT: 46, PAST_TITLES: 48, SUMMARY: 47}
    assert (by_system.get_group(SUMMARY) == SLOTS).all()
    assert 1 <= by_system.get_group(DIRECT).min() < SLOTS
    assert by_system.get_group(DIRECT).mean() < SLOTS


def test_every_pool_has_a_history_and_more_papers_than_are_judged(bundled: Study) -> None:
    windows = pools(bundled.ideas, bundled.papers, bundled.config, "topic")
    assert windows.certain.sum(axis=1).min() > bundled.settings.r
    first = bundled.ideas["cutoff"].min()
    before = bundled.papers[bundled.papers["published"] <= first]
    assert before["topics"].map(lambda names: names[0]).value_counts().min() >= 30


def test_planted_papers_lie_in_the_target_window_and_share_the_direction(bundled: Study) -> None:
    papers = bundled.papers.set_index("paper_id")
    count = 0
    for idea in bundled.ideas.itertuples():
        for paper_id in idea.extra["planted"]:
            paper = papers.loc[paper_id]
            assert idea.cutoff < paper["published"] <= idea.cutoff + pd.DateOffset(months=3, day=31)
            assert paper["extra"]["direction"] == idea.extra["direction"]
            count += 1
    assert count > 100


def test_past_titles_are_titles_of_its_history(bundled: Study) -> None:
    published = bundled.papers.set_index("title")["published"]
    own = bundled.ideas[bundled.ideas["system"] == PAST_TITLES]
    assert (published.loc[own["title"]].to_numpy() <= own["cutoff"].to_numpy()).all()


def test_some_methods_of_direct_say_almost_nothing(bundled: Study) -> None:
    own = bundled.ideas[bundled.ideas["system"] == DIRECT]
    terse = own["method"].str.split().str.len() <= 4
    assert 0.25 < terse.mean() < 0.55
    assert (own.loc[terse, "key_terms"].map(len) == 0).all()


def test_one_judge_failed_on_whole_episodes(bundled: Study) -> None:
    laid = ledger(bundled, bundled.settings)
    call_failed = laid.states == 3
    strict = laid.judges.index("strict-judge")
    there = (laid.papers >= 0).sum(axis=(1, 2))
    whole = call_failed[strict].sum(axis=(1, 2)) == there
    assert whole.sum() == FAILED_EPISODES
    assert set(laid.episodes.loc[whole, "system"]) == {DIRECT}
    assert not call_failed[laid.judges.index("lenient-judge")].any()


def test_the_planted_order_of_systems_comes_out(bundled: Study) -> None:
    settings = Settings.of({"draws": 100}, base=bundled.settings)
    rows = score_forecasts(bundled, settings).systems.set_index(["judge", "system"])["hit"]
    for judge in JUDGES:
        assert rows[judge.name, SUMMARY] > rows[judge.name, DIRECT]
        assert rows[judge.name, SUMMARY] > rows[judge.name, PAST_TITLES]
    for system in (SUMMARY, DIRECT, PAST_TITLES):
        assert rows["lenient-judge", system] > rows["strict-judge", system]


def test_verdicts_follow_the_planted_relation_not_the_similarity(bundled: Study) -> None:
    assert bundled.candidates is not None
    turned = bundled.candidates.copy()
    turned["similarity"] = -turned["similarity"]
    moved = simulate_verdicts(replace(bundled, candidates=turned))
    pd.testing.assert_frame_equal(moved, bundled.verdicts)


def test_what_repeats_the_past_is_found_in_the_window_before(bundled: Study) -> None:
    """past-titles meets more in the window before, under both judges; no other system is told
    to, and where that window was not searched nothing is graded in it."""
    found = backward_control(
        bundled,
        ledger(bundled, bundled.settings),
        bundled.settings,
        read_geometry(bundled),
        draws=1000,
        seed=0,
    )
    told = {(row.system, row.judge) for row in found if row.high is not None and row.high < 0}
    assert told == {(PAST_TITLES, judge.name) for judge in JUDGES}
    assert all(row.undefined is None and row.episodes >= 20 for row in found)
    unsearched = replace(bundled, folder=None)
    assert len(simulate_verdicts(unsearched)) == 14_080


def test_a_verdict_does_not_depend_on_what_else_is_judged(bundled: Study) -> None:
    assert bundled.candidates is not None
    few = bundled.candidates[bundled.candidates["rank"] <= 2]
    part = simulate_verdicts(replace(bundled, candidates=few))
    keys = ["idea_id", "paper_id", "judge"]
    both = part.merge(bundled.verdicts, on=keys, suffixes=("", "_all"), how="left")
    assert len(both) == len(part) > 0
    ok = (both["state"] == "ok") & (both["state_all"] == "ok")
    for name in ("problem", "method", "specificity"):
        assert np.array_equal(both.loc[ok, name].to_numpy(), both.loc[ok, f"{name}_all"].to_numpy())


def test_studies_that_were_not_planted_are_refused(bundled: Study) -> None:
    bare = bundled.ideas.assign(extra=[{} for _ in range(len(bundled.ideas))])
    with pytest.raises(DataError, match="has no planted direction"):
        simulate_verdicts(replace(bundled, ideas=bare))


def test_the_bundled_study_is_small() -> None:
    files = [p for p in FOLDER.rglob("*") if p.is_file() and "vectors" not in p.parts]
    assert sum(path.stat().st_size for path in files) <= 8 * 2**20


def test_the_command_writes_the_steps_and_refuses_mixed_options(tmp_path: Path) -> None:
    runner = CliRunner()
    made = runner.invoke(app, ["simulate", str(tmp_path / "s"), "--forecasts", "--seed", "3"])
    assert made.exit_code == 0, made.output
    assert "foreseen match" in made.stderr
    assert Study.open(tmp_path / "s").config.preset == "ideaforecastbench"
    early = runner.invoke(app, ["simulate", str(tmp_path / "s"), "--verdicts"])
    assert early.exit_code == 1
    assert "foreseen match" in str(early.exception) + early.output
    for words in (["--forecasts", "--verdicts"], ["--forecasts", "--papers", "10"]):
        mixed = runner.invoke(app, ["simulate", str(tmp_path / "t"), *words])
        assert isinstance(mixed.exception, UsageError) or mixed.exit_code == 2
