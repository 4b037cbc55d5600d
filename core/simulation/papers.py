"""The simulated pool: papers that take up planted directions, and many that do not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import UsageError
from core.simulation.phrases import fill, raised, title_case, with_numbers, words
from core.simulation.plan import GROUNDED, VAGUE, Direction
from core.simulation.texts import TopicTexts, frames, topics

CUTOFF = date(2023, 6, 1)
SNAPSHOT = date(2025, 12, 31)
MOST_PAPERS = 200_000
ABSTRACT_WORDS = (80, 150)

_BEFORE_CUTOFF = 0.07
_DAYS_BEFORE = 120
_TOP_VENUE = 0.08
_SHARES = {"no_abstract": 0.03, "unknown_citations": 0.03, "month": 0.04, "year": 0.004}
_UNDATED = 0.004
# How papers on a grounded idea, on a vague one and on none are cited and placed.
_CITATION_SCALE = {GROUNDED: 7.0, VAGUE: 4.0, None: 2.5}
_VENUE_WEIGHT = {GROUNDED: 4.0, VAGUE: 5.0, None: 1.0}
_TAIL = 1.25
_ACL_MEETINGS = {2023: "61st", 2024: "62nd", 2025: "63rd"}
_VISUAL = ("Diffusion Models", "Multimodal LLMs")
_VISION_VENUE = re.compile(r"CVPR|ECCV|WACV|Computer Vision")


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Where each paper stands: one entry a paper; ``direction`` is −1 where none is planted."""

    topic: NDArray[np.int64]
    problem: NDArray[np.int64]
    method: NDArray[np.int64]
    direction: NDArray[np.int64]
    system: tuple[str | None, ...]


def place(rng: np.random.Generator, planted: Sequence[Direction], papers: int) -> Placement:
    """Give every paper a topic and a pair; pairs of ideas hold their planted papers alone."""
    rows = [
        (idea.topic, idea.problem, idea.method, number)
        for number, idea in enumerate(planted)
        for _ in range(idea.papers)
    ]
    if not 1 <= papers <= MOST_PAPERS:
        raise UsageError(f"--papers must be from 1 to {MOST_PAPERS}, not {papers}.")
    rows = rows[:papers]
    texts = topics()
    share = np.arange(papers - len(rows)) % len(texts)
    for number, topic in enumerate(texts):
        taken = {(idea.problem, idea.method) for idea in planted if idea.topic == number}
        free = [
            (problem, method)
            for problem in range(len(topic.problems))
            for method in range(len(topic.methods))
            if (problem, method) not in taken
        ]
        chosen = rng.integers(len(free), size=int((share == number).sum()))
        rows += [(number, *free[int(pair)], -1) for pair in chosen]
    table = np.array(rows, dtype=np.int64)[rng.permutation(papers)]
    return Placement(
        topic=table[:, 0],
        problem=table[:, 1],
        method=table[:, 2],
        direction=table[:, 3],
        system=tuple(planted[int(d)].system if d >= 0 else None for d in table[:, 3]),
    )


def paper_rows(
    rng: np.random.Generator, placed: Placement, published: NDArray[np.int64] | None = None
) -> list[dict[str, Any]]:
    """The rows of ``papers``, in the order of their dates, with ``_direction`` and ``_top`` beside.

    Texts, dates, citations, venues and gaps come from streams of their own. ``published``, days
    after the cutoff, stands in for drawn dates.
    """
    count = len(placed.topic)
    text_rng, date_rng, citation_rng, venue_rng, gap_rng = rng.spawn(5)
    if published is None:
        published = _dates(date_rng, placed)
    citations = _citations(citation_rng, placed, published)
    venues, at_top = _venues(venue_rng, placed, published)
    marks = {name: gap_rng.random(count) < share for name, share in _SHARES.items()}
    undated = gap_rng.random(count) < _UNDATED
    titles: set[str] = set()
    rows: list[dict[str, Any]] = []
    width = len(str(count))
    for number, row in enumerate(np.argsort(published, kind="stable")):
        topic = topics()[placed.topic[row]]
        title, abstract = paper_text(
            text_rng, topic, int(placed.problem[row]), int(placed.method[row]), titles
        )
        day = CUTOFF + timedelta(days=int(published[row]))
        precision = "year" if marks["year"][row] else "month" if marks["month"][row] else "day"
        rows.append(
            {
                "paper_id": f"p{number + 1:0{width}d}",
                "title": title,
                "abstract": None if marks["no_abstract"][row] else abstract,
                "published": None if undated[row] else _written(day, precision),
                "date_precision": None if undated[row] else precision,
                "venue": venues[row] or None,
                "citations": None if marks["unknown_citations"][row] else int(citations[row]),
                "topics": [topic.topic],
                "_direction": int(placed.direction[row]),
                "_top": bool(at_top[row]),
            }
        )
    return rows


def _dates(rng: np.random.Generator, placed: Placement) -> NDArray[np.int64]:
    """Days after the cutoff; the field grows, and planted papers all lie in the window."""
    count = len(placed.topic)
    last = (SNAPSHOT - CUTOFF).days
    days = 1 + np.floor(last * rng.random(count) ** 0.75).astype(np.int64)
    free = np.flatnonzero(placed.direction < 0)
    early = rng.permutation(free)[: round(_BEFORE_CUTOFF * count)]
    days[early] = -rng.integers(0, _DAYS_BEFORE, size=len(early))
    return np.minimum(days, last)


def _citations(
    rng: np.random.Generator, placed: Placement, published: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Pareto counts that grow with age."""
    age = ((SNAPSHOT - CUTOFF).days - published) / 365.25
    scale = np.array([_CITATION_SCALE[system] for system in placed.system])
    draws = rng.pareto(_TAIL, len(age))
    return np.floor(scale * draws * age**1.3).astype(np.int64)


def _venues(
    rng: np.random.Generator, placed: Placement, published: NDArray[np.int64]
) -> tuple[list[str], NDArray[np.bool_]]:
    """A venue a paper, and whether a top one: a fixed share at top venues, more of them where a direction is planted."""
    count = len(published)
    weight = np.array([_VENUE_WEIGHT[system] for system in placed.system])
    weight[published > (SNAPSHOT - CUTOFF).days - 120] *= 0.2
    top = rng.choice(count, size=round(_TOP_VENUE * count), replace=False, p=weight / weight.sum())
    draws = rng.integers(1 << 30, size=count)
    at_top = np.zeros(count, dtype=bool)
    at_top[top] = True
    lists = [_venue_lists(topic.topic) for topic in topics()]
    venues = []
    for row in range(count):
        spellings = lists[placed.topic[row]]["top" if at_top[row] else "other"]
        day = CUTOFF + timedelta(days=int(published[row]))
        year = min(day.year + (day.month > 6), SNAPSHOT.year)
        venue = spellings[int(draws[row]) % len(spellings)]
        venues.append(venue.format(year=year, ordinal=_ACL_MEETINGS[year]))
    return venues, at_top


def _venue_lists(topic: str) -> dict[str, list[str]]:
    """The spellings of venues that take papers on the topic."""
    spellings = frames()["venues"]
    return {
        kind: [v for v in spellings[kind] if topic in _VISUAL or not _VISION_VENUE.search(v)]
        for kind in ("top", "other")
    }


def _written(day: date, precision: str) -> str:
    return day.isoformat()[: {"day": 10, "month": 7, "year": 4}[precision]]


def paper_text(
    rng: np.random.Generator, topic: TopicTexts, problem: int, method: int, titles: set[str]
) -> tuple[str, str]:
    """A title that no paper has yet, and an abstract."""
    paper = frames()["paper"]
    what, means = topic.problems[problem], topic.methods[method]
    for attempt in range(400):
        first, second = rng.permutation(len(topic.settings))[:2]
        slots = {
            "p": what.name,
            "P": raised(what.name),
            "m": means.name,
            "M": raised(means.name),
            "s": topic.settings[int(first)],
            "t": topic.settings[int(second)],
        }
        short = attempt == 0 and rng.random() < 0.35
        kind = paper["short_titles" if short else "titles"]
        title = title_case(fill(kind[int(rng.integers(len(kind)))], slots))
        if title not in titles:
            titles.add(title)
            break
    else:
        raise UsageError("So many papers need titles that they run out; lower --papers.")
    first, second = rng.permutation(len(topic.findings))[:2]
    slots |= {
        "says": what.says,
        "how": means.how,
        "why": means.why,
        "f": with_numbers(topic.findings[int(first)], rng),
        "g": with_numbers(topic.findings[int(second)], rng),
    }
    return title, _abstract(rng, topic, slots)


def _abstract(rng: np.random.Generator, topic: TopicTexts, slots: dict[str, str]) -> str:
    """Sentences in one of three orders, within the limits of length."""
    paper = frames()["paper"]

    def say(name: str) -> str:
        lines = paper[name]
        return fill(lines[int(rng.integers(len(lines)))], slots)

    gap = topic.gaps[int(rng.integers(len(topic.gaps)))]
    order = rng.random()
    if order < 0.5:
        parts = [slots["says"], gap, say("propose")]
    elif order < 0.8:
        parts = [say("open_method")]
    else:
        parts = [say("open_question"), gap]
    parts += [say("because"), say("results"), say("further")]
    closers = iter(rng.permutation(len(paper["closers"])))
    wanted = int(rng.integers(92, 126))
    length = sum(words(part) for part in parts)
    while length < wanted:
        closer = fill(paper["closers"][int(next(closers))], slots)
        if length + words(closer) > ABSTRACT_WORDS[1]:
            break
        parts.append(closer)
        length += words(closer)
    if length > ABSTRACT_WORDS[1]:
        parts.remove(gap)
    return " ".join(parts)
