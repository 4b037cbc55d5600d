"""Broken and hostile files: a clear error or a table, and never half a study."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import zipfile
from datetime import date
from pathlib import Path

import pytest
from builders import study
from foreign_files import FILES, REVIEWED, SHAPES
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from core.cli import app
from core.errors import DataError, ForeseenError
from core.ingest import opening
from core.ingest.foreign import plan_files, read_foreign
from core.ingest.synonyms import SYNONYMS
from core.ingest.tabular import to_csv
from core.schema import TABLES
from core.study import Study

ALL = {
    **FILES,
    **{name: (table, data) for name, (_, table, data) in SHAPES.items()},
    **{name: ("references", data) for name, (_, data) in REVIEWED.items()},
}
NAMES = ("file", "file.json", "file.csv", "file.jsonl")
PIECES = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n", b'"', b"'", b"{", b"}", b"[", b"]", b",",
    b"\\", b"null", b"NaN", b"1e999", b"-1", b"true", b"<", b"&", b"@", b"%", b"9" * 400,
    "é\u202e\u0000".encode(), b"\xc3\x28", b"</entry>", b"\\u0000", b"\\ud800", b"=cmd()",
)  # fmt: skip


def tried(data: bytes, table: str, name: str = "file") -> str:
    """What came of it; anything but a ForeseenError that is raised fails the test."""
    try:
        plan_files(study(), table, [read_foreign(Path(name), table, data=data)])
    except ForeseenError as error:
        return "error" if str(error).strip() else "an error without a word"
    return "table"


def mutated(data: bytes, chance: random.Random) -> bytes:
    packed = data.startswith(b"\x1f\x8b")
    body = bytearray(gzip.decompress(data) if packed and chance.random() < 0.7 else data)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(body))
        match chance.randrange(5):
            case 0:
                body[at] = chance.randrange(256)
            case 1:
                del body[at : at + chance.choice((1, 3, 30))]
            case 2:
                body[at:at] = chance.choice(PIECES)
            case 3:
                body[at:at] = body[at : at + chance.choice((5, 50))]
            case _:
                del body[at:]
        if not body:
            break
    return bytes(body)


@pytest.mark.parametrize("name", ALL)
def test_mutated_bytes(name: str) -> None:
    table, data = ALL[name]
    chance = random.Random(f"{name} 1")
    for _ in range(8):
        broken = mutated(data, chance)
        assert tried(broken, table, chance.choice(NAMES)) in ("table", "error")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


def replaced(value: object, chance: random.Random, other: object) -> object:
    """A value with one of its parts replaced."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(list(value))
        return value | {key: replaced(value[key], chance, other)}
    if isinstance(value, list) and value and chance.random() < 0.85:
        at = chance.randrange(len(value))
        return [*value[:at], replaced(value[at], chance, other), *value[at + 1 :]]
    return other


ODD = st.sampled_from(
    ["2024-02-30", "{", "{0}", "{'a':", "[" * 50, "5;x;7", "--", "٣", "1_000", "0000-01-01", "\ud800",
     10**400, [[]], [{}], {"value": [1]}, {"": ""}, "2499.99999", "v1"]
)  # fmt: skip
NESTED = [name for name, (_, data) in ALL.items() if data[:1] in (b"[", b"{")]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(name=st.sampled_from(NESTED), seed=st.integers(0, 10_000), other=JSON | ODD)
@example(name="the listing of PAIR-IQ", seed=-1, other={"conference": "{'a':"})
@example(name="notes of version 1", seed=-1, other={"details": {"directReplies": 1.5}})
@example(name="judged forecasts", seed=-1, other={"config": "none"})
def test_any_part_may_be_anything(name: str, seed: int, other: object) -> None:
    table, data = ALL[name]
    text = data.decode()
    try:
        whole = json.loads(text)
        if seed < 0 and isinstance(other, dict):
            first = whole[0] if isinstance(whole, list) else whole
            body = json.dumps([first | other] if isinstance(whole, list) else first | other)
        else:
            body = json.dumps(replaced(whole, random.Random(seed), other))
    except json.JSONDecodeError:
        records = [json.loads(line) for line in text.splitlines()]
        changed = replaced(records, random.Random(seed), other)
        listed = changed if isinstance(changed, list) else [changed]
        body = "\n".join(json.dumps(record) for record in listed)
    assert tried(body.encode(), table, "file.json") in ("table", "error")


CELL = st.sampled_from(
    ["", "1", "x", "NaN", "1e999", "-1", "2024-02-30", "=cmd()", "[1", '{"a": {}}', "ok", "\x00",
     "cs/0501001v9", "٣", "9" * 400]
)  # fmt: skip


@settings(max_examples=50, deadline=None, derandomize=True)
@given(table=st.sampled_from(list(TABLES)), seed=st.integers(0, 10_000), data=st.data())
def test_any_table_of_known_columns(table: str, seed: int, data: st.DataObject) -> None:
    """The generic reader: columns of ours and their synonyms, any cell in them."""
    known = [*TABLES[table].names, *(name for group in SYNONYMS[table].values() for name in group)]
    names = list(dict.fromkeys(random.Random(seed).sample(known, 8)))
    rows = data.draw(st.lists(st.lists(CELL, min_size=8, max_size=8), min_size=1, max_size=3))
    text = io.StringIO()
    csv.writer(text).writerows([names, *(row[: len(names)] for row in rows)])
    assert tried(text.getvalue().encode(), table, "file.csv") in ("table", "error")


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.binary(max_size=80), st.sampled_from(["ideas", "papers", "scores"]))
def test_any_bytes(data: bytes, table: str) -> None:
    assert tried(data, table, "file.csv") in ("table", "error")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-16-le", "utf-32"])
def test_other_encodings_read_alike(name: str, encoding: str) -> None:
    table, data = FILES[name]
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    if name == "arxiv-atom":
        data = data.replace(b'encoding="UTF-8"', b'encoding="UTF-16"')
        if encoding not in ("utf-16", "utf-8-sig"):
            pytest.skip("XML names its encoding itself")
        if encoding == "utf-8-sig":
            data = data.replace(b'encoding="UTF-16"', b'encoding="UTF-8"')
    plain = read_foreign(Path("f"), table, data=FILES[name][1])
    other = read_foreign(Path("f"), table, data=data.decode().encode(encoding))
    assert other.format == plain.format
    assert other.tables[table].frame.equals(plain.tables[table].frame)


@pytest.mark.parametrize("name", [n for n in FILES if n != "arxiv-atom"])
def test_line_ends_do_not_matter(name: str) -> None:
    table, data = FILES[name]
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    plain = read_foreign(Path("f"), table, data=data)
    other = read_foreign(Path("f"), table, data=data.replace(b"\n", b"\r\n"))
    first = plan_files(study(), table, [plain])[0].frame
    second = plan_files(study(), table, [other])[0].frame
    assert first.astype(str).equals(second.astype(str))


def deep(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


@pytest.mark.parametrize(
    "data",
    [
        deep(200_000),
        b'[{"problem": ' + deep(200_000) + b', "method": "m", "method_rationale": "r"}]',
        b'{"problem": ' + b'{"a":' * 200_000,
        b'[{"id": "2403.00001", "title": "' + b"x" * 10_000_000,
        b"idea_id,system\n" + b"a" * 10_000_000,
        b'"' + b"a" * 10_000_000,
        b"@article{k, title = {" + b"{" * 100_000,
        b"@article{k, title = {" + b"\\" * 100_000 + b"}}",
        b"@" * 100_000,
        b"<feed xmlns='http://www.w3.org/2005/Atom'>" + b"<entry>" * 100_000,
        b"[" + b"1" * 5000 + b"]",
        b"[{}" + b",{}" * 10_000,
        b"PAR1" + b"\x00" * 1000 + b"PAR1",
        b"\x00" * 100_000,
        b"\x1f\x8b" + b"\x00" * 50,
        b"\xff\xfe" + b"\x00\xd8" * 100,
    ],
    ids=["deep", "deep in a record", "open objects", "long text", "long row", "long quote",
         "open braces", "backslashes", "at signs", "open entries", "long number", "open list",
         "parquet", "nul", "gzip", "half characters"],
)  # fmt: skip
@pytest.mark.parametrize("table", ["ideas", "papers"])
def test_hostile_files_are_refused(data: bytes, table: str) -> None:
    assert tried(data, table, "file.json") == "error"


@pytest.mark.parametrize(
    ("name", "text"), [("ai-scientist-v2", b'"T"'), ("research-agent", b'"P"')]
)
def test_a_ten_million_character_text_is_read(name: str, text: bytes) -> None:
    table, data = FILES[name]
    assert text in data
    assert tried(data.replace(text, b'"' + b"x" * 10_000_000 + b'"'), table) == "table"


def test_a_file_without_a_suffix_is_read_by_what_it_is() -> None:
    for data in (b"system,problem\na,p\n", b'[{"system": "a", "problem": "p"}]'):
        assert tried(data, "ideas", "mine") == "table"


def test_atom_with_entities_is_refused() -> None:
    bomb = (
        b'<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'
        b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>&b;</title></entry></feed>"
    )
    with pytest.raises(DataError, match="Atom"):
        read_foreign(Path("f"), "papers", data=bomb)


@pytest.mark.parametrize("name", ["ai-scientist", "research-agent", "openalex", "bibtex"])
def test_gzip_bombs_are_stopped(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "UNPACK_FREE_BYTES", 1000)
    table, data = FILES[name]
    bomb = gzip.compress(data + b" " * 5_000_000)
    with pytest.raises(DataError, match="unpacks to more than"):
        read_foreign(Path("f"), table, data=bomb)


def test_zip_archives_are_told() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("ideas.csv", "a" * 1_000_000)
    for name in ("ideas.csv", "ideas.xlsx", "ideas"):
        with pytest.raises(DataError, match="ZIP archive"):
            read_foreign(Path(name), "ideas", data=packed.getvalue())


def test_formulas_come_in_as_text_and_go_out_escaped() -> None:
    data = json.dumps([{"Name": "n", "Title": "=1+1", "Experiment": "@SUM(A1)", "Novelty": 5}])
    plan = plan_files(study(), "ideas", [read_foreign(Path("f"), "ideas", data=data.encode())])[0]
    assert plan.frame["title"].tolist() == ["=1+1"]
    assert "'=1+1" in to_csv(plan.frame)
    assert "'@SUM(A1)" in to_csv(plan.frame)


def test_control_characters_are_taken_out() -> None:
    data = json.dumps([{"Name": "n", "Title": "A\x00B\x1b[31m", "Experiment": "x", "Novelty": 5}])
    plan = plan_files(study(), "ideas", [read_foreign(Path("f"), "ideas", data=data.encode())])[0]
    assert plan.frame["title"].tolist() == ["AB[31m"]


@pytest.mark.parametrize("name", [n for n in NESTED if n in FILES])
def test_half_characters_become_the_sign_for_none(name: str) -> None:
    table, data = FILES[name]
    body = data.replace(b'"T"', b'"\\ud800"').replace(b'"B"', b'"\\ud800"')
    assert tried(body.replace(b'"First Idea"', b'"A\\ud800"'), table) == "table"


@pytest.mark.parametrize("name", FILES)
def test_a_broken_file_leaves_the_study_as_it_was(name: str, tmp_path: Path) -> None:
    table, data = FILES[name]
    Study.create(tmp_path / "s", cutoff=date(2024, 6, 30))
    (tmp_path / "good").write_bytes(data)
    (tmp_path / "bad").write_bytes(data[: len(data) // 2])
    words = ["import", table, "--into", str(tmp_path / "s"), str(tmp_path / "good")]
    done = CliRunner().invoke(app, [*words, str(tmp_path / "bad"), "--format", "nothing"])
    assert isinstance(done.exception, ForeseenError)
    before = sorted(path.name for path in (tmp_path / "s").iterdir())
    assert before == ["study.toml"]
    done = CliRunner().invoke(app, [*words, str(tmp_path / "bad")])
    if done.exit_code:
        assert isinstance(done.exception, ForeseenError)
        assert sorted(path.name for path in (tmp_path / "s").iterdir()) == before
    Study.open(tmp_path / "s")
