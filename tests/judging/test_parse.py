"""Replies read strictly: what counts, what does not, and always why."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.judging.fields import Choice, Records, Text, Texts, Whole, object_schema
from core.judging.parse import last_object, read_reply, without_thinking

FIELDS = (Whole(name="mark", low=1, high=10), Text(name="reason", blank=True))
GOOD = '{"mark": 4, "reason": "fine"}'
OTHER = '{"mark": 9, "reason": "other"}'


def read(text: str | None, **more: Any) -> tuple[str, object, str | None]:
    reading = read_reply(text, FIELDS, **more)
    assert (reading.values is None) == (reading.state != "ok")
    assert (reading.reason is None) == (reading.state == "ok")
    return reading.state, reading.values and reading.values["mark"], reading.reason


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        (GOOD, 4),
        (f"Sure!\n```json\n{GOOD}\n```\nAnything else?", 4),
        (f"{OTHER} is what I would have said, but no: {GOOD}", 4),
        (f"an {{aside}} and {GOOD}", 4),
        (f"{GOOD} and an {{aside", 4),
        (f'{{"mark": 9, "reason": "broken "quote" here"}} Again: {GOOD}', 4),
        (f"<think>{OTHER}</think>{GOOD}", 4),
        (f"{OTHER} no.</think>{GOOD}", 4),
        (f"{GOOD}<think>{OTHER}", 4),
        ('{"reason": "a \\"{brace}\\" inside", "mark": 10}', 10),
        ("\ufeff" + GOOD, 4),
    ],
)
def test_the_last_well_formed_object_counts(text: str, mark: int) -> None:
    assert read(text) == ("ok", mark, None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (None, "empty"),
        ("   \n", "empty"),
        ("7", "no well-formed"),
        ("mark: 7", "no well-formed"),
        ('{"mark": 4, "reason": "fi', "no well-formed"),
        ('{"scores": {"mark": 4, "reason": "x"}', "no well-formed"),  # inside a broken one
        ('{"a": 1, "b": {"mark": 4, "reason": "x"}, oops}', "no well-formed"),
        ('{"mark": NaN, "reason": "x"}', "no well-formed"),
        (f'{GOOD} {{"mark": 5}}', "'reason' is missing"),  # the last one, not the fitting one
        ('{"mark": 4, "reason": "x", "more": 1}', "'more' was not asked for"),
        ('{"Mark": 4, "reason": "x"}', "'mark' is missing"),
        ('{"mark": 4, "mark": 4, "reason": "x"}', "'mark' stands twice"),
        (f'{GOOD} {{"mark": 1, "reason": "x", "reason": "y"}}', "'reason' stands twice"),
        ('{"mark": "4", "reason": "x"}', "not '4'"),
        ('{"mark": 4.0, "reason": "x"}', "not 4.0"),
        ('{"mark": true, "reason": "x"}', "not True"),
        ('{"mark": null, "reason": "x"}', "not None"),
        ('{"mark": 0, "reason": "x"}', "from 1 to 10, not 0"),
        ('{"mark": 11, "reason": "x"}', "from 1 to 10, not 11"),
        ('{"mark": 4, "reason": ["x"]}', "'reason' must be text"),
        (f"<think>{GOOD}", "thinking and nothing after"),
        ('{"mark": ' * 5000, "no well-formed"),
    ],
)  # fmt: skip
def test_everything_else_is_no_number(text: str | None, reason: str) -> None:
    state, mark, why = read(text)
    assert (state, mark) == ("parse_failed", None)
    assert reason in (why or "")


def test_a_reply_cut_off_is_not_read_even_where_it_parses() -> None:
    assert read(GOOD, finish_reason="length")[0] == "parse_failed"
    assert read(GOOD, finish_reason="stop")[0] == "ok"


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("I'm sorry, but I can't assist with that.", {}),
        ("I’m sorry, I cannot help with rating this.", {}),
        ("I cannot evaluate this proposal.", {}),
        ("As an AI language model, I do not give marks.", {}),
        ("I must respectfully decline: I won't rate it.", {}),
        (None, {"refusal": "No."}),
        (GOOD, {"refusal": "No."}),
        ("", {"finish_reason": "content_filter"}),
    ],
)
def test_refusals_are_their_own_state(text: str | None, more: dict[str, str]) -> None:
    assert read(text, **more)[0] == "refused"


def test_a_refusing_phrase_beside_an_object_is_no_refusal() -> None:
    assert read(f"I cannot be sure, but: {GOOD}") == ("ok", 4, None)
    assert read('I cannot be sure: {"mark": 12, "reason": ""}')[0] == "parse_failed"


@settings(deadline=None)
@given(st.text(), st.text(), st.integers(1, 10), st.text())
def test_what_stands_round_a_reply_does_not_change_it(
    before: str, after: str, mark: int, reason: str
) -> None:
    before = before.translate(dict.fromkeys(map(ord, '{"<')))
    after = after.translate(dict.fromkeys(map(ord, '{"<')))
    for ascii_only in (True, False):
        text = json.dumps({"mark": mark, "reason": reason}, ensure_ascii=ascii_only)
        if "<think" not in reason and "</think" not in reason:
            assert last_object(before + text + after) == {"mark": mark, "reason": reason}


@settings(deadline=None)
@given(st.text())
def test_no_text_breaks_the_reader_or_becomes_a_number(text: str) -> None:
    assert read(text)[0] in ("parse_failed", "refused")


@settings(deadline=None)
@given(st.integers(0, len(GOOD) - 1))
def test_no_beginning_of_a_reply_is_a_reply(length: int) -> None:
    assert read(GOOD[:length])[0] == "parse_failed"


def test_thinking_is_skipped_whatever_its_tags() -> None:
    assert without_thinking("<THINK>a</THINK>b<thinking>c</thinking>d") == "bd"


NESTED = (
    Choice(name="better", allowed=("idea", "equal", "reference")),
    Texts(name="methods", least=1, most=2),
    Records(name="ideas", fields=FIELDS, most=2),
)


def test_lists_choices_and_records_are_checked_inside() -> None:
    good = {"better": "equal", "methods": ["a"], "ideas": [{"mark": 3, "reason": "x"}]}

    def reason(**change: object) -> str | None:
        return read_reply(json.dumps(good | change), NESTED).reason

    assert reason() is None
    assert "'better' must be one of idea, equal, reference, not 'Idea'" in (
        reason(better="Idea") or ""
    )
    assert "'methods' must hold 1 to 2 items, not 0" in (reason(methods=[]) or "")
    assert "'methods' item 2: must not be empty" in (reason(methods=["a", " "]) or "")
    assert "'ideas' item 1: 'mark' must be from 1 to 10" in (
        reason(ideas=[{"mark": 11, "reason": ""}]) or ""
    )
    assert "'ideas' must be a list" in (reason(ideas={}) or "")


def test_the_schema_says_what_the_check_demands() -> None:
    schema = object_schema(NESTED)
    assert schema["required"] == ["better", "methods", "ideas"]
    assert schema["additionalProperties"] is False
    item = schema["properties"]["ideas"]["items"]
    assert item["properties"]["mark"] == {"type": "integer", "minimum": 1, "maximum": 10}
    bare = object_schema(NESTED, bounded=False)
    assert bare["properties"]["ideas"]["items"]["properties"]["mark"] == {"type": "integer"}
    assert "minItems" not in bare["properties"]["methods"]
