"""The texts that every user sees: enough of them, shaped as the frames need, well formed."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from core.simulate import simulate
from core.simulation.phrases import title_case
from core.simulation.texts import TopicTexts, frames, topics
from core.study import Study

DOUBLED = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
BAD_ARTICLE = re.compile(r"\b(?:a [aeio]\w+|an [bcdfgjkpqrtvwyz]\w*)", re.IGNORECASE)
A_AS_CONSONANT = re.compile(r"^a (?:one|once)\b", re.IGNORECASE)


@pytest.fixture(scope="module")
def made() -> Study:
    return simulate(0)


def all_texts(study: Study) -> list[str]:
    texts = [*study.papers["title"], *study.papers["abstract"].dropna()]
    for name in ("title", "problem", "rationale", "method"):
        texts += study.ideas[name].tolist()
    return [*texts, *study.scores["reason"].dropna()]


@pytest.mark.parametrize("topic", topics(), ids=lambda topic: topic.topic)
def test_a_topic_has_enough_to_say(topic: TopicTexts) -> None:
    assert len(topic.problems) >= 20
    assert len(topic.methods) >= 20
    assert len(topic.settings) >= 12
    assert len(topic.findings) >= 12
    for phrases in (
        [problem.name for problem in topic.problems],
        [method.name for method in topic.methods],
        topic.settings,
        topic.findings,
        topic.gaps,
        topic.aims,
        topic.visions,
    ):
        assert max(Counter(phrases).values()) == 1


@pytest.mark.parametrize("topic", topics(), ids=lambda topic: topic.topic)
def test_phrases_have_the_shape_that_frames_need(topic: TopicTexts) -> None:
    sentences = [text for p in topic.problems for text in (p.says, p.asks)]
    for sentence in [*sentences, *topic.gaps, *topic.aims]:
        assert sentence[0].isupper() or sentence[0] == "'"
        assert sentence[-1] in ".?'"
    clauses = [text for m in topic.methods for text in (m.name, m.how, m.plan, m.why)]
    clauses += [p.name for p in topic.problems]
    for clause in [*clauses, *topic.settings, *topic.findings, *topic.visions]:
        assert clause[-1] not in ".,;:"
        assert not re.match(r"(?:a|an|the) ", clause) or clause in [
            *topic.findings,
            *(m.why for m in topic.methods),
        ]
    for phrase in [*(m.name for m in topic.methods), *(p.name for p in topic.problems)]:
        assert 1 <= len(phrase.split()) <= 6


def test_no_phrase_belongs_to_two_topics() -> None:
    names = [m.name for t in topics() for m in t.methods]
    names += [p.says for t in topics() for p in t.problems]
    assert max(Counter(names).values()) == 1


def test_abstracts_are_of_an_abstracts_length(made: Study) -> None:
    lengths = made.papers["abstract"].dropna().str.split().str.len()
    assert lengths.min() >= 80
    assert lengths.max() <= 150
    assert lengths.std() > 5


def test_no_two_titles_are_alike(made: Study) -> None:
    papers = made.papers["title"].str.lower().str.replace(r"\W+", " ", regex=True)
    ideas = made.ideas["title"].str.lower().str.replace(r"\W+", " ", regex=True)
    assert papers.is_unique
    assert ideas.is_unique
    assert not set(papers) & set(ideas)


def test_no_sentence_is_broken(made: Study) -> None:
    for text in all_texts(made):
        assert "{" not in text or text.startswith('{"novelty"'), text
        assert "  " not in text
        assert text == text.strip()
        assert not re.search(r"[.,;:]{2}|\s[.,;:?]", text), text
        assert not DOUBLED.search(text), text
        for article in BAD_ARTICLE.findall(text):
            assert A_AS_CONSONANT.match(article), text


def test_sentences_begin_with_a_capital(made: Study) -> None:
    for text in [*made.papers["abstract"].dropna(), *made.ideas["method"], *made.ideas["problem"]]:
        for sentence in re.split(r"(?<=[.?]) ", text):
            assert not sentence[0].islower(), (sentence, text)


def test_every_frame_is_used(made: Study) -> None:
    """A frame that no text shows is dead weight; its longest fixed part stands for it."""
    shown = "\n".join(all_texts(made)).lower()
    for section, lists in frames().items():
        if section == "venues":
            continue
        for name, lines in lists.items():
            for line in lines:
                fixed = max(re.split(r"\{[a-zA-Z_]+\}", line), key=len).strip().lower()
                assert fixed in shown, f"{section}.{name}: {line}"


@pytest.mark.parametrize(
    ("plain", "titled"),
    [
        ("reading of the mind: a study", "Reading of the Mind: A Study"),
        ("small on-device models in LLM agents", "Small On-Device Models in LLM Agents"),
        ("chain-of-thought reasoning", "Chain-of-Thought Reasoning"),
        ("can it be? in part", "Can It Be? In Part"),
    ],
)
def test_title_case(plain: str, titled: str) -> None:
    assert title_case(plain) == titled


def test_ideas_of_one_system_seldom_share_their_wording(made: Study) -> None:
    """Of any two ideas of a system, few have the same method text, and none all three texts."""
    for _, ideas in made.ideas.groupby("system"):
        assert ideas["method"].is_unique
        assert ideas["problem"].nunique() >= 0.97 * len(ideas)
    assert np.median([len(set(t.split())) for t in made.ideas["method"]]) > 30
