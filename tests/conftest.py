"""Fixtures that every test may use."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Beside another process of tests, threads of the numeric libraries wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1" if "PYTEST_XDIST_WORKER" in os.environ else "2")
os.environ["HF_HUB_OFFLINE"] = "1"
# Nothing that a test keeps between runs meets what a user has kept.
os.environ["FORESEEN_CACHE"] = tempfile.mkdtemp(prefix="foreseen-tests-")
atexit.register(shutil.rmtree, os.environ["FORESEEN_CACHE"], ignore_errors=True)

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("foreseen", deadline=None)
settings.load_profile("foreseen")

ROOT = Path(__file__).resolve().parents[1]
SHARED_DATA = ROOT.parent / "shared" / "data"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With ``-n``, what shares a browser or a model's server stays in one process, and goes first.

    By folder, since the marks for it (``--dist loadgroup``) have no effect under pytest 9.2.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFolder(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            folder = nodeid.partition("tests/")[2].partition("/")[0]
            return folder if folder in ("browser", "llm") else nodeid

    return ByFolder(config, log) if config.getvalue("dist") == "load" else None


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data beside the checkout; a test that asks for it skips where there is none."""
    if not SHARED_DATA.is_dir():
        pytest.skip("no real data beside this checkout")
    return SHARED_DATA
