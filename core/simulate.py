"""A seeded study whose truth is planted: the bundled demo, an oracle for tests, load at will.

Texts, dates, citations, venues and marks all follow from the seed; no encoder is looked at. What
is planted: a retrieval-augmented system whose ideas name problem–method pairs that later papers
take up, a vanilla system that is vaguer and met by fewer papers, and judges who like flowery
language, which ideas that came true use less (HindSight, §4 and §6). Later papers of an idea
stand in its ``extra`` as ``{"planted": [paper_id, …]}``. For LigBench: reviewed references, and
two judges who compare each idea with eight of them by a quality that is planted, see
:func:`planted_qualities`. Papers, citations and reviews are invented.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import StudyConfig
from core.errors import TableError, UsageError
from core.files import CONFIG_FILE
from core.schema import TABLES, admit
from core.simulation.comparisons import DIMENSIONS, comparison_rows, qualities, start_rows
from core.simulation.ideas import Outlook, idea_rows
from core.simulation.marks import score_rows
from core.simulation.papers import CUTOFF, SNAPSHOT, paper_rows, place
from core.simulation.plan import SYSTEMS, Direction, directions
from core.simulation.references import reference_rows
from core.study import Study

PAPERS = 3000
IDEAS = 100
HORIZON_MONTHS = 30
KNOWLEDGE_CUTOFF = date(2023, 12, 31)
THETA = 0.61
NAME = "Demo (simulated)"
DESCRIPTION = (
    "A simulated study: its ideas, papers, citations, venues and judges are invented. Two idea"
    " generators work on ten topics; which papers follow which idea was planted from a seed."
)
SUFFIXES = {
    "ideas": ".jsonl",
    "papers": ".jsonl",
    "scores": ".csv",
    "references": ".jsonl",
    "starts": ".csv",
    "comparisons": ".csv",
}


def simulate(seed: int = 0, papers: int = PAPERS, ideas: int = IDEAS) -> Study:
    """A study in memory with ``papers`` papers and ``ideas`` ideas of each of two systems.

    The same arguments give the same study. Raises :class:`UsageError` where so many papers or
    ideas are asked for that texts would repeat, or where ``seed`` is negative.
    """
    made = _grow(seed, papers, ideas)
    return Study(
        config=configuration(seed, papers, ideas),
        **{name: _admitted(name, records) for name, records in made.rows.items()},
    )


def planted_qualities(seed: int = 0, papers: int = PAPERS, ideas: int = IDEAS) -> pd.DataFrame:
    """What the LigBench judges of :func:`simulate` see in each idea through their noise.

    Columns idea_id, system, rating, contribution, soundness, novelty, each 0 to 5 on the scale
    of the debiased references: the truth that Elo and Bradley–Terry should recover.
    """
    made = _grow(seed, papers, ideas)
    frame = pd.DataFrame(made.quality, columns=list(DIMENSIONS))
    frame.insert(0, "idea_id", [idea.idea_id for idea in made.planted])
    frame.insert(1, "system", [idea.system for idea in made.planted])
    return frame


@dataclass(frozen=True, kw_only=True)
class _Grown:
    planted: tuple[Direction, ...]
    quality: NDArray[np.float64]
    rows: dict[str, list[dict[str, Any]]]


def _grow(seed: int, papers: int, ideas: int) -> _Grown:
    """Every row; each kind comes from a stream of its own, so that a new one moves no other."""
    if seed < 0:
        raise UsageError(f"--seed must be 0 or more, not {seed}.")
    plan_rng, paper_rng, idea_rng, mark_rng, ligbench_rng = np.random.default_rng(seed).spawn(5)
    planted = directions(plan_rng, papers=papers, ideas=ideas)
    placement = place(paper_rng, planted, papers)
    paper_table = paper_rows(paper_rng, placement)
    followed: dict[int, list[str]] = defaultdict(list)
    placed: dict[int, bool] = {}
    for row in paper_table:
        number, at_top = row.pop("_direction"), row.pop("_top")
        if number >= 0:
            followed[number].append(row["paper_id"])
            placed[number] = placed.get(number, False) or at_top
    idea_table, outlooks = idea_rows(idea_rng, planted, followed, placed)
    rows = {
        "ideas": sorted(idea_table, key=lambda row: (SYSTEMS.index(row["system"]), row["idea_id"])),
        "papers": paper_table,
        "scores": score_rows(mark_rng, planted, outlooks),
    }
    pairs = zip(placement.topic, placement.problem, placement.method, strict=True)
    taken = {(int(topic), int(problem), int(method)) for topic, problem, method in pairs}
    titles = {row["title"] for table in (paper_table, idea_table) for row in table}
    quality, judged = _judged(ligbench_rng, planted, outlooks, taken, titles)
    return _Grown(planted=planted, quality=quality, rows=rows | judged)


def _judged(
    rng: np.random.Generator,
    planted: Sequence[Direction],
    outlooks: Sequence[Outlook],
    taken: set[tuple[int, int, int]],
    titles: set[str],
) -> tuple[NDArray[np.float64], dict[str, list[dict[str, Any]]]]:
    """LigBench's tables, and the qualities that shaped them."""
    quality_rng, reference_rng, start_rng, comparison_rng = rng.spawn(4)
    quality = qualities(quality_rng, planted, outlooks)
    references = reference_rows(reference_rng, planted, taken, titles)
    rows = {
        "starts": start_rows(start_rng, planted, outlooks, quality),
        "comparisons": comparison_rows(comparison_rng, planted, quality, references),
        "references": [
            {name: cell for name, cell in row.items() if name != "_pair"} for row in references
        ],
    }
    return quality, rows


def write_study(
    folder: str | Path, *, seed: int = 0, papers: int = PAPERS, ideas: int = IDEAS
) -> Study:
    """Simulate a study and write it to a new folder; the same arguments give the same bytes."""
    folder = Path(folder)
    if (folder / CONFIG_FILE).exists():
        raise UsageError(f"{folder} already holds a study. Choose another folder.")
    made = simulate(seed, papers, ideas)
    study = replace(made, folder=folder)
    for name, suffix in SUFFIXES.items():
        study = study.write(name, getattr(study, name), suffix=suffix)
    return study.write_config(made.config)


def configuration(seed: int, papers: int, ideas: int) -> StudyConfig:
    """``study.toml`` of a simulated study."""
    usual = (papers, ideas, seed) == (PAPERS, IDEAS, 0)
    return StudyConfig(
        name=NAME if usual else f"Simulated (seed {seed}, {papers} papers)",
        cutoff=CUTOFF,
        horizon_months=HORIZON_MONTHS,
        encoder="minilm",
        description=DESCRIPTION,
        snapshot=SNAPSHOT,
        simulated=True,
        settings={"theta": THETA},
        knowledge_cutoff=dict.fromkeys(SYSTEMS, KNOWLEDGE_CUTOFF),
    )


def _admitted(name: str, records: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    frame, problems = admit(TABLES[name], pd.DataFrame(list(records), dtype=object), file=name)
    if problems:
        raise TableError(problems)
    return frame
