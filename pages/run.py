"""Run: let a model judge, compare, grade or write ideas, with what it costs told first."""

from __future__ import annotations

import streamlit as st

from core.experiment import background
from dashboard import components, state
from dashboard.bring import places
from dashboard.prose import count, plain
from dashboard.run import form, watch

view = state.current()
study = view.study
components.page(
    "Let a model judge, compare, grade or write",
    f"On **{plain(study.config.name)}**: {count(len(study.ideas), 'idea')},"
    f" {count(len(study.scores), 'mark')}. Nothing is asked before you start it, and every call"
    " is kept with its reply.",
)
refused = places.read_only_reason(study.folder)
if refused or study.folder is None:
    components.nothing(plain(f"{refused} Open or make a study of your own to run a model on it."))
    components.link("bring", "Make a study", icon=":material/upload_file:")
    st.stop()

run = background.run_of(study.folder)
look = None if run is None else run.look()
if run is not None and look is not None and look.active:
    st.fragment(watch.watch, run_every=1.0)(run)
    st.stop()
if run is not None and look is not None:
    watch.ended(run, look)
    st.subheader("Another run", anchor=False)
step = form.draw(study)
if step is not None:
    watch.ask(study, study.folder, step)
