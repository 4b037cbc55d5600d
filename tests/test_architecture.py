"""The rules of the house, as tests: who may import whom, and what loads when."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("torch", "sentence_transformers", "faiss", "statsmodels", "sklearn", "openai")
CORE = sorted((ROOT / "core").rglob("*.py"))
DASHBOARD = sorted((ROOT / "dashboard").rglob("*.py"))
PAGES = sorted((ROOT / "pages").glob("*.py"))
CHARTS = sorted((ROOT / "dashboard" / "charts").rglob("*.py"))
MODULES = CORE + DASHBOARD + PAGES


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def top_imports(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imports(path)}


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", CORE, ids=name)
def test_the_engine_knows_no_page(path: Path) -> None:
    assert not top_imports(path) & {"streamlit", "plotly", "dashboard", "pages"}


@pytest.mark.parametrize("path", CHARTS, ids=name)
def test_a_chart_is_a_function_of_a_result(path: Path) -> None:
    assert not top_imports(path) & {"streamlit", "pages"}


@pytest.mark.parametrize("path", DASHBOARD, ids=name)
def test_the_dashboard_imports_no_page(path: Path) -> None:
    assert "pages" not in top_imports(path)


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_a_page_is_a_thin_script(path: Path) -> None:
    """A page asks, draws and explains: no numbers library, no cache of its own."""
    assert not top_imports(path) & {"numpy", "scipy", "plotly"}
    text = path.read_text(encoding="utf-8")
    assert "st.cache" not in text
    assert "unsafe_allow_html" not in text
    assert len(text.splitlines()) <= 200


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_stays_readable(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_caching_lives_in_one_place() -> None:
    users = [name(p) for p in DASHBOARD + PAGES if "st.cache_" in p.read_text(encoding="utf-8")]
    assert users == ["dashboard/cached.py"]


def test_no_name_beside_the_entry_hides_a_module() -> None:
    """dashboard/ comes first on the path of a running app."""
    taken = set(sys.stdlib_module_names) | {"streamlit", "plotly", "pandas", "numpy", "core"}
    own = {p.stem for p in (ROOT / "dashboard").iterdir()}
    assert not own & taken


def test_there_is_no_second_pages_folder() -> None:
    assert not (ROOT / "dashboard" / "pages").exists()


@pytest.mark.parametrize(
    "module", ["core", "core.cli", "core.study", "core.hindsight.score", "dashboard.cached"]
)
def test_imports_stay_light(module: str) -> None:
    """Nothing heavy is loaded before something needs it."""
    code = f"import sys, {module}\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.split() == []


def test_core_imports_nothing_at_all_until_a_name_is_used() -> None:
    code = "import sys, core\nprint('pandas' in sys.modules, 'pydantic' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.split() == ["False", "False"]


def test_exported_names_are_there() -> None:
    import core

    for exported in core.__all__:
        assert getattr(core, exported) is not None


def test_defaults_are_written_once() -> None:
    """The paper's constants stand in core/config.py and nowhere else in code."""
    for path in MODULES:
        if name(path).endswith(("core/config.py", "published.py")):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value == 0.96:
                raise AssertionError(f"{name(path)}:{node.lineno} writes 0.96 again")


def test_no_two_modules_of_tests_share_a_name() -> None:
    """Folders of tests are no packages, so the second of two names would never be imported."""
    names = [p.name for p in (ROOT / "tests").rglob("*.py") if p.name != "conftest.py"]
    assert sorted(names) == sorted(set(names))
