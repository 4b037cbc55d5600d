"""The specification curve against ``score()`` for each specification.

    python tests/benchmarks/bench_specifications.py

``score()`` is timed on a sample of rows and scaled to all; each is checked against the curve.
"""

from __future__ import annotations

import time

import numpy as np
from bench_sweep import made

from core.config import Settings

SAMPLE = 40


def main() -> None:
    study, settings = made(), Settings(theta=0.6, draws=1000)
    study.score(settings)
    started = time.perf_counter()
    curve = study.specifications(settings)
    ours = time.perf_counter() - started
    rows = curve.rows.iloc[:: max(1, len(curve.rows) // SAMPLE)].to_dict("records")
    names = ("theta", "k", "normalizer", "aggregate", "citation_weight", "venue_weight")
    started = time.perf_counter()
    for row in rows:
        now = settings.model_copy(update={name: row[name] for name in names})
        found = study.score(now).comparisons[0]
        assert np.isclose(found.difference or 0, row["difference"])
        assert np.isclose(found.difference_low or 0, row["low"])
        assert np.isclose(found.p or 0, row["p"])
    theirs = (time.perf_counter() - started) / len(rows) * len(curve.rows)
    print(f"curve, {len(curve.rows)} specifications × {settings.draws} draws: {ours:.2f} s")
    print(f"score() each, from {len(rows)}: {theirs:.0f} s; ratio {theirs / ours:.0f}")


if __name__ == "__main__":
    main()
