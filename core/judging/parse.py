"""Replies read strictly: a verdict is either all there or it is not one.

The last well-formed JSON object of the reply counts. Text before and after it is tolerated,
thinking blocks are skipped; everything else ends in a state with a reason, never in a number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from core.judging.fields import Field, check_object

State = Literal["ok", "refused", "parse_failed", "call_failed"]

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THINKING_ENDS = re.compile(r".*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_THINKING_BEGINS = re.compile(r"<(?:think|thinking|reasoning)>.*", re.DOTALL | re.IGNORECASE)
_OPENS_OBJECT = re.compile(r'\{\s*["}]')
_CUT_OFF = ("length", "max_tokens")
_WITHHELD = ("content_filter", "refusal", "safety")
_NOT = r"(?:can(?:no|['’])t|cannot|can not|won['’]t|will not|am not able to|['’]m not able to|am unable to|['’]m unable to|must decline|have to decline)"
_REFUSAL = re.compile(
    rf"\bI(?: am sorry|['’]m sorry)?,?(?: but)?(?: I)? ?{_NOT}\b"
    rf"|\b(?:sorry|apologi[sz]e)\b.{{0,60}}\b{_NOT}\b"
    r"|\bI (?:refuse|decline) to\b"
    r"|\bas an? (?:AI|artificial intelligence|(?:large )?language model)\b.{0,80}\bI (?:can|do|am|would|will)\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a reply was read: its state, the values by key where it is ok, else the reason."""

    state: State
    values: dict[str, Any] | None = None
    reason: str | None = None


class _RepeatedKeyError(ValueError):
    pass


def read_reply(
    text: str | None,
    fields: Sequence[Field],
    *,
    finish_reason: str | None = None,
    refusal: str | None = None,
) -> Reading:
    """Read one reply against the fields that were asked for.

    ``refused``: the server's refusal field or content filter says so, or there is no JSON object
    and the text declines in a usual phrase. ``parse_failed``: no text, cut off at the token
    limit, no well-formed object, a key missing, unknown or twice, a value of another type or out
    of its range.
    """
    if refusal and refusal.strip():
        return Reading(state="refused", reason=f"the model refused: {_short(refusal)}")
    if finish_reason in _WITHHELD:
        return Reading(state="refused", reason=f"the server withheld the reply ({finish_reason})")
    if finish_reason in _CUT_OFF:
        return _failed("the reply was cut off at the token limit; raise --max-tokens")
    if text is None or not text.strip():
        return _failed("the reply is empty")
    spoken = without_thinking(text)
    if not spoken.strip():
        return _failed("the reply holds thinking and nothing after it")
    try:
        found = last_object(spoken)
    except _RepeatedKeyError as error:
        return _failed(str(error))
    if found is None:
        if _REFUSAL.search(spoken):
            return Reading(state="refused", reason=f"the model refused: {_short(spoken)}")
        return _failed(f"the reply holds no well-formed JSON object: {_short(spoken)}")
    try:
        return Reading(state="ok", values=check_object(found, fields))
    except ValueError as error:
        return _failed(str(error))


def last_object(text: str) -> dict[str, Any] | None:
    """The last well-formed JSON object that stands on its own; None where there is none.

    An object inside a broken one does not count: half a reply is no reply. Raises ``ValueError``
    where the last one has a key twice, at any depth.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_constant)
    found: dict[str, Any] | None = None
    repeated: _RepeatedKeyError | None = None
    broken: int | None = None
    place = text.find("{")
    while place != -1:
        if broken is not None and not _inside(text, broken, place):
            broken = None
        try:
            value, end = decoder.raw_decode(text, place)
        except _RepeatedKeyError as error:
            if broken is None:
                found, repeated = None, error
            end = _end_of_object(text, place)
        except (ValueError, RecursionError):
            if broken is None and _OPENS_OBJECT.match(text, place):
                broken = place
            end = place + 1
        else:
            if broken is None:
                found, repeated = value, None
        place = text.find("{", end)
    if repeated is not None:
        raise repeated
    return found


def without_thinking(text: str) -> str:
    """The text without its thinking blocks, also where a tag's partner is missing."""
    text = _THINKING.sub("", text)
    text = _THINKING_ENDS.sub("", text)
    return _THINKING_BEGINS.sub("", text)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _RepeatedKeyError(f"key '{twice}' stands twice")
    return values


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _end_of_object(text: str, start: int) -> int:
    _, end = json.JSONDecoder().raw_decode(text, start)
    return end


def _inside(text: str, start: int, place: int) -> bool:
    """Whether the object that opens at ``start`` is still open, outside of text, at ``place``."""
    depth, quoted, escaped = 0, False, False
    for letter in text[start:place]:
        if escaped:
            escaped = False
        elif quoted:
            escaped = letter == "\\"
            quoted = letter != '"'
        elif letter == '"':
            quoted = True
        elif letter in "{}":
            depth += 1 if letter == "{" else -1
            if depth == 0:
                return False
    return depth > 0 and not quoted


def _failed(reason: str) -> Reading:
    return Reading(state="parse_failed", reason=reason)


def _short(text: str, width: int = 120) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"
