"""What sources and the way to them do wrong, what users do wrong, and what is said then."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from literature_server import Fault, Literature, feed, serve
from source_helpers import END, MADE, START, TODAY, arxiv, gather, note_of, openalex, quick, s2
from typer.testing import CliRunner

from core.cli import app
from core.errors import DataError, ForeseenError, UsageError
from core.ingest.sources import PAPER_SOURCES, paper_source
from core.ingest.sources.fetch import FETCHED, fetch, fetches
from core.ingest.sources.gather import gather_references
from core.ingest.sources.openreview import OpenReviewVenue
from core.ingest.sources.transport import SourceError
from core.study import Study


@pytest.fixture
def study(tmp_path: Path) -> Path:
    Study.create(tmp_path / "s", cutoff=date(2023, 6, 1))
    return tmp_path / "s"


@pytest.mark.parametrize("source", PAPER_SOURCES)
@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=429),
        Fault(status=503, body="<html>busy</html>"),
        Fault(status=500, body='{"message": "Internal"}'),
        Fault(status=502, body="<html>Bad Gateway</html>"),
        Fault(status=504),
        Fault(body="{cut off"),
        Fault(body="null"),
        Fault(body="[]"),
        Fault(body="<html><title>Under maintenance</title></html>"),
        Fault(body='{"total": 5, "data": [], "results": []}' * 99, cut="close"),
        Fault(body='{"total": 5, "data": [], "results": []}' * 9999, cut="reset"),
    ],
    ids=["429", "503", "500", "502", "504", "cut off", "null", "list", "html", "close", "reset"],
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


def test_a_date_to_come_again_is_waited_for(study: Path) -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    library = Literature([s2(0)], faults=[Fault(status=503, headers={"Retry-After": then})])
    waits: list[float] = []
    with serve(library):
        gather(study, library, "semantic-scholar", connect=quick(waits))
    assert len(waits) == 1
    assert 20 < waits[0] <= 41


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
    library = Literature([s2(n) for n in range(4)])
    library.faults = [None, None, None, Fault(status=403, body='{"error": "Forbidden"}')]
    with serve(library):
        done = gather(study, library, "semantic-scholar", topics={"One": "one", "Two": "two"})
    assert "403" in done.stopped
    assert [each.records for each in done.fetches] == [4, 2]
    assert "records on 1 pages, not at its end yet" in done.to_text()
    papers = Study.open(study).papers.set_index("paper_id")
    assert papers["topics"].to_dict() == {
        "s0": ("One", "Two"), "s1": ("One", "Two"), "s2": ("One",), "s3": ("One",),
    }  # fmt: skip


def test_a_place_that_the_source_forgot_is_begun_again(study: Path) -> None:
    """A token that has expired since: the search begins anew by itself, and nothing doubles."""
    library = Literature([s2(n) for n in range(4)])
    told: list[str] = []
    with serve(library):
        asked = paper_source("semantic-scholar")(query="m", start=START, end=END, url=library.url)
        fetch(asked, study, transport=quick()(asked), limit=2)
        library.faults = [Fault(status=400, body='{"error": "token is not valid"}')]
        path, state = fetch(asked, study, transport=quick()(asked), note=told.append)
        assert [query.get("token") for _, query, _ in library.asked] == [None, "t2", None, "t2"]
        named = [json.loads(line)["paperId"] for line in path.read_text().splitlines()]
        assert named == ["s0", "s1", "s2", "s3"]
        assert (state.resumed, state.records) == (0, 4)
        assert "token is not valid" in told[0]
        assert "begun again from the first" in told[0]
        # refused at once, or in the middle of a run, it is no old place
        for faults in ([Fault(status=400)], [None, Fault(status=400)]):
            library.faults = [*faults]
            with pytest.raises(SourceError, match="answered 400"):
                fetch(asked, study, transport=quick()(asked), restart=True)


def test_a_restart_without_an_answer_takes_nothing_away(study: Path) -> None:
    library = Literature([s2(n) for n in range(2)])
    with serve(library):
        gather(study, library, "semantic-scholar")
        library.faults = [Fault(status=403)]
        done = gather(study, library, "semantic-scholar", restart=True)
        assert "403" in (done.stopped or "")
        again = gather(study, library, "semantic-scholar")
    assert (again.stopped, again.fetches[0].records) == (None, 2)


def test_a_process_killed_between_pages_goes_on_in_another(study: Path, root: Path) -> None:
    library = Literature([openalex(n) for n in range(5)])
    words = ["fetch", "papers", "--into", str(study), "--source", "openalex", "--query", "models"]
    with serve(library):
        words += ["--base-url", library.url]
        process = subprocess.Popen(
            [sys.executable, "-c", "from core.cli import main; main()", *words],
            cwd=root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(root)},
        )
        library.before = lambda number: process.kill() if number == 3 else None
        assert process.wait(60) == -signal.SIGKILL
        library.before = None
        (state,) = fetches(study)
        assert (state.pages, state.records) == (2, 4)
        library.asked.clear()
        done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.stderr
    assert [query["cursor"] for _, query, _ in library.asked] == ["c4", "c6"]
    assert "(2 of them fetched before)" in done.stderr
    assert len(Study.open(study).papers) == 5


def test_two_processes_are_not_at_one_search(study: Path) -> None:
    library = Literature([s2(n) for n in range(4)])
    with serve(library):
        asked = paper_source("semantic-scholar")(query="m", start=START, end=END, url=library.url)
        path, _ = fetch(asked, study, transport=quick()(asked), limit=2)
        with path.open() as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            with pytest.raises(SourceError, match="another process is at this search"):
                fetch(asked, study, transport=quick()(asked))
        fetch(asked, study, transport=quick()(asked))


def test_a_total_that_changes_is_no_end(study: Path) -> None:
    library = Literature([s2(n) for n in range(4)])
    other = json.dumps({"total": 1, "token": "t2", "data": [s2(0), s2(1)]})
    library.faults = [Fault(body=other)]
    with serve(library):
        gather(study, library, "semantic-scholar")
    (state,) = fetches(study)
    assert (state.records, state.total) == (4, 4)


@pytest.mark.parametrize("total", [4, 0])
def test_an_empty_page_of_arxiv_is_asked_for_again(study: Path, total: int) -> None:
    library = Literature([arxiv(n) for n in range(4)], faults=[None, Fault(body=feed([], total))])
    waits: list[float] = []
    with serve(library):
        gather(study, library, "arxiv", connect=quick(waits))
    assert len(Study.open(study).papers) == 4
    assert len(waits) == 1


def test_an_empty_page_of_openreview_is_asked_for_again(study: Path) -> None:
    library = Literature([note_of(n, [6]) for n in range(4)])
    library.faults = [None, Fault(body='{"notes": [], "count": 4}')]
    waits: list[float] = []
    with serve(library):
        gather_references(study, ["ICLR 2025"], url=library.url, connect=quick(waits))
    assert len(Study.open(study).references) == 4
    assert len(waits) == 1


def test_a_server_that_repeats_a_page_does_not_go_on_for_ever(study: Path) -> None:
    same = json.dumps({"total": 9, "token": "t2", "data": [s2(0)]})
    library = Literature([], faults=[Fault(body=same), Fault(body=same), Fault(body=same)])
    with serve(library):
        done = gather(study, library, "semantic-scholar")
    assert "same page (t2)" in (done.stopped or "")
    assert len(Study.open(study).papers) == 1


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


def test_a_page_of_words_is_shown_with_who_sent_it(study: Path) -> None:
    html = "<html><title>Under maintenance</title></html>"
    library = Literature([], faults=[Fault(body=html)] * 2)
    with serve(library), pytest.raises(SourceError) as caught:
        gather(study, library, "openalex", connect=quick(attempts=2))
    text = str(caught.value)
    assert library.url in text
    assert "is not JSON, or is cut off: <html><title>Under maintenance" in text
    assert "after 2 tries. What has been fetched is kept" in text


def test_a_key_does_not_follow_to_another_host(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEMANTIC_SCHOLAR_API_KEY", "very-secret-key")
    library, other = Literature([s2(0)]), Literature([s2(1)])
    with serve(library), serve(other):
        moved = "/moved/paper/search/bulk"
        library.faults = [Fault(status=301, headers={"Location": moved})]
        gather(study, library, "semantic-scholar", topics={"A": "a"})
        assert [path for path, *_ in library.asked] == ["/paper/search/bulk", moved]
        assert all("very-secret-key" in headers.values() for *_, headers in library.asked)
        library.faults = [Fault(status=302, headers={"Location": other.url + moved})]
        gather(study, library, "semantic-scholar", topics={"B": "b"})
    ((_, _, headers),) = other.asked
    assert "very-secret-key" not in headers.values()
    assert len(Study.open(study).papers) == 2


def test_a_key_that_no_header_can_hold_is_not_sent_and_not_shown(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENALEX_API_KEY", "secret\nkéy")
    with pytest.raises(UsageError, match="OPENALEX_API_KEY: holds characters") as caught:
        gather(study, Literature([]), "openalex")
    assert "secret" not in str(caught.value)


def test_who_is_told_to_wait_is_told_of_keys(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SEMANTIC_SCHOLAR_API_KEY", "S2_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    library = Literature([], faults=[Fault(status=429)] * 4)
    with serve(library):
        with pytest.raises(SourceError, match="With a key of your own in SEMANTIC_SCHOLAR_API_KEY"):
            gather(study, library, "semantic-scholar", connect=quick(attempts=2))
        monkeypatch.setenv("S2_API_KEY", "very-secret-key")
        with pytest.raises(SourceError, match=r"after 2 tries\. What"):
            gather(study, library, "semantic-scholar", connect=quick(attempts=2))


def test_no_network_is_told_as_such(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    with pytest.raises(SourceError, match=r"https://api\.openalex\.org: no answer") as caught:
        gather(study, Literature([]), "openalex", url=None)
    assert "Name or service not known, after 3 tries. Is there a network here" in str(caught.value)
    assert not [*(study / FETCHED).iterdir()]


def test_a_network_that_goes_away_is_waited_for_longer(study: Path) -> None:
    library = Literature([s2(n) for n in range(4)])
    library.faults = [None, *(Fault(body="{}" * 99, cut="close") for _ in range(6))]
    waits: list[float] = []
    with serve(library):
        done = gather(study, library, "semantic-scholar", connect=quick(waits))
    assert (len(waits), done.stopped) == (6, None)


@pytest.mark.parametrize(
    "venue", ["ICLR", "Nature 2024", "2025 ICLR", "", "ICML 2022", "ICLR 2015"]
)
def test_a_venue_that_is_not_known_is_refused(venue: str) -> None:
    with pytest.raises(UsageError, match="--venue"):
        OpenReviewVenue(venue=venue)


def test_a_venue_of_other_spelling_is_shown() -> None:
    with pytest.raises(UsageError, match="Did you mean 'NeurIPS'"):
        OpenReviewVenue(venue="NeurISP 2024")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--query", "x", "--preset", "hindsight"], "either --query"),
        ([], "either --query"),
        (["--preset", "hindsigth"], "hindsight"),
        (["--query", "x", "--source", "scholar"], "semantic-scholar"),
        (["--query", "x", "--from", "June"], "--from 'June'"),
        (["--query", "x", "--from", "2025-01-01", "--to", "2024-01-01"], "is before"),
        (["--query", "x", "--from", "2999-01-01", "--to", "2999-02-01"], "after today"),
        (["--query", "Topic="], "no words"),
        (["--query", "&", "--source", "arxiv"], "no word"),
    ],
)
def test_wrong_usage_is_told(study: Path, words: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["fetch", "papers", "--into", str(study), *words])
    assert isinstance(done.exception, UsageError)
    assert said in str(done.exception)


def test_a_span_that_is_not_over_is_told(study: Path) -> None:
    library, told = Literature([s2(0)]), list[str]()
    with serve(library):
        gather(study, library, "semantic-scholar", end=date(2026, 12, 31), note=told.append)
    assert "--to 2026-12-31 is after today" in told[0]
    assert date(2026, 12, 31) > TODAY


def test_a_folder_without_a_study_is_told(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["fetch", "papers", "--into", str(tmp_path / "none"), "--query", "x"]
    )
    assert isinstance(done.exception, ForeseenError)
    assert "none" in str(done.exception)


def test_a_conference_of_unknown_scale_is_fetched_once(study: Path) -> None:
    """Its marks cannot be brought over; what came is kept until a scale is given."""
    note = note_of(0, [6, 8])
    note["content"] |= {"venue": {"value": "COLM 2024"}, "venueid": {"value": ""}}
    library = Literature([note])
    words = ["fetch", "references", "--into", str(study), "--venue", "COLM 2024"]
    with serve(library):
        words += ["--base-url", library.url]
        refused = CliRunner().invoke(app, words)
        assert "No scale is known for" in str(refused.exception)
        assert "COLM 2024" in str(refused.exception)
        scale = ["--scale", "COLM 2024: rating=1..10 soundness=1..4 contribution=1..4"]
        done = CliRunner().invoke(app, [*words, *scale])
    assert done.exit_code == 0, done.stderr
    assert len(library.asked) == 1
    # mean 7 of 1 to 10 becomes (7 − 1) · 5/9
    assert Study.open(study).references["rating"].tolist() == pytest.approx([10 / 3])
