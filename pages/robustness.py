"""Does the answer hang on a choice that could have been made otherwise?"""

import streamlit as st

from dashboard import cached, choices, components, state
from dashboard.charts.specifications import explained_chart, specification_chart
from dashboard.charts.theme import system_styles
from dashboard.charts.variants import ranks_chart, terms_chart
from dashboard.findings.robustness import (
    chance_sentence,
    ranks_title,
    robustness,
    shares_frame,
    venue_title,
)
from dashboard.findings.thresholds import pair_of
from dashboard.prose import count, plain

view = state.current()
score = components.score_or_stop(view)
styles, theme = system_styles(view.systems), components.theme()

curve = None
head = st.container()
pair = components.choose_pair(view, pair_of(score))
if pair is None:
    with head:
        components.page(
            "With one system there is no effect to vary",
            "The specification curve needs two systems. What the normalisers do is shown below.",
        )
else:
    above = st.container()
    with st.expander("Choices to cross", icon=":material/checklist:"):
        grid = choices.draw(cached.specification_options(view))
    n = choices.size(grid)
    problem = ""
    if n == 0:
        problem = "Tick at least one option of each choice."
    elif n > choices.LIMIT:
        problem = f"{count(n, 'specification')} are too many: untick some, to {choices.LIMIT:,}."
    if problem:
        with head:
            components.page("How many ways to compute the score?", problem)
    else:
        curve = cached.specifications(view, *pair, grid)
        finding = robustness(curve)
        with head:
            components.page(finding.title, finding.sentence)
            components.notices(view, score)
        with above:
            components.chart(
                specification_chart(curve, styles, theme),
                key="specifications",
                title="Every specification, by effect",
            )
        st.subheader("In how many does each conclusion hold?", anchor=False)
        components.table(
            shares_frame(curve),
            key="shares",
            alt="Share of specifications in which each conclusion holds",
        )

variants = cached.variants(view)
left, right = st.columns(2)
with left:
    if curve is not None and curve.explained["share"].notna().any():
        components.chart(
            explained_chart(curve, theme), key="explained", title="Which choice matters?"
        )
    else:
        components.nothing("No choice varies, or the effect is the same everywhere.")
with right:
    components.chart(ranks_chart(variants, theme), key="ranks", title=ranks_title(variants))
components.chart(
    terms_chart(variants, styles, theme),
    key="terms",
    title=venue_title(variants, view.settings.normalizer),
)

components.draws_told(view)

null = cached.null(view)
st.subheader("What would be scored by chance?", anchor=False)
if null.undefined:
    components.nothing(f"Not defined: {plain(null.undefined)}.")
else:
    st.markdown(chance_sentence(null))
    components.table(
        null.rows[["system", "n", "own", "swapped", "excess", "low", "high"]],
        key="chance",
        alt="Mean score against papers of the own topic and of other topics, by system",
    )
