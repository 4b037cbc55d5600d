"""The only place that remembers results between runs of a page.

A result is kept under (study key, settings digest, engine digest). Before the digest is taken,
settings that the result does not depend on are put back to the study's own, so that moving
them recomputes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import streamlit as st

from core.cache import engine_digest, remembered
from core.config import DIAGNOSTIC_DRAWS, Settings, StudyConfig
from core.files import CONFIG_FILE, DERIVED
from core.hindsight.results import Score, SpecificationCurve, Sweep
from core.study import Study
from dashboard.state import View

if TYPE_CHECKING:
    from core.hindsight.calibration import Calibration
    from core.hindsight.descriptives import Description
    from core.hindsight.null import Null
    from core.hindsight.variants import Variants
    from dashboard.charts.theme import Chart

_CALIBRATION = ("false_match_rate",)
_QUADRANTS = ("quadrant_rule", "hindsight_cut", "judge_cut", "inclusive")
_BESIDE = (*_CALIBRATION, *_QUADRANTS)

Result = TypeVar("Result")
Signature = tuple[tuple[str, int, int], ...]


def signature(folder: Path) -> Signature:
    """Names, times and sizes of the files a study is read from; empty where there is none."""
    files = []
    for place in (folder, folder / DERIVED, folder / DERIVED / "forecast"):
        for path in sorted(place.glob("*")) if place.is_dir() else ():
            name = path.name
            if not path.is_file() or name.startswith((".", "calls", "vectors")):
                continue
            stat = path.stat()
            files.append((name, stat.st_mtime_ns, stat.st_size))
    return tuple(files)


@st.cache_resource(max_entries=16, show_spinner=False)
def read_config(folder: Path, written: int) -> StudyConfig:
    """``study.toml`` alone, for the list of studies; ``written`` is the file's time."""
    del written
    return StudyConfig.read(folder / CONFIG_FILE)


@st.cache_resource(max_entries=4, show_spinner="Reading the study …")
def open_study(folder: Path, files: Signature) -> Study:
    """The study, read again when a file has changed; errors are raised and not kept."""
    del files
    study = Study.open(folder)
    _ = study.digest
    return study


# What marks depend on; every other setting leaves their chart as it is.
OF_MARKS = ("judge", "draws", "seed")
BESIDE_MARKS = tuple(name for name in Settings.model_fields if name not in OF_MARKS)


def score(view: View) -> Score:
    """HindSight of the view; under the study's own settings it is kept on disk, too.

    That is what a first page shows, and a start need not compute it again.
    """

    def compute(study: Study, settings: Settings) -> Score:
        if settings != view.base:
            return study.score(settings)
        return remembered(study, settings, "score", (), lambda: study.score(settings))

    return kept("score", view, compute, *_CALIBRATION)


def sweep(view: View) -> Sweep:
    """The exact threshold curve: θ itself and the quadrants' rule do not touch it."""
    return kept("sweep", view, lambda study, settings: study.sweep(settings), "theta", *_BESIDE)


def calibration(view: View) -> Calibration:
    """Similarities of own-topic and other-topic pairs, and the θ they suggest."""
    from core.hindsight.calibration import calibration

    others = [name for name in Settings.model_fields if name not in _CALIBRATION]
    return kept("calibration", view, calibration, *others)


def specification_options(view: View) -> dict[str, tuple[Any, ...]]:
    """The choices that can be ticked: the engine's own grid round the study's own settings."""
    from core.hindsight.specifications import CHOICES, default_grid

    return kept("specification options", view, default_grid, *CHOICES, *_BESIDE)


def specifications(
    view: View, a: str, b: str, grid: dict[str, tuple[Any, ...]]
) -> SpecificationCurve:
    """System ``a`` against ``b`` over ``grid``; the sidebar's own values of these play no part."""
    from core.hindsight.specifications import CHOICES

    def compute(study: Study, settings: Settings) -> SpecificationCurve:
        choices = (a, b, *sorted(grid.items()))
        settings = few_draws(settings)
        return remembered(
            study,
            settings,
            "specifications",
            choices,
            lambda: study.specifications(settings, a=a, b=b, **grid),
        )

    name = f"specifications {a!r} {b!r} {sorted(grid.items())}"
    return kept(name, view, compute, *CHOICES, "venue_weight", *_BESIDE)


def variants(view: View) -> Variants:
    """The study under every normaliser."""
    from core.hindsight.variants import variants

    def compute(study: Study, settings: Settings) -> Variants:
        return variants(study, few_draws(settings))

    return kept("variants", view, compute, "normalizer", *_BESIDE)


def null(view: View) -> Null:
    """What the systems would score by chance."""
    from core.hindsight.null import null

    return kept("null", view, null, *_BESIDE)


def described(view: View) -> Description:
    """What the study's tables hold and lack; no setting plays a part."""
    from core.hindsight.descriptives import describe

    return kept("described", view, lambda study, _: describe(study), *Settings.model_fields)


def few_draws(settings: Settings) -> Settings:
    """``settings`` with at most ``DIAGNOSTIC_DRAWS`` draws, for pages that take hundreds of
    intervals at once; such a page says so (``components.draws_told``)."""
    return settings.model_copy(update={"draws": min(settings.draws, DIAGNOSTIC_DRAWS)})


def kept(
    name: str, view: View, compute: Callable[[Study, Settings], Result], *untouched: str
) -> Result:
    """``compute(study, settings)`` of a view, computed once for each key.

    ``name`` tells one kind of result from another (with whatever else shapes it); ``untouched``
    are the settings that it does not depend on.
    """
    own = {setting: getattr(view.base, setting) for setting in untouched}
    settings = view.settings.model_copy(update=own)
    key = (name, *view.study.key, settings.digest, engine_digest())
    return cast("Result", _kept(key, lambda: compute(view.study, settings)))


@st.cache_data(max_entries=128, show_spinner="Computing …")
def _kept(key: tuple[str, ...], _compute: Callable[[], Any]) -> Any:
    del key
    return _compute()


def chart(name: str, view: View, draw: Callable[[], Chart], *untouched: str) -> Chart:
    """A chart that few settings touch, drawn once; shared, so it is never changed afterwards."""
    own = {setting: getattr(view.base, setting) for setting in untouched}
    settings = view.settings.model_copy(update=own)
    return cast("Chart", _drawn((name, *view.study.key, settings.digest, engine_digest()), draw))


@st.cache_resource(max_entries=32, show_spinner=False)
def _drawn(key: tuple[str, ...], _draw: Callable[[], Any]) -> Any:
    del key
    return _draw()
