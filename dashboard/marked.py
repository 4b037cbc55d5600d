"""Two texts with their shared terms marked, as HTML that holds nothing but escaped text. Pure."""

from __future__ import annotations

from collections.abc import Collection

from core.hindsight.shared_terms import segments
from dashboard.export.document import text
from dashboard.prose import count

LONGEST = 6_000
_MARK = (
    "background:rgba(0,114,178,.20);color:inherit;font-weight:600;border-radius:.2em;padding:0 .1em"
)
_BLOCK = "white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.5;font-size:.95rem"


def marked_html(source: str, shared: Collection[str]) -> str:
    """The text with its shared terms in <mark>, everything else escaped.

    Beyond 6,000 characters the rest is left out and said.
    """
    shown = source[:LONGEST]
    pieces = (
        f'<mark style="{_MARK}">{text(piece.text)}</mark>' if piece.shared else text(piece.text)
        for piece in segments(shown, shared)
    )
    rest = len(source) - len(shown)
    note = f"\n… {count(rest, 'more character')}" if rest else ""
    return f'<div dir="auto" style="{_BLOCK}">{"".join(pieces)}{note}</div>'


def shared_words(shared: Collection[str], limit: int = 12) -> str:
    """The shared terms as a list of words, the rest counted."""
    words = list(shared)
    more = f" and {len(words) - limit:,} more" if len(words) > limit else ""
    return ", ".join(words[:limit]) + more
