"""What the page on forecasting asks of the engine, kept between runs like every other result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.config import Settings
from core.forecast.stored import forecast_key
from dashboard import cached
from dashboard.state import View

if TYPE_CHECKING:
    from core.agreement import PairAgreement
    from core.forecast.diagnosed import Diagnostics
    from core.forecast.episode_view import EpisodeName
    from core.forecast.inspector import EpisodeView
    from core.forecast.score import ForecastScore
    from core.study import Study

AGREEMENT_ON = ("gate", "problem", "method", "specificity")
_CREDIT = ("gate_pm", "gate_s", "slots", "r", "ambiguous_dates")
_SCORE = (*_CREDIT, "seed", "draws")
_AGREEMENT = ("gate_pm", "gate_s", "seed", "draws")


def score(view: View) -> ForecastScore:
    """Every system under every judge, at the view's gate, R and slots."""
    name = f"forecast {forecast_key(view.study)}"
    return cached.kept(name, view, lambda study, own: study.forecast(own), *_beside(_SCORE))


def names(view: View, found: ForecastScore) -> dict[str, EpisodeName]:
    """The episodes of ``found``, the view's score, by name; no gate moves them."""
    from core.forecast.episode_view import episode_names

    name = f"episode names {forecast_key(view.study)}"
    free = tuple(setting for setting in Settings.model_fields if setting != "slots")
    return cached.kept(name, view, lambda _, __: episode_names(found.episodes), *free)


def episode(view: View, name: EpisodeName) -> EpisodeView:
    """One episode of one system, laid out."""
    from core.forecast.inspector import inspect_episode

    def compute(study: Study, settings: Settings) -> EpisodeView:
        return inspect_episode(
            study, settings, system=name.system, topic=name.topic, cutoff=name.cutoff
        )

    key = f"episode {forecast_key(view.study)} {name!r}"
    return cached.kept(key, view, compute, *_beside(_CREDIT))


def diagnostics(view: View) -> Diagnostics:
    """What hit rates hide, at the view's gate, R and slots."""
    from core.forecast.diagnostics import diagnostics

    name = f"forecast diagnostics {forecast_key(view.study)}"
    return cached.kept(name, view, diagnostics, *_beside((*_SCORE, "pool", "depth")))


def agreement(view: View) -> tuple[PairAgreement, ...]:
    """Every pair of judges on the gate and the three grades, over all stored verdicts.

    Intervals take few draws, so that the panel opens at once.
    """
    from core.agreement import marks_of
    from core.agreement.pairs import all_pairs

    def compute(study: Study, settings: Settings) -> tuple[PairAgreement, ...]:
        few = cached.few_draws(settings)
        return tuple(
            pair for on in AGREEMENT_ON for pair in all_pairs(marks_of(study, on, few), few)
        )

    return cached.kept("agreement on candidates", view, compute, *_beside(_AGREEMENT))


def _beside(touching: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in Settings.model_fields if name not in touching)
