"""Carry a forecaster out over episodes: step by step, resumable, every call kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from core.config import Settings
from core.errors import DataError, UsageError, nearest
from core.forecast.forecasters import open_strategy
from core.forecast.forecasters.baselines import BASELINES, baseline
from core.forecast.forecasters.history import History, visible_history
from core.forecast.forecasters.strategy import Ask, Strategy
from core.forecast.keeping import MADE_BY, Forecasted, keep_forecasts, refuse_foreign_forecasts
from core.forecast.manifest import Manifest
from core.forecast.stored import Attempt
from core.judging.calls import CALLS_FILE, CallsLog
from core.judging.client import ChatClient
from core.judging.limits import Budget, Limits, Prices
from core.judging.report import Outcome, Progress, RunReport
from core.judging.run import StopSignal, run
from core.judging.task import Task
from core.retry import RetryPolicy
from core.study import Study

NOTHING_SEEN = "there is nothing in its history to forecast from"


@dataclass(frozen=True, kw_only=True)
class ForecastRun:
    """How a run went. ``attempts``: one for each episode that has an outcome; ``open`` counts
    those without, because the run stopped. ``reports``: the calls of each step. ``study`` holds
    the ideas."""

    system: str
    forecaster: str
    model: str | None
    episodes: int
    forecasts: int
    attempts: tuple[Attempt, ...]
    open: int
    reports: tuple[RunReport, ...]
    notes: tuple[str, ...]
    study: Study

    @property
    def stopped(self) -> str | None:
        return next((report.stopped for report in self.reports if report.stopped), None)


def chosen_episodes(
    manifest: Manifest, *, cutoffs: Sequence[date] = (), topics: Sequence[str] = ()
) -> tuple[tuple[str, date], ...]:
    """(topic, cutoff) of the manifest's episodes among those named, all where nothing is."""
    for name in topics:
        if name not in manifest.topics:
            raise UsageError(f"No topic '{name}'. {nearest(name, manifest.topics)}")
    for day in cutoffs:
        if day not in manifest.cutoffs:
            raise UsageError(f"The manifest has no cutoff {day}.")
    return tuple(
        (episode.topic, episode.cutoff)
        for episode in manifest.episodes
        if (not topics or episode.topic in topics) and (not cutoffs or episode.cutoff in cutoffs)
    )


def run_baseline(
    study: Study, name: str, episodes: Sequence[tuple[str, date]], ask: Ask, *, system: str = ""
) -> ForecastRun:
    """Forecast every episode with a baseline, and write the ideas."""
    if name not in BASELINES:
        raise UsageError(f"No baseline '{name}'. {nearest(name, BASELINES)}")
    system = system or name
    refuse_foreign_forecasts(study, system)
    known = study.papers[study.papers["citations"].notna()]
    citations = dict(zip(known["paper_id"], known["citations"].astype(float), strict=True))
    if name == "cited" and not citations:
        raise DataError("No paper has a citation count, so there is no most cited one.")
    found = []
    for topic, cutoff in episodes:
        history = visible_history(study, topic, cutoff)
        drafts = tuple(baseline(name, history, ask, citations))
        found.append(
            Forecasted(
                attempt=_attempt(system, history, len(drafts), "ok", None),
                drafts=drafts,
                made=_made(name, None, history, ask),
            )
        )
    study = keep_forecasts(study, found)
    return _run(study, name, system, None, episodes, found, (), ())


def run_strategy(
    study: Study,
    name: str,
    episodes: Sequence[tuple[str, date]],
    ask: Ask,
    client: Callable[[], ChatClient],
    *,
    system: str = "",
    settings: Settings | None = None,
    prior_judge: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    budget: Budget | None = None,
    prices: Prices | None = None,
    retry: RetryPolicy | None = None,
    retry_failed: bool = False,
    progress: Callable[[Progress], None] | None = None,
    stop: StopSignal | None = None,
) -> ForecastRun:
    """Forecast every episode with a model, step by step, and write the ideas.

    Calls that ``calls.jsonl`` has answered are not made again, so the same run goes on where it
    stopped. ``client`` gives a client for each step. An episode whose history is empty gives no
    forecast; one whose reply was refused or unreadable gives none either, and says so in its
    attempt; one whose call failed stays open.
    """
    if study.folder is None:
        raise UsageError("This study is not in a folder, so no call could be kept.")
    first = client()
    model = first.model
    system = (system or f"{name} {model}").strip()
    refuse_foreign_forecasts(study, system)
    strategy = open_strategy(name, study, settings or study.settings, judge=prior_judge)
    steps = _Steps(study, strategy, episodes, ask, system, model)
    left = budget or Budget()
    reports: list[RunReport] = []
    for step in range(strategy.steps):
        tasks = steps.tasks(step)
        if not tasks or (reports and reports[-1].stopped):
            break
        last = step == strategy.steps - 1

        def save(outcomes: Sequence[Outcome], step: int = step) -> None:
            steps.take(step, outcomes)
            steps.study = keep_forecasts(steps.study, steps.found())

        with CallsLog(study.folder / CALLS_FILE, scrub=first.scrub) as log:
            report = run(
                tasks,
                first if step == 0 else client(),
                log,
                judge=system,
                parameters=parameters,
                limits=limits,
                budget=left,
                prices=prices,
                retry=retry,
                retry_failed=retry_failed,
                progress=progress,
                checkpoint=save if last else None,
                stop=stop,
            )
        steps.take(step, report.outcomes)
        left = left.after(report.calls, report.tokens_in + report.tokens_out, report.cost)
        reports.append(report)
    found = steps.found()
    study = _name_model(keep_forecasts(steps.study, found), system, model)
    notes = tuple(dict.fromkeys(note for report in reports for note in report.notes))
    return _run(study, name, system, model, episodes, found, tuple(reports), notes)


class _Steps:
    """The state of one run: each episode's history and the replies to its last step."""

    def __init__(
        self,
        study: Study,
        strategy: Strategy,
        episodes: Sequence[tuple[str, date]],
        ask: Ask,
        system: str,
        model: str,
    ) -> None:
        self.study, self.strategy, self.ask = study, strategy, ask
        self.system, self.model = system, model
        self.histories = [visible_history(study, topic, cutoff) for topic, cutoff in episodes]
        self.asked: list[tuple[Task, ...]] = [() for _ in self.histories]
        self.replies: list[list[Mapping[str, Any]]] = [[] for _ in self.histories]
        self.ended: dict[int, Attempt] = {}
        self.done: set[int] = set()

    def tasks(self, step: int) -> list[Task]:
        """The step's tasks of every episode that is still under way."""
        self.done = set()
        for place, history in enumerate(self.histories):
            self.asked[place] = ()
            if place in self.ended or (step and not self.replies[place]):
                continue
            self.asked[place] = self.strategy.tasks(history, step, self.replies[place], self.ask)
            if not self.asked[place]:
                self.ended[place] = _attempt(self.system, history, 0, "ok", NOTHING_SEEN)
        return [task for tasks in self.asked for task in tasks]

    def take(self, step: int, outcomes: Sequence[Outcome]) -> None:
        """Sort the outcomes of a step to their episodes."""
        by_task = {id(outcome.task): outcome for outcome in outcomes}
        last = step == self.strategy.steps - 1
        for place, tasks in enumerate(self.asked):
            got = [by_task[id(task)] for task in tasks if id(task) in by_task]
            bad = next((o for o in got if o.reading.state != "ok"), None)
            history = self.histories[place]
            if bad is not None:
                state, reason = bad.reading.state, bad.reading.reason
                self.ended[place] = _attempt(self.system, history, 0, state, reason)
            elif tasks and len(got) == len(tasks):
                self.replies[place] = [o.reading.values or {} for o in got]
                if last:
                    self.done.add(place)
            elif tasks:
                self.replies[place] = []

    def found(self) -> list[Forecasted]:
        """Every episode that has an outcome."""
        found = []
        for place, history in enumerate(self.histories):
            made = _made(self.strategy.name, self.model, history, self.ask)
            if place in self.done:
                reply = self.replies[place][0]
                drafts = tuple(self.strategy.drafts(history, reply, self.ask)[: self.ask.slots])
                attempt = _attempt(self.system, history, len(drafts), "ok", None)
                found.append(Forecasted(attempt=attempt, drafts=drafts, made=made))
            elif place in self.ended:
                found.append(Forecasted(attempt=self.ended[place], drafts=(), made=made))
        return found


def _attempt(
    system: str, history: History, forecasts: int, state: str, reason: str | None
) -> Attempt:
    return Attempt(
        system=system,
        topic=history.topic,
        cutoff=history.cutoff,
        forecasts=forecasts,
        state=state,
        reason=reason,
    )


def _made(name: str, model: str | None, history: History, ask: Ask) -> dict[str, Any]:
    made: dict[str, Any] = {MADE_BY: name, "history": len(history.papers), "seed": ask.seed}
    return made if model is None else {**made, "model": model}


def _name_model(study: Study, system: str, model: str) -> Study:
    """Say in ``study.toml`` which model the system is, so that judges of its family are flagged."""
    if study.config.models.get(system) == model:
        return study
    models = {**study.config.models, system: model}
    return study.write_config(study.config.model_copy(update={"models": models}))


def _run(
    study: Study,
    name: str,
    system: str,
    model: str | None,
    episodes: Sequence[tuple[str, date]],
    found: Sequence[Forecasted],
    reports: tuple[RunReport, ...],
    notes: tuple[str, ...],
) -> ForecastRun:
    return ForecastRun(
        system=system,
        forecaster=name,
        model=model,
        episodes=len(episodes),
        forecasts=sum(len(item.drafts) for item in found),
        attempts=tuple(item.attempt for item in found),
        open=len(episodes) - sum(item.attempt.answered for item in found),
        reports=reports,
        notes=notes,
        study=study,
    )
