"""Five strategies by what they keep of the history (IdeaForecastBench, Strategies).

====================  ===========================================================
``direct``            the papers as they are, newest first, to the budget
``summary``           a summary that the model writes of them first
``topic-trend``       counts and slopes of sub-topics, no text of any paper
``memory``            a store of past innovations, taken down month by month
``retrieval``         papers fetched for a first draft
====================  ===========================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from core.forecast.forecasters.history import History, SeenPaper, pack, pack_lines
from core.forecast.forecasters.phrases import trends
from core.forecast.forecasters.strategy import (
    NOTES,
    Ask,
    Draft,
    Replies,
    episode_key,
    forecast_task,
    read_drafts,
)
from core.judging.fields import Field, Records, Text
from core.judging.prompts import load_template
from core.judging.task import Task

MEMORY_MONTHS = 6
TREND_LINES = 60
FETCHED_PER_DRAFT = 6
SUMMARY_FIELDS: tuple[Field, ...] = (
    Text(name="directions"),
    Text(name="open_problems"),
    Text(name="momentum"),
)
MEMORY_FIELDS: tuple[Field, ...] = (
    Records(
        name="innovations",
        fields=(Text(name="problem"), Text(name="innovation"), Text(name="still_open", blank=True)),
        least=1,
        most=20,
    ),
)


class _OneAnswer:
    """Strategies whose last reply holds the ideas."""

    def drafts(self, history: History, reply: Mapping[str, Any], ask: Ask) -> list[Draft]:  # noqa: ARG002
        return read_drafts(reply)


@dataclass(frozen=True)
class Direct(_OneAnswer):
    """The newest papers, title and abstract, as many as the budget holds."""

    name: str = "direct"
    steps: int = 1

    def tasks(self, history: History, step: int, replies: Replies, ask: Ask) -> tuple[Task, ...]:  # noqa: ARG002
        if not history.papers:
            return ()
        return (forecast_task(history, pack(history.papers, ask.context_tokens).text, ask),)


@dataclass(frozen=True)
class Summary(_OneAnswer):
    """The model sums the newest papers up first, then forecasts from its summary alone."""

    name: str = "summary"
    steps: int = 2

    def tasks(self, history: History, step: int, replies: Replies, ask: Ask) -> tuple[Task, ...]:
        if not history.papers:
            return ()
        if step == 1:
            summary = replies[0]
            lines = [f"{key.replace('_', ' ').capitalize()}: {summary[key]}" for key in summary]
            packed = pack_lines(lines, ask.context_tokens, "SUMMARY OF THE PAPERS")
            return (forecast_task(history, packed.text, ask),)
        template = load_template("forecast_summary")
        papers = pack(history.papers, ask.context_tokens)
        return (
            Task(
                kind=NOTES,
                key=episode_key(history, "summary"),
                messages=template.messages(
                    topic=history.topic, cutoff=history.cutoff.isoformat(), papers=papers.text
                ),
                fields=SUMMARY_FIELDS,
                template=template.version,
                expected_tokens=500,
            ),
        )


@dataclass(frozen=True)
class TopicTrend(_OneAnswer):
    """How often each sub-topic was written about, month by month, and its slope."""

    name: str = "topic-trend"
    steps: int = 1

    def tasks(self, history: History, step: int, replies: Replies, ask: Ask) -> tuple[Task, ...]:  # noqa: ARG002
        found = trends(history, most=TREND_LINES)
        if not found:
            return ()
        lines = [
            f"{trend.phrase}: {', '.join(map(str, trend.counts))} papers in the last"
            f" {len(trend.counts)} months (slope {trend.slope:+.2f} a month)"
            for trend in found
        ]
        packed = pack_lines(lines, ask.context_tokens, "SUB-TOPICS")
        return (forecast_task(history, packed.text, ask),)


@dataclass(frozen=True)
class Memory(_OneAnswer):
    """Innovations taken down from each of the last months, then forecasts from that store.

    A month's question is the same whatever the cutoff, so its answer is shared by episodes.
    """

    name: str = "memory"
    steps: int = 2

    def tasks(self, history: History, step: int, replies: Replies, ask: Ask) -> tuple[Task, ...]:
        if not history.papers:
            return ()
        if step == 1:
            lines = [
                f"- problem: {item['problem']} / innovation: {item['innovation']}"
                + (f" / still open: {item['still_open']}" if item["still_open"] else "")
                for reply in replies
                for item in reply["innovations"]
            ]
            packed = pack_lines(lines, ask.context_tokens, "PAST INNOVATIONS")
            return (forecast_task(history, packed.text, ask),)
        template = load_template("forecast_memory")
        tasks = []
        for month, papers in months_of(history)[:MEMORY_MONTHS]:
            tasks.append(
                Task(
                    kind=NOTES,
                    key={**episode_key(history, "memory"), "month": month},
                    messages=template.messages(
                        topic=history.topic, papers=pack(papers, ask.context_tokens).text
                    ),
                    fields=MEMORY_FIELDS,
                    template=template.version,
                    expected_tokens=600,
                )
            )
        return tuple(tasks)


@dataclass(frozen=True)
class Retrieval(_OneAnswer):
    """A first draft from titles alone, then papers of the history fetched for each draft."""

    name: str = "retrieval"
    steps: int = 2

    def tasks(self, history: History, step: int, replies: Replies, ask: Ask) -> tuple[Task, ...]:
        if not history.papers:
            return ()
        if step == 0:
            titles = pack(history.papers, ask.context_tokens, titles=True)
            return (forecast_task(history, titles.text, ask, step="draft"),)
        drafts = read_drafts(replies[0])
        lines = [f"- {draft.title}: {draft.approach}" for draft in drafts]
        first = pack_lines(lines, ask.context_tokens // 3, "FIRST DRAFTS")
        wanted = [f"{draft.title} {draft.rationale} {draft.approach}" for draft in drafts]
        papers = pack(fetch(history.papers, wanted), ask.context_tokens - ask.context_tokens // 3)
        return (forecast_task(history, f"{first.text}\n\n{papers.text}", ask),)


def months_of(history: History) -> list[tuple[str, list[SeenPaper]]]:
    """The history by calendar month, newest month first."""
    return [
        (month, list(papers))
        for month, papers in groupby(history.papers, lambda paper: f"{paper.published:%Y-%m}")
    ]


def fetch(papers: Sequence[SeenPaper], wanted: Sequence[str]) -> list[SeenPaper]:
    """Each wanted text's nearest papers by TF-IDF cosine, in turns, none twice; ties by order."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(stop_words="english", sublinear_tf=True)
    try:
        matrix = vectorizer.fit_transform([f"{p.title}\n{p.abstract}" for p in papers])
    except ValueError:
        return list(papers[:FETCHED_PER_DRAFT])
    scores = np.asarray((vectorizer.transform(wanted) @ matrix.T).todense())
    order = np.argsort(-scores, axis=1, kind="stable")[:, :FETCHED_PER_DRAFT]
    chosen = dict.fromkeys(order.T.ravel().tolist())
    return [papers[place] for place in chosen]
