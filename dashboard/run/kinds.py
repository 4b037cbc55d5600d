"""The controls of each kind of work: what its command's options are called, in plain words."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.config import COMPARED_REFERENCES, GENERATE_LITERATURE, GENERATE_PER_TOPIC
from core.experiment.calls import Judge, Kind
from core.generate.literature import literature_before
from core.schema import in_formal_parts
from core.study import Study
from dashboard import state
from dashboard.run.needs import COMPARE, GENERATE, GRADE

STAYS: dict[str, Any] = {"persist_state": "session"}
PARTS_OF_IDEAS, PARTS_OF_PAPERS, FIRST_MARKS, COMPARISONS = (
    "Formal parts: ideas",
    "Formal parts: papers",
    "First marks",
    "Comparisons",
)
_COMPARE_STEPS: dict[str, Kind] = {
    PARTS_OF_IDEAS: "formalise",
    PARTS_OF_PAPERS: "formalise",
    FIRST_MARKS: "starts",
    COMPARISONS: "comparisons",
}
_GRADES: dict[str, Kind] = {"Against papers": "verdicts", "By themselves": "generality"}


def own(study: Study, what: str) -> dict[str, Any]:
    """The keys of a heading of ``experiment.toml`` that the controls describe."""
    if what == GENERATE:
        return _generate(study)
    if what == COMPARE:
        return _compare(study)
    if what == GRADE:
        return _grade(study)
    return {"kind": "scores", **_chosen(study, "scores")}


def _compare(study: Study) -> dict[str, Any]:
    step = st.segmented_control(
        "Step",
        list(_COMPARE_STEPS),
        default=COMPARISONS,
        key="run_compare",
        required=True,
        **state.BOUND,
    )
    kind = _COMPARE_STEPS[step]
    st.caption(_about(study, step))
    if kind == "formalise":
        table = "ideas" if step == PARTS_OF_IDEAS else "references"
        with st.container(horizontal=True, vertical_alignment="bottom"):
            limit = _limit()
            again = st.checkbox("Replace parts that are there", key="run_replace", **STAYS)
        return {"kind": kind, "table": table, "limit": limit, "replace": again}
    keys = {"kind": kind, **_chosen(study, kind)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if kind == "comparisons":
            keys["references"] = int(
                st.number_input(
                    "Papers each meets",
                    1,
                    1000,
                    COMPARED_REFERENCES,
                    key="run_references",
                    width=150,
                    **STAYS,
                )
            )
            orders = st.segmented_control(
                "Shown first",
                ["Each in turn", "The idea"],
                default="Each in turn",
                key="run_orders",
                required=True,
                help="In turn: twice the calls, and a judge that likes the first place is seen",
                **STAYS,
            )
            keys["orders"] = "both" if orders == "Each in turn" else "idea_first"
        found = st.segmented_control(
            "Papers found by",
            ["Words and vectors", "Words"],
            default="Words and vectors",
            key="run_found",
            required=True,
            help="Vectors are those of the study's encoder; they are made once and stored",
            **STAYS,
        )
    return {**keys, "embedding": found == "Words and vectors"}


def _about(study: Study, step: str) -> str:
    if step in (PARTS_OF_IDEAS, PARTS_OF_PAPERS):
        table = "ideas" if step == PARTS_OF_IDEAS else "references"
        frame = getattr(study, table)
        there = int(in_formal_parts(frame).sum())
        what = "ideas" if table == "ideas" else "reviewed papers"
        return (
            f"{there:,} of {len(frame):,} {what} are in the four formal parts, in which length and"
            " style decide less. Their own words stay."
        )
    if step == FIRST_MARKS:
        return (
            "Marks from 0 to 5 beside three reviewed papers: where each idea's rating begins."
            " Without them it begins in the middle."
        )
    return (
        "Is the idea better than a reviewed paper, in rating, contribution and soundness? The"
        " judge sees no score and is not told which of the two is the paper."
    )


def _grade(study: Study) -> dict[str, Any]:
    how = st.segmented_control(
        "Graded",
        list(_GRADES),
        default="Against papers",
        key="run_grade",
        required=True,
        help="Problem, method and specificity of each pair, or how particular an idea is alone",
        **state.BOUND,
    )
    kind = _GRADES[how]
    if study.ideas["rank"].isna().all():
        st.caption(
            "No idea has a rank, so there are no forecasts: verdicts are written, but the page"
            " Forecasting scores ranked ideas alone."
        )
    keys = {"kind": kind, **_chosen(study, kind)}
    if kind == "generality":
        return keys
    with st.container(horizontal=True, vertical_alignment="bottom"):
        keys["r"] = int(
            st.number_input(
                "Papers an idea (R)", 1, 100, study.settings.r, key="run_r", width=150, **STAYS
            )
        )
        window = st.segmented_control(
            "Papers of",
            ["After the cutoff", "Before it"],
            default="After the cutoff",
            key="run_window",
            required=True,
            help="As long before the cutoff: how often would an idea have met what was there?",
            **STAYS,
        )
    return {**keys, "window": "target" if window == "After the cutoff" else "backward"}


def _chosen(study: Study, kind: Kind) -> dict[str, Any]:
    """Which ideas, by which name, how often."""
    usual = Judge(model="m", kind=kind).times
    with st.container(horizontal=True, vertical_alignment="bottom"):
        systems = st.multiselect(
            "Systems",
            sorted(study.ideas["system"].unique()),
            key="run_systems",
            placeholder="All",
            width=280,
            **STAYS,
        )
        limit = _limit()
        name = st.text_input(
            "Name in the tables", key="run_judge", placeholder="the model's", width=200, **STAYS
        ).strip()
        keys = {"systems": tuple(systems), "limit": limit, "judge": name or None}
        if kind in ("scores", "starts", "comparisons"):
            times = st.number_input(
                "Times each", 1, 100, usual, key=f"run_repeats_{kind}", width=140, **STAYS
            )
            keys["repeats"] = int(times)
    return keys


def _limit() -> int | None:
    first = st.number_input(
        "Only the first",
        1,
        None,
        None,
        1,
        key="run_limit",
        placeholder="all",
        width=140,
        help="To try a model out on a few before all are asked",
        **STAYS,
    )
    return None if first is None else int(first)


def _generate(study: Study) -> dict[str, Any]:
    literature = literature_before(study.papers, study.config.cutoff)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        system = st.text_input("System's name", key="run_system", width=200, **STAYS).strip()
        generator = st.segmented_control(
            "Generator",
            ["retrieval", "vanilla"],
            default="retrieval",
            key="run_generator",
            required=True,
            help="With literature before the cutoff, in two stages; or the topic's name alone",
            **STAYS,
        )
        per_topic = st.number_input(
            "Ideas a topic", 1, 1000, GENERATE_PER_TOPIC, key="run_per_topic", width=140, **STAYS
        )
    keys: dict[str, Any] = {"system": system, "generator": generator, "per_topic": int(per_topic)}
    if generator == "retrieval":
        with st.container(horizontal=True, vertical_alignment="bottom"):
            shown = st.number_input(
                "Papers shown", 0, 50, GENERATE_LITERATURE, key="run_literature", width=140, **STAYS
            )
            seed = st.number_input(
                "Seed",
                0,
                None,
                0,
                key="run_seed",
                width=120,
                help="Which papers each topic's ideas start from",
                **STAYS,
            )
            found = st.segmented_control(
                "Papers found by",
                ["bm25", "dense"],
                default="bm25",
                key="run_retriever",
                required=True,
                help="bm25: by words; dense: by vectors of the study's encoder, made once",
                **STAYS,
            )
        keys |= {"literature": int(shown), "seed": int(seed), "retriever": found}
    topics = st.multiselect(
        "Topics",
        list(literature.topics),
        key="run_topics",
        placeholder="All that a paper before the cutoff carries",
        **STAYS,
    )
    read = "are read" if generator == "retrieval" else "give the topics"
    st.caption(
        f"{len(literature.papers):,} papers certainly appeared by {literature.cutoff} and {read};"
        " nothing of any other reaches the model."
    )
    return {**keys, "topics": tuple(topics)}
