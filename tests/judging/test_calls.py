"""The log of calls: one writer, whole lines, torn ends mended, the right answer remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.errors import UsageError
from core.judging.calls import Call, CallIndex, CallsLog, find_call, read_calls


def call(name: str, state: Any = "ok", **more: Any) -> Call:
    start: dict[str, Any] = {
        "id": name,
        "kind": "scores",
        "key": {"idea_id": "i"},
        "judge": "j",
        "model": "m",
        "parameters": {"temperature": 0.7},
        "prompt_digest": "d",
        "repeat": 1,
        "state": state,
        "request": {"messages": [{"role": "user", "content": "line\nbreak \u2028 é"}]},
        "reply": "a\u2028b\n\ud83d half a pair",
        "attempts": ({"status": 429, "reason": "slow", "waited": 1.0},),
    }
    return Call(**(start | more))


def write(path: Path, *calls: Call) -> None:
    with CallsLog(path) as log:
        for item in calls:
            log.append(item)


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    write(path, call("a"), call("b", repeat=2))
    write(path, call("c", repeat=3))
    read = read_calls(path)
    assert [item.id for item in read.calls] == ["a", "b", "c"]
    assert read.calls[0] == call("a")
    assert read.notes == ()
    assert len(path.read_bytes().splitlines()) == path.read_bytes().count(b"\n") == 3
    assert read_calls(path, requests=False).calls[0].request is None
    found = find_call(path, "b")
    assert found is not None
    assert found.repeat == 2
    assert found.request == call("b").request
    assert find_call(path, "z") is None
    assert read_calls(tmp_path / "none.jsonl").calls == ()


def test_a_torn_last_line_is_cut_off_and_said(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    write(path, call("a"), call("b"))
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for end in range(first + 1, len(whole) - 1):
        path.write_bytes(whole[:end])
        read = read_calls(path)
        assert [item.id for item in read.calls] == ["a"]
        assert "line 2: the last line is torn" in read.notes[0]
    with CallsLog(path) as log:
        assert "torn" in log.notes[0]
        log.append(call("c"))
    assert [item.id for item in read_calls(path).calls] == ["a", "c"]
    assert read_calls(path).notes == ()


def test_a_whole_last_line_without_its_end_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    write(path, call("a"), call("b"))
    path.write_bytes(path.read_bytes()[:-1])
    write(path, call("c"))
    assert [item.id for item in read_calls(path).calls] == ["a", "b", "c"]


def test_a_line_that_is_no_call_is_named_and_the_rest_read(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    write(path, call("a"), call("b"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b'{"id": 1}\nnot json\n\n' + lines[1])
    read = read_calls(path)
    assert [item.id for item in read.calls] == ["a", "b"]
    assert [note.split(": ")[0][-6:] for note in read.notes] == ["line 2", "line 3"]


def test_fields_of_a_later_version_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    write(path, call("a"))
    path.write_text(path.read_text().replace('{"id"', '{"new": 1, "id"'))
    assert [item.id for item in read_calls(path).calls] == ["a"]


def test_only_one_may_write(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    with CallsLog(path), pytest.raises(UsageError, match="another run is writing"), CallsLog(path):
        pass
    write(path, call("a"))
    with pytest.raises(UsageError, match="not open"):
        CallsLog(path).append(call("b"))


def test_a_valid_answer_is_never_hidden_by_a_failed_one() -> None:
    for states, best in [
        (["ok", "parse_failed"], 0),
        (["parse_failed", "ok", "call_failed"], 1),
        (["refused", "parse_failed"], 1),
        (["ok", "ok"], 1),
    ]:
        calls = [call(str(place), state) for place, state in enumerate(states)]
        found = CallIndex(calls).get(calls[0].cache_key)
        assert found is not None
        assert found.id == str(best)


def test_the_key_of_an_answer_is_model_parameters_prompt_and_repeat() -> None:
    keys = {
        call("a", **change).cache_key
        for change in (
            {},
            {"model": "n"},
            {"parameters": {"temperature": 0.0}},
            {"prompt_digest": "e"},
            {"repeat": 2},
        )
    }
    assert len(keys) == 5
    same = [
        call("a", parameters={"a": 1, "b": 2}),
        call("z", parameters={"b": 2, "a": 1}, judge="k", kind="x", key={"idea_id": "o"}),
    ]
    assert same[0].cache_key == same[1].cache_key
