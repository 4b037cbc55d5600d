"""A seeded study whose truth is planted: the bundled demo, an oracle for tests, load at will.

Texts, dates, citations, venues and marks all follow from the seed; no encoder is looked at. What
is planted: a retrieval-augmented system whose ideas name problem–method pairs that later papers
take up, a vanilla system that is vaguer and met by fewer papers, and judges who like flowery
language, which ideas that came true use less (HindSight, §4 and §6). Later papers of an idea
stand in its ``extra`` as ``{"planted": [paper_id, …]}``. Papers and citations are invented.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from core.config import StudyConfig
from core.errors import TableError, UsageError
from core.schema import TABLES, admit
from core.simulation.ideas import idea_rows
from core.simulation.marks import score_rows
from core.simulation.papers import CUTOFF, SNAPSHOT, paper_rows, place
from core.simulation.plan import SYSTEMS, directions
from core.study import CONFIG_FILE, Study

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
SUFFIXES = {"ideas": ".jsonl", "papers": ".jsonl", "scores": ".csv"}


def simulate(seed: int = 0, papers: int = PAPERS, ideas: int = IDEAS) -> Study:
    """A study in memory with ``papers`` papers and ``ideas`` ideas of each of two systems.

    The same arguments give the same study. Raises :class:`UsageError` where so many papers or
    ideas are asked for that texts would repeat, or where ``seed`` is negative.
    """
    if seed < 0:
        raise UsageError(f"--seed must be 0 or more, not {seed}.")
    plan_rng, paper_rng, idea_rng, mark_rng = np.random.default_rng(seed).spawn(4)
    planted = directions(plan_rng, papers=papers, ideas=ideas)
    paper_table = paper_rows(paper_rng, place(paper_rng, planted, papers))
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
    return Study(
        config=configuration(seed, papers, ideas),
        **{name: _admitted(name, records) for name, records in rows.items()},
    )


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
