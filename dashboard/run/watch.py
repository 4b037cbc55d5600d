"""A run of model calls on the page: what it would take, how far it is, and what came of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import streamlit as st

from core.errors import ForeseenError
from core.experiment import background
from core.experiment.background import CallRun, Look, ModelStep
from core.experiment.calls import Kind
from core.experiment.judge_step import JudgeStep
from core.experiment.step import Surroundings, Work
from core.judging.calls import CALLS_FILE
from core.judging.report import Estimate, Progress
from core.study import Study
from dashboard import components
from dashboard.bring import files
from dashboard.prose import count, number, plain
from dashboard.run import form
from dashboard.run.needs import in_the_page, said

SHOWN_LINES = 20
_RATINGS = ("ligbench", "See the ratings", ":material/leaderboard:")
_SHOWN: dict[Kind, tuple[str, str, str]] = {
    "scores": ("judges", "See how far judges agree", ":material/gavel:"),
    "formalise": ("ideas", "Read the ideas", ":material/lightbulb:"),
    "starts": _RATINGS,
    "comparisons": _RATINGS,
    "verdicts": ("forecasting", "See what was foreseen", ":material/online_prediction:"),
    "generality": ("forecasting", "See what hit rates hide", ":material/online_prediction:"),
}


def ask(study: Study, folder: Path, step: ModelStep) -> None:
    """What the step would take, and the button that starts it."""
    log = folder / CALLS_FILE
    key = (study.key, repr(step), log.stat().st_size if log.exists() else 0)
    try:
        form.client(step.part)
        with st.spinner("Counting the calls …"):
            guess, lines = files.remembered("_run_estimate", key, lambda: look(study, folder, step))
    except ForeseenError as error:
        for line in str(error).splitlines():
            st.error(plain(in_the_page(line)), icon=":material/block:")
        return
    st.markdown(estimate_text(guess))
    said(lines)
    if guess.calls == 0:
        st.caption("There is nothing to ask. Failed replies are asked again where that is ticked.")
    st.button(
        f"Start: ask {count(guess.calls, 'call')}" if guess.calls else "Write what is answered",
        key="run_start",
        type="primary",
        icon=":material/play_arrow:",
        on_click=begin,
        args=(folder, step),
    )
    if guess.calls:
        st.caption("It runs in the background: other pages stay usable, and it can be paused.")


def look(study: Study, folder: Path, step: ModelStep) -> tuple[Estimate, tuple[str, ...]]:
    """What a step would ask for, and what is worth knowing before it does."""
    lines: list[str] = []
    work = Work(study=study, around=Surroundings(base=folder, log=lines.append, client=form.client))
    if isinstance(step, JudgeStep):
        asked = step.asked(work, encode=False)
        reasons = Counter(reason for _, reason in asked.left_out)
        left = [f"{number:,} left out: {reason}" for reason, number in reasons.items()]
        guess, before = step.estimate(work, asked), (*left, *asked.notes)
    else:
        guess, before = step.estimate(work), ()
    return guess, (*before, *(line.removeprefix(f"{step.name}: ") for line in lines))


def begin(folder: Path, step: ModelStep) -> None:
    """Callback: start, or join the run that another session started."""
    background.start(folder, step, client=form.client)


def estimate_text(guess: Estimate) -> str:
    """ "**80 calls**, 10 answered already: about 40,000 tokens in and 9,000 out, cost …"."""
    answered = f", {guess.cached:,} answered already" if guess.cached else ""
    kept = f", {guess.kept_failures:,} failed and kept" if guess.kept_failures else ""
    calls = f"**{count(guess.calls, 'call')}**{answered}{kept}"
    if not guess.calls:
        return f"{calls}."
    text = f"{calls}: about {_about(guess.tokens_in)} tokens in and {_about(guess.tokens_out)} out"
    if guess.tokens_out_most is not None:
        text += f" (at most {guess.tokens_out_most:,})"
    if guess.cost is None:
        return f"{text}. The cost is unknown without prices."
    most = "" if guess.cost_most is None else f" (at most {number(guess.cost_most)})"
    return f"{text}. About **{number(guess.cost)}** in money{most}."


def _about(tokens: int) -> str:
    """A rough count with the three digits that it is good for."""
    return f"{float(f'{tokens:.3g}'):,.0f}"


def watch(run: CallRun) -> None:
    """The run as it goes on; redrawn every second, and the whole page at its end."""
    look = run.look()
    if not look.active:
        st.rerun()
    now = look.progress
    share = now.done / now.total if now is not None and now.total else 0.0
    st.progress(min(1.0, share), text=plain(progress_text(look)))
    if now is not None and now.last_problem:
        problem = f"Last problem: {plain(in_the_page(now.last_problem[:200]))}"
        if now.ok > now.cached:
            st.caption(problem)
        else:
            st.warning(
                f"{problem}. No call has been answered yet: is the address right, and the server up?",
                icon=":material/cloud_off:",
            )
    st.button(
        "Pause",
        key="run_pause",
        icon=":material/pause:",
        on_click=run.pause,
        disabled=look.state == "pausing",
        help="Calls under way end and are kept; going on asks none of them again",
    )


def progress_text(look: Look) -> str:
    """ "judge m: 34 of 80, 12 a minute, 1 failed, cost 0.02, about 4:10 left"."""
    if look.state == "pausing":
        return f"{look.name}: pausing after the calls under way …"
    if look.progress is None:
        made = look.encoding
        of = f", {made.done:,} of {made.total:,} texts encoded" if made and made.total else ""
        return f"{look.name}: starting{of} …"
    return f"{look.name}: {_told(look.progress)}"


def _told(now: Progress) -> str:
    parts = [f"{now.done:,} of {now.total:,}"]
    if now.rate is not None:
        parts.append(f"{now.rate:,.0f} a minute")
    if now.failed:
        parts.append(f"{now.failed:,} failed")
    parts.append(f"{now.tokens_in + now.tokens_out:,} tokens")
    if now.cost is not None:
        parts.append(f"cost {number(now.cost)}")
    if now.remaining is not None and now.done < now.total:
        minutes, seconds = divmod(round(now.remaining), 60)
        parts.append(f"about {minutes}:{seconds:02d} left")
    return ", ".join(parts)


def ended(run: CallRun, look: Look) -> None:
    """How the last run of this server ended, where its result is shown, and the way on."""
    if look.state == "done":
        st.success(plain(f"{look.name}: {look.told}"), icon=":material/check:")
    elif look.state == "paused":
        st.info(plain(f"{look.name}: {look.reason}. {look.told}"), icon=":material/pause:")
    else:
        told = in_the_page(f"{look.name}: {look.reason.rstrip('.')}. {look.told}")
        st.error(plain(told), icon=":material/block:")
    if look.state in ("paused", "failed"):
        st.button(
            "Go on",
            key="run_resume",
            icon=":material/play_arrow:",
            on_click=begin,
            args=(run.folder, run.step),
            help="The same run; what is answered is not asked again",
        )
    if look.told:
        _result(run.step)
    if look.lines:
        with st.expander(count(len(look.lines), "note")):
            for line in look.lines[-SHOWN_LINES:]:
                st.markdown(f"- {plain(in_the_page(line))}")


def _result(step: ModelStep) -> None:
    """A link to the page that shows what was written."""
    if not isinstance(step, JudgeStep):
        components.link(
            "bring", "Match the new ideas", icon=":material/join:", bring_part="Matching"
        )
        components.link("ideas", "Read them", icon=":material/lightbulb:")
        return
    page, label, icon = _SHOWN[step.part.kind]
    components.link(page, label, icon=icon)
