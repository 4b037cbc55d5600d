"""Which ideas are to be made: for each topic so many, each from its own seed paper or number."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np
import pandas as pd

from core.config import GENERATE_LITERATURE, GENERATE_PER_TOPIC, LITERATURE_LEAST
from core.errors import DataError, UsageError, nearest
from core.generate.literature import Literature
from core.study import Study

GeneratorName = Literal["retrieval", "vanilla"]
Retriever = Literal["bm25", "dense"]
GENERATORS: tuple[GeneratorName, ...] = get_args(GeneratorName)
RETRIEVERS: tuple[Retriever, ...] = get_args(Retriever)
_SLUG_LETTERS = 24


@dataclass(frozen=True, kw_only=True)
class GeneratorSettings:
    """What a system is to write: ``per_topic`` ideas on each topic (all topics where none is
    named), from seed papers drawn by ``seed``, beside ``literature`` papers a stage, found by
    words (``bm25``) or by an encoder's vectors (``dense``)."""

    system: str
    generator: GeneratorName
    topics: tuple[str, ...] = ()
    per_topic: int = GENERATE_PER_TOPIC
    seed: int = 0
    literature: int = GENERATE_LITERATURE
    retriever: Retriever = "bm25"

    def __post_init__(self) -> None:
        if not self.system.strip():
            raise UsageError("--system must not be empty.")
        for name, value, allowed in (
            ("generator", self.generator, GENERATORS),
            ("retriever", self.retriever, RETRIEVERS),
        ):
            if value not in allowed:
                raise UsageError(f"No {name} '{value}'. {nearest(value, allowed)}")
        for name, least in (("per_topic", 1), ("seed", 0), ("literature", 0)):
            if getattr(self, name) < least:
                option = "--" + name.replace("_", "-")
                raise UsageError(f"{option} must be at least {least} ({getattr(self, name)} given)")


@dataclass(frozen=True, kw_only=True)
class Slot:
    """One idea to be made. ``seed_paper`` is None without literature; ``number`` is from 1."""

    idea_id: str
    topic: str
    number: int
    seed_paper: str | None = None


@dataclass(frozen=True, kw_only=True)
class Slots:
    """Ideas to be made, in turns over the topics; how many of those wanted are there ``already``;
    and notes on what falls short."""

    slots: tuple[Slot, ...]
    topics: tuple[str, ...]
    already: int
    notes: tuple[str, ...]


def generator_of(system: str, given: str | None) -> GeneratorName:
    """The generator that is given, else the one that bears the system's name.

    Raises :class:`UsageError` where there is neither.
    """
    if given is None and system.strip() not in GENERATORS:
        raise UsageError(
            f"How does '{system.strip()}' write? Say --generator retrieval (with literature before"
            " the cutoff) or --generator vanilla (the topic's name alone)."
        )
    return cast(GeneratorName, system.strip() if given is None else given)


def choose_slots(study: Study, settings: GeneratorSettings, literature: Literature) -> Slots:
    """The ideas that a system lacks: the first of each topic, then the second, and so on.

    So a run that stops early has touched every topic. Ideas that are there count: papers or a
    seed that came later bring no topic above ``per_topic``. Raises :class:`UsageError` for a topic
    that is not there, :class:`DataError` where there is no literature to begin with.
    """
    system = settings.system.strip()
    topics = _topics(study, settings, literature)
    there = study.ideas[study.ideas["system"] == system]
    rounds: list[tuple[int, int, Slot]] = []
    notes: list[str] = []
    already = 0
    for place, topic in enumerate(topics):
        own = there[there["topic"] == topic]
        kept = min(len(own), settings.per_topic)
        already += kept
        seeds: list[str | None] = [None] * settings.per_topic
        if settings.generator == "retrieval":
            read = {extra.get("seed_paper") for extra in own["extra"]}
            order = seed_papers(literature, topic, len(literature.papers), settings.seed)
            free = [paper for paper in order if paper not in read]
            seeds = [*free[: settings.per_topic - kept]]
            if len(seeds) + kept < settings.per_topic:
                notes.append(
                    f"topic '{topic}': {len(seeds) + kept} of {settings.per_topic} seed papers; no"
                    f" other paper by {literature.cutoff} carries it and has an abstract"
                )
        names = set(own["idea_id"])
        for number, seed in enumerate(seeds, 1):
            name = _idea_id(system, settings.generator, topic, seed or number)
            if name not in names:
                slot = Slot(idea_id=name, topic=topic, number=number, seed_paper=seed)
                rounds.append((number, place, slot))
    rounds.sort(key=lambda item: item[:2])
    slots = tuple(slot for *_, slot in rounds)
    return Slots(slots=slots, topics=topics, already=already, notes=tuple(notes))


def seed_papers(literature: Literature, topic: str, n: int, seed: int) -> list[str]:
    """``n`` papers of a topic with an abstract, drawn without replacement; all where fewer.

    Every such paper is as likely as any other: citations, which come later, play no part. A
    topic's draw is its own, so other topics change nothing, and a greater ``n`` keeps the first.
    """
    papers = literature.papers
    carries = np.array([topic in topics for topics in papers["topics"]], dtype=bool)
    fitting = papers.loc[carries & papers["abstract"].notna().to_numpy(), "paper_id"].tolist()
    own = int.from_bytes(hashlib.sha256(topic.encode("utf-8", "replace")).digest()[:8])
    order = np.random.default_rng([seed, own]).permutation(len(fitting))
    return [str(fitting[row]) for row in order[:n]]


def refuse_foreign_ideas(
    study: Study, ideas: pd.DataFrame, settings: GeneratorSettings, model: str
) -> None:
    """Raise :class:`UsageError` where the system's name already stands for something else."""
    system = settings.system.strip()
    own: list[Mapping[str, Any]] = ideas.loc[ideas["system"] == system, "extra"].tolist()
    foreign = sum("generator" not in extra for extra in own)
    if foreign:
        raise UsageError(
            f"System '{system}' already has {foreign} ideas that did not come from calls of ours."
            " Give this run another name with --system NAME."
        )
    known = {(str(extra["generator"]), str(extra.get("model"))) for extra in own}
    other = known - {(settings.generator, model)}
    if other:
        generator, name = min(other)
        raise UsageError(
            f"System '{system}' already has ideas of generator '{generator}' and model '{name}'."
            " One system is one generator and one model: give this run another --system."
        )
    told = study.config.models.get(system)
    if told is not None and told != model:
        raise UsageError(
            f"study.toml says under [models] that system '{system}' is of '{told}', and this run"
            f" asks '{model}'. Give it another --system, or change that line."
        )


def _topics(study: Study, settings: GeneratorSettings, literature: Literature) -> tuple[str, ...]:
    by_then = literature.topics
    if not settings.topics:
        if not by_then:
            raise DataError(
                f"No paper that certainly appeared by {literature.cutoff} carries a topic"
                f" ({len(literature.papers):,} appeared by then, {literature.later:,} later)."
                + (
                    " Name topics with --topics."
                    if settings.generator == "vanilla"
                    else f" Import earlier ones with topics, or: {_earlier(study, ())}"
                )
            )
        return by_then
    named = tuple(dict.fromkeys(topic.strip() for topic in settings.topics if topic.strip()))
    known = sorted({topic for topics in study.papers["topics"] for topic in topics})
    for topic in named:
        if known and topic not in known:
            raise UsageError(f"No topic '{topic}'. {nearest(topic, known)}")
        if settings.generator == "retrieval" and topic not in by_then:
            raise DataError(
                f"No paper that certainly appeared by {literature.cutoff} carries the topic"
                f" '{topic}', so there is no seed paper. Import earlier ones, or:"
                f" {_earlier(study, [name for name in named if name not in by_then])}"
            )
    if not named:
        raise UsageError("--topics names no topic.")
    return named


def thin_literature(study: Study, literature: Literature, topics: Sequence[str]) -> tuple[str, ...]:
    """That topics have few papers by the cutoff, and the command that fetches more."""
    found = Counter(topic for carried in literature.papers["topics"] for topic in carried)
    few = [topic for topic in topics if found[topic] < LITERATURE_LEAST]
    if not few:
        return ()
    counts = ", ".join(f"{found[topic]:,} of '{topic}'" for topic in few)
    return (
        f"papers by {literature.cutoff}: {counts}; HindSight had {LITERATURE_LEAST} or more a"
        f" topic. To fetch more: {_earlier(study, few)}",
    )


def _earlier(study: Study, topics: Sequence[str]) -> str:
    """The command that fetches literature of these topics, or of all that the papers carry."""
    from core.ingest.sources import earlier_command, searches_for

    chosen = topics or sorted({t for carried in study.papers["topics"] for t in carried})
    pairs = searches_for(chosen) or (("TOPIC", "WORDS"),)
    return earlier_command(study.folder, pairs, study.config.cutoff)


def _idea_id(system: str, generator: str, topic: str, seed: str | int) -> str:
    """The same slot has the same name in every run."""
    digest = hashlib.sha256(json.dumps([system, generator, topic, seed]).encode()).hexdigest()[:10]
    return "-".join(filter(None, (_slug(system), _slug(topic), digest)))


def _slug(text: str) -> str:
    return re.sub(r"[\W_]+", "-", text.casefold()).strip("-")[:_SLUG_LETTERS].strip("-")
