"""Small studies for tests, built in memory: name what matters, the rest has plain defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

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
    overhyped, i4 and i6 true negatives, i8 unscored.
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
        "i2": {"p5": 0.8, "p2": 0.7, "p3": 0.2},
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
            mark = None if refused else overall
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
