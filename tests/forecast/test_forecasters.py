"""Forecasters: what they may see, what they write, and that a run goes on where it stopped."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from builders import table
from forecast_studies import CUTOFF, MARK, TOPICS, corpus_study

from core.config import Settings
from core.errors import UsageError
from core.forecast.forecasters import BASELINES, STRATEGIES, open_strategy
from core.forecast.forecasters.baselines import baseline
from core.forecast.forecasters.history import pack, tokens, visible_history
from core.forecast.forecasters.strategy import Ask
from core.forecast.forecasting import run_baseline, run_strategy
from core.forecast.stored import read_attempts
from core.judging.client import Request
from core.judging.limits import Budget
from core.judging.mock import MockClient
from core.retry import CallError
from core.study import Study

ASK = Ask(slots=5, context_tokens=2000)
EPISODES = tuple((topic, CUTOFF) for topic in TOPICS)
LONG = " ".join(f"step{n} of the method in full" for n in range(200))


def ideas_reply(count: int) -> str:
    ideas = [
        {"title": f"Idea {n}", "rationale": "why", "approach": LONG, "key_terms": ["a", "b"]}
        for n in range(1, count + 1)
    ]
    return json.dumps({"ideas": ideas})


def writer(request: Request) -> str:
    """Answers each kind of question with the form it asks for."""
    names = set(dict(request.schema)["properties"])
    if names == {"ideas"}:
        most = request.schema["properties"]["ideas"]["maxItems"]
        return ideas_reply(most)
    if names == {"innovations"}:
        item = {"problem": "p", "innovation": "i", "still_open": ""}
        return json.dumps({"innovations": [item]})
    return json.dumps({name: f"text of {name}" for name in names})


def forecast(
    study: Study, name: str, client: MockClient | None = None, episodes: Any = EPISODES, **more: Any
) -> tuple[Any, MockClient]:
    client = client or MockClient(reply=writer)
    return run_strategy(study, name, episodes, ASK, lambda: client, **more), client


def later_ideas(study: Study) -> Study:
    """Judged forecasts of later episodes, which nothing before them may learn from."""
    ideas, candidates, verdicts = [], [], []
    for rank in range(1, 31):
        name = f"later-{rank}"
        ideas.append(
            {
                "idea_id": name,
                "system": "other",
                "topic": "graphs",
                "cutoff": "2024-12-31",
                "rank": rank,
                "title": f"{MARK} graph transformer",
                "method": f"{MARK} message passing",
            }
        )
        papers = study.papers[study.papers["paper_id"].str.startswith("z")]
        own = papers[papers["published"] > "2024-12-31"]["paper_id"].iat[rank % 4]
        candidates.append({"idea_id": name, "paper_id": own, "similarity": 0.9, "rank": 1})
        verdicts.append(
            {
                "idea_id": name,
                "paper_id": own,
                "judge": "j",
                "problem": 3,
                "method": 3,
                "specificity": 3 * (rank % 2),
            }
        )
    from builders import INFO

    study = study.write("ideas", table("ideas", ideas))
    study = study.write("verdicts", table("verdicts", verdicts))
    return study.write_candidates(table("candidates", candidates), INFO)


@pytest.mark.parametrize("name", STRATEGIES)
def test_nothing_after_the_cutoff_reaches_a_prompt(name: str, tmp_path: Path) -> None:
    study = later_ideas(corpus_study(tmp_path / "s"))
    done, client = forecast(study, name)
    assert client.asked
    sent = "\n".join(m.content for request in client.asked for m in request.messages)
    assert MARK not in sent
    assert "2024-08" not in sent
    assert "1041" not in sent  # no citation count of a later paper
    assert done.forecasts == 10


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_mark_would_be_seen_a_year_later(name: str, tmp_path: Path) -> None:
    # The same papers do reach the prompts once the cutoff lies after them.
    study = corpus_study(tmp_path / "s")
    _, client = forecast(study, name, episodes=[("graphs", date(2025, 4, 30))])
    sent = "\n".join(m.content for request in client.asked for m in request.messages).casefold()
    # Papers' own words reach all; Topic Trend and MDF pass phrases on in lower case.
    assert MARK.casefold() in sent


@pytest.mark.parametrize("name", ["random", "recent", "cited"])
def test_baselines_tell_only_papers_of_the_history(name: str, tmp_path: Path) -> None:
    study = corpus_study(tmp_path / "s")
    done = run_baseline(study, name, EPISODES, ASK)
    told = done.study.ideas
    assert len(told) == 10
    assert not (told["title"] + told["method"]).str.contains(MARK).any()
    assert {extra["paper_id"][0] for extra in told["extra"]} == {"p"}


def test_baselines_by_hand(tmp_path: Path) -> None:
    study = corpus_study(tmp_path / "s")
    history = visible_history(study, "graphs", CUTOFF)
    # 'graphs' holds p000 to p023, two a month; citations are the number.
    recent = baseline("recent", history, Ask(slots=3, context_tokens=1))
    assert [d.more["paper_id"] for d in recent if d.more] == ["p023", "p022", "p021"]
    cited = baseline("cited", history, ASK, {"p001": 5.0, "p002": 9.0, "z1": 99.0})
    assert [d.more["paper_id"] for d in cited if d.more] == ["p002", "p001"]
    one, same = (baseline("random", history, Ask(slots=5, context_tokens=1, seed=1)) for _ in "ab")
    other = baseline("random", history, Ask(slots=5, context_tokens=1, seed=2))
    assert one == same != other
    assert [d.title for d in baseline("template", history, Ask(slots=1, context_tokens=1))] == [
        "A benchmark for graphs"
    ]


def test_every_baseline_runs_and_an_empty_history_is_an_attempt(tmp_path: Path) -> None:
    study = corpus_study(tmp_path / "s")
    early = [("graphs", date(2020, 1, 31))]
    for name in BASELINES:
        study = run_baseline(study, name, early, ASK).study
    attempts = {a.system: (a.forecasts, a.state) for a in read_attempts(study)}
    assert attempts["random"] == (0, "ok")
    assert attempts["template"] == (5, "ok")
    done, client = forecast(study, "direct", episodes=early)
    assert not client.asked
    assert (done.forecasts, done.open) == (0, 0)


def test_ideas_keep_the_whole_method_and_their_order(tmp_path: Path) -> None:
    for name in ("direct", "mdf"):
        done, _ = forecast(corpus_study(tmp_path / name), name)
        own = done.study.ideas[done.study.ideas["topic"] == "graphs"]
        assert own["rank"].tolist() == [1, 2, 3, 4, 5]
        assert own["title"].tolist() == [f"Idea {n}" for n in range(1, 6)]
        assert set(own["method"]) == {LONG}
        assert own["key_terms"].tolist() == [("a", "b")] * 5
        assert {extra["model"] for extra in own["extra"]} == {"mock"}
    assert all(len(extra["triple"]) == 3 for extra in own["extra"])
    assert Study.open(tmp_path / "mdf").config.models == {"mdf mock": "mock"}


def test_a_run_goes_on_where_it_stopped_and_asks_nothing_twice(tmp_path: Path) -> None:
    study = corpus_study(tmp_path / "s")
    done, client = forecast(study, "summary", budget=Budget(calls=3))
    assert done.stopped == "budget"
    assert done.open == 1
    again, more = forecast(Study.open(tmp_path / "s"), "summary")
    assert (again.open, again.forecasts) == (0, 10)
    asked = [request.messages for request in (*client.asked, *more.asked)]
    assert len(asked) == len(set(asked)) == 4
    third, none = forecast(Study.open(tmp_path / "s"), "summary")
    assert not none.asked
    assert third.study.ideas["idea_id"].tolist() == again.study.ideas["idea_id"].tolist()


def test_months_of_memory_are_asked_once_for_all_cutoffs(tmp_path: Path) -> None:
    study = corpus_study(tmp_path / "s")
    episodes = [("graphs", date(2024, 6, 30)), ("graphs", CUTOFF)]
    _, client = forecast(study, "memory", episodes=episodes)
    notes = [r for r in client.asked if "innovations" in r.schema["properties"]]
    # Six months each, five of them shared: January to June, February to July.
    assert len(notes) == 7


def test_replies_that_fail_leave_an_attempt_with_the_reason(tmp_path: Path) -> None:
    def reply(request: Request) -> str:
        if "Topic: graphs" in request.messages[1].content:
            return "I cannot help with that."
        raise CallError("server is down", status=401, hopeless=True)

    study = corpus_study(tmp_path / "s")
    done, _ = forecast(study, "direct", MockClient(reply=reply), episodes=[EPISODES[0]])
    down, _ = forecast(study, "direct", MockClient(reply=reply), episodes=[EPISODES[1]])
    states = {a.topic: a.state for a in read_attempts(study)}
    assert states == {"graphs": "refused", "agents": "call_failed"}
    assert (done.open, down.open) == (0, 1)


def test_a_name_that_others_use_is_refused(tmp_path: Path) -> None:
    study = corpus_study(tmp_path / "s")
    study = study.write(
        "ideas", table("ideas", [{"idea_id": "x", "system": "mine", "title": "t", "rank": 1}])
    )
    with pytest.raises(UsageError, match="--system NAME"):
        run_baseline(study, "random", EPISODES, ASK, system="mine")
    with pytest.raises(UsageError, match="Did you mean 'direct'"):
        open_strategy("dirct", study, Settings())


def test_the_context_budget_holds(tmp_path: Path) -> None:
    history = visible_history(corpus_study(tmp_path / "s"), "graphs", CUTOFF)
    for budget in (10, 150, 400):
        packed = pack(history.papers, budget)
        assert tokens(packed.text) <= budget + 40  # the fence's two lines
    assert pack(history.papers, 10).shown == 1
    assert pack(history.papers, 10**6).shown == len(history.papers) == 24


def test_a_second_text_has_a_second_id(tmp_path: Path) -> None:
    first, _ = forecast(corpus_study(tmp_path / "s"), "direct")
    other = MockClient(model="mock", reply=lambda r: ideas_reply(3))
    second, _ = forecast(first.study, "direct", other, parameters={"temperature": 0.1})
    assert len(second.study.ideas) == 6
    same = set(first.study.ideas["idea_id"]) & set(second.study.ideas["idea_id"])
    # The first three ideas of each topic are word for word the same.
    assert len(same) == 6


def test_the_prior_learns_from_closed_windows_only(tmp_path: Path) -> None:
    study = later_ideas(corpus_study(tmp_path / "s"))
    from core.forecast.forecasters.mdf import Mdf

    mdf = open_strategy("mdf", study, Settings(slots=30))
    assert isinstance(mdf, Mdf)
    assert len(mdf.judged) == 30
    *_, before = mdf.choose(visible_history(study, "graphs", date(2025, 3, 30)), ASK)
    assert before.ideas == 0
    assert before.untrained is not None
    # The windows of cutoff 2024-12-31 close on 2025-03-31.
    *_, after = mdf.choose(visible_history(study, "graphs", date(2025, 3, 31)), ASK)
    assert (after.ideas, after.untrained) == (30, None)
    assert 0 < after.credited < 30


def test_forecasts_are_ideas_like_others(tmp_path: Path) -> None:
    done, _ = forecast(corpus_study(tmp_path / "s"), "direct")
    read = Study.open(tmp_path / "s").ideas
    pd.testing.assert_frame_equal(read, done.study.ideas)
