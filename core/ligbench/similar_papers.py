"""What each idea's novelty is measured against: the nearest papers that its cutoff lets it know.

Stored raw in ``derived/novelty.parquet`` to a depth, with ``novelty.json`` beside it, so that
α, k, μ, β and the number of papers move without encoding anything.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import NOVELTY_DEPTH
from core.errors import DataError, UsageError
from core.files import DERIVED
from core.ingest.tabular import read_rows, replacing, write_rows
from core.matching.encoders import Encoder, open_encoder
from core.matching.pools import Pools, idea_cutoffs, possible_days
from core.matching.text import NO_SEPARATOR, Texts, idea_texts, paper_texts
from core.matching.vectors import Progress, encode
from core.study import Study, frame_digest

FILE, INFO_FILE = "novelty.parquet", "novelty.json"
COLUMNS = ("idea_id", "paper_id", "similarity", "rank", "ambiguous")
_UNIT, _ROW = "\x1f", "\x1e"


@dataclass(frozen=True, kw_only=True)
class SimilarInfo:
    """How the similarities were found: encoder, depth, a digest of what was looked at
    (``inputs``) and of the pairs (``digest``)."""

    encoder: str
    revision: str
    encoder_digest: str
    depth: int
    inputs: str
    digest: str


@dataclass(frozen=True, kw_only=True, eq=False)
class SimilarPapers:
    """Each idea's nearest earlier papers: idea_id, paper_id, similarity (cosine), rank (from 1,
    1 the nearest), ambiguous (the paper's date may also lie after the cutoff).

    An idea without a row has no paper on or before its cutoff.
    """

    frame: pd.DataFrame
    info: SimilarInfo


def find_similar(
    study: Study,
    *,
    encoder: Encoder | str | None = None,
    depth: int = NOVELTY_DEPTH,
    progress: Progress | None = None,
) -> SimilarPapers:
    """Encode what is new, find each idea's ``depth`` nearest papers dated on or before its
    cutoff, and store them in the study's folder.

    Raises :class:`DataError` for a study without ideas, and whatever encoder and search refuse.
    """
    if study.folder is None:
        raise UsageError("This study is not in a folder, so similarities cannot be stored.")
    if study.ideas.empty:
        raise DataError(
            "This study has no ideas. Bring them with"
            f" `foreseen import ideas FILE --into {study.folder}`."
        )
    chosen = encoder if encoder is not None else study.config.encoder
    model: Encoder = open_encoder(chosen) if isinstance(chosen, str) else chosen
    earlier = earlier_pools(study)
    rows = np.flatnonzero(earlier.searched.any(axis=0))
    frame = pd.DataFrame(columns=list(COLUMNS))
    if len(rows):
        derived = study.folder / DERIVED
        ideas = encode(
            derived, "ideas", idea_texts(study.ideas, model.separator), model, progress=progress
        )
        texts = paper_texts(study.papers, model.separator)
        known = Texts(
            ids=tuple(texts.ids[row] for row in rows),
            texts=tuple(texts.texts[row] for row in rows),
            flagged=texts.flagged[rows],
        )
        papers = encode(derived, "papers", known, model, progress=progress)
        frame = nearest_earlier(study, earlier, rows, ideas.vectors, papers.vectors, depth)
    info = SimilarInfo(
        encoder=model.name,
        revision=model.revision,
        encoder_digest=model.digest,
        depth=depth,
        inputs=inputs_digest(study),
        digest=frame_digest(frame),
    )
    found = SimilarPapers(frame=frame, info=info)
    store(study.folder, found)
    return found


def nearest_earlier(
    study: Study,
    earlier: Pools,
    rows: NDArray[np.int64],
    ideas: NDArray[np.float32],
    papers: NDArray[np.float32],
    depth: int,
) -> pd.DataFrame:
    """The pairs as a frame; ``papers`` holds the vectors of the papers at ``rows`` alone."""
    from core.matching.index import search_numpy

    own = Pools(
        groups=earlier.groups,
        certain=earlier.certain[:, rows],
        ambiguous=earlier.ambiguous[:, rows],
        cutoffs=earlier.cutoffs,
        ends=earlier.ends,
        topics=earlier.topics,
    )
    names = study.papers["paper_id"].to_numpy()[rows]
    found = search_numpy(ideas, papers, own, names.tolist(), depth=depth)
    frame = pd.DataFrame(
        {
            "idea_id": study.ideas["idea_id"].to_numpy()[found.idea],
            "paper_id": names[found.paper],
            "similarity": found.similarity,
            "rank": found.rank,
            "ambiguous": own.ambiguous[own.groups[found.idea], found.paper],
        }
    )
    return frame.sort_values(["idea_id", "rank"], kind="stable", ignore_index=True)


def earlier_pools(study: Study) -> Pools:
    """The papers of each idea's past: ``certain`` are dated on or before its cutoff whatever
    day their date stands for, ``ambiguous`` only on some of those days."""
    own = idea_cutoffs(study.ideas, study.config)
    cutoffs, groups = np.unique(own, return_inverse=True)
    first, last = possible_days(study.papers)
    certain = last <= cutoffs[:, None]
    possible = first <= cutoffs[:, None]
    return Pools(
        groups=groups.reshape(-1).astype(np.int64),
        certain=certain,
        ambiguous=possible & ~certain,
        cutoffs=cutoffs,
        ends=cutoffs,
        topics=(None,) * len(cutoffs),
    )


def inputs_digest(study: Study) -> str:
    """Digest of what the search looks at: texts, cutoffs and dates; row order is free."""
    cutoffs = idea_cutoffs(study.ideas, study.config).astype(str)
    ideas = idea_texts(study.ideas, NO_SEPARATOR).texts
    papers = paper_texts(study.papers, NO_SEPARATOR).texts
    first, last = possible_days(study.papers)
    whole = hashlib.sha256()
    for rows in (
        zip(study.ideas["idea_id"], ideas, cutoffs, strict=True),
        zip(study.papers["paper_id"], papers, first.astype(str), last.astype(str), strict=True),
    ):
        whole.update(_ROW.join(sorted(_UNIT.join(row) for row in rows)).encode("utf-8", "replace"))
        whole.update(b"\x00")
    return whole.hexdigest()[:16]


def store(folder: Path, found: SimilarPapers) -> None:
    """Write the pairs, then how they were found, so that none of them is told wrong."""
    derived = folder / DERIVED
    (derived / INFO_FILE).unlink(missing_ok=True)
    write_rows(found.frame, derived / FILE)
    with replacing(derived / INFO_FILE) as file:
        file.write((json.dumps(vars(found.info), indent=1, sort_keys=True) + "\n").encode())


def read_similar(study: Study) -> SimilarPapers | None:
    """What the study's folder holds; None where nothing was stored or the study has no folder."""
    if study.folder is None:
        return None
    path = study.folder / DERIVED / INFO_FILE
    if not path.is_file():
        return None
    try:
        info = SimilarInfo(**json.loads(path.read_text(encoding="utf-8")))
        frame = read_rows(path.with_name(FILE))
        frame = frame[list(COLUMNS)] if len(frame.columns) else pd.DataFrame(columns=list(COLUMNS))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise DataError(f"{path}: not readable ({error}). Run `foreseen novelty` again.") from None
    typed = frame.astype(
        {"idea_id": str, "paper_id": str, "similarity": float, "rank": int, "ambiguous": bool}
    )
    return SimilarPapers(frame=typed, info=info)


def is_stale(study: Study, found: SimilarPapers) -> bool:
    """Whether texts, cutoffs or dates have changed since the similarities were found."""
    return found.info.inputs != inputs_digest(study)
