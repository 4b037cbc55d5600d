"""What a study of forecasts keeps beside its tables: attempts, and a key of it all.

``attempts.jsonl`` says which episodes a forecaster was asked for, so that one who gave nothing
has a miss there, and one who was never asked has not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from core.errors import DataError
from core.files import DERIVED
from core.forecast.manifest import EPISODES_FILE
from core.ingest.tabular import replacing
from core.schema import STATES
from core.study import Study

ATTEMPTS_FILE = "attempts.jsonl"
RATINGS_FILE = "generality.jsonl"
_KEPT = (EPISODES_FILE, ATTEMPTS_FILE, RATINGS_FILE, f"{DERIVED}/forecast/geometry.json")


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One system asked for one episode: forecasts that came of it and how it ended."""

    system: str
    topic: str
    cutoff: date
    forecasts: int
    state: str
    reason: str | None = None

    @property
    def key(self) -> tuple[str, str, date]:
        return self.system, self.topic, self.cutoff

    @property
    def answered(self) -> bool:
        """Whether the system answered, readable or not: what is missing then is a miss."""
        return self.state != "call_failed"


def read_attempts(study: Study) -> tuple[Attempt, ...]:
    """The study's attempts by system, topic, cutoff; none where it has no such file."""
    if study.folder is None:
        return ()
    return _read(study.folder / ATTEMPTS_FILE)


def write_attempts(study: Study, attempts: Sequence[Attempt]) -> None:
    """Add attempts to the study's, each in place of the one with its key."""
    if study.folder is None or not attempts:
        return
    path = study.folder / ATTEMPTS_FILE
    whole = {attempt.key: attempt for attempt in (*_read(path), *attempts)}
    with replacing(path) as file:
        for key in sorted(whole):
            told = {**vars(whole[key]), "cutoff": whole[key].cutoff.isoformat()}
            file.write((json.dumps(told, ensure_ascii=False) + "\n").encode())


def forecast_key(study: Study) -> str:
    """Digest of what the figures of forecasts depend on besides the tables and candidates:
    manifest, attempts, ratings of generality, and what vectors told."""
    whole = hashlib.sha256()
    for name in _KEPT:
        path = None if study.folder is None else study.folder / name
        whole.update(name.encode() + b"\x00")
        if path is not None and path.is_file():
            whole.update(path.read_bytes())
    return whole.hexdigest()[:16]


def files_stamp(study: Study) -> tuple[tuple[int, int], ...]:
    """Size and time of the same files: tells cheaply whether one was written anew."""
    stamps = []
    for name in _KEPT:
        path = None if study.folder is None else study.folder / name
        told = path.stat() if path is not None and path.is_file() else None
        stamps.append((0, 0) if told is None else (told.st_size, told.st_mtime_ns))
    return tuple(stamps)


def _read(path: Path) -> tuple[Attempt, ...]:
    if not path.is_file():
        return ()
    found: dict[tuple[str, str, date], Attempt] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            told = json.loads(line)
            told["cutoff"] = date.fromisoformat(told["cutoff"])
            attempt = Attempt(**told)
        except (ValueError, TypeError, KeyError) as error:
            raise DataError(f"{path}, line {number}: not an attempt ({error}).") from None
        if attempt.state not in STATES:
            raise DataError(
                f"{path}, line {number}: state {attempt.state!r} is none of {', '.join(STATES)}."
            )
        found[attempt.key] = attempt
    return tuple(found[key] for key in sorted(found))
