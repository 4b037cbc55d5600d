"""Matching in the background of the server: one run a study, heard, stopped and resumed.

No streamlit: pages of any session ask for the run of a folder and look at it. Vectors are
written in chunks as they are made, so a run that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from core.config import TEXTS_A_SECOND
from core.errors import DataError, ForeseenError
from core.files import DERIVED
from core.matching.candidates import Match, run_match
from core.matching.encoders import open_encoder
from core.matching.pools import pools
from core.matching.text import NO_SEPARATOR, idea_texts, paper_texts, text_digest
from core.matching.vectors import FOLDER, Step, folder_name
from core.study import Study

State = Literal["running", "stopping", "stopped", "failed", "done"]
ENCODING = ("ideas", "papers")
_RUNS: dict[Path, MatchRun] = {}
_STARTING = threading.Lock()
_RATES: dict[str, float] = {}


class _Stopped(Exception):  # noqa: N818
    """The user asked for it; not an error."""


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """What a run would encode: texts that no stored vector stands for, each counted once.

    ``seconds`` is at ``rate`` texts a second, ``measured`` by an earlier run of this server or
    else a guess; searching is not counted.
    """

    ideas: int
    papers: int
    rate: float
    measured: bool

    @property
    def texts(self) -> int:
        return self.ideas + self.papers

    @property
    def seconds(self) -> float:
        return self.texts / self.rate


@dataclass(frozen=True, kw_only=True)
class Look:
    """A run at one moment. ``rate`` is in texts a second, ``left`` in seconds; None until known.

    ``error`` is set where it failed, ``match`` where it ended.
    """

    state: State
    stage: str
    done: int
    total: int
    rate: float | None
    left: float | None
    error: str
    match: Match | None

    @property
    def active(self) -> bool:
        return self.state in ("running", "stopping")


class MatchRun:
    """One run of the search over one study's folder, in a thread of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._state: State = "running"
        self._step = Step(stage="ideas", done=0, total=0)
        self._first: tuple[float, int] | None = None
        self._rate: float | None = None
        self._encoder = ""
        self._error = ""
        self._match: Match | None = None
        self.thread = threading.Thread(target=self._work, name=f"match {folder}", daemon=True)

    def stop(self) -> None:
        """End after the chunk under way; what is encoded stays."""
        with self._lock:
            if self._state == "running":
                self._state = "stopping"
        self._stop.set()

    def look(self) -> Look:
        """How far the run is."""
        with self._lock:
            step, rate = self._step, self._rate
            encoding = step.stage in ENCODING
            left = (step.total - step.done) / rate if rate and encoding else None
            return Look(
                state=self._state,
                stage=step.stage,
                done=step.done,
                total=step.total,
                rate=rate if encoding else None,
                left=left,
                error=self._error,
                match=self._match,
            )

    def _work(self) -> None:
        try:
            with holding(self.folder):
                study = Study.open(self.folder)
                self._encoder = study.config.encoder
                encoder = open_encoder(study.config.encoder)
                self._hear(self._step)
                found = run_match(study, encoder=encoder, progress=self._hear)
        except _Stopped:
            self._end("stopped")
        except ForeseenError as error:
            self._end("failed", error=str(error))
        except BaseException as error:
            self._end("failed", error=f"{type(error).__name__}: {error}")
        else:
            self._end("done", match=found)

    def _hear(self, step: Step) -> None:
        """A step of the engine; raises where the run was asked to stop."""
        now = time.monotonic()
        with self._lock:
            if step.stage != self._step.stage:
                self._first = None
            self._step = step
            if step.stage in ENCODING and step.done:
                # The first chunk also loads the model, so the rate counts from its end.
                if self._first is None:
                    self._first = (now, step.done)
                elif now > self._first[0]:
                    self._rate = (step.done - self._first[1]) / (now - self._first[0])
                    _RATES[self._encoder] = self._rate
        if self._stop.is_set():
            raise _Stopped

    def _end(self, state: State, *, error: str = "", match: Match | None = None) -> None:
        with self._lock:
            self._state, self._error, self._match = state, error, match


def start(folder: Path) -> MatchRun:
    """Start matching a study, or the run that is under way: two sessions share it."""
    folder = folder.resolve()
    with _STARTING:
        run = _RUNS.get(folder)
        if run is None or not run.look().active:
            run = _RUNS[folder] = MatchRun(folder)
            run.thread.start()
        return run


def run_of(folder: Path) -> MatchRun | None:
    """The last run of a study in this server, None where there was none."""
    return _RUNS.get(folder.resolve())


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Keep a second server from matching the same study; raises :class:`DataError` where one is.

    The folder of derived files itself is locked, so nothing is left behind.
    """
    derived = folder / DERIVED
    derived.mkdir(exist_ok=True)
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(derived, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DataError(
                f"{folder}: another dashboard is matching this study. Wait until it ends."
            ) from None
        yield
    finally:
        os.close(handle)


def waiting(study: Study) -> Waiting:
    """How many texts a run would encode; nothing is loaded or fetched for it."""
    name = _known_as(study.config.encoder)
    rate = _RATES.get(study.config.encoder)
    known, separator = _stored(study, name)
    ideas = idea_texts(study.ideas, separator).texts
    papers = paper_texts(study.papers, separator).texts
    if len(study.ideas) and len(study.papers):
        windows = pools(study.ideas, study.papers, study.config, "all")
        rows = np.flatnonzero(windows.searched.any(axis=0))
        papers = tuple(papers[row] for row in rows)
    return Waiting(
        ideas=len({text_digest(text) for text in ideas} - known["ideas"]),
        papers=len({text_digest(text) for text in papers} - known["papers"]),
        rate=rate or TEXTS_A_SECOND,
        measured=rate is not None,
    )


def _stored(study: Study, encoder: str) -> tuple[dict[str, set[str]], str]:
    """Digests of the texts that have vectors, and the separator that these were made with."""
    known: dict[str, set[str]] = {kind: set() for kind in ENCODING}
    separator = NO_SEPARATOR
    if study.folder is None:
        return known, separator
    folder = study.folder / DERIVED / FOLDER / folder_name(encoder)
    for kind in ENCODING:
        for path in (folder / f"{kind}.json", *folder.glob(f"{kind}.part-*.json")):
            try:
                told = json.loads(path.read_text(encoding="utf-8"))
                known[kind].update(told["texts"])
                separator = str(told["separator"])
            except (OSError, ValueError, KeyError, TypeError):
                continue
    return known, separator


def _known_as(encoder: str) -> str:
    """The name under which an encoder's vectors are stored."""
    base, _, pooling = (
        encoder.partition(":")
        if encoder.endswith((":cls", ":mean"))
        else (
            encoder,
            "",
            "",
        )
    )
    if base.startswith("specter2=") or base in ("specter2", "allenai/specter2_base"):
        return "specter2:mean" if pooling == "mean" else "specter2"
    return encoder
