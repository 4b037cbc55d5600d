"""The simulated LigBench judges: what ideas are worth, first marks, and choices in both orders.

Planted: every idea has a quality from 0 to 5 in each dimension, on the scale of the debiased
references. The retrieval-augmented system's ideas are sounder, the vanilla system's newer; those
that later papers take up are rated a little higher. A judge sees the gap between idea and
reference through noise, and whichever of the two is shown first gains a little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.simulation.ideas import Outlook, slots_of
from core.simulation.marks import JUDGES
from core.simulation.phrases import fill, pick, pick_some, raised
from core.simulation.plan import GROUNDED, VAGUE, Direction
from core.simulation.references import severity_free
from core.simulation.texts import reviews, topics

MET = 8
"""References that an idea is compared with."""
DIMENSIONS = ("rating", "contribution", "soundness", "novelty")

_CENTRE = np.array([2.62, 2.55, 2.45, 2.40])
_SYSTEM = {
    GROUNDED: np.array([-0.10, -0.07, 0.06, -0.12]),
    VAGUE: np.array([0.08, 0.06, -0.10, 0.18]),
}
_OF_WORTH = np.array([0.34, 0.28, 0.22, -0.10])
_SPREADS = np.array([0.62, 0.55, 0.50, 0.48])
_SHARED = 0.75
_REFUSED, _UNREADABLE = 0.006, 0.006
_TIE = 0.06
_START_NOISE = 0.45

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Comparer:
    """How a judge compares: noise of a pair, noise of a reply, gain of the one shown first."""

    name: str
    noise: float
    shake: float
    first: float
    start: float


COMPARERS = (
    Comparer(name=JUDGES[0].name, noise=0.46, shake=0.04, first=0.115, start=0.35),
    Comparer(name=JUDGES[1].name, noise=0.36, shake=0.03, first=0.085, start=-0.15),
)


def qualities(
    rng: np.random.Generator, planted: Sequence[Direction], outlooks: Sequence[Outlook]
) -> Floats:
    """Planted quality of each idea, (ideas, 4) in the order of ``DIMENSIONS``, 0 to 5."""
    shared = rng.standard_normal((len(planted), 1))
    own = rng.standard_normal((len(planted), len(DIMENSIONS)))
    worth = np.array([[outlook.worth] for outlook in outlooks])
    shift = np.array([_SYSTEM[idea.system] for idea in planted])
    spread = (_SHARED * shared + np.sqrt(1 - _SHARED**2) * own) * _SPREADS
    return np.asarray(np.clip(_CENTRE + shift + _OF_WORTH * (worth - 0.4) + spread, 0, 5))


def start_rows(
    rng: np.random.Generator,
    planted: Sequence[Direction],
    outlooks: Sequence[Outlook],
    quality: Floats,
) -> list[dict[str, Any]]:
    """The rows of ``starts``: one set of marks a judge and idea, in tenths; flowers add novelty."""
    rows: list[dict[str, Any]] = []
    for judge in COMPARERS:
        noise = _START_NOISE * rng.standard_normal(quality.shape)
        marks = np.round(np.clip(quality + judge.start + noise, 0, 5), 1)
        chance = rng.random(len(planted))
        for number, (idea, outlook) in enumerate(zip(planted, outlooks, strict=True)):
            row = {"idea_id": idea.idea_id, "judge": judge.name, "repeat": 1}
            failed = _failed(rng, float(chance[number]))
            if failed:
                rows.append({**row, **failed})
                continue
            given = dict(zip(DIMENSIONS, marks[number].tolist(), strict=True))
            given["novelty"] = round(min(5.0, given["novelty"] + 0.8 * outlook.flair), 1)
            level = (
                "high" if given["rating"] > 3.2 else "low" if given["rating"] < 2.3 else "middle"
            )
            slots = slots_of(idea, pick_some(rng, topics()[idea.topic].settings, 2))
            reason = fill(pick(rng, reviews()["marks"][level]), slots)
            rows.append({**row, **given, "reason": reason, "state": "ok"})
    return rows


def comparison_rows(
    rng: np.random.Generator,
    planted: Sequence[Direction],
    quality: Floats,
    references: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    """The rows of ``comparisons``, each pair in both orders: every idea against 8 references of
    its topic, and every reference against the next one of its topic, for the judges' accuracy.

    An outcome is 1 where the perceived gap is above 0.06, 0 below −0.06, else 0.5.
    """
    worth = severity_free(references)
    met = _met(rng, planted, references)
    pairs = [
        _Pair(idea=idea, name=idea.idea_id, reference=references[place], gap=gap)
        for idea, places, own in zip(planted, met, quality, strict=True)
        for place, gap in zip(places, own[:3] - worth[places], strict=True)
    ]
    pairs += [
        _Pair(
            idea=_direction(references[one]),
            name=references[one]["reference_id"],
            reference=references[other],
            gap=worth[one] - worth[other],
        )
        for one, other in _neighbours(references)
    ]
    rows: list[dict[str, Any]] = []
    for judge in COMPARERS:
        gaps = np.array([pair.gap for pair in pairs])
        seen = gaps + judge.noise * rng.standard_normal(gaps.shape)
        shake = judge.shake * rng.standard_normal((2, *gaps.shape))
        chance = rng.random((2, len(pairs)))
        for number, pair in enumerate(pairs):
            for turn, order in enumerate(("idea_first", "reference_first")):
                leaning = judge.first if turn == 0 else -judge.first
                row = {
                    "idea_id": pair.name,
                    "reference_id": pair.reference["reference_id"],
                    "judge": judge.name,
                    "order": order,
                    "repeat": 1,
                }
                ended = _failed(rng, float(chance[turn, number]))
                felt = seen[number] + shake[turn, number] + leaning
                rows.append(row | (ended or _choice(rng, pair.idea, pair.reference, felt)))
    return rows


@dataclass(frozen=True, kw_only=True)
class _Pair:
    """An idea, or a reference in an idea's place, and the reference that it meets."""

    idea: Direction
    name: str
    reference: dict[str, Any]
    gap: Floats


def _direction(reference: dict[str, Any]) -> Direction:
    topic, problem, method = reference["_pair"]
    name = reference["reference_id"]
    return Direction(
        idea_id=name, system="reference", topic=topic, problem=problem, method=method, papers=0
    )


def _neighbours(references: Sequence[dict[str, Any]]) -> list[tuple[int, int]]:
    """Each reference with the next one of its topic, the last with the first."""
    by_topic: dict[int, list[int]] = {}
    for place, row in enumerate(references):
        by_topic.setdefault(row["_pair"][0], []).append(place)
    return [
        pair
        for topic in sorted(by_topic)
        for pair in zip(by_topic[topic], by_topic[topic][1:] + by_topic[topic][:1], strict=True)
    ]


def _met(
    rng: np.random.Generator, planted: Sequence[Direction], references: Sequence[dict[str, Any]]
) -> NDArray[np.int64]:
    """Places of the references that each idea meets, (ideas, 8): of its topic, drawn by seed."""
    pairs = np.array([row["_pair"] for row in references])
    own = {topic: np.flatnonzero(pairs[:, 0] == topic) for topic in range(len(topics()))}
    return np.array([np.sort(rng.permutation(own[idea.topic])[:MET]) for idea in planted])


def _choice(
    rng: np.random.Generator, idea: Direction, reference: dict[str, Any], felt: Floats
) -> dict[str, Any]:
    rating, contribution, soundness = (
        0.5 if abs(value) < _TIE else float(value > 0) for value in felt.tolist()
    )
    topic, problem, method = reference["_pair"]
    other = topics()[topic].methods[method].name
    slots = slots_of(idea, pick_some(rng, topics()[idea.topic].settings, 2)) | {
        "p": topics()[topic].problems[problem].name,
        "other": other,
        "Other": raised(other),
    }
    lines = reviews()["verdicts"]
    said = [pick(rng, lines["idea" if rating == 1 else "reference" if rating == 0 else "tie"])]
    if soundness != rating and soundness != 0.5:
        said += lines["sounder_idea" if soundness == 1 else "sounder_reference"]
    return {
        "rating": rating,
        "contribution": contribution,
        "soundness": soundness,
        "reason": fill(" ".join(said), slots),
        "state": "ok",
    }


def _failed(rng: np.random.Generator, chance: float) -> dict[str, Any] | None:
    """A refusal or an unreadable reply, where chance will have it."""
    if chance >= _REFUSED + _UNREADABLE:
        return None
    state = "refused" if chance < _REFUSED else "parse_failed"
    return {"reason": pick(rng, reviews()["failed"][state]), "state": state}
