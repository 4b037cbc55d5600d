"""What a study still lacks before forecasts can be scored, and the command that mends it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dashboard import components, sidebar
from dashboard.prose import count
from dashboard.state import View


def forecasts_or_stop(view: View) -> View:
    """The view, where its study has forecasts, candidates and verdicts; else the page ends."""
    study = view.study
    forecasts = int(study.ideas["rank"].notna().sum())
    if not forecasts:
        components.page(
            "This study holds no forecasts",
            "A forecast is an idea with a rank: several ranked ones of a system for a topic and a"
            " cutoff make an episode (IdeaForecastBench). To bring yours, with the columns system,"
            " topic, cutoff and rank:",
        )
        st.code(
            f"foreseen import ideas FILE --into {study.folder}", language="bash", wrap_lines=True
        )
        _bundled()
        st.stop()
    if study.candidates is None:
        components.page(
            f"{count(forecasts, 'forecast')} wait for their candidates",
            "No search has paired them with the papers of their target windows. Run:",
        )
        st.code(f"foreseen match {study.folder}", language="bash", wrap_lines=True)
        st.stop()
    if study.verdicts.empty:
        components.page(
            f"{count(forecasts, 'forecast')} wait for a judge",
            f"Their candidates are stored, but no judge has graded the first {view.settings.r} of"
            " each. Run:",
        )
        st.code(
            f"foreseen judge verdicts {study.folder} --model M", language="bash", wrap_lines=True
        )
        st.markdown("or bring verdicts that you have:")
        st.code(
            f"foreseen import verdicts FILE --into {study.folder}", language="bash", wrap_lines=True
        )
        _bundled()
        st.stop()
    return view


def _bundled() -> None:
    """The way to the bundled study of forecasts: a button where it is open, else the command."""
    st.markdown("To see the page at work, look at the bundled study of forecasts:")
    folder = sidebar.DEMO_FORECASTS
    name = sidebar.name_of(folder)
    if name is None:
        st.code(f"foreseen open {_short(folder)}", language="bash", wrap_lines=True)
        return
    st.button(
        f"Open {name}",
        key="open_demo_forecasts",
        icon=":material/open_in_new:",
        on_click=sidebar.switch_to,
        args=(name,),
    )


def _short(folder: Path) -> Path:
    """The folder as it is named from where the command was started, if it lies below."""
    root = folder.parents[1]
    return folder.relative_to(root) if root == Path.cwd() else folder
