"""The names of widgets, what a link may hold, and what is remembered."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from builders import case_study, study_folder

from core.config import Settings
from dashboard import cached, navigation, state

BASE = Settings(theta=0.6)


def refused(**parameters: list[str]) -> list[str]:
    return state.refused_in_link(BASE, {"judge": ["all", "ann"]}, parameters)


def test_a_good_link_is_taken_whole() -> None:
    assert refused(theta=["0.5"], venues=["ACL", "ICLR"], judge=["ann"], inclusive=["true"]) == []
    assert refused(idea=["anything"], embed=["true"], embed_options=["x"]) == []
    assert refused(quadrant_rule=["fixed"]) == []


def test_each_bad_value_has_its_sentence() -> None:
    lines = refused(theta=["x"], k=["-3"], judge=["bob"], thet=["1"], pool=["topic"])
    assert len(lines) == 5
    assert "Shown with theta = 0.6" in lines[0]


def test_a_page_has_one_address_and_the_default_page_the_root() -> None:
    infos = list(navigation.infos())
    assert [info.path for info in infos if info.default] == ["/"]
    assert len({info.path for info in infos}) == len(infos)
    root = Path(__file__).resolve().parents[2]
    assert {info.name for info in infos} == {path.stem for path in (root / "pages").glob("*.py")}


def test_an_unknown_page_is_refused() -> None:
    with pytest.raises(KeyError, match="no page 'x'"):
        navigation.page("x")


def test_keys_of_pages_are_no_settings() -> None:
    assert len(set(state.PAGE_KEYS)) == len(state.PAGE_KEYS)
    assert not set(state.PAGE_KEYS) & {*Settings.model_fields, state.STUDY, state.PRESET}


def test_a_result_is_computed_once_for_what_it_depends_on() -> None:
    study = case_study()
    calls = []

    def compute(given: object, settings: Settings) -> float:
        calls.append(settings)
        return settings.theta

    def view(**moved: object) -> state.View:
        return state.View(
            study=study, settings=Settings.of(moved, base=study.settings), base=study.settings
        )

    assert cached.kept("test once", view(), compute) == 0.5
    assert cached.kept("test once", view(), compute) == 0.5
    assert len(calls) == 1
    assert cached.kept("test once", view(theta=0.7), compute) == 0.7
    assert len(calls) == 2
    assert cached.kept("test twice", view(theta=0.7), compute, "theta") == 0.5
    assert cached.kept("test twice", view(theta=0.8), compute, "theta") == 0.5
    assert len(calls) == 3


def test_theta_leaves_the_sweep_and_the_rule_leaves_it_too() -> None:
    study = case_study()
    base = study.settings
    first = cached.sweep(state.View(study=study, settings=base, base=base))
    moved = Settings.of({"theta": 0.9, "quadrant_rule": "tertile"}, base=base)
    second = cached.sweep(state.View(study=study, settings=moved, base=base))
    assert second.settings == first.settings == base


def test_a_changed_file_changes_the_signature(tmp_path: Path) -> None:
    folder = study_folder(tmp_path / "s")
    before = cached.signature(folder)
    assert {"study.toml", "ideas.parquet", "candidates.parquet"} <= {name for name, *_ in before}
    stat = (folder / "ideas.parquet").stat()
    os.utime(folder / "ideas.parquet", ns=(stat.st_atime_ns, stat.st_mtime_ns + 1_000_000))
    assert cached.signature(folder) != before
    assert cached.signature(tmp_path / "none") == ()
