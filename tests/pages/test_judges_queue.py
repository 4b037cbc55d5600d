"""People as judges: names, the queue, marks saved to the study, replies looked up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import case_tables, study, table
from page_studies import write_study

from core.agreement import agreement
from core.errors import UsageError
from core.judging import queue as people
from core.judging.calls import CALLS_FILE, Call, CallsLog
from core.judging.queue import own_marks, person_judge, queue, read_only, save_marks
from core.judging.replies import replies_of
from core.study import Study

MARKS = {"novelty": 3, "feasibility": 9, "impact": 4, "overall": 5}
Disputed = Callable[..., dict[str, list[dict[str, Any]]]]


def disputed() -> dict[str, list[dict[str, Any]]]:
    """The small study, where bob marks i1 higher by 4, i4 by 2, i2 lower by 1 than ann."""
    tables = case_tables()
    for row in tables["scores"]:
        if row["judge"] == "bob" and row["state"] == "ok":
            row["overall"] += {"i1": 4, "i4": 2, "i2": -1}.get(row["idea_id"], 0)
    return tables


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_study(tmp_path / "own", disputed())


@pytest.mark.parametrize(
    ("typed", "judge"),
    [
        ("Ann", "Ann (person)"),
        ("  Mary   Jane O'Neil ", "Mary Jane O'Neil (person)"),
        ("Ann (person)", "Ann (person)"),
        ("José", "José (person)"),
        ("李雷", "李雷 (person)"),
        ("3rd-rater_x.", "3rd-rater_x. (person)"),
        ("n" * 40, "n" * 40 + " (person)"),
    ],
)
def test_a_name_becomes_a_judge(typed: str, judge: str) -> None:
    assert person_judge(typed, study(**case_tables())) == judge
    assert people.is_person(judge)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("", "Give your name"),
        ("   ", "Give your name"),
        (" (person)", "cannot be taken"),
        ("n" * 41, "41 characters"),
        ("<b>x</b>", "cannot be taken"),
        ("=1+1", "cannot be taken"),
        ("-x", "cannot be taken"),
        ("_x", "cannot be taken"),
        ("a/b", "cannot be taken"),
        ("a\x00b", "cannot be taken"),
        ("a (person) b", "cannot be taken"),
        ("ALL", "all judges together"),
    ],
)
def test_a_bad_name_is_refused_in_words(typed: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        person_judge(typed, study(**case_tables()))


def test_a_name_that_differs_by_case_alone_and_one_of_a_model_are_refused() -> None:
    tables = case_tables()
    tables["scores"][0] |= {"judge": "Zoë (person)"}
    tables["scores"][2] |= {"judge": "Bot (person)", "call_id": "c1"}
    made = study(**tables)
    assert person_judge("Zoë", made) == "Zoë (person)"
    with pytest.raises(UsageError, match="'Zoë \\(person\\)' has marked here already"):
        person_judge("zoë", made)
    with pytest.raises(UsageError, match="model calls"):
        person_judge("Bot", made)


def test_the_queue_holds_the_most_disputed_first() -> None:
    found = queue(study(**disputed()), "Zoe (person)")
    assert found.disputed
    assert found.ids == ("i1", "i4", "i2")
    assert found.sizes == {"i1": 4, "i4": 2, "i2": 1}
    assert (found.n, found.next, found.marked) == (3, "i1", frozenset())
    assert queue(study(**disputed()), "Zoe (person)", length=2).ids == ("i1", "i4")


def test_own_marks_move_the_queue_on_but_not_its_order(folder: Path) -> None:
    # A 1 for i2 lies 7 from ann's 8: as another judge's, it would put i2 first.
    opened = save_marks(Study.open(folder), "Zoe (person)", "i2", MARKS | {"overall": 1})
    found = queue(opened, "Zoe (person)")
    assert found.ids == ("i1", "i4", "i2")
    assert (found.next, found.marked) == ("i1", {"i2"})
    assert queue(opened, "Max (person)").ids[0] == "i2"


def test_where_nothing_is_disputed_every_idea_is_asked_in_a_drawn_order() -> None:
    made = study(**case_tables())
    found = queue(made, "Zoe (person)")
    assert not found.disputed
    assert sorted(found.ids) == [f"i{n}" for n in range(1, 9)]
    assert found.ids == queue(made, "Zoe (person)").ids
    other = made.settings.model_copy(update={"seed": 1})
    assert found.ids != queue(made, "Zoe (person)", settings=other).ids


def test_the_queue_leaves_out_ideas_that_the_study_lacks() -> None:
    tables = disputed()
    tables["ideas"] = [idea for idea in tables["ideas"] if idea["idea_id"] != "i1"]
    found = queue(study(**tables), "Zoe (person)")
    assert (found.ids, found.left_out) == (("i4", "i2"), 1)


def test_the_queue_is_of_ideas_marks_alone() -> None:
    with pytest.raises(UsageError, match="No mark 'gate'"):
        queue(study(**disputed()), "Zoe (person)", "gate")


def test_marks_are_in_the_study_and_figures_follow(folder: Path) -> None:
    before = agreement(Study.open(folder))
    saved = save_marks(Study.open(folder), "Zoe (person)", "i1", MARKS, "  Not new. ")
    read = Study.open(folder)
    assert read.digest == saved.digest
    assert own_marks(read, "Zoe (person)") == {"i1": {**MARKS, "reason": "Not new."}}
    row = read.scores[read.scores["judge"] == "Zoe (person)"].iloc[0]
    assert (row["state"], row["repeat"]) == ("ok", 1)
    after = agreement(read)
    assert len(before.pairs) == 4
    # Three judges make three pairs on each of four dimensions.
    assert len(after.pairs) == 12
    pair = next(p for p in after.pairs if p.on == "overall" and p.judge_b == "ann")
    assert (pair.judge_a, pair.n, pair.agreement) == ("Zoe (person)", 1, 1.0)
    assert len(read.scores) == 17


def test_marking_again_replaces_and_a_reason_may_lack(folder: Path) -> None:
    opened = Study.open(folder)
    save_marks(opened, "Zoe (person)", "i1", MARKS, "First.")
    save_marks(opened, "Zoe (person)", "i1", MARKS | {"overall": 10})
    assert own_marks(Study.open(folder), "Zoe (person)") == {
        "i1": MARKS | {"overall": 10, "reason": None}
    }


def test_two_people_who_save_at_once_lose_nothing(folder: Path) -> None:
    opened = Study.open(folder)
    jobs = [(f"P{n} (person)", f"i{m}") for n in range(3) for m in range(1, 5)]
    threads = [
        threading.Thread(target=save_marks, args=(opened, judge, idea, MARKS))
        for judge, idea in jobs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    scores = Study.open(folder).scores
    saved = scores[scores["judge"].str.endswith("(person)")]
    assert sorted(zip(saved["judge"], saved["idea_id"], strict=True)) == sorted(jobs)
    assert len(scores) == 16 + 12


@pytest.mark.parametrize(
    ("marks", "told"),
    [
        ({"overall": 0}, "overall must be a whole number from 1 to 10, not 0"),
        ({"overall": 11}, "not 11"),
        ({"novelty": 5.5}, "novelty must be"),
        ({"novelty": True}, "novelty must be"),
        ({"novelty": "7"}, "novelty must be"),
        ({"impact": None}, "Give a mark for impact"),
        ({"novelty": None, "impact": None}, "Give a mark for novelty, impact"),
        ({"overal": 5}, "Did you mean 'overall'"),
    ],
)
def test_marks_off_the_scale_are_refused_and_nothing_is_written(
    folder: Path, marks: dict[str, Any], told: str
) -> None:
    before = (folder / "scores.jsonl").read_bytes()
    with pytest.raises(UsageError, match=told):
        save_marks(Study.open(folder), "Zoe (person)", "i1", MARKS | marks)
    assert (folder / "scores.jsonl").read_bytes() == before


def test_no_model_judges_marks_can_be_written(folder: Path) -> None:
    for judge in ("ann", "all", ""):
        with pytest.raises(UsageError):
            save_marks(Study.open(folder), judge, "i1", MARKS)
    with pytest.raises(UsageError, match="no idea 'i99'"):
        save_marks(Study.open(folder), "Zoe (person)", "i99", MARKS)
    with pytest.raises(UsageError, match="at most 4,000"):
        save_marks(Study.open(folder), "Zoe (person)", "i1", MARKS, "r" * 4001)


def test_the_bundled_study_and_a_closed_folder_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_only(Study.open(folder)) is None
    assert "not in a folder" in str(read_only(study(**case_tables())))
    monkeypatch.setattr("os.access", lambda *_: False)
    assert "cannot be written" in str(read_only(Study.open(folder)))
    monkeypatch.setattr(people, "BUNDLED", folder.resolve())
    with pytest.raises(UsageError, match="bundled study is read-only"):
        save_marks(Study.open(folder), "Zoe (person)", "i1", MARKS)


def test_the_bundled_study_is_the_one_in_data() -> None:
    assert Path(__file__).resolve().parents[2] / "data" / "demo" == people.BUNDLED
    assert "Copy its folder" in str(read_only(Study.open(people.BUNDLED)))


def call(call_id: str, **values: Any) -> Call:
    start: dict[str, Any] = {
        "id": call_id,
        "kind": "scores",
        "key": {"idea_id": "i1"},
        "judge": "ann",
        "model": "model-x",
        "prompt_digest": "d",
        "repeat": 1,
        "state": "ok",
    }
    return Call(**(start | values))


def test_replies_come_to_the_letter_from_the_calls(tmp_path: Path) -> None:
    tables = disputed()
    for row in tables["scores"]:
        if row["judge"] == "ann":
            row["call_id"] = f"c-{row['idea_id']}"
    folder = write_study(tmp_path / "called", tables)
    with CallsLog(folder / CALLS_FILE) as log:
        log.append(call("c-i1", reply='{"overall": 5}\n<b>', reasoning="Hm."))
        log.append(call("c-i2", state="refused", refusal="I cannot."))
        log.append(call("c-i3", state="call_failed", reason="timed out"))
    opened = Study.open(folder)
    first = replies_of(opened, "scores", {"idea_id": "i1"}, "ann")
    assert [reply.text for reply in first] == ['{"overall": 5}\n<b>']
    assert (first[0].reasoning, first[0].model, first[0].repeat) == ("Hm.", "model-x", 1)
    assert first[0].marks["overall"] == 5
    assert replies_of(opened, "scores", {"idea_id": "i2"}, "ann")[0].text == "I cannot."
    assert replies_of(opened, "scores", {"idea_id": "i3"}, "ann")[0].missing == "timed out"
    lost = replies_of(opened, "scores", {"idea_id": "i4"}, "ann")[0]
    assert lost.text is None
    assert lost.missing == "calls.jsonl does not hold call c-i4"
    human = replies_of(opened, "scores", {"idea_id": "i1"}, "bob")[0]
    assert (human.text, human.reason) == (None, "Reason of bob for 1")
    assert human.missing == "no model call of ours gave this row"
    refused = replies_of(opened, "scores", {"idea_id": "i7"}, "bob")[0]
    assert refused.state == "refused"
    assert replies_of(opened, "scores", {"idea_id": "nothing"}, "bob") == ()


def test_replies_of_a_comparison_come_by_order_shown() -> None:
    rows = [
        {
            "idea_id": "i1",
            "reference_id": "r1",
            "judge": "ann",
            "order": order,
            "repeat": 1,
            "rating": 1.0,
            "contribution": 0.5,
            "soundness": 0.0,
        }
        for order in ("reference_first", "idea_first")
    ]
    made = study(ideas=case_tables()["ideas"], comparisons=rows)
    found = replies_of(made, "comparisons", {"idea_id": "i1", "reference_id": "r1"}, "ann")
    assert [reply.order for reply in found] == ["idea_first", "reference_first"]
    assert dict(found[0].marks) == {"rating": 1.0, "contribution": 0.5, "soundness": 0.0}
    assert table("comparisons", rows)["call_id"].isna().all()
