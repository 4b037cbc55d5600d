"""Small studies for tests, built in memory: name what matters, the rest has plain defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from core.config import StudyConfig
from core.schema import CANDIDATES, TABLES, admit
from core.study import CandidatesInfo, Study

INFO = CandidatesInfo(
    encoder="minilm",
    revision="test",
    encoder_digest="0" * 16,
    depth=100,
    pool="all",
    inputs="",
    digest="test",
)


def table(name: str, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The named table with these rows; fails where the schema does."""
    kind = CANDIDATES if name == "candidates" else TABLES[name]
    frame, problems = admit(kind, pd.DataFrame([dict(row) for row in rows]), file=name)
    assert not problems, "\n".join(map(str, problems))
    return frame


def config(**values: Any) -> StudyConfig:
    """A study's configuration: cutoff 2023-06-30, 30 months, unless named."""
    start: dict[str, Any] = {"name": "test", "cutoff": date(2023, 6, 30), "horizon_months": 30}
    return StudyConfig(**(start | values))


def study(
    *, config_values: Mapping[str, Any] | None = None, **tables: Sequence[Mapping[str, Any]]
) -> Study:
    """A study in memory; ``candidates=[…]`` among the tables are its stored candidates."""
    frames: dict[str, Any] = {name: table(name, rows) for name, rows in tables.items()}
    info = INFO if "candidates" in frames else None
    return Study(config=config(**(config_values or {})), candidates_info=info, **frames)


def case_tables() -> dict[str, list[dict[str, Any]]]:
    """A small study whose every number can be worked by hand, at θ = 0.5.

    Citations in the pool run from 0 to 100 (p4's are unknown), so ĉ = c / 100:
    h(p1) = 0.6, h(p2) = 0.3, h(p3) = 0, h(p5) = 0.06 + 0.4 = 0.46, h(p6) = 0.12.
    Scores: i1 0.6, i2 0.46, i3 0 (a match worth 0), i4 0 (p1 is below θ), i5 0.3, i6 0,
    i7 0 (no candidate), i8 0.46 (exactly at θ). Judges' overall: 5, 8, 9, 4, 6, 7, 8, none.
    Medians of i1 to i7: 0 and 7. So i2 is a true positive, i1 and i5 are hidden gems, i3 and i7
    overhyped, i4 and i6 true negatives, i8 unscored. Bob refused i7, and a stray 1 stands there.
    """
    ideas = [
        {
            "idea_id": f"i{n}",
            "system": "alpha" if n <= 4 else "beta",
            "topic": "graphs" if n % 2 else "agents",
            "title": f"Idea number {n}",
            "problem": f"Diffusion models are slow, problem {n}.",
            "method": "Distil the cascade of denoisers." if n < 8 else None,
            "extra": {"planted": "p1"} if n == 1 else {},
        }
        for n in range(1, 9)
    ]
    papers = [
        {
            "paper_id": f"p{n}",
            "title": f"Paper number {n}",
            "abstract": None if n == 3 else "A cascade of diffusion denoisers.",
            "published": "2024-05" if n == 6 else f"2024-0{n}-15",
            "venue": "ICLR 2024" if n == 5 else "arXiv",
            "citations": citations,
            "url": f"https://papers.example/{n}",
        }
        for n, citations in zip(range(1, 7), (100, 50, 0, None, 10, 20), strict=True)
    ]
    pairs = {
        "i1": {"p1": 0.9, "p3": 0.4},
        "i2": {"p2": 0.8, "p5": 0.7, "p3": 0.2},
        "i3": {"p3": 0.6},
        "i4": {"p1": 0.45},
        "i5": {"p2": 0.55},
        "i6": {"p6": 0.3},
        "i8": {"p5": 0.5},
    }
    candidates = [
        {"idea_id": idea, "paper_id": paper, "similarity": similarity, "rank": rank}
        for idea, met in pairs.items()
        for rank, (paper, similarity) in enumerate(met.items(), start=1)
    ]
    scores = []
    for n, overall in enumerate((5, 8, 9, 4, 6, 7, 8, None), start=1):
        for judge in ("ann", "bob"):
            refused = overall is None or (n == 7 and judge == "bob")
            mark = overall if not refused else 1 if n == 7 else None
            scores.append(
                {
                    "idea_id": f"i{n}",
                    "judge": judge,
                    "repeat": 1,
                    "novelty": mark,
                    "feasibility": mark,
                    "impact": mark,
                    "overall": mark,
                    "reason": None if refused else f"Reason of {judge} for {n}",
                    "state": "refused" if refused else "ok",
                }
            )
    return {"ideas": ideas, "papers": papers, "scores": scores, "candidates": candidates}


def case_study(**config_values: Any) -> Study:
    """:func:`case_tables` as a study at θ = 0.5."""
    return study(config_values={"settings": {"theta": 0.5}, **config_values}, **case_tables())


def study_folder(
    folder: Path,
    *,
    name: str = "Small",
    systems: Sequence[str] = ("retrieval", "vanilla"),
    judges: Sequence[str] = ("lenient", "strict"),
    n: int = 12,
    theta: float = 0.62,
    candidates: bool = True,
    **config_values: Any,
) -> Path:
    """A study on disk, ``n`` ideas a system, whose first system meets more papers at every θ.

    Ten papers at ICLR among 60; marks of novelty fall as matches rise. Seeded, no model.
    """
    random = np.random.default_rng(7)
    made = Study.create(
        folder,
        cutoff=date(2023, 6, 30),
        horizon_months=30,
        name=name,
        settings={"theta": theta, "draws": 200},
        **config_values,
    )
    papers = [
        {
            "paper_id": f"p{place:03d}",
            "title": f"Paper {place} on *things* & $x_1$",
            "abstract": "An abstract of a later paper about things.",
            "published": f"2024-{place % 12 + 1:02d}-15",
            "venue": "ICLR" if place < 10 else "arXiv",
            "citations": place * place,
            "topics": [f"topic {place % 4}"],
        }
        for place in range(60)
    ]
    ideas, scores, pairs = [], [], []
    for lead, system in zip((0.12, 0.0, 0.02, 0.04), systems, strict=False):
        for place in range(n):
            idea_id = f"{system}-{place:02d}"
            ideas.append(
                {
                    "idea_id": idea_id,
                    "system": system,
                    "topic": f"topic {place % 4}",
                    "title": f"Idea {place} <b>bold</b> $y$",
                    "problem": "A problem.",
                    "method": "A method.",
                }
            )
            level = 0.5 + lead + 0.02 * (place % 5)
            similarity = np.sort(random.uniform(level - 0.15, level + 0.15, 20))[::-1]
            chosen = random.choice(len(papers), 20, replace=False)
            pairs += [
                {
                    "idea_id": idea_id,
                    "paper_id": papers[paper]["paper_id"],
                    "similarity": round(float(value), 6),
                    "rank": rank + 1,
                }
                for rank, (paper, value) in enumerate(zip(chosen, similarity, strict=True))
            ]
            scores += [
                {
                    "idea_id": idea_id,
                    "judge": judge,
                    "repeat": repeat,
                    "novelty": 9 - place % 5,
                    "feasibility": 5 + place % 3,
                    "impact": 6 + repeat % 2,
                    "overall": 7 + place % 2,
                    "reason": "As marked.",
                }
                for judge in judges
                for repeat in (1, 2, 3)
            ]
    made.write("ideas", table("ideas", ideas))
    made.write("papers", table("papers", papers))
    if scores:
        made.write("scores", table("scores", scores))
    if candidates:
        info = replace(INFO, digest=f"test {name}")
        made.write_candidates(table("candidates", pairs), info)
    return folder
