"""Expensive results on disk, for the next run of a command.

A result is kept under (study, candidates, settings, engine): whatever changes one of them makes
it another result. Everything is JSON; what is not is neither written nor read, since a pickle
in a folder that others can write to would run their code (CVE-2025-69872).
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd

from core.config import Settings, cache_folder
from core.hindsight import results
from core.study import Study

R = TypeVar("R")
SIZE_LIMIT = 2**28
_ENGINE = Path(__file__).resolve().parent
_TAG = "__kind__"
_UNREADABLE = (OSError, sqlite3.Error, ValueError, KeyError, TypeError, zlib.error)
_KINDS: dict[str, Any] = {name: kind for name, kind in vars(results).items() if is_dataclass(kind)}


@lru_cache(maxsize=1)
def engine_digest() -> str:
    """Digest of the engine's source: a changed engine finds nothing of an older one."""
    digest = hashlib.sha256()
    for path in sorted(_ENGINE.rglob("*.py")):
        digest.update(str(path.relative_to(_ENGINE)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def remembered(
    study: Study,
    settings: Settings,
    name: str,
    choices: Sequence[object],
    compute: Callable[[], R],
    *,
    folder: Path | None = None,
) -> R:
    """``compute()``, or what it gave last time for this study, settings and engine.

    ``name`` and ``choices`` (plain values) tell one result of a study from another. The folder
    is the user's alone (mode 0700); where it cannot be had, or holds something unreadable, the
    result is computed and nothing is said.
    """
    place = folder or cache_folder()
    plain = [name, *study.key, settings.digest, engine_digest(), list(choices)]
    key = json.dumps(plain, default=str)
    try:
        with _open(place) as cache:
            kept = cache.get(key)
            if kept is not None:
                return cast("R", unpack(kept))
    except _UNREADABLE:
        pass
    result = compute()
    with suppress(*_UNREADABLE), _open(place) as cache:
        cache.set(key, pack(result))
    return result


def _open(folder: Path) -> Any:
    import diskcache

    class PlainJson(diskcache.JSONDisk):  # type: ignore[misc]
        """JSON only: an entry that would be unpickled is refused."""

        def fetch(self, mode: int, filename: str, value: object, read: bool) -> Any:
            if mode == diskcache.core.MODE_PICKLE:
                raise ValueError("not JSON")
            return super().fetch(mode, filename, value, read)

    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        raise OSError(f"{folder} is another user's")
    folder.chmod(0o700)
    return diskcache.Cache(
        str(folder), disk=PlainJson, disk_compress_level=1, size_limit=SIZE_LIMIT
    )


def pack(value: Any) -> Any:
    """A result of :mod:`core.hindsight.results` as JSON values, to come back by :func:`unpack`."""
    if isinstance(value, Settings):
        return {_TAG: "Settings", "values": value.model_dump(mode="json")}
    if isinstance(value, pd.DataFrame):
        columns = [
            [str(name), str(column.dtype), column.tolist()] for name, column in value.items()
        ]
        return {_TAG: "frame", "columns": columns, "rows": len(value)}
    if isinstance(value, np.ndarray):
        return {_TAG: "array", "dtype": value.dtype.str, "values": value.tolist()}
    if type(value).__name__ in _KINDS:
        own = {field.name: pack(getattr(value, field.name)) for field in fields(value)}
        return {_TAG: type(value).__name__, "fields": own}
    if isinstance(value, tuple):
        return {_TAG: "tuple", "values": [pack(item) for item in value]}
    if isinstance(value, dict):
        return {_TAG: "dict", "items": [[name, pack(item)] for name, item in value.items()]}
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise TypeError(f"{type(value).__name__} is not kept on disk")


def unpack(value: Any) -> Any:
    """What :func:`pack` was given."""
    if not isinstance(value, dict):
        return value
    kind = value[_TAG]
    if kind == "Settings":
        return Settings.model_validate(value["values"])
    if kind == "frame":
        columns = {name: pd.Series(cells, dtype=dtype) for name, dtype, cells in value["columns"]}
        return pd.DataFrame(columns, index=pd.RangeIndex(value["rows"]))
    if kind == "array":
        dtype = np.dtype(value["dtype"])
        if dtype.hasobject:
            raise ValueError("not JSON")
        return np.array(value["values"], dtype=dtype)
    if kind == "tuple":
        return tuple(unpack(item) for item in value["values"])
    if kind == "dict":
        return {name: unpack(item) for name, item in value["items"]}
    return _KINDS[kind](**{name: unpack(item) for name, item in value["fields"].items()})
