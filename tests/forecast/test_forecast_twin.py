"""Every figure of the metrics chain against the slow twin, on studies that Hypothesis makes up."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from builders import study
from forecast_twin import METRICS, slow_score
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from core.config import Settings
from core.forecast.score import CASES, score_forecasts
from core.study import Study

CUTOFFS = ("2024-01-31", "2024-02-29")
TOPICS = ("t", "u", "v")
PAPERS = [
    {
        "paper_id": f"{topic}{month}-{day}",
        "title": "x",
        "published": f"2024-{month:02d}-{day:02d}",
        "topics": [topic],
    }
    for topic in TOPICS
    for month, day in ((2, 1), (2, 29), (3, 1), (4, 30), (5, 31), (6, 2))
]


@st.composite
def studies(draw: st.DrawFn) -> Study:
    """Up to two systems, three topics and two cutoffs, with gaps, failures and shared papers."""
    ideas, candidates, verdicts = [], [], []
    for system in ("A", "B"):
        for topic in TOPICS:
            for cutoff in CUTOFFS:
                for rank in range(1, draw(st.integers(0, 3)) + 1):
                    name = f"{system}{topic}{cutoff}{rank}"
                    ideas.append(
                        {
                            "idea_id": name,
                            "system": system,
                            "topic": topic,
                            "cutoff": cutoff,
                            "rank": rank,
                            "title": "f",
                        }
                    )
                    met = draw(st.permutations(range(len(PAPERS))))[: draw(st.integers(0, 5))]
                    for place, number in enumerate(met, start=1):
                        paper = PAPERS[number]["paper_id"]
                        candidates.append(
                            {"idea_id": name, "paper_id": paper, "similarity": 0.5, "rank": place}
                        )
                        for judge in ("j", "k"):
                            state = draw(st.sampled_from(["ok"] * 8 + ["refused", "none"]))
                            if state == "none":
                                continue
                            marks = draw(st.tuples(*[st.integers(0, 3)] * 3))
                            names = ("problem", "method", "specificity")
                            verdicts.append(
                                {
                                    "idea_id": name,
                                    "paper_id": paper,
                                    "judge": judge,
                                    "state": state,
                                    **(
                                        dict(zip(names, marks, strict=True))
                                        if state == "ok"
                                        else {}
                                    ),
                                }
                            )
    if not ideas or not verdicts:
        ideas = [{"idea_id": "i", "system": "A", "topic": "t", "cutoff": CUTOFFS[0], "rank": 1}]
        candidates = [{"idea_id": "i", "paper_id": "t2-1", "similarity": 0.5, "rank": 1}]
        verdicts = [
            {"idea_id": "i", "paper_id": "t2-1", "judge": "j", "problem": 3, "method": 3}
            | {"specificity": 3}
        ]
    return study(
        config_values={"horizon_months": 3, "settings": {"pool": "topic"}},
        ideas=ideas,
        papers=PAPERS,
        candidates=candidates,
        verdicts=verdicts,
    )


def close(found: Any, expected: Any) -> bool:
    if expected is None or pd.isna(expected):
        return found is None or pd.isna(found)
    return found == pytest.approx(expected, abs=1e-9)


@hypothesis_settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(studies(), st.integers(3, 6), st.integers(0, 3), st.integers(1, 4), st.integers(1, 4))
def test_every_figure_is_the_twins(made: Study, pm: int, s: int, r: int, slots: int) -> None:
    from dataclasses import replace

    assert made.candidates_info is not None
    made = replace(made, candidates_info=replace(made.candidates_info, pool="topic"))
    now = Settings(gate_pm=pm, gate_s=s, r=r, slots=slots, draws=100, pool="topic")
    ours, twin = score_forecasts(made, now), slow_score(made, now)
    names = [*METRICS, *(f"{m}_{c}" for m in METRICS for c in CASES), "fill_rate", "failed"]
    assert (
        len(ours.episodes)
        == len({(s_, t, c) for s_, _, t, c in twin["episodes"]}) * made.verdicts["judge"].nunique()
    )
    for row in ours.episodes.to_dict("records"):
        key = row["system"], row["judge"], row["topic"], row["cutoff"].date()
        expected = twin["episodes"][key]
        for name in names:
            assert close(row[name], expected[name]), (key, name)
        # Failures as misses and as matches bound the truth, and agree where nothing failed.
        assert row["hit_worst_case"] <= row["hit_best_case"]
        if not row["failed"]:
            assert row["hit"] == row["hit_worst_case"] == row["hit_best_case"]
    topics = {key[2] for key in twin["episodes"]}
    for row in ours.systems.to_dict("records"):
        expected = twin["systems"][row["system"], row["judge"]]
        for name, value in expected.items():
            if name.endswith(("_low", "_high")) and len(topics) == 1:
                continue  # with one topic, episodes are resampled instead
            assert close(row[name], value), name
    for row in ours.pairs.to_dict("records"):
        n, mean, low, high = twin["pairs"][row["a"], row["b"], row["judge"], row["metric"]]
        assert row["episodes"] == n
        assert close(row["difference"], mean)
        if len(topics) > 1:
            assert close(row["low"], low)
            assert close(row["high"], high)
