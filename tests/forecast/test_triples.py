"""Phrases, trends, triples, memory and prior by hand."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.forecast.forecasters.history import History, SeenPaper
from core.forecast.forecasters.phrases import phrases_of, slope, trends
from core.forecast.forecasters.prior import LEAST_IDEAS, features, train_prior
from core.forecast.forecasters.strategies import fetch
from core.forecast.forecasters.triple_memory import TripleMemory
from core.forecast.forecasters.triples import OPERATORS, Triple, TripleReader, operator_of

CUTOFF = date(2024, 6, 30)


def seen(name: str, title: str, abstract: str = "", published: date = CUTOFF) -> SeenPaper:
    return SeenPaper(paper_id=name, title=title, abstract=abstract, published=published)


def test_phrases_end_at_stop_words_and_marks() -> None:
    # 'the' and the comma part words; single words are no phrases.
    assert phrases_of("Sparse graph attention for the road traffic, weather") == {
        "sparse graph",
        "graph attention",
        "sparse graph attention",
        "road traffic",
    }
    assert phrases_of("of the and") == frozenset()


def test_trends_count_months_and_slope() -> None:
    papers = [
        seen(f"p{month}{place}", f"Graph attention, number {place}", "", date(2024, month, 9))
        for month, count in ((1, 0), (2, 1), (3, 0), (4, 2), (5, 2), (6, 3))
        for place in range(count)
    ]
    old = [seen(f"o{n}", "Old fashion", "", date(2023, 5, 1)) for n in range(9)]
    rare = [seen("r", "Rare thing")]
    history = History(topic="t", cutoff=CUTOFF, horizon_months=3, papers=tuple(papers + old + rare))
    (found,) = trends(history, most=10)
    # January to June: 0, 1, 0, 2, 2, 3. Slope: Σ (x − 2.5) y / Σ (x − 2.5)², with
    # x = 0 … 5: (−1.5·1 + 0.5·2 + 1.5·2 + 2.5·3) / 17.5 = 10 / 17.5.
    assert (found.phrase, found.counts) == ("graph attention", (0, 1, 0, 2, 2, 3))
    assert found.slope == pytest.approx(10 / 17.5)


@given(st.lists(st.integers(0, 50), min_size=2, max_size=12))
def test_slope_is_numpys(counts: list[int]) -> None:
    expected = np.polyfit(range(len(counts)), counts, 1)[0]
    assert slope(tuple(counts)) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(
    ("title", "operator"),
    [
        ("Extending transformers", "EXTEND"),
        ("Transferring policies across games", "TRANSFER"),
        ("Combining search and learning", "COMPOSE"),
        ("A benchmark of agents", "BENCHMARK"),
        ("Understanding grokking", "ANALYZE"),
        ("Lightweight detectors", "SIMPLIFY"),
        ("Scaling laws", "SCALE"),
        ("Test-time training", "ADAPT"),
        ("Nothing of the kind", "EXTEND"),
    ],
)
def test_operators_by_cue(title: str, operator: str) -> None:
    assert operator_of(title, "") == operator
    assert operator in OPERATORS


def test_the_title_weighs_three_times() -> None:
    # 'extensive' is no cue of EXTEND, nor 'uniform' one of COMPOSE.
    assert (
        operator_of("Why it works", "extensive tests, extensive data, uniform noise") == "ANALYZE"
    )
    # Title: one cue of BENCHMARK, weight 3; text: two of ADAPT.
    assert operator_of("A dataset of roads", "adapting and adaptation") == "BENCHMARK"
    assert operator_of("A dataset of roads", "adapt adapting adaptive adaptation") == "ADAPT"


PAPERS = [
    seen("a", "Graph attention networks", "We extend graph attention. However, label noise hurts."),
    seen("b", "Graph attention again", "Graph attention fails under label noise."),
    seen("c", "Another matter", "Nothing is said here."),
]


def test_a_triple_is_read_from_known_phrases() -> None:
    reader = TripleReader(PAPERS)
    found = reader.read(PAPERS[0].title, PAPERS[0].abstract)
    assert found == Triple(base="graph attention", operator="EXTEND", gap="label noise")
    assert str(found) == "EXTEND graph attention → label noise"
    # 'Another matter' stands in one paper only, so it is no phrase of this history.
    assert reader.read(PAPERS[2].title, PAPERS[2].abstract) is None


def test_phrases_that_say_too_little_are_neither_base_nor_gap() -> None:
    usual = [
        seen(f"u{n}", f"Time series {'road traffic' if n % 10 == 0 else 'alone'}")
        for n in range(240)
    ]
    vague = [seen(f"v{n}", "Inherently challenging", "However, existing work.") for n in range(3)]
    reader = TripleReader([*usual, *vague])
    # 'time series' stands in 240 of 243 papers.
    told = reader.read("Time series of road traffic", "Road traffic lacks time series.")
    assert told is None
    assert reader.read("Road traffic", "However, existing work is inherently challenging.") is None


def test_without_a_prior_the_usual_move_on_a_base_comes_first() -> None:
    often, once = (Triple(base="b", operator=o, gap="g") for o in ("SCALE", "ADAPT"))
    memory = TripleMemory.of(CUTOFF, [(seen(f"p{n}", "P"), often) for n in range(3)])
    high, low = train_prior([]).weights([often, once], memory)
    assert high > low


def test_memory_of_frequency_recency_and_utility() -> None:
    one = Triple(base="x", operator="EXTEND", gap="g")
    two = Triple(base="y", operator="EXTEND", gap="g")
    read = [
        (seen("a", "A", "", CUTOFF), one),
        (seen("b", "B", "", date(2023, 12, 30)), two),
        (seen("c", "C", "", date(2023, 6, 30)), two),
    ]
    memory = TripleMemory.of(CUTOFF, read, [(one, True), (one, True), (two, False)])
    base, other = memory.item("base", "x"), memory.item("base", "y")
    assert (base.frequency, base.recency) == (1, 1.0)
    # y was last seen 183 days before: 183 / 30.44 months at a half-life of six.
    assert other.frequency == 2
    assert other.recency == pytest.approx(0.5 ** (183 / 30.44 / 6))
    # (credited + 1) / (tried + 2): 3/4 for x, 1/3 for y, 3/5 for g, ½ for what none tried.
    assert base.utility == pytest.approx(3 / 4)
    assert other.utility == pytest.approx(1 / 3)
    assert memory.item("gap", "g").utility == pytest.approx(3 / 5)
    assert memory.item("base", "never") == type(base)(
        kind="base", text="never", frequency=0, recency=0.0, utility=0.5
    )
    # 1 · 1 · 3/4 against 2 · 0.4995 · 1/3.
    assert memory.most("base", 2) == ["x", "y"]
    assert memory.support(two, 3) == ["B", "A", "C"]


def test_the_prior_learns_which_bases_were_credited() -> None:
    usual, rare = (Triple(base=b, operator="SCALE", gap="g") for b in ("usual", "rare"))
    read = [(seen(f"u{n}", f"U{n}"), usual) for n in range(30)] + [(seen("r", "R"), rare)]
    memory = TripleMemory.of(CUTOFF, read)
    examples = [(usual, memory, True)] * 12 + [(rare, memory, False)] * 12
    prior = train_prior(examples)
    assert (prior.ideas, prior.credited, prior.untrained) == (24, 12, None)
    high, low = prior.weights([usual, rare], memory)
    assert high > 0.5 > low
    again = train_prior(examples[::-1]).weights([usual, rare], memory)
    assert again.tolist() == pytest.approx([high, low])
    assert len(features(usual, memory)) == 9 + len(OPERATORS)


def test_a_prior_without_enough_to_learn_from_says_so() -> None:
    triple = Triple(base="b", operator="SCALE", gap="g")
    memory = TripleMemory.of(CUTOFF, [(seen("a", "A"), triple)])
    few = train_prior([(triple, memory, True)] * (LEAST_IDEAS - 1))
    assert few.untrained is not None
    assert "19 judged ideas" in few.untrained
    same = train_prior([(triple, memory, True)] * LEAST_IDEAS)
    assert same.untrained is not None
    assert "all or none" in same.untrained
    assert len(same.weights([triple], memory)) == 1


def test_fetching_goes_by_likeness_and_takes_none_twice() -> None:
    papers = [seen("a", "graph attention"), seen("b", "protein folding"), seen("c", "weather maps")]
    found = fetch(papers, ["protein folding with maps", "graph attention"])
    assert [paper.paper_id for paper in found][:2] == ["b", "a"]
    assert len(found) == 3
    assert fetch([seen("a", "of the")], ["x"]) == [seen("a", "of the")]
