"""Model families by name, and judges flagged that judge their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import study
from judging_helpers import study_of

from core.config import StudyConfig
from core.judging.families import families, family_flags, study_family_flags
from core.judging.judgements import judge
from core.judging.mock import MockClient
from core.judging.scores import score_families, score_tasks
from core.study import Study


@pytest.mark.parametrize(
    ("model", "found"),
    [
        ("gpt-4o-2024-08-06", ("gpt",)),
        ("openai/o3-mini", ("gpt",)),
        ("chatgpt-4o-latest", ("gpt",)),
        ("claude-sonnet-4-20250514", ("claude",)),
        ("models/gemini-2.5-pro", ("gemini",)),
        ("google/gemma-3-27b-it", ("gemini",)),
        ("meta-llama/Llama-3.3-70B-Instruct", ("llama",)),
        ("Qwen/QwQ-32B", ("qwen",)),
        ("mistralai/Mixtral-8x7B", ("mistral",)),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", ("deepseek", "qwen")),
        ("microsoft/phi-4", ("phi",)),
        ("grok-4", ("grok",)),
        ("/models/llama.cpp/SmolLM2-135M.gguf", ("smollm",)),
        ("C:\\ollama\\qwen3.gguf", ("qwen",)),
        ("ResearchAgent", ()),
        ("vanilla", ()),
        ("philosophy", ()),
        ("photo1", ()),
        ("", ()),
    ],
)
def test_the_family_is_read_from_the_name(model: str, found: tuple[str, ...]) -> None:
    assert families(model) == found


def test_same_other_and_unknown_are_three_answers() -> None:
    flags = family_flags(
        {"human": "human", "j": "gpt-4o"}, ["A", "B", "gpt-4.1"], {"A": "o3", "B": "claude-4"}
    )
    found = {(flag.judge, flag.system): flag.same for flag in flags}
    assert found == {
        ("human", "A"): None,
        ("human", "B"): None,
        ("human", "gpt-4.1"): None,
        ("j", "A"): True,
        ("j", "B"): False,
        ("j", "gpt-4.1"): True,
    }
    assert all((flag.reason is None) == (flag.same is not None) for flag in flags)
    assert "judge 'human'" in str(flags[0].reason)


def test_a_judge_may_be_named_in_the_study_too() -> None:
    flags = family_flags({"J1": "J1"}, ["A"], {"A": "gpt-5", "J1": "gpt-4o"})
    assert flags[0].same is True


def test_only_systems_that_a_judge_marked_are_flagged() -> None:
    made = study(
        ideas=[{"idea_id": "i", "system": "A"}, {"idea_id": "k", "system": "B"}],
        scores=[{"idea_id": "i", "judge": "gpt-4o"}, {"idea_id": "k", "judge": "claude-4"}],
    )
    flags = study_family_flags(made.scores, made.ideas, {"A": "gpt-4.1"}, {})
    assert [(f.judge, f.system, f.same) for f in flags] == [
        ("claude-4", "B", None),
        ("gpt-4o", "A", True),
    ]


def test_a_run_and_a_study_tell_the_families(tmp_path: Path) -> None:
    made = study_of(tmp_path / "s", ["well", "well"], models={"one": "gpt-4.1", "two": "claude-4"})
    report = judge(made, MockClient(model="gpt-4o"), score_tasks(made, repeats=1), judge="J")
    assert {(f.system, f.same) for f in report.families} == {("one", True), ("two", False)}
    assert score_families(Study.open(tmp_path / "s")) == report.families
    read = StudyConfig.read(tmp_path / "s" / "study.toml")
    assert read.models == {"one": "gpt-4.1", "two": "claude-4"}
