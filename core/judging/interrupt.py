"""Ctrl-C and a polite kill, turned into a run's stop signal."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from core.judging.run import StopSignal


@contextmanager
def stop_on_interrupt(say: Callable[[str], None]) -> Iterator[StopSignal]:
    """The first Ctrl-C lets open calls end; the second leaves them. Main thread only.

    Within the block a Ctrl-C never raises, so what comes after the run is written too.
    """
    stop = StopSignal()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def handle(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        if stop.soft.is_set():
            stop.hard.set()
        else:
            stop.soft.set()
            say("Stopping: waiting for the calls under way. Press Ctrl-C again to leave them.")

    before = {name: signal.signal(name, handle) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
