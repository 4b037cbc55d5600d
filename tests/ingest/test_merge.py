"""Records of one paper become one, and different papers stay apart."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.ingest.merge import merge_papers, recorded_merges
from core.schema import PAPERS, admit

LONG = "A Particular Study of Something Rare"


def rows(*papers: dict[str, Any]) -> list[dict[str, Any]]:
    filled = [{"title": LONG, **paper} for paper in papers]
    frame, problems = admit(PAPERS, pd.DataFrame(filled, dtype=object), file="p", unique=False)
    assert not problems
    return list(frame.to_dict("records"))


def content(records: Any) -> str:
    return json.dumps(records, sort_keys=True, default=str)


def merged(*papers: dict[str, Any], known: int = 0) -> Any:
    made = rows(*papers)
    return merge_papers(made[:known], made[known:])


def test_preprint_and_published_version_become_one() -> None:
    done = merged(
        {"paper_id": "2406.00001", "published": "2024-06", "venue": "arXiv", "citations": 3,
         "abstract": "short", "topics": ["a"], "identifiers": {"arxiv": "2406.00001"}},
        {"paper_id": "acl.1", "published": "2024-06-12", "venue": "ACL", "citations": 9,
         "abstract": "much longer", "topics": ["b", "a"], "identifiers": {"doi": "10.1/x"}},
    )  # fmt: skip
    assert done.fates == ("added", "merged")
    (paper,) = done.records
    assert paper["paper_id"] == "2406.00001"
    assert (str(paper["published"].date()), paper["date_precision"]) == ("2024-06-12", "day")
    assert (paper["citations"], paper["venue"], paper["abstract"]) == (9, "ACL", "much longer")
    assert paper["topics"] == ("a", "b")
    assert paper["identifiers"] == {"arxiv": "2406.00001", "doi": "10.1/x"}
    assert paper["extra"]["merged"] == [
        {"paper_id": "acl.1", "by": "title", "title": LONG, "venue": "ACL"}
    ]
    (entry,) = done.merges
    assert (entry.paper_id, entry.merged_id, entry.by) == ("2406.00001", "acl.1", "title")


@pytest.mark.parametrize(
    ("first", "second", "by"),
    [
        ({"identifiers": {"arxiv": "2406.00001v1"}}, {"identifiers": {"ArXiv": "2406.00001v3"}}, "arxiv"),
        ({"identifiers": {"doi": "10.1/ABC"}}, {"identifiers": {"doi": "https://doi.org/10.1/abc"}}, "doi"),
        ({"identifiers": {"doi": "10.48550/arXiv.2406.00001"}}, {"identifiers": {"arxiv": "2406.00001"}}, "arxiv"),
        ({"identifiers": {"dblp": "x/y"}}, {"identifiers": {"dblp": "x/y"}}, "dblp"),
    ],
)  # fmt: skip
def test_a_shared_identifier_joins_titles_that_differ(
    first: dict[str, Any], second: dict[str, Any], by: str
) -> None:
    done = merged(
        {"paper_id": "a", "title": "One title", **first},
        {"paper_id": "b", "title": "Quite another", **second},
    )
    assert [merge.by for merge in done.merges] == [by]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"title": "Preface"}, {"title": "Preface"}),
        ({"title": "Introduction"}, {"title": "Introduction"}),
        ({"published": "2015"}, {"published": "2024"}),
        ({"title": "Deep Learning"}, {"title": "Deep learning"}),
        ({"identifiers": {"doi": "1"}}, {"title": "Other", "identifiers": {"arxiv": "1"}}),
    ],
)
def test_different_papers_stay_apart(first: dict[str, Any], second: dict[str, Any]) -> None:
    done = merged({"paper_id": "a", **first}, {"paper_id": "b", **second})
    assert done.fates == ("added", "added")
    assert done.merges == ()


def test_a_short_title_joins_where_the_abstracts_are_one() -> None:
    same = {"title": "Deep Learning", "abstract": "We review deep learning."}
    assert merged({"paper_id": "a", **same}, {"paper_id": "b", **same}).fates == ("added", "merged")


@pytest.mark.parametrize(
    ("venues", "best"),
    [
        (("arXiv", "ICML"), "ICML"),
        (("ICML", "CoRR"), "ICML"),
        (("ICML Workshop on X", "ICML"), "ICML"),
        ((None, "arXiv.org"), "arXiv.org"),
        (("ICML", "NeurIPS"), "ICML"),
    ],
)
def test_the_best_venue_is_kept(venues: tuple[str | None, str], best: str) -> None:
    done = merged(*({"paper_id": f"p{n}", "venue": venue} for n, venue in enumerate(venues)))
    assert done.records[0]["venue"] == best


def test_a_record_can_join_two_that_were_apart() -> None:
    done = merged(
        {"paper_id": "a", "title": "First of its names", "identifiers": {"doi": "10.1/x"}},
        {"paper_id": "b", "title": "Second of its names", "identifiers": {"arxiv": "2406.00001"}},
        {"paper_id": "c", "title": "Third", "identifiers": {"doi": "10.1/x", "arxiv": "2406.00001"}},
        known=2,
    )  # fmt: skip
    assert [paper["paper_id"] for paper in done.records] == ["a"]
    assert done.fates == ("merged",)
    assert {merge.merged_id for merge in done.merges} == {"b", "c"}


def test_the_known_record_keeps_its_id() -> None:
    done = merged({"paper_id": "mine"}, {"paper_id": "0-theirs"}, known=1)
    assert [paper["paper_id"] for paper in done.records] == ["mine"]


def test_an_id_of_another_paper_is_a_clash() -> None:
    done = merged(
        {"paper_id": "paper1", "title": "Graphs for molecules"},
        {"paper_id": "paper1", "title": "Why people vote as they do"},
        known=1,
    )
    assert done.fates == ("clash",)
    assert done.clashes == {0: "Graphs for molecules"}


def test_the_same_id_with_a_revised_title_is_an_update() -> None:
    done = merged(
        {"paper_id": "p", "title": "Graphs for molecules", "citations": 1},
        {"paper_id": "p", "title": "Graphs for molecules, revisited", "citations": 4},
        known=1,
    )
    assert done.fates == ("updated",)
    assert done.records[0]["citations"] == 4


def test_what_was_merged_can_be_read_from_the_table() -> None:
    done = merged({"paper_id": "a"}, {"paper_id": "b", "venue": "ACL"})
    frame, problems = admit(PAPERS, pd.DataFrame(list(done.records)), file="p")
    assert not problems
    (entry,) = recorded_merges(frame)
    assert (entry.paper_id, entry.merged_id, entry.by, entry.venue) == ("a", "b", "title", "ACL")


PAPER = st.fixed_dictionaries(
    {
        "paper_id": st.sampled_from("abcdef"),
        "title": st.sampled_from([LONG, "A Wholly Different Thing Here", "Preface"]),
        "published": st.sampled_from([None, "2023", "2023-05", "2023-05-07", "2024-01-02"]),
        "citations": st.sampled_from([None, 0, 5, 9]),
        "identifiers": st.sampled_from([{}, {"doi": "10.1/x"}, {"arxiv": "2305.00001"}]),
    }
)


@settings(deadline=None, max_examples=50)
@given(st.lists(PAPER, min_size=1, max_size=7, unique_by=lambda paper: paper["paper_id"]))
def test_merging_again_changes_nothing(papers: list[dict[str, Any]]) -> None:
    incoming = rows(*papers)
    once = merge_papers([], incoming)
    again = merge_papers(once.records, incoming)
    assert [r["paper_id"] for r in again.records] == [r["paper_id"] for r in once.records]
    assert set(again.fates) <= {"unchanged", "merged"}
    assert content(again.records) == content(once.records)


@settings(deadline=None, max_examples=50)
@given(st.lists(PAPER, min_size=1, max_size=7, unique_by=lambda paper: paper["paper_id"]))
def test_nothing_is_lost_in_a_merge(papers: list[dict[str, Any]]) -> None:
    done = merge_papers([], rows(*papers))
    kept = {r["paper_id"] for r in done.records}
    gone = {e["paper_id"] for r in done.records for e in r["extra"].get("merged", ())}
    assert kept | gone == {paper["paper_id"] for paper in papers}
    counts = [paper["citations"] for paper in papers if paper["citations"] is not None]
    if counts:
        assert max(r["citations"] for r in done.records if r["citations"] == r["citations"]) == max(
            counts
        )
    dois = {v for r in done.records for k, v in r["identifiers"].items() if k == "doi"}
    assert dois == {p["identifiers"]["doi"] for p in papers if "doi" in p["identifiers"]}
