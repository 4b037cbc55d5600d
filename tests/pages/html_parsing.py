"""HTML read back as a browser would, to see what is markup and what is shown."""

from __future__ import annotations

import re
from html.parser import HTMLParser


class Tags(HTMLParser):
    """Collects tags, attributes and shown text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.shown = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.shown += data


def parse(source: str) -> Tags:
    tags = Tags()
    tags.feed(source)
    tags.close()
    return tags


def live_marks(markdown: str) -> str:
    """Markdown without its escaped characters: what is left may be read as markup."""
    return re.sub(r"\\.", "", markdown)
