"""The parts of the page on forecasting below its charts: tables, topics, failures, judges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from core.forecast.episode_view import EpisodeName
from core.forecast.score import ForecastScore
from dashboard import cached, components, navigation, picking, state
from dashboard.charts.forecast import metric_name, systems_of
from dashboard.charts.forecast_parts import failures_chart, topics_chart, topics_table
from dashboard.charts.theme import system_styles
from dashboard.forecast import inspector, views
from dashboard.forecast.controls import Choices
from dashboard.prose import count, fixed, interval, listing, number, percent, plain, sentence

if TYPE_CHECKING:
    from core.agreement import PairAgreement

_WITH_INTERVAL = ("hit", "precision", "mrr", "soft")
_STATES = {
    "ok": "Graded",
    "refused": "Refused",
    "parse_failed": "Unreadable",
    "call_failed": "Call failed",
    "unjudged": "Not judged",
}
_ON = {"gate": "Gate", "problem": "Problem", "method": "Method", "specificity": "Specificity"}


def systems_table(view: state.View, score: ForecastScore, judge: str) -> None:
    """Every metric of every system under one judge, with intervals."""
    rows = systems_of(score, judge)
    slots = score.settings.slots
    shown = pd.DataFrame({"system": rows["system"], "n": rows["episodes"].astype(int)})
    for metric in _WITH_INTERVAL:
        ends = zip(rows[metric], rows[f"{metric}_low"], rows[f"{metric}_high"], strict=True)
        shown[metric_name(metric, slots)] = [
            fixed(value, 3)
            if value is None
            else f"{fixed(value, 3)} ({interval(low, high, decimals=2)})"
            for value, low, high in ends
        ]
    shown["Slots filled"] = [percent(value) for value in rows["fill_rate"]]
    reasons: dict[str, list[str]] = {}
    for name, title in (("coverage", "Coverage"), ("novelty", "Novelty")):
        if rows[name].notna().any():
            shown[title] = [fixed(value, 3) for value in rows[name]]
        else:
            reasons.setdefault(str(rows[f"{name}_unknown"].iloc[0]), []).append(title)
    components.table(
        shown, key="forecast_systems", alt=f"Metrics of every system under {judge}", csv=False
    )
    components.csv_button(rows, name="forecast_systems", key="forecast_systems_csv")
    told = [
        f"{listing(titles)}: {why.replace('STUDY', str(view.study.folder))}."
        for why, titles in reasons.items()
    ]
    st.caption(
        "95 % intervals in brackets. Coverage: share of the target pool's clusters that hold a"
        " credited paper. Novelty: 1 − the nearest paper of the history, never part of a score."
        f" {' '.join(told)}"
    )


def by_topic(score: ForecastScore, choices: Choices, names: Mapping[str, EpisodeName]) -> None:
    """The heat map, and a table whose row opens the first of its episodes."""
    judge, metric = choices.judge, choices.metric
    components.chart(topics_chart(score, judge, metric, components.theme()), key="topics_chart")
    frame = topics_table(score, judge, metric)
    st.caption("Pick a row to read its first episode below.")
    shown = pd.DataFrame(
        {
            "topic": frame["topic"],
            "system": frame["system"],
            metric_name(metric, score.settings.slots): [
                fixed(None if pd.isna(value) else value, 3) for value in frame["mean"]
            ],
            "n": frame["episodes"],
            "Left out": frame["left_out"],
        }
    )
    ids = [_first(names, row.system, row.topic) for row in frame.itertuples()]
    event = components.table(
        shown,
        key=f"topics_{picking.digest(ids)}",
        alt=f"Mean over cutoffs of {len(frame)} topics and systems",
        csv=False,
        on_select="rerun",
        selection_mode="single-row",
        height=260,
    )
    picked = picking.row(event, "topics", ids)
    if picked:
        inspector.choose(picked)


def _first(names: Mapping[str, EpisodeName], system: object, topic: object) -> str:
    return next(t for t, n in names.items() if (n.system, n.topic) == (system, topic))


def failures(score: ForecastScore, choices: Choices) -> None:
    """What failed verdicts, missing episodes and empty slots could change."""
    judge = choices.judge
    styles = system_styles(choices.view.systems)
    own = score.states[score.states["judge"] == judge].iloc[0].drop("judge")
    total, ok = int(own.sum()), int(own["ok"])
    rows = systems_of(score, judge)
    if ok == total:
        st.markdown(
            f"None of {plain(judge)}'s {count(total, 'verdict')} failed, so the three ways of"
            " counting give one number."
        )
    else:
        left = int(rows["left_out"].sum())
        st.markdown(
            f"**{total - ok:,}** of {plain(judge)}'s {count(total, 'verdict')} on the first"
            f" {score.settings.r} candidates failed or were never made; they touch"
            f" **{count(left, 'episode')}**, which are neither misses nor matches."
        )
        components.chart(
            failures_chart(score, judge, choices.metric, styles, components.theme()),
            key="failures_chart",
        )
        mend = "foreseen judge verdicts STUDY --model M"
        st.caption("To ask again for what failed or is missing:")
        st.code(
            mend.replace("STUDY", str(choices.view.study.folder)), language="bash", wrap_lines=True
        )
    st.markdown("**How verdicts ended**")
    states = score.states.rename(columns=_STATES)
    components.table(states, key="verdict_states", alt="States of verdicts by judge")
    if len(score.missing):
        st.markdown(
            f"**Missing episodes.** {count(len(score.missing), 'episode')} that another system"
            " has: comparisons are over the common ones."
        )
        shown = score.missing.assign(cutoff=pd.to_datetime(score.missing["cutoff"]).dt.date)
        components.table(
            shown,
            key="missing_episodes",
            alt="Episodes that a system lacks",
            columns={"cutoff": st.column_config.DateColumn("Cutoff")},
        )
    if score.surplus:
        st.caption(
            f"{count(score.surplus, 'forecast')} beyond slot {score.settings.slots} are not counted."
        )


def judges(view: state.View) -> None:
    """How far the judges of verdicts agree on the candidates that both graded."""
    pairs = views.agreement(view)
    if not pairs:
        components.nothing(
            "One judge alone has graded candidates. A second one shows how far the answer is the"
            " judge's own."
        )
        st.code(
            f"foreseen judge verdicts {view.study.folder} --model M",
            language="bash",
            wrap_lines=True,
        )
        return
    shown = pd.DataFrame(
        [
            {
                "On": _ON[pair.on],
                "judge": pair.judge_a,
                "Against": pair.judge_b,
                "n": pair.n,
                "Agreement": fixed(pair.agreement, 3),
                "κ": fixed(pair.kappa, 3),
                "κ, 95 %": interval(pair.kappa_low, pair.kappa_high, decimals=3),
                "AC1": fixed(pair.ac1, 3),
                "PABAK": fixed(pair.pabak, 3),
                "Passes": _share(pair.prevalence_a),
                "against": _share(pair.prevalence_b),
                "Agreement on passing": _value(pair.positive_agreement),
                "on not passing": _value(pair.negative_agreement),
                "undefined": sentence(pair.undefined or ""),
            }
            for pair in pairs
        ]
    )
    gate = next(pair for pair in pairs if pair.on == "gate")
    st.markdown(
        f"On the gate {plain(gate.judge_a)} and {plain(gate.judge_b)} agree on"
        f" **{percent(gate.agreement)}** of {count(gate.n, 'candidate')}; κ is"
        f" **{number(gate.kappa)}**. Few candidates pass ({percent(gate.prevalence_a)} and"
        f" {percent(gate.prevalence_b)}), which lowers κ and flatters raw agreement: read the rows"
        " together."
    )
    components.table(shown, key="verdict_agreement", alt="Agreement of judges on candidates")
    if gate.n:
        st.markdown("**Gate, candidate by candidate**")
        components.table(_two_by_two(gate), key="gate_table", alt="Both judges' gate", csv=False)
    st.caption(
        "Over all stored verdicts that both judges gave; κ of grades has quadratic weights."
        f" Intervals from {cached.few_draws(view.settings).draws:,} draws."
    )
    if "judges" in {info.name for info in navigation.infos()}:
        components.link("judges", "Everything on the judges", icon=":material/gavel:", on="gate")


def _two_by_two(pair: PairAgreement) -> pd.DataFrame:
    names = ("does not pass", "passes")
    return pd.DataFrame(
        [
            {
                pair.judge_a: names[row],
                **{f"{pair.judge_b} {names[c]}": pair.table[row][c] for c in (0, 1)},
            }
            for row in (0, 1)
        ]
    )


def _share(value: float | None) -> str:
    return "" if value is None else percent(value)


def _value(value: float | None) -> str:
    return "" if value is None else fixed(value, 3)
