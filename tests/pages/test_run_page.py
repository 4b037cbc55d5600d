"""The page "Run": the price first, nothing before it is confirmed, pause, and the key unseen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from builders import study_folder, table
from hash_encoder import HashEncoder
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner
from writer_server import serving, written_by

from core.cli import app as command
from core.experiment import background
from core.experiment.calls import Calls, Judge
from core.experiment.judge_step import JudgeStep
from core.judging.calls import CALLS_FILE, CallsLog, read_calls
from core.judging.client import Request
from core.judging.mock import MockClient
from core.matching.vectors import Step
from core.retry import CallError
from core.schema import FORMAL_PARTS
from core.study import Study
from dashboard import sidebar
from dashboard.run import form as run_form
from dashboard.run import watch

APP = str(Path(__file__).resolve().parents[2] / "dashboard" / "app.py")


class Model:
    """Stands in for every model: keeps what it was asked, and answers by the form of reply."""

    def __init__(self) -> None:
        self.asked: list[Request] = []
        self.delay = 0.0
        self.broken = False
        self.gone_after: int | None = None

    def client(self, calls: Calls) -> MockClient:
        return MockClient(model=calls.model, reply=self.reply, asked=self.asked, delay=self.delay)

    def reply(self, request: Request) -> str:
        if self.broken:
            return "no JSON"
        if self.gone_after is not None and len(self.asked) > self.gone_after:
            raise CallError("the server answered 404: no model 'm'", status=404, hopeless=True)
        text = "\n".join(message.content for message in request.messages)
        return written_by(f"{text} {len(self.asked)}", request.schema)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    made = Model()
    for name in ("FORESEEN_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(run_form, "client", made.client)
    monkeypatch.setattr(background, "_RUNS", {})
    yield made
    for run in background._RUNS.values():
        run.pause()
        run.thread.join(60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four ideas without a mark; papers of the window, and four before the cutoff."""
    folder = study_folder(tmp_path / "small", n=2, judges=())
    study = Study.open(folder)
    early = [
        {
            "paper_id": f"e{n}",
            "title": f"An early paper {n}",
            "abstract": "On things.",
            "published": "2023-01-05",
            "topics": [f"topic {n % 2}"],
        }
        for n in range(4)
    ]
    ideas = study.ideas.to_dict("records")
    for idea in ideas:  # equal texts would share their calls
        idea["method"] = f"The method of {idea['idea_id']}."
    study.write("ideas", table("ideas", ideas))
    papers = [*study.papers.to_dict("records"), *early]
    study.write("papers", table("papers", papers))
    return folder


@pytest.fixture
def whole(folder: Path) -> Path:
    """The same with ranks, and with four reviewed papers that have every score."""
    study = Study.open(folder)
    ideas = study.ideas.assign(rank=[1, 2, 1, 2])
    study = study.write("ideas", ideas.assign(topic="topic 0"))
    scores = dict.fromkeys(("rating", "contribution", "soundness"))
    references = [
        {
            "reference_id": f"r{n}",
            "title": f"A method of things {n}",
            "abstract": f"The method of things, number {n}.",
            **dict.fromkeys(scores, 1.0 + n),
        }
        for n in range(4)
    ]
    study.write("references", table("references", references))
    return folder


@pytest.fixture
def app(folder: Path, model: Model, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    return opened(folder, monkeypatch)


def opened(folder: Path, monkeypatch: pytest.MonkeyPatch, **address: str) -> AppTest:
    monkeypatch.setenv("FORESEEN_STUDIES", json.dumps([str(folder)]))
    app = AppTest.from_file(APP, default_timeout=60)
    app.switch_page("../pages/run.py")
    for name, value in address.items():
        app.query_params[name] = value
    return drawn(app)


def drawn(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception, app.exception[0].value
    return app


def texts(app: AppTest) -> str:
    kinds = ("title", "markdown", "caption", "info", "success", "warning", "error", "subheader")
    return "\n".join(str(part.value) for kind in kinds for part in app.get(kind))


def button(app: AppTest, key: str) -> Any:
    return next((each for each in app.button if each.key == key), None)


def press(app: AppTest, key: str) -> AppTest:
    found = button(app, key)
    assert found is not None, [each.key for each in app.button]
    found.click()
    return drawn(app)


def finish(folder: Path) -> background.Look:
    run = background.run_of(folder)
    assert run is not None
    run.thread.join(60)
    assert not run.thread.is_alive()
    return run.look()


def test_nothing_is_asked_before_it_is_confirmed(app: AppTest, folder: Path, model: Model) -> None:
    assert "Name a model to see what the run would take" in texts(app)
    assert button(app, "run_start") is None
    app.text_input(key="run_model").set_value("m")
    app.number_input(key="run_price_in").set_value(1.0)
    app.number_input(key="run_price_out").set_value(2.0)
    drawn(app)
    # four ideas, three times each
    assert "**12 calls**" in texts(app)
    assert "in money" in texts(app)
    assert button(app, "run_start").label == "Start: ask 12 calls"
    assert not model.asked
    assert not (folder / "calls.jsonl").exists()
    press(app, "run_start")
    look = finish(folder)
    assert (look.state, look.told[:35]) == ("done", "12 marks, 0 failed, 12 calls, cost ")
    drawn(app)
    assert "12 marks, 0 failed, 12 calls, cost" in texts(app)
    assert "12 answered already" in texts(app)
    assert len(Study.open(folder).scores) == 12
    assert button(app, "run_resume") is None


def test_a_run_is_watched_paused_and_gone_on_with(
    app: AppTest, folder: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.delay = 0.3
    app.text_input(key="run_model").set_value("m")
    app.number_input(key="run_concurrency").set_value(1)
    drawn(app)
    press(app, "run_start")
    run = background.run_of(folder)
    assert run is not None
    assert run.look().active
    assert button(app, "run_start") is None
    # another session sees the same run, and cannot start a second one
    second = opened(folder, monkeypatch)
    assert button(second, "run_pause") is not None
    assert background.start(folder, JudgeStep(Judge(model="x"))) is run
    press(second, "run_pause")
    look = finish(folder)
    assert (look.state, look.reason) == ("paused", "stopped by the user")
    kept = len(model.asked)
    assert kept < 12
    assert len(Study.open(folder).scores) == kept
    drawn(app)
    assert "stopped by the user" in texts(app)
    model.delay = 0.0
    press(app, "run_resume")
    assert finish(folder).state == "done"
    assert len(model.asked) == 12


def test_ideas_are_generated_from_what_was_there_before_the_cutoff(
    folder: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(folder, monkeypatch, run_what="Generate ideas")
    assert "4 papers certainly appeared by 2023-06-30" in texts(app)
    app.text_input(key="run_model").set_value("m")
    drawn(app)
    assert "Give the system a name" in texts(app)
    app.text_input(key="run_system").set_value("RA")
    app.number_input(key="run_per_topic").set_value(1)
    drawn(app)
    assert "**4 calls**" in texts(app)
    press(app, "run_start")
    assert finish(folder).told == "2 ideas made, 0 there already, 0 missing"
    study = Study.open(folder)
    assert (study.ideas["system"] == "RA").sum() == 2
    assert study.config.models == {"RA": "m"}
    assert study.config.cutoff == date(2023, 6, 30)
    drawn(app)
    assert "2 ideas made" in texts(app)


def test_a_failure_is_told_and_can_be_gone_on_with(
    app: AppTest, folder: Path, model: Model
) -> None:
    model.broken = True
    app.text_input(key="run_model").set_value("m")
    drawn(app)
    press(app, "run_start")
    assert finish(folder).state == "failed"
    drawn(app)
    assert "no reply could be used" in texts(app)
    assert button(app, "run_resume") is not None
    model.broken = False
    app.checkbox(key="run_retry").check()
    drawn(app)
    press(app, "run_start")
    assert finish(folder).told == "12 marks, 0 failed, 12 calls"


def test_a_budget_pauses_the_run(app: AppTest, folder: Path, model: Model) -> None:
    app.text_input(key="run_model").set_value("m")
    app.number_input(key="run_budget_calls").set_value(5)
    drawn(app)
    press(app, "run_start")
    look = finish(folder)
    assert (look.state, look.reason) == ("paused", "the budget of 5 calls is used up")
    assert len(model.asked) == 5


def test_what_does_not_go_together_starts_nothing(app: AppTest) -> None:
    app.text_input(key="run_model").set_value("m")
    app.number_input(key="run_price_in").set_value(1.0)
    assert "Give both prices or neither" in texts(drawn(app))
    assert button(app, "run_start") is None
    app.number_input(key="run_price_in").set_value(None)
    app.number_input(key="run_budget_cost").set_value(1.0)
    assert "A budget in money needs both prices" in texts(drawn(app))
    assert button(app, "run_start") is None


def test_a_system_that_is_somebody_elses_is_refused(
    folder: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(folder, monkeypatch, run_what="Generate ideas")
    app.text_input(key="run_model").set_value("m")
    app.text_input(key="run_system").set_value("vanilla")
    assert "did not come from calls of ours" in texts(drawn(app))
    assert button(app, "run_start") is None


def test_a_bundled_study_is_never_written_to(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(sidebar.DEMO, monkeypatch)
    assert "never written to" in texts(app)
    assert not [each for each in app.text_input if each.key == "run_model"]


def test_the_key_is_named_never_shown_and_led_nowhere_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_RUNS", {})
    monkeypatch.delenv("FORESEEN_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-mine-123456")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    app = opened(folder, monkeypatch)
    assert "The key is that of OPENAI_API_KEY" in texts(app).replace("\\_", "_")
    assert run_form.client(Calls(model="m")).key is not None  # type: ignore[attr-defined]
    app.text_input(key="run_address").set_value("http://elsewhere.example/v1")
    assert "is not sent to this address" in texts(drawn(app))
    assert "secret" not in texts(app)
    other = Calls(model="m", base_url="http://elsewhere.example/v1")
    assert run_form.client(other).key is None  # type: ignore[attr-defined]
    same = Calls(model="m", base_url="http://127.0.0.1:9/v1/")
    assert run_form.client(same).key is not None  # type: ignore[attr-defined]


def written(folder: Path, kind: str) -> int:
    """Rows that a kind of work has left in the study, by the judge m."""
    study = Study.open(folder)
    if kind.startswith("formalise"):
        frame = study.ideas if kind.endswith("ideas") else study.references
        return int(frame[list(FORMAL_PARTS)].notna().all(axis=1).sum())
    if kind == "generality":
        return (folder / "generality.jsonl").read_bytes().count(b"\n")
    return int((getattr(study, kind)["judge"] == "m").sum())


# Four ideas. Marks: three times each. First marks: once. Comparisons: two papers in both orders.
# Verdicts: three candidates each. Parts: one call an idea, four a paper without sections.
KINDS: dict[str, tuple[dict[str, str], dict[str, int], list[str], int, int]] = {
    "scores": ({"run_what": "Judge ideas"}, {}, [], 12, 12),
    "formalise ideas": (
        {"run_what": "Compare with papers", "run_compare": "Formal parts: ideas"},
        {},
        ["--table", "ideas"],
        4,
        4,
    ),
    "formalise references": (
        {"run_what": "Compare with papers", "run_compare": "Formal parts: papers"},
        {},
        ["--table", "references"],
        16,
        4,
    ),
    "starts": (
        {"run_what": "Compare with papers", "run_compare": "First marks"},
        {},
        ["--no-embedding"],
        4,
        4,
    ),
    "comparisons": (
        {"run_what": "Compare with papers"},
        {"run_references": 2},
        ["--references", "2", "--no-embedding"],
        16,
        16,
    ),
    "verdicts": ({"run_what": "Grade forecasts"}, {"run_r": 3}, ["--r", "3"], 12, 12),
    "generality": (
        {"run_what": "Grade forecasts", "run_grade": "By themselves"},
        {},
        [],
        4,
        4,
    ),
}


def set_up(folder: Path, kind: str, patch: pytest.MonkeyPatch, **more: str) -> AppTest:
    """The page with the form of a kind filled in, up to the button that starts it."""
    address, numbers, *_ = KINDS[kind]
    app = opened(folder, patch, **address)
    app.text_input(key="run_model").set_value("m")
    for key, value in more.items():
        app.text_input(key=key).set_value(value)
    for key, number in numbers.items():
        app.number_input(key=key).set_value(number)
    if kind in ("starts", "comparisons"):
        app.button_group(key="run_found").set_value("Words")
    app.number_input(key="run_concurrency").set_value(1)
    return drawn(app)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_started_paused_and_gone_on_with(
    kind: str, whole: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, calls, rows = KINDS[kind]
    app = set_up(whole, kind, monkeypatch)
    assert f"**{calls} calls**" in texts(app)
    assert not model.asked
    model.delay = 0.2
    press(app, "run_start")
    assert button(app, "run_start") is None
    press(app, "run_pause")
    assert finish(whole).state == "paused"
    kept = len(model.asked)
    assert kept < calls
    drawn(app)
    assert "stopped by the user" in texts(app)
    model.delay = 0.0
    press(app, "run_resume")
    assert finish(whole).state == "done"
    assert len(model.asked) == calls
    assert written(whole, kind) == rows
    drawn(app)
    assert "0 failed" in texts(app)
    # what has its parts is not asked for them again; all else is answered already
    answered = "0 calls" if kind.startswith("formalise") else f"{calls} answered already"
    assert answered in texts(app)


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_command_began_the_page_ends_and_asks_only_what_is_missing(
    kind: str, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, options, calls, rows = KINDS[kind]
    for name in ("FORESEEN_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(background, "_RUNS", {})
    words = ["judge", kind.split()[0], str(whole), "--model", "m", *options]
    with serving() as server:
        done = CliRunner().invoke(
            command, [*words, "--base-url", server.url, "--concurrency", "1", "--budget-calls", "3"]
        )
        assert done.exit_code == 0, done.output
        assert len(server.bodies) == 3
        app = set_up(whole, kind, monkeypatch, run_address=server.url)
        # parts of a paper come four at a time, or none: the three that came are answered
        left = calls - 3
        assert f"**{left} call{'s' * (left > 1)}**" in texts(app)
        press(app, "run_start")
        assert finish(whole).state == "done"
        assert len(server.bodies) == calls
    made = read_calls(whole / CALLS_FILE).calls
    assert len({call.cache_key for call in made}) == len(made) == calls
    assert written(whole, kind) == rows


def test_a_server_that_goes_away_is_told_and_what_came_is_kept(
    app: AppTest, folder: Path, model: Model
) -> None:
    model.gone_after = 5
    app.text_input(key="run_model").set_value("m")
    app.number_input(key="run_concurrency").set_value(1)
    drawn(app)
    press(app, "run_start")
    look = finish(folder)
    assert (look.state, look.told[:7]) == ("failed", "5 marks")
    drawn(app)
    assert "no model 'm'" in texts(app)
    assert len(Study.open(folder).scores.query("state == 'ok'")) == 5
    model.gone_after = None
    press(app, "run_resume")
    assert finish(folder).told.startswith("12 marks, 0 failed, 7 calls")


def test_another_process_at_the_same_study_is_told_of(
    app: AppTest, folder: Path, model: Model
) -> None:
    app.text_input(key="run_model").set_value("m")
    drawn(app)
    with CallsLog(folder / CALLS_FILE):
        press(app, "run_start")
        assert finish(folder).state == "failed"
    drawn(app)
    assert "another run is writing there" in texts(app)
    assert not model.asked
    press(app, "run_resume")
    assert finish(folder).told.startswith("12 marks")


def test_a_few_are_tried_before_all(app: AppTest, folder: Path, model: Model) -> None:
    app.text_input(key="run_model").set_value("m")
    app.number_input(key="run_limit").set_value(1)
    assert "**3 calls**" in texts(drawn(app))
    press(app, "run_start")
    assert finish(folder).told == "3 marks, 0 failed, 3 calls"
    # the form stays as it was, after a run too
    assert drawn(app).number_input(key="run_limit").value == 1
    app.number_input(key="run_limit").set_value(None)
    assert "**9 calls**, 3 answered already" in texts(drawn(app))


@pytest.mark.parametrize(
    ("what", "gone", "lacks", "way"),
    [
        ("Compare with papers", "references", "no reviewed papers", "foreseen fetch references"),
        ("Grade forecasts", "candidates", "No search has paired", "foreseen match"),
        ("Generate ideas", "papers", "No paper certainly appeared", "foreseen fetch papers"),
        ("Judge ideas", "ideas", "holds no ideas yet", "foreseen import ideas"),
    ],
)
def test_what_is_lacking_is_said_with_the_way_to_it(
    what: str,
    gone: str,
    lacks: str,
    way: str,
    folder: Path,
    model: Model,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if gone == "candidates":
        for path in (folder / "derived").glob("candidates*"):
            path.unlink()
    elif gone != "references":
        study = Study.open(folder)
        study.write(gone, getattr(study, gone).iloc[:0])
    app = opened(folder, monkeypatch, run_what=what)
    assert lacks in texts(app)
    assert way in "\n".join(each.value for each in app.get("code"))
    assert not [each for each in app.text_input if each.key == "run_model"]
    if what == "Judge ideas":
        press(app, "run_to_generate")
        assert app.text_input(key="run_system").value == ""


def test_comparisons_say_that_ideas_lack_formal_parts_and_where_they_are_made(
    whole: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = set_up(whole, "comparisons", monkeypatch)
    assert "4 of 4 ideas have no formal parts" in texts(app)
    assert "in the step ‘Formal parts: ideas’ first" in texts(app).replace("\\", "")
    assert "foreseen judge" not in texts(app)
    app.button_group(key="run_compare").set_value("Formal parts: papers")
    assert "0 of 4 reviewed papers are in the four formal parts" in texts(drawn(app))


def test_seed_and_retrieval_of_a_generator_are_chosen(
    folder: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(folder, monkeypatch, run_what="Generate ideas")
    app.text_input(key="run_model").set_value("m")
    app.text_input(key="run_system").set_value("RA")
    app.number_input(key="run_per_topic").set_value(1)
    app.number_input(key="run_seed").set_value(7)
    press(drawn(app), "run_start")
    finish(folder)
    run = background.run_of(folder)
    assert run is not None
    assert (run.step.part.seed, run.step.part.retriever) == (7, "bm25")  # type: ignore[union-attr]
    assert (Study.open(folder).ideas["system"] == "RA").sum() == 2
    drawn(app).button_group(key="run_retriever").set_value("dense")
    app.number_input(key="run_per_topic").set_value(2)
    assert "**4 calls**" in texts(drawn(app))
    assert "Papers near by words stand in here" in texts(app)


def test_an_address_that_is_none_and_a_missing_key_are_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_RUNS", {})
    for name in ("FORESEEN_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    app = opened(folder, monkeypatch)
    app.text_input(key="run_model").set_value("m")
    assert "needs a key" in texts(drawn(app))
    assert button(app, "run_start") is None
    app.text_input(key="run_address").set_value("localhost:8000")
    assert "‘Address of the server’ must begin with http" in texts(drawn(app))
    assert button(app, "run_start") is None


def test_vectors_that_are_made_first_are_told_of(whole: Path, model: Model) -> None:
    step = JudgeStep(Judge(kind="comparisons", model="m", references=1))
    run = background.start(whole, step, client=model.client, encoder=HashEncoder())
    look = finish(whole)
    assert (look.state, run.look().told) == ("done", "8 comparisons, 0 failed, 8 calls")
    assert look.encoding == Step(stage="references", done=4, total=4)
    early = replace(look, state="running", progress=None)
    assert watch.progress_text(early) == "judge comparisons m: starting, 4 of 4 texts encoded …"


def test_where_all_is_answered_no_cost_is_told(app: AppTest, folder: Path, model: Model) -> None:
    app.text_input(key="run_model").set_value("m")
    press(drawn(app), "run_start")
    finish(folder)
    assert "**0 calls**, 12 answered already." in texts(drawn(app))
    assert button(app, "run_start").label == "Write what is answered"
