"""JSON read as a stream gives what the whole would, and tells where it breaks."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import DataError
from core.ingest.json_text import JsonStream

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(JSON, max_size=5), st.integers(1, 40))
def test_a_list_is_read_item_by_item_as_at_once(values: list[object], chunk: int) -> None:
    text = json.dumps(values, indent=chunk % 3 or None)
    with patch("core.ingest.json_text._CHUNK", chunk):
        assert json.dumps(list(JsonStream("x", io.StringIO(text)).items())) == json.dumps(
            json.loads(text, parse_constant=str)
        )


@given(
    record=st.dictionaries(st.text(max_size=3), JSON | st.lists(JSON, max_size=4), max_size=4),
    chunk=st.integers(1, 7),
    taken=st.integers(0, 3),
)
@settings(max_examples=100, deadline=None)
def test_members_are_those_of_the_object_whatever_is_taken_of_their_lists(
    record: dict[str, Any], chunk: int, taken: int
) -> None:
    text = json.dumps(record, indent=chunk % 3 or None)
    with patch("core.ingest.json_text._CHUNK", chunk):
        found = {
            name: list(islice(value, taken)) if isinstance(value, Iterator) else value
            for name, value in JsonStream("x", io.StringIO(text)).members()
        }
    expected = {
        name: value[:taken] if isinstance(value, list) else value
        for name, value in json.loads(text, parse_constant=str).items()
    }
    assert json.dumps(found) == json.dumps(expected)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"data": [1, 2', "the list does not end"),
        ('{"data": [1, 2]', "the object does not end"),
        ('{"data": [1, 2]} x', "something stands after the object"),
        ('{"data": [1], "data": []}', "the key 'data' stands twice"),
        ('{"data": [1],}', "where a name must stand"),
        ('{"data" [1]}', "where a colon must stand"),
        ('{"data": [1] "more": 2}', "where a comma must stand"),
        ('{"data": [1, {"a": 1, "a": 2}]}', "item 2"),
        ("{1: 2}", "where a name must stand"),
    ],
)
def test_a_broken_object_is_told_wherever_it_breaks(text: str, word: str) -> None:
    def read() -> None:
        for _, value in JsonStream("x", io.StringIO(text)).members():
            list(value)

    with pytest.raises(DataError, match=re.escape(word)):
        read()


def test_a_list_inside_an_object_is_read_as_it_is_taken() -> None:
    class Endless(io.StringIO):
        def read(self, size: int | None = -1) -> str:
            assert size
            assert 0 < size < 1 << 22
            return '{"n": 1}, ' * (size // 10)

    stream = JsonStream("x", Endless())
    stream._buffer = '{"data": [' + stream._buffer
    name, items = next(stream.members())
    assert (name, [next(items) for _ in range(300_000)][-1]) == ("data", {"n": 1})
