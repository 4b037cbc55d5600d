"""Forecasters that need no model: the floor under every score.

==========  ==========================================================================
``random``  titles and abstracts of papers drawn from the history
``recent``  the most recent papers of the history
``cited``   the most cited papers of the history, by the study's citation counts
``template``  sentences that fit any topic
==========  ==========================================================================

Citation counts are as of the study's snapshot, so ``cited`` knows what the field came to cite
after the cutoff: a floor with a hint of the future, no fair forecaster.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

from core.forecast.forecasters.history import History, SeenPaper
from core.forecast.forecasters.strategy import Ask, Draft

BASELINES = ("random", "recent", "cited", "template")
_TEMPLATES = (
    (
        "A benchmark for {topic}",
        "Results in {topic} are hard to compare across papers.",
        "Collect tasks and data for {topic}, fix a protocol, and compare the usual methods.",
    ),
    (
        "Large language models for {topic}",
        "Language models carry knowledge that methods for {topic} do not use yet.",
        "Prompt and fine-tune a language model for {topic} and compare it with special methods.",
    ),
    (
        "Efficient methods for {topic}",
        "Methods for {topic} are costly to train and to run.",
        "Compress and distil a strong method for {topic} and measure cost against quality.",
    ),
    (
        "Robust {topic} under distribution shift",
        "Methods for {topic} fail on data unlike those they were trained on.",
        "Train for {topic} with augmentation and adaptation and test on shifted data.",
    ),
    (
        "Self-supervised pre-training for {topic}",
        "Labels are scarce in {topic}.",
        "Pre-train a transformer on unlabelled data and fine-tune it for {topic}.",
    ),
    (
        "Interpretable {topic}",
        "It is unclear why methods for {topic} decide as they do.",
        "Attribute the decisions of a method for {topic} to its inputs and parts.",
    ),
)


def baseline(
    name: str, history: History, ask: Ask, citations: Mapping[str, float] | None = None
) -> list[Draft]:
    """Up to ``ask.slots`` forecasts, best first; none from an empty history.

    ``citations`` (by paper_id, unknown ones left out) are ``cited``'s alone. Ties go to the
    newer paper, then by id.
    """
    if name == "template":
        return [
            Draft(
                title=title.format(topic=history.topic),
                rationale=rationale.format(topic=history.topic),
                approach=approach.format(topic=history.topic),
            )
            for title, rationale, approach in _TEMPLATES[: ask.slots]
        ]
    papers = list(history.papers)
    if name == "random":
        chosen = _generator(history, ask.seed).permutation(len(papers))[: ask.slots]
        papers = [papers[place] for place in chosen]
    elif name == "cited":
        known = citations or {}
        papers = [paper for paper in papers if paper.paper_id in known]
        papers.sort(key=lambda paper: -known[paper.paper_id])
    return [_retold(paper) for paper in papers[: ask.slots]]


def _retold(paper: SeenPaper) -> Draft:
    return Draft(title=paper.title, approach=paper.abstract, more={"paper_id": paper.paper_id})


def _generator(history: History, seed: int) -> np.random.Generator:
    """One of its own for each episode, so that an episode's draw does not hang on the others."""
    name = f"{history.topic}\n{history.cutoff}".encode()
    return np.random.default_rng([seed, int.from_bytes(hashlib.sha256(name).digest()[:8])])
