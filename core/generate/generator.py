"""Let a model write ideas: ask what is missing, keep every call, write the ideas.

``retrieval`` works in two stages (HindSight §4.2, after ResearchAgent): a problem from a seed
paper and papers near it, then a method for the problem with papers near that. ``vanilla`` knows
the topic's name alone. Nothing of a paper that may have appeared after the cutoff is in a prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from core.config import StudyConfig
from core.errors import UsageError
from core.files import CONFIG_FILE, DERIVED
from core.generate.literature import (
    KeywordSearch,
    Literature,
    Search,
    VectorSearch,
    literature_before,
)
from core.generate.slots import (
    GeneratorSettings,
    Slot,
    choose_slots,
    refuse_foreign_ideas,
    thin_literature,
)
from core.generate.stages import (
    Asked,
    Problem,
    found_problems,
    idea_row,
    method_tasks,
    problem_tasks,
    vanilla_tasks,
)
from core.judging.calls import CALLS_FILE, CallIndex, CallsLog, read_calls
from core.judging.client import ChatClient
from core.judging.limits import Budget, Limits, Prices
from core.judging.locking import writing
from core.judging.plan import estimate, make_plan
from core.judging.report import Estimate, Outcome, Progress, RunReport
from core.judging.run import StopSignal, run
from core.judging.tables import merge_rows
from core.judging.task import Task
from core.matching.encoders import Encoder, open_encoder
from core.matching.vectors import Step
from core.retry import RetryPolicy
from core.study import Study

_STAND_IN_WORDS = 130


@dataclass(frozen=True, kw_only=True)
class Generated:
    """What came of it: ``made`` ideas of ``wanted``, besides ``already`` that stood there.

    ``runs`` are the stages' (two with literature, else one; fewer where one stopped).
    ``failed``: (idea, stage, reason). ``cutoff`` is the last day of what was read.
    """

    settings: GeneratorSettings
    model: str
    cutoff: date
    papers: int
    topics: tuple[str, ...]
    wanted: int
    already: int
    made: int
    runs: tuple[RunReport, ...]
    failed: tuple[tuple[str, str, str], ...]
    notes: tuple[str, ...]
    study: Study


@dataclass(frozen=True, kw_only=True, eq=False)
class Prepared:
    """What is to be asked, before anything is: ideas still to be made, and what they read."""

    settings: GeneratorSettings
    literature: Literature
    search: Search | None
    slots: tuple[Slot, ...]
    topics: tuple[str, ...]
    already: int
    notes: tuple[str, ...]

    @property
    def wanted(self) -> int:
        return len(self.slots) + self.already

    def first(self) -> Asked:
        """The tasks of the first stage."""
        if self.search is None:
            return vanilla_tasks(self.slots)
        return problem_tasks(self.slots, self.literature, self.search, self.settings.literature)

    def second(self, problems: Mapping[str, Problem]) -> Asked:
        """The tasks of the second stage, for the ideas that have a problem."""
        assert self.search is not None
        n = self.settings.literature
        return method_tasks(self.slots, problems, self.literature, self.search, n)


def prepare(
    study: Study,
    settings: GeneratorSettings,
    *,
    model: str,
    encoder: Encoder | str | None = None,
    dry_run: bool = False,
    encoding: Callable[[Step], None] | None = None,
) -> Prepared:
    """Choose topics, seed papers and what may be read; nothing is asked.

    ``dry_run``: nothing is encoded or written either; papers are then found by words, whatever
    ``settings.retriever``, and a note says so.

    Ideas that the study already holds stay and are not made again. ``encoder`` (else the
    study's) is used where ``settings.retriever`` is 'dense'. Raises :class:`UsageError` where
    the system's name stands for another model or for ideas that came from elsewhere.
    """
    refuse_foreign_ideas(study, study.ideas, settings, model)
    literature = literature_before(study.papers, study.config.cutoff)
    chosen = choose_slots(study, settings, literature)
    slots, already = chosen.slots, chosen.already
    own = int((study.ideas["system"] == settings.system.strip()).sum())
    notes = list(chosen.notes)
    if already:
        notes.append(
            f"{already} ideas of '{settings.system}' are there already and stay as they are"
        )
    if own > already:
        notes.append(
            f"'{settings.system}' also has {own - already} ideas beyond {settings.per_topic} a topic"
            " or of other topics"
        )
    if settings.generator == "retrieval" and literature.uncertain:
        notes.append(
            f"{literature.uncertain} papers may have appeared after {literature.cutoff} (their"
            " date is a month or a year): they are not read"
        )
    if slots and settings.generator == "retrieval":
        notes += thin_literature(study, literature, chosen.topics)
    by_words = dry_run and settings.generator == "retrieval" and settings.retriever == "dense"
    if by_words:
        notes.append(
            "nothing is encoded in a dry run: papers near by words stand in for the others"
        )
    how = replace(settings, retriever="bm25") if by_words else settings
    search = _search(study, how, literature, encoder, encoding) if slots else None
    return Prepared(
        settings=settings,
        literature=literature,
        search=search,
        slots=slots,
        topics=chosen.topics,
        already=already,
        notes=tuple(notes),
    )


def generate(
    study: Study,
    client: ChatClient,
    settings: GeneratorSettings,
    *,
    ready: Prepared | None = None,
    encoder: Encoder | str | None = None,
    knowledge_cutoff: date | None = None,
    parameters: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    budget: Budget | None = None,
    prices: Prices | None = None,
    retry: RetryPolicy | None = None,
    retry_failed: bool = False,
    progress: Callable[[Progress], None] | None = None,
    stop: StopSignal | None = None,
) -> Generated:
    """Ask the model for the ideas that are missing and write them to the study's ``ideas``.

    Calls go to ``calls.jsonl`` as they come, ideas to the table from time to time and at the
    end, also when the run is stopped; the same call goes on from there. ``budget`` is for both
    stages together. ``ready`` is what :func:`prepare` gave for the same study and settings, where
    the caller has it. The model is written into ``study.toml`` under [models], and
    ``knowledge_cutoff`` (the last day that the model may know of) under its own heading.
    """
    if study.folder is None:
        raise UsageError("This study is not in a folder, so no call could be kept.")
    folder = study.folder
    ready = ready or prepare(study, settings, model=client.model, encoder=encoder)
    slots = {slot.idea_id: slot for slot in ready.slots}
    runs: list[RunReport] = []
    failed: list[tuple[str, str, str]] = []
    left = budget or Budget()

    def ask(tasks: Sequence[Task], save: Callable[[Sequence[Outcome]], None] | None) -> RunReport:
        with CallsLog(folder / CALLS_FILE, scrub=client.scrub) as log:
            report = run(
                tasks,
                client,
                log,
                judge=settings.system.strip(),
                parameters=parameters,
                limits=limits,
                budget=left,
                prices=prices,
                retry=retry,
                retry_failed=retry_failed,
                progress=progress,
                checkpoint=save,
                stop=stop,
            )
        runs.append(report)
        failed.extend(_failures(report.outcomes))
        return report

    def keep(asked: Asked, problems: Mapping[str, Problem]) -> Callable[[Sequence[Outcome]], None]:
        def save(outcomes: Sequence[Outcome]) -> None:
            nonlocal study
            rows = []
            for outcome in outcomes:
                name = str(outcome.task.key["idea_id"])
                if outcome.reading.values is not None:
                    rows.append(
                        idea_row(
                            slots[name],
                            outcome,
                            settings,
                            client.model,
                            problem=problems.get(name),
                            shown=asked.shown.get(name, ()),
                            literature=ready.literature,
                        )
                    )
            if rows:
                study = _noted(study, settings.system.strip(), client.model, knowledge_cutoff)
                study = merge_rows(study, "ideas", rows)

        return save

    if slots:
        asked, problems = ready.first(), dict[str, Problem]()
        if ready.search is not None:
            report = ask(asked.tasks, None)
            left = left.after(report.calls, report.tokens_in + report.tokens_out, report.cost)
            problems = found_problems(report.outcomes, asked)
            asked = ready.second(problems)
        if ready.search is None or runs[-1].stopped is None:
            save = keep(asked, problems)
            save(ask(asked.tasks, save).outcomes)
    made = len(slots.keys() & set(study.ideas["idea_id"]))
    return Generated(
        settings=settings,
        model=client.model,
        cutoff=ready.literature.cutoff,
        papers=len(ready.literature.papers),
        topics=ready.topics,
        wanted=ready.wanted,
        already=ready.already,
        made=made,
        runs=tuple(runs),
        failed=tuple(failed),
        notes=(*ready.notes, *(line for report in runs for line in report.notes)),
        study=study,
    )


def estimate_generation(
    study: Study,
    ready: Prepared,
    *,
    model: str,
    parameters: Mapping[str, Any],
    prices: Prices | None = None,
    retry_failed: bool = False,
) -> Estimate:
    """What :func:`generate` would ask for; nothing is sent or written.

    Where the first stage has no answer yet, the second is counted with a problem of usual length
    and the papers near the seed paper.
    """
    calls = () if study.folder is None else read_calls(study.folder / CALLS_FILE).calls
    index = CallIndex(calls)
    earlier = [call for call in calls if call.model == model]

    def guess(tasks: Sequence[Task]) -> tuple[Estimate, tuple[Outcome, ...]]:
        plan = make_plan(tasks, model, parameters, index, retry_failed=retry_failed)
        return estimate(plan, parameters, prices, earlier), (*plan.cached, *plan.kept)

    asked = ready.first()
    first, outcomes = guess(asked.tasks)
    if ready.search is None:
        return first
    known = found_problems(outcomes, asked)
    answered = {str(outcome.task.key["idea_id"]) for outcome in outcomes}
    problems = known | {
        slot.idea_id: _stand_in(slot, ready.literature)
        for slot in ready.slots
        if slot.idea_id not in answered
    }
    second, _ = guess(ready.second(problems).tasks)
    return _sum(first, second)


def _search(
    study: Study,
    settings: GeneratorSettings,
    literature: Literature,
    encoder: Encoder | str | None,
    encoding: Callable[[Step], None] | None,
) -> Search | None:
    if settings.generator == "vanilla":
        return None
    if settings.retriever == "bm25":
        return KeywordSearch(literature)
    if study.folder is None:
        raise UsageError("This study is not in a folder, so vectors cannot be stored.")
    chosen = encoder if encoder is not None else study.config.encoder
    model: Encoder = open_encoder(chosen) if isinstance(chosen, str) else chosen
    return VectorSearch(literature, model, study.folder / DERIVED, progress=encoding)


def _failures(outcomes: Sequence[Outcome]) -> list[tuple[str, str, str]]:
    return [
        (
            str(outcome.task.key["idea_id"]),
            outcome.task.kind.removeprefix("generate_"),
            outcome.reading.reason or outcome.reading.state,
        )
        for outcome in outcomes
        if outcome.reading.values is None
    ]


def _noted(study: Study, system: str, model: str, until: date | None) -> Study:
    """The study with the system's model in its ``study.toml``, read anew to lose no other edit."""
    assert study.folder is not None
    with writing(study.folder):
        config = StudyConfig.read(study.folder / CONFIG_FILE)
        changes: dict[str, Any] = {"models": {**config.models, system: model}}
        if until is not None:
            changes["knowledge_cutoff"] = {**config.knowledge_cutoff, system: until}
        told = config.model_copy(update=changes)
        return replace(study, config=config) if told == config else study.write_config(told)


def _stand_in(slot: Slot, literature: Literature) -> Problem:
    assert slot.seed_paper is not None
    words = literature.text(slot.seed_paper).split()
    text = " ".join((words * (_STAND_IN_WORDS // max(1, len(words)) + 1))[:_STAND_IN_WORDS])
    return Problem(text=text, rationale=text[: len(text) // 2], call_id="", shown=())


def _sum(first: Estimate, second: Estimate) -> Estimate:
    def both(name: str) -> Any:
        a, b = getattr(first, name), getattr(second, name)
        return None if a is None or b is None else a + b

    return Estimate(**{name: both(name) for name in vars(first)})
