"""Small studies at random, rich in ties, gaps and papers at the window's ends."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
from builders import study

from core.study import Study

VENUES = ("ICLR 2024", "NeurIPS 2023", "ACL 2025", "ICLR 2024 Workshop on X", "arXiv", None)
DATES = (
    "2023-06-30",
    "2023-07-01",
    "2023-07",
    "2023-06",
    "2024",
    "2023",
    "2024-02-29",
    "2024-02-11",
    "2025-03-31",
    "2025-12-31",
    "2025-12",
    "2026-01-01",
    None,
)


def tables(
    seed: int, *, ideas: int = 14, papers: int = 30, systems: int = 2, judges: int = 2
) -> dict[str, Any]:
    """Rows of a study's tables."""
    draw = np.random.default_rng(seed)
    names = ["RA", "BL", "CC"][:systems]
    topics = ["t1", "t2", "t3"]
    idea_rows = [
        {
            "idea_id": f"i{n}",
            "system": names[n % systems],
            "topic": topics[draw.integers(3)],
            "cutoff": "2023-12-15" if draw.random() < 0.2 else None,
            "problem": "a problem",
        }
        for n in range(ideas)
    ]
    paper_rows = [
        {
            "paper_id": f"p{n}",
            "title": f"Title {n}",
            "abstract": "text" if draw.random() < 0.8 else None,
            "published": DATES[draw.integers(len(DATES))],
            "citations": float(draw.integers(0, 9) ** 2) if draw.random() < 0.85 else None,
            "venue": VENUES[draw.integers(len(VENUES))],
            "topics": [topics[draw.integers(3)]],
        }
        for n in range(papers)
    ]
    candidate_rows = []
    for idea in idea_rows:
        found = draw.choice(papers, size=min(papers, 20), replace=False)
        similarity = np.round(draw.uniform(0.3, 0.9, len(found)), 1)
        order = sorted(range(len(found)), key=lambda n: (-similarity[n], f"p{found[n]}"))
        candidate_rows += [
            {
                "idea_id": idea["idea_id"],
                "paper_id": f"p{found[n]}",
                "similarity": float(similarity[n]),
                "rank": place + 1,
            }
            for place, n in enumerate(order)
        ]
    score_rows = [
        {
            "idea_id": idea["idea_id"],
            "judge": f"j{judge}",
            "repeat": repeat,
            "state": "ok" if draw.random() < 0.8 else "refused",
            **{
                name: float(draw.integers(1, 11)) if draw.random() < 0.95 else None
                for name in ("novelty", "feasibility", "impact", "overall")
            },
        }
        for idea in idea_rows
        for judge in range(judges)
        for repeat in (1, 2)
    ]
    return {
        "ideas": idea_rows,
        "papers": paper_rows,
        "candidates": candidate_rows,
        "scores": score_rows,
    }


def random_study(seed: int, **sizes: int) -> Study:
    """A study of these sizes; every seed another."""
    return study(
        config_values={"knowledge_cutoff": {"RA": date(2024, 2, 15)}}, **tables(seed, **sizes)
    )
