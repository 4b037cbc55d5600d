"""One self-contained HTML file: no script, no request, every foreign text escaped.

A content policy in the file's head forbids scripts and requests, so that even a text that
slipped through unescaped could do nothing.
"""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Sequence
from urllib.parse import urlsplit

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'"
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d8dee4;
  --ground: #ffffff; --panel: #f6f8fa; --mark: #0072b2; --point: #d55e00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #9aa4af;
  --line: #343b44; --ground: #14171b; --panel: #1c2127; --mark: #56b4e9; --point: #ff9142; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 66rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.5 system-ui, "Segoe UI", "Liberation Sans", sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.35rem; margin: 2.25rem 0 .5rem; }
h3 { font-size: 1.1rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
p, li, .met, summary { overflow-wrap: anywhere; }
td, th { overflow-wrap: break-word; max-width: 24rem; }
td[dir] { min-width: 6.5rem; }
.soft, caption, figcaption { color: var(--soft); font-size: .9rem; }
.notice { border-left: 4px solid var(--point); background: var(--panel); padding: .6rem 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0; }
caption { caption-side: bottom; text-align: left; padding-top: .4rem; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .9rem .3rem 0; text-align: left;
  vertical-align: top; }
th.n, td.n { text-align: right; white-space: nowrap; }
.cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); }
.card { border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.1rem;
  break-inside: avoid; }
.label { font-weight: 600; font-size: .85rem; border: 1px solid currentColor;
  border-radius: .3rem; padding: .05rem .45rem; display: inline-block; margin-bottom: .5rem; }
.met { border: 1px solid var(--line); border-radius: .4rem; padding: .6rem .8rem;
  background: var(--panel); margin: .6rem 0; }
details { margin: .4rem 0; } summary { cursor: pointer; }
svg { max-width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 13px; }
a { color: var(--mark); }
@media print { body { max-width: none; } details { display: block; } }
"""


def document(*, title: str, body: Iterable[str], notices: Iterable[str] = ()) -> str:
    """A whole HTML file. ``title`` and ``notices`` are text; ``body`` holds finished HTML."""
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{text(title)}</title><style>{_STYLE}</style></head><body>",
        *(f'<p class="notice">{text(notice)}</p>' for notice in notices),
        *body,
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def text(value: object) -> str:
    """Any value as text that HTML shows and does not interpret; control characters are dropped."""
    plain = "".join(c for c in str(value) if c in "\n\t" or c.isprintable() or c in "\u200c\u200d")
    return html.escape(plain, quote=True)


def element(name: str, content: object, *, css: str | None = None) -> str:
    """An element that holds text; its direction follows the text's own."""
    mark = f' class="{css}"' if css else ""
    return f'<{name} dir="auto"{mark}>{text(content)}</{name}>'


def link(url: str | None, label: str) -> str:
    """A link where the address is one of the web, else the label alone."""
    safe = web_address(url)
    if safe is None:
        return text(label)
    return f'<a href="{text(safe)}" rel="noopener noreferrer">{text(label)}</a>'


def web_address(url: str | None) -> str | None:
    """The address if it is http or https with a host; None for any other (javascript:, data:)."""
    if not url:
        return None
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname
    except ValueError:
        return None
    return url.strip() if parts.scheme in ("http", "https") and host else None


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numeric: Collection[int] = (),
    caption: str | None = None,
) -> str:
    """A table of texts; the columns at ``numeric`` are set to the right.

    A last column in which nothing stands is left out.
    """
    rows = list(rows)
    if rows and all(row[-1] == "" for row in rows):
        headers, rows = headers[:-1], [row[:-1] for row in rows]

    def cells(kind: str, values: Sequence[object]) -> str:
        return "".join(
            f"<{kind} {'class=n' if place in numeric else 'dir=auto'}>{text(value)}</{kind}>"
            for place, value in enumerate(values)
        )

    lines = [f"<tr>{cells('td', row)}</tr>" for row in rows]
    note = f"<caption>{text(caption)}</caption>" if caption else ""
    return (
        f'<div class="scroll"><table>{note}<thead><tr>{cells("th", headers)}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def folded(value: str, *, shown: int = 400) -> str:
    """A text whose part beyond ``shown`` characters is folded away."""
    if len(value) <= shown:
        return element("p", value)
    return (
        f"{element('p', value[:shown] + '…')}<details><summary>Whole text"
        f" ({len(value):,} characters)</summary>{element('p', value)}</details>"
    )
