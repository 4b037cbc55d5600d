"""People as judges: the ideas that most need a person's eye, and their marks in the study.

A person is a judge named ``NAME (person)``, so that nobody's marks are taken for a model's.
Each idea has one row of theirs, repeat 1 without a call; marking it again replaces that row.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.agreement.views import disagreements
from core.config import JUDGE_DIMENSIONS, QUEUE_LENGTH, Settings
from core.errors import UsageError, nearest
from core.judging.tables import merge_rows
from core.study import Study

if TYPE_CHECKING:
    import pandas as pd

PERSON = " (person)"
LONGEST_NAME = 40
LONGEST_REASON = 4_000
LOW, HIGH = 1, 10
BUNDLED = Path(__file__).resolve().parents[2] / "data" / "demo"
_NAME = re.compile(r"[^\W_][\w .'’-]*")


@dataclass(frozen=True, kw_only=True)
class Queue:
    """The ideas that a person is asked to mark, the most disputed first.

    ``ids`` holds at most ``length`` ideas, ``marked`` those of them that ``judge`` has marked.
    ``sizes`` is each idea's largest difference between two other judges. Where no two of them
    differ on any idea, ``disputed`` is False and the ideas stand in an order drawn from
    ``seed``. ``n`` counts the ideas before ``length`` cut them. ``left_out`` counts marked ideas
    that the study's table of ideas does not hold.
    """

    judge: str
    on: str
    disputed: bool
    ids: tuple[str, ...]
    sizes: Mapping[str, float]
    marked: frozenset[str]
    n: int
    length: int
    left_out: int
    seed: int

    @property
    def next(self) -> str | None:
        """The first idea that the person has not marked; None where all are."""
        return next((idea for idea in self.ids if idea not in self.marked), None)


def is_person(judge: str) -> bool:
    """Whether a judge's name says that it is a person."""
    return judge.endswith(PERSON)


def person_judge(name: str, study: Study) -> str:
    """The judge's name of a person who gave ``name``.

    Allowed are 1 to 40 letters, digits, spaces and . ' - _, beginning with a letter or a digit;
    "(person)" may be written or not. Raises :class:`UsageError` for any other name, for 'all',
    and for one that differs from a person's in the study by its case alone.
    """
    bare = unicodedata.normalize("NFC", " ".join(name.split())).removesuffix(PERSON).strip()
    if not bare:
        raise UsageError("Give your name first: your marks stand under it.")
    if len(bare) > LONGEST_NAME:
        raise UsageError(
            f"The name has {len(bare)} characters; at most {LONGEST_NAME} are allowed."
        )
    if not _NAME.fullmatch(bare):
        raise UsageError(
            f"The name '{bare}' cannot be taken: letters, digits, spaces and . ' - _ are allowed,"
            " and a letter or a digit at its start."
        )
    if bare.casefold() == "all":
        raise UsageError("The name 'all' means all judges together. Choose another.")
    judge = bare + PERSON
    frame = study.scores
    for known in sorted(frame["judge"].unique()):
        if known != judge and str(known).casefold() == judge.casefold():
            raise UsageError(
                f"'{known}' has marked here already. Write the name in the same way to go on,"
                " or choose another."
            )
    if frame.loc[frame["judge"] == judge, "call_id"].notna().any():
        raise UsageError(f"'{judge}' has marks that model calls gave. Choose another name.")
    return judge


def read_only(study: Study) -> str | None:
    """Why marks cannot be saved to this study, None where they can."""
    if study.folder is None:
        return "This study is not in a folder, so nothing can be saved."
    folder = study.folder.resolve()
    if folder == BUNDLED:
        return "The bundled study is read-only. Copy its folder, and mark in the copy."
    if not os.access(folder, os.W_OK):
        return f"The folder {study.folder} cannot be written, so nothing can be saved."
    return None


def queue(
    study: Study,
    judge: str,
    on: str = "overall",
    *,
    settings: Settings | None = None,
    length: int = QUEUE_LENGTH,
) -> Queue:
    """What ``judge`` is asked to mark: where the other judges' marks lie farthest apart.

    The judge's own marks play no part in the order, so it stays as they mark.
    """
    if on not in JUDGE_DIMENSIONS:
        raise UsageError(f"No mark '{on}' of an idea. {nearest(on, JUDGE_DIMENSIONS)}")
    settings = settings or study.settings
    others = replace(study, scores=study.scores[study.scores["judge"] != judge])
    known = set(study.ideas["idea_id"])
    found = disagreements(others, on, limit=len(others.scores) ** 2, settings=settings)
    sizes: dict[str, float] = {}
    for idea, size in zip(found.rows["idea_id"], found.rows["size"], strict=True):
        sizes.setdefault(str(idea), float(size))
    left_out = len(sizes.keys() - known)
    ids = [idea for idea in sizes if idea in known]
    if not ids:
        rng = np.random.default_rng(settings.seed)
        ids = [str(idea) for idea in rng.permutation(sorted(known))]
    chosen = tuple(ids[:length])
    return Queue(
        judge=judge,
        on=on,
        disputed=bool(sizes.keys() & known),
        ids=chosen,
        sizes={idea: sizes[idea] for idea in chosen if idea in sizes},
        marked=frozenset(own_marks(study, judge)) & frozenset(chosen),
        n=len(ids),
        length=length,
        left_out=left_out,
        seed=settings.seed,
    )


def own_marks(study: Study, judge: str) -> dict[str, dict[str, Any]]:
    """A person's marks and reason by idea, as they stand in the study; None where not given."""
    rows: pd.DataFrame = study.scores[study.scores["judge"] == judge]
    names = [*JUDGE_DIMENSIONS, "reason"]
    return {
        str(row["idea_id"]): {name: row[name] if row[name] == row[name] else None for name in names}
        for row in rows.to_dict("records")
    }


def save_marks(
    study: Study,
    judge: str,
    idea_id: str,
    marks: Mapping[str, int | None],
    reason: str = "",
) -> Study:
    """Write a person's four marks of one idea into the study's scores, and give the new study.

    The table on disk is read again first and replaced whole or not at all, one writer after
    another, so marks that others saved meanwhile stay. Raises :class:`UsageError` where the
    study cannot be written, the name is not a person's, the idea is unknown, or a mark is
    missing or no whole number from 1 to 10.
    """
    refused = read_only(study)
    if refused:
        raise UsageError(refused)
    if person_judge(judge, study) != judge:
        raise UsageError(f"'{judge}' is no person's name. Persons are judges named 'NAME{PERSON}'.")
    if idea_id not in set(study.ideas["idea_id"]):
        raise UsageError(f"This study has no idea '{idea_id}'. Reload the page.")
    values = _checked(marks)
    text = reason.strip()
    if len(text) > LONGEST_REASON:
        raise UsageError(
            f"The reason has {len(text):,} characters; at most {LONGEST_REASON:,} are allowed."
        )
    row = {"idea_id": idea_id, "judge": judge, "repeat": 1, **values, "reason": text or None}
    return merge_rows(study, "scores", [{**row, "state": "ok"}])


def _checked(marks: Mapping[str, int | None]) -> dict[str, int]:
    for name in marks:
        if name not in JUDGE_DIMENSIONS:
            raise UsageError(f"No mark '{name}' of an idea. {nearest(name, JUDGE_DIMENSIONS)}")
    missing = [name for name in JUDGE_DIMENSIONS if marks.get(name) is None]
    if missing:
        raise UsageError(f"Give a mark for {', '.join(missing)}, and save again.")
    checked: dict[str, int] = {}
    for name in JUDGE_DIMENSIONS:
        mark = marks[name]
        whole = isinstance(mark, int | np.integer) and not isinstance(mark, bool)
        if mark is None or not whole or not LOW <= mark <= HIGH:
            raise UsageError(
                f"The mark for {name} must be a whole number from 1 to 10, not {mark!r}."
            )
        checked[name] = int(mark)
    return checked
