"""The simulated references: reviewed papers of three venues whose reviewers differ in severity.

Shares of venues and decisions, and the venues' mean scores, are those that LigBench reports
(§3.1, Table 1). Titles, scores and decisions are invented. A reference's planted quality is its
debiased score: what is left when the venue's severity is taken off.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.simulation.papers import paper_text
from core.simulation.phrases import fill, pick, pick_some, raised
from core.simulation.plan import Direction
from core.simulation.texts import reviews, topics

REFERENCES = 160
VENUES = (("ICLR", 2024, 0.324), ("ICLR", 2025, 0.367), ("NeurIPS", 2024, 0.309))
VENUE_MEANS = ((2.740, 2.689, 2.472), (2.821, 2.687, 2.498), (2.918, 2.914, 2.721))
DECISIONS = (("oral", 0.018), ("spotlight", 0.043), ("poster", 0.573), ("reject", 0.366))
SCALE = "simulated reviews, already 0 to 5"

_SPREADS = (0.62, 0.55, 0.48)
_SHARED = 0.8
_DECISION_NOISE = 0.2

Floats = NDArray[np.float64]
Pair = tuple[int, int, int]


def reference_rows(
    rng: np.random.Generator,
    planted: Sequence[Direction],
    pool_pairs: Iterable[Pair],
    titles: Iterable[str],
) -> list[dict[str, Any]]:
    """The rows of ``references``, with ``_pair`` (topic, problem, method) beside.

    They name pairs that no idea has and, as far as there are enough, no paper of the pool;
    ``titles`` are those already given.
    """
    text_rng, score_rng, venue_rng, decision_rng = rng.spawn(4)
    pairs = _pairs(text_rng, planted, set(pool_pairs))
    venue = venue_rng.permutation(np.repeat(np.arange(len(VENUES)), _counts(VENUES)))
    scores = _scores(score_rng, venue)
    decisions = _decisions(decision_rng, scores, venue)
    given = set(titles)
    rows = []
    for number, (topic, problem, method) in enumerate(pairs):
        name, year, _ = VENUES[venue[number]]
        title, abstract = paper_text(text_rng, topics()[topic], problem, method, given)
        rows.append(
            {
                "reference_id": f"ref-{number + 1:03d}",
                "title": title,
                "abstract": abstract,
                "venue": name,
                "year": year,
                "decision": decisions[number],
                "area": topics()[topic].topic,
                "rating": float(scores[number, 0]),
                "contribution": float(scores[number, 1]),
                "soundness": float(scores[number, 2]),
                **_parts(text_rng, topic, problem, method),
                "extra": {"scale": SCALE},
                "_pair": (topic, problem, method),
            }
        )
    return rows


def severity_free(rows: Sequence[dict[str, Any]]) -> Floats:
    """What judges see in each reference, (references, 3): its score without its venue's shift."""
    scores = np.array([[row["rating"], row["contribution"], row["soundness"]] for row in rows])
    venue = np.array([f"{row['venue']} {row['year']}" for row in rows])
    shifted = scores + scores.mean(axis=0)
    for name in np.unique(venue):
        shifted[venue == name] -= scores[venue == name].mean(axis=0)
    return np.asarray(shifted)


def _pairs(
    rng: np.random.Generator, planted: Sequence[Direction], pool_pairs: set[Pair]
) -> list[Pair]:
    of_ideas = {(idea.topic, idea.problem, idea.method) for idea in planted}
    found: list[Pair] = []
    for number, topic in enumerate(topics()):
        wanted = REFERENCES // len(topics()) + (number < REFERENCES % len(topics()))
        every = [
            (number, problem, method)
            for problem in range(len(topic.problems))
            for method in range(len(topic.methods))
            if (number, problem, method) not in of_ideas
        ]
        mixed = [every[int(place)] for place in rng.permutation(len(every))]
        mixed.sort(key=lambda pair: pair in pool_pairs)
        found += mixed[:wanted]
    return [found[int(place)] for place in rng.permutation(len(found))]


def _counts(shares: Sequence[tuple[Any, ...]]) -> list[int]:
    """Whole numbers in these proportions (the last of each entry), by largest remainder."""
    exact = np.array([entry[-1] for entry in shares]) * REFERENCES
    counts = np.floor(exact).astype(int)
    rest = np.argsort(counts - exact, kind="stable")[: REFERENCES - counts.sum()]
    counts[rest] += 1
    return [int(count) for count in counts]


def _scores(rng: np.random.Generator, venue: NDArray[np.int64]) -> Floats:
    """(references, 3) on 0 to 5; each venue's means are those of Table 1."""
    shared = rng.standard_normal((REFERENCES, 1))
    own = rng.standard_normal((REFERENCES, len(_SPREADS)))
    scores = (_SHARED * shared + np.sqrt(1 - _SHARED**2) * own) * _SPREADS
    for number, means in enumerate(VENUE_MEANS):
        scores[venue == number] += np.array(means) - scores[venue == number].mean(axis=0)
    return np.asarray(np.round(np.clip(scores, 0, 5), 3))


def _decisions(rng: np.random.Generator, scores: Floats, venue: NDArray[np.int64]) -> list[str]:
    """Decisions go by the rating beside the venue's own mean, with some chance."""
    means = np.array(VENUE_MEANS)[venue, 0]
    liked = scores[:, 0] - means + _DECISION_NOISE * rng.standard_normal(REFERENCES)
    names = np.repeat([name for name, _ in DECISIONS], _counts(DECISIONS))
    decided = np.empty(REFERENCES, dtype=object)
    decided[np.argsort(-liked, kind="stable")] = names
    return [str(name) for name in decided]


def _parts(rng: np.random.Generator, number: int, problem: int, method: int) -> dict[str, str]:
    topic = topics()[number]
    what, means = topic.problems[problem], topic.methods[method]
    first, second = pick_some(rng, topic.settings, 2)
    slots = {
        "p": what.name,
        "P": raised(what.name),
        "m": means.name,
        "M": raised(means.name),
        "s": first,
        "t": second,
        "how": means.how,
        "why": means.why,
    }
    return {name: fill(pick(rng, lines), slots) for name, lines in reviews()["parts"].items()}
