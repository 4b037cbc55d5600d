"""The disagreement queue: a person marks what judges dispute, and becomes a judge of the study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.config import JUDGE_DIMENSIONS
from core.errors import ForeseenError, UsageError
from core.judging.queue import HIGH, LOW, own_marks, person_judge, read_only, save_marks
from core.judging.scores import idea_text
from dashboard import components
from dashboard.judging import views
from dashboard.marked import marked_html
from dashboard.prose import count, plain, shorten

if TYPE_CHECKING:
    from core.judging.queue import Queue
    from dashboard.state import View

NAME = "person"
CHOSEN = "queue_idea"
_NEXT = "_queue_next"
_SAVED = "_queue_saved"
_ABOUT = {
    "novelty": "Novelty",
    "feasibility": "Feasibility",
    "impact": "Expected impact",
    "overall": "Overall",
}


def draw(view: View, on: str, titles: Mapping[str, str]) -> None:
    """Name, queue and form; where the study cannot be written, why and what to do."""
    refused = read_only(view.study)
    if refused:
        _refusal(view, refused)
        return
    saved = st.session_state.pop(_SAVED, None)
    if saved:
        st.toast(saved, icon=":material/check:")
    name = st.text_input(
        "Your name",
        key=NAME,
        max_chars=60,
        placeholder="as it shall stand among the judges",
        persist_state="session",
    )
    if not name or not name.strip():
        st.caption(
            "Your marks are saved to this study as those of a judge named “your name (person)”, and"
            " every figure on this page follows."
        )
        return
    try:
        judge = person_judge(name, view.study)
    except UsageError as error:
        st.error(plain(str(error)))
        return
    found = views.queue(view, judge, on if on in JUDGE_DIMENSIONS else "overall")
    if not found.ids:
        components.nothing("This study holds no idea to mark.")
        return
    _introduce(found)
    idea = _choose(found, titles)
    _form(view, found, idea)


def _refusal(view: View, refused: str) -> None:
    components.nothing(plain(refused))
    if view.study.folder is not None:
        name = "my-study"
        st.code(
            f"cp -r {view.study.folder} {name}\nforeseen open {name}",
            language="bash",
            wrap_lines=True,
        )
        st.caption("The copy is yours: marks made in its page are saved there.")


def _introduce(found: Queue) -> None:
    done = len(found.marked)
    which = (
        f"the {count(len(found.ids), 'idea')} on which the other judges differ most"
        if found.disputed
        else f"{count(len(found.ids), 'idea')} in a drawn order (seed {found.seed}), as no two other"
        " judges differ on any"
    )
    st.markdown(
        f"**{plain(found.judge)}** has marked **{done:,} of {len(found.ids):,}**: {which}. You"
        " see what the judges saw, without the system's name and without their marks."
    )
    st.progress(done / len(found.ids))
    if found.left_out:
        st.caption(f"{count(found.left_out, 'disputed idea')} left out: not in the table of ideas.")


def _choose(found: Queue, titles: Mapping[str, str]) -> str:
    """The idea to mark: the first that is not marked, unless another is chosen."""
    wanted = st.session_state.pop(_NEXT, None)
    if wanted or st.session_state.get(CHOSEN) not in found.ids:
        st.session_state[CHOSEN] = wanted or found.next or found.ids[0]
    numbers = {idea: place for place, idea in enumerate(found.ids, start=1)}

    def text(idea: str) -> str:
        done = ", marked" if idea in found.marked else ""
        return f"{numbers[idea]}. {shorten(titles.get(idea) or idea, 70)}{done}"

    chosen: str = st.selectbox("Idea", found.ids, format_func=text, key=CHOSEN)
    return chosen


def _form(view: View, found: Queue, idea: str) -> None:
    row = view.study.ideas.set_index("idea_id").loc[idea].to_dict()
    before: dict[str, Any] = own_marks(view.study, found.judge).get(idea, {})
    key = f"{found.judge} {idea}"
    with st.container(border=True):
        st.html(marked_html(idea_text(row) or "This idea has no text.", ()))
    with st.form(f"marks {key}", border=False):
        marks: dict[str, int | None] = {}
        for name in JUDGE_DIMENSIONS:
            own = before.get(name)
            marks[name] = st.segmented_control(
                f"{_ABOUT[name]}, {LOW} to {HIGH}",
                list(range(LOW, HIGH + 1)),
                default=None if own is None else round(own),
                key=f"mark {name} {key}",
                wrap=True,
            )
        reason = st.text_area(
            "Reason", value=before.get("reason") or "", key=f"reason {key}", height=90
        )
        pressed = st.form_submit_button(
            "Replace my marks" if before else "Save and go on",
            key=f"save {key}",
            type="primary",
            icon=":material/save:",
        )
    if pressed:
        _save(view, found, idea, marks, reason)


def _save(
    view: View, found: Queue, idea: str, marks: Mapping[str, int | None], reason: str
) -> None:
    try:
        save_marks(view.study, found.judge, idea, marks, reason)
    except (ForeseenError, OSError) as error:
        st.error(plain(str(error)))
        return
    rest = [each for each in found.ids if each not in found.marked and each != idea]
    st.session_state[_NEXT] = rest[0] if rest else idea
    st.session_state[_SAVED] = (
        f"Saved. {count(len(rest), 'idea')} left to mark." if rest else "Saved. All are marked."
    )
    st.rerun()
