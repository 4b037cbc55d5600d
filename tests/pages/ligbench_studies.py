"""A small LigBench study whose numbers can be worked by hand, over the small study of cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from builders import case_tables
from page_studies import Tables, write_study

DIMENSIONS = ("rating", "contribution", "soundness")
REFERENCES = {
    "r1": (1.0, "ICLR"),
    "r2": (2.0, "ICLR"),
    "r3": (3.0, "NeurIPS"),
    "r4": (4.0, "NeurIPS"),
}
QUALITY = {"i1": 4.5, "i2": 3.5, "i3": 2.5, "i4": 3.5, "i5": 1.5, "i6": 2.5, "i7": 0.5}


def ligbench_tables() -> Tables:
    """Means: ICLR 1.5, NeurIPS 3.5, all 2.5; debiased r1 and r3 2, r2 and r4 3.

    An idea of quality q beats a reference as reviewed where q is above its score, so i1 wins all
    four, i2 and i4 three, i3 and i6 two, i5 one, i7 none; i8 meets none. Bob prefers whichever
    is shown first against r2 (a turned choice), and refuses i7 against r1 in one order.
    """
    tables = case_tables()
    tables["references"] = [
        {
            "reference_id": name,
            "title": f"Reviewed paper {name}",
            "abstract": "A reviewed paper.",
            "venue": venue,
            "year": 2024,
            "decision": "poster" if score > 1 else "reject",
            "area": "graphs",
            **dict.fromkeys(DIMENSIONS, score),
        }
        for name, (score, venue) in REFERENCES.items()
    ]
    tables["starts"] = [
        {
            "idea_id": idea,
            "judge": judge,
            "repeat": 1,
            **dict.fromkeys(DIMENSIONS, quality),
            "novelty": 5 - quality,
            "reason": f"Start of {judge} for {idea}",
            "state": "ok",
        }
        for idea, quality in QUALITY.items()
        for judge in ("ann", "bob")
    ]
    tables["comparisons"] = [
        _comparison(idea, reference, judge, order)
        for idea in QUALITY
        for reference in REFERENCES
        for judge in ("ann", "bob")
        for order in ("idea_first", "reference_first")
    ]
    return tables


def _comparison(idea: str, reference: str, judge: str, order: str) -> dict[str, Any]:
    row = {"idea_id": idea, "reference_id": reference, "judge": judge, "order": order, "repeat": 1}
    if (idea, reference, judge, order) == ("i7", "r1", "bob", "idea_first"):
        return {**row, "state": "refused", "reason": "I would rather not."}
    won = float(QUALITY[idea] > REFERENCES[reference][0])
    if judge == "bob" and reference == "r2":
        won = float(order == "idea_first")
    said = f"{judge} on {idea} and {reference}, {order}"
    return {**row, **dict.fromkeys(DIMENSIONS, won), "reason": said, "state": "ok"}


def ligbench_folder(folder: Path, tables: Tables | None = None, **config: Any) -> Path:
    """The small study on disk, or these tables."""
    return write_study(folder, ligbench_tables() if tables is None else tables, **config)
