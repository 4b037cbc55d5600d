"""One long text with headings, parted into its sections.

Headings are known names before a colon ("Motivation:", "3. Proposed Method:", "## Method"), at
the start of a line or after a sentence, or further numbered ones in their order. A name counts
once, the first time: "Proposed Method:" inside a test case is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from core.ingest.cleaning import clean_text

HEADINGS: dict[str, tuple[str, ...]] = {
    "title": ("title", "idea title", "idea name"),
    "problem": (
        "problem statement", "problem", "research problem", "problem definition",
        "research question", "research questions", "problem formulation",
    ),
    "rationale": ("motivation", "rationale", "motivation and hypothesis", "hypothesis",
                  "short hypothesis", "key insight", "motivation and rationale"),
    "method": (
        "proposed method", "method", "methods", "methodology", "proposed approach", "approach",
        "proposed methodology", "proposed solution", "proposed framework", "scientific method",
    ),
}  # fmt: skip
OTHERS = (
    "step by step experiment plan", "experiment plan", "experimental plan", "experiments",
    "experiment", "experimental design", "experiment design", "experimental setup", "evaluation",
    "evaluation plan", "test case examples", "test cases", "fallback plan", "fallback plans",
    "related work", "existing methods", "background", "abstract", "introduction", "contributions",
    "expected outcomes", "expected outcome", "expected results", "risk factors and limitations",
    "limitations", "resources", "datasets", "metrics", "timeline", "references", "impact",
)  # fmt: skip
_FIELD = {name: field for field, names in HEADINGS.items() for name in names}
_KNOWN = {*_FIELD, *OTHERS}
_LOOKED_AT = 100


def _loose(name: str) -> str:
    return r"[ \t_/-]+".join(map(re.escape, name.split()))


_NAMES = "|".join(_loose(name) for name in sorted(_KNOWN, key=len, reverse=True))
_NUMBER = r"(?:(?P<number>\d{1,2})[.):]|[IVX]{1,4}[.)]|[A-Z][.)])"
_START = r"^(?P<indent>[ \t]*)(?:#{1,6}[ \t]*)?[*_]{0,3}[ \t]*"
_AT_LINE = re.compile(
    rf"{_START}(?:{_NUMBER}[ \t]*)?[*_]{{0,3}}(?P<name>{_NAMES})[ \t]*[*_]{{0,3}}"
    rf"(?:[ \t]*[:：][*_]{{0,3}}|[ \t]*$)",
    re.I | re.M,
)
_HASHED = re.compile(r"^(?P<indent>)#{1,6}[ \t]+(?P<name>[^\n:]{2,60}?)[ \t#]*:?[ \t]*$", re.M)
_NUMBERED = re.compile(
    rf"{_START}(?P<number>\d{{1,2}})[.):][ \t]+[*_]{{0,3}}(?P<name>[A-Z][^\n:.?!]{{2,50}}?)[*_]{{0,3}}:",
    re.M,
)
_INLINE = re.compile(
    rf"(?:(?<=[.!?;。])[ \t]+|(?<!step)[ \t]+(?P<number>\d{{1,2}})[.):][ \t]+)(?P<name>{_NAMES})[ \t]*[:：]",
    re.I,
)


@dataclass(frozen=True, kw_only=True)
class Sections:
    """What a long text holds: our fields, and the rest under its own headings."""

    fields: dict[str, str]
    others: dict[str, str]

    @property
    def found(self) -> bool:
        return bool(self.fields or self.others)


def split_sections(text: str) -> Sections:
    """Part a text by its headings; both are empty where no known heading stands in it.

    Text before the first heading goes to ``others['preamble']``. A section without text is
    left out.
    """
    text = clean_text(text)
    heads = _heads(text)
    if not heads:
        return Sections(fields={}, others={})
    fields: dict[str, str] = {}
    others: dict[str, str] = {}
    preamble = text[: heads[0][0]].strip()
    if preamble:
        others["preamble"] = preamble
    ends = [*(start for start, _, _ in heads[1:]), len(text)]
    for (_, begin, name), end in zip(heads, ends, strict=True):
        body = text[begin:end].strip().strip("*").strip()
        if not body:
            continue
        field = _FIELD.get(name)
        if field is not None:
            fields[field] = body
        else:
            others[name.replace(" ", "_")] = body
    return Sections(fields=fields, others=others)


def are_sectioned(texts: Iterable[object]) -> bool:
    """Whether four in five of the texts have sections for two of our fields or more.

    The first hundred texts are looked at; empty cells count for nothing.
    """
    cells = (cell for cell in texts if isinstance(cell, str) and cell.strip())
    parted = [len(split_sections(cell).fields) >= 2 for cell in islice(cells, _LOOKED_AT)]
    return bool(parted) and sum(parted) >= 0.8 * len(parted)


def _heads(text: str) -> list[tuple[int, int, str]]:
    """(start, where its text begins, plain name) of every heading that counts, in order."""
    found = _matches(text, _AT_LINE, _HASHED, _NUMBERED)
    if len({_FIELD[name] for *_, name, _ in found if name in _FIELD}) < 2:
        found += _matches(text, _INLINE)
    found.sort(key=lambda head: (head[0], head[2] not in _KNOWN))
    numbered = sum(parts.get("number") is not None for *_, name, parts in found if name in _FIELD)
    heads: list[tuple[int, int, str]] = []
    taken: set[str] = set()
    reached, last, margin = 0, -1, None
    for start, end, name, parts in found:
        indent, number = parts.get("indent"), parts.get("number")
        if start < last or _FIELD.get(name, name) in taken:
            continue
        # What stands further in than the first heading is a list inside a section.
        if margin is not None and indent is not None and len(indent) > len(margin):
            continue
        if number is None and numbered > 1 and name not in _FIELD:
            continue
        if number is not None:
            # Numbers go up by one; a list inside a section starts again.
            if int(number) != reached + 1 and (reached or name not in _KNOWN):
                continue
            reached = int(number)
        margin = indent if margin is None else margin
        taken.add(_FIELD.get(name, name))
        heads.append((start, end, name))
        last = end
    return heads if any(name in _KNOWN for *_, name in heads) else []


def _matches(
    text: str, *patterns: re.Pattern[str]
) -> list[tuple[int, int, str, dict[str, str | None]]]:
    return [
        (match.start(), match.end(), _plain(match["name"]), match.groupdict())
        for pattern in patterns
        for match in pattern.finditer(text)
    ]


def _plain(name: str) -> str:
    return " ".join(re.sub(r"[\s_/-]+", " ", name.strip(" *_#:")).lower().split())
