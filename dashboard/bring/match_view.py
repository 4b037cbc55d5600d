"""Matching on the page: what it would take, how far it is, and what came of it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.errors import DataError, ForeseenError
from core.judging.locking import writing
from core.matching.candidates import Match, is_stale
from core.study import Study
from dashboard import cached, components, state
from dashboard.bring import files, matching
from dashboard.bring.matching import Look, MatchRun
from dashboard.prose import count, listing, number, percent, plain, sentence

_STAGES = {
    "ideas": "Encoding ideas",
    "papers": "Encoding papers",
    "search": "Searching each idea's nearest papers",
    "calibration": "Measuring all pairs",
}
_KEPT = "_bring_theta_error"


def draw(view: state.View) -> None:
    """The whole part, for a study that may be written to."""
    study = view.study
    if study.folder is None:
        return
    lacking = [name for name in ("ideas", "papers") if getattr(study, name).empty]
    if lacking:
        components.nothing(
            f"Matching pairs ideas with later papers, and this study has no {listing(lacking)}"
            " yet. Bring them under Tables."
        )
        return
    run = matching.run_of(study.folder)
    look = None if run is None else run.look()
    if run is not None and look is not None and look.active:
        st.fragment(_watch, run_every=1.0)(run)
        return
    _ended(look)
    fresh = _stand(study)
    _start(study, study.folder, fresh, resumed=look is not None and look.state == "stopped")
    if study.candidates is not None:
        _result(view, None if look is None else look.match)


def _stand(study: Study) -> bool:
    """Say whether the stored candidates fit the tables."""
    if study.candidates is None:
        st.markdown("The ideas have not been paired with papers yet.")
        return False
    if files.remembered("_bring_stale", study.key, lambda: is_stale(study)):
        st.markdown("The tables have changed since the candidates were stored.")
        return False
    st.markdown("The stored candidates fit the tables.")
    return True


def _start(study: Study, folder: Path, fresh: bool, *, resumed: bool) -> None:
    wait = matching.waiting(study)
    if wait.texts:
        basis = "as measured here" if wait.measured else "a guess until the first texts are done"
        st.markdown(
            f"{count(wait.texts, 'text')} to encode ({count(wait.ideas, 'idea')} and"
            f" {count(wait.papers, 'paper')}) with **{plain(study.config.encoder)}**: about"
            f" {duration(wait.seconds)} at {number(wait.rate)} a second, {basis}."
        )
    else:
        st.markdown("Every text has its vector, so only the search runs: seconds.")
    st.button(
        "Go on matching" if resumed else "Match again" if fresh else "Start matching",
        key="bring_match",
        type="secondary" if fresh and not wait.texts else "primary",
        icon=":material/play_arrow:",
        on_click=_begin,
        args=(folder,),
    )
    st.caption("It runs in the background: other pages stay usable, and it can be stopped.")


def _begin(folder: Path) -> None:
    """Callback: start, or join the run that another session started."""
    matching.start(folder)


def _watch(run: MatchRun) -> None:
    """The run as it goes on; redrawn every second, and the whole page at its end."""
    look = run.look()
    if not look.active:
        st.rerun()
    st.progress(look.done / look.total if look.total else 0.0, text=progress_text(look))
    st.button(
        "Stop",
        key="bring_stop",
        icon=":material/stop:",
        on_click=run.stop,
        disabled=look.state == "stopping",
        help="What is encoded is kept; the next start goes on from there",
    )


def progress_text(look: Look) -> str:
    """ "Encoding papers: 640 of 4,320, 31 a second, about 2 minutes left"."""
    if look.state == "stopping":
        return "Stopping after the texts under way …"
    if not look.total:
        return f"{_STAGES.get(look.stage, look.stage)} …"
    text = f"{_STAGES.get(look.stage, look.stage)}: {look.done:,} of {look.total:,}"
    if look.stage in matching.ENCODING and not look.done:
        text += ", the encoder is loaded first"
    if look.rate is not None:
        text += f", {number(look.rate)} a second"
    if look.left is not None:
        text += f", about {duration(look.left)} left"
    return text


def duration(seconds: float) -> str:
    """ "40 seconds", "3 minutes", "2.5 hours": for rough times."""
    if seconds < 90:
        return count(max(1, round(seconds)), "second")
    if seconds < 5400:
        return count(round(seconds / 60), "minute")
    return f"{number(seconds / 3600, 2)} hours"


def _ended(look: Look | None) -> None:
    """How the last run of this server ended."""
    if look is None:
        return
    if look.state == "stopped":
        st.info(
            "Stopped. What was encoded is kept, and nothing else was changed.",
            icon=":material/pause:",
        )
    elif look.state == "failed":
        for line in look.error.splitlines() or ["Matching failed without a word."]:
            st.error(plain(line), icon=":material/block:")
        st.caption("The stored candidates are as they were. Mend it and start again.")


def _result(view: state.View, found: Match | None) -> None:
    """What stands in the study, with what the last run told, and the θ that fits."""
    study = view.study
    candidates = 0 if study.candidates is None else len(study.candidates)
    info = study.candidates_info
    st.subheader("Result", anchor=False)
    encoder = "" if info is None else f" by {plain(info.encoder)}"
    st.markdown(f"**{count(candidates, 'candidate')}** stored{encoder}.")
    if found is not None:
        outside = found.total_papers - found.papers
        st.markdown(
            f"{count(found.ideas, 'idea')} met {count(found.papers, 'paper')} in their windows"
            + (f" ({outside:,} lie outside all of them)" if outside else "")
            + f"; {count(found.encoded, 'text')} encoded anew in {duration(found.seconds)}."
        )
        notes = [
            (len(found.empty_pools), "idea", "no paper in its pool"),
            (found.fallback_texts, "idea", "neither problem nor method: title and rationale"),
            (found.title_only, "paper", "no abstract: title alone"),
        ]
        for n, noun, what in notes:
            if n:
                st.caption(f"{count(n, noun)} with {what}.")
    _theta(view)
    components.link("overview", "See what came of it", icon=":material/insights:")


def _theta(view: state.View) -> None:
    error = st.session_state.pop(_KEPT, None)
    if error:
        st.error(plain(error), icon=":material/block:")
    try:
        found = cached.calibration(view)
    except ForeseenError as fault:
        st.caption(plain(fault))
        return
    own = view.study.settings.theta
    if found.suggested_theta is None:
        st.markdown(sentence(f"no θ can be suggested: {plain(found.undefined)}."))
        return
    st.markdown(
        f"Suggested **θ = {found.suggested_theta:.3f}**: at most"
        f" {percent(found.false_match_rate)} of ideas would match a paper of another topic. The"
        f" study uses θ = {own:.3f}."
    )
    st.button(
        f"Keep θ = {found.suggested_theta:.3f} in the study",
        key="bring_keep_theta",
        icon=":material/my_location:",
        disabled=abs(found.suggested_theta - own) < 0.0005,
        help="Writes it to study.toml; the sidebar moves with it",
        on_click=_keep,
        args=(view.study.folder, found.suggested_theta),
    )


def _keep(folder: Path, theta: float) -> None:
    """Callback: θ into ``study.toml``, and to the slider."""
    try:
        with writing(folder):
            study = Study.open(folder)
            settings = {**study.config.settings, "theta": theta}
            study.write_config(study.config.model_copy(update={"settings": settings}))
    except (DataError, OSError) as error:
        st.session_state[_KEPT] = str(error)
        return
    state.assign({"theta": theta})
