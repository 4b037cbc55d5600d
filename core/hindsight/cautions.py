"""What a reader must know before believing a score."""

from __future__ import annotations

from core.config import PAPER_ENCODER, PAPER_THETA, UNKNOWN_CITATIONS_WARNING
from core.hindsight.impact import normalized
from core.hindsight.memo import once_per_study
from core.hindsight.panel import NO_TOPIC, ideas_of, panel
from core.hindsight.results import Caution, Score
from core.study import Study

DATES_WARNING = 0.05


def cautions(study: Study, result: Score) -> tuple[Caution, ...]:
    """Warnings that bear on ``result``, the gravest first; each with a stable code."""
    found = [
        *_of_study(study),
        *_of_threshold(study, result),
        *_of_candidates(study, result),
        *_of_leakage(study, result),
        *_of_pool(study, result),
        *_of_depth(study, result),
        *_of_resampling(study, result),
    ]
    return tuple(Caution(code=code, message=message) for code, message in found)


def _of_study(study: Study) -> list[tuple[str, str]]:
    found = []
    if study.config.simulated:
        found.append(
            ("simulated", "This study is simulated: its ideas, papers and citations are invented.")
        )
    if study.candidates is None:
        found.append(
            (
                "no_candidates",
                "There are no candidates yet, so nothing is scored. Run `foreseen match`.",
            )
        )
    return found


def _of_threshold(study: Study, result: Score) -> list[tuple[str, str]]:
    if study.candidates is None:
        return []
    encoder, theta = result.study.encoder, result.settings.theta
    found = []
    if theta == PAPER_THETA and encoder != PAPER_ENCODER:
        found.append(
            (
                "paper_theta_other_encoder",
                f"θ = {theta} was set for {PAPER_ENCODER} and means nothing for {encoder}:"
                " choose θ by the calibration.",
            )
        )
    if len(result.ideas) and not result.matches["matched"].astype(bool).any():
        top = result.matches["similarity"].max() if len(result.matches) else None
        least = "" if top is None else f" The greatest similarity is {top:.3f}."
        found.append(
            ("no_match", f"No idea has a match at θ = {theta:g}: every score is 0.{least}")
        )
    return found


def _of_candidates(study: Study, result: Score) -> list[tuple[str, str]]:
    info, settings = study.candidates_info, result.settings
    if study.candidates is None:
        return []
    found = []
    if info is not None and info.encoder != study.config.encoder:
        found.append(
            (
                "other_encoder",
                f"The candidates were found with {info.encoder}, but the study names"
                f" {study.config.encoder}. Run `foreseen match` again.",
            )
        )
    if _stale(study):
        found.append(
            (
                "stale_candidates",
                "Ideas, papers or the window changed after the search. Run `foreseen match`.",
            )
        )
    there = panel(study, settings)
    if there.strays:
        found.append(
            (
                "stray_candidates",
                f"{there.strays} stored candidates name an idea or a paper that is no longer in"
                " the study; they are left out.",
            )
        )
    if info is not None and info.pool == "topic" and settings.pool == "all":
        found.append(
            (
                "pool_of_search",
                "The search looked within topics only, so pool 'all' has no papers of others."
                " Run `foreseen match --pool all`.",
            )
        )
    empty = int((there.pool_size == 0).sum())
    if empty:
        found.append(
            ("empty_pool", f"{_ideas(empty)} of {len(there.admitted)} have an empty pool: score 0.")
        )
    return found


def _of_depth(study: Study, result: Score) -> list[tuple[str, str]]:
    if study.candidates is None:
        return []
    there = panel(study, result.settings)
    short = int(((there.admitted < result.settings.k) & (there.pool_size > 0)).sum())
    if not short:
        return []
    return [
        (
            "short_of_k",
            f"{_ideas(short)} of {len(there.admitted)} have fewer than K = {result.settings.k}"
            " admitted candidates.",
        )
    ]


@once_per_study(1)
def _stale(study: Study) -> bool:
    """Whether the stored candidates were found in other texts, dates, topics or windows."""
    if study.candidates_info is None or not study.candidates_info.inputs:
        return False
    from core.matching.candidates import is_stale

    return is_stale(study)


def _of_pool(study: Study, result: Score) -> list[tuple[str, str]]:
    pool, settings = result.pool, result.settings
    found = []
    if pool.in_window and pool.unknown_citations / pool.in_window >= UNKNOWN_CITATIONS_WARNING:
        done = "left out" if settings.unknown_citations == "exclude" else "taken as 0"
        found.append(
            (
                "unknown_citations",
                f"{pool.unknown_citations:,} of {pool.in_window:,} papers in the window"
                f" ({pool.unknown_citations / pool.in_window:.0%}) have no known citation count"
                f" and are {done}.",
            )
        )
    near = pool.in_window + (pool.ambiguous_date if settings.ambiguous_dates == "exclude" else 0)
    if near and pool.ambiguous_date / near >= DATES_WARNING:
        done = "left out" if settings.ambiguous_dates == "exclude" else "taken in"
        found.append(
            (
                "ambiguous_dates",
                f"{pool.ambiguous_date:,} papers have a date too coarse to tell on which side of a"
                f" window's end they lie; they are {done}.",
            )
        )
    if pool.papers and pool.undated / pool.papers >= DATES_WARNING:
        found.append(
            (
                "undated",
                f"{pool.undated:,} of {pool.papers:,} papers have no date and are in no pool.",
            )
        )
    if pool.in_window:
        found += [
            ("normalizer", f"{flag[0].upper()}{flag[1:]}.")
            for flag in normalized(study, settings).flags
        ]
    return found


def _of_leakage(study: Study, result: Score) -> list[tuple[str, str]]:
    found = []
    for row in result.leakage:
        if not row.n_leaked or row.mean is None or row.mean_without is None:
            continue
        found.append(
            (
                "leakage",
                f"{row.system} knows the literature up to {row.knowledge_cutoff}:"
                f" {row.n_leaked} of its {row.n_matches} matches were out by then. Mean score"
                f" {row.mean:.3g} with them, {row.mean_without:.3g} without.",
            )
        )
    judges = set(study.scores["judge"].dropna())
    for name, day in study.config.knowledge_cutoff.items():
        if name in judges and day > study.config.cutoff:
            found.append(
                (
                    "judge_knowledge",
                    f"Judge {name} knows the literature up to {day}, which is after the cutoff: it"
                    " may know what became of an idea.",
                )
            )
        elif name not in judges and name not in {row.system for row in result.leakage}:
            found.append(
                (
                    "knowledge_cutoff",
                    f"study.toml has a knowledge cutoff for '{name}', which is neither a system"
                    " nor a judge here.",
                )
            )
    return found


def _of_resampling(study: Study, result: Score) -> list[tuple[str, str]]:
    ideas = ideas_of(study)
    found = []
    if result.resampled == "ideas" and len(ideas):
        found.append(
            (
                "one_topic",
                "All ideas are of one topic, so intervals draw ideas, not topics: they say"
                " nothing of other topics.",
            )
        )
    bare = ideas.topics.count(NO_TOPIC)
    if bare and result.resampled == "topics":
        found.append(
            ("no_topic", f"{_ideas(bare)} have no topic; intervals treat them as one topic.")
        )
    if result.resampled == "topics":
        for name in ideas.systems:
            own = {ideas.topics[place] for place in ideas.of(name).nonzero()[0]}
            if len(own) == 1:
                found.append(
                    (
                        "system_one_topic",
                        f"All ideas of {name} are of one topic, so its interval is a point.",
                    )
                )
    if len(ideas.systems) == 1:
        found.append(("one_system", f"Only {ideas.systems[0]} is here: nothing to compare with."))
    return found


def _ideas(n: int) -> str:
    return "1 idea" if n == 1 else f"{n} ideas"
