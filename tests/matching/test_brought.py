"""Vectors that the user brings: what is taken, and what is refused with which words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import DataError, UsageError
from core.matching.brought import Brought, parse_vectors, read_vectors

IDEAS, PAPERS = ["i1", "i2"], ["p1", "p2", "p3"]


def save(path: Path, ids: Any, vectors: Any, **more: Any) -> Path:
    np.savez(path, ids=np.array(ids), vectors=np.array(vectors), **more)
    return path


def files(folder: Path, *, more: Any = None, **papers: Any) -> dict[str, Path]:
    """A good pair of files, the papers' with what is named."""
    good: dict[str, Any] = {"ids": PAPERS, "vectors": [[1, 0], [0, 1], [1, 1]]}
    return {
        "ideas": save(folder / "ideas.npz", IDEAS, [[1.0, 2.0], [3.0, 4.0]], **(more or {})),
        "papers": save(folder / "papers.npz", **(good | papers)),
    }


def read(found: dict[str, Path], encoder: str | None = None) -> Brought:
    return read_vectors(found, idea_ids=IDEAS, paper_ids=PAPERS, encoder=encoder)


def test_rows_come_in_the_order_of_the_tables(tmp_path: Path) -> None:
    found = read(files(tmp_path, ids=["p3", "p1", "p2"], vectors=[[3, 3], [1, 1], [2, 2]]))
    assert found.papers.tolist() == [[1, 1], [2, 2], [3, 3]]
    assert found.papers.dtype == np.float32
    assert found.encoder == f"vectors:{found.digest}"
    # The same content in another order is the same encoder.
    again = read(files(tmp_path, ids=["p1", "p2", "p3"], vectors=[[1, 1], [2, 2], [3, 3]]))
    assert again.digest == found.digest
    assert read(files(tmp_path)).digest != found.digest


def test_numbers_as_ids_are_read_as_text(tmp_path: Path) -> None:
    found = files(tmp_path, ids=[7, 8, 9])
    ids = ["7", "8", "9"]
    assert read_vectors(found, idea_ids=IDEAS, paper_ids=ids).papers.shape == (3, 2)


def test_the_name_of_the_encoder_comes_from_the_option_or_the_files(tmp_path: Path) -> None:
    assert read(files(tmp_path), "mine").encoder == "mine"
    assert read(files(tmp_path, encoder="theirs")).encoder == "theirs"
    with pytest.raises(DataError, match=r"unlike encoders \(mine and theirs\)"):
        read(files(tmp_path, encoder="theirs"), "mine")
    with pytest.raises(DataError, match=r"unlike encoders \(a and b\)"):
        read(files(tmp_path, encoder="b", more={"encoder": "a"}))


@pytest.mark.parametrize(
    ("papers", "words"),
    [
        ({"ids": ["p1", "p2", "p9"]}, r"no vector for 1 of the study's 3 papers: p3"),
        (
            {"ids": ["p1", "p2", "p3", "q"], "vectors": np.ones((4, 2))},
            r"1 ids are not among the study's papers: q",
        ),
        ({"ids": ["p1", "p2", "p2"]}, r"p2 in 'ids' more than once"),
        ({"vectors": np.ones((3, 5))}, r"2 dimensions and .*papers.npz of 5"),
        ({"vectors": [[1, 1], [np.nan, 1], [1, np.inf]]}, r"2 vectors .* not finite .*: p2, p3"),
        ({"vectors": [[1, 1], [0, 0], [1, 1]]}, r"1 vectors of papers are zero.*: p2"),
        ({"vectors": np.ones((2, 2))}, r"3 ids and 2 vectors"),
        ({"vectors": np.ones(3)}, r"must be numbers of shape \(ids, dimensions\)"),
        ({"vectors": np.ones((3, 0))}, r"must be numbers of shape"),
        ({"vectors": [["a", "b"]] * 3}, r"must be numbers of shape"),
        ({"ids": [["p1", "p2", "p3"]]}, r"must be a flat array of text"),
        ({"ids": [1.5, 2.5, 3.5]}, r"must be a flat array of text"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, papers: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words) as told:
        read(files(tmp_path, **papers))
    assert "papers.npz" in str(told.value)


def test_float64_beyond_float32_is_not_finite(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not finite"):
        read(files(tmp_path, vectors=[[1e300, 1.0], [1.0, 1.0], [1.0, 1.0]]))


def test_pickled_ids_are_refused(tmp_path: Path) -> None:
    found = files(tmp_path)
    np.savez(found["papers"], ids=np.array(PAPERS, dtype=object), vectors=np.ones((3, 2)))
    with pytest.raises(DataError, match=r"without pickle.*dtype=str"):
        read(found)


def test_files_that_are_no_npz(tmp_path: Path) -> None:
    found = files(tmp_path)
    np.savez(found["papers"], names=np.array(PAPERS), vectors=np.ones((3, 2)))
    with pytest.raises(DataError, match=r"no array 'ids'\. Found: names, vectors"):
        read(found)
    found["papers"].write_bytes(b"PK\x03\x04 cut short")
    with pytest.raises(DataError, match=r"papers.npz: not readable"):
        read(found)
    found["papers"].write_bytes(b"")
    with pytest.raises(DataError, match=r"papers.npz: not readable"):
        read(found)
    with found["papers"].open("wb") as file:
        np.save(file, np.ones((3, 2)))
    with pytest.raises(DataError, match="one bare array"):
        read(found)
    found["papers"].unlink()
    with pytest.raises(DataError, match="no such file"):
        read(found)


def test_options_of_the_command_line() -> None:
    both = parse_vectors(["papers=a=b.npz", "ideas=c.npz"])
    assert both == {"papers": Path("a=b.npz"), "ideas": Path("c.npz")}
    for options, words in [
        (["ideas=a"], r"--vectors papers=FILE.npz is missing"),
        (["ideas=a", "ideas=b"], "stands twice"),
        (["idea=a"], r"no table 'idea'. Did you mean 'ideas'\?"),
        (["ideas"], "write it as"),
        (["ideas="], "write it as"),
    ]:
        with pytest.raises(UsageError, match=words):
            parse_vectors(options)
