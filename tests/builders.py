"""Small studies for tests, built in memory: name what matters, the rest has plain defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pandas as pd

from core.config import StudyConfig
from core.schema import CANDIDATES, TABLES, admit
from core.study import CandidatesInfo, Study

INFO = CandidatesInfo(
    encoder="minilm",
    revision="test",
    encoder_digest="0" * 16,
    depth=100,
    pool="all",
    inputs="",
    digest="test",
)


def table(name: str, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The named table with these rows; fails where the schema does."""
    kind = CANDIDATES if name == "candidates" else TABLES[name]
    frame, problems = admit(kind, pd.DataFrame([dict(row) for row in rows]), file=name)
    assert not problems, "\n".join(map(str, problems))
    return frame


def config(**values: Any) -> StudyConfig:
    """A study's configuration: cutoff 2023-06-30, 30 months, unless named."""
    start: dict[str, Any] = {"name": "test", "cutoff": date(2023, 6, 30), "horizon_months": 30}
    return StudyConfig(**(start | values))


def study(
    *, config_values: Mapping[str, Any] | None = None, **tables: Sequence[Mapping[str, Any]]
) -> Study:
    """A study in memory; ``candidates=[…]`` among the tables are its stored candidates."""
    frames: dict[str, Any] = {name: table(name, rows) for name, rows in tables.items()}
    info = INFO if "candidates" in frames else None
    return Study(config=config(**(config_values or {})), candidates_info=info, **frames)
