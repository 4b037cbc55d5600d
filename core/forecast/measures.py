"""Measures of forecasts that may go with being credited, none of which looks at an outcome.

==============  ======================================================================
``generality``  a rater's 12 − sum of four ratings (see ``foreseen judge generality``)
``words``       words of title, rationale, approach and key terms
``method_words``  words of the approach
``key_terms``   number of key terms
``rarity``      mean over the forecast's words (each once) of ln(papers / papers with it)
``specifics``   share of words with a digit or a capital inside, such as 'ImageNet' or 'GPT-4'
``pool_size``   papers in the target pool
``novelty``     1 − greatest cosine to the visible history
==============  ======================================================================
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import Settings
from core.forecast.credit import NOT_CREDITED, credit, passes
from core.forecast.diagnosed import FieldProfile
from core.forecast.geometry import NO_GEOMETRY, searched_pool
from core.forecast.ledger import Ledger
from core.judging.generality import read_ratings
from core.matching.pools import possible_days, topic_masks
from core.study import Study

TEXT_MEASURES = ("words", "method_words", "key_terms", "rarity", "specifics")
MEASURES = ("generality", *TEXT_MEASURES, "pool_size", "novelty")
FIELDS = ("title", "rationale", "method", "key_terms")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Measured:
    """``frame``: one row a filled slot and judge, with ``credited`` and each of ``measures``
    (nan where a forecast lacks it). ``raters``: who gave each measure of generality.
    ``not_measured``: the others with the reason."""

    frame: pd.DataFrame
    measures: tuple[str, ...]
    raters: dict[str, str]
    not_measured: dict[str, str]


def measured(study: Study, laid: Ledger, settings: Settings) -> Measured:
    """Every measure of every forecast, beside whether each judge credited it.

    ``credited`` is nan where the forecast's episode has a failed or missing verdict. With
    several raters of generality each is a measure of its own, 'generality by NAME'.
    """
    episode, slot = np.nonzero(laid.ideas >= 0)
    idea = laid.ideas[episode, slot]
    frame = laid.episodes.iloc[episode][["system", "topic", "cutoff"]].reset_index(drop=True)
    frame.insert(0, "idea_id", study.ideas["idea_id"].to_numpy()[idea])
    frame["rank"] = slot + 1
    texts = text_measures(study)
    for name in TEXT_MEASURES:
        frame[name] = texts[name].to_numpy(float)[idea]
    frame["pool_size"] = _pool_sizes(study, laid, settings)[episode]
    frame["novelty"] = laid.novelty[episode, slot]
    not_measured = {} if laid.has_geometry else {"novelty": NO_GEOMETRY}
    names: dict[str, str] = {}
    ratings = read_ratings(study)
    raters = sorted(set(ratings.loc[ratings["generality"].notna(), "judge"]))
    for rater in raters:
        name = "generality" if len(raters) == 1 else f"generality by {rater}"
        own = ratings[ratings["judge"] == rater].set_index("idea_id")["generality"]
        frame[name] = own.reindex(frame["idea_id"]).to_numpy(float)
        names[name] = rater
    if not raters:
        not_measured["generality"] = (
            "nobody has rated it: run `foreseen judge generality STUDY --model M`"
        )
    passing = passes(laid, gate_pm=settings.gate_pm, gate_s=settings.gate_s)
    places = credit(laid.papers[None], passing)
    failed = np.asarray((laid.states > 0).any(axis=(2, 3)))
    frames = []
    for number, judge in enumerate(laid.judges):
        part = frame.copy()
        part.insert(5, "judge", judge)
        credited = (places[number] != NOT_CREDITED).astype(float)[episode, slot]
        part.insert(6, "credited", np.where(failed[number][episode], np.nan, credited))
        frames.append(part)
    measures = (*names, *TEXT_MEASURES, "pool_size", *(["novelty"] if laid.has_geometry else []))
    whole = pd.concat(frames, ignore_index=True)
    return Measured(frame=whole, measures=measures, raters=names, not_measured=not_measured)


def text_measures(study: Study) -> pd.DataFrame:
    """The measures of texts for every idea, in the ideas' row order.

    ``rarity`` and ``specifics`` are nan for an idea without a word. Papers are all of the
    study's, whatever their date: rarity says how usual a word is, not whether it was known.
    """
    ideas = study.ideas
    columns = [ideas[name].fillna("").tolist() for name in ("title", "rationale", "method")]
    terms = [tuple(cell) for cell in ideas["key_terms"]]
    papers = Counter(
        word
        for title, abstract in zip(
            study.papers["title"], study.papers["abstract"].fillna(""), strict=True
        )
        for word in {word.casefold() for word in _WORD.findall(f"{title} {abstract}")}
    )
    total = max(len(study.papers), 1)
    rows = []
    for title, rationale, method, own in zip(*columns, terms, strict=True):
        words = _WORD.findall(" ".join([title, rationale, method, *own]))
        distinct = {word.casefold() for word in words}
        rarity = [float(np.log(total / max(papers[word], 1))) for word in sorted(distinct)]
        special = [any(c.isdigit() or c.isupper() for c in word[1:]) for word in words]
        rows.append(
            {
                "words": len(words),
                "method_words": len(_WORD.findall(method)),
                "key_terms": len(own),
                "rarity": float(np.mean(rarity)) if rarity else np.nan,
                "specifics": float(np.mean(special)) if special else np.nan,
            }
        )
    return pd.DataFrame(rows, columns=list(TEXT_MEASURES))


def field_profiles(study: Study, laid: Ledger) -> tuple[FieldProfile, ...]:
    """Lengths and empties of each system's forecasts, by field (IdeaForecastBench, Representation
    loss): a field that conversion has emptied shows here."""
    episode, slot = np.nonzero(laid.ideas >= 0)
    own = study.ideas.iloc[laid.ideas[episode, slot]]
    system = laid.episodes["system"].to_numpy()[episode]
    found = []
    for name in sorted(set(system)):
        rows = own[system == name]
        for field in FIELDS:
            cells = rows[field] if field == "key_terms" else rows[field].fillna("")
            count = len if field == "key_terms" else _count
            lengths = np.array([count(cell) for cell in cells], dtype=float)
            held = lengths[lengths > 0]
            quartiles = np.quantile(held, (0.25, 0.5, 0.75)) if len(held) else None
            found.append(
                FieldProfile(
                    system=name,
                    field=field,
                    forecasts=len(lengths),
                    empty=int((lengths == 0).sum()),
                    median=None if quartiles is None else float(quartiles[1]),
                    low=None if quartiles is None else float(quartiles[0]),
                    high=None if quartiles is None else float(quartiles[2]),
                )
            )
    return tuple(found)


def _count(text: str) -> int:
    return len(_WORD.findall(text))


def _pool_sizes(study: Study, laid: Ledger, settings: Settings) -> Floats:
    """Papers with a certain date in each episode's target pool."""
    first, last = possible_days(study.papers)
    topics = sorted(set(laid.episodes["topic"]))
    by_topic = searched_pool(study, settings) == "topic"
    masks = dict(zip(topics, topic_masks(study.papers, topics), strict=True)) if by_topic else {}
    known: dict[tuple[str, pd.Timestamp], int] = {}
    sizes = []
    for topic, cutoff in laid.episodes[["topic", "cutoff"]].itertuples(index=False):
        key = topic, pd.Timestamp(cutoff)
        if key not in known:
            t = np.datetime64(key[1].date(), "D")
            end = np.datetime64(study.config.window_end(key[1].date()), "D")
            inside = (first > t) & (last <= end)
            known[key] = int((inside & masks[topic] if by_topic else inside).sum())
        sizes.append(known[key])
    return np.array(sizes, dtype=float)
