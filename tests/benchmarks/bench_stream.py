"""Peak memory while a million papers are imported from JSONL; the bar is 1.5 GB resident.

``python tests/benchmarks/bench_stream.py [PAPERS] [ABSTRACT_CHARACTERS]`` writes the file, runs
``foreseen import papers`` in a process of its own, and asks the system for its peak.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BAR_GB = 1.5
WORDS = [f"{a}{b}" for a in ("neural", "graph", "causal", "sparse", "deep") for b in "abcdefghij"]


def write(path: Path, papers: int, characters: int) -> None:
    """Papers whose titles differ; one in a hundred comes twice, one in ten has no citations."""
    chance = random.Random(0)
    base = " ".join(chance.choices(WORDS, k=characters))[:characters]
    with path.open("w") as out:
        for number in range(papers):
            again = number % 100 == 99
            named = number - 1 if again else number
            record = {
                "paperId": f"p{number}",
                "title": f"A study of {WORDS[named % 50]} models, number {named}",
                "abstract": base[named % 50 :],
                "publicationDate": f"2024-{1 + named % 12:02d}-{1 + named % 28:02d}",
                "citationCount": None if named % 10 == 0 else named % 997,
                "venue": "ICLR 2024" if named % 7 == 0 else "arXiv",
                "externalIds": {"CorpusId": named},
            }
            out.write(json.dumps(record) + "\n")


def main() -> None:
    papers = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    characters = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "papers.jsonl"
        write(path, papers, characters)
        run = [sys.executable, "-c", "from core.cli import main; main()"]
        subprocess.run([*run, "new", folder / "s", "--cutoff", "2023-12-31"], check=True)
        start = time.perf_counter()
        words = ["import", "papers", path, "--into", folder / "s"]
        process = subprocess.Popen([*run, *words])
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        peak = usage.ru_maxrss / 1024**2
        size = path.stat().st_size / 1024**3
        print(
            f"{papers:,} papers, {size:.2f} GB: peak {peak:.2f} GB"
            f" ({peak / size:.2f} × the file), {seconds:.0f} s, exit {status}"
        )
        print(f"bar {BAR_GB} GB: {'met' if peak < BAR_GB and not status else 'NOT met'}")
        sys.exit(0 if peak < BAR_GB and not status else 1)


if __name__ == "__main__":
    main()
