"""Live sources against a local server that speaks their formats: what is asked, and what comes."""

from __future__ import annotations

import json
import tomllib
from datetime import date
from pathlib import Path

import pytest
from literature_server import Literature, serve
from source_helpers import MADE, TODAY, gather, note_of, openalex, quick, s2
from source_helpers import arxiv as arxiv_entry
from typer.testing import CliRunner

from core.cli import app
from core.config import HINDSIGHT_SEARCHES, HINDSIGHT_TOPICS
from core.ingest.sources import PAPER_SOURCES, topics_of
from core.ingest.sources.fetch import FETCHED, fetches
from core.ingest.sources.gather import gather_references
from core.ingest.sources.openreview import OpenReviewVenue
from core.study import Study


@pytest.fixture
def study(tmp_path: Path) -> Path:
    Study.create(tmp_path / "s", cutoff=date(2023, 6, 1))
    return tmp_path / "s"


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
    library = Literature([arxiv_entry(0)])
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
        gather(study, library, "arxiv", topics={"T": '"graph networks" & state-space'})
    first, second, third, fourth = (query for _, query, _ in library.asked)
    assert first["query"] == "large models"
    assert first["publicationDateOrYear"] == "2023-06-01:2025-12-31"
    assert "authors" not in first["fields"]
    assert second["filter"] == "from_publication_date:2023-06-01,to_publication_date:2025-12-31"
    assert "authorships" not in second["select"]
    assert third["search_query"] == (
        "(all:large AND all:models) AND submittedDate:[202306010000 TO 202512312359]"
    )
    assert fourth["search_query"].startswith('(all:"graph networks" AND all:state-space) AND ')


def test_a_hyphen_is_no_minus(study: Path) -> None:
    """In the bulk search a hyphen negates the term after it."""
    library = Literature([])
    with serve(library):
        for source in ("semantic-scholar", "openalex"):
            gather(study, library, source, topics={"T": "in-context learning -survey"})
    assert library.asked[0][1]["query"] == "in context learning -survey"
    assert library.asked[1][1]["search"] == "in-context learning -survey"


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


def test_nothing_found_is_no_error(study: Path) -> None:
    library = Literature([])
    with serve(library):
        done = gather(study, library, "semantic-scholar")
    assert done.report is None
    assert "Nothing was found." in done.to_text()
    assert len(Study.open(study).papers) == 0


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


def test_the_preset_asks_for_ten_topics(study: Path) -> None:
    library = Literature([openalex(0)], per_page=10)
    words = ["fetch", "papers", "--into", str(study), "--base-url", library.url]
    with serve(library):
        words[-1] = library.url
        done = CliRunner().invoke(
            app, [*words, "--source", "openalex", "--preset", "hindsight", "--json"]
        )
    assert done.exit_code == 0, done.stderr
    first = [query for _, query, _ in library.asked if query["cursor"] == "*"]
    assert [query["search"] for query in first] == [words for _, words in HINDSIGHT_SEARCHES]
    assert {query["filter"] for query in first} == {
        "from_publication_date:2023-06-01,to_publication_date:2025-12-31"
    }
    assert set(Study.open(study).papers["topics"][0]) == set(HINDSIGHT_TOPICS)
    # none of the words is a sign that a source would read as more than a word
    assert all(part.replace("-", "").isalnum() for q in first for part in q["search"].split())
    # the paper's window begins with the cutoff, so nothing for a generator is among them
    told = json.loads(done.stdout)
    assert set(told["by_cutoff"].values()) == {0}
    assert told["earlier"].endswith(
        "--source openalex --preset hindsight --from 2021-06-01 --to 2023-06-01"
    )


@pytest.mark.parametrize("calls", [[("A", "B")], [("A",), ("B",)]], ids=["one call", "two calls"])
def test_topics_with_the_same_words_share_a_search_and_have_its_papers(
    study: Path, calls: list[tuple[str, ...]]
) -> None:
    library = Literature([s2(n) for n in range(3)])
    with serve(library):
        for names in calls:
            words = dict.fromkeys(names, "graph  neural networks")
            gather(study, library, "semantic-scholar", topics=words)
        assert len(library.asked) == 2  # two pages, once
        assert set(Study.open(study).papers["topics"]) == {("A", "B")}
        library.asked.clear()
        words = dict.fromkeys("AB", "graph neural networks")
        gather(study, library, "semantic-scholar", topics=words, restart=True)
    assert len(library.asked) == 2
    assert set(Study.open(study).papers["topics"]) == {("A", "B")}
    assert len(list(fetches(study))) == 1


def test_a_topic_may_have_several_searches(study: Path) -> None:
    topics = topics_of(["T=large models", "T = model  scaling", "T=large models", "other"], None)
    assert topics == (("T", "large models"), ("T", "model scaling"), ("other", "other"))
    library = Literature([s2(0)])
    with serve(library):
        gather(study, library, "semantic-scholar", topics=topics)
    assert [query["query"] for _, query, _ in library.asked] == [words for _, words in topics]
    assert list(Study.open(study).papers["topics"]) == [("T", "other")]


def test_records_keep_what_is_known_and_nothing_else(study: Path) -> None:
    library = Literature(
        [
            s2(0, publicationDate=None, year=2024),
            s2(1, publicationDate=None, year=None),
            s2(2, paperId=None, externalIds=None),
            s2(3, title=None),
        ],
        per_page=10,
    )
    with serve(library):
        done = gather(study, library, "semantic-scholar")
    papers = Study.open(study).papers.set_index("title")
    assert papers["date_precision"].iloc[0] == "year"
    assert papers["published"].isna().tolist()[:2] == [False, True]
    # without an id or a title a record is no paper that could be told from another
    assert [str(name)[-24:] for name in papers.index[:2]] == [
        "Alpha in language models", "Bravo in language models",
    ]  # fmt: skip
    assert len(papers) + sum(len(file.dropped) for file in done.report.files) == 4


def test_fields_of_openalex_are_kept_and_nulls_stay(study: Path) -> None:
    library = Literature(
        [
            openalex(0) | {"fwci": 2.5, "citation_normalized_percentile": {"value": 0.9}},
            openalex(1) | {"fwci": None, "cited_by_count": None, "publication_date": None},
        ]
    )
    with serve(library):
        gather(study, library, "openalex")
    papers = Study.open(study).papers.set_index("paper_id")
    assert papers["extra"]["W0"]["fwci"] == 2.5
    assert papers["extra"]["W0"]["citation_normalized_percentile"] == {"value": 0.9}
    assert papers["extra"]["W1"].get("fwci") is None
    assert papers["abstract"].isna().to_dict() == {"W0": True, "W1": False}
    assert papers["abstract"]["W1"] == "About Bravo"
    assert papers["citations"].isna().to_dict() == {"W0": False, "W1": True}
    assert papers["date_precision"].to_dict() == {"W0": "day", "W1": "year"}
    asked = library.asked[0][1]["select"].split(",")
    assert {"fwci", "citation_normalized_percentile"} <= set(asked)


def test_duplicates_merge_by_doi_and_arxiv_id(study: Path) -> None:
    """The same two papers under other titles: one shares its DOI, one its arXiv id."""
    library = Literature(
        [
            s2(0, externalIds={"DOI": "10.1000/ABC"}),
            s2(1, externalIds={"ArXiv": "2403.00001"}, publicationDate="2024-05-09"),
        ]
    )
    with serve(library):
        gather(study, library, "semantic-scholar")
        library.records = [
            openalex(3) | {"doi": "https://doi.org/10.1000/abc", "display_name": "Renamed"}
        ]
        gather(study, library, "openalex", topics={"O": "models"})
        library.records = [arxiv_entry(1) | {"title": "Renamed on arXiv"}]
        gather(study, library, "arxiv", topics={"X": "models"})
    papers = Study.open(study).papers.set_index("paper_id")
    assert papers["topics"].to_dict() == {"s0": ("Models", "O"), "s1": ("Models", "X")}
    assert papers["citations"].to_dict() == {"s0": 3, "s1": 1}
    # the day of version 1 is the paper's first
    assert str(papers["published"]["s1"].date()) == "2024-03-02"


def test_the_snapshot_is_the_newest_day_of_counting(study: Path) -> None:
    library = Literature([s2(0)])
    with serve(library):
        gather(study, library, "semantic-scholar", topics={"A": "a"}, today=date(2026, 1, 1))
        gather(study, library, "semantic-scholar", topics={"B": "b"}, today=date(2026, 3, 1))
        # kept pages are of the day on which they came
        done = gather(study, library, "semantic-scholar", topics={"A": "a"}, today=TODAY)
    assert done.snapshot == date(2026, 3, 1)
    assert Study.open(study).config.snapshot == date(2026, 3, 1)


def test_papers_by_the_cutoff_are_counted_and_the_way_to_more_is_told(study: Path) -> None:
    early = [s2(0, publicationDate="2023-06-01"), s2(1, publicationDate=None, year=2023), s2(2)]
    library = Literature(early, per_page=10)
    with serve(library):
        done = gather(study, library, "semantic-scholar", topics={"my topic": "it's"})
    # the second may have appeared after the cutoff
    assert done.by_cutoff == {"my topic": 1}
    assert f"--into {study} " in (done.earlier or "")
    assert (done.earlier or "").endswith(
        """--query 'my topic=it'"'"'s' --from 2021-06-01 --to 2023-06-01"""
    )
    assert "papers by the cutoff: 1 of 'my topic'" in done.to_text()
    many = [
        s2(0, paperId=f"p{n}", externalIds=None, title=f"Paper {n}", publicationDate="2023-01-01")
        for n in range(50)
    ]
    with serve(Literature(many, per_page=50)) as full:
        done = gather(
            study, full, "semantic-scholar", topics={"new": "words"}, start=date(2021, 6, 1)
        )
    assert (done.by_cutoff, done.earlier) == ({"new": 50}, None)
    assert "by the cutoff" not in done.to_text()


def test_a_year_of_the_first_api_has_reviews_and_decisions(study: Path) -> None:
    old = {
        "id": "o1", "forum": "o1",
        "content": {"title": "An old submission", "abstract": "Text.", "authorids": ["~A_B1"]},
        "details": {"directReplies": [
            {"id": "r1", "invitation": "ICLR.cc/2022/Conference/Paper1/-/Official_Review",
             "content": {"recommendation": "8: accept, good paper"}},
            {"id": "d1", "invitation": "ICLR.cc/2022/Conference/Paper1/-/Decision",
             "content": {"decision": "Accept (Poster)", "recommendation": "Accept (Poster)"}},
        ]},
    }  # fmt: skip
    library = Literature([old])
    with serve(library):
        gather_references(study, ["iclr 2022"], url=library.url, today=TODAY, connect=quick())
    (row,) = Study.open(study).references.to_dict("records")
    assert (row["venue"], row["year"], row["decision"]) == ("ICLR", 2022, "Accept (Poster)")
    # 1 to 10 becomes 0 to 5: (8 − 1) · 5/9 = 35/9
    assert row["rating"] == pytest.approx(35 / 9)
    _, query, _ = library.asked[0]
    assert query["invitation"] == "ICLR.cc/2022/Conference/-/Blind_Submission"
    assert query["details"] == "directReplies"
    assert next(fetches(study)).asks == {"venue": "ICLR 2022"}


@pytest.mark.parametrize(
    ("venue", "invitation"),
    [
        ("NeurIPS 2022", "NeurIPS.cc/2022/Conference/-/Blind_Submission"),
        ("neurips-2023", "NeurIPS.cc/2023/Conference/-/Submission"),
        ("ICML 2025", "ICML.cc/2025/Conference/-/Submission"),
        ("COLM 2024", "colmweb.org/COLM/2024/Conference/-/Submission"),
    ],
)
def test_conferences_and_what_they_are_called(study: Path, venue: str, invitation: str) -> None:
    library = Literature([])
    with serve(library):
        gather_references(study, [venue], url=library.url, today=TODAY, connect=quick())
    assert library.asked[0][1]["invitation"] == invitation
