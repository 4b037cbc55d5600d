"""The search at the size of HindSight's study, against FAISS bare and sentence-transformers.

    python tests/benchmarks/bench_search.py

200 ideas × 27,589 papers × 768 dimensions, depth 100. Ours goes from raw vectors to the finished
candidates table (copy, normalise, pools, exact ties, ids). Each is timed five times, in turn; the
ratio is of the medians.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from datetime import date

import faiss
import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from sentence_transformers.util import semantic_search

from core.config import StudyConfig
from core.matching.candidates import candidates_frame
from core.matching.index import search, search_numpy
from core.matching.pools import pools
from core.schema import IDEAS as IDEAS_TABLE
from core.schema import PAPERS as PAPERS_TABLE
from core.schema import admit
from core.study import Study

IDEAS, PAPERS, DIMENSIONS, DEPTH, ROUNDS = 200, 27_589, 768, 100, 5


def vectors(seed: int, n: int, common: float) -> NDArray[np.float32]:
    """Vectors around a common direction, as encoders give them, in ten topics."""
    random = np.random.default_rng(seed)
    base = np.random.default_rng(0).normal(size=DIMENSIONS)
    topics = np.random.default_rng(1).normal(size=(10, DIMENSIONS))
    noise = random.normal(size=(n, DIMENSIONS))
    return (common * base + topics[random.integers(10, size=n)] + noise).astype(np.float32)


def made_study() -> Study:
    """Ideas without text and papers spread over the window's 30 months."""
    days = np.datetime64("2023-07-01") + np.random.default_rng(2).integers(0, 900, PAPERS)
    ideas = pd.DataFrame({"idea_id": [f"i{n:03d}" for n in range(IDEAS)], "system": "s"})
    papers = pd.DataFrame({"paper_id": [f"p{n:05d}" for n in range(PAPERS)], "title": "t"})
    return Study(
        config=StudyConfig(name="bench", cutoff=date(2023, 6, 30), horizon_months=30),
        ideas=admit(IDEAS_TABLE, ideas, file="ideas")[0],
        papers=admit(PAPERS_TABLE, papers.assign(published=days.astype(str)), file="papers")[0],
    )


def main() -> None:
    torch.set_num_threads(2)
    faiss.omp_set_num_threads(2)
    made = made_study()
    ideas, papers = vectors(3, IDEAS, 2.0), vectors(4, PAPERS, 2.0)
    ids = made.papers["paper_id"].tolist()

    def ours() -> pd.DataFrame:
        windows = pools(made.ideas, made.papers, made.config, "all")
        return candidates_frame(made, search(ideas, papers, windows, ids, depth=DEPTH))

    def twin() -> pd.DataFrame:
        windows = pools(made.ideas, made.papers, made.config, "all")
        return candidates_frame(made, search_numpy(ideas, papers, windows, ids, depth=DEPTH))

    def bare() -> object:
        q, x = ideas.copy(), papers.copy()
        faiss.normalize_L2(q)
        faiss.normalize_L2(x)
        index = faiss.IndexFlatIP(DIMENSIONS)
        index.add(x)
        return index.search(q, DEPTH)

    def semantic() -> object:
        q, x = torch.from_numpy(ideas), torch.from_numpy(papers)
        return semantic_search(q, x, top_k=DEPTH)

    timed = in_turn(
        {
            "Foreseen": ours,
            "FAISS, called bare": bare,
            "sentence_transformers.util.semantic_search": semantic,
            "NumPy twin": twin,
        }
    )
    own = timed["Foreseen"]
    print(f"{IDEAS} ideas × {PAPERS:,} papers × {DIMENSIONS}, depth {DEPTH}, medians of {ROUNDS}")
    print(f"{'Foreseen':<44} {own:7.3f} s")
    for name, seconds in list(timed.items())[1:]:
        print(f"{name:<44} {seconds:7.3f} s   Foreseen takes {own / seconds:.2f} times this")
    print("The table equals the NumPy twin's:", ours().equals(twin()))


def in_turn(runs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Median seconds of each, run in turn so that a busy machine touches all alike."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()
    for _ in range(ROUNDS):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}


if __name__ == "__main__":
    main()
