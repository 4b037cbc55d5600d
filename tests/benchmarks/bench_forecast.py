"""IdeaForecastBench at its published size: all metrics with 10,000 draws, and a change of gate.

``python tests/benchmarks/bench_forecast.py``: 624 episodes × 21 systems × 5 forecasts × 10
candidates × 2 judges. The plain twin (tests/forecast/forecast_twin.py) is run on a few episodes
and draws in the same process, and its time carried over to the whole.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path[:0] = [str(Path(__file__).resolve().parents[2])]
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "forecast")]

from forecast_twin import slow_score  # noqa: E402

from core.config import Settings, StudyConfig, window_end  # noqa: E402
from core.forecast.ledger import ledger  # noqa: E402
from core.forecast.score import score_forecasts  # noqa: E402
from core.schema import CANDIDATES, TABLES, Table  # noqa: E402
from core.study import CandidatesInfo, Study  # noqa: E402

TOPICS, CUTOFFS, SYSTEMS, SLOTS, DEPTH, POOL = 52, 12, 21, 5, 10, 60
JUDGES = ("first", "second")
SMALL_TOPICS, SMALL_CUTOFFS, SMALL_SYSTEMS, SMALL_DRAWS = 3, 2, 3, 100


def framed(table: Table, columns: dict[str, Any]) -> pd.DataFrame:
    """Columns of the right kinds as the table's frame, without a walk over the cells."""
    empty = table.empty()
    rows = len(next(iter(columns.values())))
    blank: dict[str, Any] = {"texts": (), "record": {}}
    whole = {}
    for column in table.columns:
        if column.name in columns:
            whole[column.name] = columns[column.name]
        elif column.kind in blank:
            whole[column.name] = [blank[column.kind]] * rows
        else:
            whole[column.name] = pd.Series([None] * rows)
    return pd.DataFrame(whole).astype(empty.dtypes.to_dict())


def made(topics: int, cutoffs: int, systems: int) -> Study:
    """A study of that many episodes with random grades."""
    random = np.random.default_rng(3)
    days = [window_end(pd.Timestamp("2024-07-01").date(), month) for month in range(cutoffs)]
    papers = {"paper_id": [], "title": [], "published": [], "date_precision": [], "topics": []}
    ideas = {name: [] for name in ("idea_id", "system", "topic", "cutoff", "rank", "title")}
    pairs = {name: [] for name in ("idea_id", "paper_id", "similarity", "rank")}
    for topic in range(topics):
        for place, day in enumerate(days):
            own = [f"p{topic:02d}.{place:02d}.{n:03d}" for n in range(POOL)]
            papers["paper_id"] += own
            papers["title"] += own
            papers["published"] += [pd.Timestamp(day) + pd.Timedelta(days=1)] * POOL
            papers["date_precision"] += ["day"] * POOL
            papers["topics"] += [(f"topic {topic:02d}",)] * POOL
            for system in range(systems):
                for rank in range(1, SLOTS + 1):
                    name = f"s{system:02d}.{topic:02d}.{place:02d}.{rank}"
                    row = (
                        name,
                        f"s{system:02d}",
                        f"topic {topic:02d}",
                        pd.Timestamp(day),
                        rank,
                        name,
                    )
                    for key, value in zip(ideas, row, strict=True):
                        ideas[key].append(value)
                    chosen = random.choice(POOL, DEPTH, replace=False)
                    pairs["idea_id"] += [name] * DEPTH
                    pairs["paper_id"] += [own[n] for n in chosen]
                    pairs["similarity"] += np.linspace(0.9, 0.5, DEPTH).tolist()
                    pairs["rank"] += list(range(1, DEPTH + 1))
    judged: dict[str, Any] = {
        "idea_id": pairs["idea_id"] * len(JUDGES),
        "paper_id": pairs["paper_id"] * len(JUDGES),
        "judge": [judge for judge in JUDGES for _ in pairs["idea_id"]],
    }
    count = len(judged["judge"])
    for name in ("problem", "method", "specificity"):
        judged[name] = random.choice(4, count, p=[0.3, 0.3, 0.25, 0.15])
    judged["state"] = random.choice(["ok", "call_failed"], count, p=[0.9999, 0.0001])
    return Study(
        config=StudyConfig(name="bench", cutoff=days[0], horizon_months=3),
        ideas=framed(TABLES["ideas"], ideas),
        papers=framed(TABLES["papers"], papers),
        verdicts=framed(TABLES["verdicts"], judged),
        candidates=framed(CANDIDATES, pairs),
        candidates_info=CandidatesInfo(
            encoder="none",
            revision="",
            encoder_digest="0",
            depth=DEPTH,
            pool="topic",
            inputs="",
            digest="bench",
        ),
    )


def seconds(function: Any, *arguments: Any) -> float:
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def main() -> None:
    study = made(TOPICS, CUTOFFS, SYSTEMS)
    settings = Settings(pool="topic", draws=10_000)
    print(f"{len(study.ideas):,} forecasts, {len(study.verdicts):,} verdicts")
    laying = seconds(ledger, study, settings)
    first = seconds(score_forecasts, study, settings)
    moved = seconds(score_forecasts, study, settings.model_copy(update={"gate_s": 3}))
    print(f"laying the ledger out {laying:.2f} s, once for a study")
    print(f"all metrics, 10,000 draws {first:.2f} s; after a change of gate {moved:.2f} s")

    small = made(SMALL_TOPICS, SMALL_CUTOFFS, SMALL_SYSTEMS)
    few = settings.model_copy(update={"draws": SMALL_DRAWS})
    metrics = seconds(slow_score, small, few.model_copy(update={"draws": 0}))
    both = seconds(slow_score, small, few)
    units = TOPICS * CUTOFFS * SYSTEMS / (SMALL_TOPICS * SMALL_CUTOFFS * SMALL_SYSTEMS)
    # Metrics grow with episodes and systems; a draw's work with systems (and their pairs) times
    # episodes.
    rows = SYSTEMS + SYSTEMS * (SYSTEMS - 1) / 2
    small_rows = SMALL_SYSTEMS + SMALL_SYSTEMS * (SMALL_SYSTEMS - 1) / 2
    per_draw = rows * TOPICS * CUTOFFS / (small_rows * SMALL_TOPICS * SMALL_CUTOFFS)
    whole = metrics * units + (both - metrics) / SMALL_DRAWS * 10_000 * per_draw
    print(f"plain twin, carried over: {whole:,.0f} s")
    print(f"ratio to the plain twin: {whole / (laying + first):,.0f} times as fast")
    again = seconds(score_forecasts, replace(study), settings)
    print(f"from a fresh study {again:.2f} s")


if __name__ == "__main__":
    main()
