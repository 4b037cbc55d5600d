"""What a test reads off a run of the app."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

Open = Callable[..., AppTest]


def settings_of(app: AppTest) -> object:
    """The settings that the page of this run was drawn with."""
    return app.session_state["_view"].settings


def words(app: AppTest) -> str:
    """All text of the page."""
    groups = (app.title, app.subheader, app.markdown, app.caption, app.info, app.warning)
    return "\n".join(str(item.value) for group in groups for item in group)
