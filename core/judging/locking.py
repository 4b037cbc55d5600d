"""One writer of a study's folder at a time, among threads and processes of this machine."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_THREADS = threading.Lock()


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Wait until nobody else writes in ``folder``, and hold it to the end of the block.

    Leaves no file behind: the folder itself is what is locked. Do not nest.
    """
    try:
        import fcntl
    except ImportError:  # a system without it: the threads of this process are kept apart
        with _THREADS:
            yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
