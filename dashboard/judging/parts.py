"""The parts of the page on judges: pictures of a pair, tables, repeats, the set as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from core.agreement.marks import DIMENSIONS
from dashboard import components, picking, state
from dashboard.charts.agreement import (
    agreement_rows,
    category_rows,
    confusion_chart,
    overall_rows,
    repeat_rows,
    states_rows,
    without_rows,
)
from dashboard.charts.judges import bland_altman_chart, repeats_chart, scatter_chart
from dashboard.judging import views
from dashboard.judging.findings import NO_MARK, NOBODY, ON_NAMES, UNITS
from dashboard.prose import percent, plain

if TYPE_CHECKING:
    from core.agreement import Agreement, OverallAgreement, PairAgreement, PairedMarks
    from dashboard.state import View

PLOTS = ("Mark against mark", "Bland–Altman")


def no_mark(view: View, found: Agreement) -> None:
    """The page of a study without any mark: whose replies all failed, or what to run."""
    if found.states_by:
        components.page(NO_MARK, "Every reply was refused, not readable or never came.")
        who_judged(view, found)
        st.markdown("Ask again for those that failed:")
        st.code(
            f"foreseen judge scores {view.study.folder} --model MODEL --retry-failed",
            language="bash",
            wrap_lines=True,
        )
        return
    components.page(NOBODY)
    st.markdown("Let a model judge, or bring marks that people or models gave:")
    st.code(
        f"foreseen judge scores {view.study.folder} --model MODEL --base-url URL\n"
        f"foreseen import scores FILE --into {view.study.folder}",
        language="bash",
        wrap_lines=True,
    )


def choose_pair(pairs: Sequence[PairAgreement]) -> PairAgreement | None:
    """The pair that is looked at: the only one, or the user's choice among several."""
    if len(pairs) < 2:
        return pairs[0] if pairs else None
    options = {f"{pair.judge_a} / {pair.judge_b}": pair for pair in pairs}
    picking.unknown_in_link("judge_pair", options)
    most = max(range(len(pairs)), key=lambda place: (pairs[place].n, -place))
    chosen = st.selectbox(
        "Judges", list(options), index=most, key="judge_pair", width=320, **state.BOUND
    )
    return options.get(chosen, pairs[most])


def choose_plot(pair: PairAgreement | None) -> str | None:
    """How two judges' marks are drawn as points; None where few categories make points useless."""
    if pair is None or not pair.n or pair.source != "scores":
        return None
    chosen: str = st.segmented_control(
        "Marks as points", PLOTS, default=PLOTS[0], required=True, key="judge_plot", **state.BOUND
    )
    return chosen


def pictures(
    view: View, pair: PairAgreement, marks: PairedMarks, plot: str | None, titles: Mapping[str, str]
) -> None:
    """The table of cells, and beside it the marks as points, which can be picked."""
    a, b, on = pair.judge_a, pair.judge_b, pair.on
    left, right = st.columns([5, 6], gap="medium")
    with left:
        components.chart(
            confusion_chart(views.confusion(view, a, b, on), components.theme()),
            key="confusion_chart",
            title="Who says what",
        )
    with right:
        if plot is None:
            _categories(pair)
            return
        ideas = view.study.ideas
        systems = dict(zip(ideas["idea_id"], ideas["system"], strict=True))
        draw = scatter_chart if plot == PLOTS[0] else bland_altman_chart
        key = "judges_scatter" if plot == PLOTS[0] else "judges_differences"
        event = components.chart(
            draw(marks, components.theme(), systems, titles),
            key=key,
            title="Who marks how high" if plot == PLOTS[0] else "How far their marks lie apart",
            on_select="rerun",
        )
        picked = picking.point(event, key)
        if picked:
            picking.choose(picked)


def _categories(pair: PairAgreement) -> None:
    st.subheader("How often each is said", anchor=False)
    components.table(
        category_rows(pair),
        key="category_table",
        alt=f"Share of each category with {pair.judge_a} and {pair.judge_b}, and agreement on it",
        columns={
            "category": st.column_config.TextColumn("Category"),
            "share_a": st.column_config.TextColumn(pair.judge_a, help="Its share with this judge"),
            "share_b": st.column_config.TextColumn(pair.judge_b, help="Its share with this judge"),
            "specific": st.column_config.TextColumn(
                "Agreement on it",
                help="Where one says it, how often the other does, 95 % interval",
            ),
        },
    )
    st.caption(
        f"n = {pair.n:,}. A rare category makes chance agreement high and κ low; agreement on each"
        " category tells whether they find the same ones."
    )


def agreement_table(found: Agreement, pairs: Sequence[PairAgreement]) -> None:
    """Never κ alone: raw agreement, shares, κ with interval, PABAK, AC1, n, worst case."""
    on = pairs[0].on
    positive = pairs[0].prevalence_of
    shares = "Most used mark" if positive is None else "Prevalence"
    meaning = {
        "gate": "Share that passes, by judge",
        None: "Each judge's most used category and its share",
    }.get(on if positive is not None else None, "Share of comparisons that the idea wins, by judge")
    weights = pairs[0].kappa_weights
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader("How far they agree", anchor=False, width="stretch")
        components.csv_button(found.to_frame(), name="agreement", key="agreement_csv")
    components.table(
        agreement_rows(pairs),
        key=f"agreement_table_{on}",
        alt=f"Agreement of each two judges on {ON_NAMES[on]}",
        csv=False,
        columns={
            "judges": st.column_config.TextColumn("Judges", pinned=True, width=190),
            "failures": st.column_config.TextColumn(
                "Failures", help="Left out, or each counted as the farthest disagreement"
            ),
            "left_out": st.column_config.NumberColumn(
                "Left out", help=f"{UNITS[pairs[0].source][1]} that only one of them marked"
            ),
            "agreement": st.column_config.TextColumn(
                "Same", help="Raw agreement: share on which both say the same, 95 % interval"
            ),
            "shares": st.column_config.TextColumn(shares, help=meaning),
            "kappa": st.column_config.TextColumn(
                "κ", help=f"Cohen's κ, {weights} weights, 95 % interval"
            ),
            "pabak": st.column_config.TextColumn(
                "PABAK", help="Prevalence- and bias-adjusted κ, unweighted"
            ),
            "ac1": st.column_config.TextColumn("AC1", help="Gwet's AC1; the CSV has its interval"),
            "undefined": st.column_config.TextColumn("Why κ is not defined"),
        },
    )
    st.caption(
        f"κ has {weights} weights over the whole scale; the other figures ask for the same mark."
        " κ falls where one mark is used for nearly all, PABAK and AC1 do not: read them together."
        " The CSV holds every dimension."
    )


def who_judged(view: View, found: Agreement) -> None:
    """Who judged what and how many failed."""
    rows = [*found.states_by]
    failed = sum(row.refused + row.parse_failed + row.call_failed for row in rows)
    total = failed + sum(row.ok for row in rows)
    judges = len({row.judge for row in rows})
    fold = st.expander(
        f"Who judged what: {judges} {'judge' if judges == 1 else 'judges'}, {total:,} replies,"
        f" {percent(failed / total) if total else 'none'} failed",
        key="who_judged",
        on_change="rerun",
    )
    if not fold.open:
        return
    with fold:
        components.table(
            states_rows(found, views.judge_models(view)),
            key="judge_states",
            alt="Replies of each judge by table and state",
            placeholder="–",
            columns={
                "table": st.column_config.TextColumn("Table"),
                "model": st.column_config.TextColumn("Model"),
                "ok": st.column_config.NumberColumn("Ok", format="localized"),
                "refused": st.column_config.NumberColumn("Refused", format="localized"),
                "parse_failed": st.column_config.NumberColumn("Not readable", format="localized"),
                "call_failed": st.column_config.NumberColumn("Call failed", format="localized"),
                "failed_share": st.column_config.NumberColumn("Failed", format="percent"),
            },
        )


def repeats(view: View, found: Agreement, on: str) -> None:
    """How far each judge repeats itself."""
    own = [row for row in found.repeats if row.dimension == on]
    if DIMENSIONS[on].table == "verdicts":
        components.nothing("Verdicts have no repeats: a judge grades each pair once.")
        return
    spread = views.repeat_spread(view, on)
    if not (spread.units["n"] > 1).any():
        one, _ = UNITS[DIMENSIONS[on].table]
        components.nothing(f"No judge marked any {one} twice, so nothing can be said of repeats.")
        return
    components.chart(
        repeats_chart(spread, components.theme()),
        key="repeats_chart",
        title="How far a judge's repeats lie apart",
    )
    components.table(
        repeat_rows(own),
        key="repeats_table",
        alt=f"Agreement of each judge with itself on {ON_NAMES[on]}",
        columns={
            "repeats": st.column_config.NumberColumn("Repeats", help="Most of any unit"),
            "icc": st.column_config.TextColumn("ICC(1)", help="One repeat, 95 % interval"),
            "sd": st.column_config.TextColumn("sd", help="Pooled, in marks"),
            "same": st.column_config.TextColumn("Same", help="Share of equal pairs of repeats"),
        },
    )


def together(view: View, found: OverallAgreement) -> None:
    """All judges at once, and the set without each."""
    if len(found.judges) < 2:
        components.nothing("One judge alone makes no set.")
        return
    st.caption(
        f"{', '.join(plain(judge) for judge in found.judges)}: {found.n:,} marked by two or more,"
        f" {found.n_complete:,} by all. In the worst case each failed mark stands at the far end of"
        " the scale."
    )
    components.table(
        overall_rows(found),
        key="overall_table",
        alt="Agreement of all judges together",
        columns={
            "coefficient": st.column_config.TextColumn("Coefficient", pinned=True),
            "value": st.column_config.TextColumn("Value", help="Failures left out, 95 % interval"),
            "worst": st.column_config.TextColumn("Worst case", help="Failures at the far end"),
        },
    )
    if len(found.judges) > 2 and found.on is not None:
        st.markdown("**Each judge against the others**")
        components.table(
            without_rows(views.without_judge(view, found.on)),
            key="without_table",
            alt="Each judge against the mean of the others",
            columns={
                "rho_others": st.column_config.TextColumn(
                    "ρ with the others", help="With the mean of the others, 95 % interval"
                ),
                "bias": st.column_config.TextColumn("Bias", help="Its marks less the others' mean"),
                "alpha_without": st.column_config.TextColumn(
                    "α without it", help="Ordinal α of the other judges"
                ),
            },
        )
