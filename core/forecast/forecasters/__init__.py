"""Forecasters by name: six that ask a model, four that need none."""

from __future__ import annotations

from core.config import Settings
from core.errors import UsageError, nearest
from core.forecast.forecasters.baselines import BASELINES
from core.forecast.forecasters.strategy import Strategy
from core.study import Study

STRATEGIES = ("direct", "summary", "topic-trend", "memory", "retrieval", "mdf")
FORECASTERS = (*STRATEGIES, *BASELINES)


def open_strategy(
    name: str, study: Study, settings: Settings, *, judge: str | None = None
) -> Strategy:
    """The named forecaster that asks a model; ``judge`` is whose verdicts teach MDF's prior."""
    from core.forecast.forecasters.mdf import Mdf, judged_ideas
    from core.forecast.forecasters.strategies import (
        Direct,
        Memory,
        Retrieval,
        Summary,
        TopicTrend,
    )

    if name == "mdf":
        return Mdf(study, judged_ideas(study, settings, judge))
    simple: tuple[Strategy, ...] = (Direct(), Summary(), TopicTrend(), Memory(), Retrieval())
    found = {strategy.name: strategy for strategy in simple}
    if name not in found:
        raise UsageError(f"No forecaster '{name}'. {nearest(name, FORECASTERS)}")
    return found[name]
