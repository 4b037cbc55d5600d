"""Vectors on disk: what is encoded again, what is resumed, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from fake_encoders import DyingEncoder, Killed, WordEncoder

from core.errors import DataError
from core.matching.text import Texts
from core.matching.vectors import Encoded, Step, encode, folder_name

WORDS = ("alpha", "beta gamma", "delta", "epsilon zeta eta theta", "iota kappa lambda")


def texts(*values: str) -> Texts:
    names = tuple(f"t{n}" for n in range(len(values)))
    return Texts(ids=names, texts=values, flagged=np.zeros(len(values), dtype=bool))


def run(folder: Path, encoder: WordEncoder, *values: str, chunk: int = 2) -> Encoded:
    return encode(folder, "papers", texts(*values), encoder, chunk=chunk)


def test_order_is_restored_and_batches_go_from_long_to_short(tmp_path: Path) -> None:
    encoder = WordEncoder()
    found = run(tmp_path, encoder, *WORDS)
    assert [len(call) for call in encoder.calls] == [2, 2, 1]
    lengths = [len(text) for text in encoder.encoded]
    assert lengths == sorted(lengths, reverse=True)
    assert np.array_equal(found.vectors, WordEncoder().encode(list(WORDS)))
    assert found.new == 5


def test_only_new_or_changed_texts_are_encoded(tmp_path: Path) -> None:
    run(tmp_path, WordEncoder(), *WORDS)
    again = WordEncoder()
    assert run(tmp_path, again, *WORDS[::-1]).new == 0
    assert again.calls == []
    changed = run(tmp_path, again, "alpha", "delta changed", "delta", "new", "new")
    assert sorted(again.encoded) == ["delta changed", "new"]
    assert changed.new == 2
    expected = WordEncoder().encode(["alpha", "delta changed", "delta", "new", "new"])
    assert np.array_equal(changed.vectors, expected)
    # A text that went away and came back costs nothing.
    assert run(tmp_path, again, *WORDS).new == 0


def test_a_killed_run_resumes_where_it_stopped(tmp_path: Path) -> None:
    dying = DyingEncoder(calls=2)
    with pytest.raises(Killed):
        run(tmp_path, dying, *WORDS)
    assert len(dying.encoded) == 4
    after = WordEncoder()
    found = run(tmp_path, after, *WORDS)
    assert after.encoded == ["alpha"] or after.encoded == ["delta"]
    assert found.new == 1
    assert np.array_equal(found.vectors, WordEncoder().encode(list(WORDS)))
    left = sorted(path.name for path in (tmp_path / "vectors" / "words").iterdir())
    assert left == ["papers.json", "papers.npy"]


def test_a_run_killed_twice_and_while_joining_loses_nothing(tmp_path: Path) -> None:
    for calls in (1, 1):
        with pytest.raises(Killed):
            run(tmp_path, DyingEncoder(calls=calls), *WORDS)
    folder = tmp_path / "vectors" / "words"
    parts = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert len(parts) == 4
    run(tmp_path, WordEncoder(), *WORDS)
    for name, content in parts.items():  # as if killed before the chunks were removed
        (folder / name).write_bytes(content)
    after = WordEncoder()
    found = run(tmp_path, after, *WORDS)
    assert after.calls == []
    assert np.array_equal(found.vectors, WordEncoder().encode(list(WORDS)))
    assert len(json.loads((folder / "papers.json").read_text())["texts"]) == 5


def test_an_array_longer_than_its_index_is_what_a_kill_between_the_two_leaves(
    tmp_path: Path,
) -> None:
    run(tmp_path, WordEncoder(), *WORDS)
    index = tmp_path / "vectors" / "words" / "papers.json"
    before = index.read_text()
    run(tmp_path, WordEncoder(), *WORDS, "mu")
    index.write_text(before)
    after = WordEncoder()
    assert np.array_equal(
        run(tmp_path, after, *WORDS, "mu").vectors, WordEncoder().encode([*WORDS, "mu"])
    )
    assert after.encoded == ["mu"]


def test_index_names_the_encoder(tmp_path: Path) -> None:
    run(tmp_path, WordEncoder(), "alpha")
    told = json.loads((tmp_path / "vectors" / "words" / "papers.json").read_text())
    assert {name: told[name] for name in told if name != "texts"} == {
        "encoder": "words",
        "revision": "1",
        "digest": "words-1",
        "separator": " | ",
        "dimensions": 16,
    }
    assert len(told["texts"]) == 1


def test_another_encoder_of_the_same_name_is_refused(tmp_path: Path) -> None:
    run(tmp_path, WordEncoder(digest="old-digest"), "alpha")
    other = WordEncoder(digest="new-digest")
    with pytest.raises(DataError, match=r"old-digest.*new-digest.*Delete .*vectors/words") as told:
        run(tmp_path, other, "alpha", "beta")
    assert "papers.json" in str(told.value)
    assert other.calls == []


def test_encoders_of_other_names_have_folders_of_their_own(tmp_path: Path) -> None:
    run(tmp_path, WordEncoder(), "alpha")
    run(tmp_path, WordEncoder(name="a/b", digest="other", dimensions=3), "alpha")
    assert sorted(path.name for path in (tmp_path / "vectors").iterdir()) == ["a--b", "words"]


@pytest.mark.parametrize(
    ("name", "folder"),
    [("allenai/specter2_base", "allenai--specter2_base"), ("../../up", "up"), ("~/m:cls", "m--cls"),
     ("/", "encoder"), ("minilm", "minilm")],
)  # fmt: skip
def test_folder_names_stay_in_the_folder(name: str, folder: str) -> None:
    assert folder_name(name) == folder


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY broken", None])
def test_damaged_vectors_are_told(tmp_path: Path, content: bytes | None) -> None:
    run(tmp_path, WordEncoder(), *WORDS)
    array = tmp_path / "vectors" / "words" / "papers.npy"
    if content is None:
        array.unlink()
    else:
        array.write_bytes(content)
    with pytest.raises(DataError, match=r"damaged vectors.*Delete"):
        run(tmp_path, WordEncoder(), *WORDS)


def test_pickled_arrays_are_not_read(tmp_path: Path) -> None:
    run(tmp_path, WordEncoder(), *WORDS)
    array = tmp_path / "vectors" / "words" / "papers.npy"
    with array.open("wb") as file:
        np.save(file, np.array([{"a": 1}] * 5, dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="damaged vectors"):
        run(tmp_path, WordEncoder(), *WORDS)


def test_fewer_rows_than_listed_is_told(tmp_path: Path) -> None:
    run(tmp_path, WordEncoder(), *WORDS)
    with (tmp_path / "vectors" / "words" / "papers.npy").open("wb") as file:
        np.save(file, np.ones((2, 16), dtype=np.float32))
    with pytest.raises(DataError, match=r"shape \(2, 16\) where papers.json lists 5 texts"):
        run(tmp_path, WordEncoder(), *WORDS)


def test_a_text_without_content_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"papers: 1 of 2 have no text to encode \(t1\)"):
        run(tmp_path, WordEncoder(), "alpha", "")


class Zero(WordEncoder):
    def encode(self, texts: list[str]) -> np.ndarray:
        return np.zeros((len(texts), self.dimensions), dtype=np.float32)


class Short(WordEncoder):
    def encode(self, texts: list[str]) -> np.ndarray:
        return np.ones((len(texts), 2), dtype=np.float32)


def test_an_encoder_that_gives_no_good_vectors_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="zero or non-finite vector for 1 of 1"):
        run(tmp_path, Zero(), "alpha")
    with pytest.raises(DataError, match=r"gave \(1, 2\) for 1 texts where \(1, 16\) was due"):
        run(tmp_path, Short(), "alpha")
    assert not (tmp_path / "vectors").exists()


def test_progress_counts_texts_that_are_new(tmp_path: Path) -> None:
    run(tmp_path, WordEncoder(), "alpha")
    steps: list[Step] = []
    encode(tmp_path, "papers", texts(*WORDS), WordEncoder(), chunk=3, progress=steps.append)
    assert [(step.stage, step.done, step.total) for step in steps] == [
        ("papers", 0, 4),
        ("papers", 3, 4),
        ("papers", 4, 4),
    ]
