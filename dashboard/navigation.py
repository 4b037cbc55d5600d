"""The pages: their names, their order and their addresses, in one list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import streamlit as st

PAGES_FOLDER = "../pages"


@dataclass(frozen=True)
class PageInfo:
    """One page: its file in ``pages/``, what the menu says, and where it answers."""

    name: str
    title: str
    icon: str
    default: bool = False

    @property
    def script(self) -> str:
        """The script's place as ``st.Page`` and ``AppTest.switch_page`` take it."""
        return f"{PAGES_FOLDER}/{self.name}.py"

    @property
    def path(self) -> str:
        """Where the page answers: the default page at the root alone."""
        return "/" if self.default else f"/{self.name}"


SECTIONS: dict[str, tuple[PageInfo, ...]] = {
    "Findings": (
        PageInfo("overview", "Overview", ":material/insights:", default=True),
        PageInfo("thresholds", "Thresholds", ":material/tune:"),
        PageInfo("robustness", "Robustness", ":material/account_tree:"),
    ),
    "Cases": (
        PageInfo("quadrants", "Quadrants", ":material/grid_view:"),
        PageInfo("ideas", "Ideas", ":material/lightbulb:"),
    ),
    "Judges": (PageInfo("judges", "Judges", ":material/gavel:"),),
    "Protocols": (
        PageInfo("ligbench", "LigBench", ":material/leaderboard:"),
        PageInfo("forecasting", "Forecasting", ":material/online_prediction:"),
    ),
    "Study": (
        PageInfo("data", "Data", ":material/database:"),
        PageInfo("bring", "Bring your own", ":material/upload_file:"),
        PageInfo("run", "Run", ":material/play_circle:"),
        PageInfo("methods", "Methods", ":material/function:"),
    ),
}


def infos() -> Iterator[PageInfo]:
    """Every page in menu order."""
    for group in SECTIONS.values():
        yield from group


@cache
def _names() -> tuple[str, ...]:
    return tuple(info.name for info in infos())


def page(name: str) -> Any:
    """The ``st.Page`` of a name, for ``st.switch_page`` and ``st.page_link``."""
    info = next((info for info in infos() if info.name == name), None)
    if info is None:
        raise KeyError(f"no page '{name}'; pages: {', '.join(_names())}")
    return st.Page(
        info.script,
        title=info.title,
        icon=info.icon,
        url_path=info.name,
        default=info.default,
    )


def start() -> Any:
    """Draw the menu; the page that was asked for comes back, to be run."""
    return st.navigation(
        {section: [page(info.name) for info in group] for section, group in SECTIONS.items()}
    )
