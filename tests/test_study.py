"""The study's folder: what is written comes back, and what is wrong is named."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from builders import study, table

from core.config import Settings, StudyConfig, window_end
from core.errors import DataError, TableError, UsageError
from core.schema import PAPERS, SCORES, admit
from core.study import Study

PAPER_ROWS = [
    {
        "paper_id": "p1",
        "title": "A title, with a comma",
        "published": "2024-06",
        "citations": 3,
        "topics": ["a", "b"],
        "identifiers": {"doi": "10.1/x"},
    },
    {"paper_id": "p2", "title": 'Quotes "and"\nline breaks', "published": "2024-06-05"},
]


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl", ".csv", ".csv.gz"])
def test_a_table_reads_alike_from_every_format(tmp_path: Path, suffix: str) -> None:
    made = Study.create(tmp_path / "s", cutoff=date(2023, 6, 1))
    papers = table("papers", PAPER_ROWS)
    made.write("papers", papers, suffix=".jsonl")
    as_jsonl = Study.open(tmp_path / "s")
    if suffix == ".csv.gz":
        pytest.skip("gzip is read, not written")
    made.write("papers", papers, suffix=suffix)
    again = Study.open(tmp_path / "s")
    pd.testing.assert_frame_equal(again.papers, papers)
    assert again.digest == as_jsonl.digest
