"""Topic rules: words, hyphens, capitals, plurals, overlap, and files that are not as they must be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders import study, table

from core.errors import DataError, UsageError
from core.forecast.topics import Matcher, Topic, assign_topics, choose_topics, read_topics
from core.study import Study

RAG = Topic(id="rag", name="Retrieval-Augmented Generation", aliases=("RAG",))
GNN = Topic(id="gnn", name="Graph Neural Networks", aliases=("GNN", "graph neural network"))
STUDY = Topic(id="st", name="Case Study", keywords=("time series", "LLM agent"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Retrieval augmented generation at scale", ["Retrieval-Augmented Generation"]),
        ("RETRIEVAL-AUGMENTED GENERATION", ["Retrieval-Augmented Generation"]),
        ("A RAG system; RAG-based search", ["Retrieval-Augmented Generation"]),
        # An acronym matches in capitals alone, and never inside a word.
        ("A rag doll", []),
        ("Rag", []),
        ("DRAGON and FRAGMENTS", []),
        ("RAGs", ["Retrieval-Augmented Generation"]),
        ("(GNN), GNNs", ["Graph Neural Networks"]),
        ("Graph-neural networks and graphs", ["Graph Neural Networks"]),
        ("graph neural\nnetwork", ["Graph Neural Networks"]),
        ("graph_neural_network", ["Graph Neural Networks"]),
        # A mark other than a hyphen parts words.
        ("a graph. Neural network training", []),
        ("subgraph neural networks", []),
        ("two case studies", ["Case Study"]),
        ("Time-series and LLM agents", ["Case Study"]),
        ("llm agents", []),
        ("timeseries", []),
        (
            "RAG on graph neural networks",
            ["Retrieval-Augmented Generation", "Graph Neural Networks"],
        ),
        ("", []),
    ],
)
def test_rules(text: str, found: list[str]) -> None:
    assert list(Matcher([RAG, GNN, STUDY]).topics_of(text)) == found


def papers(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"paper_id": f"p{n}", **row} for n, row in enumerate(rows)]


def test_assignment_counts_and_never_reaches_over_title_and_abstract(tmp_path: Path) -> None:
    rows = papers(
        {"title": "On graph neural", "abstract": "networks of roads", "topics": ["old"]},
        {"title": "GNN and RAG"},
        {"title": "Nothing", "abstract": None, "topics": ["old"]},
        {"title": "A GNN", "topics": ["Graph Neural Networks"]},
    )
    report = assign_topics(study(papers=rows), [RAG, GNN])
    assert report.study.papers["topics"].tolist() == [
        (),
        (RAG.name, GNN.name),
        (),
        (GNN.name,),
    ]
    assert report.papers == {RAG.name: 1, GNN.name: 2}
    assert (report.total, report.unmatched, report.changed) == (4, 2, 3)
    assert report.per_paper == pytest.approx(3 / 2)
    made = Study.create(tmp_path / "s", cutoff=report.study.config.cutoff)
    made = made.write("papers", table("papers", rows))
    assign_topics(made, [RAG, GNN])
    again = assign_topics(Study.open(tmp_path / "s"), [RAG, GNN])
    assert again.changed == 0
    assert again.study.papers["topics"].tolist()[1] == (RAG.name, GNN.name)


def test_the_shipped_topics() -> None:
    topics = read_topics()
    assert len(topics) == 52
    assert len({topic.id for topic in topics}) == 52
    matcher = Matcher(topics)
    for topic in topics:
        for term in topic.terms:
            assert topic.name in matcher.topics_of(term), term


def test_topics_are_chosen_by_name_or_id() -> None:
    assert choose_topics([RAG, GNN], ["gnn"]) == (GNN,)
    assert choose_topics([RAG, GNN], []) == (RAG, GNN)
    with pytest.raises(UsageError, match="Did you mean 'gnn'"):
        choose_topics([RAG, GNN], ["gn"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- {id: a, name: A, alias: [b]}", "no key 'alias'. Did you mean 'aliases'"),
        ("- {id: a}", "topic 1: 'name' must be a text"),
        ("- {id: a, name: A}\n- {id: a, name: B}", "the id 'a' stands 2 times"),
        ("- {id: a, name: A}\n- {id: b, name: A}", "the name 'A' stands 2 times"),
        ("- {id: a, name: A, keywords: ['--']}", "'--' holds no letter"),
        ("- {id: a, name: A, keywords: word}", "must be a list of texts"),
        ("- just text", "must be a mapping"),
        ("{}", "must hold a list"),
        ("- [", "not readable as YAML"),
        ("- !!python/object/apply:os.system ['true']", "not readable as YAML"),
    ],
)
def test_a_faulty_file_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "topics.yaml"
    path.write_text(text)
    with pytest.raises(DataError) as told:
        read_topics(path)
    assert message in str(told.value)
    assert "topics.yaml" in str(told.value)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not readable"):
        read_topics(tmp_path / "none.yaml")
    with pytest.raises(DataError, match="no papers"):
        assign_topics(study(), [RAG])
