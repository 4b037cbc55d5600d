"""Vectors that the user brings: an NPZ file for ideas and one for papers, checked to the row."""

from __future__ import annotations

import hashlib
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import DataError, UsageError, nearest

KINDS = ("ideas", "papers")


@dataclass(frozen=True, kw_only=True, eq=False)
class Brought:
    """Vectors in the row order of the study's tables, float32, and what encoded them.

    ``digest`` is of the files' ids and vectors. ``encoder`` is the name that was given or that
    both files hold, else 'vectors:' and the digest.
    """

    encoder: str
    digest: str
    ideas: NDArray[np.float32]
    papers: NDArray[np.float32]


def parse_vectors(options: Sequence[str]) -> dict[str, Path]:
    """``ideas=FILE.npz`` and ``papers=FILE.npz`` as a mapping; both must be there, once each."""
    found: dict[str, Path] = {}
    for option in options:
        kind, equals, path = option.partition("=")
        if not equals or not path:
            raise UsageError(f"--vectors {option}: write it as ideas=FILE.npz or papers=FILE.npz")
        if kind not in KINDS:
            raise UsageError(f"--vectors {option}: no table '{kind}'. {nearest(kind, KINDS)}")
        if kind in found:
            raise UsageError(f"--vectors {kind}=… stands twice. Give one file for each table.")
        found[kind] = Path(path)
    _need_both(found)
    return found


def read_vectors(
    files: Mapping[str, Path],
    *,
    idea_ids: Sequence[str],
    paper_ids: Sequence[str],
    encoder: str | None = None,
) -> Brought:
    """Read both files (arrays ``ids`` and ``vectors``; ``encoder`` may hold its name).

    Every idea and paper of the study must be there once, and no other; vectors must be finite,
    not zero and all of one width. Raises :class:`DataError` that names the file and the ids.
    """
    _need_both(files)
    ideas_name, ideas = _read(Path(files["ideas"]), "ideas", idea_ids)
    papers_name, papers = _read(Path(files["papers"]), "papers", paper_ids)
    if ideas.shape[1] != papers.shape[1]:
        raise DataError(
            f"{files['ideas']} has vectors of {ideas.shape[1]} dimensions and {files['papers']} of"
            f" {papers.shape[1]}. Both must come from one encoder."
        )
    named = {name for name in (encoder, ideas_name, papers_name) if name}
    if len(named) > 1:
        raise DataError(
            f"{files['ideas']} and {files['papers']}: vectors of unlike encoders"
            f" ({' and '.join(sorted(named))}). Both, and --encoder where given, must name one."
        )
    digest = _digest(idea_ids, ideas, paper_ids, papers)
    name = named.pop() if named else f"vectors:{digest}"
    return Brought(encoder=name, digest=digest, ideas=ideas, papers=papers)


def _need_both(files: Mapping[str, Path]) -> None:
    unknown = [kind for kind in files if kind not in KINDS]
    if unknown:
        raise UsageError(f"vectors: no table '{unknown[0]}'. {nearest(unknown[0], KINDS)}")
    missing = [kind for kind in KINDS if kind not in files]
    if missing:
        raise UsageError(
            f"--vectors {missing[0]}=FILE.npz is missing: ideas and papers must be encoded by one"
            " encoder, so bring both files or neither."
        )


def _read(path: Path, kind: str, wanted: Sequence[str]) -> tuple[str | None, NDArray[np.float32]]:
    arrays = _arrays(path)
    for name in ("ids", "vectors"):
        if name not in arrays:
            raise DataError(
                f"{path}: no array '{name}'. Found: {', '.join(sorted(arrays)) or 'none'}. Save it"
                " with numpy.savez(FILE, ids=…, vectors=…)."
            )
    ids, vectors = arrays["ids"], arrays["vectors"]
    if ids.ndim != 1 or ids.dtype.kind not in "Uiu":
        raise DataError(
            f"{path}: 'ids' must be a flat array of text, not {ids.dtype} of shape {ids.shape}."
        )
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu" or not vectors.shape[1]:
        raise DataError(
            f"{path}: 'vectors' must be numbers of shape (ids, dimensions), not {vectors.dtype} of"
            f" shape {vectors.shape}."
        )
    if len(ids) != len(vectors):
        raise DataError(f"{path}: {len(ids)} ids and {len(vectors)} vectors; one each is due.")
    names = [str(name) for name in ids.tolist()]
    _check_ids(path, kind, names, wanted)
    with np.errstate(over="ignore"):
        vectors = vectors.astype(np.float32)
    _refuse(
        path, kind, names, ~np.asarray(np.isfinite(vectors).all(axis=1)), "are not finite numbers"
    )
    _refuse(
        path, kind, names, ~np.asarray(vectors.any(axis=1)), "are zero, so they have no direction"
    )
    rows = {name: row for row, name in enumerate(names)}
    order = np.array([rows[name] for name in wanted], dtype=np.int64)
    encoder = arrays.get("encoder")
    told = str(encoder.reshape(-1)[0]) if encoder is not None and encoder.size == 1 else None
    return told, np.ascontiguousarray(vectors[order])


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    if not path.is_file():
        raise DataError(f"{path}: no such file")
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as loaded:
            return {name: loaded[name] for name in loaded.files}
    except (AttributeError, TypeError):
        raise DataError(
            f"{path}: one bare array; an .npz with 'ids' and 'vectors' is due."
        ) from None
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(
            f"{path}: not readable as .npz without pickle ({error}). Save ids as text:"
            " numpy.savez(FILE, ids=numpy.array(ids, dtype=str), vectors=vectors)."
        ) from None


def _check_ids(path: Path, kind: str, names: list[str], wanted: Sequence[str]) -> None:
    given, due = set(names), set(wanted)
    if len(given) < len(names):
        twice = [name for name, times in Counter(names).items() if times > 1]
        raise DataError(f"{path}: {_some(twice)} in 'ids' more than once.")
    missing = [name for name in wanted if name not in given]
    if missing:
        raise DataError(
            f"{path}: no vector for {len(missing)} of the study's {len(due)} {kind}: {_some(missing)}."
        )
    extra = [name for name in names if name not in due]
    if extra:
        raise DataError(
            f"{path}: {len(extra)} ids are not among the study's {kind}: {_some(extra)}."
            f" {nearest(extra[0], sorted(due)) if len(due) < 1000 else ''}".rstrip()
        )


def _refuse(path: Path, kind: str, names: list[str], bad: NDArray[np.bool_], what: str) -> None:
    if bad.any():
        shown = _some([name for name, is_bad in zip(names, bad, strict=True) if is_bad])
        raise DataError(f"{path}: {int(bad.sum())} vectors of {kind} {what}: {shown}.")


def _some(names: Sequence[str], shown: int = 5) -> str:
    return ", ".join(names[:shown]) + (", …" if len(names) > shown else "")


def _digest(
    idea_ids: Sequence[str],
    ideas: NDArray[np.float32],
    paper_ids: Sequence[str],
    papers: NDArray[np.float32],
) -> str:
    whole = hashlib.sha256()
    for ids, vectors in ((idea_ids, ideas), (paper_ids, papers)):
        order = sorted(range(len(ids)), key=lambda row: ids[row])
        whole.update("\n".join(ids[row] for row in order).encode())
        whole.update(np.ascontiguousarray(vectors[order]).tobytes())
    return whole.hexdigest()[:16]
