"""Quadrants."""

from dashboard import components, state

view = state.current()
components.page("Quadrants", f"{len(view.study.ideas)} ideas, {len(view.study.papers)} papers.")
