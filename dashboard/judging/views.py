"""What the page on judges asks of the engine, kept between runs like every other result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from core.config import Settings
from core.judging.calls import CALLS_FILE
from core.study import Study
from dashboard import cached
from dashboard.state import View

if TYPE_CHECKING:
    from core.agreement import (
        Agreement,
        Confusion,
        Disagreements,
        FamilyProbe,
        Halo,
        LengthProbe,
        PairedMarks,
        RepeatSpread,
        WithoutJudge,
    )
    from core.judging.queue import Queue
    from core.judging.replies import Reply

SHOWN = 50
_TOUCHING = ("gate_pm", "gate_s", "seed", "draws")
_BESIDE = tuple(name for name in Settings.model_fields if name not in _TOUCHING)

Result = TypeVar("Result")


def agreement(view: View) -> Agreement:
    """Every pair and set of judges on every dimension."""
    from core.agreement import agreement

    return _kept(view, "agreement", lambda s, own: agreement(s, cached.few_draws(own)))


def confusion(view: View, a: str, b: str, on: str) -> Confusion:
    """The table of two judges with the ideas in each cell."""
    from core.agreement import confusion

    return _kept(view, f"confusion {(a, b, on)!r}", lambda s, own: confusion(s, a, b, on, own))


def paired_marks(view: View, a: str, b: str, on: str) -> PairedMarks:
    """Two judges' marks side by side."""
    from core.agreement import paired_marks

    return _kept(view, f"paired {(a, b, on)!r}", lambda s, own: paired_marks(s, a, b, on, own))


def repeat_spread(view: View, on: str) -> RepeatSpread:
    """How far each judge's repeats lie apart."""
    from core.agreement import repeat_spread

    return _kept(view, f"repeats {on}", lambda s, own: repeat_spread(s, on, own))


def disagreements(view: View, on: str, judges: tuple[str, str]) -> Disagreements:
    """The largest differences of two judges."""
    from core.agreement import disagreements

    return _kept(
        view,
        f"disagreements {(on, judges)!r}",
        lambda s, own: disagreements(s, on, limit=SHOWN, judges=judges, settings=own),
    )


def without_judge(view: View, on: str) -> tuple[WithoutJudge, ...]:
    """The set of judges without each of them."""
    from core.agreement import leave_one_judge_out

    return _kept(view, f"without {on}", lambda s, own: leave_one_judge_out(s, on, own))


def length_probe(view: View, on: str) -> tuple[LengthProbe, ...]:
    """Marks against the length of ideas, by judge."""
    from core.agreement import length_probe

    return _kept(view, f"length {on}", lambda s, own: length_probe(s, on, own))


def halo(view: View) -> tuple[Halo, ...]:
    """How far each judge's dimensions move together."""
    from core.agreement import halo

    return _kept(view, "halo", halo)


def judge_models(view: View) -> dict[str, str]:
    """The model behind each judge: as study.toml names it, else by its latest call."""

    def find(study: Study, _: Settings) -> dict[str, str]:
        from core.judging.calls import read_calls
        from core.judging.tables import judge_models

        called: dict[str, str] = {}
        if study.folder is not None:
            called = judge_models(read_calls(study.folder / CALLS_FILE, requests=False).calls)
        return called | study.config.models

    return _kept(view, f"models {_calls_file(view)}", find)


def family_probe(view: View, on: str) -> tuple[FamilyProbe, ...]:
    """Whether judges favour ideas of their own model family; a person has none."""
    models = judge_models(view)

    def find(study: Study, settings: Settings) -> tuple[FamilyProbe, ...]:
        from core.agreement import family_probe

        return family_probe(study, on, settings, families=_families(models))

    return _kept(view, f"family {on} {sorted(models.items())}", find)


def queue(view: View, judge: str, on: str) -> Queue:
    """The ideas that a person is asked to mark."""
    from core.judging.queue import queue

    return _kept(view, f"queue {(judge, on)!r}", lambda s, own: queue(s, judge, on, settings=own))


def replies(view: View, table: str, unit: Mapping[str, str], judge: str) -> tuple[Reply, ...]:
    """What a judge replied about one unit, to the letter."""
    from core.judging.replies import replies_of

    name = f"replies {table} {sorted(unit.items())} {judge!r} {_calls_file(view)}"
    return _kept(view, name, lambda s, _: replies_of(s, table, unit, judge))


def _families(models: Mapping[str, str]) -> Callable[[str], Sequence[str]]:
    from core.judging.families import families
    from core.judging.queue import is_person

    return lambda name: () if is_person(name) else families(models.get(name, name))


def _calls_file(view: View) -> str:
    """When the calls were last written: they are no part of the study's digest."""
    path = (view.study.folder or Path()) / CALLS_FILE
    try:
        stat = path.stat()
    except OSError:
        return "none"
    return f"{stat.st_mtime_ns} {stat.st_size}"


def _kept(view: View, name: str, compute: Callable[[Study, Any], Result]) -> Result:
    return cached.kept(f"judging: {name}", view, compute, *_BESIDE)
