"""What vectors say of forecasts and pools, worked out once so that no page encodes anything.

Stored in ``derived/forecast/``: each forecast's nearest paper of its visible history (novelty =
1 − cosine), the K-means clusters of each target pool (coverage), and each forecast's nearest
papers of the equally long window before its cutoff (the backward control).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from core.config import COVERAGE_CLUSTERS, Pool, Settings
from core.errors import DataError, UsageError
from core.files import DERIVED
from core.ingest.tabular import read_rows, replacing, write_rows
from core.matching.candidates import inputs_digest
from core.matching.pools import Pools, pools, possible_days, topic_masks
from core.matching.text import Texts, idea_texts, paper_texts
from core.study import Study, frame_digest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.matching.encoders import Encoder
    from core.matching.vectors import Progress

FOLDER = "forecast"
INFO_FILE = "geometry.json"
NOVELTY_COLUMNS = ("idea_id", "history", "novelty", "nearest")
CLUSTER_COLUMNS = ("topic", "cutoff", "paper_id", "cluster")
BACKWARD_COLUMNS = ("idea_id", "paper_id", "similarity", "rank")
NO_GEOMETRY = "not worked out yet for these tables: run `foreseen forecast diagnose STUDY --encode`"


@dataclass(frozen=True, kw_only=True)
class GeometryInfo:
    """How it was worked out: encoder, clusters asked for, seed, depth of the backward search, a
    digest of what was looked at (``inputs``) and of the result (``digest``)."""

    encoder: str
    revision: str
    encoder_digest: str
    clusters: int
    seed: int
    depth: int
    pool: str
    inputs: str
    digest: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Geometry:
    """``novelty``: idea_id, history (papers visible), novelty (1 − greatest cosine, nan without
    history), nearest (its paper_id). ``clusters``: topic ('' with pool 'all'), cutoff, paper_id,
    cluster from 0. ``backward``: candidates as in the study's, from the window before."""

    novelty: pd.DataFrame
    clusters: pd.DataFrame
    backward: pd.DataFrame
    info: GeometryInfo


def measure_geometry(
    study: Study,
    settings: Settings | None = None,
    *,
    encoder: Encoder | str | None = None,
    progress: Progress | None = None,
) -> Geometry:
    """Encode what is new, work out novelty, clusters and the backward search, and store them.

    Vectors are brought to unit length first, so K-means (scikit-learn, ``n_init`` 10, seeded by
    ``settings.seed``) parts a pool by cosine; a pool with fewer unlike papers than clusters has
    as many clusters as unlike papers. Papers without a certain date take no part. Raises
    :class:`DataError` for a study without ideas or papers, and whatever the encoder refuses.
    """
    from core.matching.encoders import open_encoder
    from core.matching.vectors import encode

    settings = settings or study.settings
    if study.folder is None:
        raise UsageError("This study is not in a folder, so vectors cannot be stored.")
    for name in ("ideas", "papers"):
        if getattr(study, name).empty:
            raise DataError(f"This study has no {name}, so there is nothing to compare.")
    chosen = encoder if encoder is not None else study.config.encoder
    model: Encoder = open_encoder(chosen) if isinstance(chosen, str) else chosen
    pool = searched_pool(study, settings)
    windows = windows_of(study, pool)
    used = np.flatnonzero(
        (windows.history.certain | windows.target.certain | windows.backward.certain).any(axis=0)
    )
    derived = study.folder / DERIVED
    ideas = encode(
        derived, "ideas", idea_texts(study.ideas, model.separator), model, progress=progress
    ).vectors
    texts = paper_texts(study.papers, model.separator)
    known = Texts(
        ids=tuple(texts.ids[row] for row in used),
        texts=tuple(texts.texts[row] for row in used),
        flagged=texts.flagged[used],
    )
    papers = encode(derived, "papers", known, model, progress=progress).vectors
    spread = np.zeros((len(study.papers), ideas.shape[1]), dtype=np.float32)
    if len(used):
        spread[used] = papers
    novelty = _framed(_novelty(study, windows.history, ideas, spread), NOVELTY_COLUMNS)
    clusters = _framed(
        _clusters(study, windows.target, spread, COVERAGE_CLUSTERS, settings.seed), CLUSTER_COLUMNS
    )
    backward = _framed(
        _nearest(study, windows.backward, ideas, spread, settings.depth), BACKWARD_COLUMNS
    )
    frames = (novelty, clusters, backward)
    info = GeometryInfo(
        encoder=model.name,
        revision=model.revision,
        encoder_digest=model.digest,
        clusters=COVERAGE_CLUSTERS,
        seed=settings.seed,
        depth=settings.depth,
        pool=pool,
        inputs=inputs_digest(study, pool, settings.depth),
        digest=hashlib.sha256("".join(map(frame_digest, frames)).encode()).hexdigest()[:16],
    )
    found = Geometry(novelty=novelty, clusters=clusters, backward=backward, info=info)
    _store(study.folder / DERIVED / FOLDER, found)
    return found


def read_geometry(study: Study) -> Geometry | None:
    """What the study's folder holds, if it is of the tables as they are now; else None."""
    if study.folder is None:
        return None
    folder = study.folder / DERIVED / FOLDER
    path = folder / INFO_FILE
    if not path.is_file():
        return None
    try:
        info = GeometryInfo(**json.loads(path.read_text(encoding="utf-8")))
        frames = [
            _framed(read_rows(folder / f"{name}.parquet"), columns)
            for name, columns in _TABLES.items()
        ]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise DataError(
            f"{path}: not readable ({error}). Run `foreseen forecast diagnose --encode` again."
        ) from None
    pool: Pool = "topic" if info.pool == "topic" else "all"
    if inputs_digest(study, pool, info.depth) != info.inputs:
        return None
    return Geometry(novelty=frames[0], clusters=frames[1], backward=frames[2], info=info)


@dataclass(frozen=True, kw_only=True, eq=False)
class Windows:
    """Every (cutoff, topic) group's three pools over the rows of ``papers``."""

    history: Pools
    target: Pools
    backward: Pools


def windows_of(study: Study, pool: Pool) -> Windows:
    """History (≤ cutoff), target, and the window before the cutoff that is as many days long as
    the target's: cutoff − (end − cutoff) < published ≤ cutoff."""

    target = pools(study.ideas, study.papers, study.config, pool)
    first, last = possible_days(study.papers)
    names = sorted({name for name in target.topics if name is not None})
    masks = dict(zip(names, topic_masks(study.papers, names), strict=True))
    nothing = np.zeros(len(study.papers), dtype=bool)
    on_topic = np.array(
        [
            np.ones_like(nothing) if pool == "all" else masks.get(str(name), nothing)
            for name in target.topics
        ]
    ).reshape(len(target.topics), len(study.papers))
    until = target.cutoffs[:, None]
    start = (target.cutoffs - (target.ends - target.cutoffs))[:, None]
    history = on_topic & (last <= until)
    return Windows(
        history=_replaced(target, history),
        target=target,
        backward=_replaced(target, history & (first > start)),
    )


def searched_pool(study: Study, settings: Settings) -> Pool:
    """The kind of pool that the stored candidates come from, else the settings'."""
    searched = study.candidates_info.pool if study.candidates_info else settings.pool
    return "topic" if searched == "topic" else "all"


def pool_sizes(study: Study, pool: Pool, topic: str, cutoff: date) -> tuple[int, int]:
    """How many papers with a certain date an episode's history and target pool hold."""
    first, last = possible_days(study.papers)
    own = (
        np.ones(len(study.papers), dtype=bool)
        if pool == "all"
        else topic_masks(study.papers, [topic])[0]
    )
    t = np.datetime64(cutoff, "D")
    end = np.datetime64(study.config.window_end(cutoff), "D")
    return int((own & (last <= t)).sum()), int((own & (first > t) & (last <= end)).sum())


def _replaced(own: Pools, certain: NDArray[np.bool_]) -> Pools:
    return Pools(
        groups=own.groups,
        certain=certain,
        ambiguous=np.zeros_like(certain),
        cutoffs=own.cutoffs,
        ends=own.ends,
        topics=own.topics,
    )


def _nearest(
    study: Study,
    pool: Pools,
    ideas: NDArray[np.float32],
    papers: NDArray[np.float32],
    depth: int,
) -> pd.DataFrame:
    from core.matching.index import search_numpy

    found = search_numpy(ideas, papers, pool, study.papers["paper_id"].tolist(), depth=depth)
    frame = pd.DataFrame(
        {
            "idea_id": study.ideas["idea_id"].to_numpy()[found.idea],
            "paper_id": study.papers["paper_id"].to_numpy()[found.paper],
            "similarity": found.similarity,
            "rank": found.rank,
        },
        columns=list(BACKWARD_COLUMNS),
    )
    return frame.sort_values(["idea_id", "rank"], kind="stable", ignore_index=True)


def _novelty(
    study: Study, history: Pools, ideas: NDArray[np.float32], papers: NDArray[np.float32]
) -> pd.DataFrame:
    nearest = _nearest(study, history, ideas, papers, 1).set_index("idea_id")
    ids = study.ideas["idea_id"]
    return pd.DataFrame(
        {
            "idea_id": ids.to_numpy(),
            "history": history.certain.sum(axis=1)[history.groups],
            "novelty": 1 - nearest["similarity"].reindex(ids).to_numpy(float),
            "nearest": nearest["paper_id"].reindex(ids).to_numpy(dtype=object),
        },
        columns=list(NOVELTY_COLUMNS),
    )


def _clusters(
    study: Study, target: Pools, papers: NDArray[np.float32], clusters: int, seed: int
) -> pd.DataFrame:
    ids = study.papers["paper_id"].to_numpy(dtype=object)
    order = np.argsort(ids, kind="stable")
    parts = []
    for group in range(len(target.cutoffs)):
        rows = order[target.certain[group][order]]
        if not len(rows):
            continue
        parts.append(
            pd.DataFrame(
                {
                    "topic": target.topics[group] or "",
                    "cutoff": pd.Timestamp(target.cutoffs[group]),
                    "paper_id": ids[rows],
                    "cluster": kmeans(papers[rows], clusters, seed),
                }
            )
        )
    if not parts:
        return pd.DataFrame(columns=list(CLUSTER_COLUMNS))
    return pd.concat(parts, ignore_index=True)


def kmeans(vectors: NDArray[np.float32], clusters: int, seed: int) -> NDArray[np.int64]:
    """Each row's cluster, from 0; ``n_init`` 10. Rows must be non-zero, at least one."""
    from sklearn.cluster import KMeans

    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    k = min(clusters, len(np.unique(unit, axis=0)))
    found = KMeans(n_clusters=k, n_init=10, random_state=seed).fit(unit)
    return np.asarray(found.labels_, dtype=np.int64)


_TABLES = {
    "novelty": NOVELTY_COLUMNS,
    "clusters": CLUSTER_COLUMNS,
    "backward": BACKWARD_COLUMNS,
}
_TYPES = {
    "idea_id": "str",
    "paper_id": "str",
    "nearest": "str",
    "topic": "str",
    "history": "int64",
    "novelty": "float64",
    "cluster": "int64",
    "similarity": "float64",
    "rank": "int64",
}


def _framed(raw: pd.DataFrame, columns: tuple[str, ...]) -> pd.DataFrame:
    frame = raw[list(columns)] if len(raw.columns) else pd.DataFrame(columns=list(columns))
    frame = frame.astype({name: _TYPES[name] for name in columns if name in _TYPES})
    if "cutoff" in columns:
        frame["cutoff"] = pd.to_datetime(frame["cutoff"]).astype("datetime64[us]")
    return frame.reset_index(drop=True)


def _store(folder: Path, found: Geometry) -> None:
    """The frames, then how they were found, so that none of them is told wrong."""
    (folder / INFO_FILE).unlink(missing_ok=True)
    for name in _TABLES:
        write_rows(getattr(found, name), folder / f"{name}.parquet")
    with replacing(folder / INFO_FILE) as file:
        file.write((json.dumps(vars(found.info), indent=1, sort_keys=True) + "\n").encode())
