"""HindSight a second time: slow, one idea and one paper after the other, from the definitions.

Shares no code with the engine: dates by the calendar, lists and loops, scipy and statsmodels for
tests. Venues count by the plain set ``TOP``.
"""

from __future__ import annotations

import calendar
import math
from datetime import date
from functools import lru_cache
from itertools import combinations
from statistics import mean, median
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu, rankdata, spearmanr

from core.config import Settings
from core.study import Study

TOP = {"ICLR 2024", "NeurIPS 2023", "ACL 2025"}
DIMENSIONS = ("novelty", "feasibility", "impact", "overall")


@lru_cache(maxsize=64)
def records(study: Study, name: str) -> list[dict[str, Any]]:
    return getattr(study, name).to_dict("records")


def last_day(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])


def window_end(cutoff: date, months: int) -> date:
    year, month = cutoff.year, cutoff.month
    for _ in range(months):
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
    return last_day(year, month)


def day(value: Any) -> date | None:
    return None if pd.isna(value) else pd.Timestamp(value).date()


def possible_days(paper: dict[str, Any]) -> tuple[date, date] | None:
    first = day(paper["published"])
    if first is None:
        return None
    if paper["date_precision"] == "month":
        return date(first.year, first.month, 1), last_day(first.year, first.month)
    if paper["date_precision"] == "year":
        return date(first.year, 1, 1), date(first.year, 12, 31)
    return first, first


def in_pool(study: Study, settings: Settings, idea: dict[str, Any], paper: dict[str, Any]) -> bool:
    days = possible_days(paper)
    if days is None:
        return False
    cutoff = day(idea["cutoff"]) or study.config.cutoff
    end = window_end(cutoff, study.config.horizon_months)
    inside = [cutoff < one <= end for one in days]
    touches = days[1] > cutoff and days[0] <= end
    if settings.ambiguous_dates == "exclude" and not all(inside):
        return False
    if settings.ambiguous_dates == "include" and not touches:
        return False
    return settings.pool == "all" or idea["topic"] in paper["topics"]


def takes_part(settings: Settings, paper: dict[str, Any]) -> bool:
    if settings.unknown_citations == "exclude" and pd.isna(paper["citations"]):
        return False
    return not (settings.title_only == "exclude" and pd.isna(paper["abstract"]))


def whole_months(start: date, end: date) -> int:
    months = (end.year - start.year) * 12 + end.month - start.month
    return months - (1 if start.day > end.day else 0)


def min_max(values: dict[str, float]) -> dict[str, float]:
    low, high = min(values.values()), max(values.values())
    return {p: (v - low) / (high - low) if high > low else 0.0 for p, v in values.items()}


def percentile(values: dict[str, float]) -> dict[str, float]:
    if len(set(values.values())) == 1:
        return dict.fromkeys(values, 0.0)
    ranks = rankdata(list(values.values()))
    return {p: (r - 1) / (len(values) - 1) for p, r in zip(values, ranks, strict=True)}


def normalized(study: Study, settings: Settings, pool: list[dict[str, Any]]) -> dict[str, float]:
    counts = {
        p["paper_id"]: 0.0 if pd.isna(p["citations"]) else float(p["citations"]) for p in pool
    }
    if not counts:
        return {}
    published = {p["paper_id"]: day(p["published"]) for p in pool}
    kind = settings.normalizer
    if kind == "minmax":
        return min_max(counts)
    if kind == "log":
        return min_max({p: math.log(1 + c) for p, c in counts.items()})
    if kind == "winsor":
        top = float(np.quantile(list(counts.values()), 0.99))
        return min_max({p: min(c, top) for p, c in counts.items()})
    if kind == "percentile":
        return percentile(counts)
    if kind == "rate":
        snapshot = study.config.snapshot or max(published.values())
        return min_max(
            {p: c / max(1, whole_months(published[p], snapshot)) for p, c in counts.items()}
        )
    found: dict[str, float] = {}
    for month in {(d.year, d.month) for d in published.values()}:
        own = {p: c for p, c in counts.items() if (published[p].year, published[p].month) == month}
        found |= percentile(own)
    return found


def idea_rows(study: Study, settings: Settings) -> dict[str, dict[str, Any]]:
    """Every idea's score, number of matches and best paper."""
    papers = {p["paper_id"]: p for p in records(study, "papers")}
    ideas = records(study, "ideas")
    pool = [
        p
        for p in papers.values()
        if takes_part(settings, p) and any(in_pool(study, settings, i, p) for i in ideas)
    ]
    cited = normalized(study, settings, pool)
    citation = {p: settings.citation_weight * c for p, c in cited.items()}
    venue = {p: settings.venue_weight * (papers[p]["venue"] in TOP) for p in cited}
    rows = {}
    for idea in ideas:
        stored = [
            (-c["similarity"], c["paper_id"])
            for c in records(study, "candidates")
            if c["idea_id"] == idea["idea_id"]
        ]
        knows = study.config.knowledge_cutoff.get(idea["system"])
        admitted = [
            (similarity, p)
            for similarity, p in sorted(stored)
            if p in papers
            and takes_part(settings, papers[p])
            and in_pool(study, settings, idea, papers[p])
            and not (
                settings.leakage == "exclude" and knows and day(papers[p]["published"]) <= knows
            )
        ]
        matches = [p for s, p in admitted[: settings.k] if -s >= settings.theta]
        worth = [citation[p] + venue[p] for p in matches]
        score, best = 0.0, None
        if matches:
            score = {
                "max": max(worth),
                "mean": sum(worth) / len(worth),
                "sum": sum(worth),
                "top1": worth[0],
            }[settings.aggregate]
            best = matches[0 if settings.aggregate == "top1" else worth.index(max(worth))]
        rows[idea["idea_id"]] = {
            "system": idea["system"],
            "score": score,
            "n_matches": len(matches),
            "best_paper_id": best,
            "short_of_k": len(admitted) < settings.k,
            **{f"judge_{d}": judge_value(study, settings, idea["idea_id"], d) for d in DIMENSIONS},
        }
    return rows


def judge_value(
    study: Study, settings: Settings, idea: str, dimension: str, judge: str | None = None
) -> float | None:
    """Mean over ok repeats for each judge, then over judges."""
    judge = judge or settings.judge
    by_judge: dict[str, list[float]] = {}
    for row in records(study, "scores"):
        if row["idea_id"] == idea and row["state"] == "ok" and not pd.isna(row[dimension]):
            by_judge.setdefault(row["judge"], []).append(row[dimension])
    means = [mean(v) for name, v in by_judge.items() if judge in ("all", name)]
    return mean(means) if means else None


def systems(rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, float]]:
    found = {}
    for system in sorted({r["system"] for r in rows.values()}):
        own = [r for r in rows.values() if r["system"] == system]
        found[system] = {
            "n": len(own),
            "mean": mean(r["score"] for r in own),
            "median": median(r["score"] for r in own),
            "match_rate": mean(r["n_matches"] > 0 for r in own),
            "mean_matches": mean(r["n_matches"] for r in own),
        }
    return found


def comparisons(rows: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    names = sorted({r["system"] for r in rows.values()})
    found = []
    for a, b in combinations(names, 2):
        for metric in ("score", *(f"judge_{d}" for d in DIMENSIONS)):
            x, y = (
                [r[metric] for r in rows.values() if r["system"] == s and r[metric] is not None]
                for s in (a, b)
            )
            row: dict[str, Any] = {"a": a, "b": b, "metric": metric, "p": None}
            if x and y:
                test = mannwhitneyu(x, y, method="asymptotic")
                row |= {
                    "u": test.statistic,
                    "p": test.pvalue,
                    "difference": mean(x) - mean(y),
                    "ratio": mean(x) / mean(y) if mean(y) else None,
                    "rank_biserial": 2 * test.statistic / (len(x) * len(y)) - 1,
                }
            found.append(row)
    return with_holm(found)


def correlations(
    study: Study, settings: Settings, rows: dict[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    judges = [settings.judge]
    each = sorted(set(study.scores["judge"]))
    if settings.judge == "all" and len(each) > 1:
        judges += each
    found = []
    for system in sorted({r["system"] for r in rows.values()}):
        for judge in judges:
            for dimension in DIMENSIONS:
                pairs = [
                    (r["score"], judge_value(study, settings, i, dimension, judge))
                    for i, r in rows.items()
                    if r["system"] == system
                ]
                x, y = np.array([p for p in pairs if p[1] is not None]).reshape(-1, 2).T
                row = {"system": system, "judge": judge, "dimension": dimension, "n": len(x)}
                row |= {"rho": None, "p": None}
                if len(x) >= 3 and np.ptp(x) > 0 and np.ptp(y) > 0:
                    test = spearmanr(x, y)
                    row |= {"rho": test.statistic, "p": test.pvalue}
                found.append(row)
    return with_holm(found)


def with_holm(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Step down: the i-th smallest p times what is left of the family, never falling."""
    known = sorted((r for r in rows if r["p"] is not None), key=lambda r: r["p"])
    for row in rows:
        row["p_adjusted"] = None
    reached = 0.0
    for place, row in enumerate(known):
        reached = max(reached, min(1.0, row["p"] * (len(known) - place)))
        row["p_adjusted"] = reached
    return rows


def quadrant_counts(settings: Settings, rows: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Each idea's quadrant."""
    both = {i: r for i, r in rows.items() if r["judge_overall"] is not None}
    labels = dict.fromkeys(rows, "unscored")
    for idea, row in both.items():
        peers = [
            r
            for r in both.values()
            if settings.quadrant_rule != "system_median" or r["system"] == row["system"]
        ]
        cuts = []
        for axis in ("score", "judge_overall"):
            values = [r[axis] for r in peers]
            if settings.quadrant_rule == "tertile":
                cuts.append(float(np.quantile(values, 2 / 3)))
            elif settings.quadrant_rule == "fixed":
                cuts.append(settings.hindsight_cut if axis == "score" else settings.judge_cut)
            elif settings.quadrant_rule == "nonzero_median" and axis == "score":
                above = [v for v in values if v > 0]
                cuts.append(median(above) if above else None)
            else:
                cuts.append(median(values))
        if None in cuts:
            continue
        high = [
            v >= c if settings.inclusive else v > c
            for v, c in zip((row["score"], row["judge_overall"]), cuts, strict=True)
        ]
        labels[idea] = {
            (True, True): "true_positive",
            (True, False): "hidden_gem",
            (False, True): "overhyped",
            (False, False): "true_negative",
        }[high[0], high[1]]
    return labels
