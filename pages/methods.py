"""Methods."""

from dashboard import components, state

view = state.current()
components.page("Methods", f"{len(view.study.ideas)} ideas, {len(view.study.papers)} papers.")
