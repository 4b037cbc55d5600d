"""Real rolling episodes: 8,581 arXiv papers of three topics, where they are at hand."""

from __future__ import annotations

import gzip
import json
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.forecast.episodes import build_manifest, parse_cutoffs
from core.forecast.forecasters.strategy import Ask
from core.forecast.forecasting import chosen_episodes, run_baseline
from core.forecast.manifest import Manifest, manifest_problems
from core.schema import TABLES, admit
from core.study import Study

FILE = Path(__file__).resolve().parents[3] / "shared" / "data" / "arxiv-topics" / "papers.jsonl.gz"
pytestmark = pytest.mark.skipif(not FILE.is_file(), reason="the papers are not at hand")
TOPICS = ("Graph Neural Networks", "Time Series", "Trajectory")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    rows: list[dict[str, Any]] = []
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        for line in lines:
            told = json.loads(line)
            rows.append(
                {
                    "paper_id": told["arxiv_id"],
                    "title": told["title"],
                    "abstract": told["abstract"],
                    "published": told["v1_date"],
                    "topics": told["topics"],
                }
            )
    frame, problems = admit(TABLES["papers"], pd.DataFrame(rows, dtype=object), file=FILE.name)
    assert not problems
    folder = tmp_path_factory.mktemp("arxiv") / "s"
    made = Study.create(folder, cutoff=date(2024, 7, 31), preset="ideaforecastbench")
    return made.write("papers", frame)


@pytest.fixture(scope="module")
def manifest(study: Study) -> Manifest:
    return build_manifest(study, parse_cutoffs("2024-07..2025-06"), horizon_months=3)


def test_thirty_six_episodes(study: Study, manifest: Manifest) -> None:
    assert manifest.topics == TOPICS
    assert len(manifest.episodes) == 36
    assert manifest_problems(manifest, study.papers) == ()
    # The file lacks the first version's date of 340 papers; none of the rest is coarse.
    assert (manifest.undated, manifest.uncertain) == (340, 0)


def test_pool_sizes_are_counts_of_dates(study: Study, manifest: Manifest) -> None:
    days = study.papers["published"].dt.date
    ends = {date(2024, 7, 31): date(2024, 10, 31), date(2025, 6, 30): date(2025, 9, 30)}
    for topic in TOPICS:
        own = study.papers["topics"].map(lambda names, topic=topic: topic in names)
        known = own & days.notna()
        for cutoff, end in ends.items():
            episode = manifest.find(topic, cutoff)
            assert len(episode.history) == int((days[known] <= cutoff).sum())
            later = days[known][days[known] > cutoff]
            assert len(episode.target) == int((later <= end).sum())
    sizes = manifest.to_frame()
    # Pools of a topic only grow in history.
    for _, own_sizes in sizes.groupby("topic"):
        assert own_sizes["history"].is_monotonic_increasing


def test_baselines_run_without_a_model(study: Study, manifest: Manifest) -> None:
    episodes = chosen_episodes(manifest)
    for name in ("random", "recent", "template"):
        done = run_baseline(study, name, episodes, Ask(slots=5, context_tokens=1))
        study = done.study
        assert (done.forecasts, done.open) == (180, 0)
    histories = {(e.topic, e.cutoff): set(e.history) for e in manifest.episodes}
    for idea in study.ideas[study.ideas["system"] != "template"].to_dict("records"):
        assert idea["extra"]["paper_id"] in histories[idea["topic"], idea["cutoff"].date()]
