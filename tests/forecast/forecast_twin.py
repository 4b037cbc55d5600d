"""The whole chain of metrics again, slowly, with loops over rows and no array of ours.

Reads the tables, finds each episode's pool, forecasts and candidates, applies the gate, gives
credit one forecast at a time and averages; intervals copy topics draw by draw.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from core.config import Settings, window_end
from core.study import Study

METRICS = ("hit", "precision", "mrr", "soft")


def slow_score(study: Study, settings: Settings) -> dict[str, Any]:
    """``episodes`` {(system, judge, topic, cutoff): values}, ``systems``, ``pairs``."""
    papers = {row["paper_id"]: row for row in study.papers.to_dict("records")}
    assert study.candidates is not None
    met: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for row in study.candidates.to_dict("records"):
        met[row["idea_id"]].append((int(row["rank"]), row["paper_id"]))
    verdicts = {
        (row["idea_id"], row["paper_id"], row["judge"]): row
        for row in study.verdicts.to_dict("records")
    }
    judges = sorted({row["judge"] for row in verdicts.values()})
    episodes: dict[tuple[str, str, Any], list[dict[str, Any]]] = defaultdict(list)
    for row in study.ideas.to_dict("records"):
        if not pd.isna(row["rank"]):
            cutoff = study.config.cutoff if pd.isna(row["cutoff"]) else row["cutoff"].date()
            topic = "" if pd.isna(row["topic"]) else row["topic"]
            episodes[row["system"], topic, cutoff].append(row)
    found = {}
    for (system, topic, cutoff), forecasts in episodes.items():
        end = window_end(cutoff, study.config.horizon_months)
        forecasts.sort(key=lambda row: row["rank"])
        shown = forecasts[: settings.slots]
        near = []
        for row in shown:
            own = []
            for _, paper_id in sorted(met[row["idea_id"]]):
                paper = papers[paper_id]
                day = paper["published"].date()
                on_topic = settings.pool == "all" or topic in paper["topics"]
                if cutoff < day <= end and on_topic:
                    own.append(paper_id)
            near.append(own[: settings.r])
        for judge in judges:
            found[system, judge, topic, cutoff] = _episode(
                [row["idea_id"] for row in shown], near, judge, verdicts, settings
            )
    return {"episodes": found, **_summaries(found, settings)}


def _episode(
    ideas: list[str],
    near: list[list[str]],
    judge: str,
    verdicts: dict[tuple[str, str, str], dict[str, Any]],
    settings: Settings,
) -> dict[str, float]:
    values: dict[str, float] = {"fill_rate": len(ideas) / settings.slots, "failed": 0}
    for case in ("worst_case", "best_case"):
        taken: set[str] = set()
        ranks, softs = [], []
        for rank, (idea, candidates) in enumerate(zip(ideas, near, strict=True), start=1):
            for paper in candidates:
                row = verdicts.get((idea, paper, judge))
                ok = row is not None and row["state"] == "ok"
                if not ok:
                    values["failed"] += case == "worst_case"
                    through, grade = case == "best_case", 9
                else:
                    assert row is not None
                    p, m, s = (int(row[n]) for n in ("problem", "method", "specificity"))
                    through = p + m >= settings.gate_pm and s >= settings.gate_s
                    grade = p + m + s
                if through and paper not in taken and rank not in ranks:
                    taken.add(paper)
                    ranks.append(rank)
                    softs.append(grade / 9)
        values[f"hit_{case}"] = float(bool(ranks))
        values[f"precision_{case}"] = len(ranks) / settings.slots
        values[f"mrr_{case}"] = 1 / ranks[0] if ranks else 0.0
        values[f"soft_{case}"] = sum(softs) / len(softs) if softs else 0.0
    for metric in METRICS:
        values[metric] = values[f"{metric}_worst_case"] if not values["failed"] else float("nan")
    return values


def _summaries(
    found: dict[tuple[str, str, str, Any], dict[str, float]], settings: Settings
) -> dict[str, Any]:
    systems = sorted({(system, judge) for system, judge, _, _ in found})
    units = sorted({(topic, cutoff) for _, _, topic, cutoff in found})
    topics = sorted({topic for topic, _ in units})
    # The same draws as ours: that a bootstrap resamples topics is what the twin checks.
    drawn = np.random.default_rng(settings.seed).multinomial(
        len(topics), np.full(len(topics), 1 / len(topics)), size=settings.draws
    )
    names = [*METRICS, *(f"{m}_{c}" for m in METRICS for c in ("worst_case", "best_case"))]

    def values_of(system: str, judge: str, name: str) -> dict[tuple[str, Any], float]:
        own = {}
        for topic, cutoff in units:
            row = found.get((system, judge, topic, cutoff))
            if row is not None and not np.isnan(row[name]):
                own[topic, cutoff] = row[name]
        return own

    def interval(own: dict[tuple[str, Any], float]) -> tuple[float | None, float | None]:
        means = []
        for counts in drawn:
            sample = []
            for topic, count in zip(topics, counts, strict=True):
                sample += [v for (t, _), v in own.items() if t == topic] * int(count)
            means.append(np.mean(sample) if sample else np.nan)
        if not means or np.isnan(means).mean() > 0.05:
            return None, None
        known = [mean for mean in means if not np.isnan(mean)]
        return float(np.quantile(known, 0.025)), float(np.quantile(known, 0.975))

    rows = {}
    for system, judge in systems:
        row: dict[str, Any] = {}
        for name in names:
            own = values_of(system, judge, name)
            row[name] = sum(own.values()) / len(own) if own else None
            if name in METRICS:
                row["episodes"] = len(own)
                row[f"{name}_low"], row[f"{name}_high"] = interval(own)
        rows[system, judge] = row
    pairs = {}
    for judge in sorted({judge for _, judge in systems}):
        for a, b in combinations(sorted(s for s, j in systems if j == judge), 2):
            for metric in METRICS:
                first, second = values_of(a, judge, metric), values_of(b, judge, metric)
                gap = {unit: first[unit] - second[unit] for unit in first if unit in second}
                mean = sum(gap.values()) / len(gap) if gap else None
                pairs[a, b, judge, metric] = (len(gap), mean, *interval(gap))
    return {"systems": rows, "pairs": pairs}
