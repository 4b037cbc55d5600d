"""Cases: the right papers, marks and values for each idea, worked by hand (see builders)."""

from __future__ import annotations

import pytest
from builders import case_study

from core.config import Settings
from core.errors import UsageError
from core.hindsight.browse import IdeaFilter, find_ideas
from core.hindsight.cases import case, case_table, cases, quadrant_ids
from core.study import Study


@pytest.fixture(scope="module")
def study() -> Study:
    return case_study()


def test_a_hidden_gem_names_the_paper_it_met(study: Study) -> None:
    found = case(study, study.score(), "i1")
    assert (found.quadrant, found.n_matches, found.theta) == ("hidden_gem", 1, 0.5)
    assert found.score == pytest.approx(0.6)  # 0.6 · (100 − 0) / (100 − 0) + 0.4 · 0
    assert found.best is not None
    assert (found.best.paper_id, found.best.similarity) == ("p1", 0.9)
    assert [(paper.paper_id, paper.matched) for paper in found.papers] == [
        ("p1", True),
        ("p3", False),
    ]
    assert found.judge_overall == 5


def test_the_best_paper_is_the_one_of_the_score_not_the_nearest(study: Study) -> None:
    # i2 met p2 (0.3) and, less similar, p5 (0.06 + 0.4 = 0.46), both above θ.
    found = case(study, study.score(), "i2")
    assert found.best is not None
    assert (found.best.paper_id, found.best.place) == ("p5", 2)
    assert found.best.citation_term == pytest.approx(0.06)
    assert found.best.venue_term == pytest.approx(0.4)


def test_without_a_match_the_nearest_candidate_is_shown_as_below(study: Study) -> None:
    found = case(study, study.score(), "i4")
    assert found.best is None
    assert found.shown_paper is not None
    assert (found.shown_paper.paper_id, found.shown_paper.matched) == ("p1", False)


def test_without_a_candidate_there_is_no_paper(study: Study) -> None:
    found = case(study, study.score(), "i7")
    assert found.papers == ()
    assert found.shown_paper is None


def test_a_refusal_is_a_state_and_no_mark(study: Study) -> None:
    marks = case(study, study.score(), "i7").marks
    assert [(mark.judge, mark.state, mark.overall) for mark in marks] == [
        ("ann", "ok", 8),
        ("bob", "refused", None),
    ]


def test_one_judge_alone_has_its_own_marks(study: Study) -> None:
    score = study.score(Settings(theta=0.5, judge="bob"))
    assert [mark.judge for mark in case(study, score, "i7").marks] == ["bob"]
    assert case(study, score, "i7").judge_overall is None


def test_dates_are_as_exact_as_known_and_unknown_stays_unknown(study: Study) -> None:
    month = case(study, study.score(), "i6").papers[0]
    assert (month.published, month.date_precision) == ("2024-05", "month")
    score = study.score(Settings(theta=0.5, unknown_citations="zero"))
    assert all(paper.citations is not None for paper in case(study, score, "i1").papers)


def test_an_unknown_idea_is_refused_with_the_nearest(study: Study) -> None:
    with pytest.raises(UsageError, match="No idea 'i99'"):
        case(study, study.score(), "i99")


def test_quadrants_list_the_largest_disagreement_first(study: Study) -> None:
    score = study.score()
    assert quadrant_ids(score, ["hidden_gem"]) == ["i1", "i5"]  # 0.6, 0.3
    assert quadrant_ids(score, ["overhyped"]) == ["i3", "i7"]  # marks 9, 8
    assert quadrant_ids(score, ["unscored"]) == ["i8"]


def test_cases_come_in_the_order_asked_for(study: Study) -> None:
    found = cases(study, study.score(), ["i5", "i1"])
    assert [item.idea_id for item in found] == ["i5", "i1"]
    frame = case_table(found)
    assert frame["paper_id"].tolist() == ["p2", "p1"]
    assert case_table([]).empty


def test_the_heading_falls_back_to_a_text_then_to_the_id(study: Study) -> None:
    from dataclasses import replace

    found = case(study, study.score(), "i1")
    assert replace(found, title=None).heading == "Diffusion models are slow, problem 1."
    assert replace(found, title=" ", problem=None, method=None).heading == "i1"
    assert len(replace(found, title="x" * 500).heading) == 120


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        (IdeaFilter(), ["i1", "i2", "i8", "i5", "i3", "i4", "i6", "i7"]),
        (IdeaFilter(systems=["beta"]), ["i8", "i5", "i6", "i7"]),
        (IdeaFilter(topics=["graphs"], systems=["alpha"]), ["i1", "i3"]),
        (IdeaFilter(quadrants=["hidden_gem", "unscored"]), ["i1", "i8", "i5"]),
        (IdeaFilter(low=0.3, high=0.46), ["i2", "i8", "i5"]),
        (IdeaFilter(words="NUMBER 5"), ["i5"]),
        (IdeaFilter(words="denoisers distil"), ["i1", "i2", "i5", "i3", "i4", "i6", "i7"]),
        (IdeaFilter(words="(number"), []),
        (IdeaFilter(words="i3"), ["i3"]),
    ],
)
def test_filters_leave_what_fits(study: Study, wanted: IdeaFilter, ids: list[str]) -> None:
    found = find_ideas(study, study.score(), wanted)
    assert found.rows["idea_id"].tolist() == ids
    assert found.total == 8
