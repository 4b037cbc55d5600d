"""The chain: what runs, what is skipped and why, and how it goes on after a stop."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import pytest
from experiment_helpers import (
    CALLS,
    EVERY_KIND,
    FILE,
    Bench,
    ran,
    reply,
    states,
    write_papers,
    write_references,
)

from core.errors import DataError, UsageError
from core.experiment.judge_step import BY_WORDS
from core.judging.calls import read_calls
from core.judging.client import Request
from core.judging.run import StopSignal
from core.retry import CallError
from core.schema import FORMAL_PARTS
from core.study import Study

PACE = """budget_calls = 9
budget_tokens = 9
budget_cost = 9
concurrency = 1
rpm = 9
tpm = 9
timeout = 9
price_in = 9
price_out = 9
retry_failed = true"""
STEPS = [
    "new",
    "import papers 1",
    "generate RA",
    "generate BL",
    "match",
    "judge marker",
    "calibrate",
]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    write_papers(tmp_path)
    return Bench(tmp_path)


def test_from_an_empty_folder_to_scores(bench: Bench) -> None:
    done = bench.run()
    assert ran(done) == STEPS
    assert len(bench.asked) == CALLS
    study = Study.open(bench.base / "s")
    assert (len(study.papers), len(study.ideas), len(study.scores)) == (12, 8, 16)
    assert study.config.models == {"RA": "writer", "BL": "writer"}
    score = study.score()
    assert [row.system for row in score.systems] == ["BL", "RA"]
    assert study.settings.theta != 0.95
    assert any("import papers 1: done" in line for line in bench.lines)


def test_the_same_again_does_nothing_and_says_why(bench: Bench) -> None:
    bench.run()
    before = Study.open(bench.base / "s").digest
    again = bench.run()
    assert ran(again) == []
    assert not bench.asked
    assert not bench.encoder.encoded
    assert Study.open(bench.base / "s").digest == before
    for step in again.steps[1:]:
        assert step.state == "skipped"
        assert "nothing it depends on has changed since 20" in step.reason
        assert step.told


@pytest.mark.parametrize(
    ("old", "new", "rerun", "why"),
    [
        ("repeats = 2", "repeats = 3", ["judge marker"], "its keys changed"),
        ("depth = 5", "depth = 4", ["match", "calibrate"], "texts, dates or topics changed"),
        ("[calibrate]", "[calibrate]\nfalse_match_rate = 0.2", ["calibrate"], "its keys changed"),
        (
            'model = "writer"\nper_topic = 2\nliterature',
            'model = "writer"\nper_topic = 3\nliterature',
            ["generate RA", "match", "judge marker", "calibrate"],
            "its keys changed",
        ),
        ("repeats = 2", f"repeats = 2\n{PACE}", [], ""),
        ("literature = 2", 'literature = 2\nbase_url = "http://elsewhere/v1"', [], ""),
    ],
)
def test_a_change_of_the_file_runs_what_hangs_on_it(
    old: str, new: str, rerun: list[str], why: str, bench: Bench
) -> None:
    bench.run()
    assert old in FILE
    done = bench.run(FILE.replace(old, new))
    assert ran(done) == rerun
    if rerun:
        assert any(f"{rerun[0]}: runs, as {why}" in line for line in bench.lines)


def test_more_papers_run_what_reads_them(bench: Bench) -> None:
    bench.run()
    study = Study.open(bench.base / "s")
    ideas, scores = study.ideas.copy(), len(study.scores)
    write_papers(bench.base, per_topic=5)
    done = bench.run()
    # ideas that are there stay, so the judge has nothing new to read
    assert ran(done) == ["import papers 1", "generate RA", "match", "calibrate"]
    assert "the literature by the cutoff changed" in "\n".join(bench.lines)
    after = Study.open(bench.base / "s")
    assert len(after.papers) == 20
    stayed = after.ideas[after.ideas["idea_id"].isin(ideas["idea_id"])]
    assert stayed["method"].tolist() == ideas["method"].tolist()
    assert len(after.scores) == scores


def test_a_result_that_is_gone_is_made_again_without_a_call(bench: Bench) -> None:
    bench.run()
    (bench.base / "s" / "scores.parquet").unlink()
    done = bench.run()
    assert ran(done) == ["judge marker"]
    assert "16 of its rows are gone" in "\n".join(bench.lines)
    assert not bench.asked
    (bench.base / "s" / "derived" / "candidates.parquet").unlink()
    assert ran(bench.run()) == ["match"]
    assert not bench.encoder.encoded
    study = Study.open(bench.base / "s")
    study.write("ideas", study.ideas.iloc[:-1].reset_index(drop=True))
    assert ran(bench.run())[0] == "generate BL"
    assert not bench.asked


class Killed(BaseException):
    """Stands for a kill: no handler of errors sees it, and nothing after it is written."""


@pytest.mark.parametrize("calls", [0, 3, 8, 9, 12, 13, 20])
def test_killed_anywhere_it_goes_on_and_asks_nothing_twice(calls: int, bench: Bench) -> None:
    def dying(request: Request) -> str:
        if len(bench.asked) > calls:
            raise Killed
        return reply(request)

    bench.reply, text = dying, FILE.replace("per_topic", "concurrency = 1\nper_topic")
    text = text.replace("repeats", "concurrency = 1\nrepeats")
    with pytest.raises(Killed):
        bench.run(text)
    log = bench.base / "s" / "calls.jsonl"
    assert len(read_calls(log).calls) == calls
    bench.reply = reply
    second = bench.run(text)
    assert second.stopped is None
    assert len(bench.asked) == CALLS - calls
    # eight calls are RA's, four BL's
    here = "generate RA" if calls < 8 else "generate BL" if calls < 12 else "judge marker"
    place = STEPS.index(here)
    assert [states(second)[name] for name in STEPS[:place]] == ["skipped"] * place
    assert ran(second) == STEPS[place:]
    assert len({call.cache_key for call in read_calls(log).calls}) == CALLS


def test_a_stop_by_the_user_ends_the_chain_with_what_came(bench: Bench) -> None:
    stop = StopSignal()

    def stopping(request: Request) -> str:
        stop.soft.set()
        return reply(request)

    bench.reply, bench.more, bench.delay = stopping, {"stopping": lambda: nullcontext(stop)}, 0.3
    first = bench.run(FILE.replace("per_topic", "concurrency = 1\nper_topic"))
    assert first.cause == "interrupted"
    assert first.stopped == "stopped by the user"
    assert [states(first)[name] for name in STEPS[2:4]] == ["stopped", "not reached"]
    kept = len(bench.asked)
    assert kept < 8  # of the calls of this step
    bench.reply, bench.more, bench.delay = reply, {}, 0.0
    assert bench.run().stopped is None
    assert len(bench.asked) == CALLS - kept


def test_a_step_that_died_counts_as_not_done(bench: Bench) -> None:
    """A kill in the middle of a step that had run before: going back to the old inputs must not
    skip it."""

    def killed(texts: object) -> None:
        raise Killed

    bench.run()
    encode = bench.encoder.encode
    bench.encoder.encode = killed  # type: ignore[assignment,method-assign]
    write_papers(bench.base, per_topic=4)
    with pytest.raises(Killed):
        bench.run()
    bench.encoder.encode = encode  # type: ignore[method-assign]
    entries = json.loads((bench.base / "s" / "derived" / "run.json").read_text())["steps"]
    assert "match" not in entries
    assert "judge marker" in entries
    assert "match" in ran(bench.run())


def test_a_budget_ends_the_chain_and_the_next_run_goes_on(bench: Bench) -> None:
    text = FILE.replace("repeats = 2", "repeats = 2\nbudget_calls = 10")
    first = bench.run(text)
    assert (first.cause, len(bench.asked)) == ("budget", 12 + 10)
    assert states(first)["calibrate"] == "not reached"
    second = bench.run(text)
    assert second.stopped is None
    assert len(bench.asked) == 6
    assert ran(second) == ["judge marker", "calibrate"]


def test_a_server_that_is_not_there_ends_the_chain(bench: Bench) -> None:
    def down(request: Request) -> str:
        raise CallError("no such model", status=404, hopeless=True)

    bench.reply = down
    done = bench.run()
    assert done.cause == "server"
    assert states(done)["generate RA"] == "stopped"
    assert states(done)["match"] == "not reached"
    bench.reply = reply
    assert bench.run().stopped is None


def test_failed_replies_are_kept_until_they_are_to_be_asked_again(bench: Bench) -> None:
    turns = []

    def once(request: Request) -> str:
        turns.append(request)
        return "no JSON" if len(turns) == 1 else reply(request)

    bench.reply = once
    done = bench.run()
    assert "3 ideas made, 0 there already, 1 missing" in "\n".join(bench.lines)
    assert done.stopped is None
    assert ran(bench.run()) == []
    text = FILE.replace("literature = 2", "literature = 2\nretry_failed = true")
    done = bench.run(text)
    assert ran(done)[0] == "generate RA"
    assert "1 replies failed, and retry_failed is set" in "\n".join(bench.lines)
    assert ran(bench.run(text)) == []


def test_a_dry_run_writes_nothing(bench: Bench) -> None:
    done = bench.run(dry_run=True)
    assert list(states(done)) == STEPS
    assert set(states(done).values()) == {"would run"}
    assert sorted(path.name for path in bench.base.iterdir()) == ["papers.jsonl"]
    bench.run()
    before = {p: p.read_bytes() for p in (bench.base / "s").rglob("*") if p.is_file()}
    text = FILE.replace("repeats = 2", "repeats = 3\nprice_in = 1\nprice_out = 2")
    done = bench.run(text, dry_run=True)
    found = {step.name: step for step in done.steps}
    assert found["match"].state == "skipped"
    guess = found["judge marker"].estimate
    assert guess is not None
    assert (guess.calls, guess.cached) == (8, 16)
    assert guess.cost is not None
    assert found["calibrate"].reason == "a step before it may change its inputs"
    assert any("8 calls, about" in line for line in bench.lines)
    assert not bench.asked
    assert {p: p.read_bytes() for p in (bench.base / "s").rglob("*") if p.is_file()} == before


def test_a_step_can_be_run_again(bench: Bench) -> None:
    bench.run()
    done = bench.run(again=["match"])
    assert ran(done) == ["match"]
    assert "--again names it" in "\n".join(bench.lines)
    with pytest.raises(UsageError, match=r"--again 'mach': no such step\. Did you mean 'match'"):
        bench.run(again=["mach"])


def test_another_study_in_the_folder_is_refused(bench: Bench) -> None:
    bench.run()
    with pytest.raises(UsageError, match=r"its cutoff is 2023-06-30, and \[new\] says 2024-01-31"):
        bench.run(FILE.replace("2023-06-30", "2024-01-31"))
    # settings that later steps write are no other study
    assert ran(bench.run(FILE.replace("horizon_months = 12", ""))) == []


def test_without_new_the_study_must_be_there(bench: Bench) -> None:
    text = 'study = "s"\n[match]\n'
    with pytest.raises(UsageError, match=r"holds no study and the file has no \[new\]"):
        bench.run(text)
    bench.run()
    assert states(bench.run(text))["new"] == "skipped"


def test_a_file_that_is_not_there_is_told(bench: Bench) -> None:
    (bench.base / "papers.jsonl").rename(bench.base / "other.jsonl")
    with pytest.raises(DataError, match=r"papers.jsonl: no such file \(under \[\[import\]\]"):
        bench.run()
    with pytest.raises(DataError, match="no file has such a name"):
        bench.run(FILE.replace("papers.jsonl", "paper*.jsonl"))
    assert ran(bench.run(FILE.replace("papers.jsonl", "o*.jsonl")))[0] == "import papers 1"


def test_a_broken_journal_only_costs_time(bench: Bench) -> None:
    bench.run()
    (bench.base / "s" / "derived" / "run.json").write_text("{")
    done = bench.run()
    assert "not readable" in "\n".join(bench.lines)
    assert ran(done) == STEPS[1:]
    assert not bench.asked
    assert not bench.encoder.encoded
    assert ran(bench.run()) == []


def test_the_report_is_written_where_the_study_changed(bench: Bench) -> None:
    written: list[Path] = []

    def write(study: Path, output: Path) -> None:
        written.append(output)
        output.write_text("report")

    bench.more = {"write_report": write}
    text = FILE + '[report]\noutput = "out.html"\n'
    bench.run(text)
    bench.run(text)
    assert written == [bench.base / "out.html"]
    bench.run(text.replace("repeats = 2", "repeats = 3"))
    (bench.base / "out.html").unlink()
    assert ran(bench.run(text.replace("repeats = 2", "repeats = 3"))) == ["report"]
    assert len(written) == 3


def test_literature_found_by_vectors_hangs_on_the_encoder(tmp_path: Path) -> None:
    write_papers(tmp_path)
    text = FILE.replace(
        'generator = "retrieval"\n', 'generator = "retrieval"\nretriever = "dense"\n'
    )
    bench = Bench(tmp_path)
    assert "generate RA" in ran(bench.run(text))
    assert {e.get("retriever") for e in Study.open(tmp_path / "s").ideas["extra"]} == {
        "dense",
        None,
    }
    assert ran(bench.run(text)) == []
    config = tmp_path / "s" / "study.toml"
    config.write_text(config.read_text().replace('encoder = "minilm"', 'encoder = "other"'))
    done = bench.run(text)
    assert "generate RA" in ran(done)
    assert any("the encoder" in line for line in bench.lines)
    # ideas that are there stay: nothing is asked for them again
    assert not any(each.schema_name == "generate_problem" for each in bench.asked)


EVERY_STEP = [
    "new",
    "import papers 1",
    "import references 2",
    "generate BL",
    "forecast recent",
    "forecast direct writer",
    "match",
    "judge formalise ideas marker",
    "judge formalise references marker",
    "judge marker",
    "judge starts marker",
    "judge comparisons marker",
    "judge pairs marker",
    "judge verdicts marker",
    "judge generality marker",
]


@pytest.fixture
def every(bench: Bench) -> Bench:
    write_references(bench.base)
    return bench


def test_every_kind_of_judgement_in_the_order_in_which_one_needs_another(every: Bench) -> None:
    done = every.run(EVERY_KIND)
    assert ran(done) == EVERY_STEP
    study = Study.open(every.base / "s")
    # BL: an idea a topic; recent and direct: one for each topic's episode
    assert len(study.ideas) == 2 + 2 + 2
    assert study.ideas[list(FORMAL_PARTS)].notna().all(axis=None)
    assert study.references[list(FORMAL_PARTS)].notna().all(axis=None)
    # six ideas: one mark, one start, two references in both orders, two candidates; three pairs
    assert (len(study.scores), len(study.starts)) == (6, 6)
    assert (len(study.comparisons), len(study.verdicts)) == (6 * 2 * 2 + 3, 6 * 2)
    # what was compared are the parts, as they were made first
    text = "\n".join(m.content for r in every.asked for m in r.messages if "FIRST" in m.content)
    assert "Core breakthrough" in text
    asked = len(every.asked)
    again = every.run(EVERY_KIND)
    assert set(states(again).values()) == {"skipped"}
    assert not every.asked
    assert len(read_calls(every.base / "s" / "calls.jsonl").calls) == asked


@pytest.mark.parametrize("calls", [1, 3, 12, 32, 50, 65])
def test_killed_in_any_kind_it_goes_on_and_asks_nothing_twice(calls: int, every: Bench) -> None:
    def dying(request: Request) -> str:
        if len(every.asked) > calls:
            raise Killed
        return reply(request)

    every.reply = dying
    with pytest.raises(Killed):
        every.run(EVERY_KIND)
    log = every.base / "s" / "calls.jsonl"
    assert len(read_calls(log).calls) == calls
    every.reply = reply
    second = every.run(EVERY_KIND)
    assert second.stopped is None
    done = read_calls(log).calls
    assert len(every.asked) == len(done) - calls
    assert len({call.cache_key for call in done}) == len(done)
    place = next(at for at, name in enumerate(EVERY_STEP) if states(second)[name] == "ran")
    assert ran(second) == EVERY_STEP[place:]
    assert place >= EVERY_STEP.index("generate BL")
    assert len(Study.open(every.base / "s").comparisons) == 27


@pytest.mark.parametrize(
    ("old", "new", "rerun"),
    [
        ("references = 2", "references = 3", ["judge comparisons marker"]),
        ("r = 2", "r = 3", ["judge verdicts marker"]),
        ("pairs = 3", "pairs = 2", ["judge pairs marker"]),
    ],
)
def test_a_kind_runs_again_where_its_own_keys_changed(
    old: str, new: str, rerun: list[str], every: Bench
) -> None:
    every.run(EVERY_KIND)
    assert ran(every.run(EVERY_KIND.replace(f"\n{old}\n", f"\n{new}\n"))) == rerun


def test_a_new_reference_runs_what_meets_references(every: Bench) -> None:
    every.run(EVERY_KIND)
    path = every.base / "references.jsonl"
    with path.open("a") as file:
        file.write('{"reference_id": "r9", "title": "A late one", "abstract": "On graphs."}\n')
    assert ran(every.run(EVERY_KIND)) == [
        "import references 2",
        "judge formalise references marker",
        "judge starts marker",
        "judge comparisons marker",
        "judge pairs marker",
    ]
    assert Study.open(every.base / "s").references[list(FORMAL_PARTS)].notna().all(axis=None)


def test_a_dry_run_of_comparisons_encodes_nothing(every: Bench) -> None:
    every.run(EVERY_KIND)
    text = EVERY_KIND.replace("\nreferences = 2", "\nreferences = 3")
    found = {step.name: step for step in every.run(text, dry_run=True).steps}
    guess = found["judge comparisons marker"].estimate
    assert guess is not None
    # each of six ideas meets one more, in both orders; equal prompts share a call
    assert (guess.judgements, guess.cached) == (36, 24)
    assert not any(BY_WORDS in line for line in every.lines)
    for suffix in ("npy", "json"):
        (every.base / "s" / "derived" / "vectors" / "hash" / f"references.{suffix}").unlink()
    every.run(text, dry_run=True)
    assert any(BY_WORDS in line for line in every.lines)
    assert not every.encoder.encoded


def test_a_budget_is_for_all_stages_of_formal_parts(every: Bench) -> None:
    rows = [
        {
            "reference_id": f"p{n}",
            "title": f"P{n}",
            "extra": {"sections": {f"A{n}": "x", "B": f"y {n}"}},
        }
        for n in range(2)
    ]
    path = every.base / "references.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    text = EVERY_KIND[: EVERY_KIND.index("[[generate]]")] + (
        '[[judge]]\nkind = "formalise"\ntable = "references"\nmodel = "marker"\nbudget_calls = 4\n'
    )
    done = every.run(text)
    # two calls to know the sections; of the eight for parts two are left
    assert (done.cause, len(every.asked)) == ("budget", 4)
    text = text.replace("budget_calls = 4", "")
    assert every.run(text).stopped is None
    assert len(every.asked) == 6
