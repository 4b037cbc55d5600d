"""Training pairs: labels, the split by paper, and files that LLaMA-Factory reads."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import study
from typer.testing import CliRunner

from core.cli import app
from core.errors import DataError, UsageError
from core.judging.comparisons import FIELDS
from core.judging.mock import MockClient
from core.judging.parse import read_reply
from core.ligbench.training_pairs import explained, records, training_pairs
from core.study import Study


def reference(number: int, **more: Any) -> dict[str, Any]:
    own = {
        "reference_id": f"r{number:02d}",
        "title": f"Graphs of kind {number}",
        "abstract": f"Kind {number} of graph networks.",
        "rating": number % 5,
        "contribution": number % 3,
        "soundness": 2.5,
    }
    return own | more


REFERENCES = [reference(n) for n in range(20)]


def test_no_paper_of_a_test_pair_is_trained_on() -> None:
    made = training_pairs(study(references=REFERENCES), held_out=0.3, test_ids=["r00"], seed=1)
    trained = {name for pair in made.train for name in (pair.first, pair.second)}
    tested = {name for pair in made.test for name in (pair.first, pair.second)}
    assert not trained & set(made.held_out)
    assert tested <= set(made.held_out)
    assert "r00" in made.held_out
    assert len(made.held_out) in (6, 7)
    assert made.digest == hashlib.sha256("\n".join(made.held_out).encode()).hexdigest()
    assert made.available == len(made.train)


def test_labels_are_the_debiased_order_from_the_first_ones_side() -> None:
    rows = {row["reference_id"]: row for row in REFERENCES}
    for pair in training_pairs(study(references=REFERENCES), seed=2).train:
        one, other = rows[pair.first], rows[pair.second]
        for name in ("rating", "contribution", "soundness"):
            due = 0.5 if one[name] == other[name] else float(one[name] > other[name])
            assert pair.outcome[name] == due


def test_either_one_may_stand_first_and_the_seed_decides() -> None:
    made = study(references=REFERENCES)
    one = training_pairs(made, seed=3)
    assert training_pairs(made, seed=3) == one
    assert training_pairs(made, seed=4) != one
    assert {pair.first < pair.second for pair in one.train} == {True, False}
    assert len(training_pairs(made, pairs=5, seed=3).train) == 5


@pytest.mark.parametrize("form", ["alpaca", "messages"])
def test_an_example_is_a_judges_prompt_and_a_reply_that_reads(form: str) -> None:
    made = study(references=REFERENCES)
    pairs = training_pairs(made).train
    for record, pair in zip(records(made, pairs, form), pairs, strict=True):
        if form == "alpaca":
            assert set(record) == {"system", "instruction", "input", "output"}
            asked, reply = record["instruction"], record["output"]
        else:
            assert [turn["role"] for turn in record["messages"]] == ["system", "user", "assistant"]
            asked, reply = record["messages"][1]["content"], record["messages"][2]["content"]
        number = int(pair.first[1:])
        assert f"Kind {number} of graph" in asked
        reading = read_reply(reply, FIELDS)
        assert reading.state == "ok"
        assert reading.values is not None
        assert {n: reading.values[n] for n in pair.outcome} == pair.outcome


def test_a_teacher_gives_reasons_and_is_told_the_outcome(tmp_path: Path) -> None:
    folder = Study.create(tmp_path / "s", cutoff=study().config.cutoff)
    made = replace(study(references=REFERENCES), folder=folder.folder)
    teacher = MockClient(reply=lambda request: '{"reason": "Because."}')
    pairs, report = explained(made, training_pairs(made, pairs=4), teacher)
    assert {pair.reason for pair in pairs.train} == {"Because."}
    assert pairs.unexplained == 0
    assert "- soundness: neither is better" in teacher.asked[0].messages[1].content
    assert report.ok == 4
    again, second = explained(made, training_pairs(made, pairs=4), teacher)
    assert (again, second.calls) == (pairs, 0)


def test_the_command_writes_four_files(tmp_path: Path) -> None:
    made = study(references=REFERENCES)
    Study.create(tmp_path / "s", cutoff=made.config.cutoff).write("references", made.references)
    out = tmp_path / "out"
    command = ["ligbench", "training-pairs", str(tmp_path / "s"), "-o", str(out), "--json"]
    result = CliRunner().invoke(app, [*command, "--held-out", "0.4"])
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    train = [json.loads(line) for line in (out / "train.jsonl").read_text().splitlines()]
    assert len(train) == told["train"]
    described = json.loads((out / "dataset_info.json").read_text())
    assert described["foreseen_train"]["file_name"] == "train.jsonl"
    assert set(described["foreseen_train"]["columns"].values()) <= set(train[0])
    split = json.loads((out / "split.json").read_text())
    assert split["held_out_digest"] == told["held_out_digest"]
    assert "pairs have no teacher's reason" in result.stderr


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(DataError, match="make a training pair"):
        training_pairs(study(references=[reference(0), reference(1, rating=None)]))
    made = study(references=REFERENCES)
    with pytest.raises(UsageError, match="held-out"):
        training_pairs(made, held_out=1.0)
    with pytest.raises(UsageError, match="No reference 'r99'"):
        training_pairs(made, test_ids=["r99"])
    with pytest.raises(UsageError, match="Did you mean 'alpaca'"):
        records(made, (), "alpacca")
