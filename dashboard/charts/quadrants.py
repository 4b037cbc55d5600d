"""Judges against the future: each idea by its mark and its HindSight score, with the cuts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from core.config import ALL_JUDGES
from core.hindsight.results import UNSCORED
from dashboard.charts.theme import Chart, Theme, base_layout, system_styles
from dashboard.prose import count, fixed, label, number, percent, plain, shorten

if TYPE_CHECKING:
    from core.hindsight.results import Quadrants, Score

NAMES = {
    "true_positive": "True positive",
    "hidden_gem": "Hidden gem",
    "overhyped": "Overhyped",
    "true_negative": "True negative",
    UNSCORED: "Unscored",
}
PLURALS = {
    "true_positive": "True positives",
    "hidden_gem": "Hidden gems",
    "overhyped": "Overhyped",
    "true_negative": "True negatives",
}
MEANINGS = {
    "true_positive": "high with the judges, high in HindSight",
    "hidden_gem": "low with the judges, high in HindSight",
    "overhyped": "high with the judges, low in HindSight",
    "true_negative": "low with the judges, low in HindSight",
    UNSCORED: "without a judge's mark or a score",
}
RULES = {
    "pooled_median": "pooled medians",
    "nonzero_median": "median of the scores above 0",
    "system_median": "medians of each system",
    "tertile": "upper thirds",
    "fixed": "fixed",
}
_JITTER_MARK = 0.06
_JITTER_SCORE = 0.008
_CORNERS = (
    ("hidden_gem", 0.0, 1.0, "left", "top"),
    ("true_positive", 1.0, 1.0, "right", "top"),
    ("true_negative", 0.0, 0.0, "left", "bottom"),
    ("overhyped", 1.0, 0.0, "right", "bottom"),
)


def total(score: Score, quadrant: str) -> int:
    """Ideas of all systems in one quadrant."""
    return sum(getattr(row, quadrant) for row in score.quadrants.counts)


def placed(score: Score) -> int:
    """Ideas in any quadrant."""
    return sum(total(score, name) for name in PLURALS)


def quadrants_title(score: Score) -> str:
    """The finding: how many ideas judges and the future see differently."""
    gems, hyped = total(score, "hidden_gem"), total(score, "overhyped")
    if not placed(score):
        return "Where do judges and the future disagree?"
    return f"{count(gems, 'hidden gem')}, {hyped:,} overhyped: where judges and the future disagree"


def quadrants_sentence(score: Score) -> str:
    """How many ideas are compared, in which quadrants, and how many could not be."""
    counts = score.quadrants.counts
    n = placed(score)
    if not n:
        return ""
    agree = total(score, "true_positive") + total(score, "true_negative")
    unscored = sum(row.unscored for row in counts)
    text = (
        f"Judges and HindSight put **{percent(agree / n)}** of {count(n, 'idea')} on the same side"
        f" of their cuts; {count(total(score, 'hidden_gem'), 'idea')} came true that judges"
        f" ranked low, and {total(score, 'overhyped'):,} that they ranked high did not."
    )
    if unscored:
        text += f" {count(unscored, 'idea')} without a judge's mark left out."
    return text


def settings_line(score: Score) -> str:
    """The settings that shape the quadrants, for the head of an export."""
    own = score.settings
    judge = "all judges" if own.judge == ALL_JUDGES else f"judge {own.judge}"
    return (
        f"θ {number(own.theta)}, K {own.k}, {own.normalizer} citations, {own.aggregate},"
        f" {judge}, cuts by {own.quadrant_rule} ({score.quadrants.comparison})"
    )


def cuts_sentence(quadrants: Quadrants) -> str:
    """The cuts, the rule and how many ideas lie exactly on them."""
    sign = {">=": "≥"}.get(quadrants.comparison, quadrants.comparison)

    def of(cut: float | dict[str, float] | None, n: int) -> str:
        on = "none on it" if n == 0 else f"{count(n, 'idea')} exactly on it"
        if isinstance(cut, dict):
            each = ", ".join(f"{name} {sign} {number(value, 4)}" for name, value in cut.items())
            return f"{each} ({on})"
        return f"{sign} {number(cut, 4)} ({on})"

    return (
        f"Cuts ({RULES[quadrants.rule]}): judges {of(quadrants.judge_cut, quadrants.on_cut['judge'])};"
        f" HindSight {of(quadrants.hindsight_cut, quadrants.on_cut['hindsight'])}."
    )


def counts_table(score: Score) -> pd.DataFrame:
    """Table 3's shape: one row a system; of each quadrant n and its share of the scored ideas."""
    rows = []
    for item in score.quadrants.counts:
        n = item.true_positive + item.hidden_gem + item.overhyped + item.true_negative
        row: dict[str, Any] = {"system": item.system, "n": n}
        for name in PLURALS:
            row[name] = getattr(item, name)
            row[f"{name}_share"] = getattr(item, name) / n if n else None
        rows.append({**row, "unscored": item.unscored})
    return pd.DataFrame(rows)


def counts_text(counts: pd.DataFrame) -> pd.DataFrame:
    """The same for reading: a row a quadrant, a column a system, '20 (42 %)'."""
    columns: dict[str, list[str]] = {"quadrant": [*PLURALS.values(), NAMES[UNSCORED]]}
    for row in counts.to_dict("records"):
        cells = [
            f"{row[name]:,} ({percent(row[f'{name}_share'])})" if row["n"] else "–"
            for name in PLURALS
        ]
        columns[f"{row['system']} (n = {row['n']:,})"] = [*cells, f"{row['unscored']:,}"]
    return pd.DataFrame(columns)


def quadrant_data(score: Score) -> pd.DataFrame:
    """The points of the chart: every idea in a quadrant, with its cuts."""
    rows = score.ideas[score.ideas["quadrant"] != UNSCORED]
    data = rows[["idea_id", "system", "topic", "judge_overall", "score", "n_matches", "quadrant"]]
    return data.assign(
        judge_cut=[_cut(score.quadrants.judge_cut, name) for name in data["system"]],
        hindsight_cut=[_cut(score.quadrants.hindsight_cut, name) for name in data["system"]],
    ).reset_index(drop=True)


def quadrant_chart(score: Score, theme: Theme, titles: Mapping[str, str] | None = None) -> Chart:
    """Judges' overall mark (x) against HindSight (y), a point an idea, cuts as dashed lines.

    Points are shifted a little so that equal ones do not hide each other, never across a cut;
    the shift is drawn from the settings' seed. ``customdata`` begins with the idea's id.
    """
    import plotly.graph_objects as go

    data = quadrant_data(score)
    titles = titles or {}
    rng = np.random.default_rng(score.settings.seed)
    shift = rng.uniform(-1.0, 1.0, size=(2, len(data)))
    span = max(float(data["score"].max()), 0.05) if len(data) else 1.0
    x = _shifted(data["judge_overall"], data["judge_cut"], shift[0] * _JITTER_MARK, score)
    y_step = _JITTER_SCORE * span * 2
    y = _shifted(data["score"], data["hindsight_cut"], shift[1] * y_step, score)
    styles = system_styles([row.system for row in score.systems])
    figure = go.Figure()
    for system, style in styles.items():
        own = (data["system"] == system).to_numpy()
        rows = data[own]
        figure.add_scatter(
            x=x[own],
            y=y[own],
            mode="markers",
            name=label(system),
            marker={
                "color": style.color,
                "symbol": style.symbol,
                "size": 9,
                "opacity": 0.72,
                "line": {"width": 0.5, "color": theme.surface},
            },
            customdata=[
                [
                    row.idea_id,
                    label(shorten(titles.get(row.idea_id, row.idea_id), 60)),
                    fixed(row.judge_overall, 2),
                    fixed(row.score, 3),
                    NAMES[row.quadrant],
                    count(row.n_matches, "match", "matches"),
                    label(row.idea_id),
                ]
                for row in rows.itertuples()
            ],
            hovertemplate=(
                "<b>%{customdata[1]}</b><br>%{customdata[6]} · %{fullData.name}<br>"
                "%{customdata[4]}: judges %{customdata[2]}, HindSight %{customdata[3]}"
                "<br>%{customdata[5]}<extra></extra>"
            ),
        )
    figure.update_layout(
        **base_layout(
            theme,
            height=440,
            showlegend=True,
            margin={"t": 36},
            xaxis={"title": "Judges' overall mark (1 to 10)", "showgrid": False},
            yaxis={"title": "HindSight score (0 to 1)"},
            shapes=_cut_lines(score, theme, styles),
            annotations=_corners(score, theme),
        )
    )
    moved = f"{number(_JITTER_MARK, 1)} along and {number(y_step, 1)} up or down"
    return Chart(
        figure=figure,
        alt=(
            f"Judges' overall mark against HindSight score for {count(len(data), 'idea')}: "
            + ", ".join(f"{total(score, name)} {PLURALS[name].lower()}" for name in PLURALS)
        ),
        caption=(
            f"{plain(cuts_sentence(score.quadrants))} Points are shifted by up to {moved} (seed"
            f" {score.settings.seed}), never across a cut, so that equal ones can be seen; the"
            " quadrants come from the exact values. n ="
            f" {len(data):,}."
        ),
        data=data,
    )


def _cut(cut: float | dict[str, float] | None, system: str) -> float | None:
    return cut.get(system) if isinstance(cut, dict) else cut


def _shifted(values: pd.Series, cuts: pd.Series, shift: Any, score: Score) -> Any:
    """Values moved by ``shift``, mirrored where it would put a point on the other side."""
    exact = values.to_numpy(float)
    cut = cuts.to_numpy(float)
    inclusive = score.settings.inclusive

    def high(point: Any) -> Any:
        return point >= cut if inclusive else point > cut

    wrong = high(exact + shift) != high(exact)
    moved = np.where(wrong, exact - shift, exact + shift)
    return np.where(high(moved) != high(exact), exact, moved)


def _cut_lines(score: Score, theme: Theme, styles: Mapping[str, Any]) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    for axis, cut in (("x", score.quadrants.judge_cut), ("y", score.quadrants.hindsight_cut)):
        across = "y" if axis == "x" else "x"
        pairs = cut.items() if isinstance(cut, dict) else [(None, cut)]
        for system, value in pairs:
            if value is None:
                continue
            style = styles.get(system) if system is not None else None
            lines.append(
                {
                    "type": "line",
                    f"{axis}0": value,
                    f"{axis}1": value,
                    f"{across}0": 0,
                    f"{across}1": 1,
                    f"{across}ref": "paper",
                    "line": {
                        "color": style.color if style else theme.muted,
                        "width": 1.2,
                        "dash": style.dash if style and style.dash != "solid" else "dash",
                    },
                    "layer": "below",
                }
            )
    return lines


def _corners(score: Score, theme: Theme) -> list[dict[str, Any]]:
    return [
        {
            "text": f"<b>{PLURALS[name]}</b> {total(score, name):,}",
            "x": x,
            "y": y,
            "xref": "paper",
            "yref": "paper",
            "xanchor": x_anchor,
            "yanchor": y_anchor,
            "showarrow": False,
            "font": {"size": 13, "color": theme.muted},
            "bgcolor": theme.surface,
            "opacity": 0.9,
        }
        for name, x, y, x_anchor, y_anchor in _CORNERS
    ]
