"""What a generator may read: nothing that may have appeared after the cutoff."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest
from builders import table
from generate_helpers import CUTOFF, paper, prompts, writer
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.config import GENERATE_ABSTRACT_LETTERS
from core.generate.generator import generate
from core.generate.literature import KeywordSearch, VectorSearch, literature_before, nearest
from core.generate.slots import GeneratorSettings, seed_papers
from core.judging.mock import MockClient
from core.study import Study


def test_only_papers_whose_every_day_is_by_the_cutoff_are_read() -> None:
    rows = [
        paper("day", "2023-06-30"),
        paper("next-day", "2023-07-01"),
        paper("month", "2023-06"),  # ends on the cutoff
        paper("next-month", "2023-07"),
        paper("year-before", "2022"),
        paper("same-year", "2023"),  # the cutoff divides it
        paper("undated", None),
    ]
    found = literature_before(table("papers", rows), CUTOFF)
    assert list(found.papers["paper_id"]) == ["day", "month", "year-before"]
    assert (found.later, found.uncertain, found.undated) == (2, 1, 1)
    earlier = literature_before(table("papers", rows), date(2023, 6, 29))
    assert list(earlier.papers["paper_id"]) == ["year-before"]
    assert (earlier.later, earlier.uncertain, earlier.undated) == (3, 2, 1)


def test_neither_citations_nor_venue_is_kept() -> None:
    rows = [paper("a", "2023-01-01", venue="ICLR 2024", citations=999, extra={"note": "later"})]
    found = literature_before(table("papers", rows), CUTOFF)
    assert list(found.papers.columns) == ["paper_id", "title", "abstract", "topics"]
    assert found.text("a") == (
        "Title:\nTitle of a on sparse things\n\n"
        "Abstract:\nAbstract of a: sparse attention over graphs."
    )


def test_a_long_abstract_is_cut_at_a_word() -> None:
    rows = [paper("a", "2023-01-01", abstract="word " * 1000), paper("b", "2023", abstract=None)]
    found = literature_before(table("papers", rows), date(2023, 12, 31))
    text = found.text("a")
    assert text.endswith("word …")
    assert len(text) < GENERATE_ABSTRACT_LETTERS + 60
    assert found.text("b") == "Title:\nTitle of b on sparse things"


def test_the_nearest_papers_are_not_the_seed_nor_its_copy() -> None:
    rows = [
        paper("seed", "2023-01-01", title="Graph rewiring", abstract="oversmoothing rewiring"),
        paper("copy", "2023-02-01", title="Graph  Rewiring!", abstract="oversmoothing rewiring"),
        paper("near", "2023-01-01", title="Oversmoothing", abstract="oversmoothing rewiring"),
        paper("far", "2023-01-01", title="Cooking", abstract="pasta"),
        paper("far-2", "2023-01-01", title="Cooking two", abstract="pasta"),
    ]
    found = literature_before(table("papers", rows), CUTOFF)
    search = KeywordSearch(found)
    text = found.text("seed")
    assert nearest(found, search, [text], ["seed"], 3) == [("near", "far", "far-2")]
    assert nearest(found, search, [text], ["seed"], 0) == [()]
    # words that no paper has: everything is equally near, so paper_id decides
    assert nearest(found, search, ["zzz qqq"], ["far"], 2) == [("copy", "far-2")]
    assert nearest(found, search, ["the of"], ["far"], 9) == [("copy", "far-2", "near", "seed")]


def test_papers_without_a_word_can_be_searched() -> None:
    rows = [paper(n, "2023-01-01", title="…", abstract=None) for n in ("a", "b")]
    found = literature_before(table("papers", rows), CUTOFF)
    assert nearest(found, KeywordSearch(found), ["x"], ["a"], 5) == [("b",)]


class Axes:
    """A text's vector counts 'cat' and 'dog'."""

    name, revision, digest, dimensions, separator = "axes", "1", "axes-1", 2, "\n"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [[text.count("cat") + 0.01, text.count("dog") + 0.01] for text in texts]
        return np.array(rows, dtype=np.float32)


def test_vectors_find_by_cosine(tmp_path: Path) -> None:
    rows = [
        paper(name, "2023-01-01", title=title, abstract=title)
        for name, title in (("a", "cat cat"), ("b", "dog"), ("c", "cat dog"), ("d", "dog dog dog"))
    ]
    found = literature_before(table("papers", rows), CUTOFF)
    search = VectorSearch(found, Axes(), tmp_path)
    # cosine with (1, 0): a 1, c 1/√2, b and d 0 but for the 0.01, of which d has the less
    assert nearest(found, search, ["cat"], ["d"], 3) == [("a", "c", "b")]
    assert search.scores([]).shape == (0, 4)


def test_seed_papers_hang_on_topic_and_seed_alone() -> None:
    rows = [paper(f"p{n:02d}", "2023-01-01", "graphs" if n % 2 else "agents") for n in range(40)]
    rows += [paper("bare", "2023-01-01", abstract=None)]
    found = literature_before(table("papers", rows), CUTOFF)
    chosen = seed_papers(found, "graphs", 5, 0)
    assert len(set(chosen)) == 5
    assert all(int(name[1:]) % 2 for name in chosen)
    assert seed_papers(found, "graphs", 3, 0) == chosen[:3]
    assert seed_papers(found, "graphs", 5, 1) != chosen
    fewer = [row for row in reversed(rows) if row["topics"] == ["graphs"]]
    assert seed_papers(literature_before(table("papers", fewer), CUTOFF), "graphs", 5, 0) == chosen
    everything = seed_papers(found, "graphs", 100, 0)
    assert len(everything) == 20
    assert "bare" not in everything


@st.composite
def dated(draw: st.DrawFn) -> list[tuple[str | None, str]]:
    """Dates of every precision around the cutoff, each with a topic."""
    rows = []
    for _ in range(draw(st.integers(1, 8))):
        day = CUTOFF + timedelta(days=draw(st.integers(-400, 400)))
        text = draw(st.sampled_from([day.isoformat(), day.isoformat()[:7], str(day.year), None]))
        rows.append((text, draw(st.sampled_from(["graphs", "agents", "proofs"]))))
    return rows


@settings(max_examples=25, deadline=None)
@given(
    rows=dated(),
    retriever=st.sampled_from(["bm25", "dense"]),
    generator=st.sampled_from(["retrieval", "vanilla"]),
)
def test_nothing_after_the_cutoff_reaches_a_prompt(
    rows: list[tuple[str | None, str]], retriever: str, generator: str
) -> None:
    """The law of the generator: a paper that may be later leaves no word of itself anywhere."""
    papers = [
        paper(
            f"zq{n}zq",
            published,
            f"{topic} {'yqbefore' if _by_then(published) else 'yqafter'}",
            venue=f"venue zq{n}zq",
            citations=10_000 + n,
            extra={"note": f"extra zq{n}zq"},
        )
        for n, (published, topic) in enumerate(rows)
    ]
    allowed = {row["paper_id"] for row in papers if _by_then(row["published"])}
    with tempfile.TemporaryDirectory() as folder:
        study = Study.create(Path(folder) / "s", cutoff=CUTOFF, horizon_months=12)
        study = study.write("papers", table("papers", papers))
        client = MockClient(reply=writer)
        chosen = GeneratorSettings(
            system="S",
            generator=generator,
            per_topic=2,
            retriever=retriever,  # type: ignore[arg-type]
        )
        if not allowed:
            with pytest.raises(Exception, match="No paper that certainly appeared"):
                generate(study, client, chosen, encoder=Axes())
            assert not client.asked
            return
        done = generate(study, client, chosen, encoder=Axes())
    text = prompts(client.asked)
    assert client.asked
    for row in papers:
        if row["paper_id"] not in allowed:
            assert row["paper_id"] not in text
    assert "yqafter" not in text
    assert "yqbefore" in text
    assert "venue zq" not in text
    assert "extra zq" not in text
    assert "10000" not in text
    if generator == "retrieval":
        for idea in done.study.ideas.to_dict("records"):
            read = {idea["extra"]["seed_paper"], *idea["extra"]["retrieved"]["problem"]}
            assert {*read, *idea["extra"]["retrieved"]["method"]} <= allowed


def _by_then(published: str | None) -> bool:
    """A second telling of the rule: the date's last day as text, compared as text."""
    if published is None:
        return False
    last = {4: f"{published}-12-31", 7: f"{published}-31", 10: published}[len(published)]
    return last <= "2023-06-31"
