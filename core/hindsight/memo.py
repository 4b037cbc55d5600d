"""What stays the same between two settings is worked out once for a study.

A result is kept with the ``Study`` object itself (not its name) and goes when that goes. So a
move of θ reuses impacts, candidates, marks and bootstrap draws.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from core.study import Study

P = ParamSpec("P")
R = TypeVar("R")


def once_per_study(size: int) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Remember the last ``size`` results of ``function(study, *hashable)`` for each study."""

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        kept: WeakKeyDictionary[Study, OrderedDict[tuple[object, ...], R]] = WeakKeyDictionary()
        lock = Lock()

        @wraps(function)
        def run(study: Study, *key: object) -> R:
            with lock:
                own = kept.setdefault(study, OrderedDict())
                if key in own:
                    own.move_to_end(key)
                    return own[key]
            result = function(study, *key)
            with lock:
                own[key] = result
                while len(own) > size:
                    own.popitem(last=False)
            return result

        return run

    return decorate
