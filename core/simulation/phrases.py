"""Words into sentences: slots filled, first letters raised, titles in title case."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

_SMALL = re.compile(
    r"an?|and|as|at|but|by|for|from|in|into|nor|of|on|or|over|than|the|to|under|with"
)
_PART = re.compile(r"[^\s-]+")


def pick(rng: np.random.Generator, options: Sequence[str]) -> str:
    """One of the options."""
    return options[int(rng.integers(len(options)))]


def pick_some(rng: np.random.Generator, options: Sequence[str], count: int) -> list[str]:
    """``count`` different options, in random order."""
    chosen = rng.permutation(len(options))[:count]
    return [options[int(place)] for place in chosen]


def raised(text: str) -> str:
    """The text with its first letter raised."""
    return text[:1].upper() + text[1:]


def lowered(text: str) -> str:
    """The text with its first letter lowered, unless it opens with an abbreviation."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def fill(frame: str, slots: Mapping[str, str]) -> str:
    """A frame with its slots filled."""
    return frame.format_map(slots)


def with_numbers(finding: str, rng: np.random.Generator) -> str:
    """A finding with its numbers drawn: {a} 3 to 14, {b} 21 to 68, {x} 1.4 to 4.8."""
    small, large, factor = rng.integers(3, 15), rng.integers(21, 69), rng.integers(14, 49)
    return finding.format(a=small, b=large, x=f"{factor / 10:g}")


def title_case(text: str) -> str:
    """English title case; words that hold a capital keep their form."""
    after_stop = True
    parts: list[str] = []
    end = 0
    for found in _PART.finditer(text):
        between, word = text[end : found.start()], found[0]
        joined = between == "-"
        leads = text[found.end() : found.end() + 1] == "-" and not joined
        if any(letter.isupper() for letter in word) or (
            _SMALL.fullmatch(word) and not leads and (joined or not after_stop)
        ):
            parts += [between, word]
        else:
            parts += [between, raised(word)]
        after_stop = word.endswith((":", "?"))
        end = found.end()
    return "".join(parts) + text[end:]


def words(text: str) -> int:
    """How many words a text has."""
    return len(text.split())
