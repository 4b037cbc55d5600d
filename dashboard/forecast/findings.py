"""What the page on forecasting says first, written from the numbers. Pure, no streamlit."""

from __future__ import annotations

from typing import Any

from core.forecast.score import ForecastScore
from dashboard.charts.forecast import METRICS, differences, metric_name, systems_of
from dashboard.findings import Finding, start
from dashboard.prose import count, fixed, interval, listing, plain


def forecasting(score: ForecastScore, judge: str, metric: str) -> Finding:
    """Who forecast best under one judge, by one metric, and whether it is told apart.

    A claim rests on the paired difference: its 95 % interval must leave out 0.
    """
    rows = systems_of(score, judge).to_dict("records")
    known = sorted(
        (row for row in rows if row[metric] is not None),
        key=lambda row: (-float(row[metric]), row["system"]),
    )
    name = metric_name(metric, score.settings.slots)
    if not known:
        failed = sum(int(row["left_out"]) for row in rows)
        return Finding(
            title=f"Under {plain(judge)} no episode can be scored",
            sentence=f"Each of its {count(failed, 'episode')} has a verdict that failed or is"
            f" missing at R = {score.settings.r}. The tab Failures says what they could change.",
        )
    best = known[0]
    sentence = (
        f"Under {plain(judge)}, {name} of {plain(best['system'])} is"
        f" **{fixed(best[metric], 3)}** (95 % interval"
        f" {interval(best[f'{metric}_low'], best[f'{metric}_high'], decimals=3)},"
        f" n = {count(int(best['episodes']), 'episode')})"
    )
    if len(rows) == 1:
        hits = f"{fixed(best['hit'], 3)}" if best["hit"] is not None else "unknown"
        return Finding(
            title=f"{start(plain(best['system']))} forecasts hit in a share of {hits} of episodes",
            sentence=f"{sentence}. With one system there is nothing to compare it with.",
        )
    gaps = differences(score, judge, metric, str(best["system"])).to_dict("records")
    return _several(best, gaps, sentence, metric)


def _several(
    best: dict[str, Any], gaps: list[dict[str, Any]], sentence: str, metric: str
) -> Finding:
    """``gaps`` hold every other system minus the best one."""
    beaten = [gap for gap in gaps if gap["high"] is not None and gap["high"] < 0]
    others = [gap for gap in gaps if gap not in beaten]
    told = [
        f"**{fixed(-gap['difference'], 3)}** more than {plain(gap['system'])}"
        f" ({interval(-gap['high'], -gap['low'], decimals=3)}, n = {gap['episodes']})"
        if gap["low"] is not None and gap["high"] is not None
        else f"not to be held against {plain(gap['system'])}, with too few common episodes"
        for gap in gaps
    ]
    sentence = f"{sentence}: {listing(told)}."
    name = start(plain(best["system"]))
    if beaten and not others:
        rest = listing([plain(gap["system"]) for gap in beaten])
        return Finding(title=f"{name} foresaw more than {rest}", sentence=sentence)
    if beaten:
        return Finding(
            title=f"{name} foresaw more than {listing([plain(gap['system']) for gap in beaten])},"
            f" and may not be ahead of {listing([plain(gap['system']) for gap in others])}",
            sentence=sentence,
        )
    return Finding(
        title=f"No forecaster can be told ahead by {METRICS[metric].lower()}"
        if metric != "mrr"
        else "No forecaster can be told ahead by MRR",
        sentence=sentence,
    )
