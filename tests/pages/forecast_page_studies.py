"""A small study of forecasts whose every number can be worked by hand."""

from __future__ import annotations

from typing import Any

Tables = dict[str, list[dict[str, Any]]]
SYSTEM, TOPIC = "alpha", "agents"
_GRADES = ("problem", "method", "specificity")


def forecast_tables() -> Tables:
    """Two systems, two topics, one cutoff; beta has no episode on graphs.

    Gate P + M ≥ 5 and S ≥ 2. Under ann: a1 is credited with p1; a2's p1 is taken and its p3 has
    P + M = 4; a3's p4 has S = 1; b1's p2 failed, so beta's one episode is left out. So alpha has
    Hit 1 and 0, mean 0.5; Precision@5 1/5 and 0, mean 0.1; MRR 0.5.
    Under bob: p1 is no match of a1, so a1 takes p2 and a2 takes p1; a3 takes p4: Hit 1 and 1,
    Precision@5 2/5 and 1/5, mean 0.3. b1's p3 was not judged, so beta is left out; at R = 1 only
    p2 counts, which passes.
    """
    forecasts = {
        "a1": ("alpha", "agents", 1),
        "a2": ("alpha", "agents", 2),
        "a3": ("alpha", "graphs", 1),
        "b1": ("beta", "agents", 1),
    }
    pairs = {
        "a1": {"p1": 0.9, "p2": 0.8},
        "a2": {"p1": 0.85, "p3": 0.7},
        "a3": {"p4": 0.6},
        "b1": {"p2": 0.5, "p3": 0.4},
    }
    ann: dict[tuple[str, str], Any] = {
        ("a1", "p1"): (3, 3, 3),
        ("a1", "p2"): (3, 2, 2),
        ("a2", "p1"): (3, 3, 2),
        ("a2", "p3"): (2, 2, 3),
        ("a3", "p4"): (3, 3, 1),
        ("b1", "p2"): "call_failed",
        ("b1", "p3"): (0, 0, 0),
    }
    bob = {
        **ann,
        ("a1", "p1"): (0, 0, 0),
        ("a3", "p4"): (3, 3, 2),
        ("b1", "p2"): (3, 3, 3),
    }
    del bob["b1", "p3"]
    verdicts = []
    for judge, own in (("ann", ann), ("bob", bob)):
        for (idea, paper), grade in own.items():
            row = {"idea_id": idea, "paper_id": paper, "judge": judge}
            row["reason"] = f"Reason of {judge} on {idea} and {paper}"
            failed = isinstance(grade, str)
            more = {"state": grade} if failed else dict(zip(_GRADES, grade, strict=True))
            verdicts.append(row | more)
    return {
        "ideas": [
            {
                "idea_id": idea,
                "system": system,
                "topic": topic,
                "rank": rank,
                "title": f"Forecast {idea}",
                "rationale": f"Why {idea} should come.",
                "method": "Distil the cascade." if idea != "a2" else None,
                "key_terms": ["cascade"] if idea == "a1" else [],
            }
            for idea, (system, topic, rank) in forecasts.items()
        ],
        "papers": [
            {
                "paper_id": f"p{n}",
                "title": f"Paper number {n}",
                "abstract": "A cascade of diffusion denoisers.",
                "published": f"2024-0{n}-15",
                "citations": n,
            }
            for n in range(1, 5)
        ],
        "candidates": [
            {"idea_id": idea, "paper_id": paper, "similarity": similarity, "rank": place}
            for idea, met in pairs.items()
            for place, (paper, similarity) in enumerate(met.items(), start=1)
        ],
        "verdicts": verdicts,
    }
