"""Prompts: files of our own words, versioned by digest, with candidate text behind a fence.

A template is a Markdown file with the headings ``## system`` and ``## user`` and places such as
``{{idea}}``. Texts that come from outside go in through :func:`fence` alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from core.errors import UsageError
from core.judging.task import Message

_SECTION = re.compile(r"^## (system|user)[ \t]*$", re.MULTILINE)
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, kw_only=True)
class Template:
    """A prompt with places for texts; ``version`` is its name and the digest of its file."""

    name: str
    digest: str
    system: str
    user: str

    @property
    def version(self) -> str:
        return f"{self.name}@{self.digest}"

    def messages(self, **texts: str) -> tuple[Message, ...]:
        """The two messages, every place filled once: a place inside a text stays as it is."""
        wanted = set(_PLACE.findall(self.system + self.user))
        if wanted != set(texts):
            raise UsageError(
                f"Prompt '{self.name}' has the places {', '.join(sorted(wanted))};"
                f" given: {', '.join(sorted(texts))}."
            )
        return tuple(
            Message(role=role, content=_PLACE.sub(lambda found: texts[found[1]], text))
            for role, text in (("system", self.system), ("user", self.user))
        )


@cache
def load_template(name: str) -> Template:
    """The template ``core/judging/prompts/<name>.md``."""
    file = resources.files("core.judging") / "prompts" / f"{name}.md"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError:
        raise UsageError(f"There is no prompt '{name}'.") from None
    return parse_template(name, text)


def parse_template(name: str, text: str) -> Template:
    """A template from its file's text."""
    parts = _SECTION.split(text)
    sections = {title: body.strip() for title, body in zip(parts[1::2], parts[2::2], strict=True)}
    if set(sections) != {"system", "user"} or len(parts) != 5:
        raise UsageError(f"Prompt '{name}' must have '## system' and '## user', each once.")
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return Template(name=name, digest=digest, **sections)


def fence(label: str, text: str) -> str:
    """A text between two lines that it cannot hold, so that nothing in it can end it.

    The lines carry a mark made from the text's digest: the same text gives the same prompt, and
    a text that held its own mark would give another one. Control and direction characters,
    which could hide words from a reader, are taken out.
    """
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    mark = _mark(text)
    return f"<<<BEGIN {label} {mark}>>>\n{text}\n<<<END {label} {mark}>>>"


def fenced_parts(parts: Mapping[str, str]) -> str:
    """Parts of one candidate, each under its name, as one text."""
    return "\n\n".join(f"{name}:\n{text.strip()}" for name, text in parts.items() if text.strip())


def _mark(text: str) -> str:
    turn = 0
    while True:
        digest = hashlib.sha256(f"{turn}\n{text}".encode()).hexdigest()[:16]
        if digest not in text:
            return digest
        turn += 1
