"""Episodes worked by hand: too few forecasts, none at all, failures only, ties, empty pools."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from builders import table
from forecast_studies import CUTOFF, WordEncoder, corpus_study

from core.config import Settings
from core.errors import DataError
from core.forecast.inspector import inspect_episode
from core.forecast.ledger import ledger
from core.forecast.score import score_forecasts
from core.forecast.stored import ATTEMPTS_FILE, Attempt, forecast_key, read_attempts, write_attempts
from core.matching.candidates import run_match
from core.study import Study

NOW = Settings(draws=200, pool="topic")
FULL = {"problem": 3, "method": 3, "specificity": 3}


def forecast(rank: int, *, system: str = "s", topic: str = "graphs", **more: Any) -> dict[str, Any]:
    return {
        "idea_id": f"{system}-{topic}-{rank}",
        "system": system,
        "topic": topic,
        "cutoff": str(CUTOFF),
        "rank": rank,
        "title": "efficient link prediction",
        **more,
    }


def matched(folder: Path, ideas: list[dict[str, Any]]) -> Study:
    made = corpus_study(folder).write("ideas", table("ideas", ideas))
    return run_match(made, encoder=WordEncoder()).study


def verdicts(made: Study, **marks: Any) -> Study:
    assert made.candidates is not None
    pairs = made.candidates[["idea_id", "paper_id"]].to_dict("records")
    rows = [pair | {"judge": "j"} | marks for pair in pairs]
    return made.write("verdicts", table("verdicts", rows))


def first(made: Study) -> dict[str, Any]:
    row: dict[str, Any] = score_forecasts(made, NOW).systems.to_dict("records")[0]
    return row


def test_fewer_than_five_forecasts_keep_five_in_the_denominator(tmp_path: Path) -> None:
    made = verdicts(matched(tmp_path / "s", [forecast(1), forecast(2)]), **FULL)
    row = first(made)
    # Two of five slots are filled, and both are credited with papers of their own.
    assert (row["fill_rate"], row["precision"], row["hit"], row["mrr"]) == (0.4, 0.4, 1.0, 1.0)


def test_equal_similarities_go_by_paper_id(tmp_path: Path) -> None:
    # Both forecasts read the same, so they meet the same papers in the same order, and the
    # papers of the pool that read alike but for their number are as near as each other.
    made = verdicts(matched(tmp_path / "s", [forecast(1), forecast(2)]), **FULL)
    assert made.candidates is not None
    own = made.candidates[made.candidates["idea_id"] == "s-graphs-1"]
    tied = own[own["similarity"].duplicated(keep=False)]
    for _, group in tied.groupby("similarity"):
        assert group.sort_values("rank")["paper_id"].is_monotonic_increasing
    order = own.sort_values("rank")["paper_id"].tolist()
    shown = inspect_episode(made, NOW, system="s", topic="graphs", cutoff=CUTOFF)
    assert [f.credited["j"] for f in shown.forecasts] == order[:2]
    assert "already credited" in shown.forecasts[1].why["j"]
    assert shown.empty_slots == 3
    assert (shown.history, shown.target) == (24, 3)


def test_when_all_verdicts_failed_nothing_is_known(tmp_path: Path) -> None:
    made = verdicts(matched(tmp_path / "s", [forecast(1)]), state="call_failed")
    row = first(made)
    assert (row["hit"], row["precision"], row["mrr"], row["soft"]) == (None,) * 4
    assert (row["episodes"], row["left_out"]) == (0, 1)
    # As misses nothing is met, as matches the one forecast is.
    assert (row["hit_worst_case"], row["hit_best_case"]) == (0.0, 1.0)
    assert (row["precision_worst_case"], row["precision_best_case"]) == (0.0, 0.2)
    shown = inspect_episode(made, NOW, system="s", topic="graphs", cutoff=CUTOFF)
    assert shown.forecasts[0].why["j"].endswith("3 verdicts failed")


def test_an_empty_target_pool_is_a_miss_with_a_reason(tmp_path: Path) -> None:
    ideas = [forecast(1), forecast(1, topic="weather")]
    made = verdicts(matched(tmp_path / "s", ideas), **FULL)
    row = first(made)
    assert (row["episodes"], row["hit"]) == (2, 0.5)
    shown = inspect_episode(made, NOW, system="s", topic="weather", cutoff=CUTOFF)
    assert shown.target == 0
    assert shown.forecasts[0].why["j"] == "no paper lies in its target pool"


def test_asked_and_gave_nothing_is_a_miss_and_not_asked_is_missing(tmp_path: Path) -> None:
    ideas = [forecast(1), forecast(1, topic="agents"), forecast(1, system="r")]
    made = verdicts(matched(tmp_path / "s", ideas), **FULL)

    def rows() -> tuple[dict[str, Any], list[str]]:
        found = score_forecasts(made, NOW)
        own = {row["system"]: row for row in found.systems.to_dict("records")}
        return own["r"], found.missing["topic"].tolist()

    row, missing = rows()
    assert (row["episodes"], row["hit"], missing) == (1, 1.0, ["agents"])
    key = forecast_key(made)
    asked = {"system": "r", "topic": "agents", "cutoff": CUTOFF, "forecasts": 0}
    write_attempts(made, [Attempt(**asked, state="call_failed", reason="down")])
    assert rows()[1] == ["agents"]  # a call that failed leaves the episode open
    write_attempts(made, [Attempt(**asked, state="parse_failed", reason="no JSON")])
    row, missing = rows()
    assert (row["episodes"], row["hit"], row["precision"], missing) == (2, 0.5, 0.1, [])
    assert row["fill_rate"] == pytest.approx(0.1)
    assert any("1 episodes were asked for" in line for line in score_forecasts(made, NOW).cautions)
    assert forecast_key(made) != key
    shown = inspect_episode(made, NOW, system="r", topic="agents", cutoff=CUTOFF)
    assert (shown.forecasts, shown.empty_slots, shown.history) == ((), 5, 24)
    assert [a.state for a in read_attempts(made)] == ["parse_failed"]


@pytest.mark.parametrize("ranks", [(1, 3), (2, 3), (1, 1)])
def test_ranks_that_are_not_one_to_n_name_the_episode(
    ranks: tuple[int, int], tmp_path: Path
) -> None:
    ideas = [forecast(rank, idea_id=f"i{place}") for place, rank in enumerate(ranks)]
    made = matched(tmp_path / "s", ideas)
    with pytest.raises(DataError, match=r"'s', topic 'graphs', cutoff 2024-07-31 are .* 1 to 2"):
        ledger(made, NOW)


def test_a_faulty_line_of_attempts_is_named(tmp_path: Path) -> None:
    made = corpus_study(tmp_path / "s")
    for text in ('{"system": "s"}', "{", '{"cutoff": "x"}'):
        (tmp_path / "s" / ATTEMPTS_FILE).write_text(text + "\n")
        with pytest.raises(DataError, match=r"attempts\.jsonl, line 1"):
            read_attempts(made)


def test_month_only_papers_of_the_window_are_candidates(tmp_path: Path) -> None:
    made = corpus_study(tmp_path / "s")
    papers = made.papers.copy()
    later = papers["published"] == pd.Timestamp("2024-09-10")
    papers.loc[later, "date_precision"] = "month"
    made = made.write("papers", papers).write("ideas", table("ideas", [forecast(1)]))
    found = run_match(made, encoder=WordEncoder()).study
    # August, September (to the month) and October; the paper of the year 2024 is left out,
    # since it may lie on either side.
    assert (ledger(found, NOW).papers[0, 0] >= 0).sum() == 3
    include = Settings(draws=200, pool="topic", ambiguous_dates="include")
    assert (ledger(found, include).papers[0, 0] >= 0).sum() == 4
    end = found.config.window_end(CUTOFF)
    assert end == date(2024, 10, 31)
