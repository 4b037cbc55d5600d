"""What a study's tables lack, counted; and what is wrong in its folder, all at once."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from builders import study

from core.errors import DataError
from core.ingest.checking import check_study
from core.ingest.coverage import coverage
from core.study import Study

IDEA = {"system": "A", "topic": "t", "problem": "p", "method": "m"}
PAPER = {
    "abstract": "a",
    "published": "2024-01-02",
    "citations": 1,
    "venue": "ICML",
    "topics": ["t"],
}


def test_a_whole_study_has_nothing_odd() -> None:
    made = study(
        ideas=[{**IDEA, "idea_id": "i1"}, {**IDEA, "idea_id": "i2", "problem": "q"}],
        papers=[{**PAPER, "paper_id": "p", "title": "T"}],
        scores=[{"idea_id": i, "judge": "j", "novelty": 3} for i in ("i1", "i2")],
    )
    found = coverage(made)
    assert (len(found), list(found)) == (0, [])
    assert found.to_frame().empty


def test_an_empty_study_has_nothing_odd() -> None:
    assert not coverage(study())


def test_each_oddity_is_counted_with_its_ids() -> None:
    made = study(
        ideas=[
            {**IDEA, "idea_id": "i1", "problem": None},
            {**IDEA, "idea_id": "i2", "method": "  "},
            {"idea_id": "i3", "system": "lone", "topic": "u", "title": "T"},
            {**IDEA, "idea_id": "i4"},
            {**IDEA, "idea_id": "i5", "topic": None},
        ],
        papers=[
            {**PAPER, "paper_id": "p1", "title": "T", "abstract": None},
            {**PAPER, "paper_id": "p2", "title": "T", "published": None, "citations": None},
            {**PAPER, "paper_id": "p3", "title": "T", "published": "2024-03"},
            {**PAPER, "paper_id": "p4", "title": "T", "published": "2024", "venue": None,
             "extra": {"merged": [{"paper_id": "x"}]}},
        ],
        scores=[
            {"idea_id": "gone", "judge": "j", "novelty": 3},
            {"idea_id": "gone", "judge": "j", "repeat": 2, "novelty": 3},
            {"idea_id": "i1", "judge": "j", "state": "refused"},
            {"idea_id": "i2", "judge": "j", "state": "parse_failed"},
        ],
        verdicts=[{"idea_id": "i1", "paper_id": "nowhere", "judge": "j", "problem": 1}],
    )  # fmt: skip
    found = {(entry.table, entry.code): (entry.count, entry.ids) for entry in coverage(made)}
    assert found == {
        ("ideas", "no_problem"): (1, ("i1",)),
        ("ideas", "no_method"): (1, ("i2",)),
        ("ideas", "no_problem_no_method"): (1, ("i3",)),
        ("ideas", "no_topic"): (1, ("i5",)),
        ("ideas", "same_text"): (2, ("i4", "i5")),
        ("ideas", "lone_system"): (1, ("lone",)),
        ("ideas", "topic_without_papers"): (1, ("u",)),
        ("ideas", "no_score"): (3, ("i3", "i4", "i5")),
        ("papers", "no_date"): (1, ("p2",)),
        ("papers", "month_only"): (1, ("p3",)),
        ("papers", "year_only"): (1, ("p4",)),
        ("papers", "title_only"): (1, ("p1",)),
        ("papers", "unknown_citations"): (1, ("p2",)),
        ("papers", "no_venue"): (1, ("p4",)),
        ("papers", "merged"): (1, ("p4",)),
        ("scores", "unknown_idea"): (2, ("gone",)),
        ("scores", "refused"): (1, ("i1",)),
        ("scores", "parse_failed"): (1, ("i2",)),
        ("verdicts", "unknown_paper"): (1, ("nowhere",)),
    }


def test_candidates_older_than_the_tables_are_told() -> None:
    made = study(
        ideas=[{**IDEA, "idea_id": "i1"}, {**IDEA, "idea_id": "i2", "problem": "q"}],
        papers=[{**PAPER, "paper_id": "p", "title": "T"}],
        candidates=[{"idea_id": "i1", "paper_id": "p", "similarity": 0.5, "rank": 1}],
    )
    (entry,) = coverage(made)
    assert (entry.table, entry.code, entry.count) == ("candidates", "stale", 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Study.create(tmp_path / "s", cutoff=date(2023, 6, 30), horizon_months=30)
    return tmp_path / "s"


def test_a_sound_folder_has_no_problem(folder: Path) -> None:
    (folder / "ideas.csv").write_text("idea_id,system,problem,method,topic\ni,A,p,m,t\n")
    found = check_study(folder)
    assert found.problems == ()
    assert found.to_text().startswith("No problems.\nideas: 1\nnote: ideas: 1 systems with")
    assert found.to_dict()["notes"][0]["ids"] == ["A"]


def test_every_problem_is_listed_at_once(folder: Path) -> None:
    (folder / "ideas.csv").write_text(
        "idea_id,system,cutoff,rank\ni1,A,2023-13-40,1\n i2,A,,0\ni1,,June 2023,1.5\n"
    )
    (folder / "papers.jsonl").write_text(
        '{"paper_id": "p", "title": "T", "citations": NaN, "published": "June 2023"}\n'
        '{"paper_id": "q", "title": "T", "citations": "inf", "date_precision": "week"}\n'
    )
    (folder / "scores.csv").write_text("idea_id,rater,novelty\ni1,j,1e999\n")
    (folder / "verdicts.jsonl").write_text("{broken\n")
    (folder / "references.csv").write_bytes(b"\x00\xff\xfe")
    toml = folder / "study.toml"
    toml.write_text(toml.read_text() + 'horizont = 3\nencodr = "x"\n')
    places = [(p.file, p.row, p.column, p.value) for p in check_study(folder).problems]
    assert places == [
        ("study.toml", None, None, None),
        ("study.toml", None, None, None),
        ("ideas.csv", 1, "cutoff", "2023-13-40"),
        ("ideas.csv", 3, "cutoff", "June 2023"),
        ("ideas.csv", 3, "rank", "1.5"),
        ("ideas.csv", 2, "idea_id", " i2"),
        ("ideas.csv", 3, "system", None),
        ("ideas.csv", 2, "rank", "0"),
        ("ideas.csv", 3, "idea_id", "i1"),
        ("papers.jsonl", 1, "published", "June 2023"),
        ("papers.jsonl", 1, "citations", "NaN"),
        ("papers.jsonl", 2, "citations", "inf"),
        ("papers.jsonl", 2, "date_precision", "week"),
        ("scores.csv", None, "rater", None),
        ("scores.csv", None, "judge", None),
        ("scores.csv", 1, "novelty", "1e999"),
        ("references.csv", None, None, None),
        ("verdicts.jsonl", None, None, None),
    ]


def test_problems_say_what_is_allowed(folder: Path) -> None:
    (folder / "papers.csv").write_text("paper_id,title,published,date_precision\np,T,2024-06,day\n")
    (problem,) = check_study(folder).problems
    assert str(problem) == (
        "papers.csv, row 1, column 'date_precision': is finer than the date, which is written to"
        " the month (found 'day')"
    )


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        check_study(tmp_path / "none")
