"""The simulated judges: two, three repeats each, with the biases that HindSight reports.

Both take flowery language for novelty and impact, and doubt that it can be done; both like long
texts, the lenient judge more. Neither sees the papers that came later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.simulation.ideas import Outlook, slots_of
from core.simulation.phrases import fill, pick, pick_some
from core.simulation.plan import Direction
from core.simulation.texts import frames, topics

REPEATS = 3
_REFUSED, _UNREADABLE = 0.014, 0.012
_SPREAD = 0.55


@dataclass(frozen=True, kw_only=True)
class Judge:
    """A judge's leanings, in marks: base shift, per unit of flair, per 50 words of length."""

    name: str
    shift: float
    flair: float
    length: float


JUDGES = (
    Judge(name="lenient-judge", shift=0.45, flair=1.9, length=0.22),
    Judge(name="strict-judge", shift=-0.45, flair=2.4, length=0.10),
)


def score_rows(
    rng: np.random.Generator, planted: Sequence[Direction], outlooks: Sequence[Outlook]
) -> list[dict[str, Any]]:
    """The rows of ``scores``: integer marks from 1 to 10 with a reason, and how each call ended."""
    lengths = np.array([outlook.length for outlook in outlooks], dtype=float)
    usual = {
        system: float(
            np.mean(
                [o.length for o, d in zip(outlooks, planted, strict=True) if d.system == system]
            )
        )
        for system in {direction.system for direction in planted}
    }
    promise = rng.normal(0, 0.35, size=len(planted))
    rows: list[dict[str, Any]] = []
    for judge in JUDGES:
        for number, (idea, outlook) in enumerate(zip(planted, outlooks, strict=True)):
            extra = (lengths[number] - usual[idea.system]) / 50 * judge.length
            leanings = _leanings(judge, outlook, extra + float(promise[number]))
            for repeat in range(1, REPEATS + 1):
                rows.append(_mark(rng, judge, idea, outlook, repeat, leanings))
    return rows


def _leanings(judge: Judge, outlook: Outlook, liking: float) -> dict[str, float]:
    """What a judge would give before chance: novelty, feasibility, impact, overall."""
    flair = outlook.flair
    return {
        "novelty": 5.75 + judge.shift + judge.flair * flair + 0.4 * liking,
        "feasibility": 8.1 + judge.shift - 1.3 * flair + 0.4 * liking,
        "impact": 7.2 + judge.shift + 0.6 * judge.flair * flair + 0.5 * liking,
        "overall": 7.4 + judge.shift + 0.1 * judge.flair * (flair - 0.5) + liking,
    }


def _mark(
    rng: np.random.Generator,
    judge: Judge,
    idea: Direction,
    outlook: Outlook,
    repeat: int,
    leanings: dict[str, float],
) -> dict[str, Any]:
    row: dict[str, Any] = {"idea_id": idea.idea_id, "judge": judge.name, "repeat": repeat}
    noise = rng.normal(0, _SPREAD, size=len(leanings))
    marks = {
        name: int(np.clip(np.rint(middle + shake), 1, 10))
        for (name, middle), shake in zip(leanings.items(), noise, strict=True)
    }
    chance = rng.random()
    lines = frames()["reasons"]
    if chance < _REFUSED:
        return {**row, "reason": pick(rng, lines["refusals"]), "state": "refused"}
    if chance < _REFUSED + _UNREADABLE:
        return {**row, "reason": pick(rng, lines["unreadable"]), "state": "parse_failed"}
    return {**row, **marks, "reason": _reason(rng, idea, outlook, marks), "state": "ok"}


def _reason(
    rng: np.random.Generator, idea: Direction, outlook: Outlook, marks: dict[str, int]
) -> str:
    """Two to four sentences that fit the marks."""
    slots = slots_of(idea, pick_some(rng, topics()[idea.topic].settings, 2))
    lines = frames()["reasons"]
    names = [
        f"{_level(marks['novelty'], 6, 8)}_novelty",
        f"{_level(marks['feasibility'], 7, 8)}_feasibility",
    ]
    if outlook.length > 150 and rng.random() < 0.5:
        names.append("long")
    if rng.random() < 0.7:
        names.append(f"{_level(marks['overall'], 7, 8)}_overall")
    return " ".join(fill(pick(rng, lines[name]), slots) for name in names)


def _level(mark: int, middle: int, high: int) -> str:
    return "high" if mark >= high else "middle" if mark >= middle else "low"
