"""The entry that Streamlit runs: sidebar, menu, and the page that was asked for."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.errors import ForeseenError
from dashboard import components, launch, navigation, sidebar, state

ICON = Path(__file__).with_name("icon.svg")

st.set_page_config(page_title="Foreseen", page_icon=str(ICON), layout="wide")

page = navigation.start()
try:
    view = sidebar.draw()
    state.set_view(view)
    components.simulated_banner(view)
    page.run()
except ForeseenError as error:
    components.failed(error)
finally:
    launch.first_page_drawn.set()
