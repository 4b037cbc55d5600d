"""Vectors on disk: only new or changed texts are encoded, and a run that was killed goes on.

``derived/vectors/<encoder>/`` holds, for ideas and for papers, ``<kind>.npy`` (float32, one row
a text, no pickle) and ``<kind>.json`` (the encoder's name, revision and digest, and the digest
of each row's text). While a run lasts, each finished chunk stands beside them as
``<kind>.part-N.npy`` with its ``.json``; at its end the chunks are joined to the whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import DataError
from core.ingest.tabular import replacing
from core.matching.encoders import Encoder
from core.matching.text import Texts, text_digest

Kind = Literal["ideas", "papers", "references"]
Stage = Literal["ideas", "papers", "references", "search", "calibration"]
FOLDER = "vectors"
CHUNK = 64


@dataclass(frozen=True, kw_only=True)
class Step:
    """How far a run is: ``done`` of ``total`` texts or ideas of one stage."""

    stage: Stage
    done: int
    total: int


Progress = Callable[[Step], None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Encoded:
    """One vector a text, in the texts' order: float32 (texts, dimensions); ``new`` were encoded."""

    vectors: NDArray[np.float32]
    new: int


@dataclass(frozen=True, kw_only=True, eq=False)
class _Stored:
    digests: list[str]
    vectors: NDArray[np.float32]


def encode(
    derived: Path,
    kind: Kind,
    texts: Texts,
    encoder: Encoder,
    *,
    progress: Progress | None = None,
    chunk: int = CHUNK,
) -> Encoded:
    """The vectors of ``texts``, encoding only those that ``derived`` does not hold yet.

    New texts are encoded from the longest to the shortest, so that a batch holds texts of like
    length, and each ``chunk`` is written as it is done. Equal texts are encoded once. Vectors of
    texts that are gone stay, so that a text that comes back costs nothing.

    Raises :class:`DataError` where the stored vectors are another encoder's, where a text is
    empty, or where the encoder gives anything but finite, non-zero vectors of one width.
    """
    _refuse_empty(kind, texts)
    folder = derived / FOLDER / folder_name(encoder.name)
    stored = _read_all(folder, kind, encoder)
    places = {digest: row for row, digest in enumerate(stored.digests)}
    wanted = [text_digest(text) for text in texts.texts]
    by_digest = dict(zip(wanted, texts.texts, strict=True))
    missing = [digest for digest in by_digest if digest not in places]
    missing.sort(key=lambda digest: (-len(by_digest[digest]), digest))
    report = progress or _unheard
    report(Step(stage=kind, done=0, total=len(missing)))
    fresh: list[NDArray[np.float32]] = []
    for start in range(0, len(missing), chunk):
        part = missing[start : start + chunk]
        batch = [by_digest[digest] for digest in part]
        vectors = _checked(encoder, encoder.encode(batch), batch, stored, fresh)
        number = len(stored.digests) + start
        _write(folder, f"{kind}.part-{number:09d}", encoder, part, vectors)
        fresh.append(vectors)
        report(Step(stage=kind, done=start + len(part), total=len(missing)))
    held = [stored.vectors] if stored.digests else []
    whole = np.concatenate([*held, *fresh]) if held or fresh else stored.vectors
    digests = stored.digests + missing
    if fresh or _parts(folder, kind):
        _write(folder, kind, encoder, digests, whole)
        _remove_parts(folder, kind)
    places = {digest: row for row, digest in enumerate(digests)}
    rows = np.array([places[digest] for digest in wanted], dtype=np.int64)
    return Encoded(vectors=whole[rows], new=len(missing))


def _unheard(_step: Step) -> None:
    """Where nobody listens."""


def folder_name(encoder: str) -> str:
    """An encoder's name as a folder's: 'allenai/specter2_base' gives 'allenai--specter2_base'."""
    return re.sub(r"[^\w.-]+", "--", encoder).lstrip(".-") or "encoder"


def _refuse_empty(kind: Kind, texts: Texts) -> None:
    empty = texts.empty
    if empty:
        shown = ", ".join(empty[:5]) + (", …" if len(empty) > 5 else "")
        need = "a problem, method, title or rationale" if kind == "ideas" else "a title or abstract"
        raise DataError(
            f"{kind}: {len(empty)} of {len(texts.ids)} have no text to encode ({shown})."
            f" Give each {need}, or remove its row."
        )


def _checked(
    encoder: Encoder,
    vectors: NDArray[Any],
    batch: Sequence[str],
    stored: _Stored,
    fresh: Sequence[NDArray[np.float32]],
) -> NDArray[np.float32]:
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    earlier = fresh[0] if fresh else stored.vectors
    width = earlier.shape[1] if len(earlier) else encoder.dimensions
    if vectors.shape != (len(batch), width):
        raise DataError(
            f"encoder '{encoder.name}' gave {vectors.shape} for {len(batch)} texts where"
            f" {(len(batch), width)} was due."
        )
    bad = ~np.isfinite(vectors).all(axis=1) | ~vectors.any(axis=1)
    if bad.any():
        text = batch[int(np.flatnonzero(bad)[0])]
        raise DataError(
            f"encoder '{encoder.name}' gave a zero or non-finite vector for {int(bad.sum())} of"
            f" {len(batch)} texts, such as {text[:80]!r}. A cosine is not defined for it."
        )
    return vectors


def _read_all(folder: Path, kind: Kind, encoder: Encoder) -> _Stored:
    stems: list[str] = [kind] if (folder / f"{kind}.json").is_file() else []
    stems += [path.stem for path in _parts(folder, kind)]
    found = [_read(folder, stem, encoder) for stem in stems]
    if not found:
        return _Stored(digests=[], vectors=np.empty((0, 0), dtype=np.float32))
    widths = {part.vectors.shape[1] for part in found}
    if len(widths) > 1:
        raise DataError(f"{folder}: vectors of unlike width. Delete this folder and match again.")
    # A run killed while it removed its chunks leaves rows that the whole holds too.
    rows = {digest: row for row, digest in enumerate(d for part in found for d in part.digests)}
    vectors = np.concatenate([part.vectors for part in found])
    return _Stored(digests=list(rows), vectors=vectors[list(rows.values())])


def _read(folder: Path, stem: str, encoder: Encoder) -> _Stored:
    index, array = folder / f"{stem}.json", folder / f"{stem}.npy"
    try:
        told = json.loads(index.read_text(encoding="utf-8"))
        digest, digests = str(told["digest"]), list(told["texts"])
        vectors = np.load(array, allow_pickle=False)
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        raise DataError(
            f"{index}: damaged vectors ({error}). Delete {folder} and match again."
        ) from None
    if digest != encoder.digest:
        raise DataError(
            f"{index}: these vectors are of encoder '{told.get('encoder')}' with digest {digest},"
            f" and this run would add vectors of '{encoder.name}' with digest {encoder.digest}."
            f" Vectors of two encoders cannot be compared. Delete {folder} to encode everything"
            " anew, or use the encoder that made them."
        )
    if vectors.dtype != np.float32 or vectors.ndim != 2 or len(vectors) < len(digests):
        raise DataError(
            f"{array}: {vectors.dtype} of shape {vectors.shape} where {index.name} lists"
            f" {len(digests)} texts. Delete {folder} and match again."
        )
    return _Stored(digests=digests, vectors=vectors[: len(digests)])


def _write(
    folder: Path, stem: str, encoder: Encoder, digests: list[str], vectors: NDArray[np.float32]
) -> None:
    """Array first, index last; the index may list fewer rows than the array holds, never more.

    A whole is only ever lengthened, so a run killed between the two files leaves the old index
    over an array that begins with the same rows.
    """
    with replacing(folder / f"{stem}.npy") as file:
        np.save(file, vectors, allow_pickle=False)
    told = {
        "encoder": encoder.name,
        "revision": encoder.revision,
        "digest": encoder.digest,
        "separator": encoder.separator,
        "dimensions": int(vectors.shape[1]),
        "texts": digests,
    }
    with replacing(folder / f"{stem}.json") as file:
        file.write((json.dumps(told, ensure_ascii=False) + "\n").encode())


def _parts(folder: Path, kind: Kind) -> list[Path]:
    return sorted(folder.glob(f"{kind}.part-*.json"))


def _remove_parts(folder: Path, kind: Kind) -> None:
    for path in [*_parts(folder, kind), *folder.glob(f"{kind}.part-*.npy")]:
        path.unlink(missing_ok=True)
