"""The exact sweep with 1,000 draws, and one move of θ, against a plain implementation.

    python tests/benchmarks/bench_sweep.py

The plain one scores with pandas at each threshold, draws topics by joining their ideas, and
tests with scipy. It is timed at a sample of thresholds and scaled to all of them.
"""

from __future__ import annotations

import time
from datetime import date

import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu

from core.config import JUDGE_DIMENSIONS, Settings, StudyConfig
from core.hindsight.impact import impacts
from core.schema import CANDIDATES, TABLES, admit
from core.study import CandidatesInfo, Study

IDEAS, DEPTH, PAPERS, TOPICS, SAMPLE = 200, 100, 5000, 10, 3


def made(seed: int = 0) -> Study:
    """200 ideas of two systems, 100 candidates each."""
    draw = np.random.default_rng(seed)
    ideas = pd.DataFrame(
        {
            "idea_id": [f"i{n}" for n in range(IDEAS)],
            "system": ["RA" if n % 2 else "BL" for n in range(IDEAS)],
            "topic": [f"t{n // 2 % TOPICS}" for n in range(IDEAS)],
        }
    )
    papers = pd.DataFrame(
        {
            "paper_id": [f"p{n}" for n in range(PAPERS)],
            "title": "title",
            "abstract": "text",
            "published": [
                str(date.fromordinal(date(2023, 7, 1).toordinal() + int(n)))
                for n in draw.integers(0, 900, PAPERS)
            ],
            "citations": np.floor(draw.pareto(1.2, PAPERS) * 3),
            "venue": draw.choice(["ICLR 2024", "arXiv", "ACL 2024", "Workshop"], PAPERS),
        }
    )
    candidates = []
    for n in range(IDEAS):
        similarity = np.sort(draw.beta(6, 5, DEPTH) + 0.03 * (n % 2))[::-1].clip(0, 1)
        rows = zip(draw.choice(PAPERS, DEPTH, replace=False), similarity, strict=True)
        candidates += [
            {"idea_id": f"i{n}", "paper_id": f"p{p}", "similarity": float(s), "rank": r + 1}
            for r, (p, s) in enumerate(rows)
        ]
    scores = [
        {"idea_id": f"i{n}", "judge": f"j{j}", "repeat": r}
        | {name: int(draw.integers(1, 11)) for name in JUDGE_DIMENSIONS}
        for n in range(IDEAS)
        for j in range(2)
        for r in (1, 2, 3)
    ]
    frames = {
        "ideas": admit(TABLES["ideas"], ideas, file="ideas")[0],
        "papers": admit(TABLES["papers"], papers, file="papers")[0],
        "scores": admit(TABLES["scores"], pd.DataFrame(scores), file="scores")[0],
        "candidates": admit(CANDIDATES, pd.DataFrame(candidates), file="candidates")[0],
    }
    info = CandidatesInfo(
        encoder="x", revision="", encoder_digest="", depth=DEPTH, pool="all", inputs="", digest="x"
    )
    config = StudyConfig(name="bench", cutoff=date(2023, 6, 30), horizon_months=30)
    return Study(config=config, candidates_info=info, **frames)


def plain(study: Study, settings: Settings, theta: float) -> tuple[float, float, float, float]:
    """Ratio of means, its interval and p at one threshold, the plain way."""
    worth = impacts(study, settings).frame[["paper_id", "impact"]]
    rows = study.candidates.merge(worth, on="paper_id")  # type: ignore[union-attr]
    rows = rows.sort_values(["idea_id", "similarity", "paper_id"], ascending=[True, False, True])
    rows = rows.groupby("idea_id").head(settings.k)
    best = rows[rows["similarity"] >= theta].groupby("idea_id")["impact"].max()
    ideas = study.ideas[["idea_id", "system", "topic"]].copy()
    ideas["score"] = ideas["idea_id"].map(best).fillna(0.0)
    a, b = (ideas.loc[ideas["system"] == name, "score"] for name in ("BL", "RA"))
    groups = dict(list(ideas.groupby("topic")))
    draw, names, ratios = np.random.default_rng(settings.seed), sorted(groups), []
    for _ in range(settings.draws):
        taken = pd.concat([groups[name] for name in draw.choice(names, len(names))])
        means = taken.groupby("system")["score"].mean()
        ratios.append(means["BL"] / means["RA"] if means["RA"] else np.nan)
    low, high = np.nanquantile(ratios, [0.025, 0.975])
    p = mannwhitneyu(a, b, method="asymptotic").pvalue
    return float(a.mean() / b.mean()), float(low), float(high), float(p)


def main() -> None:
    study, settings = made(), Settings(theta=0.6, draws=1000)
    started = time.perf_counter()
    study.score(settings)
    first = time.perf_counter() - started
    moves = []
    for theta in np.linspace(0.5, 0.7, 20):
        started = time.perf_counter()
        study.score(settings.model_copy(update={"theta": float(theta)}))
        moves.append(time.perf_counter() - started)
    started = time.perf_counter()
    found = study.sweep(settings)
    ours = time.perf_counter() - started
    places = np.linspace(0, len(found.thetas) - 1, SAMPLE + 2).astype(int)[1:-1]
    started = time.perf_counter()
    for place in places:
        ratio, low, high, p = plain(study, settings, found.thetas[place])
        row = found.ratios.iloc[place]
        assert np.isclose(ratio, row["ratio"])
        assert np.isclose(p, row["p"])
        print(f"  θ {row['theta']:.3f}: {low:.3f}–{high:.3f} / {row['low']:.3f}–{row['high']:.3f}")
    theirs = (time.perf_counter() - started) / SAMPLE * len(found.thetas)
    print(f"score, first: {first * 1e3:.0f} ms; a move of θ: {np.median(moves) * 1e3:.0f} ms")
    print(f"sweep, {len(found.thetas)} thresholds × {settings.draws} draws: {ours:.2f} s")
    print(f"plain, from {SAMPLE} thresholds: {theirs:.0f} s; ratio {theirs / ours:.0f}")


if __name__ == "__main__":
    main()
