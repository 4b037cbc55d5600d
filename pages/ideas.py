"""Ideas."""

from dashboard import components, state

view = state.current()
components.page("Ideas", f"{len(view.study.ideas)} ideas, {len(view.study.papers)} papers.")
