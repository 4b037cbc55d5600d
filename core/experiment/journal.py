"""``derived/run.json``: which steps of an experiment are done, and with which inputs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.errors import DataError
from core.files import DERIVED
from core.ingest.tabular import replacing

FILE = "run.json"
_BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A step that came to its end: the digest of each input, what came of it, and when.

    ``count`` is of the rows that it left, ``failed`` of those that a model owes; ``output``
    digests what it wrote, where the step can tell.
    """

    inputs: dict[str, str]
    told: str
    count: int = 0
    failed: int = 0
    output: str = ""
    at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))


class Journal:
    """The entries of one study, by the step's name; every change is on disk at once."""

    def __init__(self, study: Path) -> None:
        self.path = study / DERIVED / FILE
        self.note = ""
        self.entries: dict[str, Entry] = {}
        try:
            told = json.loads(self.path.read_text(encoding="utf-8"))
            self.entries = {name: Entry(**entry) for name, entry in told["steps"].items()}
        except FileNotFoundError:
            return
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            self.note = f"{self.path}: not readable ({error}); every step is looked at anew"

    def forget(self, name: str) -> None:
        """A step begins: until it ends it counts as not done."""
        if self.entries.pop(name, None) is not None:
            self._write()

    def keep(self, name: str, entry: Entry) -> None:
        self.entries[name] = entry
        self._write()

    def _write(self) -> None:
        steps = {name: asdict(entry) for name, entry in self.entries.items()}
        with replacing(self.path) as file:
            file.write((json.dumps({"steps": steps}, ensure_ascii=False, indent=1) + "\n").encode())


def digest_of(value: Any) -> str:
    """Digest of anything that JSON can hold."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def file_digest(path: Path) -> str:
    """Digest of a file's bytes; raises :class:`DataError` where it cannot be read."""
    whole = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                whole.update(block)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    return whole.hexdigest()[:16]


def changed(entry: Entry, inputs: Mapping[str, str]) -> list[str]:
    """The inputs that are not what they were, by name."""
    names = [*inputs, *(name for name in entry.inputs if name not in inputs)]
    return [name for name in names if entry.inputs.get(name) != inputs.get(name)]
