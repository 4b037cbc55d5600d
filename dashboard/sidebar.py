"""The sidebar: which study, and every setting that all pages share."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import streamlit as st

from core.config import (
    AGGREGATES,
    ALL_JUDGES,
    NORMALIZERS,
    PRESETS,
    TOP_VENUES,
    PresetName,
    Settings,
)
from core.errors import DataError, ForeseenError
from core.files import CONFIG_FILE
from core.study import Study
from dashboard import cached, state
from dashboard.prose import count, number, plain

STUDIES_VARIABLE = "FORESEEN_STUDIES"
DEMO = Path(__file__).resolve().parents[1] / "data" / "demo"
DEMO_FORECASTS = DEMO.with_name("demo-forecasts")
THETA_STEP = 0.001
_BOUNDS = "_theta_bounds"

NORMALIZER_MEANING = {
    "minmax": "min–max over the pool: the paper's own",
    "log": "min–max of log(1 + citations)",
    "percentile": "percentile within the pool",
    "monthly_percentile": "percentile within the month of publication",
    "rate": "min–max of citations per month",
    "winsor": "min–max, cut off at the 99th percentile",
}
AGGREGATE_MEANING = {
    "max": "the best match: the paper's own",
    "mean": "the mean over an idea's matches",
    "top1": "the most similar match",
    "sum": "the sum over an idea's matches",
}


def studies() -> list[Path]:
    """The folders that were asked for, else the bundled study."""
    given = os.environ.get(STUDIES_VARIABLE)
    return [Path(folder) for folder in json.loads(given)] if given else [DEMO]


def draw() -> state.View:
    """Draw the sidebar; the view that it describes comes back.

    Raises :class:`ForeseenError` where the chosen study cannot be read.
    """
    state.remember_link()
    with st.sidebar:
        names = _named(studies())
        study = _choose_study(names)
        preset = _choose_preset(study)
        base = state.base_settings(study, preset)
        judges = [ALL_JUDGES, *sorted(study.scores["judge"].unique())]
        choices: dict[str, list[str]] = {
            state.STUDY: [*names],
            state.PRESET: [*PRESETS],
            "judge": judges,
        }
        notices = state.link_notices(base, choices)
        _main_settings(study, base, judges)
        _more_settings(base)
        settings = state.chosen(base)
        _reset(study, settings)
    if notices:
        _show_notices(notices)
    return state.View(study=study, settings=settings, base=base)


def name_of(folder: Path) -> str | None:
    """The name under which a folder stands in the list of studies, None where it is not open."""
    named = {path.resolve(): name for name, path in _named(studies()).items()}
    return named.get(folder.resolve())


def switch_to(name: str) -> None:
    """Callback: another of the open studies, as if it had been chosen in the list."""
    if state.STUDY not in st.session_state:
        # The list appears with its second study, and a new widget leaves the address alone.
        st.query_params[state.STUDY] = name
    st.session_state[state.STUDY] = name
    _forget()


def _named(folders: list[Path]) -> dict[str, Path]:
    """Each study's own name, its folder's where it has none or two are alike."""
    named: dict[str, Path] = {}
    for folder in folders:
        try:
            written = (folder / CONFIG_FILE).stat().st_mtime_ns
            name = cached.read_config(folder, written).name
        except (ForeseenError, OSError):
            name = folder.name
        if name in named:
            name = f"{name} ({folder.name})"
        while name in named:
            name += "′"
        named[name] = folder
    return named


def _choose_study(names: dict[str, Path]) -> Study:
    chosen = next(iter(names))
    if len(names) > 1:
        chosen = st.selectbox(
            "Study", list(names), key=state.STUDY, on_change=_forget, **state.BOUND
        )
    folder = names.get(chosen, next(iter(names.values())))
    files = cached.signature(folder)
    if not any(name == CONFIG_FILE for name, _, _ in files):
        raise DataError(
            f"{folder}: this study is no longer there. Put the folder back, choose another study,"
            " or start again with `foreseen open`."
        )
    try:
        return cached.open_study(folder, files)
    except OSError as error:
        raise DataError(f"{folder}: cannot be read ({error}). Reload the page.") from None


def _forget() -> None:
    """Callback of another study: its own settings hold."""
    for name in (*state.MOVABLE, state.PRESET, state.IDEA):
        if name in st.session_state:
            del st.session_state[name]


def _choose_preset(study: Study) -> PresetName:
    own = study.config.preset
    preset: PresetName = st.selectbox(
        "Preset",
        list(PRESETS),
        index=list(PRESETS).index(own),
        key=state.PRESET,
        on_change=_apply_preset,
        args=(study,),
        help="The protocol whose settings the study's own are put over",
        **state.BOUND,
    )
    return preset


def _apply_preset(study: Study) -> None:
    state.reset(state.base_settings(study, st.session_state[state.PRESET]))


def _main_settings(study: Study, base: Settings, judges: list[str]) -> None:
    low, high = theta_bounds(study, base)
    st.slider(
        "Threshold θ",
        low,
        high,
        value=base.theta,
        step=THETA_STEP,
        format="%.3f",
        key="theta",
        help="Least cosine similarity that makes a match",
        **state.BOUND,
    )
    st.slider(
        "Candidates K",
        1,
        max(_depth(study), base.k),
        value=base.k,
        key="k",
        help="The most similar papers that an idea may match",
        **state.BOUND,
    )
    normalizer = _choose("Citations", NORMALIZERS, base.normalizer, "normalizer")
    st.caption(NORMALIZER_MEANING[normalizer])
    st.selectbox(
        "Judge",
        judges,
        index=judges.index(base.judge) if base.judge in judges else 0,
        key="judge",
        disabled=len(judges) == 1,
        help="One judge, or the mean over all" if len(judges) > 1 else "No judge has marked ideas",
        **state.BOUND,
    )


def _more_settings(base: Settings) -> None:
    with st.expander("More settings"):
        aggregate = _choose("Aggregate", AGGREGATES, base.aggregate, "aggregate")
        st.caption(AGGREGATE_MEANING[aggregate])
        left, right = st.columns(2)
        _weight(left, "Citation weight", base.citation_weight, "citation_weight")
        _weight(right, "Venue weight", base.venue_weight, "venue_weight")
        st.multiselect(
            "Top venues",
            list(dict.fromkeys((*base.venues, *TOP_VENUES))),
            default=list(base.venues),
            key="venues",
            accept_new_options=True,
            help="Main conferences that count as top venues; type to add one",
            **state.BOUND,
        )
        for label, name, help_ in (
            ("Unknown citations", "unknown_citations", "Left out, or taken as 0"),
            ("Papers without an abstract", "title_only", "Match them or not"),
            ("Ambiguous dates", "ambiguous_dates", "Dates on either side of the window's ends"),
            ("Matches before the knowledge cutoff", "leakage", "Count them or not"),
        ):
            options = ("exclude", "zero") if name == "unknown_citations" else _ADMISSIONS
            _choose(label, options, getattr(base, name), name, help_)
        st.number_input(
            "False-match rate",
            0.001,
            0.5,
            value=base.false_match_rate,
            step=0.01,
            format="%.3f",
            key="false_match_rate",
            help="Share of other-topic pairs that the suggested θ lets match",
            **state.BOUND,
        )
        left, right = st.columns(2)
        left.number_input(
            "Draws",
            100,
            100_000,
            value=base.draws,
            step=500,
            key="draws",
            help="Bootstrap draws",
            **state.BOUND,
        )
        right.number_input(
            "Seed",
            0,
            value=base.seed,
            key="seed",
            help="Seed of every random draw",
            **state.BOUND,
        )


_ADMISSIONS = ("include", "exclude")


def _choose(label: str, options: tuple[str, ...], own: str, key: str, help_: str = "") -> str:
    chosen: str = st.selectbox(
        label,
        list(options),
        index=options.index(own),
        key=key,
        help=help_ or None,
        **state.BOUND,
    )
    return chosen


def _weight(place: Any, label: str, own: float, key: str) -> None:
    place.number_input(label, 0.0, 1.0, value=own, step=0.05, format="%.2f", key=key, **state.BOUND)


def _reset(study: Study, settings: Settings) -> None:
    own = state.base_settings(study, study.config.preset)
    moved = settings.changed(own)
    st.button(
        "Reset to the study's settings",
        icon=":material/restart_alt:",
        on_click=state.reset,
        args=(own, study.config.preset),
        disabled=not moved,
        help=f"Moved: {', '.join(moved)}" if moved else "Nothing has been moved",
        key="reset",
        width="stretch",
    )


def _depth(study: Study) -> int:
    return study.candidates_info.depth if study.candidates_info else 100


def theta_bounds(study: Study, base: Settings) -> tuple[float, float]:
    """The slider's ends: the stored similarities, the study's own θ and the link's within them.

    Kept for the session, because a slider whose ends move forgets its value.
    """
    kept: dict[tuple[str, str], tuple[float, float]] = st.session_state.setdefault(_BOUNDS, {})
    if study.key not in kept:
        values = [base.theta, *_theta_of_the_link()]
        if study.candidates is not None and len(study.candidates):
            similarity = study.candidates["similarity"]
            values += [float(similarity.min()), float(similarity.max())]
        low, high = math.floor(min(values) * 50) / 50, math.ceil(max(values) * 50) / 50
        kept[study.key] = max(-1.0, low), min(1.0, max(high, low + 0.02))
    return kept[study.key]


def _theta_of_the_link() -> list[float]:
    try:
        theta = float(st.query_params.get("theta", "nan"))
    except ValueError:
        return []
    return [theta] if -1 <= theta <= 1 else []


def _show_notices(notices: tuple[str, ...]) -> None:
    with st.container(border=True):
        title = f"{count(len(notices), 'value')} of the link could not be taken"
        st.warning("\n\n".join(plain(line) for line in notices), title=title)
        st.button("Dismiss", key="dismiss_link", on_click=state.dismiss_link_notices)


def theta_text(theta: float) -> str:
    """θ as it stands in sentences."""
    return number(theta)
