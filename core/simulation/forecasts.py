"""A seeded study of ranked forecasts over rolling episodes, for IdeaForecastBench.

Every topic has directions, pairs of a problem and a method, on which papers appear in bursts of
a few months. A forecast takes up a direction; whether papers on it appear within its target
window is planted from the seed, more often for ``summary`` than for ``direct``, while
``past-titles`` repeats titles of its history. ``direct`` leaves slots empty and often says
almost nothing of its method, as MDF's forecasts did. The papers that take up a forecast stand in
its ``extra`` as ``{"planted": [paper_id, …]}``, each row's pair under ``"direction"``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import StudyConfig, window_end
from core.errors import TableError, UsageError
from core.files import CONFIG_FILE
from core.schema import TABLES, admit
from core.simulation.ideas import Outlook, idea_rows
from core.simulation.marks import score_rows
from core.simulation.papers import CUTOFF, SNAPSHOT, Placement, paper_rows
from core.simulation.plan import GROUNDED, VAGUE, Direction
from core.simulation.texts import topics
from core.study import Study

Days = NDArray[np.int64]

NAME = "Demo forecasts (simulated)"
DESCRIPTION = (
    "A simulated study of ranked forecasts: its papers, forecasts and judges are invented. Three"
    " forecasters work on eight topics at six monthly cutoffs; which papers take up which"
    " forecast was planted from a seed."
)
TOPICS = 8
CUTOFFS = tuple(window_end(date(2024, 7, 1), month) for month in range(6))
HORIZON_MONTHS = 3
FIRST_DAY, LAST_DAY = date(2024, 1, 1), date(2025, 3, 31)
PAPERS_PER_TOPIC = 140
SLOTS = 5
THETA = 0.57
DEPTH = 20
KNOWLEDGE_CUTOFF = date(2024, 11, 30)
SUMMARY, DIRECT, PAST_TITLES = "summary", "direct", "past-titles"
SYSTEMS = (DIRECT, PAST_TITLES, SUMMARY)
SCORED_BY = "strict-judge"
SUFFIXES = {"ideas": ".jsonl", "papers": ".jsonl", "scores": ".csv", "verdicts": ".csv"}

_HOT, _HOT_SHARE = 14, 0.7
_BURST_DAYS = 36.0
_SECOND_TOPIC = 0.1
_FORESEEN = {SUMMARY: 0.36, DIRECT: 0.22}
_RANK_EFFECT = 0.07
_VAGUE = {SUMMARY: 0.12, DIRECT: 0.3}
_EMPTY_SLOT, _TERSE = 0.12, 0.4
_MISSING = {DIRECT: 2, SUMMARY: 1}
_PREFIX = {DIRECT: "di", PAST_TITLES: "pt", SUMMARY: "su"}


@dataclass(frozen=True, kw_only=True)
class _Paper:
    """A paper as forecasts see it: its direction, its day, its title."""

    paper_id: str
    pair: tuple[int, int]
    day: int
    title: str
    at_top: bool


@dataclass(frozen=True, kw_only=True)
class _Forecast:
    """What a forecast is made from: ``title`` is that of a past paper where it repeats one."""

    system: str
    topic: int
    cutoff: date
    rank: int
    pair: tuple[int, int]
    vague: bool
    title: str | None = None


def simulate_forecasts(seed: int = 0) -> Study:
    """A study of forecasts in memory, without candidates and verdicts; ``seed`` 0 or more."""
    if seed < 0:
        raise UsageError(f"--seed must be 0 or more, not {seed}.")
    place_rng, paper_rng, plan_rng, idea_rng, mark_rng = np.random.default_rng(seed).spawn(5)
    papers, by_topic = _papers(place_rng, paper_rng)
    plan = _plan(plan_rng, by_topic)
    ideas, directions, outlooks = _ideas(idea_rng, plan, by_topic)
    scores = [
        row
        for row in score_rows(mark_rng, directions, outlooks)
        if row["judge"] == SCORED_BY and row["repeat"] == 1
    ]
    rows = {"ideas": ideas, "papers": papers, "scores": scores}
    return Study(
        config=_configuration(seed), **{name: _admitted(name, rows[name]) for name in rows}
    )


def write_forecasts(folder: str | Path, *, seed: int = 0) -> Study:
    """Simulate a study of forecasts and write it; the same seed gives the same bytes."""
    folder = Path(folder)
    if (folder / CONFIG_FILE).exists():
        raise UsageError(f"{folder} already holds a study. Choose another folder.")
    made = simulate_forecasts(seed)
    study = Study(config=made.config, folder=folder)
    for name in ("ideas", "papers", "scores"):
        study = study.write(name, getattr(made, name), suffix=SUFFIXES[name])
    return study.write_config(made.config)


def _configuration(seed: int) -> StudyConfig:
    return StudyConfig(
        name=NAME if seed == 0 else f"Simulated forecasts (seed {seed})",
        cutoff=CUTOFFS[0],
        horizon_months=HORIZON_MONTHS,
        encoder="minilm",
        preset="ideaforecastbench",
        description=DESCRIPTION,
        snapshot=SNAPSHOT,
        simulated=True,
        settings={"theta": THETA, "depth": DEPTH},
        knowledge_cutoff={SUMMARY: KNOWLEDGE_CUTOFF, DIRECT: KNOWLEDGE_CUTOFF},
    )


def _papers(
    rng: np.random.Generator, text_rng: np.random.Generator
) -> tuple[list[dict[str, Any]], list[list[_Paper]]]:
    """The rows of ``papers``, and each topic's papers as forecasts see them."""
    span = (LAST_DAY - FIRST_DAY).days
    start = (FIRST_DAY - CUTOFF).days
    topic, problem, method, days, hot = (np.zeros(TOPICS * PAPERS_PER_TOPIC, int) for _ in range(5))
    for number in range(TOPICS):
        own = slice(number * PAPERS_PER_TOPIC, (number + 1) * PAPERS_PER_TOPIC)
        texts = topics()[number]
        in_burst = round(_HOT_SHARE * PAPERS_PER_TOPIC)
        problems = rng.permutation(len(texts.problems))[:_HOT]
        methods = rng.permutation(len(texts.methods))[:_HOT]
        middles = rng.permutation(np.linspace(20, span - 20, _HOT))
        burst = np.arange(in_burst) % _HOT
        rest = PAPERS_PER_TOPIC - in_burst
        topic[own] = number
        problem[own] = [*problems[burst], *rng.integers(len(texts.problems), size=rest)]
        method[own] = [*methods[burst], *rng.integers(len(texts.methods), size=rest)]
        in_time = middles[burst] + _BURST_DAYS * rng.standard_normal(in_burst)
        days[own] = np.rint(np.clip([*in_time, *(span * rng.random(rest))], 0, span))
        hot[own] = [1] * in_burst + [0] * rest
    placed = Placement(
        topic=topic,
        problem=problem,
        method=method,
        direction=np.arange(len(topic)),
        system=tuple(GROUNDED if h else None for h in hot),
    )
    rows = paper_rows(text_rng, placed, start + days)
    by_topic: list[list[_Paper]] = [[] for _ in range(TOPICS)]
    for row in rows:
        number, at_top = row.pop("_direction"), row.pop("_top")
        pair = int(problem[number]), int(method[number])
        row["extra"] = {"direction": _names(int(topic[number]), pair)}
        if rng.random() < _SECOND_TOPIC:
            other = (int(topic[number]) + int(rng.integers(1, TOPICS))) % TOPICS
            row["topics"] = [*row["topics"], topics()[other].topic]
        # What cannot be dated to the day takes no part in planting: its pool may be uncertain.
        if row["date_precision"] == "day":
            day = date.fromisoformat(row["published"]).toordinal()
            by_topic[topic[number]].append(
                _Paper(
                    paper_id=row["paper_id"],
                    pair=pair,
                    day=day,
                    title=row["title"],
                    at_top=at_top,
                )
            )
    return rows, by_topic


def _names(topic: int, pair: tuple[int, int]) -> list[str]:
    texts = topics()[topic]
    return [texts.problems[pair[0]].name, texts.methods[pair[1]].name]


def _plan(rng: np.random.Generator, by_topic: Sequence[Sequence[_Paper]]) -> list[_Forecast]:
    """Every forecast of every system, missing episodes and empty slots left out."""
    episodes = [(topic, cutoff) for topic in range(TOPICS) for cutoff in CUTOFFS]
    plan: list[_Forecast] = []
    for system in SYSTEMS:
        missing = set(rng.permutation(len(episodes))[: _MISSING.get(system, 0)].tolist())
        for number, (topic, cutoff) in enumerate(episodes):
            if system == PAST_TITLES:
                own = _past_titles(rng, topic, cutoff, by_topic[topic])
            else:
                own = _episode(rng, system, topic, cutoff, by_topic[topic])
            if number not in missing:
                plan += own
    return plan


def _episode(
    rng: np.random.Generator, system: str, topic: int, cutoff: date, papers: Sequence[_Paper]
) -> list[_Forecast]:
    end = window_end(cutoff, HORIZON_MONTHS).toordinal()
    ahead = {p.pair for p in papers if cutoff.toordinal() < p.day <= end}
    past = {p.pair for p in papers if p.day <= cutoff.toordinal()} - ahead
    to_come, gone = (_some_pairs(rng, pairs) for pairs in (ahead, past))
    slots = SLOTS - int(rng.binomial(SLOTS - 1, _EMPTY_SLOT)) if system == DIRECT else SLOTS
    own = []
    for rank in range(1, slots + 1):
        chance = _FORESEEN[system] + _RANK_EFFECT * (3 - rank)
        foreseen = rng.random() < chance
        own.append(
            _Forecast(
                system=system,
                topic=topic,
                cutoff=cutoff,
                rank=rank,
                pair=(to_come if foreseen else gone).pop(),
                vague=bool(rng.random() < _VAGUE[system]),
            )
        )
    return own


def _some_pairs(rng: np.random.Generator, pairs: set[tuple[int, int]]) -> list[tuple[int, int]]:
    ordered = sorted(pairs)
    return [ordered[int(place)] for place in rng.permutation(len(ordered))[:SLOTS]]


def _past_titles(
    rng: np.random.Generator, topic: int, cutoff: date, papers: Sequence[_Paper]
) -> list[_Forecast]:
    history = [paper for paper in papers if paper.day <= cutoff.toordinal()]
    chosen = rng.permutation(len(history))[:SLOTS].tolist()
    return [
        _Forecast(
            system=PAST_TITLES,
            topic=topic,
            cutoff=cutoff,
            rank=rank,
            pair=history[place].pair,
            vague=False,
            title=history[place].title,
        )
        for rank, place in enumerate(chosen, start=1)
    ]


def _ideas(
    rng: np.random.Generator, plan: Sequence[_Forecast], by_topic: Sequence[Sequence[_Paper]]
) -> tuple[list[dict[str, Any]], list[Direction], list[Outlook]]:
    """The rows of ``ideas``, and what the judge of whole ideas goes by."""
    directions: list[Direction] = []
    followed: dict[int, list[str]] = {}
    placed: dict[int, bool] = {}
    numbers = dict.fromkeys(SYSTEMS, 0)
    for number, forecast in enumerate(plan):
        end = window_end(forecast.cutoff, HORIZON_MONTHS).toordinal()
        met = [
            paper
            for paper in by_topic[forecast.topic]
            if paper.pair == forecast.pair and forecast.cutoff.toordinal() < paper.day <= end
        ]
        if met:
            followed[number] = [paper.paper_id for paper in met]
            placed[number] = any(paper.at_top for paper in met)
        numbers[forecast.system] += 1
        directions.append(
            Direction(
                idea_id=f"{_PREFIX[forecast.system]}-{numbers[forecast.system]:03d}",
                system=VAGUE if forecast.vague else GROUNDED,
                topic=forecast.topic,
                problem=forecast.pair[0],
                method=forecast.pair[1],
                papers=len(met),
            )
        )
    text_rng, short_rng = rng.spawn(2)
    rows, outlooks = idea_rows(text_rng, directions, followed, placed)
    for row, forecast in zip(rows, plan, strict=True):
        row["system"], row["rank"] = forecast.system, forecast.rank
        row["cutoff"] = forecast.cutoff.isoformat()
        row["extra"] |= {
            "direction": _names(forecast.topic, forecast.pair),
            "vague": forecast.vague,
        }
        if forecast.title is not None:
            row |= {
                "title": forecast.title,
                "problem": None,
                "rationale": "A title of the past, repeated as a forecast.",
                "method": None,
                "key_terms": [],
            }
        elif forecast.system == DIRECT and short_rng.random() < _TERSE:
            row |= {"method": " ".join(row["method"].split()[:4]), "key_terms": []}
    return rows, directions, outlooks


def _admitted(name: str, records: Sequence[dict[str, Any]]) -> pd.DataFrame:
    frame, problems = admit(TABLES[name], pd.DataFrame(list(records), dtype=object), file=name)
    if problems:
        raise TableError(problems)
    return frame
