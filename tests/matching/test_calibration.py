"""Calibration: pairs within and across topics, and the θ that follows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import study, table
from hypothesis import given
from hypothesis import strategies as st

from core.config import Settings
from core.errors import DataError
from core.hindsight.calibration import Calibration, calibration
from core.matching.candidates import match
from core.study import Study

# Papers lie on the unit circle and ideas along its first axis: the cosine is the first number.


def circle(cosine: float) -> list[float]:
    return [cosine, float(np.sqrt(1 - cosine**2))]


def matched(
    folder: Path,
    ideas: Mapping[str, tuple[str | None, list[float]]],
    papers: Mapping[str, tuple[list[str], str | None, list[float]]],
    cutoffs: Mapping[str, str] | None = None,
) -> Study:
    """A matched study: ideas by (topic, vector), papers by (topics, date, vector)."""
    own = cutoffs or {}
    start = Study.create(folder / "s", cutoff=date(2023, 6, 30), horizon_months=30)
    start = start.write(
        "ideas",
        table(
            "ideas",
            [
                {"idea_id": name, "system": "s", "topic": topic, "cutoff": own.get(name)}
                for name, (topic, _) in ideas.items()
            ],
        ),
    )
    start = start.write(
        "papers",
        table(
            "papers",
            [
                {"paper_id": name, "title": "t", "topics": topics, "published": day}
                for name, (topics, day, _) in papers.items()
            ],
        ),
    )
    files = {"ideas": folder / "i.npz", "papers": folder / "p.npz"}
    np.savez(files["ideas"], ids=list(ideas), vectors=[v for *_, v in ideas.values()])
    np.savez(files["papers"], ids=list(papers), vectors=[v for *_, v in papers.values()])
    return match(start, vectors=files)


DAY = "2024-01-05"
PAPERS: dict[str, tuple[list[str], str | None, list[float]]] = {
    "a1": (["a"], DAY, circle(0.9)),
    "a2": (["a"], DAY, circle(0.5)),
    "b1": (["b"], DAY, circle(0.8)),
    "c1": (["c"], DAY, circle(0.3)),
    "bare": ([], DAY, circle(0.99)),
    "outside": (["b"], "2022-01-05", circle(0.95)),
    "unsure": (["b"], "2023", circle(0.95)),
    "undated": (["b"], None, circle(0.95)),
}
IDEAS: dict[str, tuple[str | None, list[float]]] = {
    "i1": ("a", [1.0, 0.0]),
    "i2": ("b", [1.0, 0.0]),
    "i3": (None, [1.0, 0.0]),
}


def test_by_hand(tmp_path: Path) -> None:
    found = calibration(matched(tmp_path, IDEAS, PAPERS))
    # i1 (a): own 0.9, 0.5; other 0.8, 0.3.  i2 (b): own 0.8; other 0.9, 0.5, 0.3.
    # i3 has no topic; 'bare' carries none; the last three are not surely in the window.
    assert (found.n_ideas, found.n_ideas_own, found.n_ideas_other) == (3, 2, 2)
    assert (found.n_own, found.n_other) == (3, 5)
    assert found.unassigned_papers == 1
    assert found.basis == "topics"
    assert found.idea_ids == ("i1", "i2", "i3")
    np.testing.assert_array_equal(found.best_own, [0.9, 0.8, np.nan])
    np.testing.assert_array_equal(found.best_other, [0.8, 0.9, np.nan])
    # None of two ideas may match (0.05 × 2 < 1), so θ is the first thousandth above 0.9.
    assert found.suggested_theta == 0.901
    assert found.false_matches == 0.0
    assert found.own_matches == 0.0
    assert (found.other_pair_rate, found.own_pair_rate) == (0.0, 0.0)
    assert found.undefined is None


def test_only_papers_in_an_ideas_own_window_count(tmp_path: Path) -> None:
    later = {"b2": (["b"], "2026-02-01", circle(0.99)), "a3": (["a"], "2026-02-01", circle(0.1))}
    found = calibration(matched(tmp_path, IDEAS, PAPERS | later, {"i2": "2025-12-31"}))
    # i1 keeps its four pairs; i2, two years later, meets b2 (own) and a3 (other) alone.
    assert (found.n_own, found.n_other) == (2 + 1, 2 + 1)
    np.testing.assert_array_equal(found.best_own, [0.9, 0.99, np.nan])
    np.testing.assert_array_equal(found.best_other, [0.8, 0.1, np.nan])


def test_a_higher_rate_allows_a_lower_theta(tmp_path: Path) -> None:
    made = matched(tmp_path, IDEAS, PAPERS)
    found = calibration(made, Settings(false_match_rate=0.5))
    # One of two may match: θ lies above i1's best, 0.8; i2's 0.9 still matches.
    assert found.suggested_theta == 0.801
    assert found.false_matches == 0.5
    assert found.own_matches == 0.5  # i1's 0.9 of 0.9 and 0.8
    assert found.other_pair_rate == pytest.approx(1 / 5)  # 0.9 of 0.8, 0.3, 0.9, 0.5, 0.3
    assert found.own_pair_rate == pytest.approx(1 / 3)  # 0.9 of 0.9, 0.5, 0.8
    assert found.share_matching(0.8, own=False) == 1.0
    assert found.share_matching(0.800001, own=True) == 0.5


def test_densities_integrate_to_one_and_hold_every_pair(tmp_path: Path) -> None:
    found = calibration(matched(tmp_path, IDEAS, PAPERS))
    width = np.diff(found.edges)
    assert len(width) <= 80
    assert (found.own_density * width).sum() == pytest.approx(1)
    assert (found.other_density * width).sum() == pytest.approx(1)
    at = np.searchsorted(found.edges, 0.9, side="right") - 1
    assert found.own_density[at] * width[at] == pytest.approx(1 / 3)


def test_papers_without_the_ideas_topics_go_to_the_nearest(tmp_path: Path) -> None:
    ideas: dict[str, tuple[str | None, list[float]]] = {
        "i1": ("a", [1.0, 0.0]),
        "i2": ("b", [0.0, 1.0]),
    }
    papers: dict[str, tuple[list[str], str | None, list[float]]] = {
        "p1": (["cs.CL"], DAY, [0.8, 0.6]),
        "p2": ([], DAY, [0.6, 0.8]),
        "p3": ([], DAY, [1.0, 1.0]),  # as near to either: the first topic by name
    }
    found = calibration(matched(tmp_path, ideas, papers))
    assert found.basis == "nearest_topic"
    assert "nearest" in found.basis_note
    assert (found.n_own, found.n_other) == (3, 3)
    np.testing.assert_array_equal(found.best_own, [0.8, 0.8])
    np.testing.assert_array_equal(found.best_other, [0.6, 0.707107])
    # 0.707107 is the highest of other topics, so θ is 0.708.
    assert found.suggested_theta == 0.708


def undefined(folder: Path, topics: list[str | None], papers: Any) -> Calibration:
    ideas: dict[str, tuple[str | None, list[float]]] = {
        f"i{n}": (topic, [1.0, 0.0]) for n, topic in enumerate(topics)
    }
    found = calibration(matched(folder, ideas, papers))
    assert found.suggested_theta is None
    assert found.false_matches is None
    assert found.other_pair_rate is None
    return found


def test_undefined_with_a_reason(tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / name).mkdir()
    one = undefined(tmp_path / "a", ["a", "a"], {"p": ([], DAY, circle(0.5))})
    assert one.undefined == "one topic only, so there is no paper of another"
    none = undefined(tmp_path / "b", [None], PAPERS)
    assert none.undefined is not None
    assert "carry no topics" in none.undefined
    assert none.basis == "none"
    empty = undefined(tmp_path / "c", ["a", "b"], {"p": (["a"], "2022-01-01", circle(0.5))})
    assert empty.undefined == "no idea has a paper of another topic in its window"
    assert empty.own_density.tolist() == []
    same = undefined(tmp_path / "d", ["a", "b"], {"p": (["c", "a"], DAY, [2.0, 0.0])})
    assert same.undefined is not None
    assert "identical" in same.undefined
    assert same.edges[-1] == pytest.approx(1.001)


def test_calibration_of_other_candidates_is_refused(tmp_path: Path) -> None:
    made = matched(tmp_path, IDEAS, PAPERS)
    assert made.candidates_info is not None
    other = replace(made, candidates_info=replace(made.candidates_info, inputs="changed"))
    with pytest.raises(DataError, match=r"other candidates.*foreseen match"):
        calibration(other)
    (tmp_path / "s" / "derived" / "calibration.json").write_text("{")
    with pytest.raises(DataError, match="not readable"):
        calibration(made)
    with pytest.raises(DataError, match="foreseen match"):
        calibration(study())


def test_the_file_is_small_and_one_key_a_line(tmp_path: Path) -> None:
    matched(tmp_path, IDEAS, PAPERS)
    text = (tmp_path / "s" / "derived" / "calibration.json").read_text()
    assert len(text) < 6000
    assert text.count("\n") == len(json.loads(text)) + 2


@given(
    bests=st.lists(st.integers(0, 999_999), min_size=1, max_size=40),
    rate=st.sampled_from([0.01, 0.05, 0.07, 0.1, 0.29, 0.5, 0.9]),
)
def test_theta_is_the_least_thousandth_that_keeps_the_rate(bests: list[int], rate: float) -> None:
    from core.hindsight.calibration import Measured, _suggested

    best = np.array(bests) / 10**6
    measured = Measured(
        encoder="e", encoder_digest="d", inputs="i", basis="topics", topics=2, unassigned_papers=0,
        low=0,
    )  # fmt: skip
    theta, reason = _suggested(measured, best, rate)
    grid = [n / 1000 for n in range(1001)]
    # Slow twin: try every θ of the grid.
    fits = [t for t in grid if (best >= t).sum() <= rate * len(best) + 1e-9]
    assert reason is None
    assert theta == fits[0]
