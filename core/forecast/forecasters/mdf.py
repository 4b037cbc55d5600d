"""MDF: choose triples by memory and prior, then have a model write each out (IdeaForecastBench).

The idea is stored as the model wrote it, its whole approach included; the triple goes beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from core.config import Settings
from core.errors import UsageError, nearest
from core.forecast.forecasters.history import History, SeenPaper, pack_lines, visible_history
from core.forecast.forecasters.prior import Prior, train_prior
from core.forecast.forecasters.strategy import (
    FORECASTS,
    Ask,
    Draft,
    Replies,
    episode_key,
    idea_fields,
    read_drafts,
)
from core.forecast.forecasters.triple_memory import TripleMemory
from core.forecast.forecasters.triples import OPERATORS, Triple, TripleReader
from core.judging.prompts import load_template
from core.judging.task import Task
from core.study import Study

BASES = GAPS = 25
SUPPORT = 3


@dataclass(frozen=True, kw_only=True)
class JudgedIdea:
    """An idea of an episode whose verdicts are whole: its text, and whether it was credited."""

    topic: str
    cutoff: date
    closed: date
    title: str
    text: str
    credited: bool


@dataclass
class Mdf:
    """The forecaster over one study's judged ideas, all of them; each episode uses only those
    whose window had closed by its cutoff."""

    study: Study
    judged: Sequence[JudgedIdea]
    name: str = "mdf"
    steps: int = 1
    _read: dict[tuple[str, date], tuple[TripleReader, list[tuple[SeenPaper, Triple]]]] = field(
        default_factory=dict
    )
    _memories: dict[tuple[str, date], tuple[TripleReader, TripleMemory]] = field(
        default_factory=dict
    )
    _chosen: dict[tuple[str, date, int], tuple[list[Triple], TripleMemory, Prior]] = field(
        default_factory=dict
    )

    def tasks(self, history: History, step: int, replies: Replies, ask: Ask) -> tuple[Task, ...]:  # noqa: ARG002
        triples, memory, _ = self.choose(history, ask)
        if not triples:
            return ()
        lines = []
        for number, triple in enumerate(triples, start=1):
            lines.append(
                f"{number}. base direction: {triple.base} / operator: {triple.operator} / gap:"
                f" {triple.gap}"
            )
            lines += [f"   - {title}" for title in memory.support(triple, SUPPORT)]
        template = load_template("forecast_triples")
        return (
            Task(
                kind=FORECASTS,
                key=episode_key(history, "forecast"),
                messages=template.messages(
                    topic=history.topic,
                    cutoff=history.cutoff.isoformat(),
                    months=str(history.horizon_months),
                    triples=pack_lines(lines, ask.context_tokens, "TRIPLES").text,
                    slots=str(len(triples)),
                ),
                fields=idea_fields(len(triples)),
                template=template.version,
                expected_tokens=220 * len(triples),
            ),
        )

    def drafts(self, history: History, reply: Mapping[str, Any], ask: Ask) -> list[Draft]:
        triples, _, prior = self.choose(history, ask)
        drafts = []
        for draft, triple in zip(read_drafts(reply), triples, strict=False):
            more = {
                "triple": [triple.base, triple.operator, triple.gap],
                "prior_ideas": prior.ideas,
                "prior": prior.untrained or "trained",
            }
            drafts.append(
                Draft(
                    title=draft.title,
                    rationale=draft.rationale,
                    approach=draft.approach,
                    key_terms=draft.key_terms,
                    more=more,
                )
            )
        return drafts

    def choose(self, history: History, ask: Ask) -> tuple[list[Triple], TripleMemory, Prior]:
        """The triples of an episode, best first: no base and no gap twice."""
        key = history.topic, history.cutoff, ask.slots
        if key not in self._chosen:
            self._chosen[key] = self._choose(history, ask)
        return self._chosen[key]

    def _choose(self, history: History, ask: Ask) -> tuple[list[Triple], TripleMemory, Prior]:
        _, read = self._triples(history)
        past = [idea for idea in self.judged if idea.closed <= history.cutoff]
        examples, used = [], []
        for idea in past:
            reader, memory = self._remembered(idea.topic, idea.cutoff)
            triple = reader.read(idea.title, idea.text)
            if triple is not None:
                examples.append((triple, memory, idea.credited))
                if idea.topic == history.topic:
                    used.append((triple, idea.credited))
        prior = train_prior(examples)
        memory = TripleMemory.of(history.cutoff, read, used)
        pool = sorted(
            {
                Triple(base=base, operator=operator, gap=gap)
                for base in memory.most("base", BASES)
                for gap in memory.most("gap", GAPS)
                for operator in OPERATORS
                if base != gap
            }
        )
        if not pool:
            return [], memory, prior
        order = np.argsort(-prior.weights(pool, memory), kind="stable")
        chosen: list[Triple] = []
        for place in order.tolist():
            triple = pool[place]
            if all(triple.base != t.base and triple.gap != t.gap for t in chosen):
                chosen.append(triple)
            if len(chosen) == ask.slots:
                break
        return chosen, memory, prior

    def _remembered(self, topic: str, cutoff: date) -> tuple[TripleReader, TripleMemory]:
        key = topic, cutoff
        if key not in self._memories:
            reader, read = self._triples(visible_history(self.study, topic, cutoff))
            self._memories[key] = reader, TripleMemory.of(cutoff, read)
        return self._memories[key]

    def _triples(self, history: History) -> tuple[TripleReader, list[tuple[SeenPaper, Triple]]]:
        key = history.topic, history.cutoff
        if key not in self._read:
            reader = TripleReader(history.papers)
            found = [(paper, reader.read(paper.title, paper.abstract)) for paper in history.papers]
            self._read[key] = reader, [(p, t) for p, t in found if t is not None]
        return self._read[key]


def judged_ideas(study: Study, settings: Settings, judge: str | None = None) -> list[JudgedIdea]:
    """Every forecast of an episode without a failed verdict, and whether it was credited.

    By ``judge`` (else the first by name) under the settings' gate. None where the study has no
    forecasts, candidates or verdicts yet.
    """
    from core.forecast.credit import NOT_CREDITED, credit, passes
    from core.forecast.ledger import ledger

    if study.candidates is None or study.verdicts.empty or study.ideas["rank"].isna().all():
        return []
    laid = ledger(study, settings)
    if judge is not None and judge not in laid.judges:
        raise UsageError(f"No judge '{judge}' in the verdicts. {nearest(judge, laid.judges)}")
    number = 0 if judge is None else laid.judges.index(judge)
    passing = passes(laid, gate_pm=settings.gate_pm, gate_s=settings.gate_s)
    places = credit(laid.papers[None], passing)[number]
    whole = (laid.states[number] <= 0).all(axis=(1, 2))
    found = []
    for row in np.flatnonzero(whole).tolist():
        cutoff = pd.Timestamp(laid.episodes["cutoff"].iat[row]).date()
        for slot, idea in enumerate(laid.ideas[row].tolist()):
            if idea < 0:
                continue
            cells = study.ideas.iloc[idea]
            parts = [cells[name] for name in ("title", "rationale", "method")]
            title, *rest = ["" if pd.isna(part) else str(part) for part in parts]
            found.append(
                JudgedIdea(
                    topic=str(laid.episodes["topic"].iat[row]),
                    cutoff=cutoff,
                    closed=study.config.window_end(cutoff),
                    title=title,
                    text=" ".join([title, *rest]),
                    credited=bool(places[row, slot] != NOT_CREDITED),
                )
            )
    return found
