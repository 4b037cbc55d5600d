"""Topics as rules over titles and abstracts: a paper belongs to every topic that it matches.

A topic's terms are its name, aliases and keywords. A term matches whole words only. Hyphen,
underscore and space are alike ('time-series', 'time series'); any other mark parts words. Case
is free, save for a word that the rules write in capitals ('RAG', 'GNN'): it matches so alone, so
that an acronym is not met by a common word. The last word may carry a plural ('GNNs', 'studies').
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import pandas as pd

from core.errors import DataError, UsageError, nearest
from core.ingest.cleaning import was_cleaned
from core.study import Study

KEYS = ("id", "name", "aliases", "keywords")
SHIPPED = Path("data") / "topics.yaml"
_TOKEN = re.compile(r"[^\W_]+|[^\w\s\-‐‑–]")


@dataclass(frozen=True, kw_only=True)
class Topic:
    """One topic; ``name`` is what the tables' ``topic`` and ``topics`` hold."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()

    @property
    def terms(self) -> tuple[str, ...]:
        """Name, aliases and keywords, each once."""
        return tuple(dict.fromkeys((self.name, *self.aliases, *self.keywords)))


@dataclass(frozen=True, kw_only=True, eq=False)
class TopicsReport:
    """What an assignment found. ``papers`` counts by topic, in the topics' order; ``unmatched``
    papers belong to none; ``per_paper`` is the mean number of topics of a matched paper, None
    where none matched; ``study`` holds the papers as assigned."""

    study: Study
    topics: tuple[Topic, ...]
    papers: Mapping[str, int]
    total: int
    unmatched: int
    per_paper: float | None
    changed: int


def read_topics(path: Path | None = None) -> tuple[Topic, ...]:
    """Topics from a YAML list of ``id, name, aliases, keywords``; the shipped 52 where None.

    Raises :class:`DataError` that names the item: a key unknown or missing, an id or name that
    stands twice, a term without a letter or digit, YAML that does not read.
    """
    import yaml

    path = shipped_topics() if path is None else path
    try:
        items = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DataError(f"{path}: not readable ({error.strerror or error}).") from None
    # A date or number that is none, such as 2024-02-30, is a ValueError or AttributeError there.
    except (yaml.YAMLError, ValueError, AttributeError, RecursionError) as error:
        told = " ".join(str(error).split())
        raise DataError(f"{path}: not readable as YAML: {told}") from None
    if not isinstance(items, list) or not items:
        raise DataError(f"{path}: must hold a list of topics, each with {', '.join(KEYS)}.")
    topics = tuple(_topic(f"{path}, topic {place}", item) for place, item in enumerate(items, 1))
    for column in ("id", "name"):
        counts = Counter(getattr(topic, column) for topic in topics)
        twice = [value for value, count in counts.items() if count > 1]
        if twice:
            raise DataError(f"{path}: the {column} '{twice[0]}' stands {counts[twice[0]]} times.")
    return topics


def shipped_topics() -> Path:
    """The file of 52 machine-learning topics that comes with the program."""
    return Path(str(resources.files("core"))).parent / SHIPPED


def choose_topics(topics: Sequence[Topic], chosen: Sequence[str]) -> tuple[Topic, ...]:
    """Those named by name or id, in the order of ``topics``; all where nothing is named."""
    if not chosen:
        return tuple(topics)
    known = [name for topic in topics for name in (topic.name, topic.id)]
    for name in chosen:
        if name not in known:
            raise UsageError(f"No topic '{name}'. {nearest(name, known)}")
    return tuple(t for t in topics if t.name in chosen or t.id in chosen)


class Matcher:
    """Finds topics in texts: one pass over the words, whatever the number of terms."""

    def __init__(self, topics: Sequence[Topic]) -> None:
        self._names = [topic.name for topic in topics]
        self._rules: dict[str, list[tuple[tuple[str, ...], int]]] = {}
        for place, topic in enumerate(topics):
            for term in topic.terms:
                for words in _forms(_words(term)):
                    self._rules.setdefault(words[0].casefold(), []).append((words, place))

    def topics_of(self, text: str) -> tuple[str, ...]:
        """Names of the topics that the text matches, in the topics' order."""
        words = _words(text)
        folded = [word.casefold() for word in words]
        found: set[int] = set()
        for start, word in enumerate(folded):
            for rule, place in self._rules.get(word, ()):
                if place not in found and _matches(rule, words, folded, start):
                    found.add(place)
        return tuple(self._names[place] for place in sorted(found))


def assign_topics(study: Study, topics: Sequence[Topic]) -> TopicsReport:
    """Write each paper's topics by the rules, in place of those it had; the study is new.

    The rules look at the title and at the abstract, never across both. A study in a folder has
    its papers replaced on disk, whole or not at all. Raises :class:`DataError` without papers.
    """
    if study.papers.empty:
        raise DataError("This study has no papers to assign topics to.")
    matcher = Matcher(topics)
    frame = study.papers.copy()
    rows = zip(frame["title"], frame["abstract"], strict=True)
    found = [matcher.topics_of(_text(title, abstract)) for title, abstract in rows]
    changed = sum(
        old != new for old, new in zip(frame["topics"].map(tuple).tolist(), found, strict=True)
    )
    frame["topics"] = pd.Series(found, index=frame.index, dtype=object)
    if changed:
        study = study.write("papers", frame) if study.folder else _with_papers(study, frame)
    counts = Counter(name for names in found for name in names)
    matched = sum(bool(names) for names in found)
    return TopicsReport(
        study=study,
        topics=tuple(topics),
        papers={topic.name: counts[topic.name] for topic in topics},
        total=len(frame),
        unmatched=len(frame) - matched,
        per_paper=counts.total() / matched if matched else None,
        changed=changed,
    )


def _with_papers(study: Study, frame: pd.DataFrame) -> Study:
    from dataclasses import replace

    return replace(study, papers=frame)


def _text(title: Any, abstract: Any) -> str:
    # The bar is a word of its own, so no term reaches from the title into the abstract.
    return " | ".join(part for part in (title, abstract) if isinstance(part, str))


def _words(text: str) -> tuple[str, ...]:
    """Words, and every mark that is not a hyphen or underscore as a word of its own."""
    return tuple(_TOKEN.findall(text))


def _forms(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """A term's words, and with a plural at the last one."""
    last = words[-1]
    plurals = [] if last.casefold().endswith("s") else [f"{last}s"]
    if len(last) > 2 and last.endswith("y") and last[-2] not in "aeiou":
        plurals = [f"{last[:-1]}ies"]
    return [words, *((*words[:-1], plural) for plural in plurals)]


def _is_acronym(word: str) -> bool:
    stem = word.removesuffix("s")
    return sum(letter.isalpha() for letter in stem) > 1 and stem.isupper()


def _matches(
    rule: tuple[str, ...], words: tuple[str, ...], folded: Sequence[str], start: int
) -> bool:
    if start + len(rule) > len(words):
        return False
    return all(
        words[start + step] == word
        if _is_acronym(word)
        else folded[start + step] == word.casefold()
        for step, word in enumerate(rule)
    )


def _topic(place: str, item: Any) -> Topic:
    if not isinstance(item, Mapping):
        raise DataError(f"{place}: must be a mapping with {', '.join(KEYS)}.")
    for name in item:
        if name not in KEYS:
            raise DataError(f"{place}: no key '{name}'. {nearest(str(name), KEYS)}")
    values: dict[str, str] = {}
    for name in ("id", "name"):
        value = item.get(name)
        if not isinstance(value, str) or not value.strip():
            raise DataError(f"{place}: '{name}' must be a text (given: {value!r}).")
        values[name] = value.strip()
    lists: dict[str, tuple[str, ...]] = {}
    for name in ("aliases", "keywords"):
        given = item.get(name) or []
        if not isinstance(given, list) or not all(isinstance(term, str) for term in given):
            raise DataError(f"{place} ('{values['id']}'): '{name}' must be a list of texts.")
        lists[name] = tuple(term.strip() for term in given)
    topic = Topic(**values, **lists)  # type: ignore[arg-type]
    for term in topic.terms:
        if not any(letter.isalnum() for letter in term):
            raise DataError(f"{place} ('{topic.id}'): the term {term!r} holds no letter or digit.")
        if was_cleaned(term):
            raise DataError(f"{place} ('{topic.id}'): the term {term!r} holds control characters.")
    return topic
