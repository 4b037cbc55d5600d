"""Episodes by hand: boundaries to the day, coarse dates, manifests that are checked and compared."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from builders import study
from hypothesis import given
from hypothesis import strategies as st

from core.config import window_end
from core.errors import DataError, UsageError
from core.forecast.episodes import build_manifest, parse_cutoffs
from core.forecast.manifest import (
    Manifest,
    compare_manifests,
    manifest_problems,
    read_manifest,
    write_manifest,
)
from core.study import Study

JULY = date(2024, 7, 31)


def dated(*published: str | None, topic: str = "t", **more: Any) -> Study:
    """A study with one paper a date, named by it."""
    rows = [
        {"paper_id": day or "none", "title": "x", "published": day, "topics": [topic], **more}
        for day in published
    ]
    return study(papers=rows)


def pools(made: Study, cutoff: date, months: int = 3) -> tuple[list[str], list[str], int]:
    (episode,) = build_manifest(made, [cutoff], horizon_months=months).episodes
    return list(episode.history), list(episode.target), episode.uncertain


def test_boundaries_to_the_day() -> None:
    days = ("2024-07-30", "2024-07-31", "2024-08-01", "2024-10-31", "2024-11-01")
    history, target, uncertain = pools(dated(*days), JULY)
    # On the cutoff is history, the day after is target, so is the last day of October.
    assert history == ["2024-07-30", "2024-07-31"]
    assert target == ["2024-08-01", "2024-10-31"]
    assert uncertain == 0


def test_leap_february() -> None:
    days = ("2024-02-28", "2024-02-29", "2024-03-01")
    assert pools(dated(*days), date(2023, 11, 30))[1] == ["2024-02-28", "2024-02-29"]
    assert pools(dated(*days), date(2024, 2, 29))[:2] == (
        ["2024-02-28", "2024-02-29"],
        ["2024-03-01"],
    )
    common = ("2025-02-28", "2025-03-01")
    assert pools(dated(*common), date(2024, 11, 30))[1] == ["2025-02-28"]
    assert parse_cutoffs("2024-02..2024-03") == (date(2024, 2, 29), date(2024, 3, 31))


def test_month_only_and_year_only_dates() -> None:
    days = ("2024-07", "2024-08", "2024-10", "2024-11", "2024", None)
    history, target, uncertain = pools(dated(*days), JULY)
    # Every day of July is by the cutoff, every day of August and October in the window; the
    # year 2024 may lie on either side, the paper without a date anywhere.
    assert (history, target, uncertain) == (["2024-07"], ["2024-08", "2024-10"], 1)
    # In the middle of a month its own papers are on neither side.
    history, target, uncertain = pools(dated(*days), date(2024, 8, 15), 2)
    assert (history, target, uncertain) == (["2024-07"], ["2024-10"], 2)
    # All of 2024 lies after New Year's Eve, but not all of it by the end of March.
    assert pools(dated("2024", "2024-03"), date(2023, 12, 31)) == ([], ["2024-03"], 1)
    manifest = build_manifest(dated(*days), [JULY, date(2024, 8, 31)])
    assert (manifest.undated, manifest.uncertain) == (1, 1)


def test_a_paper_of_two_topics_counts_once_in_each() -> None:
    made = study(
        papers=[
            {"paper_id": "a", "title": "x", "published": "2024-07-01", "topics": ["t", "u"]},
            {"paper_id": "b", "title": "x", "published": "2024-08-01", "topics": ["u"]},
        ]
    )
    manifest = build_manifest(made, [JULY])
    assert [(e.topic, e.history, e.target) for e in manifest.episodes] == [
        ("t", ("a",), ()),
        ("u", ("a",), ("b",)),
    ]
    assert build_manifest(made, [JULY], topics=["u"]).topics == ("u",)


def test_cutoffs_in_words() -> None:
    assert parse_cutoffs("2024-11..2025-02, 2024-07-15") == (
        date(2024, 7, 15),
        date(2024, 11, 30),
        date(2024, 12, 31),
        date(2025, 1, 31),
        date(2025, 2, 28),
    )
    assert len(parse_cutoffs("2024-07..2025-06")) == 12


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2025-06..2024-07", "is after"),
        ("2024-13", "no such month"),
        ("July", "must be months"),
        ("2024-07-01..2024-08-01", "must be months"),
        ("", "must be months"),
    ],
)
def test_faulty_cutoffs(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_cutoffs(text)


def test_what_cannot_be_built_says_why() -> None:
    with pytest.raises(DataError, match="forecast topics"):
        build_manifest(study(papers=[{"paper_id": "a", "title": "x"}]), [JULY])
    with pytest.raises(UsageError, match="Did you mean 'graphs'"):
        build_manifest(dated("2024-07-01", topic="graphs"), [JULY], topics=["graph"])
    with pytest.raises(UsageError, match="No cutoff"):
        build_manifest(dated("2024-07-01"), [])


@given(st.lists(st.dates(date(2024, 1, 1), date(2025, 12, 31)), max_size=30, unique=True))
def test_pools_are_apart_and_as_the_definition_says(days: list[date]) -> None:
    made = dated("2023-01-01", *(day.isoformat() for day in days))
    manifest = build_manifest(made, parse_cutoffs("2024-07..2025-02"), horizon_months=3)
    assert manifest_problems(manifest, made.papers) == ()
    for episode in manifest.episodes:
        t, end = episode.cutoff, window_end(episode.cutoff, 3)
        assert set(episode.history) == {"2023-01-01", *(d.isoformat() for d in days if d <= t)}
        assert set(episode.target) == {d.isoformat() for d in days if t < d <= end}


@given(st.permutations(["2024-07-30", "2024-08-02", "2024-08-03", "2024-09-09"]))
def test_the_order_of_papers_plays_no_part(order: list[str]) -> None:
    one = build_manifest(dated(*sorted(order)), [JULY])
    assert build_manifest(dated(*order), [JULY]).digest == one.digest


@pytest.fixture
def manifest() -> Manifest:
    days = ("2024-07-30", "2024-08-02", "2024-08-03", "2024-09-09")
    return build_manifest(dated(*days), parse_cutoffs("2024-07..2024-08"), horizon_months=3)


def test_a_manifest_comes_back_from_its_file(manifest: Manifest, tmp_path: Path) -> None:
    write_manifest(manifest, tmp_path / "episodes.json")
    assert read_manifest(tmp_path) == read_manifest(tmp_path / "episodes.json") == manifest


def test_a_repeated_episode_does_not_hide_a_missing_one(manifest: Manifest) -> None:
    first, _ = manifest.episodes
    faulty = replace(manifest, episodes=(first, first))
    assert len(faulty.episodes) == len(manifest.episodes)
    problems = "; ".join(manifest_problems(faulty))
    assert "'t' 2024-07-31 stands 2 times" in problems
    assert "'t' 2024-08-31 is missing" in problems


def test_every_check_finds_its_fault(manifest: Manifest) -> None:
    first, second = manifest.episodes
    papers = dated("2024-07-30", "2024-08-02", "2024-08-03", "2024-09-09").papers
    assert manifest_problems(manifest, papers) == ()

    def told(changed: Any, frame: pd.DataFrame | None = None) -> str:
        whole = replace(manifest, episodes=(changed, second))
        return "; ".join(manifest_problems(whole, frame))

    late = replace(first, history=(*first.history, "2024-08-02"))
    assert "is in the history and in the target" in told(late)
    assert "history paper '2024-08-02' is dated 2024-08-02, after it" in told(late, papers)
    early = replace(first, target=("2024-07-30", *first.target))
    assert "target paper '2024-07-30' is dated 2024-07-30, outside it" in told(early, papers)
    assert "not sorted or repeats" in told(replace(first, target=first.target[::-1]))
    assert "digest is not that of its identifiers" in told(replace(first, target=()))
    assert "no date in the study" in told(replace(first, history=("gone",)), papers)
    assert "not 3 months on" in told(replace(first, end=date(2024, 10, 30)))
    assert "is not among the topics" in told(replace(first, topic="u"))


@pytest.mark.parametrize("change", ["ids", "digest", "key", "text"])
def test_a_damaged_file_is_refused(change: str, manifest: Manifest, tmp_path: Path) -> None:
    path = tmp_path / "episodes.json"
    write_manifest(manifest, path)
    told = json.loads(path.read_text())
    if change == "ids":
        told["episodes"][0]["target"].pop()
    elif change == "digest":
        told["digest"] = "0"
    elif change == "key":
        del told["cutoffs"]
    path.write_text("{" if change == "text" else json.dumps(told))
    with pytest.raises(DataError, match=r"episodes\.json"):
        read_manifest(tmp_path)


def test_two_releases_are_compared_by_identifier() -> None:
    cutoffs = parse_cutoffs("2024-07..2024-08")
    a = build_manifest(dated("2024-07-01", "2024-08-02", "2024-09-09"), cutoffs)
    same_counts = build_manifest(dated("2024-07-01", "2024-08-03", "2024-09-09"), cutoffs)
    found = compare_manifests(a, same_counts)
    assert not found.equal
    first, second = found.changed
    assert (first.target_only_a, first.target_only_b) == (("2024-08-02",), ("2024-08-03",))
    assert (second.history_only_a, second.history_only_b) == (("2024-08-02",), ("2024-08-03",))
    fewer = build_manifest(dated("2024-07-01", "2024-08-02", "2024-09-09"), cutoffs[:1])
    assert compare_manifests(a, fewer).only_a == (("t", cutoffs[1]),)
    assert compare_manifests(a, a).equal
    assert compare_manifests(a, a).same == 2
    longer = build_manifest(dated("2024-07-01"), cutoffs, horizon_months=4)
    short = build_manifest(dated("2024-07-01"), cutoffs, horizon_months=3)
    assert len(compare_manifests(longer, short).other_end) == 2
