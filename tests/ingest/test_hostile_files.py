"""Files that are broken, hostile or no files at all, through the product's own import.

The law: a table with a report, or one clear sentence; and a failed import leaves every byte of the
study's folder as it was.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from foreign_files import FILES
from test_foreign_fuzz import PIECES, mutated
from typer.testing import CliRunner

from core.cli import app
from core.config import StudyConfig
from core.errors import ForeseenError
from core.experiment.schema import Experiment
from core.forecast.topics import read_topics
from core.ingest import opening
from core.ingest.checking import check_study
from core.ingest.tabular import write_rows
from core.study import Study, read_tables

IDEAS = "idea_id,system,title\nold,a,An idea that was there\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Study.create(tmp_path / "s", cutoff=date(2024, 6, 30))
    (tmp_path / "s" / "ideas.csv").write_text(IDEAS)
    return tmp_path / "s"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def brought(folder: Path, *files: Path, table: str = "ideas") -> str:
    """'' where the import went well, else what it said; a study is never left half-written."""
    before = contents(folder)
    words = ["import", table, *map(str, files), "--into", str(folder)]
    done = CliRunner().invoke(app, [*words, *(["--set", "system=x"] if table == "ideas" else [])])
    if done.exception is None:
        assert "rows before" in done.stderr
        Study.open(folder)
        return ""
    assert isinstance(done.exception, ForeseenError), repr(done.exception)[:300]
    assert contents(folder) == before
    said = str(done.exception)
    assert said.strip()
    return said


def refused(read: Callable[[Path], object], path: Path) -> str:
    """What was said of a file that is not read; '' where it is."""
    try:
        read(path)
    except ForeseenError as error:
        return str(error) or "an error without a word"
    return ""


def zipped() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("ideas.csv", "0" * 20_000_000)
    return packed.getvalue()


def deep(depth: int) -> str:
    return "[" * depth + "]" * depth


WIDE = ",".join(f"c{n}" for n in range(10_000))
REFUSED: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "zip bomb": ("i.csv", zipped, "ZIP archive"),
    "empty zip": ("i.csv", lambda: b"PK\x05\x06" + bytes(18), "ZIP archive"),
    "gzip bomb": ("i.csv.gz", lambda: gzip.compress(bytes(3 << 20), 9), "unpacks to more than"),
    "zstd": ("i.jsonl.zst", lambda: b"\x28\xb5\x2f\xfd" + bytes(50), "packed by zstd"),
    "xz": ("i.jsonl", lambda: b"\xfd7zXZ\x00" + bytes(50), "packed by xz"),
    "gzip cut off": ("i.csv.gz", lambda: gzip.compress(IDEAS.encode() * 99)[:-9], "gzip"),
    "deep": ("i.json", lambda: deep(100_000).encode(), "not readable as JSON"),
    "deep in lines": ("i.jsonl", lambda: f'{{"title": {deep(100_000)}}}\n'.encode(), "line 1"),
    "only NUL": ("i.csv", lambda: bytes(1000), "holds no"),
    "latin-1": ("i.csv", lambda: "title\nna\xefve\n".encode("latin-1"), "line 2: not UTF-8"),
    "half of UTF-16": ("i.csv", lambda: "title\nx".encode("utf-16")[:-1], "UTF-16"),
    "ragged": ("i.csv", lambda: b"title,topic\na,b\nc\n", "line 3: 1 cells"),
    "open quote": ("i.csv", lambda: b'title,topic\na,b\n"c,d\ne,f\n', "line 3"),
    "10,000 columns": ("i.csv", lambda: f"{WIDE}\n{WIDE}\n".encode(), "no column holds"),
    "column twice": ("i.csv", lambda: b"title,title\na,b\n", "'title' stands twice"),
    "key twice": ("i.jsonl", lambda: b'{"title": "a", "title": "b"}\n', "'title' stands twice"),
    "key twice in a list": (
        "i.json", lambda: b'[{"title": "a"}, {"title": "b", "extra": {"k": 1, "k": 2}}]', "'k' stands",
    ),
    "cut in a list": ("i.json", lambda: b'[{"title": "a"}, {"title": "b', "not readable as JSON"),
    "cut in a line": ("i.jsonl", lambda: b'{"title": "a"}\n{"title": "b', "line 2"),
    "empty": ("i.csv", lambda: b"", "nothing to import"),
    "only a header": ("i.csv", lambda: b"title,topic\n", "nothing to import"),
    "an endless number": ("i.json", lambda: b'[{"title": ' + b"9" * 5000 + b"}]", "JSON"),
    "no Parquet": ("i.parquet", lambda: b"PAR1" + bytes(100) + b"PAR1", "Parquet"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_says_why_and_writes_nothing(
    what: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "UNPACK_FREE_BYTES", 1 << 20)
    name, data, said = REFUSED[what]
    (folder.parent / name).write_bytes(data())
    assert said in brought(folder, folder.parent / name)


READ: dict[str, tuple[str, bytes, str]] = {
    "10 million characters": ("i.csv", b"title\n" + b"x" * 10_000_000 + b"\n", "x" * 10_000_000),
    "UTF-16 with a mark": ("i.csv", "title\nnaïve\n".encode("utf-16"), "naïve"),
    "UTF-16 without": ("i.csv", "title\nnaïve\n".encode("utf-16-be"), "naïve"),
    "UTF-8 with a mark": ("i.csv", "title\nnaïve\n".encode("utf-8-sig"), "naïve"),
    "mixed line ends": ("i.csv", b'topic,title\r\na,"b\r\nc"\rd,e\nf,g', "b\nc"),
    "NUL in a cell": ("i.csv", b"title,topic\na\x00b,c\n", "ab"),
    "a formula": ("i.csv", b"title,topic\n\"=cmd|' /C calc'!A0\",x\n", "=cmd|' /C calc'!A0"),
    "NaN beside it": ("i.jsonl", b'{"title": "a", "rank": NaN, "x": Infinity}\n', "a"),
    "a number as a title": ("i.jsonl", b'{"title": 1e400, "problem": "p"}\n{"title": "a"}\n', "a"),
    "a day that is none": ("i.csv", b"title,cutoff\nb,2024-02-30\na,2024-02-29\n", "a"),
}


@pytest.mark.parametrize("what", READ)
def test_what_is_odd_is_read_as_it_is(what: str, folder: Path) -> None:
    name, data, title = READ[what]
    (folder.parent / name).write_bytes(data)
    assert brought(folder, folder.parent / name) == ""
    assert title in set(Study.open(folder).ideas["title"])


def test_a_day_that_is_none_drops_its_row_with_the_reason(folder: Path) -> None:
    path = folder.parent / "i.csv"
    path.write_bytes(READ["a day that is none"][1])
    done = CliRunner().invoke(app, ["import", "ideas", str(path), "--into", str(folder),
                                    "--set", "system=x", "--json"])  # fmt: skip
    (dropped,) = json.loads(done.stdout)["files"][0]["dropped"]
    assert (dropped["line"], "must be a date" in dropped["reason"]) == (2, True)


def test_what_is_no_file_is_told(folder: Path) -> None:
    tmp = folder.parent
    (tmp / "loop").symlink_to(tmp / "loop")
    os.mkfifo(tmp / "pipe")
    for path, said in ((tmp, "is a folder"), (tmp / "loop", "loop"), (tmp / "pipe", "no ordinary"),
                       (tmp / "none.csv", "no such file")):  # fmt: skip
        assert said in brought(folder, path), path
        # Papers ask for sizes first, to see whether they stream.
        assert said in brought(folder, path, table="papers"), path


def test_a_file_that_may_not_be_read_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder.parent / "i.csv"
    path.write_text(IDEAS)
    usual = Path.open

    def shut(self: Path, *rest: object, **more: object) -> object:
        if self == path:
            raise PermissionError(13, "Permission denied")
        return usual(self, *rest, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", shut)
    assert "Permission denied" in brought(folder, path)


def test_nested_and_rare_types_of_parquet(folder: Path) -> None:
    from decimal import Decimal

    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder.parent / "p.parquet"
    cells = {
        "paper_id": ["a", "b"],
        "title": ["A first paper of types", "A second paper of types"],
        "identifiers": pa.array([{"doi": "10.1/x"}, None], pa.struct([("doi", pa.string())])),
        "topics": pa.array([["t"], []], pa.list_(pa.string())),
        "citations": pa.array([Decimal("3.0"), None], pa.decimal128(5, 1)),
        "published": pa.array([date(2024, 5, 1), None], pa.date32()),
        "seen": pa.array([10**15, None], pa.timestamp("us", "UTC")),
        "pairs": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int8())),
        "raw": pa.array([b"\x00\xff", None], pa.binary()),
        "half": pa.array([1.5, float("nan")], pa.float32()),
        "email": ["x@example.org", None],
    }
    pq.write_table(pa.table(cells), path)
    assert brought(folder, path, table="papers") == ""
    first, second = Study.open(folder).papers.to_dict("records")
    assert (first["topics"], first["citations"], first["identifiers"]) == (
        ("t",), 3, {"doi": "10.1/x"},
    )  # fmt: skip
    assert "example.org" not in str(first)
    assert second["citations"] != second["citations"]
    pq.write_table(pa.table([pa.array(["a"]), pa.array(["b"])], ["title", "title"]), path)
    assert "stands twice" in brought(folder, path, table="papers")


@pytest.mark.parametrize("name", FILES)
def test_a_study_with_rows_is_whole_after_a_file_that_is_cut(name: str, folder: Path) -> None:
    table, data = FILES[name]
    chance = random.Random(f"{name} 7")
    for number in range(3):
        path = folder.parent / f"{number}"
        path.write_bytes(data[: chance.randrange(1, len(data))])
        brought(folder, path, table=table)
        read_tables(folder)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet", ".tsv", ".csv.gz"])
def test_a_studys_own_tables_may_be_anything(suffix: str, folder: Path) -> None:
    (folder / "ideas.csv").unlink()
    rows = [{"idea_id": f"i{n}", "system": "a", "title": "T", "cutoff": "2024-06-30", "rank": n + 1,
             "key_terms": ["k"], "extra": {"x": [1]}} for n in range(3)]  # fmt: skip
    path = folder / f"ideas{suffix}"
    write_rows(pd.DataFrame(rows), path)
    whole, chance = path.read_bytes(), random.Random(suffix)
    for _ in range(25):
        path.write_bytes(mutated(whole, chance))
        assert bool(check_study(folder).problems) == bool(refused(Study.open, folder))


SETTINGS = b'name = "s"\ncutoff = 2024-06-30\nhorizon_months = 24\nencoder = "minilm"\n[settings]\ntheta = 0.6\n'
CHAIN = (
    b'study = "s"\n[new]\ncutoff = 2024-06-30\n[[fetch]]\nsource = "arxiv"\nquery = ["a"]\n'
    b'[[import]]\ntable = "ideas"\nfiles = ["a.csv"]\n'
)
TOPICS = b"- id: gnn\n  name: Graph Networks\n  aliases: [GNN]\n- id: ts\n  name: Time Series\n"
WORDS = (b"2024-02-30", b"1" * 5000, b"[" * 3000, b"&a ", b"*a", b"!!timestamp x", b"0x_", b"nan",
         b'"""', b"{a=", b"99999-01-01", b": ", b'"\\ud800"')  # fmt: skip


@pytest.mark.parametrize(
    ("name", "whole", "read"),
    [
        ("study.toml", SETTINGS, StudyConfig.read),
        ("experiment.toml", CHAIN, Experiment.read),
        ("topics.yaml", TOPICS, read_topics),
    ],
)
def test_files_of_settings_may_be_anything(
    name: str, whole: bytes, read: Callable[[Path], object], tmp_path: Path
) -> None:
    path, chance = tmp_path / name, random.Random(name)
    path.write_bytes(whole)
    read(path)
    broken = [mutated(whole, chance) for _ in range(60)]
    broken += [whole.replace(b'"s"', word).replace(b"[GNN]", word).replace(b'["a"]', word)
               for word in (*WORDS, *PIECES)]  # fmt: skip
    for data in broken:
        path.write_bytes(data)
        said = refused(read, path)
        assert not said or name in said
    path.unlink()
    path.mkdir()
    with pytest.raises(ForeseenError):
        read(path)
