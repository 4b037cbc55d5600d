"""What is planted: which problem–method pairs the systems' ideas foresee, and how many papers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.errors import UsageError
from core.simulation.texts import topics

GROUNDED = "retrieval-augmented"
VAGUE = "vanilla"
SYSTEMS = (GROUNDED, VAGUE)

# Papers that take up an idea, for a topic's ten ideas of a system at 3,000 papers.
_PLANTED = {GROUNDED: (14, 12, 11, 9, 8, 7, 6, 4, 0, 0), VAGUE: (9, 7, 5, 4, 0, 0, 0, 0, 0, 0)}
_REFERENCE_PAPERS_PER_IDEA = 30
_MOST_PER_PAIR = 45
_LEAST_FREE_PAIRS = 200


@dataclass(frozen=True, kw_only=True)
class Direction:
    """One idea's place in its topic: a pair of problem and method, and the papers planted on it."""

    idea_id: str
    system: str
    topic: int
    problem: int
    method: int
    papers: int


def directions(rng: np.random.Generator, *, papers: int, ideas: int) -> tuple[Direction, ...]:
    """One direction an idea, ``ideas`` a system, spread evenly over the topics.

    Within a topic no two ideas share a pair, and as far as there are enough none shares a
    problem or a method. Raises :class:`UsageError` where a topic has too few pairs.
    """
    texts = topics()
    pairs = min(len(topic.problems) * len(topic.methods) for topic in texts)
    most = (pairs - _LEAST_FREE_PAIRS) // len(SYSTEMS) * len(texts)
    if not 1 <= ideas <= most:
        raise UsageError(f"--ideas must be from 1 to {most} a system, not {ideas}.")
    factor = papers / ideas / _REFERENCE_PAPERS_PER_IDEA
    found: list[Direction] = []
    numbers = dict.fromkeys(SYSTEMS, 0)
    for place, topic in enumerate(texts):
        wanted = ideas // len(texts) + (place < ideas % len(texts))
        problems = rng.permutation(len(topic.problems))
        methods = rng.permutation(len(topic.methods))
        slot = 0
        for system in SYSTEMS:
            profile = rng.permutation(_PLANTED[system])
            for number in range(wanted):
                count = int(profile[number % len(profile)])
                numbers[system] += 1
                found.append(
                    Direction(
                        idea_id=f"{'ra' if system == GROUNDED else 'bl'}-{numbers[system]:03d}",
                        system=system,
                        topic=place,
                        problem=int(problems[slot % len(problems)]),
                        method=int(methods[(slot + slot // len(problems)) % len(methods)]),
                        papers=min(_MOST_PER_PAIR, max(1, round(count * factor))) if count else 0,
                    )
                )
                slot += 1
    return tuple(found)
