"""Methods: what each number means, where it comes from, and what holds in this view."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.glossary import GLOSSARY
from core.hindsight.quantities import QUANTITIES, default_text, setting_texts
from core.published import HINDSIGHT_PAPER, SETTING, beside
from dashboard import components, state
from dashboard.beside_text import TABLES, beside_sentence, beside_table
from dashboard.prose import count, plain

view = state.current()
settings, config = view.settings, view.study.config
moved = settings.changed(view.base)
components.page(
    "What each number means, and where it comes from",
    f"{count(len(QUANTITIES), 'quantity', 'quantities')} with formula, range, source and limits, in"
    " the words of the code that computes them;"
    + (f" **{count(len(moved), 'setting')}** moved from the study's own." if moved else "")
    + ("" if moved else " all settings are the study's own."),
)
if config.simulated:
    st.markdown(
        "**What is simulated here:** ideas, papers, venues, citations, dates and judges' marks are"
        " all invented from a seed, with a planted truth. The encoder, the search and every number"
        " computed from them are real. Nothing here says anything about real systems."
    )

st.subheader("Quantities", anchor=False)
for group in dict.fromkeys(quantity.group for quantity in QUANTITIES):
    st.markdown(f"**{group}**")
    for quantity in QUANTITIES:
        if quantity.group != group:
            continue
        with st.expander(quantity.name, key=f"quantity_{quantity.name}", on_change="rerun") as fold:
            if not fold.open:
                continue
            st.latex(quantity.formula)
            st.markdown(quantity.text)
            st.markdown(f"**Range.** {quantity.range}")
            if quantity.limits:
                st.markdown(f"**Limits.** {quantity.limits}")
            for item in setting_texts(quantity.settings) if quantity.settings else ():
                now = default_text(getattr(settings, item.name))
                st.markdown(
                    f"`{item.name}` {item.description}. Now **{plain(now)}**; default"
                    f" {plain(default_text(item.default))}; allowed: {plain(item.allowed)}."
                )
            st.caption(f"Source: {quantity.source}")

st.subheader("The paper's numbers beside this study's", anchor=False)
st.markdown(
    f"**This study is not theirs.** {HINDSIGHT_PAPER}: {SETTING}. Another pool, encoder, judge or"
    " θ gives other numbers; agreement or disagreement alone proves nothing."
)
if view.study.candidates is None or view.study.ideas.empty:
    components.nothing("This study has no scores yet, so there is nothing to set beside them.")
else:
    score = components.score_or_stop(view)
    found = beside(score)
    st.markdown(plain(beside_sentence(found)))
    for name, title in TABLES.items():
        st.caption(f"{HINDSIGHT_PAPER}, {name}: {title}")
        components.table(
            beside_table(found, name),
            key=f"beside_{name[-1]}",
            alt=f"{title}: the paper's beside this study's",
            csv=False,
        )
    st.caption(
        "The paper's p in Table 2 is uncorrected, and so is the study's here; the Overview"
        " corrects for many tests. Both have n = 100 ideas a system in the paper; here"
        f" n = {', '.join(f'{row.n:,} ({plain(row.system)})' for row in score.systems)}."
    )
    components.csv_button(found.rows, name="published", key="published_csv")

st.subheader("Settings in force", anchor=False)
st.markdown(
    f"Encoder **{plain(components.encoder_text(config.encoder))}**, cutoff {config.cutoff},"
    f" window to {config.window_end()} ({config.horizon_months} months), preset {config.preset}."
    f" Study digest `{view.study.digest}`, settings digest `{settings.digest}`."
)
in_force = pd.DataFrame(
    [
        {
            "setting": item.name,
            "now": default_text(getattr(settings, item.name)),
            "study": default_text(getattr(view.base, item.name)),
            "default": default_text(item.default),
            "allowed": item.allowed,
            "meaning": item.description,
        }
        for item in setting_texts()
    ]
)
components.table(
    in_force,
    key="settings_in_force",
    alt="Every setting with its value now, the study's own, the default and what is allowed",
    columns={
        "setting": st.column_config.TextColumn("Setting", pinned=True),
        "now": st.column_config.TextColumn("Now"),
        "study": st.column_config.TextColumn("Study's own"),
        "default": st.column_config.TextColumn("Default"),
        "allowed": st.column_config.TextColumn("Allowed"),
        "meaning": st.column_config.TextColumn("Meaning"),
    },
)

st.subheader("Words", anchor=False)
with st.expander(f"{count(len(GLOSSARY), 'word')} and what they mean here", key="words"):
    st.markdown("\n".join(f"- **{word}**: {meaning}" for word, meaning in GLOSSARY.items()))
