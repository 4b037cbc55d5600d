"""What a kind of work needs before a model can be asked, and how to get it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.experiment.judge_step import BY_WORDS
from core.generate.literature import literature_before
from core.study import Study
from dashboard import components
from dashboard.prose import plain, sentence

JUDGE, COMPARE, GRADE, GENERATE = (
    "Judge ideas",
    "Compare with papers",
    "Grade forecasts",
    "Generate ideas",
)
WORKS = (JUDGE, COMPARE, GRADE, GENERATE)
_STAND_IN = "Papers near by words stand in here: the vectors are made when it starts"
_ON_THE_PAGE = (
    ("--base-url", "‘Address of the server’"),
    ("Give this run another name with --judge NAME.", "Give another ‘Name in the tables’."),
    (BY_WORDS, _STAND_IN),
    ("nothing is encoded in a dry run: papers near by words stand in for the others", _STAND_IN),
    ("Take another name for the system.", "Take another ‘System's name’."),
    (
        " Make parts with `foreseen judge formalise STUDY --model M --table ideas`",
        " Make parts in the step ‘Formal parts: ideas’ first.",
    ),
    (
        " Make parts with `foreseen judge formalise STUDY --model M --table references`",
        " Make parts in the step ‘Formal parts: papers’ first.",
    ),
)


def in_the_page(text: str) -> str:
    """Words for the command line, as what there is to do on the page."""
    for words, here in _ON_THE_PAGE:
        text = text.replace(words, here)
    return text


def met(study: Study, what: str) -> bool:
    """Whether the study holds what the work needs; else says what it lacks and how to get it."""
    folder = study.folder
    assert folder is not None
    if what == GENERATE:
        return _literature(study, folder)
    if study.ideas.empty:
        components.nothing("This study holds no ideas yet. Bring them, or let a model write them.")
        _ways(f"foreseen import ideas FILE --into {folder}", "Bring ideas", "Tables")
        st.button(
            GENERATE,
            key="run_to_generate",
            icon=":material/edit_note:",
            on_click=_choose,
            args=(GENERATE,),
        )
        return False
    if what == COMPARE and study.references.empty:
        components.nothing("This study holds no reviewed papers to compare ideas with.")
        _ways(
            f"foreseen import references FILE --into {folder}\n"
            f'foreseen fetch references --venue "ICLR 2025" --into {folder}',
            "Bring reviewed papers",
            "Tables",
        )
        return False
    if what == GRADE and study.candidates is None:
        components.nothing("No search has paired the ideas with papers yet, so none can be graded.")
        _ways(f"foreseen match {folder}", "Match on the page", "Matching")
        return False
    return True


def _literature(study: Study, folder: Path) -> bool:
    literature = literature_before(study.papers, study.config.cutoff)
    if len(literature.papers):
        return True
    components.nothing(
        f"No paper certainly appeared by {literature.cutoff}, so there is nothing to write from:"
        " topics and seed papers are those of papers before the cutoff."
    )
    _ways(
        "foreseen fetch papers --source semantic-scholar --query 'TOPIC=WORDS'"
        f" --from {literature.cutoff.year - 2}-01-01 --to {literature.cutoff} --into {folder}",
        "Bring papers",
        "Tables",
    )
    return False


def _ways(command: str, label: str, part: str) -> None:
    components.link("bring", label, icon=":material/upload_file:", bring_part=part)
    st.caption("Or at a terminal:")
    st.code(command, language="bash", wrap_lines=True)


def _choose(what: str) -> None:
    st.session_state["run_what"] = what


def said(lines: tuple[str, ...]) -> None:
    """Notes on what is to be asked: the first three, the rest folded."""
    for line in lines[:3]:
        st.caption(_sentence(line))
    if len(lines) > 3:
        with st.expander(f"{len(lines) - 3} more notes"):
            for line in lines[3:50]:
                st.caption(_sentence(line))


def _sentence(line: str) -> str:
    return sentence(plain(in_the_page(line).rstrip("."))) + "."
