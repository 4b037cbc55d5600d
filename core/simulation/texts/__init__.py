"""Research language of ten topics, written for this project; no real paper's title is in it.

One TOML file a topic. Phrases are shaped so that any problem of a topic goes with any of its
methods and settings:

* a problem is ``[name, says, asks]``: something bad as a noun phrase, a paper's sentence on it,
  and an idea's sentence in other words;
* a method is ``[name, how, plan, why]``: a noun phrase that needs no article, what a paper does
  ("we …"), what an idea would do ("to …") in other words, and why it should work ("that …");
* settings follow "in" and "on"; findings follow "we find that", with ``{a}`` for a small
  number, ``{b}`` for a larger one and ``{x}`` for a factor;
* gaps and aims are sentences; visions follow "to".
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
TOPIC_FILES = (
    "alignment_safety",
    "chain_of_thought_reasoning",
    "diffusion_models",
    "efficient_inference",
    "hallucination_mitigation",
    "in_context_learning",
    "instruction_tuning_rlhf",
    "llm_agents",
    "multimodal_llms",
    "retrieval_augmented_generation",
)


@dataclass(frozen=True, kw_only=True)
class ProblemText:
    name: str
    says: str
    asks: str


@dataclass(frozen=True, kw_only=True)
class MethodText:
    name: str
    how: str
    plan: str
    why: str


@dataclass(frozen=True, kw_only=True)
class TopicTexts:
    """All phrases of one topic."""

    topic: str
    problems: tuple[ProblemText, ...]
    methods: tuple[MethodText, ...]
    settings: tuple[str, ...]
    findings: tuple[str, ...]
    gaps: tuple[str, ...]
    aims: tuple[str, ...]
    visions: tuple[str, ...]


@cache
def topics() -> tuple[TopicTexts, ...]:
    """The ten topics of HindSight's appendix A, in its order."""
    return tuple(_topic(_read(_FOLDER / f"{name}.toml")) for name in TOPIC_FILES)


@cache
def frames() -> dict[str, dict[str, tuple[str, ...]]]:
    """Sentence frames by section and name."""
    sections = _read(_FOLDER.parent / "frames.toml")
    return {
        section: {name: tuple(lines) for name, lines in lists.items()}
        for section, lists in sections.items()
    }


@cache
def reviews() -> dict[str, dict[str, tuple[str, ...]]]:
    """Frames of the references' formal parts and of the LigBench judges' reasons."""
    sections = _read(_FOLDER.parent / "reviews.toml")
    return {
        section: {name: tuple(lines) for name, lines in lists.items()}
        for section, lists in sections.items()
    }


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _topic(values: dict[str, Any]) -> TopicTexts:
    return TopicTexts(
        topic=values["topic"],
        problems=tuple(
            ProblemText(name=name, says=says, asks=asks) for name, says, asks in values["problems"]
        ),
        methods=tuple(
            MethodText(name=name, how=how, plan=plan, why=why)
            for name, how, plan, why in values["methods"]
        ),
        settings=tuple(values["settings"]),
        findings=tuple(values["findings"]),
        gaps=tuple(values["gaps"]),
        aims=tuple(values["aims"]),
        visions=tuple(values["visions"]),
    )
