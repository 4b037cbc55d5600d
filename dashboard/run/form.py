"""What is to be asked of a model: the form of the page Run, and the step that it makes."""

from __future__ import annotations

import os
from typing import Any

import streamlit as st

from core.config import (
    GENERATE_MAX_TOKENS,
    JUDGE_CONCURRENCY,
    JUDGE_MAX_TOKENS,
    JUDGE_TEMPERATURE,
)
from core.experiment.background import ModelStep
from core.experiment.calls import Calls, Generate, Judge
from core.experiment.judge_step import JudgeStep
from core.experiment.model_steps import GenerateStep
from core.judging.client import ChatClient, OpenAIClient
from core.keys import KEY_VARIABLES, find_key
from core.study import Study
from dashboard import state
from dashboard.prose import plain
from dashboard.run import kinds, needs
from dashboard.run.kinds import STAYS
from dashboard.run.needs import GENERATE, JUDGE, WORKS


def client(calls: Calls) -> ChatClient:
    """The client of a run that a page starts.

    A page may be open to others, and its address field must not lead the server's key away: the
    key goes to the address that the environment names and to no other.
    """
    own = _own_address(calls.base_url)
    return OpenAIClient(
        model=calls.model,
        base_url=calls.base_url,
        key=find_key() if own else None,
        timeout=calls.timeout,
    )


def key_text(base_url: str | None) -> str:
    """Whether a key goes along, and from where it is; never the key."""
    key = find_key()
    if key is None:
        return f"No key is set ({' or '.join(KEY_VARIABLES)}); a local server needs none."
    if not _own_address(base_url):
        return (
            f"The key ({key.source}) is not sent to this address: it goes to the one that"
            " OPENAI_BASE_URL names alone, else to OpenAI's."
        )
    return f"The key is that of {key.source}; it is not shown and not kept."


def draw(study: Study) -> ModelStep | None:
    """The form; the step that it describes, None while something is missing."""
    what = st.segmented_control(
        "What", list(WORKS), default=JUDGE, key="run_what", required=True, **state.BOUND
    )
    if not needs.met(study, what):
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model = st.text_input(
            "Model", key="run_model", placeholder="as its server names it", width=280, **STAYS
        ).strip()
        address = st.text_input(
            "Address of the server",
            key="run_address",
            placeholder=os.environ.get("OPENAI_BASE_URL") or "http://localhost:8000/v1",
            help="OpenAI-compatible: vLLM, Ollama, llama.cpp …; empty: OPENAI_BASE_URL's, else"
            " OpenAI's",
            width=340,
            **STAYS,
        ).strip()
    own = kinds.own(study, what)
    pace = _pace(GENERATE_MAX_TOKENS if what == GENERATE else JUDGE_MAX_TOKENS, what)
    st.caption(plain(key_text(address or None)))
    if not model:
        st.markdown("Name a model to see what the run would take.")
        return None
    if (pace["price_in"] is None) != (pace["price_out"] is None):
        st.warning("Give both prices or neither.", icon=":material/payments:")
        return None
    if pace["budget_cost"] is not None and pace["price_in"] is None:
        st.warning("A budget in money needs both prices.", icon=":material/payments:")
        return None
    shared = {"model": model, "base_url": address or None, **pace}
    if what != GENERATE:
        return JudgeStep(Judge(**shared, **own))
    if not own["system"]:
        st.markdown("Give the system a name.")
        return None
    return GenerateStep(Generate(**shared, **own), seed=0)


def _pace(max_tokens: int, what: str) -> dict[str, Any]:
    with (
        st.expander("Sampling, pace, prices and budget"),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        temperature = st.number_input(
            "Temperature",
            0.0,
            2.0,
            JUDGE_TEMPERATURE,
            0.1,
            format="%g",
            key="run_temperature",
            width=150,
            **STAYS,
        )
        longest = st.number_input(
            "Longest reply, tokens",
            1,
            100_000,
            max_tokens,
            key=f"run_tokens_{what}",
            width=180,
            **STAYS,
        )
        concurrency = st.number_input(
            "Calls at once", 1, 256, JUDGE_CONCURRENCY, key="run_concurrency", width=140, **STAYS
        )
        price_in = _optional("Price of a million tokens in", "run_price_in")
        price_out = _optional("Price of a million tokens out", "run_price_out")
        budget = _optional("Stop after so much money", "run_budget_cost")
        calls = _optional("Stop after so many calls", "run_budget_calls", whole=True)
        again = st.checkbox("Ask again where a reply was not readable", key="run_retry", **STAYS)
    return {
        "temperature": temperature,
        "max_tokens": int(longest),
        "concurrency": int(concurrency),
        "price_in": price_in,
        "price_out": price_out,
        "budget_cost": budget,
        "budget_calls": calls,
        "retry_failed": again,
    }


def _optional(label: str, key: str, *, whole: bool = False) -> Any:
    if whole:
        return st.number_input(label, 0, None, None, 1, key=key, width=220, **STAYS)
    return st.number_input(label, 0.0, None, None, key=key, width=220, **STAYS)


def _own_address(base_url: str | None) -> bool:
    """Whether an address is the one that the environment names, or none is given."""
    return base_url is None or base_url.rstrip("/") == os.environ.get("OPENAI_BASE_URL", "").rstrip(
        "/"
    )
