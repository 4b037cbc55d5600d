"""The step that fetches: what it asks for, once, and what a source that gives up does."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from experiment_helpers import Bench, ran, states
from literature_server import Literature, serve

from core.config import HINDSIGHT_MONTHS, HINDSIGHT_SEARCHES, HINDSIGHT_TOPICS
from core.errors import DataError, UsageError
from core.experiment.schema import Experiment
from core.ingest.report import ImportReport
from core.ingest.sources.gather import Gathered
from core.study import Study

HEAD = 'study = "s"\n[new]\ncutoff = 2023-06-30\nhorizon_months = 12\n'


class Source:
    """Stands in for every source: keeps what it was asked, and leaves a table behind."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.stopped: str | None = None

    def papers(self, folder: Path, source: str, topics: Any, **more: Any) -> Gathered:
        return self._gathered(folder, "papers", {"source": source, "topics": topics, **more})

    def references(self, folder: Path, venues: Any, **more: Any) -> Gathered:
        return self._gathered(folder, "references", {"venues": tuple(venues), **more})

    def _gathered(self, folder: Path, table: str, asked: dict[str, Any]) -> Gathered:
        asked.pop("note")
        self.asked.append(asked)
        line = "paper_id,title\np1,One\n" if table == "papers" else "reference_id,title\nr1,One\n"
        (folder / f"{table}.csv").write_text(line)
        report = ImportReport(
            table=table, study="s", rows_before=0, rows_after=1, files=(), merges=(), linked=(),
            unknown_ids=(), unknown_rows=0, rule="",
        )  # fmt: skip
        return Gathered(table=table, fetches=(), report=report, snapshot=None, stopped=self.stopped)


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Source:
    made = Source()
    monkeypatch.setattr("core.ingest.sources.gather.gather_papers", made.papers)
    monkeypatch.setattr("core.ingest.sources.gather.gather_references", made.references)
    return made


def test_what_is_fetched_and_that_it_is_fetched_once(tmp_path: Path, source: Source) -> None:
    text = HEAD + (
        '[[fetch]]\nsource = "arxiv"\nquery = ["Graphs=graph networks", "agents"]\nlimit = 9\n'
        '[[fetch]]\npreset = "hindsight"\n'
        '[[fetch]]\nsource = "openalex"\nquery = ["x"]\nfrom = 2020-01-01\nto = 2023-06-30\n'
        '[[fetch]]\nwhat = "references"\nvenue = ["ICLR 2025"]\n'
    )
    bench = Bench(tmp_path)
    done = bench.run(text)
    fetched = ["fetch papers 1", "fetch papers 2", "fetch papers 3", "fetch references 4"]
    assert ran(done) == ["new", *fetched]
    first, second, third, fourth = source.asked
    # the study's window, where nothing else is said: the day after the cutoff to its last day
    assert first == {
        "source": "arxiv",
        "topics": (("Graphs", "graph networks"), ("agents", "agents")),
        "start": date(2023, 7, 1),
        "end": date(2024, 6, 30),
        "url": None,
        "limit": 9,
        "restart": False,
    }
    assert (second["source"], second["topics"]) == ("semantic-scholar", HINDSIGHT_SEARCHES)
    assert {topic for topic, _ in second["topics"]} == set(HINDSIGHT_TOPICS)
    assert (second["start"], second["end"]) == HINDSIGHT_MONTHS
    assert (third["start"], third["end"]) == (date(2020, 1, 1), date(2023, 6, 30))
    assert fourth["venues"] == ("ICLR 2025",)
    assert ran(bench.run(text)) == []
    assert ran(bench.run(text.replace("limit = 9", "limit = 10"))) == ["fetch papers 1"]
    assert len(source.asked) == 5
    assert ran(bench.run(text.replace("limit = 9", "limit = 10"), again=["fetch papers 3"])) == [
        "fetch papers 3"
    ]
    assert source.asked[-1]["restart"] is True


def test_a_source_that_gives_up_ends_the_chain_and_is_asked_again(
    tmp_path: Path, source: Source
) -> None:
    text = HEAD + '[[fetch]]\nquery = ["x"]\n[match]\n'
    bench = Bench(tmp_path)
    source.stopped = "semantic-scholar: too many requests"
    done = bench.run(text)
    assert (done.cause, done.stopped) == ("server", "semantic-scholar: too many requests")
    assert states(done)["match"] == "not reached"
    source.stopped = None
    assert ran(bench.run('study = "s"\n[[fetch]]\nquery = ["x"]\n')) == ["fetch papers 1"]


@pytest.mark.parametrize(
    "headings",
    [['"A=graph networks", "B=graph  networks"'], ['"A=graph networks"', '"B=graph networks"']],
    ids=["one heading", "two headings"],
)
def test_topics_with_the_same_words_share_a_search(tmp_path: Path, headings: list[str]) -> None:
    record = {
        "id": "https://openalex.org/W1", "display_name": "A paper", "cited_by_count": 3,
        "publication_date": "2023-09-01",
    }  # fmt: skip
    with serve(Literature([record])) as library:
        text = HEAD + "".join(
            f'[[fetch]]\nsource = "openalex"\nquery = [{query}]\nbase_url = "{library.url}"\n'
            for query in headings
        )
        bench = Bench(tmp_path)
        done = bench.run(text)
    assert states(done)["fetch papers 1"] == "ran"
    assert [query["cursor"] for _, query, _ in library.asked] == ["*", "c2"]
    assert list(Study.open(tmp_path / "s").papers["topics"]) == [("A", "B")]
    # the papers are of after the cutoff, so a generator has none to read, and that is said
    assert any("papers by the cutoff: 0 of" in line for line in bench.lines)


def test_a_query_without_words_is_refused(tmp_path: Path, source: Source) -> None:
    with pytest.raises(UsageError, match=r"query 'topic=': has no words"):
        Bench(tmp_path).run(HEAD + '[[fetch]]\nquery = ["topic="]\n')
    assert not source.asked


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ('source = "arxive"\nquery = ["x"]', "no source 'arxive'. Did you mean 'arxiv'?"),
        ('query = ["x"]\nfrom = 2024-01-01\nto = 2023-01-01', "to = 2023-01-01 is before from"),
    ],
)
def test_a_fetch_that_cannot_be_is_refused_before_anything_runs(keys: str, words: str) -> None:
    with pytest.raises(DataError) as caught:
        Experiment.of(tomllib.loads(f'study = "s"\n[[fetch]]\n{keys}\n'))
    assert words in str(caught.value)
