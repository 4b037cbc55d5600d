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

_THINKING_TAG = re.compile(r"<(/?)(?:think|thinking|reasoning)>", re.IGNORECASE)
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
    broken: _OpenObject | None = None
    place = text.find("{")
    while place != -1:
        if broken is not None and not broken.reaches(place):
            broken = None
        end = place + 1
        try:
            value, end = decoder.raw_decode(text, place)
        except _RepeatedKeyError as error:
            _, end = json.JSONDecoder().raw_decode(text, place)
            if broken is None:
                found, repeated = None, error
        except RecursionError:
            return None
        except ValueError:
            if broken is None and _OPENS_OBJECT.match(text, place):
                broken = _OpenObject(text, place)
        else:
            if broken is None:
                found, repeated = value, None
        place = text.find("{", end)
    if repeated is not None:
        raise repeated
    return found


class _OpenObject:
    """A broken object, followed through the text to see where it ends, if it does."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._place = start
        self._depth = 0
        self._quoted = self._escaped = False

    def reaches(self, place: int) -> bool:
        """Whether it is still open, outside of quoted text, at ``place``; never asked backwards."""
        for letter in self._text[self._place : place]:
            if self._escaped:
                self._escaped = False
            elif self._quoted:
                self._escaped = letter == "\\"
                self._quoted = letter != '"'
            elif letter == '"':
                self._quoted = True
            elif letter in "{}":
                self._depth += 1 if letter == "{" else -1
                if self._depth == 0:
                    return False
        self._place = place
        return not self._quoted


def without_thinking(text: str) -> str:
    """The text without its thinking blocks, also where a tag's partner is missing."""
    spoken: list[str] = []
    place, thinking = 0, False
    for tag in _THINKING_TAG.finditer(text):
        if tag[1] and not thinking:
            spoken.clear()
        elif not tag[1] and not thinking:
            spoken.append(text[place : tag.start()])
        thinking = not tag[1]
        place = tag.end()
    if not thinking:
        spoken.append(text[place:])
    return "".join(spoken)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _RepeatedKeyError(f"key '{twice}' stands twice")
    return values


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _failed(reason: str) -> Reading:
    return Reading(state="parse_failed", reason=reason)


def _short(text: str, width: int = 120) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"
