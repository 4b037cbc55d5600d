"""The form that makes a new study: where, what it is called, its cutoff and window."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import streamlit as st

from core.config import PRESET_HORIZONS, PRESETS, PresetName, StudyConfig, window_end
from core.errors import ForeseenError
from core.matching.encoders import BUILT_IN
from core.study import Study
from dashboard import components, sidebar
from dashboard.bring import places as upload_places
from dashboard.prose import plain

_MADE = "_bring_made"
_ERROR = "_bring_make_error"
_FIRST_DAY = date(1990, 1, 1)


def draw() -> None:
    """The form, live checks of what it says, and why the last one could not be made."""
    error = st.session_state.pop(_ERROR, None)
    if error:
        st.error(plain(error), icon=":material/block:")
    places = upload_places.bases()
    if not places:
        components.nothing(
            "The command was started in the folder of the bundled studies, where nothing is"
            " written. Start `foreseen open` in a folder of yours."
        )
        return
    base: Path = st.selectbox(
        "In the folder",
        places,
        key="bring_base",
        disabled=len(places) == 1,
        help="The folders that hold your opened studies, and the one the command was started in",
    )
    name = st.text_input(
        "Name of the study and its folder", key="bring_name", placeholder="my-study", max_chars=80
    )
    left, right = st.columns(2)
    cutoff = left.date_input(
        "Cutoff",
        value=None,
        min_value=_FIRST_DAY,
        format="YYYY-MM-DD",
        key="bring_cutoff",
        help="Ideas know nothing after this day",
    )
    preset = right.selectbox(
        "Preset", list(PRESETS), key="bring_preset", help="Whose settings to start from"
    )
    horizon = left.number_input(
        "Horizon in months",
        1,
        600,
        value=PRESET_HORIZONS[preset],
        key=f"bring_horizon_{preset}",
        help="Months of papers after the cutoff that count as the future",
    )
    encoder = right.selectbox(
        "Encoder",
        list(BUILT_IN),
        key="bring_encoder",
        accept_new_options=True,
        help="minilm is on this machine; others are fetched when first used. A model's folder or"
        " name can be typed.",
    )
    problem = _problem(base, name, cutoff, horizon, encoder)
    if problem:
        st.caption(plain(problem))
    elif cutoff is not None:
        end = window_end(cutoff, int(horizon))
        st.markdown(
            f"Makes **{plain(base / name.strip())}**. Its window runs from the day after {cutoff}"
            f" to {end}."
        )
    st.button(
        "Make this study",
        key="bring_make",
        type="primary",
        icon=":material/create_new_folder:",
        disabled=bool(problem),
        on_click=_make,
        args=(base, name, cutoff, int(horizon), encoder, preset),
    )


def read_only(study: Study, reason: str) -> None:
    """Why nothing can be brought into this study, and how to have one's own."""
    components.nothing(f"{plain(reason)} Make a new study, or work on a copy of this one:")
    st.code(
        f"cp -r '{study.folder}' my-study\nforeseen open my-study", language="bash", wrap_lines=True
    )


def _problem(base: Path, name: str, cutoff: object, horizon: int, encoder: str | None) -> str:
    try:
        upload_places.new_folder(base, name)
        if not isinstance(cutoff, date):
            return "Choose the cutoff: the last day that the ideas may know."
        StudyConfig.of(
            name=name.strip(), cutoff=cutoff, horizon_months=int(horizon), encoder=encoder or ""
        )
        window_end(cutoff, int(horizon))
    except ForeseenError as error:
        return str(error)
    except ValueError:
        return "The window would end after the year 9999. Choose an earlier cutoff."
    return ""


def _make(
    base: Path, name: str, cutoff: date, horizon: int, encoder: str, preset: PresetName
) -> None:
    """Callback: the study is made now, or the page says why not."""
    try:
        study = upload_places.create(
            base,
            name,
            cutoff=cutoff,
            horizon=horizon,
            encoder=encoder,
            preset=preset,
        )
    except (ForeseenError, OSError) as error:
        st.session_state[_ERROR] = str(error)
        return
    st.session_state["bring_name"] = ""
    listed = sidebar.name_of(study.folder) if study.folder else None
    if listed is None:
        return
    # What is brought next is meant for the new study, so it is the open one from here on.
    sidebar.switch_to(listed)
    st.session_state["bring_part"] = "Tables"
    st.session_state[_MADE] = study.folder


def told(study: Study) -> None:
    """That the open study was made just now."""
    if st.session_state.get(_MADE) == study.folder and study.folder is not None:
        st.success(
            f"Made {plain(study.folder)}, which is open now. Bring its ideas first.",
            icon=":material/check:",
        )
    st.session_state.pop(_MADE, None)
