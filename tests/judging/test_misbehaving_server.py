"""Against a server that misbehaves: every state is counted right and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from judging_helpers import PARAMETERS, FastClock, ask, study_of
from misbehaving import MARKS, Server, serving

from core.errors import UsageError
from core.judging.calls import read_calls
from core.judging.client import OpenAIClient
from core.judging.judgements import judge
from core.judging.limits import Limits
from core.judging.scores import rebuild_scores, score_tasks
from core.retry import RetryPolicy
from core.study import Study


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def client(server: Server, **more: object) -> OpenAIClient:
    return OpenAIClient(model="m", base_url=server.url, **({"timeout": 5.0} | more))  # type: ignore[arg-type]


# behaviour: (state, requests that the server saw, words of the reason)
EXPECTED = {
    "well": ("ok", 1, None),
    "429": ("ok", 2, None),
    "429-after": ("ok", 2, None),
    "429-date": ("ok", 2, None),
    "429-always": ("call_failed", 3, "429"),
    "500": ("ok", 2, None),
    "503-always": ("call_failed", 3, "503: overloaded"),
    "400": ("call_failed", 4, "context length exceeded"),  # one a form of reply
    "reset": ("ok", 2, None),
    "half-body": ("ok", 2, None),
    "not-json": ("ok", 2, None),
    "error-200": ("ok", 2, None),
    "half-json": ("parse_failed", 1, "no well-formed JSON object"),
    "wrong-type": ("parse_failed", 1, "'novelty' must be a whole number, not '7'"),
    "boolean": ("parse_failed", 1, "not True"),
    "fraction": ("parse_failed", 1, "not 7.5"),
    "out-of-range": ("parse_failed", 1, "'overall' must be from 1 to 10, not 11"),
    "missing-key": ("parse_failed", 1, "'impact' is missing"),
    "extra-key": ("parse_failed", 1, "'bonus' was not asked for"),
    "duplicate-key": ("parse_failed", 1, "'novelty' stands twice"),
    "cut-off": ("parse_failed", 1, "cut off"),
    "empty": ("parse_failed", 1, "empty"),
    "null": ("parse_failed", 1, "empty"),
    "empty-choices": ("parse_failed", 1, "no choices"),
    "refusal-field": ("refused", 1, "I will not rate this."),
    "refusal-phrase": ("refused", 1, "can't help"),
    "filtered": ("refused", 1, "content_filter"),
    "wrapped": ("ok", 1, None),
    "thinking": ("ok", 1, None),
}


def test_every_misbehaviour_ends_in_its_state(server: Server, tmp_path: Path) -> None:
    study = study_of(tmp_path / "s", list(EXPECTED))
    tasks = score_tasks(study, repeats=1).tasks
    # one at a time, so that the order of failures in a row is known
    report = ask(
        tasks,
        client(server),
        tmp_path / "calls.jsonl",
        limits=Limits(concurrency=1),
        retry=RetryPolicy(attempts=3),
    )
    found = {outcome.task.key["idea_id"]: outcome for outcome in report.outcomes}
    for place, (name, (state, requests, reason)) in enumerate(EXPECTED.items()):
        outcome = found[f"a{place}"]
        assert (name, outcome.reading.state) == (name, state)
        assert (name, server.asked[f"a{place}"]) == (name, requests)
        row = outcome.row("j")
        if state == "ok":
            assert {k: row[k] for k in MARKS} == MARKS
        else:
            assert reason is not None
            assert reason in (outcome.reading.reason or "")
            assert not {"novelty", "overall"} & set(row)
    states = [state for state, _, _ in EXPECTED.values()]
    for state in ("ok", "refused", "parse_failed", "call_failed"):
        assert getattr(report, state) == states.count(state)
    assert report.unasked == 0
    assert report.stopped is None
    kept = read_calls(tmp_path / "calls.jsonl").calls
    assert [call.state for call in kept] == states
    assert all(call.request and call.request["messages"][0]["role"] == "system" for call in kept)


def test_the_waits_are_those_the_server_asks_for(server: Server, tmp_path: Path) -> None:
    waits = {}
    for name in ("429-after", "429-date", "429"):
        clock = FastClock()
        study = study_of(tmp_path / name, [name])
        ask(
            score_tasks(study, repeats=1).tasks,
            client(server),
            tmp_path / f"{name}.jsonl",
            clock=clock,
        )
        server.asked.clear()
        waits[name] = sum(clock.slept)
    assert 7 <= waits["429-after"] < 8  # Retry-After: 7, and less than a second of jitter
    assert 0.5 <= waits["429"] <= 1  # half to all of the first back-off


def test_a_hanging_server_is_left_after_the_timeout(server: Server, tmp_path: Path) -> None:
    study = study_of(tmp_path / "s", ["hang"])
    report = ask(
        score_tasks(study, repeats=1).tasks,
        client(server, timeout=0.3),
        tmp_path / "calls.jsonl",
        retry=RetryPolicy(attempts=2),
    )
    assert (report.ok, report.call_failed, server.asked["a0"]) == (0, 1, 2)
    failed = next(o for o in report.outcomes if o.reading.state == "call_failed")
    assert failed.reading.reason == "no reply within 0.3 s"
    assert [attempt["reason"] for attempt in failed.call.attempts] == ["no reply within 0.3 s"]


@pytest.mark.parametrize("name", ["401", "404", "no-quota", "429-tomorrow"])
def test_what_cannot_get_better_stops_the_run(name: str, server: Server, tmp_path: Path) -> None:
    study = study_of(tmp_path / "s", ["well", name, *["well"] * 8])
    report = ask(
        score_tasks(study, repeats=1).tasks,
        client(server),
        tmp_path / "calls.jsonl",
        limits=Limits(concurrency=1),
    )
    assert report.stopped == "server"
    assert (report.ok, report.call_failed, report.unasked) == (1, 1, 8)


def test_a_server_that_is_gone_is_given_up(tmp_path: Path) -> None:
    with serving() as gone:
        url = gone.url
    study = study_of(tmp_path / "s", ["well"] * 30)
    report = ask(
        score_tasks(study, repeats=1).tasks,
        OpenAIClient(model="m", base_url=url),
        tmp_path / "calls.jsonl",
        limits=Limits(concurrency=1, give_up_after=4),
        retry=RetryPolicy(attempts=2),
    )
    assert (report.stopped, report.call_failed, report.unasked) == ("server", 4, 26)
    assert "4 calls in a row failed" in (report.stop_reason or "")


@pytest.mark.parametrize(
    ("refused", "mode"),
    [
        ((), "json_schema"),
        (("json_schema",), "json_object"),
        (("json_schema", "json_object"), "text"),
    ],
)
def test_the_form_of_reply_that_a_server_takes_is_found_and_kept(
    refused: tuple[str, ...], mode: str, server: Server, tmp_path: Path
) -> None:
    server.refused_forms = refused
    study = study_of(tmp_path / "s", ["well"] * 3)
    report = ask(
        score_tasks(study, repeats=1).tasks,
        client(server),
        tmp_path / "calls.jsonl",
        limits=Limits(concurrency=1),
    )
    assert report.ok == 3
    assert [call.mode for call in read_calls(tmp_path / "calls.jsonl").calls] == [mode] * 3
    forms = [body.get("response_format", {}).get("type", "text") for body in server.bodies]
    assert forms[-2:] == [mode, mode]  # the search was made once


def test_only_the_missing_and_then_only_the_failed_are_asked(
    server: Server, tmp_path: Path
) -> None:
    study = study_of(tmp_path / "s", ["well", "half-json", "503-always", "refusal-field"])
    tasks = score_tasks(study, repeats=2)
    retry = RetryPolicy(attempts=1)

    def go(**more: object) -> tuple[int, int, int]:
        server.asked.clear()
        report = judge(
            study,
            client(server),
            tasks,
            parameters=PARAMETERS,
            retry=retry,
            **more,  # type: ignore[arg-type]
        ).run
        return report.cached, report.kept_failures, report.calls

    assert go() == (0, 0, 8)
    assert go() == (2, 4, 2)  # what was never answered is missing
    assert dict(server.asked) == {"a2": 2}
    assert go(retry_failed=True) == (2, 0, 6)
    assert dict(server.asked) == {"a1": 2, "a2": 2, "a3": 2}


def test_the_table_has_every_state_and_can_be_made_again(server: Server, tmp_path: Path) -> None:
    study = study_of(tmp_path / "s", ["well", "half-json", "refusal-field", "400"])
    report = judge(study, client(server), score_tasks(study, repeats=2), parameters=PARAMETERS)
    table = Study.open(tmp_path / "s").scores
    assert table.groupby("idea_id")["state"].agg(list).to_dict() == {
        "a0": ["ok", "ok"],
        "a1": ["parse_failed"] * 2,
        "a2": ["refused"] * 2,
        "a3": ["call_failed"] * 2,
    }
    failed = table[table["state"] != "ok"]
    assert failed[["novelty", "feasibility", "impact", "overall"]].isna().all(axis=None)
    assert failed["reason"].notna().all()
    calls = read_calls(tmp_path / "s" / "calls.jsonl").by_id()
    assert all(
        calls[call_id].key["idea_id"] == idea
        for idea, call_id in zip(table["idea_id"], table["call_id"], strict=True)
    )
    digest = report.study.digest
    next((tmp_path / "s").glob("scores.*")).unlink()
    rebuilt = rebuild_scores(Study.open(tmp_path / "s"))
    assert rebuilt.digest == digest


def test_marks_of_others_are_not_written_over(server: Server, tmp_path: Path) -> None:
    from builders import table

    study = study_of(tmp_path / "s", ["well"])
    row = {"idea_id": "a0", "judge": "m", "novelty": 3}
    study = study.write("scores", table("scores", [row]), suffix=".csv")
    with pytest.raises(UsageError, match="did not come from calls"):
        judge(study, client(server), score_tasks(study, repeats=1))
    judge(study, client(server), score_tasks(study, repeats=1), judge="n")
    assert sorted(Study.open(tmp_path / "s").scores["judge"]) == ["m", "n"]
    assert server.asked["a0"] == 1


def test_no_more_calls_at_once_than_allowed(server: Server, tmp_path: Path) -> None:
    server.delay = 0.02
    study = study_of(tmp_path / "s", ["well"] * 24)
    report = ask(
        score_tasks(study, repeats=1).tasks,
        client(server),
        tmp_path / "calls.jsonl",
        limits=Limits(concurrency=4),
    )
    assert report.ok == 24
    assert 2 <= server.most_at_once <= 4


def test_a_model_that_wants_the_newer_name_of_the_limit(server: Server, tmp_path: Path) -> None:
    from misbehaving import BEHAVIOURS, Handler, well

    def newer(handler: Handler, turn: int) -> None:
        if "max_tokens" in server.bodies[-1]:
            handler.error(400, "'max_tokens' is not supported. Use 'max_completion_tokens'.")
        else:
            well(handler, turn)

    BEHAVIOURS["newer"] = newer
    study = study_of(tmp_path / "s", ["newer", "newer"])
    report = ask(
        score_tasks(study, repeats=1).tasks,
        client(server),
        tmp_path / "calls.jsonl",
        limits=Limits(concurrency=1),
    )
    assert report.ok == 2
    assert [sorted(b)[0] for b in server.bodies] == ["max_tokens", *["max_completion_tokens"] * 2]
    assert (
        json.loads((tmp_path / "calls.jsonl").read_text().splitlines()[0])["mode"] == "json_schema"
    )
