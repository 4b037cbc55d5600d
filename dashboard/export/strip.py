"""The scores of each system as a drawing in plain SVG, for files without script."""

from __future__ import annotations

import numpy as np

from core.hindsight.results import Score
from dashboard.charts.theme import system_styles
from dashboard.export.document import text
from dashboard.prose import number, shorten

_WIDTH, _LEFT, _ROW = 760, 190, 64
_RIGHT = _WIDTH - 20


def score_strips(score: Score) -> str:
    """A row of dots a system, each idea at its score, and its mean with interval in black.

    Dots are spread up and down by the settings' seed so that equal ones can be seen.
    """
    rows = [row for row in score.systems if row.mean is not None]
    known = score.ideas["score"].dropna()
    if not rows or known.empty:
        return "<p>No idea has a score, so there is nothing to draw.</p>"
    top = max(float(known.max()), max(row.mean_high or 0.0 for row in rows), 1e-9)

    def x(value: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * value / top

    rng = np.random.default_rng(score.settings.seed)
    styles = system_styles([row.system for row in score.systems])
    height = _ROW * len(rows) + 50
    parts = []
    for place, row in enumerate(rows):
        middle = _ROW * (place + 0.5) + 8
        style = styles[row.system]
        parts.append(
            f'<text x="{_LEFT - 14}" y="{middle - 2:.1f}" text-anchor="end">'
            f"{text(shorten(row.system, 24))}</text>"
            f'<text x="{_LEFT - 14}" y="{middle + 15:.1f}" text-anchor="end">n = {row.n:,}</text>'
        )
        for value in score.ideas.loc[score.ideas["system"] == row.system, "score"].dropna():
            y = middle + rng.uniform(-18, 18)
            parts.append(_mark(style.symbol, x(float(value)), y, style.color))
        low, high = row.mean_low, row.mean_high
        if low is not None and high is not None:
            parts.append(
                f'<line x1="{x(low):.1f}" x2="{x(high):.1f}" y1="{middle:.1f}" y2="{middle:.1f}"'
                ' stroke="currentColor" stroke-width="3"/>'
            )
        parts.append(
            f'<circle cx="{x(row.mean or 0.0):.1f}" cy="{middle:.1f}" r="5.5" fill="currentColor"/>'
        )
    base = _ROW * len(rows) + 14
    for tick in np.linspace(0, top, 5):
        parts.append(
            f'<text x="{x(float(tick)):.1f}" y="{base + 14}" text-anchor="middle">'
            f"{number(float(tick), 2)}</text>"
        )
    parts.append(
        f'<text x="{(_LEFT + _RIGHT) / 2}" y="{base + 32}" text-anchor="middle">'
        "HindSight score</text>"
    )
    means = ", ".join(f"{row.system} {number(row.mean)}" for row in rows)
    alt = f"HindSight scores by system, a dot an idea; means: {means}"
    return (
        f'<figure style="margin:0"><svg role="img" aria-label="{text(alt)}"'
        f' viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}">'
        f"{''.join(parts)}</svg><figcaption>A mark an idea, spread up and down so that equal ones"
        " can be seen; black: the mean with its 95 % interval.</figcaption></figure>"
    )


def _mark(symbol: str, x: float, y: float, color: str) -> str:
    paint = f'fill="{color}" fill-opacity="0.55"'
    if symbol == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" {paint}/>'
    turn = f' transform="rotate(45 {x:.1f} {y:.1f})"' if symbol == "diamond" else ""
    return f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7" {paint}{turn}/>'
