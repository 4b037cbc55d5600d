"""Foreseen's engine: ``from core import Study, Settings``.

Importing this package loads nothing heavy; the names below load when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.config import Settings, StudyConfig
    from core.study import Study

__version__ = "0.1.0"
__all__ = ["Settings", "Study", "StudyConfig", "__version__"]

_HOMES = {"Settings": "core.config", "StudyConfig": "core.config", "Study": "core.study"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'core' has no attribute '{name}'")
