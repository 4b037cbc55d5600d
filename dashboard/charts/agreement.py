"""Two judges' marks in a table of cells, and the agreement of pairs and sets as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from dashboard.charts.theme import NEGATIVE, Chart, Theme, base_layout
from dashboard.judging.findings import CATEGORIES, ON_NAMES, UNITS, shares_text
from dashboard.prose import count, interval, label, number, percent, plain, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.agreement import (
        Agreement,
        Confusion,
        OverallAgreement,
        PairAgreement,
        RepeatAgreement,
        WithoutJudge,
    )

_IDS_SHOWN = 6
COEFFICIENTS = {
    "agreement": "Raw agreement",
    "alpha": "Krippendorff's α, ordinal",
    "alpha_nominal": "Krippendorff's α, nominal",
    "fleiss_kappa": "Fleiss' κ",
    "ac1": "Gwet's AC1",
    "ac2": "Gwet's AC2, quadratic",
    "icc2_1": "ICC(2,1), one judge",
    "icc2_k": "ICC(2,k), mean of judges",
    "kendall_w": "Kendall's W",
}


def estimate_text(value: float | None, low: float | None, high: float | None) -> str:
    """ "0.212 (0.14 to 0.28)", or that it is not defined."""
    if value is None:
        return number(None)
    ends = "" if low is None or high is None else f" ({interval(low, high, decimals=2)})"
    return number(value) + ends


def share_text(value: float | None, low: float | None, high: float | None) -> str:
    """The same for a share: "24 % (18 to 30 %)"."""
    if value is None:
        return number(None)
    if low is None or high is None:
        return percent(value)
    return f"{percent(value)} ({percent(low).removesuffix(' %')} to {percent(high)})"


def confusion_chart(found: Confusion, theme: Theme) -> Chart:
    """Units by the mark of judge a (rows) and of judge b (columns), counts in the cells.

    Marks that neither gave stand at the ends only where they lie between marks given. Each
    cell's hover tells its count and the first ids.
    """
    import plotly.graph_objects as go

    pair = found.pair
    used = sorted({*found.units["category_a"], *found.units["category_b"]})
    first, last = pair.categories.index(used[0]), pair.categories.index(used[-1])
    shown = pair.categories[first : last + 1]
    told = CATEGORIES.get(pair.on) or [f"{value:g}" for value in pair.categories]
    names = list(told[first : last + 1])
    counts = [row[first : last + 1] for row in pair.table[first : last + 1]]
    inside: dict[tuple[float, float], list[str]] = {}
    keys = [name for name in found.units.columns if name.endswith("_id")]
    for a, b, *ids in found.units[["category_a", "category_b", *keys]].itertuples(index=False):
        inside.setdefault((float(a), float(b)), []).append(" × ".join(map(str, ids)))
    a_name, b_name = label(shorten(pair.judge_a, 28)), label(shorten(pair.judge_b, 28))
    one, many = UNITS[pair.source]

    def hover(a: float, b: float, n: int) -> str:
        ids = inside.get((a, b), [])
        rest = f" and {len(ids) - _IDS_SHOWN:,} more" if len(ids) > _IDS_SHOWN else ""
        listed = "<br>".join(label(shorten(name, 50)) for name in ids[:_IDS_SHOWN])
        head = f"{a_name}: {a:g}<br>{b_name}: {b:g}<br><b>{count(n, one, many)}</b> of {pair.n:,}"
        return f"{head}<br>{listed}{rest}" if ids else head

    figure = go.Figure(
        go.Heatmap(
            z=counts,
            x=names,
            y=names,
            text=[[f"{n:,}" if n else "" for n in row] for row in counts],
            texttemplate="%{text}",
            textfont={"size": 14},
            customdata=[
                [hover(a, b, n) for b, n in zip(shown, row, strict=True)]
                for a, row in zip(shown, counts, strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
            colorscale=[[0, theme.surface], [1, NEGATIVE]],
            zmin=0,
            xgap=2,
            ygap=2,
            showscale=False,
        )
    )
    figure.update_layout(
        base_layout(
            theme,
            height=max(260, 90 + 42 * len(shown)),
            xaxis={"title": b_name, "type": "category", "showgrid": False},
            yaxis={"title": a_name, "type": "category", "showgrid": False},
            shapes=[_outline(place, theme) for place in range(len(shown))],
        )
    )
    cut = "" if len(shown) == len(pair.categories) else " Marks that neither gave are cut off."
    return Chart(
        figure=figure,
        alt=(
            f"{count(pair.n, one, many)} by the {ON_NAMES[pair.on]} of {pair.judge_a} and of"
            f" {pair.judge_b}: {percent(pair.agreement)} on the diagonal, where both say the same."
        ),
        caption=(
            f"{plain(pair.judge_a)} by row, {plain(pair.judge_b)} by column; outlined: both say"
            f" the same.{' Means over repeats, rounded.' if pair.source == 'scores' else ''}{cut}"
            f" n = {pair.n:,}."
        ),
        data=found.units.assign(judge_a=pair.judge_a, judge_b=pair.judge_b, on=pair.on),
    )


def _outline(place: int, theme: Theme) -> dict[str, Any]:
    return {
        "type": "rect",
        "x0": place - 0.47,
        "x1": place + 0.47,
        "y0": place - 0.47,
        "y1": place + 0.47,
        "line": {"color": theme.muted, "width": 1.5},
        "layer": "above",
    }


def agreement_rows(pairs: Sequence[PairAgreement]) -> pd.DataFrame:
    """Two rows a pair: failures left out, and counted as disagreements. Never κ alone.

    The judges' names are left out where there is one pair, which the page names.
    """
    rows = []
    for pair in pairs:
        worst = pair.worst
        rows.append(
            {
                "judges": f"{pair.judge_a} / {pair.judge_b}",
                "failures": "left out",
                "n": pair.n,
                "agreement": share_text(pair.agreement, pair.agreement_low, pair.agreement_high),
                "kappa": estimate_text(pair.kappa, pair.kappa_low, pair.kappa_high),
                "pabak": number(pair.pabak),
                "ac1": number(pair.ac1),
                "shares": shares_text(pair),
                "left_out": pair.n_left_out,
                "undefined": pair.undefined or "",
            }
        )
        rows.append(
            {
                "judges": f"{pair.judge_a} / {pair.judge_b}",
                "failures": "worst case",
                "n": worst.n,
                "agreement": share_text(worst.agreement, None, None),
                "kappa": number(worst.kappa),
                "pabak": number(worst.pabak),
                "ac1": number(worst.ac1),
                "shares": "–",
                "left_out": pair.n_left_out - worst.n_failed,
                "undefined": worst.undefined or "",
            }
        )
    frame = pd.DataFrame(rows)
    if len(pairs) == 1:
        frame = frame.drop(columns="judges")
    return frame if frame["undefined"].any() else frame.drop(columns="undefined")


def category_rows(pair: PairAgreement) -> pd.DataFrame:
    """Each category's share with either judge, and how often the other says it too."""
    names = CATEGORIES.get(pair.on) or tuple(f"{value:g}" for value in pair.categories)
    return pd.DataFrame(
        [
            {
                "category": names[place],
                "share_a": percent(None if pair.shares_a is None else pair.shares_a[place]),
                "share_b": percent(None if pair.shares_b is None else pair.shares_b[place]),
                "specific": share_text(each.value, each.low, each.high),
            }
            for place, each in enumerate(pair.specific)
        ]
    )


def states_rows(found: Agreement, models: dict[str, str]) -> pd.DataFrame:
    """Who judged what: one row a judge and table, with how its replies ended."""
    rows = []
    for row in found.states_by:
        failed = row.refused + row.parse_failed + row.call_failed
        rows.append(
            {
                "judge": row.judge,
                "model": models.get(row.judge),
                "table": row.source,
                "ok": row.ok,
                "refused": row.refused,
                "parse_failed": row.parse_failed,
                "call_failed": row.call_failed,
                "failed_share": failed / (failed + row.ok) if failed + row.ok else None,
            }
        )
    frame = pd.DataFrame(rows)
    return frame if frame["model"].notna().any() else frame.drop(columns="model")


def overall_rows(found: OverallAgreement) -> pd.DataFrame:
    """All judges together: a row a coefficient, failures left out and in the worst case."""
    rows = []
    for name, title in COEFFICIENTS.items():
        estimate = found.estimates.get(name)
        value = None if estimate is None else estimate.value
        low, high = (None, None) if estimate is None else (estimate.low, estimate.high)
        text = share_text if name == "agreement" else estimate_text
        known = hasattr(found.worst, name)
        rows.append(
            {
                "coefficient": title,
                "value": text(value, low, high),
                "worst": number(getattr(found.worst, name)) if known else "–",
                "n": 0 if estimate is None else estimate.n,
                "undefined": found.undefined.get(name, ""),
            }
        )
    frame = pd.DataFrame(rows)
    return frame if frame["undefined"].any() else frame.drop(columns="undefined")


def without_rows(found: Sequence[WithoutJudge]) -> pd.DataFrame:
    """Each judge against the mean of the others, and α of the set without it."""
    rows = []
    for row in found:
        reasons = [row.undefined.get("alpha", ""), row.spearman.undefined or ""]
        rows.append(
            {
                "judge": row.judge,
                "n": row.n,
                "rho_others": estimate_text(
                    row.spearman.value, row.spearman.low, row.spearman.high
                ),
                "bias": number(row.bias),
                "alpha_without": number(row.alpha),
                "undefined": "; ".join(dict.fromkeys(reason for reason in reasons if reason)),
            }
        )
    frame = pd.DataFrame(rows)
    return frame if frame["undefined"].any() else frame.drop(columns="undefined")


def repeat_rows(found: Sequence[RepeatAgreement]) -> pd.DataFrame:
    """How far each judge repeats itself."""
    rows = [
        {
            "judge": row.judge,
            "n": row.n,
            "repeats": row.repeats,
            "icc": estimate_text(row.icc, row.icc_low, row.icc_high),
            "sd": number(row.sd),
            "same": percent(row.same),
            "undefined": row.undefined or "",
        }
        for row in found
    ]
    frame = pd.DataFrame(rows)
    return frame if frame["undefined"].any() else frame.drop(columns="undefined")
