"""Numbers and foreign text as people read them. Pure, no streamlit.

Numbers: three significant digits, ``p < 0.001``, intervals as "1.8 to 3.3". A value that is None
is said to be "not defined", never shown as 0 or nan.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence

NOT_DEFINED = "not defined"
_MINUS = "−"
# What Markdown, LaTeX, HTML, autolinks and icon names are made of; the rest only at the start.
_MARKS = re.compile(
    r"([\\`*_{}\[\]()<>#+!|~$:&@^=]|(?<=www)\.|(?<=^)-|(?<=^\d)[.)]|(?<=^\d\d)[.)])"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def number(value: float | None, digits: int = 3) -> str:
    """Significant digits, thousands parted: 2.4372 → "2.44", 0.0000123 → "1.23e−5"."""
    if value is None or not math.isfinite(value):
        return NOT_DEFINED
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))
    if size < -4 or size >= 9:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        return _sign(f"{mantissa}e{int(exponent)}")
    return _sign(f"{value:,.{max(0, digits - 1 - size)}f}")


def fixed(value: float | None, decimals: int) -> str:
    """A number with this many decimals, for columns that line up."""
    if value is None or not math.isfinite(value):
        return NOT_DEFINED
    return _sign(f"{value:,.{decimals}f}")


def count(value: int, noun: str = "", plural: str = "") -> str:
    """ "1 idea", "4,320 ideas": a whole number and its noun."""
    if not noun:
        return f"{value:,}"
    return f"{value:,} {noun if value == 1 else plural or noun + 's'}"


def percent(share: float | None) -> str:
    """A share of 1 as whole per cent; "< 1 %" and "> 99 %" where rounding would hide some."""
    if share is None or not math.isfinite(share):
        return NOT_DEFINED
    if 0 < share < 0.005:
        return "< 1 %"
    if 0.995 < share < 1:
        return "> 99 %"
    return f"{share * 100:.0f} %"


def interval(
    low: float | None, high: float | None, digits: int = 2, *, decimals: int | None = None
) -> str:
    """ "1.8 to 3.3": both ends with the same number of decimals (else two significant digits)."""
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return NOT_DEFINED
    size = max(abs(low), abs(high))
    if size == 0:
        return "0 to 0"
    if decimals is None:
        decimals = min(6, max(0, digits - 1 - math.floor(math.log10(size))))
    return f"{fixed(low, decimals)} to {fixed(high, decimals)}"


def p_value(p: float | None) -> str:
    """ "p < 0.001", "p = 0.021", "p = 0.58"."""
    if p is None or not math.isfinite(p):
        return f"p {NOT_DEFINED}"
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def stars(p: float | None) -> str:
    """The usual marks of a p-value: *** < 0.001, ** < 0.01, * < 0.05, else nothing."""
    if p is None:
        return ""
    return "***" if p < 0.001 else "**" if p < 0.01 else "*" if p < 0.05 else ""


def listing(items: Sequence[str]) -> str:
    """ "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def shorten(text: str, width: int) -> str:
    """Text cut at a word where it is longer than ``width``, with an ellipsis."""
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    head = text[: width - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[width // 2 :] else head).rstrip(" ,;:.") + "…"


def sentence(text: str) -> str:
    """The text with a capital at its start, the rest as it is."""
    return text[:1].upper() + text[1:]


def plain(text: object) -> str:
    """Foreign text for a place that reads Markdown: every mark shows as itself.

    Markdown, LaTeX, HTML, links and icon names stay text; control and direction marks are
    dropped; white space becomes single spaces.
    """
    words = " ".join(_CONTROL.sub("", str(text)).split())
    # Icon names are read even where the colon is escaped: an unseen joiner parts them.
    words = words.replace(":material/", ":\u2060material/")
    return _MARKS.sub(r"\\\1", words)


def label(text: object) -> str:
    """Foreign text for a place in a Plotly figure, which reads a few HTML tags."""
    return html.escape(" ".join(_CONTROL.sub("", str(text)).split()), quote=False)


def _sign(text: str) -> str:
    bare = text.replace("-", _MINUS)
    return bare.removeprefix(_MINUS) if not bare.strip(f"{_MINUS}0.,") else bare
