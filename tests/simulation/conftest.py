"""The bundled study, read once."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.study import Study

DEMO = Path(__file__).resolve().parents[2] / "data" / "demo"


@pytest.fixture(scope="session")
def demo() -> Study:
    return Study.open(DEMO)
