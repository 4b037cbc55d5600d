"""Diagnostics: by hand, against scipy and statsmodels, and where they are undefined."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import statsmodels.api as sm
from builders import INFO, study, table
from forecast_studies import CUTOFF, WordEncoder, corpus_study

from core.config import Settings
from core.forecast.association import associate, controls_of, rate_bins
from core.forecast.diagnostics import diagnostics
from core.forecast.forecasters.strategy import Ask
from core.forecast.forecasting import run_baseline
from core.forecast.geometry import kmeans, measure_geometry, read_geometry, windows_of
from core.forecast.ledger import ledger
from core.forecast.measures import text_measures
from core.forecast.probes import contamination, equal_pools
from core.forecast.score import episode_metrics, score_forecasts
from core.judging.generality import read_ratings
from core.judging.verdicts import verdict_tasks
from core.matching.candidates import run_match
from core.study import Study

NOW = Settings(draws=200, pool="topic")


def rows(n: int = 240) -> pd.DataFrame:
    """Forecasts of 6 topics whose credit rises with the number of words."""
    random = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "system": [f"s{place % 2}" for place in range(n)],
            "topic": [f"t{place % 6}" for place in range(n)],
            "cutoff": [
                pd.Timestamp("2024-01-31") + pd.Timedelta(days=place % 5) for place in range(n)
            ],
            "rank": [place % 4 + 1 for place in range(n)],
            "judge": "j",
            "words": random.integers(5, 60, n).astype(float),
            "pool_size": random.integers(10, 99, n).astype(float),
        }
    )
    frame["rarity"] = frame["words"] / 10 + random.normal(size=n)
    frame["credited"] = (random.uniform(0, 60, n) < frame["words"]).astype(float)
    return frame


def test_correlation_is_scipys_and_partial_correlation_is_that_of_residuals() -> None:
    frame = rows()
    found = associate(frame, "rarity", "j", draws=200, seed=0)
    assert found.r == pytest.approx(scipy.stats.pearsonr(frame["rarity"], frame["credited"])[0])
    assert controls_of("rarity") == ("words", "pool_size", "rank")
    basis = sm.add_constant(
        np.column_stack(
            [np.log1p(frame["words"]), np.log1p(frame["pool_size"]), frame["rank"].astype(float)]
        )
    )
    residuals = [sm.OLS(frame[name], basis).fit().resid for name in ("rarity", "credited")]
    assert found.partial == pytest.approx(scipy.stats.pearsonr(*residuals)[0])
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.r < found.high


def test_the_interval_resamples_whole_topics() -> None:
    frame = rows()
    found = associate(frame, "words", "j", draws=300, seed=4)
    drawn = np.random.default_rng(4).multinomial(6, np.full(6, 1 / 6), size=300)
    values = []
    for counts in drawn:
        parts = [frame[frame["topic"] == f"t{t}"] for t, c in enumerate(counts) for _ in range(c)]
        sample = pd.concat(parts)
        values.append(np.corrcoef(sample["words"], sample["credited"])[0, 1])
    assert found.low == pytest.approx(np.quantile(values, 0.025))
    assert found.high == pytest.approx(np.quantile(values, 0.975))


def test_the_matched_comparison_by_hand() -> None:
    # Median of rarity is 2.5. Stratum (t, day 1): high {credited 1, 1}, low {0}: gap 1, weight 1.
    # Stratum (t, day 2): high {0}, low {1, 0}: gap −1/2, weight 1. Mean: 1/4.
    frame = pd.DataFrame(
        {
            "system": "s",
            "topic": "t",
            "cutoff": pd.to_datetime(["2024-01-01"] * 3 + ["2024-02-01"] * 3),
            "rank": [1, 2, 3, 1, 2, 3],
            "judge": "j",
            "rarity": [3.0, 4.0, 1.0, 5.0, 2.0, 1.5],
            "credited": [1.0, 1.0, 0.0, 0.0, 1.0, 0.0],
            "words": 5.0,
            "pool_size": 9.0,
        }
    )
    found = associate(frame, "rarity", "j", draws=100, seed=0)
    assert found.matched == pytest.approx(1 / 4)
    assert (found.strata, found.within) == (2, "topic and cutoff")
    # With most at the greatest value nothing is above the median: 3s against the 1 and the 2.
    # Day 1: {1, 1} against {0}; day 2: {0, 0} against {1}. Mean of 1 and −1, weights 1 each.
    capped = frame.assign(rarity=[3.0, 3.0, 1.0, 3.0, 2.0, 3.0])
    assert associate(capped, "rarity", "j", draws=100, seed=0).matched == pytest.approx(0)


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("words", 3.0, "same words"),
        ("credited", 1.0, "all forecasts are credited or none"),
        ("credited", np.nan, "fewer than 3"),
    ],
)
def test_what_cannot_be_correlated_says_why(column: str, value: float, reason: str) -> None:
    found = associate(rows().assign(**{column: value}), "words", "j", draws=100, seed=0)
    assert found.r is None
    assert found.undefined is not None
    assert reason in found.undefined


def test_bins_share_all_forecasts_and_equal_values_stay_together() -> None:
    bins = rate_bins(rows(), "words", "j")
    assert len(bins) == 5
    assert sum(b.n for b in bins) == 240
    assert all(a.high < b.low for a, b in pairwise(bins))
    assert bins[-1].rate > bins[0].rate
    two = rate_bins(rows().assign(words=[1.0] * 200 + [2.0] * 40), "words", "j")
    assert [(b.low, b.high, b.n) for b in two] == [(1.0, 1.0, 200), (2.0, 2.0, 40)]


def small(cutoffs: list[str], hits: list[int], **config: Any) -> Study:
    """One forecast an episode, topic by turns, whose one candidate passes or does not."""
    ideas, papers, candidates, verdicts = [], [], [], []
    for place, (cutoff, hit) in enumerate(zip(cutoffs, hits, strict=True)):
        day = pd.Timestamp(cutoff) + pd.Timedelta(days=3)
        topic = f"t{place % 2}"
        ideas.append(
            {"idea_id": f"i{place}", "system": "s", "topic": topic, "cutoff": cutoff}
            | {"rank": 1, "title": "A forecast", "method": "GPT-4 probes", "key_terms": ["a"]}
        )
        papers += [
            {"paper_id": f"p{place}.{n}", "title": "GPT-4", "published": day, "topics": [topic]}
            for n in range(4)
        ]
        candidates.append(
            {"idea_id": f"i{place}", "paper_id": f"p{place}.0", "similarity": 0.9, "rank": 1}
        )
        verdicts.append(
            {"idea_id": f"i{place}", "paper_id": f"p{place}.0", "judge": "j"}
            | {"problem": 3 * hit, "method": 3 * hit, "specificity": 3 * hit}
        )
    made = study(
        config_values={"horizon_months": 3, "settings": {"pool": "topic"}, **config},
        ideas=ideas,
        papers=papers,
        candidates=candidates,
        verdicts=verdicts,
    )
    return replace(made, candidates_info=replace(INFO, pool="topic"))


def test_contamination_by_hand() -> None:
    # Knowledge to 2024-06-30. Windows of three months: cutoffs January to March close by then
    # (hits 1, 1, 0), April and May lie astride, June 30 and July open after (hits 0, 1).
    days = ["2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30", "2024-05-31", "2024-06-30"]
    made = small(
        [*days, "2024-07-31"],
        [1, 1, 0, 1, 1, 0, 1],
        knowledge_cutoff={"m": date(2024, 6, 30)},
        models={"s": "m"},
    )
    episodes = episode_metrics(ledger(made, NOW), NOW)
    (row,) = contamination(made, episodes, draws=200, seed=0)
    assert (row.model, row.role, row.n_before, row.n_after, row.astride) == ("s", "system", 3, 2, 2)
    assert row.before == pytest.approx(2 / 3)
    assert row.after == pytest.approx(1 / 2)
    assert row.difference == pytest.approx(-1 / 6)
    late = small(["2025-01-31"], [1], knowledge_cutoff={"j": date(2024, 6, 30)})
    (row,) = contamination(late, episode_metrics(ledger(late, NOW), NOW), draws=200, seed=0)
    assert (row.role, row.before, row.after, row.difference) == ("judge", None, 1.0, None)
    assert row.undefined is not None
    assert "ended by" in row.undefined


def test_equal_pools_by_hand() -> None:
    made = small(["2024-01-31"] * 2 + ["2024-02-29"] * 2, [1, 1, 1, 0])
    near = Settings(draws=200, pool="topic", r=1)
    # January's windows reach to April, so their pools hold February's papers too: 8, 8, 4, 4.
    # Each has one passing paper, the last none: (2/8 + 2/8 + 2/4 + 0) / 4 = 1/4 is expected.
    (row,) = equal_pools(made, ledger(made, near), near, size=2, draws=2000)
    assert row.hit == pytest.approx(1 / 4, abs=0.03)
    assert row.hit_all == 3 / 4
    (whole,) = equal_pools(made, ledger(made, near), near, size=8)
    assert whole.hit == whole.hit_all == 3 / 4
    assert whole.smaller == 2
    (auto,) = equal_pools(made, ledger(made, near), near)
    assert auto.size == 4
    (none,) = equal_pools(made, ledger(made, NOW), NOW)
    assert (none.hit, none.undefined is not None) == (None, True)


def test_text_measures_by_hand() -> None:
    measures = text_measures(small(["2024-01-31"], [1])).iloc[0]
    # 'A forecast', 'GPT-4 probes', 'a': five words. Two of method, one term. 'GPT-4' alone
    # has a capital or digit inside. All four papers hold 'gpt-4': ln(4/4) = 0; 'a', 'forecast'
    # and 'probes' are in none: ln 4 each. Mean over four distinct words: 3/4 · ln 4.
    assert (measures["words"], measures["method_words"], measures["key_terms"]) == (5, 2, 1)
    assert measures["specifics"] == pytest.approx(1 / 5)
    assert measures["rarity"] == pytest.approx(0.75 * np.log(4))


def test_a_field_lost_in_conversion_is_seen() -> None:
    made = small(["2024-01-31", "2024-02-29"], [1, 0])
    emptied = made.ideas.assign(key_terms=[(), ()])
    result = diagnostics(replace(made, ideas=emptied), NOW)
    fields = {row.field: row for row in result.fields}
    assert (fields["key_terms"].empty, fields["key_terms"].median) == (2, None)
    assert fields["method"].median == 2
    assert any("no key_terms" in line for line in result.cautions)
    assert any("2 words" in line for line in result.cautions)
    assert set(result.not_measured) == {"generality", "novelty"}
    assert json.dumps(result.not_measured)


def test_pool_sizes_are_the_episodes_own() -> None:
    made = small(["2024-01-31", "2024-01-31", "2024-02-29"], [1, 0, 1])
    found = diagnostics(made, NOW).forecasts.sort_values("idea_id")
    # Topic t0 has i0's four papers of early February and i2's four of early March, both by the
    # end of April; after February 29 there are i2's alone. Topic t1 has i1's four.
    assert found["pool_size"].tolist() == [8, 4, 4]


def test_without_verdicts_there_is_what_needs_none() -> None:
    made = small(["2024-01-31"], [1])
    made = replace(made, verdicts=made.verdicts.iloc[:0])
    result = diagnostics(made, NOW)
    assert (result.associations, result.contamination, result.equal_pools) == ((), (), ())
    assert result.fields
    assert [row.judge for row in result.backward] == [None]


def measured_study(folder: Path) -> tuple[Study, Settings]:
    made = corpus_study(folder)
    made = run_baseline(made, "recent", [("graphs", CUTOFF)], Ask(slots=2, context_tokens=1)).study
    made = run_match(made, encoder=WordEncoder()).study
    return made, Settings.of({"draws": 200}, base=made.settings)


def test_novelty_coverage_and_the_backward_window(tmp_path: Path) -> None:
    made, now = measured_study(tmp_path / "s")
    assert read_geometry(made) is None
    found = measure_geometry(made, now, encoder=WordEncoder())
    again = read_geometry(Study.open(tmp_path / "s"))
    assert again is not None
    assert again.info == found.info
    pd.testing.assert_frame_equal(again.novelty, found.novelty)
    # 'recent' retells papers of its own history, so nothing is new. 24 papers are seen.
    assert found.novelty["novelty"].tolist() == pytest.approx([0.0, 0.0], abs=1e-6)
    assert found.novelty["history"].tolist() == [24, 24]
    # The window is (2024-07-31, 2024-10-31], 92 days; before it: (2024-04-30, 2024-07-31].
    own = windows_of(made, "topic")
    days = made.papers["published"][own.backward.certain[0]].dt.date
    assert (days.min(), days.max(), len(days)) == (date(2024, 5, 5), date(2024, 7, 20), 6)
    assert len(found.backward) == 12
    assert set(found.clusters["topic"]) == {"graphs"}
    # Three marked papers lie in the target pool (August to October), all unlike: three clusters.
    assert sorted(found.clusters["cluster"]) == [0, 1, 2]
    asked = verdict_tasks(made, now, window="backward")
    assert {task.key["paper_id"][0] for task in asked.tasks} == {"p"}
    assert {task.key["paper_id"][0] for task in verdict_tasks(made, now).tasks} == {"z"}


def test_coverage_and_novelty_reach_the_systems_table(tmp_path: Path) -> None:
    made, now = measured_study(tmp_path / "s")
    passing = {"problem": 3, "method": 3, "specificity": 3, "judge": "j"}
    assert made.candidates is not None
    pairs = made.candidates[["idea_id", "paper_id"]].to_dict("records")
    made = made.write("verdicts", table("verdicts", [pair | passing for pair in pairs]))
    before = score_forecasts(made, now).systems.iloc[0]
    assert before["coverage"] is None
    assert "--encode" in before["coverage_unknown"]
    measure_geometry(made, now, encoder=WordEncoder())
    made = Study.open(tmp_path / "s")
    after = score_forecasts(made, now).systems.iloc[0]
    # Two forecasts take two papers of two of three clusters.
    assert after["coverage"] == pytest.approx(2 / 3)
    assert after["novelty"] == pytest.approx(0, abs=1e-6)
    assert (after["coverage_episodes"], after["novelty_unknown"]) == (1, None)
    back = diagnostics(made, now).backward[0]
    assert back.similarity_backward == pytest.approx(1.0)
    assert back.similarity is not None
    assert back.similarity < 1
    assert (back.hit, back.undefined is not None) == (None, True)


def test_the_backward_control_with_verdicts(tmp_path: Path) -> None:
    made, now = measured_study(tmp_path / "s")
    found = measure_geometry(made, now, encoder=WordEncoder())
    grades = {"method": 3, "specificity": 3, "judge": "j"}
    assert made.candidates is not None
    rows_ = [
        pair | grades | {"problem": 0}
        for pair in made.candidates[["idea_id", "paper_id"]].to_dict("records")
    ]
    rows_ += [
        pair | grades | {"problem": 3}
        for pair in found.backward[["idea_id", "paper_id"]].to_dict("records")
    ]
    made = Study.open(tmp_path / "s").write("verdicts", table("verdicts", rows_))
    (row,) = diagnostics(made, now).backward
    # Nothing of the target passes, every paper of the past does.
    assert (row.episodes, row.hit, row.hit_backward, row.difference) == (1, 0.0, 1.0, -1.0)
    assert score_forecasts(made, now).systems.iloc[0]["hit"] == 0.0


def test_a_table_that_moved_on_makes_the_geometry_stale(tmp_path: Path) -> None:
    made, now = measured_study(tmp_path / "s")
    measure_geometry(made, now, encoder=WordEncoder())
    changed = made.ideas.assign(title=made.ideas["title"] + " anew")
    assert read_geometry(replace(made, ideas=changed)) is None


def test_the_window_before_is_as_many_days_long() -> None:
    # July 31 to October 31 are 92 days after the cutoff; 92 days up to it begin on May 1.
    days = ("2024-04-30", "2024-05-01", "2024-07-31", "2024-08-01", "2024-05")
    papers = [{"paper_id": day, "title": "x", "published": day, "topics": ["t"]} for day in days]
    made = study(
        config_values={"cutoff": CUTOFF, "horizon_months": 3},
        ideas=[{"idea_id": "i", "system": "s", "topic": "t"}],
        papers=papers,
    )
    before = windows_of(made, "topic").backward.certain[0]
    assert made.papers["paper_id"][before].tolist() == ["2024-05-01", "2024-07-31", "2024-05"]


def test_clusters_are_seeded_and_never_more_than_papers_differ() -> None:
    vectors = np.repeat(np.eye(3, dtype=np.float32), 4, axis=0) * 2
    labels = kmeans(vectors, 5, seed=0)
    assert sorted(np.bincount(labels)) == [4, 4, 4]
    assert (labels == kmeans(vectors, 5, seed=0)).all()


def test_ratings_of_generality(tmp_path: Path) -> None:
    made, now = measured_study(tmp_path / "s")
    assert read_ratings(made).empty
    lines = [
        {"idea_id": idea, "judge": "r", "problem": p, "method": 1, "setting": 0, "claim": 2}
        for idea, p in zip(made.ideas["idea_id"], (3, 0), strict=True)
    ]
    path = tmp_path / "s" / "generality.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    # 12 − (3 + 1 + 0 + 2) = 6 and 12 − 3 = 9.
    assert read_ratings(made)["generality"].tolist() == [6.0, 9.0]
    passing = {"problem": 3, "method": 3, "specificity": 3, "judge": "j"}
    assert made.candidates is not None
    pairs = made.candidates[["idea_id", "paper_id"]].to_dict("records")
    made = made.write("verdicts", table("verdicts", [pair | passing for pair in pairs]))
    (mean,) = diagnostics(made, now).generality
    assert (mean.rater, mean.n, mean.mean) == ("r", 2, 7.5)
