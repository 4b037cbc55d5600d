"""The parts that pages are made of. A page asks for a result, draws with these, and explains.

``page(title, sentence)``     the finding as the title, one sentence with its numbers
``notices(view, score)``      what bears on the conclusions: simulated, θ of another encoder, …
``score_or_stop(view)``       the view's score, or a clear message and the end of the page
``cards([...])``              a row of figures with one quiet line beneath each
``chart(chart, key=)``        a figure with its alt text, how to read it, and its data as CSV
``table(frame, key=, alt=)``  a table with the house's column names, and its CSV
``link(page, label, **query)`` to another page, the settings kept
``theme()``                   light or dark colours, to be handed to a chart function
``nothing(reason)``           in place of an empty chart
Foreign text goes through ``prose.plain`` wherever Markdown is read, or ``st.text``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.config import PAPER_ENCODER
from core.errors import ForeseenError
from core.hindsight.results import Caution, Score
from core.ingest.tabular import to_csv
from dashboard import cached, navigation, state
from dashboard.charts.theme import DARK, LIGHT, Chart, Theme
from dashboard.columns import column_config
from dashboard.findings import Card
from dashboard.prose import count, number, plain, sentence

PLOTLY_CONFIG = {"displayModeBar": False, "responsive": True}
SIMULATED = "Simulated study: its papers and citations are invented."


def theme() -> Theme:
    """The colours of the browser's present theme."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def page(title: str, text: str = "") -> None:
    """The page's head. Both may hold Markdown: foreign names in them go through ``plain``."""
    st.title(title, anchor=False)
    if text:
        st.markdown(text)


def simulated_banner(view: state.View) -> None:
    """Says on every page that a simulated study is invented."""
    if view.study.config.simulated:
        st.info(SIMULATED, icon=":material/science:")


def notices(view: state.View, score: Score) -> None:
    """The score's cautions: the first in full, the others folded; one click mends a foreign θ."""
    cautions = [c for c in score.cautions if c.code != "simulated"]
    if not cautions:
        return
    first, rest = cautions[0], cautions[1:]
    st.warning(sentence(plain(first.message)), icon=":material/warning:")
    _mend(view, first)
    if rest:
        with st.expander(f"{count(len(rest), 'more caution')} on these numbers"):
            for caution in rest:
                st.markdown(f"- {sentence(plain(caution.message))}")
                _mend(view, caution)


def _mend(view: state.View, caution: Caution) -> None:
    if caution.code != "paper_theta_other_encoder":
        return
    suggested = suggested_theta(view)
    if suggested is not None:
        use_theta(suggested, key="use_suggested_theta", now=view.settings.theta)


def use_theta(theta: float, *, key: str, now: float) -> None:
    """A button that moves θ, where it is not there already."""
    st.button(
        f"Use θ = {number(theta)}",
        key=key,
        icon=":material/my_location:",
        on_click=state.assign,
        args=({"theta": theta},),
        disabled=abs(theta - now) < 0.0005,
    )


def suggested_theta(view: state.View) -> float | None:
    """The θ that calibration suggests, where it can be told."""
    try:
        suggested = cached.calibration(view).suggested_theta
    except ForeseenError:
        return None
    return suggested


def score_or_stop(view: state.View) -> Score:
    """The view's score. Where it cannot be computed the page says why and ends."""
    if view.study.candidates is None:
        page("This study has not been matched yet")
        st.markdown("Its ideas and papers are read, but no search has paired them. Run:")
        st.code(f"foreseen match {view.study.folder}", language="bash", wrap_lines=True)
        st.markdown("This page shows the pairs as soon as they are there.")
        link("bring", "Match it on the page", icon=":material/upload_file:", bring_part="Matching")
        link("data", "See what is loaded", icon=":material/database:")
        st.stop()
    if view.study.ideas.empty:
        page("This study holds no ideas yet")
        st.code(
            f"foreseen import ideas FILE --into {view.study.folder}",
            language="bash",
            wrap_lines=True,
        )
        link("bring", "Bring them on the page", icon=":material/upload_file:", bring_part="Tables")
        st.stop()
    return cached.score(view)


def draws_told(view: state.View) -> None:
    """Says on a page of many intervals that they take fewer draws than the settings name."""
    few = cached.few_draws(view.settings).draws
    if few < view.settings.draws:
        st.caption(
            f"This page takes many intervals at once, so each rests on {few:,} of the settings'"
            f" {view.settings.draws:,} draws; commands and notebooks take them all."
        )


def choose_pair(view: state.View, pair: tuple[str, str] | None) -> tuple[str, str] | None:
    """The two systems that a page compares: ``pair``, or the user's choice among several."""
    systems = view.systems
    if pair is None or len(systems) < 3:
        return pair
    options = {f"{a} / {b}": (a, b) for a, b in combinations(systems, 2)}
    own = next(name for name, both in options.items() if set(both) == set(pair))
    chosen = st.selectbox(
        "Compare", list(options), index=list(options).index(own), key="pair", **state.BOUND
    )
    return options.get(chosen, pair)


def cards(items: Sequence[Card]) -> None:
    """A row of cards of one height; they wrap on a narrow screen."""
    columns = st.columns(len(items))
    for column, card in zip(columns, items, strict=True):
        with column.container(border=True, height="stretch"):
            st.metric(card.label, card.value, help=card.help)
            if card.beneath:
                st.caption(card.beneath)


def chart(
    chart: Chart,
    *,
    key: str,
    title: str = "",
    on_select: Any = "ignore",
    selection_mode: Any = "points",
) -> Any:
    """Draw a chart with its title, how to read it, and its data to download.

    Returns the selection where ``on_select`` is not "ignore": read it by item,
    ``event["selection"]["points"][0]["customdata"]``.
    """
    data = len(chart.data.columns) > 0
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(title, anchor=False, width="stretch") if title else st.space("stretch")
        if data:
            csv_button(chart.data, name=key, key=f"{key}_csv")
    event = st.plotly_chart(
        chart.figure,
        key=key,
        alt=chart.alt,
        on_select=on_select,
        selection_mode=selection_mode,
        config=PLOTLY_CONFIG,
    )
    if chart.caption:
        st.caption(chart.caption)
    return event


def csv_button(frame: pd.DataFrame, *, name: str, key: str, label: str = "CSV") -> None:
    """A button that saves a frame as CSV, safe to open in a spreadsheet."""
    st.download_button(
        label,
        data=lambda: to_csv(frame).encode("utf-8"),
        file_name=f"{name}.csv",
        mime="text/csv",
        key=key,
        icon=":material/download:",
        on_click="ignore",
        help="The numbers drawn, as CSV",
        type="tertiary",
    )


def table(
    frame: pd.DataFrame,
    *,
    key: str,
    alt: str,
    csv: bool = True,
    columns: Mapping[str, Any] | None = None,
    **more: Any,
) -> Any:
    """A table with the house's column names; ``more`` goes to ``st.dataframe``."""
    event = st.dataframe(
        frame,
        key=key,
        alt=alt,
        hide_index=True,
        column_config={**column_config(frame.columns), **(columns or {})},
        **more,
    )
    if csv:
        csv_button(frame, name=key, key=f"{key}_csv")
    return event


def link(name: str, label: str, *, icon: str | None = None, **query: str) -> None:
    """A link to another page; the settings stay as they are, ``query`` is put in the address."""
    st.page_link(
        navigation.page(name),
        label=label,
        icon=icon,
        query_params={key: value for key, value in query.items() if value} or None,
    )


def nothing(reason: str) -> None:
    """In place of a chart that would be empty: why there is none."""
    st.info(reason, icon=":material/info:")


def failed(error: ForeseenError, folder: Path | None = None) -> None:
    """A study or a request that cannot be read: what is wrong and what to do."""
    page("This study cannot be read as it is")
    for line in str(error).splitlines():
        st.markdown(f"- {plain(line)}")
    if folder is not None:
        st.markdown("Every problem, by file, row and column:")
        st.code(f"foreseen check {folder}", language="bash", wrap_lines=True)
    st.caption(
        "The page reads the files again at the next click. Choose another study in the sidebar"
        " where several are open."
    )


def encoder_text(name: str) -> str:
    """The encoder's name, with a word where it is the paper's own."""
    return f"{name} (the paper's own)" if name == PAPER_ENCODER else name
