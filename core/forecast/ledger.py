"""Forecasts, their candidates and their verdicts as dense arrays, one row an episode.

Laid out once for a study; the gate, the judge and R are applied to it when read, so no control
needs a search, a judge or a join.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import Settings
from core.errors import DataError
from core.forecast.geometry import Geometry, read_geometry, searched_pool
from core.forecast.stored import files_stamp, read_attempts
from core.hindsight.memo import once_per_study
from core.matching.pools import idea_cutoffs, pools
from core.schema import STATES
from core.study import Study

UNJUDGED = "unjudged"
GRADES = ("problem", "method", "specificity")
EPISODE = ["system", "topic", "cutoff"]
_NONE = -1


@dataclass(frozen=True, kw_only=True, eq=False)
class Ledger:
    """Every (system, topic, cutoff) that has forecasts, or was asked for and answered none.

    ``episodes``: system, topic, cutoff, forecasts (how many the system gave, more than the slots
    included), sorted. ``ideas`` (episodes, slots): row in ``study.ideas`` or −1. ``papers``
    (episodes, slots, depth): row in ``study.papers`` of each candidate by similarity, or −1.
    ``judges`` in alphabetical order; ``grades`` (judges, episodes, slots, depth, 3), −1 where
    there is none; ``states`` (judges, episodes, slots, depth): index into ``STATE_NAMES``, −1
    where there is no candidate. ``clusters`` (episodes, slots, depth): the cluster of each
    candidate in its target pool, −1 where unknown; ``cluster_totals`` (episodes,): clusters of
    the pool, 0 where unknown; ``novelty`` (episodes, slots): nan where unknown.
    ``has_geometry``: whether clusters and novelty have been worked out for these tables.
    """

    episodes: pd.DataFrame
    ideas: NDArray[np.int64]
    papers: NDArray[np.int64]
    judges: tuple[str, ...]
    grades: NDArray[np.int8]
    states: NDArray[np.int8]
    clusters: NDArray[np.int8]
    cluster_totals: NDArray[np.int64]
    novelty: NDArray[np.float64]
    has_geometry: bool

    def first(self, r: int) -> Ledger:
        """The ledger of the first ``r`` candidates of every forecast."""
        return replace(
            self,
            papers=self.papers[:, :, :r],
            grades=self.grades[:, :, :, :r],
            states=self.states[:, :, :, :r],
            clusters=self.clusters[:, :, :r],
        )


STATE_NAMES = (*STATES, UNJUDGED)


def judged_pairs(study: Study, ideas: NDArray[np.int64], papers: NDArray[np.int64]) -> Ledger:
    """A ledger of any ideas, (episodes, slots), beside any papers, (episodes, slots, depth);
    without names of episodes and without what vectors tell."""
    judges = tuple(sorted(study.verdicts["judge"].unique().tolist()))
    grades, states = _verdicts(study, judges, ideas, papers)
    return Ledger(
        episodes=pd.DataFrame(),
        ideas=ideas,
        papers=papers,
        judges=judges,
        grades=grades,
        states=states,
        clusters=np.full(papers.shape, _NONE, np.int8),
        cluster_totals=np.zeros(len(ideas), np.int64),
        novelty=np.full(ideas.shape, np.nan),
        has_geometry=False,
    )


def with_candidates(study: Study, laid: Ledger, by_idea: NDArray[np.int64]) -> Ledger:
    """The same forecasts beside other candidates, (ideas, r) rows of papers; no clusters."""
    papers = by_idea[np.maximum(laid.ideas, 0)]
    papers[laid.ideas == _NONE] = _NONE
    grades, states = _verdicts(study, laid.judges, laid.ideas, papers)
    return replace(
        laid,
        papers=papers,
        grades=grades,
        states=states,
        clusters=np.full(papers.shape, _NONE, np.int8),
        cluster_totals=np.zeros_like(laid.cluster_totals),
    )


def ledger(study: Study, settings: Settings) -> Ledger:
    """Lay out a study's forecasts; ideas without a rank are no forecasts and take no part.

    Raises :class:`DataError` where the study has no forecasts, no candidates, or ranks within
    an episode that are not 1 to n (it names the episode).
    """
    ambiguous = settings.ambiguous_dates == "include"
    return _ledger(study, settings.slots, settings.r, ambiguous, files_stamp(study))


@once_per_study(4)
def _ledger(study: Study, slots: int, r: int, ambiguous: bool, _stamp: object) -> Ledger:
    if study.candidates is None:
        raise DataError("The study has no candidates yet. Run `foreseen match`.")
    forecasts = _forecasts(study)
    episodes = _episodes(study, forecasts)
    where = pd.MultiIndex.from_frame(episodes[EPISODE])
    number = where.get_indexer(pd.MultiIndex.from_frame(forecasts[EPISODE]))
    place = forecasts["rank"].to_numpy(int) - 1
    kept = place < slots
    ideas = np.full((len(episodes), slots), _NONE)
    ideas[number[kept], place[kept]] = forecasts["row"].to_numpy()[kept]
    by_idea = first_candidates(study, r, ambiguous=ambiguous)
    papers = by_idea[np.maximum(ideas, 0)]
    papers[ideas == _NONE] = _NONE
    judges = tuple(sorted(study.verdicts["judge"].unique().tolist()))
    grades, states = _verdicts(study, judges, ideas, papers)
    found = read_geometry(study)
    return Ledger(
        episodes=episodes,
        ideas=ideas,
        papers=papers,
        judges=judges,
        grades=grades,
        states=states,
        **_measured(study, found, episodes, ideas, papers),
        has_geometry=found is not None,
    )


def _episodes(study: Study, forecasts: pd.DataFrame) -> pd.DataFrame:
    """Episodes with forecasts, and those asked for that gave none."""
    counted = forecasts.groupby(EPISODE, sort=True).size().rename("forecasts").reset_index()
    asked = pd.DataFrame(
        [(a.system, a.topic, a.cutoff, 0) for a in read_attempts(study) if a.answered],
        columns=[*EPISODE, "forecasts"],
    )
    if asked.empty:
        return counted
    asked["cutoff"] = asked["cutoff"].to_numpy(dtype="datetime64[D]")
    both = pd.concat([counted, asked.astype(counted.dtypes)], ignore_index=True)
    return both.groupby(EPISODE, sort=True)["forecasts"].max().reset_index()


def _forecasts(study: Study) -> pd.DataFrame:
    frame = study.ideas[["idea_id", "system", "topic", "rank"]].copy()
    frame["topic"] = frame["topic"].fillna("")
    frame["cutoff"] = idea_cutoffs(study.ideas, study.config)
    frame["row"] = np.arange(len(frame))
    frame = frame[frame["rank"].notna()]
    if frame.empty:
        raise DataError("The study has no forecasts: no idea has a rank.")
    ordered = frame.sort_values([*EPISODE, "rank"], kind="stable")
    due = ordered.groupby(EPISODE, sort=True).cumcount() + 1
    wrong = ordered["rank"].to_numpy(int) != due.to_numpy()
    if wrong.any():
        system, topic, cutoff = ordered.loc[wrong, EPISODE].iloc[0]
        own = (frame[EPISODE] == [system, topic, cutoff]).all(axis=1)
        ranks = sorted(frame.loc[own, "rank"].tolist())
        raise DataError(
            f"ideas: the ranks of system '{system}', topic '{topic}', cutoff"
            f" {pd.Timestamp(cutoff).date()} are {', '.join(map(str, ranks))};"
            f" they must be 1 to {len(ranks)}, each once."
        )
    return frame


def first_candidates(
    study: Study, r: int, *, ambiguous: bool = False, of: pd.DataFrame | None = None
) -> NDArray[np.int64]:
    """Each idea's first ``r`` candidates, (ideas, r): rows of papers, −1 where there are fewer.

    By rank of the search, which settles equal similarities by paper_id. The stored ones in each
    idea's target pool, or those of the frame ``of`` as they are. Raises :class:`DataError` where
    the study has no candidates.
    """
    if study.candidates is None and of is None:
        raise DataError("The study has no candidates yet. Run `foreseen match`.")
    found = study.candidates if of is None else of
    assert found is not None
    idea = pd.Index(study.ideas["idea_id"]).get_indexer(found["idea_id"])
    paper = pd.Index(study.papers["paper_id"]).get_indexer(found["paper_id"])
    rank = found["rank"].to_numpy(int)
    known = (idea >= 0) & (paper >= 0)
    if of is None:
        own = pools(study.ideas, study.papers, study.config, searched_pool(study, study.settings))
        admitted = own.admitted(ambiguous=ambiguous)
        known[known] &= admitted[own.groups[idea[known]], paper[known]]
    order = np.lexsort((rank[known], idea[known]))
    idea, paper = idea[known][order], paper[known][order]
    place = np.arange(len(idea)) - np.searchsorted(idea, idea, side="left")
    by_idea = np.full((len(study.ideas), r), _NONE)
    early = place < r
    by_idea[idea[early], place[early]] = paper[early]
    return by_idea


def _measured(
    study: Study,
    found: Geometry | None,
    episodes: pd.DataFrame,
    ideas: NDArray[np.int64],
    papers: NDArray[np.int64],
) -> dict[str, Any]:
    """Clusters of candidates, clusters of each pool, and novelty of forecasts, where known."""
    clusters = np.full(papers.shape, _NONE, np.int8)
    totals = np.zeros(len(episodes), np.int64)
    novelty = np.full(ideas.shape, np.nan)
    if found is None:
        return {"clusters": clusters, "cluster_totals": totals, "novelty": novelty}
    by_idea = found.novelty.set_index("idea_id")["novelty"]
    values = by_idea.reindex(study.ideas["idea_id"]).to_numpy(float)
    novelty[ideas >= 0] = values[ideas[ideas >= 0]]
    frame = found.clusters
    days = episodes["cutoff"].to_numpy(dtype="datetime64[D]")
    if found.info.pool == "topic":
        own = pd.MultiIndex.from_arrays([episodes["topic"], days])
        held = pd.MultiIndex.from_arrays(
            [frame["topic"], frame["cutoff"].to_numpy(dtype="datetime64[D]")]
        )
    else:
        own = pd.Index(days)
        held = pd.Index(frame["cutoff"].to_numpy(dtype="datetime64[D]"))
    groups = own.unique()
    group, held_group = groups.get_indexer(own), groups.get_indexer(held)
    row = pd.Index(study.papers["paper_id"]).get_indexer(frame["paper_id"])
    known = (held_group >= 0) & (row >= 0)
    labels = frame["cluster"].to_numpy(int)[known]
    width = max(len(study.papers), 1)
    index = pd.Index(held_group[known] * width + row[known])
    wanted = np.where(papers >= 0, group[:, None, None] * width + papers, _NONE)
    at = index.get_indexer(wanted.ravel()).reshape(papers.shape)
    clusters[at >= 0] = labels[at[at >= 0]]
    most = np.zeros(len(groups), np.int64)
    np.maximum.at(most, held_group[known], labels + 1)
    return {"clusters": clusters, "cluster_totals": most[group], "novelty": novelty}


def _verdicts(
    study: Study, judges: tuple[str, ...], ideas: NDArray[np.int64], papers: NDArray[np.int64]
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    width = max(len(study.papers), 1)
    pairs = np.where(papers >= 0, ideas[:, :, None] * width + papers, _NONE)
    shape = (len(judges), *papers.shape)
    grades = np.full((*shape, 3), _NONE, np.int8)
    states = np.full(shape, _NONE, np.int8)
    frame = study.verdicts
    idea = pd.Index(study.ideas["idea_id"]).get_indexer(frame["idea_id"])
    paper = pd.Index(study.papers["paper_id"]).get_indexer(frame["paper_id"])
    for number, judge in enumerate(judges):
        own = ((frame["judge"] == judge) & (idea >= 0) & (paper >= 0)).to_numpy()
        index = pd.Index(idea[own] * width + paper[own])
        at = index.get_indexer(pairs.ravel()).reshape(pairs.shape)
        there = (pairs >= 0) & (at >= 0)
        state = pd.Index(STATE_NAMES).get_indexer(frame.loc[own, "state"])
        marks = frame.loc[own, list(GRADES)].astype("float64").fillna(_NONE).to_numpy(np.int8)
        complete = (marks >= 0).all(axis=1)
        state = np.where((state == 0) & ~complete, STATE_NAMES.index("parse_failed"), state)
        states[number] = np.where(pairs >= 0, STATE_NAMES.index(UNJUDGED), _NONE)
        states[number][there] = state[at[there]]
        ok = there.copy()
        ok[there] = state[at[there]] == 0
        grades[number][ok] = marks[at[ok]]
    return grades, states
