"""References that an idea is compared with: keywords and embedding, fused by rank (LigBench §3.3).

BM25 over title, abstract and formal parts, cosine over title and abstract; the two lists are
fused by reciprocal rank. No score of a reference plays any part, so none can leak into a prompt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import COMPARED_REFERENCES, RETRIEVED_DEEP
from core.errors import DataError, UsageError
from core.files import DERIVED
from core.ligbench.fusion import fuse
from core.ligbench.references import plain_title
from core.matching.encoders import Encoder, open_encoder
from core.matching.index import normalised
from core.matching.text import Texts, idea_texts, paper_texts
from core.matching.vectors import Progress, encode
from core.schema import FORMAL_PARTS, IDEA_TEXTS
from core.study import Study

_TEXTS = ("title", "abstract", *FORMAL_PARTS)


@dataclass(frozen=True, kw_only=True, eq=False)
class Retrieved:
    """References for each idea, best first.

    ``frame``: idea_id, reference_id, rank (from 1), fused (Σ 1/(60 + rank)), keyword_rank and
    embedding_rank (None where that list does not hold it). ``excluded``: (idea_id, reference_id,
    reason) pairs kept apart. ``short``: ideas that got fewer than ``n``, with how many.
    ``repeated``: references left out because another one has their title.
    """

    frame: pd.DataFrame
    n: int
    seed: int
    encoder: str | None
    excluded: tuple[tuple[str, str, str], ...]
    short: tuple[tuple[str, int], ...]
    repeated: tuple[str, ...]


def retrieve(
    study: Study,
    ideas: pd.DataFrame | None = None,
    *,
    n: int = COMPARED_REFERENCES,
    encoder: Encoder | str | None = None,
    embedding: bool = True,
    seed: int = 0,
    progress: Progress | None = None,
) -> Retrieved:
    """The ``n`` references closest in theme to each of ``ideas`` (else all of the study).

    A reference is never given to an idea that is the same paper (its id or its normalised
    title). Of references with one title the first by id stays. Where two are equally close the
    order is drawn by ``seed``, never by score or row. ``embedding`` False ranks by keywords
    alone; the study's encoder is used else. Raises :class:`DataError` without references.
    """
    if n < 1:
        raise UsageError(f"--references must be at least 1 (given: {n})")
    if study.references.empty:
        raise DataError("The study has no references. Add them: foreseen import references FILE")
    chosen = study.ideas if ideas is None else ideas
    references, repeated = _distinct(study.references, seed)
    by_vector, name = None, None
    if embedding and len(chosen):
        vectors = _cosines(study, chosen, references, encoder, progress)
        by_vector, name = vectors
    return _fused(chosen, references, n, seed, by_vector, name, repeated)


def close_pairs(references: pd.DataFrame, n: int, *, seed: int = 0) -> list[tuple[str, str]]:
    """Pairs of references close in theme by keywords: each with its ``n`` nearest, once each."""
    distinct, _ = _distinct(references, seed)
    found = _fused(as_ideas(distinct), distinct, n, seed, None, None, ())
    frame = found.frame
    pairs = {
        tuple(sorted(pair)) for pair in zip(frame["idea_id"], frame["reference_id"], strict=True)
    }
    return sorted((str(a), str(b)) for a, b in pairs)


def as_ideas(references: pd.DataFrame) -> pd.DataFrame:
    """References in the shape of ideas: their id, title, abstract as method, formal parts."""
    from core.schema import TABLES, admit

    frame = pd.DataFrame(
        {
            "idea_id": references["reference_id"],
            "system": "reference",
            "title": references["title"],
            "method": references["abstract"],
            **{part: references[part] for part in FORMAL_PARTS},
        }
    )
    admitted, _ = admit(TABLES["ideas"], frame, file="references")
    return admitted


def reference_texts(references: pd.DataFrame, separator: str) -> Texts:
    """Title ⊕ abstract of each reference, as papers are encoded."""
    return paper_texts(references.rename(columns={"reference_id": "paper_id"}), separator)


def _distinct(references: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """References in a seeded order, one a title, so that ties fall by the seed."""
    ordered = references.sort_values("reference_id", ignore_index=True)
    plain = ordered["title"].map(plain_title)
    twice = plain.duplicated() & (plain != "")
    left = tuple(ordered.loc[twice, "reference_id"])
    kept = ordered[~twice].reset_index(drop=True)
    order = np.random.default_rng(seed).permutation(len(kept))
    return kept.iloc[order].reset_index(drop=True), left


def _fused(
    ideas: pd.DataFrame,
    references: pd.DataFrame,
    n: int,
    seed: int,
    by_vector: NDArray[np.float64] | None,
    encoder: str | None,
    repeated: tuple[str, ...],
) -> Retrieved:
    keywords = _Keywords(references)
    names = references["reference_id"].tolist()
    place = {name: row for row, name in enumerate(names)}
    titles: dict[str, list[str]] = {}
    for name, title in zip(names, references["title"].map(plain_title), strict=True):
        titles.setdefault(title, []).append(name)
    rows: list[dict[str, Any]] = []
    excluded: list[tuple[str, str, str]] = []
    short: list[tuple[str, int]] = []
    for at, idea in enumerate(ideas.to_dict("records")):
        idea_id = str(idea["idea_id"])
        same = _same(idea, titles, place)
        excluded += [(idea_id, name, reason) for name, reason in sorted(same.items())]
        lists = [_cut(keywords.ranking(idea), same)]
        if by_vector is not None:
            order = np.argsort(-by_vector[at], kind="stable")
            lists.append(_cut([names[row] for row in order], same))
        fused = fuse(lists)
        # fuse breaks ties by name; equal sums fall by the seed instead.
        fused.sort(key=lambda item: (-item[1], place[item[0]]))
        ranks = [{name: rank for rank, name in enumerate(ranked, 1)} for ranked in lists]
        for rank, (name, score) in enumerate(fused[:n], 1):
            rows.append(
                {
                    "idea_id": idea_id,
                    "reference_id": name,
                    "rank": rank,
                    "fused": score,
                    "keyword_rank": ranks[0].get(name),
                    "embedding_rank": ranks[1].get(name) if len(ranks) > 1 else None,
                }
            )
        if len(fused) < n:
            short.append((idea_id, len(fused)))
    columns = ["idea_id", "reference_id", "rank", "fused", "keyword_rank", "embedding_rank"]
    return Retrieved(
        frame=pd.DataFrame(rows, columns=columns),
        n=n,
        seed=seed,
        encoder=encoder,
        excluded=tuple(excluded),
        short=tuple(short),
        repeated=repeated,
    )


def _same(
    idea: Mapping[str, Any], titles: Mapping[str, list[str]], place: Mapping[str, int]
) -> dict[str, str]:
    """References that are the idea's own paper, with what says so."""
    found = dict.fromkeys(titles.get(plain_title(idea.get("title")), []), "the same title")
    found.pop("", None)
    if not plain_title(idea.get("title")):
        found = {}
    own = str(idea["idea_id"])
    if own in place:
        found[own] = "the same paper"
    return found


def _cut(ranked: Sequence[str], without: Mapping[str, str]) -> list[str]:
    return [name for name in ranked if name not in without][:RETRIEVED_DEEP]


class _Keywords:
    """BM25 over the references' words."""

    def __init__(self, references: pd.DataFrame) -> None:
        import bm25s

        self.names = references["reference_id"].tolist()
        self._bm25s = bm25s
        corpus = [_words(row, _TEXTS) for row in references.to_dict("records")]
        tokens = bm25s.tokenize(corpus, stopwords="en", show_progress=False)
        self._index: Any = None
        if any(len(words) for words in tokens.ids):
            self._index = bm25s.BM25()
            self._index.index(tokens, show_progress=False)

    def ranking(self, idea: Mapping[str, Any]) -> list[str]:
        """Names with any word of the idea, best first; equal ones in the references' order."""
        if self._index is None:
            return []
        words = _words(idea, (*IDEA_TEXTS, *FORMAL_PARTS))
        tokens = self._bm25s.tokenize(
            [words], stopwords="en", show_progress=False, return_ids=False
        )
        if not tokens or not tokens[0]:
            return []
        scores = self._index.get_scores(tokens[0])
        order = np.argsort(-scores, kind="stable")
        return [self.names[row] for row in order if scores[row] > 0]


def _words(row: Mapping[str, Any], names: Sequence[str]) -> str:
    return "\n".join(str(row[name]) for name in names if not pd.isna(row[name]))


def _cosines(
    study: Study,
    ideas: pd.DataFrame,
    references: pd.DataFrame,
    encoder: Encoder | str | None,
    progress: Progress | None,
) -> tuple[NDArray[np.float64], str]:
    """Cosine of every idea and reference, (ideas, references), and the encoder's name."""
    if study.folder is None:
        raise UsageError("This study is not in a folder, so vectors cannot be stored.")
    chosen = encoder if encoder is not None else study.config.encoder
    model: Encoder = open_encoder(chosen) if isinstance(chosen, str) else chosen
    derived = study.folder / DERIVED
    mine = idea_texts(formal_fallback(ideas), model.separator)
    theirs = reference_texts(references, model.separator)
    own = encode(derived, "ideas", mine, model, progress=progress)
    other = encode(derived, "references", theirs, model, progress=progress)
    left = normalised(own.vectors, "ideas").astype(np.float64)
    right = normalised(other.vectors, "references").astype(np.float64)
    return np.round(left @ right.T, 6), model.name


def formal_fallback(ideas: pd.DataFrame) -> pd.DataFrame:
    """Ideas whose only text is their formal parts get these as problem and method."""
    bare = ideas[list(IDEA_TEXTS)].isna().all(axis=1)
    if not bare.any():
        return ideas
    filled = ideas.copy()
    filled.loc[bare, "problem"] = ideas.loc[bare, "main_target"]
    parts = ideas.loc[bare, list(FORMAL_PARTS[1:])]
    filled.loc[bare, "method"] = [
        "\n".join(str(part) for part in row if not pd.isna(part)) or None
        for row in parts.itertuples(index=False)
    ]
    return filled
