"""The words that two texts share, so that a reader sees at once why they lie close.

A help for the eye: no score uses it, and the encoder sees more than words.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")
_LEAST_LETTERS = 3
# Words that any two abstracts share.
_COMMON_WORDS = """
    about above across after again all allow allows also although among and any approach are art
    based because been before being below between both but can could did does doing done down due
    during each either enable enables even every existing few first for from further given good
    had has have having her here his how however into its itself just large made make makes many
    may might more most much must new non nor not novel off often once one only other our ours out
    over own paper per propose proposed proposes provide provides rather recent result results
    same several shall she should show shows significant significantly since some state still such
    than that the their them then there these they this those three through thus too toward
    towards two under until upon use used uses using very via was way well were what when where
    whether which while who whom why will with within without work would yet you your
    """
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True)
class Segment:
    """A piece of a text, and whether it is a shared term."""

    text: str
    shared: bool


def terms(text: str) -> dict[str, int]:
    """Each term of a text and how often it stands there.

    A term is a word of at least 3 letters, or one with a digit, and none of the common
    English words; case is folded, and a plural's closing s is dropped. Parts of a hyphenated
    word count singly. Scripts that put no space between words give whole runs.
    """
    found: dict[str, int] = {}
    for match in _WORD.finditer(text):
        term = _term(match.group())
        if term is not None:
            found[term] = found.get(term, 0) + 1
    return found


def shared_terms(first: str, second: str) -> tuple[str, ...]:
    """The terms that stand in both texts, the most frequent in both first, then by name."""
    one, two = terms(first), terms(second)
    both = [term for term in one if term in two]
    return tuple(sorted(both, key=lambda term: (-min(one[term], two[term]), term)))


def segments(text: str, shared: Collection[str]) -> list[Segment]:
    """The text cut into pieces that are or are not shared terms; joined they give the text."""
    wanted = frozenset(shared)
    pieces: list[Segment] = []
    done = 0
    for match in _WORD.finditer(text):
        if _term(match.group()) in wanted:
            if match.start() > done:
                pieces.append(Segment(text[done : match.start()], False))
            pieces.append(Segment(match.group(), True))
            done = match.end()
    if done < len(text):
        pieces.append(Segment(text[done:], False))
    return pieces


def _term(word: str) -> str | None:
    term = word.casefold()
    if term in _COMMON:
        return None
    if len(term) < _LEAST_LETTERS and not (len(term) > 1 and any(map(str.isdigit, term))):
        return None
    if len(term) > _LEAST_LETTERS and term.endswith("s") and not term.endswith("ss"):
        term = term[:-1]
    return None if term in _COMMON else term
