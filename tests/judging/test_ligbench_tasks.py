"""LigBench's starts and comparisons: what a judge sees, what counts as a reply, which side it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from builders import study

from core.errors import DataError, UsageError
from core.judging.client import Request
from core.judging.comparisons import (
    comparison_tasks,
    rebuild_comparisons,
    reference_pair_tasks,
)
from core.judging.judgements import judge
from core.judging.mock import MockClient
from core.judging.starts import rebuild_starts, start_tasks
from core.ligbench.games import flip_rates
from core.study import Study

# Odd numbers that stand nowhere but in scores, so that a leak is seen.
SCORES = [0.917, 1.913, 2.917, 3.911, 4.919]
PARTS = {
    "main_target": "Better traffic forecasts",
    "core_breakthrough": "Roads as graphs",
    "innovative_methods": "1. Graphs\n2. Attention\n3. Sampling",
    "experimental_design": "Two cities",
}


def small(folder: Path, **more: Any) -> Study:
    references = [
        {
            "reference_id": f"r{n}",
            "title": f"Traffic by graphs {n}",
            "abstract": f"Traffic flow number {n}.",
            "venue": "ICLR",
            "year": 2031,
            "decision": "Accept (Oral)",
            "rating": score,
            "contribution": SCORES[(n + 1) % 5],
            "soundness": SCORES[(n + 2) % 5],
            "extra": {"reviews": {"rating": [score]}},
            **{name: f"{text} {n}" for name, text in PARTS.items()},
        }
        for n, score in enumerate(SCORES)
    ]
    ideas = [
        {"idea_id": "a", "system": "one", "title": "Idea a", "problem": "traffic flow", **PARTS},
        {"idea_id": "b", "system": "two", "title": "Idea b", "problem": "traffic graphs"},
    ]
    made = study(ideas=more.get("ideas", ideas), references=more.get("references", references))
    written = Study.create(folder, cutoff=made.config.cutoff)
    written = written.write("ideas", made.ideas, suffix=".jsonl")
    return written.write("references", made.references, suffix=".jsonl")


def replying(reply: Callable[[Request], str]) -> MockClient:
    return MockClient(model="m", reply=reply)


def marks(rating: Any, soundness: Any = 0.5, contribution: Any = 0.5) -> str:
    values = {"rating": rating, "soundness": soundness, "contribution": contribution}
    return json.dumps({"reason": "so", **values})


def compared(made: Study, reply: Callable[[Request], str], **more: Any) -> pd.DataFrame:
    asked = comparison_tasks(made, **({"references": 2, "embedding": False} | more))
    return judge(made, replying(reply), asked).study.comparisons


def test_no_score_and_no_fate_reaches_a_comparison(tmp_path: Path) -> None:
    made = small(tmp_path / "s")
    tasks = comparison_tasks(made, references=5, embedding=False).tasks
    text = "\n".join(message.content for task in tasks for message in task.messages)
    assert "Roads as graphs 3" in text
    shown = [f"{score:g}" for score in SCORES] + ["Oral", "2031", "ICLR", "reviews"]
    assert [word for word in shown if word in text] == []
    # Nothing that depends on a score depends on it: other scores, the same prompts.
    other = made.references.assign(rating=0.0, contribution=5.0, soundness=1.0)
    again = comparison_tasks(replace(made, references=other), references=5, embedding=False)
    assert [t.prompt_digest for t in tasks] == [t.prompt_digest for t in again.tasks]


def test_the_judge_is_not_told_which_side_is_the_paper(tmp_path: Path) -> None:
    tasks = comparison_tasks(small(tmp_path / "s"), references=1, embedding=False).tasks
    first, second = (task.messages[1].content for task in tasks[:2])
    assert "REFERENCE" not in first + second
    assert first.index("Roads as graphs\n") < first.index("Roads as graphs ")
    assert second.index("Roads as graphs ") < second.index("Roads as graphs\n")


def test_outcomes_are_the_ideas_whichever_stands_first(tmp_path: Path) -> None:
    def fair(request: Request) -> str:
        text = request.messages[1].content
        idea_first = text.index("Better traffic forecasts\n") < text.index(
            "Better traffic forecasts "
        )
        return marks(1 if idea_first else 0, 0 if idea_first else 1, 0.5)

    made = small(tmp_path / "s")
    frame = compared(made, fair, ideas=["a"])
    assert len(frame) == 4
    assert set(frame["rating"]) == {1.0}
    assert set(frame["soundness"]) == {0.0}
    assert set(frame["contribution"]) == {0.5}
    assert flip_rates(frame)["rate"].tolist() == [0.0] * 3


def test_a_judge_that_likes_the_first_place_flips_every_time(tmp_path: Path) -> None:
    frame = compared(small(tmp_path / "s"), lambda request: marks(1, 1, 1))
    assert frame.groupby("order")["rating"].unique().map(list).to_dict() == {
        "idea_first": [1.0],
        "reference_first": [0.0],
    }
    assert flip_rates(frame)["rate"].tolist() == [1.0] * 3


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("[1, 0, 0.5]", "no well-formed JSON object"),
        ("<think>1. a 2. b 3. c</think>[1, 0, 0.5]", "no well-formed JSON object"),
        ('{"reason": "x", "outcomes": [1, 0, 0.5]}', "is missing"),
        (marks(0.7), "'rating' must be one of 0, 0.5, 1"),
        (marks(2), "'rating' must be one of"),
        (marks("1"), "must be a number"),
        (marks(True), "must be a number"),
        (marks(1, None), "'soundness' must be a number"),
    ],
)
def test_a_reply_in_another_form_is_no_outcome(tmp_path: Path, reply: str, reason: str) -> None:
    frame = compared(small(tmp_path / "s"), lambda request: reply, ideas=["a"])
    assert set(frame["state"]) == {"parse_failed"}
    assert frame[["rating", "soundness", "contribution"]].isna().all(axis=None)
    assert all(reason in text for text in frame["reason"])


def test_orders_repeats_and_their_count(tmp_path: Path) -> None:
    made = small(tmp_path / "s")
    both = comparison_tasks(made, references=3, repeats=2, embedding=False).tasks
    assert len(both) == 2 * 3 * 2 * 2  # ideas, references, orders, repeats
    one = comparison_tasks(made, references=3, orders="idea_first", embedding=False).tasks
    assert {task.key["order"] for task in one} == {"idea_first"}
    assert [task.key["idea_id"] for task in both[:4]] == ["a", "a", "b", "b"]
    with pytest.raises(UsageError, match="Did you mean 'idea_first'"):
        comparison_tasks(made, orders="idea-first", embedding=False)


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    ideas = [
        {"idea_id": "empty", "system": "s"},
        {"idea_id": "stranger", "system": "s", "title": "zzz", "problem": "qqq"},
        {"idea_id": "same", "system": "s", "title": "Traffic by graphs 2", "problem": "traffic"},
    ]
    made = small(tmp_path / "s", ideas=ideas)
    asked = comparison_tasks(made, references=5, embedding=False)
    assert dict(asked.left_out) == {
        "empty": "it has no text to judge",
        "stranger": "no reference shares a word with it",
    }
    assert "same: r2 is left out: the same title" in asked.notes
    assert "same: 4 references, 5 were asked for" in asked.notes
    assert any("have no formal parts" in note for note in asked.notes)
    assert "r2" not in {task.key["reference_id"] for task in asked.tasks}


def test_pairs_of_references_test_the_judge(tmp_path: Path) -> None:
    made = small(tmp_path / "s")
    asked = reference_pair_tasks(made, pairs=3, neighbours=2)
    assert len(asked.tasks) == 6
    known = set(made.references["reference_id"])
    assert all({t.key["idea_id"], t.key["reference_id"]} <= known for t in asked.tasks)


def test_comparisons_are_read_out_of_the_calls_again(tmp_path: Path) -> None:
    made = small(tmp_path / "s")
    before = compared(made, lambda request: marks(1, 0, 0.5))
    (tmp_path / "s" / "comparisons.parquet").unlink()
    after = rebuild_comparisons(Study.open(tmp_path / "s")).comparisons
    key = ["idea_id", "reference_id", "order", "repeat"]
    pd.testing.assert_frame_equal(
        before.sort_values(key, ignore_index=True), after.sort_values(key, ignore_index=True)
    )


def test_a_second_run_asks_nothing_again(tmp_path: Path) -> None:
    made = small(tmp_path / "s")
    client = replying(lambda request: marks(1))
    asked = comparison_tasks(made, references=2, embedding=False)
    judge(made, client, asked)
    assert len(client.asked) == 8
    again = judge(made, client, asked).run
    assert (len(client.asked), again.cached, again.calls) == (8, 8, 0)


START = json.dumps(
    {"rating": 3.7, "contribution": 4, "soundness": 2.6, "novelty": 0, "reason": "r"}
)


def test_starts_come_with_three_scored_examples(tmp_path: Path) -> None:
    made = small(tmp_path / "s")
    asked = start_tasks(made, embedding=False)
    text = asked.tasks[0].messages[1].content
    # One venue: debiasing moves nothing. Lowest, middle and highest rating of the five.
    assert text.count("<<<BEGIN PAPER") == 3
    assert text.count("Reviewers' scores") == 3
    for rating in ("rating 0.92", "rating 2.92", "rating 4.92"):
        assert rating in text
    assert "rating 1.91" not in text
    frame = judge(made, replying(lambda request: START), asked).study.starts
    assert (
        frame[["rating", "contribution", "soundness", "novelty"]].values.tolist()
        == [[3.7, 4.0, 2.6, 0.0]] * 2
    )
    (tmp_path / "s" / "starts.parquet").unlink()
    again = rebuild_starts(Study.open(tmp_path / "s")).starts
    pd.testing.assert_frame_equal(frame, again)


@pytest.mark.parametrize(
    "reply", ["[3.7, 4.1, 2.6, 2.9]", START.replace("3.7", "5.1"), START.replace("3.7", "null")]
)
def test_a_start_in_another_form_is_no_mark(tmp_path: Path, reply: str) -> None:
    made = small(tmp_path / "s")
    done = judge(made, replying(lambda request: reply), start_tasks(made, embedding=False))
    assert set(done.study.starts["state"]) == {"parse_failed"}
    assert done.study.starts["rating"].isna().all()


def test_references_without_scores_start_nothing(tmp_path: Path) -> None:
    bare = [{"reference_id": f"r{n}", "title": f"T {n}", "rating": 3.0} for n in range(5)]
    with pytest.raises(DataError, match="0 references have a rating, a contribution and"):
        start_tasks(small(tmp_path / "s", references=bare), embedding=False)


def test_references_without_parts_are_shown_by_title_and_abstract(tmp_path: Path) -> None:
    bare = [{"reference_id": "r", "title": "Traffic", "abstract": "Flow.", "rating": 4.919}]
    tasks = comparison_tasks(small(tmp_path / "s", references=bare), embedding=False).tasks
    assert "Title:\nTraffic\n\nAbstract:\nFlow." in tasks[0].messages[1].content
    assert "4.919" not in tasks[0].messages[1].content
