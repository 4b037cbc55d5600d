"""How the columns of tables are headed, formatted and explained, in one place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

_TEXT: dict[str, tuple[str, str | None]] = {
    "idea_id": ("Idea", "The idea's id"),
    "paper_id": ("Paper", "The paper's id"),
    "best_paper_id": ("Best paper", "The match that gives the score"),
    "system": ("System", "Who or what produced the idea"),
    "topic": ("Topic", None),
    "title": ("Title", None),
    "venue": ("Venue", "As the source spells it"),
    "quadrant": ("Quadrant", None),
    "judge": ("Judge", None),
    "dimension": ("Dimension", None),
    "metric": ("Metric", None),
    "undefined": ("Why not defined", None),
    "normalizer": ("Citations", "How citations become 0 to 1"),
    "aggregate": ("Aggregate", "How an idea's matches become one score"),
    "conclusion": ("Conclusion", None),
    "a": ("System", None),
    "b": ("Against", None),
    "difference_interval": ("95 % interval", "Of the difference of means"),
    "ratio_interval": ("95 % interval of ratio", "Of the ratio of means"),
    "choice": ("Choice", None),
    "reason": ("Reason", None),
    "state": ("State", None),
    "reference_id": ("Reference", None),
    "decision": ("Decision", "Of the conference"),
    "scale": ("Scale", "How raw scores became 0 to 5"),
    "source": ("Source", None),
    "measure": ("Measure", None),
    "unknown": ("Why unknown", None),
    "expert": ("Person", None),
}
_NUMBER: dict[str, tuple[str, str, str | None]] = {
    "score": ("Score", "%.3f", "HindSight score, 0 to 1"),
    "similarity": ("Similarity", "%.3f", "Cosine of idea and paper"),
    "impact": ("Impact", "%.3f", "Citation term + venue term"),
    "citation_term": ("Citation term", "%.4f", "Weight × normalised citations"),
    "venue_term": ("Venue term", "%.3f", "Weight where the paper is at a top venue"),
    "n": ("n", "%d", None),
    "n_matches": ("Matches", "%d", "Candidates at or above θ"),
    "mean": ("Mean", "%.3f", None),
    "median": ("Median", "%.3f", None),
    "match_rate": ("Ideas with a match", "percent", None),
    "mean_matches": ("Matches per idea", "%.1f", None),
    "citations": ("Citations", "%d", "Empty means unknown"),
    "judge_overall": ("Judges' overall", "%.2f", "1 to 10"),
    "judge_novelty": ("Novelty", "%.2f", "1 to 10"),
    "judge_feasibility": ("Feasibility", "%.2f", "1 to 10"),
    "judge_impact": ("Expected impact", "%.2f", "1 to 10"),
    "rho": ("ρ", "%.3f", "Spearman's rank correlation"),
    "p": ("p", "%.4f", None),
    "p_adjusted": ("p, Holm", "%.4f", "After Holm's correction"),
    "n_a": ("n", "%d", "Ideas of the system"),
    "n_b": ("n against", "%d", "Ideas of the other system"),
    "rank_biserial": ("Rank-biserial", "%.3f", "Effect size, −1 to 1"),
    "difference": ("Difference", "%.3f", None),
    "ratio": ("Ratio", "%.2f", None),
    "share": ("Share", "percent", None),
    "significant": ("Significant", "percent", "Share in which it holds with p < 0.05"),
    "low": ("95 % from", "%.3f", None),
    "high": ("to", "%.3f", None),
    "own": ("Own topic", "%.3f", "Mean score against papers of the idea's topic"),
    "swapped": ("Topics exchanged", "%.3f", "Mean score against each other topic's papers"),
    "excess": ("Excess", "%.3f", "Own topic minus topics exchanged"),
    "theta": ("θ", "%.3f", "Threshold"),
    "k": ("K", "%d", "Candidates"),
    "rank": ("Rank", "%d", None),
    "start": ("Start", "%.2f", "The judge's first mark, 0 to 5"),
    "elo": ("Elo", "%.2f", "Mean over orders, 0 to 5"),
    "elo_low": ("95 % of orders from", "%.2f", None),
    "elo_high": ("to", "%.2f", None),
    "bradley_terry": ("Bradley–Terry", "%.2f", "Knows no order, 0 to 5"),
    "bt_low": ("95 % interval from", "%.2f", None),
    "bt_high": ("to", "%.2f", None),
    "wins": ("Wins", "%d", None),
    "ties": ("Ties", "%d", None),
    "losses": ("Losses", "%d", None),
    "stopped": ("Stopped early", "percent", "Share of orders that ended before their last game"),
    "reference_score": ("Its score", "%.2f", "Debiased, 0 to 5"),
    "outcome": ("Outcome", "%.2f", "1 idea better, 0.5 equal, 0 reference better"),
    "repeats": ("Judgements", "%d", "Judgements that the outcome is the mean of"),
    "repeat": ("Repeat", "%d", None),
    "rate": ("Turned", "percent", "Choices that turn with the order"),
    "year": ("Year", "%d", None),
    "reviewed": ("With a score", "%d", None),
    "before": ("As reviewed", "%.3f", None),
    "after": ("Debiased", "%.3f", None),
    "novelty": ("Novelty", "%.2f", "0 to 5"),
    "similarity_novelty": ("By similarity", "%.2f", "0 to 5"),
    "weighted": ("Weighted similarity", "%.3f", "α × nearest + (1 − α) × mean"),
    "papers": ("Papers", "%d", "Earlier papers looked at"),
    "accuracy": ("Accuracy", "percent", "Ties count one half; chance is 50 %"),
    "wrong": ("Wrong", "%d", None),
    "equal_truth": ("Equal truth", "%d", "Left out"),
    "gap": ("Gap", "%.3f", "Mean difference of debiased scores"),
    "wrong_gap": ("Gap where wrong", "%.3f", None),
    "accepted": ("Accepted", "%.3f", None),
    "accepted_n": ("n accepted", "%d", None),
    "rejected": ("Rejected", "%.3f", None),
    "rejected_n": ("n rejected", "%d", None),
    "mean_a": ("Mean", "%.3f", None),
    "mean_b": ("Mean against", "%.3f", None),
    "mean_all": ("All references", "%.3f", None),
    "mean_one": ("This venue's", "%.3f", None),
    "relative": ("Relative", "percent", None),
    "agreement": ("Agreement", "percent", None),
    "decided": ("Where both decide", "percent", None),
    "decided_n": ("n decided", "%d", None),
}


def column_config(names: Iterable[str]) -> dict[str, Any]:
    """Streamlit's settings for those of the columns that the house knows."""
    config: dict[str, Any] = {}
    for name in names:
        if name in _TEXT:
            label, help_ = _TEXT[name]
            pinned = True if name in ("idea_id", "system") else None
            config[name] = st.column_config.TextColumn(label, help=help_, pinned=pinned)
        elif name in _NUMBER:
            label, form, help_ = _NUMBER[name]
            config[name] = st.column_config.NumberColumn(label, format=form, help=help_)
        elif name == "url":
            config[name] = st.column_config.LinkColumn("Link", display_text="open")
        elif name == "published":
            config[name] = st.column_config.DateColumn("Published", help="First submission")
    return config
