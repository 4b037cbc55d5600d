"""One episode read in full: which forecast was credited with which paper, and why not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import nearest
from core.forecast.episode_view import CandidateOutcome, EpisodeName, outcomes
from core.forecast.inspector import EpisodeView, ForecastView
from core.forecast.score import ForecastScore
from dashboard import components, state
from dashboard.charts.forecast_parts import OUTCOMES, candidates_chart
from dashboard.charts.theme import system_styles
from dashboard.forecast import views
from dashboard.inspector import long_text
from dashboard.prose import count, listing, plain, sentence, shorten

EPISODE = "episode"
_PARTS = ("system", "topic", "cutoff")
_KEY = "_episode_"
_TEXTS = ("problem", "rationale", "method")


def choose(text: str) -> None:
    """Put an episode in the address; a callback, or called before the episode is shown."""
    st.session_state[EPISODE] = text
    st.query_params[EPISODE] = text


def telling(score: ForecastScore, judge: str, names: Mapping[str, EpisodeName]) -> str:
    """The episode to show where none was chosen: the one with the most forecasts credited."""
    own = score.episodes[score.episodes["judge"] == judge].sort_values(
        ["precision_worst_case", "system", "topic", "cutoff"], ascending=[False, True, True, True]
    )
    best = own.iloc[0]
    wanted = (best["system"], best["topic"], best["cutoff"].date())
    return next(t for t, n in names.items() if (n.system, n.topic, n.cutoff) == wanted)


def chosen(names: Mapping[str, EpisodeName], first: str) -> str:
    """The episode that the address names, else the last one chosen, else ``first``.

    One that the study does not have is said on the page, unless it was chosen in another study.
    What is shown unasked stays until another is chosen.
    """
    asked, kept = st.query_params.get(EPISODE), st.session_state.get(EPISODE)
    named = asked or kept
    if named in names:
        choose(str(named))
        return str(named)
    if asked and asked == kept:
        del st.query_params[EPISODE], st.session_state[EPISODE]
    elif asked:
        said = nearest(asked, names) if len(names) <= 20 else f"It has {len(names):,} episodes."
        st.warning(
            f"This study has no episode '{plain(asked)}'. {plain(said)}",
            icon=":material/link_off:",
        )
    shown: str = st.session_state.get(_KEY + "shown", first)
    st.session_state[_KEY + "shown"] = shown if shown in names else first
    return str(st.session_state[_KEY + "shown"])


def draw(view: state.View, names: Mapping[str, EpisodeName], judge: str, first: str) -> None:
    """The choice of an episode, and the episode; ``first`` is shown where none was chosen."""
    text = chosen(names, first)
    _choice(names, text)
    found = views.episode(view, names[text])
    st.markdown(_head(found, judge))
    empty = f"; {count(found.empty_slots, 'empty slot')}, each a miss" if found.empty_slots else ""
    st.caption(
        f"History: {count(found.history, 'paper')} up to {found.cutoff}. Target:"
        f" {count(found.target, 'paper')} from the day after to {found.end}."
        f" {len(found.forecasts)} of {count(view.settings.slots, 'slot')} filled{empty}."
    )
    if not found.target:
        components.nothing("No paper lies in this episode's target pool, so nothing can be met.")
    if not found.forecasts:
        components.nothing(
            "The system was asked for this episode and gave no forecast: every slot is a miss."
        )
    by_rank = outcomes(found, judge)
    rows = view.study.ideas.set_index("idea_id")
    for forecast in found.forecasts:
        own = [each for each in by_rank if each.rank == forecast.rank]
        _forecast(view, found, forecast, own, judge, rows.loc[forecast.idea_id])


def _choice(names: Mapping[str, EpisodeName], text: str) -> None:
    """Three lists that offer what there is, and steps back and forth."""
    now = names[text]
    topics = {name.topic: None for name in names.values() if name.system == now.system}
    cutoffs = [
        name.cutoff
        for name in names.values()
        if (name.system, name.topic) == (now.system, now.topic)
    ]
    options: dict[str, list[Any]] = {
        "system": list({name.system: None for name in names.values()}),
        "topic": list(topics),
        "cutoff": cutoffs,
    }
    order = list(names)
    place = order.index(text)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for part in _PARTS:
            st.session_state[_KEY + part] = getattr(now, part)
            st.selectbox(
                part.capitalize(),
                options[part],
                format_func=lambda value: str(value) or "no topic",
                key=_KEY + part,
                width=200 if part != "topic" else 300,
                on_change=_moved,
                args=(names, now),
            )
        for label, icon, key, step in (
            ("Previous", ":material/arrow_back:", "previous_episode", -1),
            ("Next", ":material/arrow_forward:", "next_episode", 1),
        ):
            there = 0 <= place + step < len(order)
            st.button(
                label,
                icon=icon,
                key=key,
                disabled=not there,
                on_click=choose,
                args=(order[place + step] if there else "",),
            )


def _moved(names: Mapping[str, EpisodeName], now: EpisodeName) -> None:
    """Callback of a list: the episode that fits it best, in the order system, topic, cutoff."""
    wanted = [st.session_state[_KEY + part] for part in _PARTS]

    def fit(item: tuple[str, EpisodeName]) -> tuple[bool, ...]:
        return tuple(getattr(item[1], p) == w for p, w in zip(_PARTS, wanted, strict=True))

    del now
    choose(max(names.items(), key=fit)[0])


def _head(found: EpisodeView, judge: str) -> str:
    credited = [f for f in found.forecasts if f.credited[judge] is not None]
    name = f"**{plain(found.system)}** on **{plain(found.topic) or 'no topic'}**"
    if credited:
        first = min(f.rank for f in credited)
        return (
            f"{name}: under {plain(judge)}, {len(credited)} of"
            f" {count(len(found.forecasts), 'forecast')} credited, the first at rank {first}."
        )
    failed = any(
        candidate.grades[judge].state != "ok"
        for forecast in found.forecasts
        for candidate in forecast.candidates
    )
    more = " Some verdicts failed, so this is no certain miss." if failed else ""
    return f"{name}: under {plain(judge)}, no forecast credited.{more}"


def _forecast(
    view: state.View,
    episode: EpisodeView,
    forecast: ForecastView,
    found: list[CandidateOutcome],
    judge: str,
    row: pd.Series,
) -> None:
    paper = forecast.credited[judge]
    with st.container(border=True, key=f"forecast_{forecast.rank}"):
        if paper is not None:
            st.badge("Credited", color="green", icon=":material/check:")
        else:
            st.badge("Not credited", color="gray", icon=":material/remove:")
        st.markdown(f"**{forecast.rank}. {plain(forecast.title) or 'no title'}**")
        st.markdown(_why(episode, forecast, judge))
        fold = st.expander(
            f"Text and {count(len(forecast.candidates), 'candidate')}",
            expanded=forecast.rank == 1,
            key=f"forecast_fold_{forecast.rank}",
            on_change="rerun",
        )
        if not fold.open:
            return
        with fold:
            _texts(row, forecast.rank)
            if forecast.candidates:
                _candidates(view, episode, forecast, found, judge)
            components.link(
                "ideas",
                "Open it as an idea",
                icon=":material/open_in_new:",
                idea=forecast.idea_id,
            )


def _why(episode: EpisodeView, forecast: ForecastView, judge: str) -> str:
    """Why it was credited or not, the chosen judge first; judges of one reason stand together."""
    paper = forecast.credited[judge]
    title = next((f" *{plain(c.title)}*" for c in forecast.candidates if c.paper_id == paper), "")
    lines = [f"{sentence(plain(forecast.why[judge]))}.{title}"]
    others: dict[str, list[str]] = {}
    for name in episode.judges:
        if name != judge:
            others.setdefault(forecast.why[name], []).append(plain(name))
    for why, names in others.items():
        told = "the same" if why == forecast.why[judge] else plain(why)
        lines.append(f"{listing(names)}: {told}.")
    return "  \n".join(lines)


def _texts(row: pd.Series, rank: int) -> None:
    shown = False
    for name in _TEXTS:
        if isinstance(row[name], str):
            shown = True
            st.markdown(f"**{name.capitalize()}**")
            long_text(row[name], key=f"whole_{name}_{rank}")
    if row["key_terms"]:
        shown = True
        st.markdown(f"**Key terms:** {plain(', '.join(row['key_terms']))}")
    if not shown:
        st.caption("The forecast is its title alone.")


def _candidates(
    view: state.View,
    episode: EpisodeView,
    forecast: ForecastView,
    found: list[CandidateOutcome],
    judge: str,
) -> None:
    style = system_styles(view.systems)[episode.system]
    chart = candidates_chart(forecast, found, judge, style, components.theme())
    components.chart(chart, key=f"candidates_chart_{forecast.rank}")
    frame = candidates_table(forecast, found, judge, episode.judges)
    components.table(
        frame,
        key=f"episode_candidates_{forecast.rank}",
        alt=f"The candidates of the forecast of rank {forecast.rank}, the most similar first",
        columns={
            "Result": st.column_config.TextColumn("Result", width="small"),
            "title": st.column_config.TextColumn("Title", width="medium"),
            "Why": st.column_config.TextColumn("Why", width="medium"),
        },
    )


def candidates_table(
    forecast: ForecastView, found: list[CandidateOutcome], judge: str, judges: tuple[str, ...]
) -> pd.DataFrame:
    """One row a candidate: place, similarity, paper, what became of it, every judge's grades."""
    whys = {each.paper_id: each for each in found}
    rows = []
    for candidate in forecast.candidates:
        outcome = whys[candidate.paper_id]
        row: dict[str, Any] = {
            "rank": candidate.place,
            "similarity": candidate.similarity,
            "Result": OUTCOMES[outcome.outcome][0],
            "title": candidate.title,
            "Why": outcome.why,
        }
        for name in (judge, *(other for other in judges if other != judge)):
            grade = candidate.grades[name]
            marks = (grade.problem, grade.method, grade.specificity)
            told = f"P {marks[0]}, M {marks[1]}, S {marks[2]}" if None not in marks else grade.state
            row[f"Grades: {shorten(name, 24)}"] = told
            row[f"Reason: {shorten(name, 24)}"] = grade.reason or ""
        row |= {"published": candidate.published, "paper_id": candidate.paper_id}
        rows.append(row)
    return pd.DataFrame(rows)
