"""The exported HTML: nothing foreign is ever markup, and nothing is fetched or run."""

from __future__ import annotations

import pytest
from html_parsing import parse
from hypothesis import given
from hypothesis import strategies as st

from dashboard.export.document import document, element, folded, link, table, text, web_address

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</p></body><iframe src=//evil>",
    '" onmouseover="alert(1)',
    "<!-- -->&lt;b&gt;",
]


@pytest.mark.parametrize("foreign", HOSTILE)
def test_foreign_text_is_shown_as_it_is(foreign: str) -> None:
    page = parse(
        document(
            title=foreign,
            notices=[foreign],
            body=[element("h1", foreign), table([foreign], [[foreign]], caption=foreign)],
        )
    )
    assert not {"script", "img", "iframe", "b"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert page.shown.count(foreign) == 6


@given(st.text())
def test_escaping_never_leaves_a_tag_open(foreign: str) -> None:
    page = parse(element("p", foreign))
    assert page.tags == ["p"]


def test_control_characters_are_dropped_and_letters_kept() -> None:
    assert text("a\x00\x1b[31mb\u202ec\n😀 שלום") == "a[31mbc\n😀 שלום"


def test_the_file_forbids_scripts_and_requests() -> None:
    source = document(title="t", body=[])
    assert "default-src 'none'" in source
    assert "script-src" not in source
    assert not {"script", "link", "img"} & set(parse(source).tags)


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "//host", "file:///etc", "http://", ""]
)
def test_only_web_addresses_become_links(address: str) -> None:
    assert web_address(address) is None
    assert link(address, "x<y") == "x&lt;y"


def test_a_broken_address_is_no_link() -> None:
    assert link("http://[::1", "paper") == "paper"


def test_a_web_address_becomes_a_link() -> None:
    assert 'href="https://a.example/?q=1&amp;r=2"' in link("https://a.example/?q=1&r=2", "a")


def test_long_texts_fold_whole() -> None:
    source = folded("x" * 100_000)
    assert source.count("x") >= 100_000
    assert "Whole text (100,000 characters)" in source
    assert "<details" not in folded("short")
