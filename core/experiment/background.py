"""A step that asks a model, in a thread of its own: watched, paused and gone on with.

::

    run = start(folder, JudgeStep(Judge(model="m", base_url="http://localhost:8000/v1")))
    run.look().progress       # at any time, from any thread
    run.pause()
    start(folder, run.step)   # goes on: no call that was answered is asked again

One run a study in this process; the engine is the command's own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.errors import ForeseenError
from core.experiment.calls import Calls
from core.experiment.judge_step import JudgeStep
from core.experiment.model_steps import GenerateStep
from core.experiment.step import Done, Surroundings, Work, open_client
from core.judging.client import ChatClient
from core.judging.report import Progress
from core.judging.run import StopSignal
from core.matching.encoders import Encoder
from core.matching.vectors import Step
from core.study import Study

State = Literal["running", "pausing", "paused", "failed", "done"]
ModelStep = GenerateStep | JudgeStep
_RUNS: dict[Path, CallRun] = {}
_STARTING = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class Look:
    """A run at one moment. ``progress`` is of the stage under way, None before the first word of
    it; ``told`` is what came of it so far where it has ended, ``reason`` why it is not whole;
    ``lines`` are the notes on the way. ``encoding`` is of the vectors that are made before the
    first call, None where none are."""

    name: str
    state: State
    encoding: Step | None
    progress: Progress | None
    told: str
    reason: str
    lines: tuple[str, ...]

    @property
    def active(self) -> bool:
        return self.state in ("running", "pausing")


class CallRun:
    """One run of a step on one study's folder."""

    def __init__(
        self,
        folder: Path,
        step: ModelStep,
        *,
        client: Callable[[Calls], ChatClient] = open_client,
        encoder: Encoder | None = None,
    ) -> None:
        self.folder = folder
        self.step = step
        self._client = client
        self._encoder = encoder
        self._lock = threading.Lock()
        self._stop = StopSignal()
        self._state: State = "running"
        self._encoding: Step | None = None
        self._progress: Progress | None = None
        self._lines: list[str] = []
        self._told = ""
        self._reason = ""
        self.thread = threading.Thread(target=self._work, name=f"calls {folder}", daemon=True)

    def pause(self) -> None:
        """Ask nothing more; the calls under way end and are kept."""
        with self._lock:
            if self._state == "running":
                self._state = "pausing"
        self._stop.soft.set()

    def look(self) -> Look:
        """Where the run is."""
        with self._lock:
            return Look(
                name=self.step.name,
                state=self._state,
                encoding=self._encoding,
                progress=self._progress,
                told=self._told,
                reason=self._reason,
                lines=tuple(self._lines),
            )

    def _hear(self, now: Progress) -> None:
        with self._lock:
            self._progress = now

    def _hear_encoding(self, now: Step) -> None:
        with self._lock:
            self._encoding = now

    def _note(self, line: str) -> None:
        with self._lock:
            self._lines.append(line)

    def _work(self) -> None:
        state: State = "failed"
        told = reason = ""
        try:
            done = self._run()
        except ForeseenError as error:
            reason = str(error)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
        else:
            told, reason = done.told, done.stopped or ""
            if done.stopped is None:
                state = "done"
            elif done.cause in ("interrupted", "budget"):
                state = "paused"
        with self._lock:
            self._state, self._told, self._reason = state, told, reason

    def _run(self) -> Done:
        around = Surroundings(
            base=self.folder,
            log=self._note,
            client=self._client,
            encoder=self._encoder,
            progress=lambda _: nullcontext(self._hear),
            encoding=lambda: nullcontext(self._hear_encoding),
            stopping=lambda: nullcontext(self._stop),
        )
        return self.step.run(Work(study=Study.open(self.folder), around=around))


def run_of(folder: Path) -> CallRun | None:
    """The latest run on a study in this process."""
    return _RUNS.get(folder.resolve())


def start(
    folder: Path,
    step: ModelStep,
    *,
    client: Callable[[Calls], ChatClient] = open_client,
    encoder: Encoder | None = None,
) -> CallRun:
    """Start a step on a study, or join the run that is under way there, whatever its step."""
    with _STARTING:
        known = run_of(folder)
        if known is not None and known.look().active:
            return known
        run = CallRun(folder.resolve(), step, client=client, encoder=encoder)
        _RUNS[folder.resolve()] = run
        run.thread.start()
        return run
