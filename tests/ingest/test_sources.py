"""Live sources against a local server that speaks their formats and has their faults."""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from literature_server import Fault, Literature, feed, serve
from typer.testing import CliRunner

from core.cli import app
from core.config import HINDSIGHT_TOPICS
from core.errors import DataError, ForeseenError, UsageError
from core.ingest.sources import PAPER_SOURCES, paper_source
from core.ingest.sources.fetch import FETCHED, fetch, fetches
from core.ingest.sources.gather import gather_papers, gather_references
from core.ingest.sources.openreview import OpenReviewVenue
from core.ingest.sources.transport import SourceError, Transport
from core.retry import RetryPolicy
from core.study import Study

START, END = date(2023, 6, 1), date(2025, 12, 31)
TODAY = date(2026, 1, 15)
WORDS = ("Alpha", "Bravo", "Charlie", "Delta", "Echo")


def s2(number: int, **more: Any) -> dict[str, Any]:
    title = f"A study of {WORDS[number]} in language models"
    return {
        "paperId": f"s{number}", "externalIds": {"CorpusId": number}, "title": title,
        "abstract": None if number == 1 else f"About {WORDS[number]}.", "venue": "",
        "publicationVenue": None, "year": 2024, "publicationDate": f"2024-03-0{number + 1}",
        "citationCount": None if number == 2 else number, "url": f"https://x.org/{number}",
    } | more  # fmt: skip


def openalex(number: int) -> dict[str, Any]:
    return {
        "id": f"https://openalex.org/W{number}", "doi": None,
        "display_name": f"A study of {WORDS[number]} in language models",
        "abstract_inverted_index": {WORDS[number]: [1], "About": [0]} if number else None,
        "publication_date": f"2024-03-0{number + 1}", "publication_year": 2024,
        "primary_location": {"source": {"display_name": "Journal"}}, "cited_by_count": number,
    }  # fmt: skip


def arxiv(number: int) -> dict[str, Any]:
    return {
        "id": f"2403.0000{number}v{number + 1}", "published": f"2024-03-0{number + 1}T00:00:00Z",
        "updated": "2025-01-01T00:00:00Z",
        "title": f"A study of {WORDS[number]} in language models", "summary": "About.",
    }  # fmt: skip


MADE: dict[str, Callable[[int], dict[str, Any]]] = {
    "semantic-scholar": s2,
    "openalex": openalex,
    "arxiv": arxiv,
}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    Study.create(tmp_path / "s", cutoff=date(2023, 6, 1))
    return tmp_path / "s"


def quick(waits: list[float] | None = None, **policy: Any) -> Callable[[Any], Transport]:
    """Transports that wait on paper only."""

    def connect(source: Any) -> Transport:
        transport: Transport = source.transport()
        transport.sleep = (waits if waits is not None else []).append
        transport.chance = random.Random(0)
        transport.interval = 0.0
        if policy:
            transport.policy = RetryPolicy(**policy)
        return transport

    return connect


def gather(study: Path, library: Literature, source: str, **more: Any) -> Any:
    values: dict[str, Any] = {"start": START, "end": END, "url": library.url, "today": TODAY}
    values |= {"connect": quick()} | more
    return gather_papers(study, source, values.pop("topics", {"Models": "models"}), **values)


@pytest.mark.parametrize("source", PAPER_SOURCES)
def test_pages_become_papers(study: Path, source: str) -> None:
    library = Literature([MADE[source](n) for n in range(5)])
    with serve(library):
        done = gather(study, library, source)
    papers = Study.open(study).papers
    assert len(papers) == 5
    assert set(papers["topics"]) == {("Models",)}
    assert papers["published"].dt.strftime("%Y-%m-%d").tolist() == [
        f"2024-03-0{n}" for n in range(1, 6)
    ]
    (state,) = fetches(study)
    assert (state.records, state.total, state.ended) == (5, 5, "2026-01-15")
    assert done.report.rows_after == 5
    assert "5 of 5 records" in done.to_text()


def test_nulls_stay_null_and_a_snapshot_is_stored(study: Path) -> None:
    library = Literature([s2(n) for n in range(3)])
    with serve(library):
        gather(study, library, "semantic-scholar")
    papers = Study.open(study).papers.set_index("paper_id")
    assert papers["citations"].isna().to_dict() == {"s0": False, "s1": False, "s2": True}
    assert papers["citations"]["s0"] == 0
    assert papers["abstract"].isna().to_dict() == {"s0": False, "s1": True, "s2": False}
    assert papers["venue"].isna().all()
    assert tomllib.loads((study / "study.toml").read_text())["snapshot"] == TODAY


def test_arxiv_counts_no_citations_so_there_is_no_snapshot(study: Path) -> None:
    library = Literature([arxiv(0)])
    with serve(library):
        done = gather(study, library, "arxiv")
    assert done.snapshot is None
    assert Study.open(study).config.snapshot is None


def test_what_is_asked_names_words_dates_and_fields(study: Path) -> None:
    library = Literature([s2(0)])
    with serve(library):
        gather(study, library, "semantic-scholar", topics={"T": "large models"})
        library.records = []
        gather(study, library, "openalex", topics={"T": "large models"})
        gather(study, library, "arxiv", topics={"T": 'large "models'})
    (_, first, _), (_, second, _), (_, third, _) = library.asked[0], library.asked[1], (
        library.asked[-1]
    )  # fmt: skip
    assert first["query"] == "large models"
    assert first["publicationDateOrYear"] == "2023-06-01:2025-12-31"
    assert "authors" not in first["fields"]
    assert second["filter"] == "from_publication_date:2023-06-01,to_publication_date:2025-12-31"
    assert "authorships" not in second["select"]
    assert third["search_query"] == (
        "(all:large AND all:models) AND submittedDate:[202306010000 TO 202512312359]"
    )


def test_duplicates_merge_across_topics_and_sources(study: Path) -> None:
    library = Literature([s2(0), s2(0), s2(1)])
    with serve(library):
        gather(study, library, "semantic-scholar", topics={"One": "one", "Two": "two"})
        library.records = [openalex(1), openalex(3)]
        gather(study, library, "openalex", topics={"Three": "three"})
    papers = Study.open(study).papers.set_index("paper_id")
    assert papers["topics"].to_dict() == {
        "s0": ("One", "Two"), "s1": ("One", "Two", "Three"), "W3": ("Three",),
    }  # fmt: skip
    assert papers["citations"]["s1"] == 1
    assert papers["abstract"]["s1"] == "About Bravo"


@pytest.mark.parametrize("source", PAPER_SOURCES)
@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=429),
        Fault(status=503, body="<html>busy</html>"),
        Fault(status=500, body='{"message": "Internal"}'),
        Fault(body="{cut off"),
        Fault(body="null"),
    ],
    ids=["429", "503", "500", "cut off", "null"],
)
def test_faults_that_pass_are_waited_for(study: Path, source: str, fault: Fault) -> None:
    library = Literature([MADE[source](n) for n in range(5)], faults=[None, fault, fault])
    waits: list[float] = []
    with serve(library):
        gather(study, library, source, connect=quick(waits))
    assert len(Study.open(study).papers) == 5
    # Before the second and third try: half to the whole of 1 and of 2 seconds.
    assert len(waits) == 2
    assert 0.5 <= waits[0] <= 1
    assert 1 <= waits[1] <= 2


def test_retry_after_is_waited_for_in_full(study: Path) -> None:
    library = Literature([s2(0)], faults=[Fault(status=429, headers={"Retry-After": "17"})])
    waits: list[float] = []
    with serve(library):
        gather(study, library, "semantic-scholar", connect=quick(waits))
    assert 17 <= waits[0] <= 18


def test_a_source_that_gives_up_leaves_pages_that_the_next_run_goes_on_from(study: Path) -> None:
    library = Literature([s2(n) for n in range(5)])
    library.faults = [None, *(Fault(status=503) for _ in range(3))]
    search = paper_source("semantic-scholar")
    with serve(library):
        asked = search(query="models", start=START, end=END, url=library.url)
        transport = quick(attempts=3)(asked)
        with pytest.raises(SourceError, match=r"503, after 3 tries.*run the same command again"):
            fetch(asked, study, transport=transport, today=TODAY)
        (state,) = fetches(study)
        assert (state.pages, state.records, state.ended) == (1, 2, None)
        library.asked.clear()
        path, state = fetch(asked, study, transport=quick()(asked), today=TODAY)
        # The first page is not asked for again.
        assert [query.get("token") for _, query, _ in library.asked] == ["t2", "t4"]
        assert (state.resumed, state.pages, state.records) == (1, 3, 5)
        named = [json.loads(line)["paperId"] for line in path.read_text().splitlines()]
        assert named == ["s0", "s1", "s2", "s3", "s4"]
        library.asked.clear()
        fetch(asked, study, transport=quick()(asked))
        assert library.asked == []
        fetch(asked, study, transport=quick()(asked), restart=True)
        assert len(library.asked) == 3


def test_a_page_half_written_is_cut_off_before_going_on(study: Path) -> None:
    library = Literature([s2(n) for n in range(4)])
    with serve(library):
        asked = paper_source("semantic-scholar")(query="m", start=START, end=END, url=library.url)
        path, _ = fetch(asked, study, transport=quick()(asked), limit=2)
        with path.open("a") as out:
            out.write('{"paperId": "half' + "x" * 10_000)
        path, state = fetch(asked, study, transport=quick()(asked))
    assert [json.loads(line)["paperId"] for line in path.read_text().splitlines()] == [
        "s0", "s1", "s2", "s3",
    ]  # fmt: skip
    assert state.ended is not None


def test_what_came_before_the_end_is_imported_and_said(study: Path) -> None:
    library = Literature([s2(n) for n in range(2)])
    library.faults = [None, *(Fault(status=403, body='{"error": "Forbidden"}') for _ in range(1))]
    with serve(library):
        done = gather(
            study, library, "semantic-scholar", topics={"One": "one", "Two": "two"}
        )  # fmt: skip
    assert "403" in done.stopped
    assert len(Study.open(study).papers) == 2


def test_an_empty_page_of_arxiv_is_asked_for_again(study: Path) -> None:
    library = Literature([arxiv(n) for n in range(4)], faults=[None, Fault(body=feed([], 4))])
    waits: list[float] = []
    with serve(library):
        gather(study, library, "arxiv", connect=quick(waits))
    assert len(Study.open(study).papers) == 4
    assert len(waits) == 1


def test_a_server_that_repeats_a_page_does_not_go_on_for_ever(study: Path) -> None:
    same = json.dumps({"total": 9, "token": "t2", "data": [s2(0)]})
    library = Literature([], faults=[Fault(body=same), Fault(body=same), Fault(body=same)])
    with serve(library), pytest.raises(SourceError, match="same page"):
        gather(study, library, "semantic-scholar")


def test_nothing_found_is_no_error(study: Path) -> None:
    library = Literature([])
    with serve(library):
        done = gather(study, library, "semantic-scholar")
    assert done.report is None
    assert "Nothing was found." in done.to_text()
    assert len(Study.open(study).papers) == 0


def test_a_wait_that_is_too_long_ends_the_run(study: Path) -> None:
    library = Literature([s2(0)], faults=[Fault(status=429, headers={"Retry-After": "86400"})])
    waits: list[float] = []
    with serve(library), pytest.raises(SourceError, match="asks to wait 86400 s"):
        gather(study, library, "semantic-scholar", connect=quick(waits))
    assert waits == []


def test_keys_are_sent_and_never_shown(
    study: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    secret = "very-secret-key"
    for name in ("SEMANTIC_SCHOLAR_API_KEY", "OPENALEX_API_KEY"):
        monkeypatch.setenv(name, secret)
    library = Literature([s2(0)], faults=[Fault(status=403, body=f"key {secret} is bad")])
    with serve(library):
        with pytest.raises(SourceError) as caught:
            gather(study, library, "semantic-scholar")
        library.faults = [Fault(status=403, body=f"key {secret} is bad")]
        with pytest.raises(SourceError):
            gather(study, library, "openalex")
    headers = [{n.lower(): v for n, v in each[2].items()} for each in library.asked]
    assert headers[0]["x-api-key"] == secret
    assert headers[1]["authorization"] == f"Bearer {secret}"
    assert secret not in str(caught.value)
    assert secret not in "".join(capfd.readouterr())
    for path in study.rglob("*"):
        assert path.is_dir() or secret not in path.read_text(errors="replace")
    assert secret not in repr(paper_source("openalex")(query="q", start=START, end=END).transport())


def note_of(number: int, marks: list[int]) -> dict[str, Any]:
    return {
        "id": f"n{number}", "forum": f"n{number}",
        "content": {
            "title": {"value": f"A submission about {WORDS[number]}"},
            "abstract": {"value": "Text."}, "authorids": {"value": ["~A_B1"]},
            "venue": {"value": "ICLR 2025 Poster"},
            "venueid": {"value": "ICLR.cc/2025/Conference"},
        },
        "details": {"replies": [
            {"id": f"r{number}{place}", "invitations": ["ICLR.cc/2025/Conference/-/Official_Review"],
             "content": {"rating": {"value": mark}, "soundness": {"value": 3},
                         "contribution": {"value": 2}}}
            for place, mark in enumerate(marks)
        ]},
    }  # fmt: skip


def test_references_come_with_reviews(study: Path) -> None:
    library = Literature([note_of(0, [6, 8]), note_of(1, [3]), note_of(2, [])])
    with serve(library):
        done = gather_references(
            study, ["ICLR 2025"], url=library.url, today=TODAY, connect=quick()
        )
    references = Study.open(study).references.set_index("reference_id")
    assert done.report is not None
    assert set(references.index) == {"n0", "n1", "n2"}
    assert references["rating"].notna().to_dict() == {"n0": True, "n1": True, "n2": False}
    assert references["rating"]["n0"] > references["rating"]["n1"]
    assert "~A_B1" not in (study / FETCHED).joinpath(
        next(p.name for p in (study / FETCHED).glob("*.jsonl"))
    ).read_text()  # fmt: skip
    _, query, _ = library.asked[0]
    assert query["invitation"] == "ICLR.cc/2025/Conference/-/Submission"


@pytest.mark.parametrize("venue", ["ICLR", "Nature 2024", "2025 ICLR", ""])
def test_a_venue_that_is_not_known_is_refused(venue: str) -> None:
    with pytest.raises(UsageError, match="--venue"):
        OpenReviewVenue(venue=venue)


def test_the_first_api_is_asked_for_old_conferences() -> None:
    assert OpenReviewVenue(venue="ICLR 2022").transport().base == "https://api.openreview.net"
    assert OpenReviewVenue(venue="NIPS 2024").transport().base == "https://api2.openreview.net"


def test_the_commands(study: Path) -> None:
    library = Literature([s2(n) for n in range(2)], per_page=10)
    with serve(library):
        done = CliRunner().invoke(
            app,
            ["fetch", "papers", "--into", str(study), "--base-url", library.url, "--json",
             "--query", "Topic=words", "--from", "2024-01-01"],
        )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["report"]["rows_after"] == 2
    assert told["fetches"][0]["asks"] == {
        "query": "words",
        "from": "2024-01-01",
        "to": "2025-12-31",
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--query", "x", "--preset", "hindsight"], "either --query"),
        ([], "either --query"),
        (["--preset", "hindsigth"], "hindsight"),
        (["--query", "x", "--source", "scholar"], "semantic-scholar"),
        (["--query", "x", "--from", "June"], "--from 'June'"),
        (["--query", "x", "--from", "2025-01-01", "--to", "2024-01-01"], "is before"),
        (["--query", "Topic="], "no words"),
    ],
)
def test_wrong_usage_is_told(study: Path, words: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["fetch", "papers", "--into", str(study), *words])
    assert isinstance(done.exception, UsageError)
    assert said in str(done.exception)


def test_the_preset_asks_for_ten_topics(study: Path) -> None:
    library = Literature([s2(0)])
    with serve(library):
        gather(study, library, "semantic-scholar", topics={t: t for t in HINDSIGHT_TOPICS})
    assert [query["query"] for _, query, _ in library.asked] == list(HINDSIGHT_TOPICS)
    assert len(Study.open(study).papers["topics"][0]) == 10


def test_a_broken_state_file_is_told(study: Path) -> None:
    library = Literature([s2(0)])
    with serve(library):
        gather(study, library, "semantic-scholar")
        (path,) = (study / FETCHED).glob("*.json")
        path.write_text("{")
        with pytest.raises(DataError, match="--restart"):
            gather(study, library, "semantic-scholar")
        gather(study, library, "semantic-scholar", restart=True)


def test_an_address_that_is_none_is_told_at_once(study: Path) -> None:
    waits: list[float] = []
    with pytest.raises(ForeseenError, match="cannot be asked"):
        gather(study, Literature([], url="nowhere"), "openalex", connect=quick(waits))
    assert waits == []
