"""The simulated verdicts of two judges on candidates of simulated forecasts, and ratings.

A verdict follows from what is planted on the pair (same problem, same method), from how much the
forecast says of its method, from the judge's leaning and from the seed; the similarity plays no
part. So the search decides only which pairs are judged, not how.

Where the window before the cutoff has been searched (`foreseen forecast diagnose --encode`), its
papers are graded too, for every second cutoff and without reasons, which keeps the file small. What
is planted shows there: past-titles repeats its history, so it meets more papers in that window than
in the one that it should foresee; summary looks ahead and does not.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from core.config import Settings
from core.errors import DataError
from core.forecast.geometry import read_geometry
from core.forecast.ledger import first_candidates, ledger
from core.forecast.stored import RATINGS_FILE
from core.ingest.tabular import write_rows
from core.judging.generality import RATINGS
from core.judging.generality import TABLE as RATING_TABLE
from core.schema import TABLES, admit
from core.study import Study

FEW_WORDS = 8
RATER = "outcome-blind-rater"
FAILING_JUDGE, FAILING_SYSTEM, FAILED_EPISODES = "strict-judge", "direct", 4
_STRAY_FAILURES = 0.0008


@dataclass(frozen=True, kw_only=True)
class VerdictJudge:
    """Chances that mark a judge's leaning: ``full`` full marks for the same problem or method,
    ``generous`` a near miss taken for a match, ``fills_in`` a method read into few words,
    ``specific`` the highest specificity, ``forgives`` a vague forecast."""

    name: str
    full: float
    generous: float
    fills_in: float
    specific: float
    forgives: float


JUDGES = (
    VerdictJudge(
        name="lenient-judge", full=0.9, generous=0.12, fills_in=0.6, specific=0.6, forgives=0.5
    ),
    VerdictJudge(
        name="strict-judge", full=0.7, generous=0.02, fills_in=0.25, specific=0.35, forgives=0.1
    ),
)


@dataclass(frozen=True, kw_only=True)
class _Pair:
    """What is planted on a forecast and a paper."""

    problem: str
    method: str
    same_problem: bool
    same_method: bool
    terse: bool
    vague: bool


def simulate_verdicts(study: Study, seed: int = 0) -> pd.DataFrame:
    """The verdicts of both judges on the first R candidates of every forecast, and on those of
    the window before where it has been searched.

    ``study`` comes from :func:`core.simulation.forecasts.write_forecasts` and has been matched.
    Of ``direct`` the strict judge failed on all candidates of four episodes. Raises
    :class:`DataError` where rows lack what is planted.
    """
    pairs, failed = _judged_pairs(study, seed)
    before = _pairs_before(study)
    ideas = study.ideas.set_index("idea_id")
    papers = study.papers.set_index("paper_id")
    rows = []
    for idea_id, paper_id in (*pairs, *before):
        planted = _planted(ideas.loc[idea_id], papers.loc[paper_id], idea_id, paper_id)
        for judge in JUDGES:
            rng = _stream(seed, judge.name, idea_id, paper_id)
            row: dict[str, Any] = {"idea_id": idea_id, "paper_id": paper_id, "judge": judge.name}
            if judge.name == FAILING_JUDGE and idea_id in failed:
                row |= {"state": "call_failed", "reason": "The call timed out."}
            else:
                row |= _verdict(rng, judge, planted)
            rows.append(row | {"reason": None} if (idea_id, paper_id) in before else row)
    frame, problems = admit(TABLES["verdicts"], pd.DataFrame(rows, dtype=object), file="verdicts")
    assert not problems, problems
    return frame


def simulate_ratings(study: Study, seed: int = 0) -> pd.DataFrame:
    """Outcome-blind ratings of every forecast by one rater: how particular each is by itself.

    Concrete forecasts are rated 2 or 3 throughout, vague ones lower; where few words or none
    tell the method, that rating is 0 or 1. Nothing that came later plays a part.
    """
    rows = []
    for idea in study.ideas.to_dict("records"):
        rng = _stream(seed, RATER, str(idea["idea_id"]))
        method = idea["method"] if isinstance(idea["method"], str) else ""
        terse = len(method.split()) < FEW_WORDS
        usual = 0.9 if idea["extra"].get("vague") else 2.4
        means = dict.fromkeys(RATINGS, usual)
        means |= {"method": 0.4} if terse else {}
        means |= {"setting": 1.2, "claim": 0.6} if not method else {}
        shaken = {name: mean + 0.5 * rng.standard_normal() for name, mean in means.items()}
        marks = {name: int(np.clip(np.rint(mark), 0, 3)) for name, mark in shaken.items()}
        low = min(marks, key=lambda name: marks[name])
        reason = f"Least is said of its {low}." if marks[low] < 2 else "It is concrete throughout."
        rows.append({"idea_id": idea["idea_id"], "judge": RATER, **marks, "reason": reason})
    frame, problems = admit(RATING_TABLE, pd.DataFrame(rows, dtype=object), file=RATINGS_FILE)
    assert not problems, problems
    return frame


def write_verdicts(folder: str | Path, *, seed: int = 0) -> Study:
    """Grade the stored candidates of a simulated study of forecasts and rate its forecasts."""
    study = Study.open(folder)
    graded = study.write("verdicts", simulate_verdicts(study, seed), suffix=".csv")
    write_rows(simulate_ratings(study, seed), Path(folder) / RATINGS_FILE)
    return graded


def _judged_pairs(study: Study, seed: int) -> tuple[list[tuple[str, str]], set[str]]:
    """Pairs by idea and paper, with ambiguous dates or without, and the ideas that one judge
    failed on."""
    pairs: set[tuple[str, str]] = set()
    ids, papers = study.ideas["idea_id"].to_numpy(), study.papers["paper_id"].to_numpy()
    for dates in ("include", "exclude"):
        laid = ledger(study, Settings.of({"ambiguous_dates": dates}, base=study.settings))
        at = np.nonzero(laid.papers >= 0)
        forecasts = ids[laid.ideas[at[0], at[1]]].tolist()
        pairs |= set(zip(forecasts, papers[laid.papers[at]].tolist(), strict=True))
    own = np.flatnonzero(laid.episodes["system"] == FAILING_SYSTEM)
    chosen = np.random.default_rng([seed, len(own)]).permutation(own)[:FAILED_EPISODES]
    failed = {str(ids[row]) for row in laid.ideas[chosen].ravel().tolist() if row >= 0}
    return sorted(pairs), failed


def _pairs_before(study: Study) -> dict[tuple[str, str], None]:
    """Pairs of the window before every second cutoff, sorted; none where it was not searched."""
    found = read_geometry(study)
    if found is None:
        return {}
    days = sorted(study.ideas["cutoff"].unique())[1::2]
    own = study.ideas["cutoff"].isin(days).to_numpy()
    near = first_candidates(study, study.settings.r, of=found.backward)[own]
    rows, places = np.nonzero(near >= 0)
    ids = study.ideas.loc[own, "idea_id"].to_numpy()[rows].tolist()
    papers = study.papers["paper_id"].to_numpy()[near[rows, places]].tolist()
    return dict.fromkeys(sorted(zip(ids, papers, strict=True)))


def _planted(idea: pd.Series, paper: pd.Series, idea_id: str, paper_id: str) -> _Pair:
    mine, theirs = idea["extra"].get("direction"), paper["extra"].get("direction")
    if mine is None or theirs is None:
        lacking = f"idea {idea_id}" if mine is None else f"paper {paper_id}"
        raise DataError(
            f"{lacking} has no planted direction. Make the study with"
            " `foreseen simulate DIR --forecasts`."
        )
    method = idea["method"] if isinstance(idea["method"], str) else ""
    return _Pair(
        problem=mine[0],
        method=theirs[1],
        same_problem=mine[0] == theirs[0],
        same_method=mine[1] == theirs[1],
        terse=len(method.split()) < FEW_WORDS,
        vague=bool(idea["extra"].get("vague")),
    )


def _stream(seed: int, *names: str) -> np.random.Generator:
    """A generator of its own for each judge and pair, so that no other pair moves a verdict."""
    text = "\x1f".join((str(seed), *names))
    return np.random.default_rng(
        int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
    )


def _verdict(rng: np.random.Generator, judge: VerdictJudge, pair: _Pair) -> dict[str, Any]:
    chance = rng.random(6)
    if chance[5] < _STRAY_FAILURES:
        if chance[4] < 0.5:
            return {"state": "refused", "reason": "I cannot compare these two."}
        return {"state": "parse_failed", "reason": "Problem: rather close. Method: close."}
    problem = (2 + (chance[0] < judge.full)) if pair.same_problem else int(chance[0] > 0.7)
    if pair.same_method:
        method = 2 + (chance[1] < judge.full)
        if pair.terse and chance[2] >= judge.fills_in:
            method = 1
    elif pair.same_problem and chance[1] < judge.generous:
        method = 2
    else:
        method = int(chance[1] > 0.75)
    if not (pair.same_problem or pair.same_method):
        specificity = int(chance[3] > 0.4)
    elif pair.vague:
        specificity = 1 + (chance[3] < judge.forgives)
    elif pair.terse:
        specificity = 1 + (chance[3] < judge.fills_in + 0.2)
    else:
        specificity = 2 + (chance[3] < judge.specific)
    grades = {"problem": int(problem), "method": int(method), "specificity": int(specificity)}
    return {"state": "ok", **grades, "reason": _reason(pair, **grades)}


def _reason(pair: _Pair, *, problem: int, method: int, specificity: int) -> str:
    """Two short sentences that fit the grades."""
    if problem >= 2 and method >= 2:
        told = f"Both take {pair.method} to {pair.problem}."
    elif problem >= 2:
        told = f"Both are about {pair.problem}, but the paper turns to {pair.method}."
    elif method >= 2:
        told = f"The paper uses {pair.method} too, on another problem than {pair.problem}."
    else:
        told = f"The paper is not about {pair.problem}."
    closing = {
        0: "Nothing in the forecast points to it.",
        1: "The forecast is too general to point to it.",
        2: "The forecast is fairly specific.",
        3: "The forecast names what the paper did.",
    }
    return f"{told} {closing[specificity]}"
