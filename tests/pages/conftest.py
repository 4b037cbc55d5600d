"""Studies on disk for the pages, and the app on one of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import case_tables
from page_studies import hostile_tables, write_study
from streamlit.testing.v1 import AppTest

APP = str(Path(__file__).resolve().parents[2] / "dashboard" / "app.py")
Open = Callable[..., AppTest]


@pytest.fixture(scope="session")
def plain_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_study(tmp_path_factory.mktemp("studies") / "small", case_tables())


@pytest.fixture(scope="session")
def hostile_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies") / "hostile"
    return write_study(folder, hostile_tables(), simulated=True)


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open a page of the app on a study's folder, with what stands in the address."""

    def open_page(page: str, folder: Path, **address: str | list[str]) -> AppTest:
        monkeypatch.setenv("FORESEEN_STUDIES", json.dumps([str(folder)]))
        app = AppTest.from_file(APP, default_timeout=60)
        app.switch_page(f"../pages/{page}.py")
        for name, value in address.items():
            app.query_params[name] = value
        app.run()
        assert not app.exception, app.exception[0].value
        return app

    return open_page
