"""The simulated ideas: concrete ones, vague ones, and how flowery each is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.simulation.phrases import fill, lowered, pick, pick_some, raised, words
from core.simulation.plan import GROUNDED, Direction
from core.simulation.texts import frames, topics


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What the marks go by: worth of the planted papers, flowery language, length in words."""

    worth: float
    flair: float
    length: int


def idea_rows(
    rng: np.random.Generator,
    planted: Sequence[Direction],
    papers: Mapping[int, Sequence[str]],
    placed: Mapping[int, bool],
) -> tuple[list[dict[str, Any]], list[Outlook]]:
    """The rows of ``ideas``, and what the judges will see in each.

    ``papers`` names the papers planted on each direction, ``placed`` says of which one stands at
    a top venue. Ideas whose papers did well are written more plainly, as the paper found.
    """
    rows: list[dict[str, Any]] = []
    outlooks: list[Outlook] = []
    titles: set[str] = set()
    for number, idea in enumerate(planted):
        worth = 0.5 * (number in papers) + 0.5 * placed.get(number, False)
        flair = _flair(rng, idea.system, worth)
        texts = _grounded(rng, idea, flair) if idea.system == GROUNDED else _vague(rng, idea, flair)
        texts["title"] = _new_title(rng, idea, titles)
        topic = topics()[idea.topic]
        rows.append(
            {
                "idea_id": idea.idea_id,
                "system": idea.system,
                "topic": topic.topic,
                **texts,
                "key_terms": [topic.problems[idea.problem].name, topic.methods[idea.method].name],
                "extra": {"planted": list(papers.get(number, ()))},
            }
        )
        length = sum(words(text) for text in texts.values())
        outlooks.append(Outlook(worth=worth, flair=flair, length=length))
    return rows, outlooks


def slots_of(idea: Direction, settings: Sequence[str]) -> dict[str, str]:
    """The slots that every frame on an idea may use."""
    topic = topics()[idea.topic]
    problem, method = topic.problems[idea.problem].name, topic.methods[idea.method].name
    return {
        "topic": topic.topic,
        "topic_low": topic.topic if _is_name(topic.topic) else topic.topic.lower(),
        "p": problem,
        "P": raised(problem),
        "m": method,
        "M": raised(method),
        "s": settings[0],
        "t": settings[-1],
    }


def _is_name(topic: str) -> bool:
    return any(word[1:2].isupper() for word in topic.split())


def _flair(rng: np.random.Generator, system: str, worth: float) -> float:
    """How flowery an idea is, 0 to 1: less so where it is worth more."""
    middle = 0.65 - 0.38 * worth if system == GROUNDED else 0.62 - 0.16 * worth
    return float(np.clip(middle + 0.21 * rng.standard_normal(), 0, 1))


def _new_title(rng: np.random.Generator, idea: Direction, titles: set[str]) -> str:
    kind = "grounded" if idea.system == GROUNDED else "vague"
    settings = topics()[idea.topic].settings
    for _ in range(1000):
        slots = slots_of(idea, pick_some(rng, settings, 2))
        title = raised(fill(pick(rng, frames()[kind]["titles"]), slots))
        if title not in titles:
            break
    else:
        title = f"{title} ({idea.idea_id})"
    titles.add(title)
    return title


def _grounded(rng: np.random.Generator, idea: Direction, flair: float) -> dict[str, str]:
    topic, frame = topics()[idea.topic], frames()["grounded"]
    method = topic.methods[idea.method]
    slots = slots_of(idea, pick_some(rng, topic.settings, 2)) | {
        "asks": topic.problems[idea.problem].asks,
        "plan": method.plan,
        "why": method.why,
        "gap": pick(rng, topic.gaps),
    }
    flowers = pick_some(rng, frames()["flair"]["sentences"], round(3 * flair))
    method_parts = [fill(pick(rng, frame["method"]), slots), fill(pick(rng, frame["aims"]), slots)]
    method_parts += pick_some(rng, frame["details"], int(rng.integers(2)))
    return {
        "problem": fill(pick(rng, frame["problem"]), slots),
        "rationale": " ".join([fill(pick(rng, frame["rationale"]), slots), *flowers]),
        "method": " ".join(method_parts),
    }


def _vague(rng: np.random.Generator, idea: Direction, flair: float) -> dict[str, str]:
    topic, frame = topics()[idea.topic], frames()["vague"]
    aim = pick(rng, topic.aims)
    slots = slots_of(idea, pick_some(rng, topic.settings, 2)) | {
        "asks": topic.problems[idea.problem].asks,
        "plan": topic.methods[idea.method].plan,
        "aim": aim,
        "aim_low": lowered(aim),
        "vision": pick(rng, topic.visions),
    }
    near = "near" if idea.papers else "far"
    flowers = pick_some(rng, frames()["flair"]["sentences"], round(2.4 * flair))
    extras = pick_some(rng, frame["extras"], 1)
    return {
        "problem": fill(pick(rng, frame[f"problem_{near}"]), slots),
        "rationale": " ".join([fill(pick(rng, frame["rationale"]), slots), *flowers]),
        "method": " ".join([fill(pick(rng, frame[f"method_{near}"]), slots), *extras]),
    }
