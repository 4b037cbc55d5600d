"""Shapes that other programs write, recognised by their content, not by a file's name.

A format is a :class:`~core.ingest.formats.reading.Format`: a name, ``recognise`` and ``read``.
To add one, write it in a module of this folder and name that module in ``MODULES``; the stricter
shape stands before the looser. A file of no known shape goes to the generic reader.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from core.errors import DataError, UsageError, nearest
from core.ingest.formats.opened import Opened
from core.ingest.formats.reading import Format

GENERIC, AUTO = "generic", "auto"
MODULES = (
    "own_export",
    "ideaforecastbench",
    "ai_researcher",
    "ai_scientist",
    "idea_systems",
    "benches",
    "paper_graphs",
    "arxiv_papers",
    "paper_lists",
    "bibtex",
    "rater_tables",
)


@cache
def formats() -> dict[str, Format]:
    """Every known format by name, in the order in which they are tried."""
    found: dict[str, Format] = {}
    for module in MODULES:
        for entry in import_module(f"core.ingest.formats.{module}").FORMATS:
            found[entry.name] = entry
    return found


def format_names() -> tuple[str, ...]:
    """What ``--format`` takes."""
    return (AUTO, GENERIC, *formats())


def recognise(opened: Opened) -> Format | None:
    """The format whose shape the file has; None where it has none that is known."""
    if opened.first is None and opened.kind not in ("xml", "bibtex", "delimited"):
        return None
    return next((entry for entry in formats().values() if entry.recognise(opened)), None)


def named(name: str, opened: Opened) -> Format:
    """The format that the user named; refuses a file of another shape."""
    if name not in formats():
        raise UsageError(f"No format '{name}'. {nearest(name, format_names())}")
    entry = formats()[name]
    if not entry.recognise(opened):
        other = recognise(opened)
        seen = f" It looks like {other.name}." if other else " Leave --format out, or map columns."
        raise DataError(f"{opened.path}: does not have the shape of {entry.title}.{seen}")
    return entry
