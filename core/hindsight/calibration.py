"""Calibration: which similarity means a match, for the encoder at hand.

θ belongs to the encoder: the papers' 0.96 says nothing for another model. So the similarities of
ideas with papers of their own topic are set beside those with papers of other topics, where a
match would be a false one. They are measured when candidates are found and kept in
``derived/calibration.json``; what follows from them is computed when read.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.config import Settings
from core.errors import DataError
from core.files import DERIVED
from core.ingest.tabular import replacing
from core.matching.index import DECIMALS, normalised, rounded
from core.matching.pools import Pools, topic_masks
from core.matching.vectors import Progress, Step
from core.study import CandidatesInfo, Study

FILE = "calibration.json"
BASES = {
    "topics": "A paper is of an idea's own topic where its topics name it, else of another;"
    " papers without topics are left out.",
    "nearest_topic": "The papers carry no topic that the ideas use, so each paper counts to the"
    " topic whose ideas' mean vector it is nearest to.",
    "none": "The ideas carry no topics.",
}
# Similarities are told apart to a thousandth, the step of θ; the last bin holds 1 alone.
_PER_UNIT = 1000
_BINS = 2 * _PER_UNIT + 1
_SHOWN_BINS = 80
_CHUNK = 4096


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What ``derived/calibration.json`` holds: counts of pairs, and each idea's best.

    ``own_counts[j]`` pairs have a similarity in [low + j/1000, low + (j+1)/1000). A best is None
    where the idea has no such paper in its window.
    """

    encoder: str
    encoder_digest: str
    inputs: str
    basis: str
    topics: int
    unassigned_papers: int
    low: int
    own_counts: list[int] = field(default_factory=list)
    other_counts: list[int] = field(default_factory=list)
    idea_ids: list[str] = field(default_factory=list)
    best_own: list[float | None] = field(default_factory=list)
    best_other: list[float | None] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, eq=False)
class Calibration:
    """Similarities of own-topic and other-topic pairs in the ideas' windows, and θ from them.

    ``edges`` (bins + 1) and the densities (bins) are histograms that integrate to 1, or are all 0
    where there is no pair. ``best_own`` and ``best_other`` are each idea's highest similarity to
    a paper of its own topic and of any other, in the order of ``idea_ids``; nan where there is no
    such paper. ``suggested_theta`` is the least θ of three decimals at which at most
    ``false_match_rate`` of the ideas would match any paper if shown only those of other topics;
    None with the reason in ``undefined``. At that θ: ``false_matches`` is the share of ideas that
    still do, ``own_matches`` the share that match a paper of their own topic, ``other_pair_rate``
    and ``own_pair_rate`` the shares of single pairs that reach it.
    """

    encoder: str
    basis: str
    basis_note: str
    topics: int
    n_ideas: int
    n_ideas_own: int
    n_ideas_other: int
    n_own: int
    n_other: int
    unassigned_papers: int
    edges: NDArray[np.float64]
    own_density: NDArray[np.float64]
    other_density: NDArray[np.float64]
    idea_ids: tuple[str, ...]
    best_own: NDArray[np.float64]
    best_other: NDArray[np.float64]
    false_match_rate: float
    suggested_theta: float | None
    false_matches: float | None
    own_matches: float | None
    other_pair_rate: float | None
    own_pair_rate: float | None
    undefined: str | None

    def to_frame(self) -> pd.DataFrame:
        """One row an idea: idea_id, best_own, best_other."""
        return pd.DataFrame(
            {"idea_id": self.idea_ids, "best_own": self.best_own, "best_other": self.best_other}
        )

    def share_matching(self, theta: float, *, own: bool) -> float | None:
        """Share of ideas that would match at ``theta``, shown only own-topic or other papers.

        Of the ideas that have such papers; in [0, 1], None where none has.
        """
        return _share(self.best_own if own else self.best_other, theta)


def calibration(study: Study, settings: Settings | None = None) -> Calibration:
    """The calibration of the study's stored similarities at ``settings.false_match_rate``.

    No other setting plays a part. Papers with ambiguous dates are left out. Raises
    :class:`DataError` where the study was not matched, or the calibration is of other candidates.
    """
    settings = settings or study.settings
    return _read_off(_stored(study), settings.false_match_rate)


def measure(
    study: Study,
    info: CandidatesInfo,
    windows: Pools,
    ideas: NDArray[np.float32],
    papers: NDArray[np.float32],
    progress: Progress | None = None,
) -> Measured:
    """Measure every pair of an idea and a paper in its window.

    ``windows`` are the pools of all topics; ``ideas`` (ideas, dimensions) and ``papers`` (papers,
    dimensions) the vectors, in the tables' row order. Pairs are measured in float64 from vectors
    normalised in float32, and rounded as stored similarities are.
    """
    names = sorted(set(study.ideas["topic"].dropna()))
    in_window = np.flatnonzero(windows.certain.any(axis=0))
    topic = pd.Index(names).get_indexer(study.ideas["topic"])
    queries = normalised(ideas, "ideas").astype(np.float64)
    table = study.papers.iloc[in_window]
    base = normalised(papers[in_window], "papers")
    carries = topic_masks(table, names)
    basis = "topics" if carries.any() else "nearest_topic" if names else "none"
    known = table["topics"].map(len).to_numpy() > 0
    if basis == "nearest_topic":
        carries = _nearest_topics(queries, topic, base, len(names))
        known = np.ones(len(table), dtype=bool)
    own_counts, other_counts = np.zeros(_BINS, dtype=np.int64), np.zeros(_BINS, dtype=np.int64)
    best_own, best_other = np.full(len(ideas), -np.inf), np.full(len(ideas), -np.inf)
    rows = np.flatnonzero(topic >= 0)
    for start in range(0, len(table) if len(rows) else 0, _CHUNK):
        part = slice(start, start + _CHUNK)
        cosines = rounded(queries[rows] @ base[part].astype(np.float64).T)
        inside = windows.certain[np.ix_(windows.groups[rows], in_window[part])]
        own = inside & carries[topic[rows], part]
        other = inside & ~carries[topic[rows], part] & known[part]
        bins = np.floor_divide(np.rint(cosines * 10**DECIMALS).astype(np.int32), 1000) + _PER_UNIT
        for mask, counts, best in (
            (own, own_counts, best_own),
            (other, other_counts, best_other),
        ):
            counts += np.bincount(bins[mask], minlength=_BINS)
            best[rows] = np.maximum(best[rows], np.where(mask, cosines, -np.inf).max(axis=1))
        if progress:
            done = min(start + _CHUNK, len(table))
            progress(Step(stage="calibration", done=done, total=len(table)))
    used = np.flatnonzero(own_counts + other_counts)
    span = slice(int(used[0]), int(used[-1]) + 1) if len(used) else slice(_PER_UNIT, _PER_UNIT)
    by_id = study.ideas["idea_id"].argsort().to_numpy()
    return Measured(
        encoder=info.encoder,
        encoder_digest=info.encoder_digest,
        inputs=info.inputs,
        basis=basis,
        topics=len(names),
        unassigned_papers=int((~known).sum()),
        low=span.start - _PER_UNIT,
        own_counts=own_counts[span].tolist(),
        other_counts=other_counts[span].tolist(),
        idea_ids=study.ideas["idea_id"].to_numpy()[by_id].tolist(),
        best_own=_listed(best_own[by_id]),
        best_other=_listed(best_other[by_id]),
    )


def store(folder: Path, measured: Measured) -> None:
    """Write ``derived/calibration.json``: one key a line, the same bytes for the same values."""
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in asdict(measured).items()]
    with replacing(folder / DERIVED / FILE) as file:
        file.write(("{\n" + ",\n".join(lines) + "\n}\n").encode())


def _nearest_topics(
    queries: NDArray[np.float64],
    topic: NDArray[np.intp],
    base: NDArray[np.float32],
    n_topics: int,
) -> NDArray[np.bool_]:
    """Each paper's one topic, (topics, papers): the nearest mean of ideas; ties to the first."""
    means = np.stack([queries[topic == code].mean(axis=0) for code in range(n_topics)])
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    means /= np.where(lengths > 0, lengths, 1.0)
    near = [
        rounded(means @ base[start : start + _CHUNK].astype(np.float64).T).argmax(axis=0)
        for start in range(0, len(base), _CHUNK)
    ]
    nearest = np.concatenate([np.empty(0, dtype=np.intp), *near])
    return np.asarray(nearest[None, :] == np.arange(n_topics)[:, None])


def _stored(study: Study) -> Measured:
    info = study.candidates_info
    again = f"Run `foreseen match {study.folder or 'STUDY'}`."
    if info is None or study.folder is None:
        raise DataError(f"This study has no stored similarities to calibrate on. {again}")
    path = study.folder / DERIVED / FILE
    try:
        measured = Measured(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise DataError(f"{path}: not readable ({error}). {again}") from None
    if (measured.inputs, measured.encoder_digest) != (info.inputs, info.encoder_digest):
        raise DataError(f"{path}: measured on other candidates than those stored. {again}")
    return measured


def _read_off(measured: Measured, rate: float) -> Calibration:
    best_own, best_other = _array(measured.best_own), _array(measured.best_other)
    theta, undefined = _suggested(measured, best_other, rate)
    own = np.array(measured.own_counts, dtype=np.int64)
    other = np.array(measured.other_counts, dtype=np.int64)
    edges, widths = _edges(measured.low, len(own))
    at = None if theta is None else max(0, round(theta * _PER_UNIT) - measured.low)
    return Calibration(
        encoder=measured.encoder,
        basis=measured.basis,
        basis_note=BASES[measured.basis],
        topics=measured.topics,
        n_ideas=len(measured.idea_ids),
        n_ideas_own=int(np.isfinite(best_own).sum()),
        n_ideas_other=int(np.isfinite(best_other).sum()),
        n_own=int(own.sum()),
        n_other=int(other.sum()),
        unassigned_papers=measured.unassigned_papers,
        edges=edges,
        own_density=_density(own, widths),
        other_density=_density(other, widths),
        idea_ids=tuple(measured.idea_ids),
        best_own=best_own,
        best_other=best_other,
        false_match_rate=rate,
        suggested_theta=theta,
        false_matches=None if theta is None else _share(best_other, theta),
        own_matches=None if theta is None else _share(best_own, theta),
        other_pair_rate=_tail(other, at),
        own_pair_rate=_tail(own, at),
        undefined=undefined,
    )


def _suggested(
    measured: Measured, best_other: NDArray[np.float64], rate: float
) -> tuple[float | None, str | None]:
    if not measured.topics:
        return None, "the ideas carry no topics, so no pair is known to be of unlike topics"
    bests = np.sort(best_other[np.isfinite(best_other)])[::-1]
    if not len(bests):
        if measured.topics == 1:
            return None, "one topic only, so there is no paper of another"
        return None, "no idea has a paper of another topic in its window"
    allowed = math.floor(rate * len(bests) + 1e-9)
    # θ must lie above the first best that may not match; a match is a similarity ≥ θ.
    thousandths = round(float(bests[allowed]) * 10**DECIMALS) // 1000 + 1
    if thousandths > _PER_UNIT:
        return None, "papers of other topics are identical to ideas, so every θ lets them match"
    return thousandths / _PER_UNIT, None


def _edges(low: int, bins: int) -> tuple[NDArray[np.float64], int]:
    """Edges of at most 80 equal bins over the similarities met, and how many thousandths each."""
    width = next(w for w in (1, 2, 5, 10, 20, 50) if math.ceil(bins / w) <= _SHOWN_BINS)
    n = math.ceil(bins / width)
    return (low + width * np.arange(n + 1)) / _PER_UNIT, width


def _density(counts: NDArray[np.int64], width: int) -> NDArray[np.float64]:
    padded = np.pad(counts, (0, -len(counts) % width)).reshape(-1, width).sum(axis=1)
    total = int(padded.sum())
    return padded / (total * width / _PER_UNIT) if total else np.zeros(len(padded))


def _tail(counts: NDArray[np.int64], start: int | None) -> float | None:
    total = int(counts.sum())
    return None if start is None or not total else int(counts[start:].sum()) / total


def _share(best: NDArray[np.float64], theta: float) -> float | None:
    known = best[np.isfinite(best)]
    return float((known >= theta).mean()) if len(known) else None


def _listed(best: NDArray[np.float64]) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in best]


def _array(best: list[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in best], dtype=np.float64)
