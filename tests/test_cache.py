"""Results kept on disk: what comes back, what is refused, and who may read it."""

from __future__ import annotations

import stat
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import study

from core.cache import cache_folder, engine_digest, pack, remembered, unpack
from core.config import Settings
from core.hindsight.results import Conclusion

SMALL = study(
    ideas=[{"idea_id": "i", "system": "a", "title": "t"}],
    papers=[{"paper_id": "p", "title": "t"}],
)


class Counter:
    def __init__(self, result: object) -> None:
        self.calls, self.result = 0, result

    def __call__(self) -> object:
        self.calls += 1
        return self.result


def test_a_result_is_computed_once_for_each_key(tmp_path: Path) -> None:
    compute = Counter({"x": 1.5})
    for settings, choices, calls in (
        (Settings(), (), 1),
        (Settings(), (), 1),
        (Settings(k=5), (), 2),
        (Settings(), ("other",), 3),
    ):
        found = remembered(SMALL, settings, "x", choices, compute, folder=tmp_path / "c")
        assert found == {"x": 1.5}
        assert compute.calls == calls


def test_a_changed_engine_finds_nothing_of_an_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, compute = tmp_path / "a.py", Counter(1)
    monkeypatch.setattr("core.cache._ENGINE", tmp_path)
    for text, calls in (("x = 1\n", 1), ("x = 2\n", 2), ("x = 1\n", 2)):
        source.write_text(text)
        engine_digest.cache_clear()
        remembered(SMALL, Settings(), "x", (), compute, folder=tmp_path / "c")
        assert compute.calls == calls
    monkeypatch.undo()
    engine_digest.cache_clear()


def test_the_folder_is_the_users_alone(tmp_path: Path) -> None:
    remembered(SMALL, Settings(), "x", (), Counter(1), folder=tmp_path / "c")
    assert stat.S_IMODE((tmp_path / "c").stat().st_mode) == 0o700


def test_a_pickle_in_the_folder_is_never_read(tmp_path: Path) -> None:
    import diskcache

    folder = tmp_path / "c"
    remembered(SMALL, Settings(), "x", (), Counter(1), folder=folder)
    with diskcache.Cache(str(folder), disk=diskcache.JSONDisk) as cache:
        cache._sql("UPDATE Cache SET mode = 4, value = ?", (b"cos\nsystem\n(S'false'\ntR.",))
    compute = Counter(2)
    assert remembered(SMALL, Settings(), "x", (), compute, folder=folder) == 2
    assert compute.calls == 1


def test_what_cannot_be_kept_is_computed(tmp_path: Path) -> None:
    compute = Counter(object())
    for _ in range(2):
        found = remembered(SMALL, Settings(), "x", (), compute, folder=tmp_path / "c")
        assert found is compute.result
    file = tmp_path / "file"
    file.write_text("")
    assert remembered(SMALL, Settings(), "x", (), Counter(3), folder=file) == 3


def test_an_error_of_the_computation_is_not_hidden(tmp_path: Path) -> None:
    def fail() -> object:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        remembered(SMALL, Settings(), "x", (), fail, folder=tmp_path / "c")


def test_results_come_back_as_they_were() -> None:
    frame = pd.DataFrame(
        {
            "n": [1, 2],
            "x": [0.1, np.nan],
            "s": ["a", "b"],
            "o": pd.Series([None, "why"], dtype=object),
        }
    )
    again = unpack(pack(frame))
    pd.testing.assert_frame_equal(again, frame)
    held = Conclusion(name="n", statement="s", holds=np.array([True, False]))
    back = unpack(pack((held, {"a": 1, 2: None}, Settings(theta=0.5))))
    assert back[0].holds.tolist() == [True, False]
    assert back[1:] == ({"a": 1, 2: None}, Settings(theta=0.5))
    empty = pd.DataFrame({"x": pd.Series(dtype=float)})
    pd.testing.assert_frame_equal(unpack(pack(empty)), empty)


def test_the_folder_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORESEEN_CACHE", "/somewhere/else")
    assert cache_folder() == Path("/somewhere/else")
    monkeypatch.delenv("FORESEEN_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/base")
    assert cache_folder() == Path("/base/foreseen")
