"""Judges: how far can they be trusted, and where do they disagree?"""

from __future__ import annotations

import streamlit as st

from core.agreement.marks import DIMENSIONS
from dashboard import components, picking, state
from dashboard.judging import biases as judging_biases
from dashboard.judging import disputes as judging_disputes
from dashboard.judging import marking as judging_marking
from dashboard.judging import parts, views
from dashboard.judging.findings import (
    judges_sentence,
    judges_title,
    left_out_sentence,
    one_order_sentence,
    overall_on,
    pairs_on,
)

view = state.current()
found = views.agreement(view)
titles = dict(zip(view.study.ideas["idea_id"], view.study.ideas["title"].fillna(""), strict=True))
dimensions = [each.on for each in found.overall_by if each.on is not None]
if not dimensions:
    parts.no_mark(view, found)
    st.stop()

head = st.container()
picking.unknown_in_link("on", dimensions)
with st.container(horizontal=True, vertical_alignment="bottom"):
    first = next((place for place, name in enumerate(dimensions) if pairs_on(found, name)), 0)
    on = st.selectbox("Compare", dimensions, first, key="on", width=200, **state.BOUND)
    pairs = pairs_on(found, on)
    pair = parts.choose_pair(pairs)
    plot = parts.choose_plot(pair)
marks = views.paired_marks(view, pair.judge_a, pair.judge_b, on) if pair else None
with head:
    components.page(judges_title(found, on), judges_sentence(found, on, pair, marks))

if pair and marks and pair.n:
    parts.pictures(view, pair, marks, plot, titles)
if pairs:
    chosen_first = sorted(pairs, key=lambda each: each is not pair)
    parts.agreement_table(found, chosen_first)
    if pair is not None:
        st.caption(left_out_sentence(pair) + one_order_sentence(found, on))
components.draws_told(view)
parts.who_judged(view, found)

disputes, marking, repeats, biases, together = st.tabs(
    ["Disputes", "Mark", "Repeats", "Biases", "Together"],
    key="judges_part",
    on_change="rerun",
    bind=state.BIND,
)
if disputes.open:
    with disputes:
        if pair is None or not pair.n:
            components.nothing("It takes marks of two judges on one idea to differ.")
        else:
            judging_disputes.draw(view, on, (pair.judge_a, pair.judge_b), titles)
if marking.open:
    with marking:
        judging_marking.draw(view, on, titles)
if repeats.open:
    with repeats:
        parts.repeats(view, found, on)
if biases.open:
    with biases:
        judging_biases.draw(view, on, DIMENSIONS[on].table, titles)
if together.open:
    with together:
        parts.together(view, overall_on(found, on))
