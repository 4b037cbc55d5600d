"""What every step of an experiment is, and what it works with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.experiment.calls import Calls
from core.experiment.journal import Entry
from core.judging.client import ChatClient, OpenAIClient
from core.judging.report import Estimate, Progress
from core.judging.run import StopSignal
from core.keys import find_key
from core.matching.encoders import Encoder
from core.matching.vectors import Step as EncodingStep
from core.study import Study


def _unheard(_: Any) -> None:
    """Where nobody listens."""


def open_client(calls: Calls) -> ChatClient:
    """The client of a heading; its key comes from the environment."""
    return OpenAIClient(
        model=calls.model, base_url=calls.base_url, key=find_key(), timeout=calls.timeout
    )


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a step works with besides its own keys; a page or a test puts its own there.

    ``stopping`` gives the signal that stops calls to a model, for as long as they last.
    """

    base: Path
    log: Callable[[str], None] = _unheard
    client: Callable[[Calls], ChatClient] = open_client
    encoder: Encoder | None = None
    progress: Callable[[str], AbstractContextManager[Callable[[Progress], None]]] = field(
        default=lambda _: nullcontext(_unheard)
    )
    encoding: Callable[[], AbstractContextManager[Callable[[EncodingStep], None]]] = field(
        default=lambda: nullcontext(_unheard)
    )
    stopping: Callable[[], AbstractContextManager[StopSignal]] = field(
        default=lambda: nullcontext(StopSignal())
    )
    write_report: Callable[[Path, Path], None] | None = None


@dataclass(frozen=True, kw_only=True)
class Done:
    """A step's end. ``stopped`` says why it is not whole, with ``interrupted`` by the user and
    ``server`` where the server or the source is at fault."""

    told: str
    study: Study | None = None
    count: int = 0
    failed: int = 0
    output: str = ""
    stopped: str | None = None
    cause: str | None = None


@dataclass(frozen=True, kw_only=True)
class Work:
    """The study as it is when a step begins, and what is around it; ``again`` where the user
    asked for the step by name, whatever is there already."""

    study: Study
    around: Surroundings
    again: bool = False

    @property
    def folder(self) -> Path:
        assert self.study.folder is not None
        return self.study.folder


class Step(ABC):
    """One step. It tells its inputs as digests, whether what it left is there, and does its work."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the step is called in the log and in the journal."""

    @abstractmethod
    def inputs(self, work: Work) -> Mapping[str, str]:
        """Digests of all that the result hangs on, by a name for people."""

    def missing(self, work: Work, entry: Entry) -> str | None:  # noqa: ARG002
        """What of the result is gone, or still owed; None where all is there."""
        return None

    def estimate(self, work: Work) -> Estimate | None:  # noqa: ARG002
        """The calls to a model that it would take; None for a step without."""
        return None

    @abstractmethod
    def run(self, work: Work) -> Done:
        """Do the work, and tell what came of it."""
