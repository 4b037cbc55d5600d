"""A running app without a browser, over small studies on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from app_reading import Open
from builders import study_folder
from streamlit.testing.v1 import AppTest

APP = Path(__file__).resolve().parents[2] / "dashboard" / "app.py"


@pytest.fixture(scope="session")
def small_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems, two judges; simulated."""
    return study_folder(tmp_path_factory.mktemp("studies") / "small", simulated=True)


@pytest.fixture(scope="session")
def three_systems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems, one with a name full of marks; no judge."""
    folder = tmp_path_factory.mktemp("studies") / "three"
    return study_folder(folder, name="Three", systems=("a*b_c", "beta", "gamma"), judges=())


@pytest.fixture(scope="session")
def one_system(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One system, one judge."""
    folder = tmp_path_factory.mktemp("studies") / "one"
    return study_folder(folder, name="One", systems=("only",), judges=("strict",))


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch, small_study: Path) -> Open:
    """``open_app(folder…, page=, **address)``: the app's first run, on the small study."""

    def start(*folders: Path, page: str | None = None, **address: str | list[str]) -> AppTest:
        chosen = [str(folder) for folder in folders or (small_study,)]
        monkeypatch.setenv("FORESEEN_STUDIES", json.dumps(chosen))
        app = AppTest.from_file(str(APP), default_timeout=30)
        for name, value in address.items():
            app.query_params[name] = value
        app.run()
        if page is not None:
            app.switch_page(f"../pages/{page}.py").run()
        return app

    return start
