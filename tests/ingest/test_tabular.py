"""Files of rows: what is written comes back, foreign bytes are read or named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import DataError
from core.ingest import opening
from core.ingest.tabular import read_file, read_rows, replacing, to_csv, write_rows

WRITTEN = (".csv", ".tsv", ".jsonl", ".json", ".parquet")
ROWS = [
    {"a": "x, y", "b": 'quotes "and"\nlines'},
    {"a": "=1+1", "b": "\r alone"},
    {"a": "مرحبا 🧪", "b": "<b>tab\there</b>"},
]


def put(path: Path, data: str | bytes) -> Path:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize("suffix", [s + gz for s in WRITTEN for gz in ("", ".gz")])
def test_rows_come_back_from_every_format(tmp_path: Path, suffix: str) -> None:
    frame = pd.DataFrame(ROWS)
    path = tmp_path / f"t{suffix}"
    write_rows(frame, path)
    assert read_rows(path).to_dict("records") == ROWS
    first = path.read_bytes()
    write_rows(frame, path)
    assert path.read_bytes() == first
    assert (first[:2] == b"\x1f\x8b") == suffix.endswith(".gz")


@pytest.mark.parametrize("suffix", WRITTEN)
def test_an_empty_table_comes_back_empty(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    write_rows(pd.DataFrame({"a": pd.Series([], dtype="str")}), path)
    assert len(read_rows(path)) == 0


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(cells=st.lists(TEXTS, min_size=1, max_size=4))
def test_any_text_survives_a_delimited_file(tmp_path: Path, suffix: str, cells: list[str]) -> None:
    path = tmp_path / f"t{suffix}"
    write_rows(pd.DataFrame({"a": cells, "b": cells[::-1]}), path)
    assert read_rows(path)["a"].tolist() == cells


@pytest.mark.parametrize("suffix", WRITTEN)
def test_an_empty_file_has_no_columns(tmp_path: Path, suffix: str) -> None:
    assert read_rows(put(tmp_path / f"t{suffix}", b"")).empty


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_encodings_are_found_out(tmp_path: Path, encoding: str) -> None:
    path = put(tmp_path / "t.csv", "id,text\n1,naïve 東京\n".encode(encoding))
    assert read_rows(path).to_dict("records") == [{"id": "1", "text": "naïve 東京"}]


def test_latin_1_is_refused_with_its_line(tmp_path: Path) -> None:
    path = put(tmp_path / "t.csv", "id,text\n1,plain\n2,na\xefve\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"t\.csv, line 3: not UTF-8 text"):
        read_rows(path)


def test_mixed_line_ends_and_line_numbers(tmp_path: Path) -> None:
    path = put(tmp_path / "t.csv", b'id,text\r\n1,"two\nlines"\r2,b\n\n3,c\r\n')
    raw = read_file(path)
    assert raw.frame["id"].tolist() == ["1", "2", "3"]
    # The header is line 1; row 1 holds lines 2 and 3; row 2 is line 4; line 5 is blank.
    assert raw.lines == (2, 4, 6)


@pytest.mark.parametrize(("mark", "name"), [(";", "t.csv"), ("\t", "t.csv"), ("\t", "t.tab")])
def test_other_separators(tmp_path: Path, mark: str, name: str) -> None:
    path = put(tmp_path / name, f"id{mark}text\n1{mark}a, b\n")
    assert read_rows(path).to_dict("records") == [{"id": "1", "text": "a, b"}]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('id,text\n1,a\n2,"never closed\n3,c\n', "line 3: not readable as CSV"),
        ('id,text\n1,"closed" then more\n', "line 2: not readable as CSV"),
        ("id,text\n1,a\n2,b,c\n", "line 3: 3 cells where the header has 2"),
        ("id,id\n1,2\n", "column 'id' stands twice"),
    ],
)
def test_broken_csv_is_named_where_it_begins(tmp_path: Path, text: str, place: str) -> None:
    with pytest.raises(DataError, match=place):
        read_rows(put(tmp_path / "t.csv", text))


def test_nul_characters_are_read(tmp_path: Path) -> None:
    assert read_rows(put(tmp_path / "t.csv", b"id,text\n1,a\x00b\n"))["text"].tolist() == ["a\0b"]


def test_json_nan_is_kept_as_written(tmp_path: Path) -> None:
    path = put(tmp_path / "t.jsonl", '{"a": NaN}\n{"a": -Infinity, "b": 1}\n')
    assert read_rows(path).to_dict("records") == [
        {"a": "NaN", "b": None},
        {"a": "-Infinity", "b": 1},
    ]


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("t.jsonl", '{"a": 1}\n{"a": \n', "line 2: not readable as JSON"),
        ("t.jsonl", '{"a": 1}\n[1]\n', "line 2: each line must hold one JSON object"),
        ("t.json", "[" * 100_000, "not readable as JSON"),
        ("t.json", '[{"a": 1}, 2]', "item 2: must be a JSON object"),
        ("t.json", '{"a": [{}], "b": [{}]}', "must hold a JSON list of objects"),
        ("t.xlsx", "", "unknown kind of file"),
        ("t.parquet", "PAR1 not really", "not readable as Parquet"),
        ("t.csv.gz", "not packed", "not a whole gzip file"),
    ],
)
def test_unreadable_files_are_named(tmp_path: Path, name: str, text: str, place: str) -> None:
    with pytest.raises(DataError, match=place):
        read_rows(put(tmp_path / name, text))


def test_a_list_inside_an_object_is_found(tmp_path: Path) -> None:
    path = put(tmp_path / "t.json", json.dumps({"total": 2, "token": "x", "data": [{"a": 1}]}))
    assert read_rows(path).to_dict("records") == [{"a": 1}]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.csv: no such file"):
        read_rows(tmp_path / "gone.csv")


def test_a_cut_gzip_file_is_named(tmp_path: Path) -> None:
    whole = gzip.compress(("id\n" + "abc123\n" * 500).encode())
    with pytest.raises(DataError, match="not a whole gzip file"):
        read_rows(put(tmp_path / "t.csv.gz", whole[:-10]))


def test_gzip_is_seen_without_its_suffix(tmp_path: Path) -> None:
    assert read_rows(put(tmp_path / "t.csv", gzip.compress(b"id\n1\n")))["id"].tolist() == ["1"]


@pytest.mark.parametrize("name", ["t.csv.gz", "t.jsonl.gz", "t.parquet.gz"])
def test_a_gzip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(opening, "UNPACK_FREE_BYTES", 1 << 20)
    bomb = put(tmp_path / name, gzip.compress(b" " * (4 << 20)))
    with pytest.raises(DataError, match="past the limit of 200 times its size"):
        read_rows(bomb)


def test_well_packed_text_is_no_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "UNPACK_FREE_BYTES", 1 << 10)
    lines = "".join(f"{number},{number**3}\n" for number in range(2000))
    assert (
        len(read_rows(put(tmp_path / "t.csv.gz", gzip.compress(f"a,b\n{lines}".encode())))) == 2000
    )


def test_bytes_stand_in_for_a_file() -> None:
    raw = read_file(Path("upload.csv"), b"id\n7\n")
    assert (raw.name, raw.frame["id"].tolist(), raw.lines) == ("upload.csv", ["7"], (2,))


def test_nested_parquet_cells_are_plain_values(tmp_path: Path) -> None:
    frame = pd.DataFrame({"ids": [{"doi": "10.1/x"}, None], "tags": [["a", "b"], []]})
    frame.to_parquet(tmp_path / "t.parquet")
    assert read_rows(tmp_path / "t.parquet").to_dict("list") == {
        "ids": [{"doi": "10.1/x"}, None],
        "tags": [["a", "b"], []],
    }


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = put(tmp_path / "t.csv", "old")

    def fail() -> None:
        with replacing(path) as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_formulas_are_guarded_only_for_people() -> None:
    frame = pd.DataFrame({"a": ["=1+1", "-2", "plain"], "n": [-1.0, 2.0, 3.5]})
    assert to_csv(frame) == "a,n\n'=1+1,-1\n'-2,2\nplain,3.5\n"
    assert to_csv(frame, escape=False) == "a,n\n=1+1,-1\n-2,2\nplain,3.5\n"
