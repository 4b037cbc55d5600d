"""What the page on LigBench says first, written from the numbers. Pure."""

from __future__ import annotations

import pandas as pd

from core.config import ALL_JUDGES
from core.ligbench.contrasts import Contrasts
from core.ligbench.idea_games import IdeaGames
from core.ligbench.meeting import EVERY_SYSTEM, Meeting
from core.ligbench.rank import Rank
from dashboard.charts.ligbench import DIMENSION_NAMES, MODE_NAMES
from dashboard.findings import Finding, ideas_of, start
from dashboard.prose import count, fixed, interval, listing, p_value, plain

UNRATED = "No idea has been rated against reviewed papers yet"


def systems_finding(ranked: Rank, contrast: Contrasts) -> Finding:
    """Title: on what the systems can be told apart. Sentence: by how much, and how rated."""
    systems = sorted(ranked.systems["system"].unique())
    if not systems:
        return Finding(title=UNRATED, sentence="Comparisons are there, but none could be used.")
    rating = ranked.systems[ranked.systems["dimension"] == "rating"]
    if len(systems) == 2:
        return _two(ranked, contrast)
    if rating.empty:
        title = f"{count(len(systems), 'system')} rated against reviewed papers"
        return Finding(title=title, sentence=how(ranked))
    best = rating.sort_values(["mean", "system"], ascending=[False, True]).iloc[0]
    level = f"{fixed(float(best['mean']), 2)} of 5"
    if len(systems) == 1:
        title = f"{start(ideas_of(systems[0]))} reach {level} in rating against reviewed papers"
    else:
        title = f"{start(ideas_of(str(best['system'])))} lead {len(systems)} systems, at {level}"
    band = interval(best["low"], best["high"], decimals=2)
    told = f"Mean rating **{level}** (95 % interval {band}, {count(int(best['n']), 'idea')})."
    return Finding(title=title, sentence=f"{told} {how(ranked)}")


def _two(ranked: Rank, contrast: Contrasts) -> Finding:
    rows = contrast.frame.sort_values(
        "dimension", key=lambda names: names.map(list(DIMENSION_NAMES).index)
    )
    a, b = str(rows["a"].iloc[0]), str(rows["b"].iloc[0])
    apart = rows[rows["told_apart"].astype(bool)]
    ahead = {
        a: apart.loc[apart["difference"] > 0, "dimension"].tolist(),
        b: apart.loc[apart["difference"] < 0, "dimension"].tolist(),
    }
    leaders = [name for name in (a, b) if ahead[name]]
    if not leaders:
        title = f"Reviewed papers do not tell {plain(a)} from {ideas_of(b)}"
    elif len(leaders) == 2:
        one, other = (f"{ideas_of(name)} on {listing(ahead[name])}" for name in leaders)
        title = f"{start(one.replace(' on ', ' lead on ', 1))}, {other}"
    else:
        other = b if leaders[0] == a else a
        title = (
            f"Beside reviewed papers, {ideas_of(leaders[0])} beat {plain(other)} on"
            f" {listing(ahead[leaders[0]])}"
        )
    told = [
        f"{row.dimension} **{fixed(row.mean_a, 2)}** against **{fixed(row.mean_b, 2)}**"
        f" (difference {fixed(row.difference, 2)}, 95 % interval"
        f" {interval(row.low, row.high, decimals=2)})"
        for row in (apart if len(apart) else rows.iloc[:1]).itertuples()
    ]
    same = [str(name) for name in rows["dimension"] if name not in set(apart["dimension"])]
    sizes = f"n = {rows['n_a'].max():,} and {rows['n_b'].max():,}"
    parts = [f"{start(plain(a))} against {plain(b)}: {listing(told)}, {sizes}."]
    if same and len(apart):
        parts.append(f"On {listing(same)} the interval of the difference holds 0.")
    sentence = " ".join([*parts, how(ranked)])
    return Finding(title=title, sentence=sentence)


def how(ranked: Rank) -> str:
    """The mode, always named beside the number, with orders and judge."""
    judge = "all judges" if ranked.judge == ALL_JUDGES else f"judge {plain(ranked.judge)}"
    return (
        f"Elo in {MODE_NAMES[ranked.elo_mode]} mode, mean over"
        f" {count(ranked.settings.orders, 'order')}, {judge}."
    )


def idea_sentence(found: IdeaGames) -> str:
    """One idea's ratings by every method, and how much of the start is left."""
    parts = []
    for mode, run in found.runs.items():
        low, high = run.interval
        parts.append(
            f"{MODE_NAMES[mode]} Elo **{fixed(run.mean, 2)}** (95 % of orders"
            f" {interval(low, high, decimals=2)})"
        )
    fit = found.fit
    if fit.value is not None:
        held = f", held by the prior: it {fit.one_sided}" if fit.one_sided else ""
        parts.append(
            f"Bradley–Terry **{fixed(fit.value, 2)}** (95 % interval"
            f" {interval(fit.low, fit.high, decimals=2)}{held})"
        )
    first = "its start" if found.start_known else "no first mark is known, so it starts at"
    joined = listing(parts)
    return (
        f"{start(joined)} after {count(len(found.games), 'game')}; {first} {fixed(found.start, 2)}."
    )


def meeting_sentence(found: Meeting, measure: str) -> str:
    """ρ of HindSight with one measure, over all ideas and within each system."""
    rows = found.correlations[found.correlations["measure"] == measure]
    parts = []
    for row in rows.itertuples():
        name = "all ideas" if row.system == EVERY_SYSTEM else plain(row.system)
        if row.rho is None or pd.isna(row.rho):
            parts.append(f"{name}: not defined ({plain(row.undefined)})")
            continue
        parts.append(
            f"{name}: ρ = **{fixed(row.rho, 2)}** (95 % interval"
            f" {interval(row.low, row.high, decimals=2)}, {p_value(row.p)}, n = {row.n:,})"
        )
    return f"Rank correlation with HindSight. {start('; '.join(parts))}."


def meeting_title(found: Meeting, measure: str) -> str:
    """Whether ideas that are rated high score well later, by the interval of ρ over all ideas."""
    row = found.correlations[found.correlations["measure"] == measure].iloc[0]
    low, high = row["low"], row["high"]
    if low is None or pd.isna(low):
        return f"Do ideas of high {measure} score well in hindsight?"
    if low > 0:
        return f"Ideas of higher {measure} score higher in hindsight"
    if high < 0:
        return f"Ideas of higher {measure} score lower in hindsight"
    return f"{start(measure)} does not tell which ideas score well in hindsight"
