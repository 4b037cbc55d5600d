"""What the user has chosen: the names of all widget keys, and the view they make.

Every setting's widget has the setting's own name as its key and is bound to the address, so a
link holds the view: ``/thresholds?theta=0.62&normalizer=log``. A setting equal to the study's
own is left out of the address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import streamlit as st

from core.config import PRESETS, PresetName, Settings
from core.errors import UsageError, nearest
from core.study import Study

STUDY = "study"
PRESET = "preset"
IDEA = "idea"
# Pages keep their own controls' keys here, so that no two are alike and every link is known.
PAGE_KEYS: tuple[str, ...] = (
    IDEA,
    "system",
    "topic",
    "quadrant",
    "search",
    "low",
    "high",
    "order",
    "table",
    "spec_theta",
    "spec_k",
    "spec_normalizer",
    "spec_aggregate",
    "spec_weight",
    "spec_pair",
    "pair",
    "metric",
    "on",
    "judge_pair",
    "judge_plot",
    "judges_part",
    "probe_judge",
    "lig_tab",
    "lig_judge",
    "lig_dimension",
    "lig_view",
    "lig_measure",
    "lig_side",
    "lig_experts",
    "lig_source",
    "lig_grid",
    "lig_grid_judge",
    "verdict_judge",
    "forecast_metric",
    "baseline",
    "episode",
    "forecast_part",
    "forecast_measure",
    "bring_part",
    "bring_table",
    "run_what",
    "run_compare",
    "run_grade",
)
# These say how the stored candidates were searched: moving them needs `foreseen match`.
OF_THE_SEARCH = ("pool", "depth")
MOVABLE = tuple(name for name in Settings.model_fields if name not in OF_THE_SEARCH)

Bind = Literal["query-params"]
BIND: Bind = "query-params"
BOUND: dict[str, Any] = {"bind": BIND, "persist_state": "session"}

_VIEW = "_view"
_LINK = "_link"
_NOTICES = "_link_notices"


@dataclass(frozen=True, kw_only=True)
class View:
    """What a page shows: a study under settings. ``base`` is what "reset" returns to."""

    study: Study
    settings: Settings
    base: Settings

    @property
    def systems(self) -> tuple[str, ...]:
        """The study's systems in alphabetical order."""
        return tuple(sorted(self.study.ideas["system"].unique()))


def base_settings(study: Study, preset: PresetName) -> Settings:
    """The preset's settings with the study's own put over them."""
    return Settings.of(study.config.settings, base=PRESETS[preset])


def chosen(base: Settings) -> Settings:
    """``base`` with what the widgets hold put over it.

    A setting whose widget has not been drawn yet is read from the address, so that a link to
    one page holds on the others too.
    """
    values: dict[str, Any] = {}
    for name in MOVABLE:
        if name in st.session_state:
            value = st.session_state[name]
            values[name] = tuple(value) if isinstance(value, list) else value
        elif name in st.query_params:
            values[name] = _from_address(name)
    cuts = ("hindsight_cut", "judge_cut")
    if values.get("quadrant_rule", base.quadrant_rule) == "fixed" and any(
        values.get(cut, getattr(base, cut)) is None for cut in cuts
    ):
        values.pop("quadrant_rule", None)
    try:
        return Settings.of(values, base=base)
    except UsageError:
        return Settings.of(_readable(values, base), base=base)


def set_view(view: View) -> None:
    """Keep the view for the page of this run."""
    st.session_state[_VIEW] = view


def current() -> View:
    """The view of this run, for pages."""
    return cast("View", st.session_state[_VIEW])


def assign(values: Mapping[str, Any]) -> None:
    """Move widgets from a callback (``on_click=assign, args=({"theta": 0.6},)``)."""
    for name, value in values.items():
        st.session_state[name] = list(value) if isinstance(value, tuple) else value


def reset(base: Settings, preset: PresetName | None = None) -> None:
    """Callback: every setting back to ``base``, and the preset where one is given."""
    assign({name: getattr(base, name) for name in MOVABLE if name in st.session_state})
    if preset is not None:
        st.session_state[PRESET] = preset


def refused_in_link(
    base: Settings, choices: Mapping[str, Sequence[str]], parameters: Mapping[str, Sequence[str]]
) -> list[str]:
    """A sentence for each value in a link that cannot be taken, and what stands instead.

    ``choices`` holds the values that this study allows where it is the study that decides
    (study, preset, judge).
    """
    known = (*Settings.model_fields, STUDY, PRESET, *PAGE_KEYS)
    refused = []
    for name, values in parameters.items():
        given = ", ".join(values)
        if name.startswith("embed"):
            continue
        if name not in known:
            refused.append(f"The link names '{name}', which is no setting. {nearest(name, known)}")
        elif name in OF_THE_SEARCH:
            refused.append(
                f"The link asks for {name} = {given}, which belongs to the search: set it in"
                " study.toml and run `foreseen match`."
            )
        elif name in choices and given not in choices[name]:
            refused.append(
                f"The link asks for {name} = '{given}', which is not here."
                f" {nearest(given, choices[name])}"
            )
        elif name in Settings.model_fields:
            try:
                Settings.of({name: values if name == "venues" else given}, base=base)
            except UsageError as error:
                if name == "quadrant_rule" and given == "fixed":
                    continue
                own = getattr(base, name)
                refused.append(f"The link's value was refused: {error}. Shown with {name} = {own}.")
    return refused


def remember_link() -> None:
    """Keep what the link of this session asked for, before widgets tidy the address."""
    if _LINK not in st.session_state:
        parameters = {name: st.query_params.get_all(name) for name in st.query_params}
        st.session_state[_LINK] = parameters


def link_notices(base: Settings, choices: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """What was refused in the link that opened this session; it is looked at once."""
    if _NOTICES not in st.session_state:
        parameters = st.session_state[_LINK]
        st.session_state[_NOTICES] = tuple(refused_in_link(base, choices, parameters))
    return cast("tuple[str, ...]", st.session_state[_NOTICES])


def dismiss_link_notices() -> None:
    """Callback: the notices have been read."""
    st.session_state[_NOTICES] = ()


def _from_address(name: str) -> Any:
    values = st.query_params.get_all(name)
    return tuple(values) if name == "venues" else values[-1]


def _readable(values: Mapping[str, Any], base: Settings) -> dict[str, Any]:
    kept = {}
    for name, value in values.items():
        try:
            Settings.of({name: value}, base=base)
        except UsageError:
            continue
        kept[name] = value
    return kept
