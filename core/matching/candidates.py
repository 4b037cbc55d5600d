"""From a study's tables to its stored candidates: encode what is new, search, write.

The candidates are stored raw, to a depth; K, θ and every filter are applied when they are read.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pandas as pd

from core.config import Pool, Settings
from core.errors import DataError, UsageError
from core.files import DERIVED
from core.matching.brought import read_vectors
from core.matching.encoders import Encoder, open_encoder
from core.matching.index import Neighbours, search, search_numpy
from core.matching.pools import Pools, pools
from core.matching.text import NO_SEPARATOR, Texts, idea_texts, paper_texts
from core.matching.vectors import CHUNK, Progress, Step, encode
from core.study import CandidatesInfo, Study, frame_digest

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNIT, _ROW = "\x1f", "\x1e"


class Named(Protocol):
    """What made the vectors: enough of an encoder to say so."""

    @property
    def name(self) -> str: ...
    @property
    def revision(self) -> str: ...
    @property
    def digest(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class Source:
    """The name, revision and digest under which vectors are known."""

    name: str
    revision: str
    digest: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Match:
    """What one run of the search did; ``study`` holds the new candidates.

    ``papers`` counts those in some idea's window (the others are not encoded), ``total_papers``
    all. ``encoded`` texts were new. ``empty_pools``: ids of ideas that had no paper to meet.
    ``fallback_texts``: ideas with neither problem nor method, taken by title and rationale.
    """

    study: Study
    encoder: str
    ideas: int
    papers: int
    total_papers: int
    encoded: int
    candidates: int
    empty_pools: tuple[str, ...]
    fallback_texts: int
    title_only: int
    separator: str
    depth: int
    pool: str
    seconds: float


def match(
    study: Study,
    settings: Settings | None = None,
    encoder: Encoder | str | None = None,
    vectors: Mapping[str, Path] | None = None,
    progress: Progress | None = None,
) -> Study:
    """The study with candidates found anew; see :func:`run_match`, which also tells the counts."""
    return run_match(study, settings, encoder=encoder, vectors=vectors, progress=progress).study


def run_match(
    study: Study,
    settings: Settings | None = None,
    *,
    encoder: Encoder | str | None = None,
    vectors: Mapping[str, Path] | None = None,
    progress: Progress | None = None,
) -> Match:
    """Encode what is new, find each idea's ``depth`` nearest papers, and write both to the study.

    ``encoder`` is an encoder or its name (else the study's own); with ``vectors`` (NPZ files of
    'ideas' and 'papers') nothing is encoded and ``encoder`` may name what made them. ``depth``
    and ``pool`` come from ``settings`` (else the study's). Also writes the calibration, which
    needs the similarities of all pairs. Raises :class:`DataError` for a study without ideas or
    papers, and whatever encoder, vectors and search refuse.
    """
    started = time.perf_counter()
    settings = settings or study.settings
    if study.folder is None:
        raise UsageError("This study is not in a folder, so its candidates cannot be stored.")
    for name in ("ideas", "papers"):
        if getattr(study, name).empty:
            raise DataError(
                f"This study has no {name}. Bring them with"
                f" `foreseen import {name} FILE --into {study.folder}`."
            )
    windows = pools(study.ideas, study.papers, study.config, "all")
    source, separator, idea_vectors, paper_vectors, encoded = _vectors(
        study, windows, encoder, vectors, progress
    )
    own = (
        windows
        if settings.pool == "all"
        else pools(study.ideas, study.papers, study.config, "topic")
    )
    found = _find(study, own, idea_vectors, paper_vectors, settings.depth, progress)
    frame = candidates_frame(study, found)
    info = CandidatesInfo(
        encoder=source.name,
        revision=source.revision,
        encoder_digest=source.digest,
        depth=settings.depth,
        pool=settings.pool,
        inputs=inputs_digest(study, settings.pool, settings.depth),
        digest=frame_digest(frame),
    )
    from core.hindsight.calibration import measure, store

    store(study.folder, measure(study, info, windows, idea_vectors, paper_vectors, progress))
    matched = study.write_candidates(frame, info)
    return Match(
        study=matched,
        encoder=source.name,
        ideas=len(study.ideas),
        papers=int(windows.searched.any(axis=0).sum()),
        total_papers=len(study.papers),
        encoded=encoded,
        candidates=len(frame),
        empty_pools=tuple(study.ideas["idea_id"][own.searched.sum(axis=1)[own.groups] == 0]),
        fallback_texts=int(idea_texts(study.ideas, separator).flagged.sum()),
        title_only=int(paper_texts(study.papers, separator).flagged.sum()),
        separator=separator,
        depth=settings.depth,
        pool=settings.pool,
        seconds=time.perf_counter() - started,
    )


def is_stale(study: Study) -> bool:
    """Whether the stored candidates are older than the tables that they were found from.

    True also where there are none. Changes to citations, venues, scores or settings that are
    applied when candidates are read do not count.
    """
    info = study.candidates_info
    if info is None:
        return True
    pool: Pool = "topic" if info.pool == "topic" else "all"
    return inputs_digest(study, pool, info.depth) != info.inputs


def inputs_digest(study: Study, pool: Pool, depth: int) -> str:
    """Digest of what a search looks at: texts, dates, precisions, topics, cutoffs, windows, pool
    and depth; row order is free."""
    found = pools(study.ideas, study.papers, study.config, "all")
    at = found.groups
    idea_rows = zip(
        study.ideas["idea_id"],
        idea_texts(study.ideas, _UNIT).texts,
        study.ideas["topic"].fillna(""),
        found.cutoffs[at].astype(str),
        found.ends[at].astype(str),
        strict=True,
    )
    paper_rows = zip(
        study.papers["paper_id"],
        paper_texts(study.papers, _UNIT).texts,
        study.papers["published"].to_numpy(dtype="datetime64[D]").astype(str),
        study.papers["date_precision"].fillna(""),
        ("\x1d".join(sorted(topics)) for topics in study.papers["topics"]),
        strict=True,
    )
    whole = hashlib.sha256(f"pool={pool} depth={depth}".encode())
    for rows in (idea_rows, paper_rows):
        whole.update(_ROW.join(sorted(_UNIT.join(row) for row in rows)).encode())
        whole.update(b"\x00")
    return whole.hexdigest()[:16]


def candidates_frame(study: Study, found: Neighbours) -> pd.DataFrame:
    """The candidates table, by idea_id and rank, so that the tables' row order leaves no trace."""
    frame = pd.DataFrame(
        {
            "idea_id": study.ideas["idea_id"].to_numpy()[found.idea],
            "paper_id": study.papers["paper_id"].to_numpy()[found.paper],
            "similarity": found.similarity,
            "rank": pd.array(found.rank, dtype="Int64"),
        }
    ).astype({"idea_id": "str", "paper_id": "str"})
    return frame.sort_values(["idea_id", "rank"], kind="stable", ignore_index=True)


def _vectors(
    study: Study,
    windows: Pools,
    encoder: Encoder | str | None,
    vectors: Mapping[str, Path] | None,
    progress: Progress | None,
) -> tuple[Named, str, NDArray[np.float32], NDArray[np.float32], int]:
    """What made the vectors, its separator, both tables' vectors, and how many texts were new.

    Papers outside every window are never compared, so they are not encoded: their rows are 0.
    """
    if vectors:
        if encoder is not None and not isinstance(encoder, str):
            raise UsageError("Vectors are brought, so `encoder` can only be the name of theirs.")
        brought = read_vectors(
            vectors,
            idea_ids=study.ideas["idea_id"].tolist(),
            paper_ids=study.papers["paper_id"].tolist(),
            encoder=encoder,
        )
        source = Source(name=brought.encoder, revision="", digest=brought.digest)
        return source, NO_SEPARATOR, brought.ideas, brought.papers, 0
    chosen = encoder if encoder is not None else study.config.encoder
    model: Encoder = open_encoder(chosen) if isinstance(chosen, str) else chosen
    derived = _derived(study)
    chunk = max(CHUNK, getattr(model, "batch_size", 1))
    told = idea_texts(study.ideas, model.separator)
    ideas = encode(derived, "ideas", told, model, progress=progress, chunk=chunk)
    rows = np.flatnonzero(windows.searched.any(axis=0))
    papers = encode(
        derived,
        "papers",
        _rows(paper_texts(study.papers, model.separator), rows),
        model,
        progress=progress,
        chunk=chunk,
    )
    spread = np.zeros((len(study.papers), ideas.vectors.shape[1]), dtype=np.float32)
    if len(rows):
        spread[rows] = papers.vectors
    return model, model.separator, ideas.vectors, spread, ideas.new + papers.new


def _find(
    study: Study,
    own: Pools,
    ideas: NDArray[np.float32],
    papers: NDArray[np.float32],
    depth: int,
    progress: Progress | None,
) -> Neighbours:
    def report(done: int, total: int) -> None:
        if progress:
            progress(Step(stage="search", done=done, total=total))

    # On macOS FAISS and torch each bring an OpenMP, and the second one loaded ends the process.
    beside_torch = sys.platform == "darwin" and "torch" in sys.modules
    find = search_numpy if beside_torch else search
    return find(ideas, papers, own, study.papers["paper_id"].tolist(), depth=depth, report=report)


def _rows(texts: Texts, rows: NDArray[np.int64]) -> Texts:
    return Texts(
        ids=tuple(texts.ids[row] for row in rows),
        texts=tuple(texts.texts[row] for row in rows),
        flagged=texts.flagged[rows],
    )


def _derived(study: Study) -> Path:
    if study.folder is None:
        raise UsageError("This study is not in a folder, so vectors cannot be stored.")
    return study.folder / DERIVED
