"""``experiment.toml``: every key told in data/README.md, every wrong one refused by name."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from experiment_helpers import EVERY_KIND, FILE
from pydantic.fields import FieldInfo

from core.config import GENERATE_MAX_TOKENS, JUDGE_REPEATS
from core.errors import DataError
from core.experiment.calls import Calls
from core.experiment.chain import steps_of
from core.experiment.schema import Experiment, headings

ROOT = Path(__file__).resolve().parents[2]
LISTS = ("fetch", "import", "generate", "forecast", "judge")


def documented() -> str:
    """The table of data/README.md."""
    rows = ["| Heading | Key | Default | Meaning |", "|---|---|---|---|"]
    parts = headings()
    for name, field in Experiment.model_fields.items():
        if (field.alias or name) not in parts:
            rows.append(_row("(top)", name, field))
    for heading, part in parts.items():
        shown = f"`[[{heading}]]`" if heading in LISTS else f"`[{heading}]`"
        shared = issubclass(part, Calls)
        for name, field in part.model_fields.items():
            own = (
                field.default != Calls.model_fields[name].default
                if shared and name in (Calls.model_fields)
                else True
            )
            if own:
                rows.append(_row(shown, field.alias or name, field))
    for name, field in Calls.model_fields.items():
        rows.append(_row("`[[generate]]`, `[[forecast]]`, `[[judge]]`", name, field))
    return "\n".join(rows)


def _row(heading: str, name: str, field: FieldInfo) -> str:
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    unsaid = default is None or default in ("", (), {})
    shown = "required" if field.is_required() else "" if unsaid else f"`{json.dumps(default)}`"
    return f"| {heading} | `{name}` | {shown} | {field.description} |"


def test_the_documentation_tells_every_key() -> None:
    assert documented() in (ROOT / "data" / "README.md").read_text(encoding="utf-8")


def test_every_key_is_described() -> None:
    for part in headings().values():
        for name, field in part.model_fields.items():
            assert field.description, f"{part.__name__}.{name}"


def test_the_example_is_read_and_has_every_usual_step(tmp_path: Path) -> None:
    made = Experiment.read(ROOT / "data" / "experiment.toml")
    names = [step.name for step in steps_of(made, tmp_path)]
    assert names == [
        "import papers 1",
        "generate retrieval",
        "generate vanilla",
        "match",
        "judge Qwen3-32B",
        "calibrate",
        "report",
    ]
    assert made.generate[0].max_tokens == GENERATE_MAX_TOKENS
    assert made.judge[0].times == JUDGE_REPEATS
    # the lines behind a # are right too
    text = (ROOT / "data" / "experiment.toml").read_text(encoding="utf-8")
    start = text.index("# [[fetch]]")
    commented = re.sub("^# ", "", text[start : text.index("[[generate]]")], flags=re.M)
    fetched = Experiment.of(tomllib.loads(f'study = "s"\n{commented}')).fetch
    assert [part.preset for part in fetched] == ["hindsight", "hindsight", None]
    assert made.new is not None
    assert fetched[0].end == made.new.cutoff
    assert fetched[2].query[0] == "Diffusion Models=diffusion models"
    start = text.index("# [[judge]]")
    commented = re.sub("^# ", "", text[start : text.index("[calibrate]")], flags=re.M)
    judged = Experiment.of(tomllib.loads(f'study = "s"\n{commented}')).judge
    assert [part.kind for part in judged] == ["formalise", "comparisons", "verdicts"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('study = "s"', 'studdy = "s"', "no key 'studdy'. Did you mean 'study'?"),
        ("[[judge]]", "[[judge]]\nrepeat = 2", "no key 'repeat' under 'judge'. Did you mean"),
        ("[[judge]]", '[[judge]]\napi_key = "x"', "read from the environment, never from this"),
        ("[match]", "[mach]", "no key 'mach'. Did you mean 'match'?"),
        ("repeats = 2", "repeats = 0", "'judge.0.repeats': Input should be greater than or equal"),
        ('"retrieval"', '"retreival"', "Did you mean 'retrieval'?"),
        ('table = "papers"', 'table = "paper"', "no table 'paper'. Did you mean 'papers'?"),
        ('system = "BL"', 'system = "RA"', "'RA' stands twice under [[generate]]"),
        ("repeats = 2", "price_in = 1", "price_in and price_out go together"),
        ("repeats = 2", "budget_cost = 1", "budget_cost needs price_in and price_out"),
        ("horizon_months = 12", "settings = {thta = 1}", "No setting 'thta'. Did you mean 'theta'"),
        ("[match]", '[[fetch]]\nsource = "arxiv"\n[match]', "need either query"),
        ("[match]", '[[fetch]]\nwhat = "references"\n[match]', "references need venue"),
        ('files = ["papers.jsonl"]', "files = []", "at least 1"),
        ("[[judge]]", '[[judge]]\nkind = "comparison"', "Did you mean 'comparisons'?"),
        (
            "[[judge]]",
            '[[judge]]\norders = "both"',
            "'orders' is no key of kind 'scores': it belongs to comparisons",
        ),
        (
            "repeats = 2",
            'kind = "verdicts"\nrepeats = 1',
            "'repeats' is no key of kind 'verdicts': it belongs to scores and starts and",
        ),
        (
            "[calibrate]",
            '[[judge]]\nmodel = "marker"',
            "'marker' stands twice under [[judge]]",
        ),
        (
            "[match]",
            '[[forecast]]\nforecaster = "recnt"\n[match]',
            "no forecaster 'recnt'. Did you mean 'recent'?",
        ),
        ("[match]", '[[forecast]]\nforecaster = "direct"\n[match]', "asks a model: name it"),
    ],
)
def test_what_is_wrong_is_refused_by_name(old: str, new: str, words: str) -> None:
    assert old in FILE
    with pytest.raises(DataError) as caught:
        Experiment.of(tomllib.loads(FILE.replace(old, new, 1)), file="my.toml")
    assert words in str(caught.value)
    assert str(caught.value).startswith("my.toml: ")


def test_every_wrong_key_is_told_at_once() -> None:
    values: dict[str, Any] = tomllib.loads(FILE)
    values |= {"sed": 1, "opn": True}
    with pytest.raises(DataError) as caught:
        Experiment.of(values)
    assert "'sed'" in str(caught.value)
    assert "'opn'" in str(caught.value)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        Experiment.read(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"study = \xff")
    with pytest.raises(DataError, match=r"bad.toml: not readable as TOML"):
        Experiment.read(tmp_path / "bad.toml")
    (tmp_path / "bom.toml").write_bytes(b'\xef\xbb\xbfstudy = "s"\n')
    assert Experiment.read(tmp_path / "bom.toml").study == "s"


def test_one_judge_may_stand_under_several_kinds() -> None:
    made = Experiment.of(tomllib.loads(EVERY_KIND))
    assert {part.name for part in made.judge} == {"marker"}
    assert len({part.step for part in made.judge}) == len(made.judge)
    # a heading without a kind is a judge's marks, as ever
    assert made.judge[-1].kind == "scores"
