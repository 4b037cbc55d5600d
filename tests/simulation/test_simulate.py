"""The same seed gives the same bytes, and the pool has the shape that was asked for."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from core.cli import app
from core.errors import UsageError
from core.files import CONFIG_FILE
from core.hindsight.venues import top_flags
from core.simulate import SUFFIXES, simulate, write_study
from core.simulation.marks import JUDGES, REPEATS
from core.simulation.plan import GROUNDED, SYSTEMS, VAGUE, directions
from core.simulation.texts import topics
from core.study import Study

FILES = [CONFIG_FILE, *(name + suffix for name, suffix in SUFFIXES.items())]


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_study(tmp_path / name, seed=7, papers=300, ideas=20)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_another_seed_gives_another_study(tmp_path: Path) -> None:
    for seed in (1, 2):
        write_study(tmp_path / str(seed), seed=seed, papers=300, ideas=20)
    one, two = contents(tmp_path / "1"), contents(tmp_path / "2")
    assert all(one[name] != two[name] for name in FILES)


def test_the_bundled_study_is_a_fresh_run(tmp_path: Path, root: Path) -> None:
    write_study(tmp_path / "fresh", seed=0)
    assert contents(tmp_path / "fresh") == contents(root / "data" / "demo")


def test_the_bundled_study_is_small(root: Path) -> None:
    files = [path for path in (root / "data" / "demo").rglob("*") if path.is_file()]
    kept = [path for path in files if "vectors" not in path.parts]
    assert sum(path.stat().st_size for path in kept) <= 15 * 2**20


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    made = simulate(3, papers=200, ideas=10)
    write_study(tmp_path / "s", seed=3, papers=200, ideas=10)
    read = Study.open(tmp_path / "s")
    assert read.digest == made.digest
    for name in SUFFIXES:
        pd.testing.assert_frame_equal(getattr(read, name), getattr(made, name))


def test_the_demo_says_that_it_is_invented(demo: Study) -> None:
    assert demo.config.simulated
    assert "invented" in demo.config.description
    assert demo.config.knowledge_cutoff == dict.fromkeys(SYSTEMS, date(2023, 12, 31))
    assert demo.config.snapshot == date(2025, 12, 31)


def test_ideas_and_papers_are_spread_over_the_topics(demo: Study) -> None:
    names = {topic.topic for topic in topics()}
    assert len(demo.papers) == 3000
    assert set(demo.ideas.groupby(["system", "topic"]).size()) == {10}
    assert demo.ideas.groupby("system").size().to_dict() == {GROUNDED: 100, VAGUE: 100}
    counts = demo.papers["topics"].map(lambda given: given[0]).value_counts()
    assert set(counts.index) == names
    assert counts.min() > 250


def test_dates_reach_past_both_sides_of_what_counts(demo: Study) -> None:
    published = demo.papers["published"]
    early = (published <= pd.Timestamp(demo.config.cutoff)).mean()
    assert early == pytest.approx(0.07, abs=0.01)
    assert published.max() <= pd.Timestamp(demo.config.window_end())
    assert published.isna().sum() >= 5
    assert demo.papers["date_precision"].value_counts()["month"] > 60


def test_eight_in_a_hundred_are_at_a_top_venue(demo: Study) -> None:
    top = top_flags(demo, demo.settings.venues)
    assert top.mean() == pytest.approx(0.08, abs=0.01)


def test_some_cells_are_unknown_as_in_real_pools(demo: Study) -> None:
    assert 0.01 < demo.papers["abstract"].isna().mean() < 0.05
    assert 0.01 < demo.papers["citations"].isna().mean() < 0.05
    assert 0 < demo.papers["venue"].isna().mean() < 0.2


def test_citations_have_a_heavy_tail(demo: Study) -> None:
    """Hill's estimate of the tail's exponent on the 5 % most cited: between 0.9 and 2."""
    cited = np.sort(demo.papers["citations"].dropna().to_numpy())[::-1]
    top = cited[: len(cited) // 20]
    exponent = 1 / np.mean(np.log(top[:-1] / top[-1]))
    assert 0.9 < exponent < 2
    assert top.sum() > 0.4 * cited.sum()


def test_citations_grow_with_age(demo: Study) -> None:
    papers = demo.papers.dropna(subset=["citations", "published"])
    by_year = papers.groupby(papers["published"].dt.year)["citations"].median()
    assert by_year.is_monotonic_decreasing


def test_judges_mark_in_whole_numbers_and_sometimes_do_not(demo: Study) -> None:
    scores = demo.scores
    assert set(scores.groupby("judge").size()) == {len(demo.ideas) * REPEATS}
    assert set(scores["judge"]) == {judge.name for judge in JUDGES}
    ok = scores["state"] == "ok"
    marks = scores[["novelty", "feasibility", "impact", "overall"]]
    assert (marks[ok] % 1 == 0).all(axis=None)
    assert marks[~ok].isna().all(axis=None)
    assert 0.01 < (~ok).mean() < 0.04
    assert set(scores["state"]) == {"ok", "refused", "parse_failed"}
    assert scores["reason"].notna().all()


def test_one_judge_is_more_lenient_and_both_like_flowers(demo: Study) -> None:
    means = demo.scores.groupby("judge")[["novelty", "overall"]].mean()
    assert (means.loc["lenient-judge"] > means.loc["strict-judge"] + 0.3).all()
    by_system = demo.scores.merge(demo.ideas[["idea_id", "system"]]).groupby("system")
    assert by_system["novelty"].mean()[VAGUE] > by_system["novelty"].mean()[GROUNDED]
    assert by_system["feasibility"].mean()[VAGUE] < by_system["feasibility"].mean()[GROUNDED]


def test_no_two_ideas_of_a_topic_share_a_pair() -> None:
    planted = directions(np.random.default_rng(5), papers=30_000, ideas=400)
    pairs = {(d.topic, d.problem, d.method) for d in planted}
    assert len(pairs) == len(planted) == 800


def test_more_papers_keep_titles_unlike() -> None:
    many = simulate(0, papers=12_000, ideas=10)
    assert len(many.papers) == 12_000
    assert many.papers["title"].str.lower().is_unique
    assert many.papers["paper_id"].is_unique


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"papers": 0}, "--papers"),
        ({"papers": 10**7}, "--papers"),
        ({"ideas": 0}, "--ideas"),
        ({"ideas": 5000}, "--ideas"),
        ({"seed": -1}, "--seed"),
    ],
)
def test_what_cannot_be_made_is_refused(values: dict[str, int], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        simulate(**values)


def test_the_command_writes_a_study_once(tmp_path: Path) -> None:
    words = ["simulate", str(tmp_path / "s"), "--seed", "4", "--papers", "100", "--ideas", "10"]
    first = CliRunner().invoke(app, words)
    assert first.exit_code == 0
    assert len(Study.open(tmp_path / "s").papers) == 100
    again = CliRunner().invoke(app, words)
    assert isinstance(again.exception, UsageError)
