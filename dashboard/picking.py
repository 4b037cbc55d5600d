"""The chosen idea: it lives in the address, and pages set it from a point, a row or a button."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from typing import Any

import streamlit as st

from core.errors import nearest
from dashboard import components, state
from dashboard.prose import plain

_SEEN = "_seen_"


def chosen_idea(known: Collection[str]) -> str | None:
    """The idea that the address names, else the last one chosen in this session.

    An id that the study does not have is said on the page, and None comes back.
    """
    named = st.query_params.get(state.IDEA)
    if named is None:
        named = st.session_state.get(state.IDEA)
        if named is None or named not in known:
            return None
        st.query_params[state.IDEA] = named
    if named not in known:
        hint = nearest(named, known) if len(known) <= 20 else _close(named, known)
        st.warning(f"This study has no idea '{plain(named)}'. {hint}", icon=":material/link_off:")
        return None
    st.session_state[state.IDEA] = named
    return named


def choose(idea_id: str) -> None:
    """Put an idea in the address; a callback, or called before the idea is shown."""
    st.session_state[state.IDEA] = idea_id
    st.query_params[state.IDEA] = idea_id


def point(event: Any, key: str) -> str | None:
    """The id of a chart's selected point, where the selection is new since the last run."""
    points = _part(event, "points")
    chosen = points[0]["customdata"] if points else None
    return _new(key, None if chosen is None else str(_first(chosen)))


def row(event: Any, key: str, ids: Sequence[str]) -> str | None:
    """The id of a table's selected row, where the selection is new; ``ids`` in table order."""
    rows = _part(event, "rows")
    fits = bool(rows) and 0 <= rows[0] < len(ids)
    return _new(key, ids[rows[0]] if fits else None)


def selected_row(event: Any, length: int) -> int | None:
    """The place of a table's selected row, None without one."""
    rows = _part(event, "rows")
    return rows[0] if rows and 0 <= rows[0] < length else None


def digest(ids: Sequence[str]) -> str:
    """A key for a table of these rows, so that a selection never outlives its rows."""
    return hashlib.sha256("\n".join(ids).encode()).hexdigest()[:12]


def unknown_in_link(name: str, allowed: Collection[str]) -> None:
    """Say which of a filter's values in the address do not exist here."""
    wrong = [value for value in st.query_params.get_all(name) if value and value not in allowed]
    if wrong:
        components.nothing(
            f"The link's {plain(name)} {', '.join(f'‘{plain(value)}’' for value in wrong)}"
            " is not in this study, so it filters nothing."
        )


def _part(event: Any, name: str) -> Any:
    if not event:
        return []
    try:
        return event["selection"].get(name, [])
    except (KeyError, TypeError):
        return []


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, (list, tuple)) else value


def _new(key: str, chosen: str | None) -> str | None:
    seen = st.session_state.get(_SEEN + key)
    st.session_state[_SEEN + key] = chosen
    return chosen if chosen is not None and chosen != seen else None


def _close(named: str, known: Collection[str]) -> str:
    said = nearest(named, known)
    return plain(said) if said.startswith("Did") else f"It has {len(known):,} ideas."
