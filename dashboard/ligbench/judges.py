"""The LigBench page on its judges: position bias, accuracy, decisions, sources, people."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pandas as pd
import streamlit as st

from core.errors import ForeseenError
from core.ligbench.published import ACCEPTED_REJECTED, PAIR_ACCURACY, PAPER
from dashboard import components, state
from dashboard.charts.ligbench_references import judges_chart
from dashboard.ligbench import results
from dashboard.ligbench.parts import without_empty
from dashboard.prose import plain
from dashboard.state import View

_MARKS = "marks"
Result = TypeVar("Result")


def draw(view: View) -> None:
    """Flip rates, accuracy on pairs of references, accepted against rejected, one source."""
    left, right = st.columns(2, gap="medium")
    with left:
        _flips(view)
    with right:
        held = results.accuracy(view).frame
        _accuracy(held)
    if not held.empty:
        components.table(
            without_empty(held), key="lig_pairs", alt="Accuracy of each judge on pairs of papers"
        )
        st.caption(
            "Dotted: chance. A tie counts one half; pairs of equal truth are left out and counted."
            " The gap is the mean difference of debiased scores."
        )
    st.subheader("Are accepted papers rated above rejected ones?", anchor=False)
    decided = _or_told(lambda: results.by_decision(view))
    if decided is not None:
        components.table(
            without_empty(decided.frame),
            key="lig_decided",
            alt="Mean scores of accepted and of rejected references",
        )
    if not view.study.comparisons.empty:
        _sources(view)
        _experts(view)
    fold = st.expander("What the paper prints", key="lig_printed", on_change="rerun")
    if fold.open:
        with fold:
            _printed()


def _flips(view: View) -> None:
    rates = results.flips(view)
    if rates["rate"].notna().any():
        components.chart(
            judges_chart(rates, "rate", "Choices that turn with the order", components.theme()),
            key="lig_flips",
            title="How often does the order decide?",
        )
    else:
        components.nothing("No pair was judged in both orders, so position bias is unknown.")


def _accuracy(held: pd.DataFrame) -> None:
    known = held[held["accuracy"].notna()]
    if known.empty:
        components.nothing(
            "No judge compared two references, or marked two, so its accuracy against reviewers"
            " is unknown."
        )
        return
    sources = sorted(known["source"].unique())
    source = sources[0]
    if len(sources) > 1:
        source = st.segmented_control(
            "By", sources, default=source, required=True, key="lig_source", **state.BOUND
        )
    components.chart(
        judges_chart(
            known[known["source"] == source],
            "accuracy",
            "Pairs judged as reviewers did",
            components.theme(),
            chance=0.5,
        ),
        key="lig_accuracy",
        title="Do judges name the better paper?",
    )
    if source == _MARKS:
        st.caption("From the marks that a judge gave to each of two papers.")


def _sources(view: View) -> None:
    fold = st.expander("One venue's references against all", key="lig_sources", on_change="rerun")
    if not fold.open:
        return
    with fold:
        found = _or_told(lambda: results.by_source(view))
        if found is not None:
            components.table(
                without_empty(found.frame),
                key="lig_source_table",
                alt="Mean rating from one venue's references beside that from all",
            )


def _experts(view: View) -> None:
    names = sorted(set(view.study.comparisons["judge"]))
    fold = st.expander("Agreement with people", key="lig_people", on_change="rerun")
    if not fold.open:
        return
    with fold:
        if len(names) < 2:
            components.nothing("One judge compared, so there is nobody to agree with.")
            return
        chosen = st.multiselect(
            "Which of these are people?", names, key="lig_experts", **state.BOUND
        )
        if not chosen:
            return
        found = _or_told(lambda: results.experts(view, tuple(sorted(chosen))))
        if found is not None:
            components.table(
                without_empty(found.frame),
                key="lig_expert_table",
                alt="Share of comparisons on which judges choose as people do",
            )


def _printed() -> None:
    """The paper's own numbers, which are facts of its data and no results of this study."""
    st.caption(f"{PAPER}: accuracy on pairs of papers (Table 2); means by decision (Table 5).")
    components.table(
        pd.DataFrame(PAIR_ACCURACY), key="lig_printed_pairs", alt="Printed accuracy of judges"
    )
    rows = [
        {"dimension": name, "accepted": accepted, "rejected": rejected}
        for name, (accepted, rejected) in ACCEPTED_REJECTED.items()
    ]
    components.table(pd.DataFrame(rows), key="lig_printed_decided", alt="Printed means by decision")


def _or_told(make: Callable[[], Result]) -> Result | None:
    """A result, or None where it cannot be had, and the page says why."""
    try:
        return make()
    except ForeseenError as error:
        components.nothing(plain(error))
        return None
