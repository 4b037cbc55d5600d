"""A small corpus of two topics over two years, on disk, whose later papers carry a mark."""

from __future__ import annotations

import zlib
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from builders import table

from core.study import Study

TOPICS = ("graphs", "agents")
SUBJECTS = (
    "message passing",
    "graph transformer",
    "tool calling",
    "planning agent",
    "link prediction",
    "memory store",
)
CUTOFF = date(2024, 7, 31)
MARK = "FUTUREWORD"


def paper(number: int, published: str | None, topic: str, *, mark: bool = False) -> dict[str, Any]:
    word = f" {MARK}" if mark else ""
    subject = SUBJECTS[number % 6]
    return {
        "paper_id": f"{'z' if mark else 'p'}{number:03d}",
        "title": f"Efficient {subject} number {number}{word}",
        "abstract": f"We extend {subject} with sparse attention.{word} However, {subject} lacks depth"
        f" and {SUBJECTS[(number + 1) % 6]} remains costly.",
        "published": published,
        "citations": 1000 + number if mark else number,
        "venue": MARK if mark else "arXiv",
        "topics": [topic],
    }


def corpus() -> list[dict[str, Any]]:
    """Papers of every month from 2023-08 to 2024-07, and marked ones from 2024-08 to 2025-04."""
    months = [f"2023-{m:02d}" for m in range(8, 13)] + [f"2024-{m:02d}" for m in range(1, 8)]
    later = [f"2024-{m:02d}" for m in range(8, 13)] + [f"2025-{m:02d}" for m in range(1, 5)]
    papers = []
    for topic in TOPICS:
        for month in months:
            for day in (5, 20):
                papers.append(paper(len(papers), f"{month}-{day:02d}", topic))
    number = len(papers)
    for topic in TOPICS:
        for month in later:
            papers.append(paper(number, f"{month}-10", topic, mark=True))
            number += 1
    papers += [
        paper(number, None, "graphs", mark=True),
        paper(number + 1, "2024", "graphs", mark=True),
        paper(number + 2, "2024-08-01", "agents", mark=True),
    ]
    return papers


def corpus_study(folder: Path, **config: Any) -> Study:
    """The corpus as a study on disk, pool by topic, three months' horizon."""
    made = Study.create(folder, cutoff=CUTOFF, preset="ideaforecastbench", **config)
    return made.write("papers", table("papers", corpus()), suffix=".jsonl")


class WordEncoder:
    """Counts of hashed words: like texts have like vectors, and nothing is loaded."""

    name, revision, digest, dimensions, separator = "words", "1", "f" * 16, 64, " "

    def encode(self, texts: list[str]) -> np.ndarray:
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.casefold().split():
                vectors[row, zlib.crc32(word.encode()) % self.dimensions] += 1
        return vectors
