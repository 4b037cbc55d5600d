"""The parts of bringing that need no page: places, uploads, options, writing, runs."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import study_folder
from hypothesis import given
from hypothesis import strategies as st

from core.config import MAX_UPLOAD_BYTES
from core.errors import DataError, UsageError
from core.ingest.foreign import plan_files
from core.ingest.mapping import ImportOptions
from core.schema import TABLES
from core.study import Study
from dashboard import sidebar
from dashboard.bring import files as upload_files
from dashboard.bring import mapping as upload_mapping
from dashboard.bring import match_view as upload_match_view
from dashboard.bring import matching as upload_matching
from dashboard.bring import places as upload_places
from dashboard.bring import writing as upload_writing
from dashboard.bring.mapping import EXTRA, LEAVE, Choice

IDEAS = b"id,model,Problem,Method,note\na1,sys,Do x,By y,n1\na2,sys,Do z,By w,n2\n"


def digest(folder: Path) -> str:
    """Names and bytes of everything under a folder."""
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        whole.update(str(path.relative_to(folder)).encode())
        whole.update(path.read_bytes() if path.is_file() else b"")
    return whole.hexdigest()


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """One opened study under ``studies``; the command was started in ``started``."""
    study_folder(tmp_path / "studies" / "small", n=2, candidates=False)
    (tmp_path / "started").mkdir()
    monkeypatch.setenv("FORESEEN_STUDIES", json.dumps([str(tmp_path / "studies" / "small")]))
    monkeypatch.setenv("FORESEEN_STARTED_IN", str(tmp_path / "started"))
    return tmp_path


def test_bases_are_the_users_own_folders(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert upload_places.bases() == [places / "studies", places / "started"]
    monkeypatch.setenv("FORESEEN_STUDIES", json.dumps([str(sidebar.DEMO)]))
    assert upload_places.bases() == [places / "started"]
    monkeypatch.setenv("FORESEEN_STARTED_IN", str(sidebar.DEMO.parent))
    assert upload_places.bases() == []


@pytest.mark.parametrize(
    "name",
    ["", "  ", ".", "..", "../x", "/etc/x", "a/b", "a\\b", ".hidden", "-x", "x.", "con", "NUL.txt",
     "a\nb", "a\x00b", "x" * 81, "a:b", "a*"],
)  # fmt: skip
def test_bad_names_are_refused(places: Path, name: str) -> None:
    before = digest(places)
    with pytest.raises(UsageError):
        upload_places.create(
            places / "studies",
            name,
            cutoff=date(2024, 1, 1),
            horizon=3,
            encoder="minilm",
            preset="hindsight",
        )
    assert digest(places) == before


@given(name=st.text(max_size=100))
def test_a_name_that_is_taken_stays_directly_under_its_base(name: str) -> None:
    base = Path.cwd().resolve()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FORESEEN_STUDIES", json.dumps([str(base / "any")]))
        try:
            folder = upload_places.new_folder(base, name)
        except UsageError:
            return
    assert folder.parent == base
    assert os.path.normpath(folder) == str(folder)


def test_existing_places_are_refused(places: Path) -> None:
    (places / "studies" / "taken").mkdir()
    (places / "studies" / "dangling").symlink_to(places / "nowhere")
    with pytest.raises(UsageError, match="already holds a study"):
        upload_places.new_folder(places / "studies", "small")
    for name in ("taken", "dangling"):
        with pytest.raises(UsageError, match="is there already"):
            upload_places.new_folder(places / "studies", name)
    with pytest.raises(UsageError, match="not a folder of your studies"):
        upload_places.new_folder(places, "fresh")
    with pytest.raises(UsageError, match="not a folder of your studies"):
        upload_places.new_folder(sidebar.DEMO.parent, "fresh")


def test_a_study_that_cannot_be_made_leaves_no_folder(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = {"cutoff": date(2024, 1, 1), "horizon": 3, "encoder": " ", "preset": "hindsight"}
    before = digest(places)
    with pytest.raises(UsageError, match="encoder"):
        upload_places.create(places / "studies", "mine", **values)
    assert digest(places) == before
    made = upload_places.create(places / "studies", "mine", **{**values, "encoder": "minilm"})
    assert made.config.horizon_months == 3
    assert sidebar.name_of(places / "studies" / "mine") == "mine"
    upload_places.add_to_list(places / "studies" / "mine")
    assert len(sidebar.studies()) == 2


def test_what_is_read_only_is_told(places: Path) -> None:
    assert upload_places.read_only_reason(places / "studies" / "small") is None
    for folder in (sidebar.DEMO, sidebar.DEMO_FORECASTS):
        assert "comes with Foreseen" in str(upload_places.read_only_reason(folder))
    link = places / "studies" / "link"
    link.symlink_to(sidebar.DEMO)
    assert upload_places.read_only_reason(link) is not None
    assert upload_places.read_only_reason(None) is not None


BAD = [
    ("empty.csv", b"", "the file is empty"),
    ("header.csv", b"id,problem\n", "no rows"),
    ("binary.csv", b"\x89PNG\r\n\x1a\n\xff\xfe\x00\x01", "Save the file as UTF-8"),
    ("quotes.csv", b'id,problem\na1,"open\na2,x\n', "quotation mark"),
    ("cells.csv", b"id,problem\na1,x,y\n", "3 cells where the header has 2"),
    ("twice.csv", b"id,id\na,b\n", "stands twice"),
    ("book.xlsx", b"PK\x03\x04", "Save its sheet as CSV"),
    ("all.zip", b"PK\x03\x04", "Unpack it"),
    ("what.doc", b"hello", "a document, not rows"),
    ("broken.jsonl", b'{"id": 1', "not readable as JSON"),
    ("broken.parquet", b"PAR1junk", "not readable as Parquet"),
    ("notgzip.csv.gz", b"id,problem", "not a whole gzip file"),
    ("../../etc/passwd", b"root", "passwd: holds no"),
]


@pytest.mark.parametrize(("name", "data", "words"), BAD, ids=[name for name, *_ in BAD])
def test_a_bad_file_says_what_to_do(name: str, data: bytes, words: str, tmp_path: Path) -> None:
    upload = upload_files.read(name, data, "ideas", "auto")
    text = upload.error
    if upload.file is not None:
        study = Study.open(study_folder(tmp_path / "s", n=2, candidates=False))
        with pytest.raises(DataError) as caught:
            plan_files(study, "ideas", [upload.file])
        text = str(caught.value)
    assert words in text
    assert "/etc" not in text


def test_a_huge_file_is_sent_to_the_command() -> None:
    data = bytes(MAX_UPLOAD_BYTES + 1)
    error = upload_files.read("big.csv", data, "papers", "auto", Path("s")).error
    assert "limit of 200 MB" in error
    assert "foreseen import papers big.csv --into s" in error


@given(
    data=st.binary(max_size=200),
    name=st.sampled_from(["x.csv", "x.json", "x.jsonl.gz", "x.parquet"]),
)
def test_any_bytes_give_rows_or_a_sentence(data: bytes, name: str) -> None:
    upload = upload_files.read(name, data, "ideas", "auto")
    assert (upload.file is None) == bool(upload.error)


def test_every_kind_reads_and_previews_as_text() -> None:
    frame = pd.DataFrame({"id": ["a", "b"], "problem": ["=1+1", "<b>x</b>" + "y" * 500]})
    parquet = io.BytesIO()
    frame.to_parquet(parquet)
    files = {
        "x.csv": frame.to_csv(index=False).encode(),
        "x.tsv": frame.to_csv(index=False, sep="\t").encode(),
        "x.jsonl": frame.to_json(orient="records", lines=True).encode(),
        "x.json": frame.to_json(orient="records").encode(),
        "x.parquet": parquet.getvalue(),
        "x.csv.gz": gzip.compress(frame.to_csv(index=False).encode()),
    }
    for name, data in files.items():
        upload = upload_files.read(name, data, "ideas", "auto")
        assert upload.file is not None, upload.error
        shown = upload_files.preview(upload.file.tables["ideas"])
        assert shown["problem"].tolist()[0] == "=1+1", name
        assert len(shown["problem"].tolist()[1]) == upload_files.PREVIEW_LETTERS


def test_files_of_unlike_columns_share_one_mapping(tmp_path: Path) -> None:
    one = upload_files.read("a.csv", b"id,system,problem\na1,s,x\n", "ideas", "auto")
    two = upload_files.read("b.csv", b"id,system,plan\na2,s,y\n", "ideas", "auto")
    wide = upload_files.widened([one, two], "ideas")
    names = [list(each.file.tables["ideas"].frame.columns) for each in wide if each.file]
    assert names == [["id", "system", "problem", "plan"]] * 2
    study = Study.open(study_folder(tmp_path / "s", n=2, candidates=False))
    options = ImportOptions(maps=("plan=method", "problem=problem"))
    files = [each.file for each in wide if each.file]
    (plan,) = plan_files(study, "ideas", files, options)
    assert [file.kept for file in plan.report.files] == [1, 1]


def raw_ideas() -> upload_files.RawFile:
    upload = upload_files.read("i.csv", IDEAS, "ideas", "auto")
    assert upload.file is not None
    return upload.file.tables["ideas"]


def choice(**values: object) -> Choice:
    own = upload_mapping.guess(TABLES["ideas"], raw_ideas())
    start = {"goes": own, "guess": own, "constants": {}}
    return Choice(**{**start, **values})  # type: ignore[arg-type]


def test_the_guess_stands_until_it_is_moved() -> None:
    own = upload_mapping.guess(TABLES["ideas"], raw_ideas())
    assert own == {
        "id": "idea_id",
        "model": "system",
        "Problem": "problem",
        "Method": "method",
        "note": EXTRA,
    }
    assert upload_mapping.options_of(TABLES["ideas"], choice()) == ImportOptions(split_sections="")


def test_moves_become_options() -> None:
    own = upload_mapping.guess(TABLES["ideas"], raw_ideas())
    goes = {**own, "Method": "problem", "note": LEAVE}
    options = upload_mapping.options_of(
        TABLES["ideas"],
        choice(goes=goes, constants={"system": " mine "}, missing="note=-\nnote=?", join=" "),
    )
    assert options == ImportOptions(
        maps=("model=extra", "id=idea_id", "Problem+Method=problem"),
        join=" ",
        constants={"system": "mine"},
        missing={"note": ("-", "?")},
        drop=("note",),
        split_sections="",
    )
    first = upload_mapping.options_of(TABLES["ideas"], choice(goes=goes, first=True))
    assert "Problem|Method=problem" in first.maps
    parted = upload_mapping.options_of(TABLES["ideas"], choice(goes=goes, section="Problem"))
    assert parted.split_sections == "Problem"
    assert "Method=problem" in parted.maps
    with pytest.raises(UsageError, match="Further pairs"):
        upload_mapping.options_of(TABLES["ideas"], choice(more="nothing"))


@pytest.mark.parametrize("table", list(TABLES))
def test_every_target_of_the_editor_is_one_the_engine_takes(table: str) -> None:
    from core.ingest.mapping import _check_ours

    for name in upload_mapping.our_columns(TABLES[table]):
        _check_ours(TABLES[table], name)
    for name in upload_mapping.CONSTANTS.get(table, ("judge",)):
        assert name in TABLES[table].names


def test_words_of_the_command_become_words_of_the_page(tmp_path: Path) -> None:
    study = Study.open(study_folder(tmp_path / "s", n=2, candidates=False))
    for table, data in (
        ("scores", b"idea_id,novelty\nx,3\n"),
        ("ideas", b"id,system,zzz\nx,s,3\n"),
        ("papers", b"id,title,citations\nx,t,-1\n"),
    ):
        upload = upload_files.read("f.csv", data, table, "auto")
        assert upload.file is not None
        with pytest.raises(DataError) as caught:
            plan_files(study, table, [upload.file])
        assert "--" in str(caught.value)
        assert "--" not in upload_files.in_the_page(str(caught.value))


def planned(folder: Path, *datas: bytes) -> tuple:  # type: ignore[type-arg]
    files = [
        upload_files.read(f"{n}.csv", data, "ideas", "auto").file for n, data in enumerate(datas)
    ]
    return plan_files(Study.open(folder), "ideas", [file for file in files if file])


def test_a_study_changed_meanwhile_is_not_written(tmp_path: Path) -> None:
    folder = study_folder(tmp_path / "s", n=2, candidates=False)
    plans = planned(folder, IDEAS)
    study = Study.open(folder)
    study.write("papers", study.papers.iloc[1:])
    before = digest(folder)
    with pytest.raises(DataError, match="changed since"):
        upload_writing.write(folder, plans)
    assert digest(folder) == before
    (report,) = upload_writing.write(folder, planned(folder, IDEAS))
    assert report.written
    assert len(Study.open(folder).ideas) == len(study.ideas) + 2


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails_puts_everything_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    folder = study_folder(tmp_path / "s", n=2, judges=(), candidates=False)
    (ideas,) = planned(folder, IDEAS)
    scores = upload_files.read("s.csv", b"idea_id,judge,novelty\na1,j,3\n", "scores", "auto").file
    assert scores is not None
    (marks,) = plan_files(ideas.study, "scores", [scores])
    before = digest(folder)
    true_write = Study.write

    def write(self: Study, name: str, frame: pd.DataFrame, **more: object) -> Study:
        if name == "scores":
            raise error
        return true_write(self, name, frame)

    monkeypatch.setattr(Study, "write", write)
    with pytest.raises(DataError if isinstance(error, OSError) else KeyboardInterrupt):
        upload_writing.write(folder, (ideas, marks))
    assert digest(folder) == before


class Words:
    """Vectors by hand; ``gate`` holds each chunk until it is opened."""

    name, revision, digest, dimensions, separator, batch_size = "minilm", "1", "d", 4, " | ", 1

    def __init__(self, error: BaseException | None = None) -> None:
        self.gate = threading.Event()
        self.begun = threading.Event()
        self.texts: list[str] = []
        self.error = error

    def encode(self, texts: list[str]) -> np.ndarray:
        self.begun.set()
        assert self.gate.wait(30)
        if self.error:
            raise self.error
        self.texts += texts
        rows = [
            np.frombuffer(hashlib.sha256(t.encode()).digest()[:4], dtype=np.uint8) for t in texts
        ]
        return np.array(rows, dtype=np.float32) + 1


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> Iterator[Words]:
    """The encoder of every run; runs and rates of other tests are forgotten."""
    encoder = Words()
    monkeypatch.setattr(upload_matching, "open_encoder", lambda name: encoder)
    monkeypatch.setattr(upload_matching, "_RUNS", {})
    monkeypatch.setattr(upload_matching, "_RATES", {})
    yield encoder
    encoder.gate.set()
    for run in upload_matching._RUNS.values():
        run.thread.join(30)


def ended(run: upload_matching.MatchRun) -> upload_matching.Look:
    run.thread.join(30)
    return run.look()


def test_a_run_ends_with_candidates_and_two_sessions_share_it(tmp_path: Path, words: Words) -> None:
    folder = study_folder(tmp_path / "s", n=2, candidates=False)
    wait = upload_matching.waiting(Study.open(folder))
    first = upload_matching.start(folder)
    assert words.begun.wait(30)
    assert upload_matching.start(folder) is first
    assert upload_matching.run_of(tmp_path / "." / "s") is first
    assert first.look().active
    words.gate.set()
    look = ended(first)
    assert (look.state, look.error) == ("done", "")
    assert look.match is not None
    assert look.match.encoded == wait.texts == len(words.texts)
    study = Study.open(folder)
    assert study.candidates is not None
    after = upload_matching.waiting(study)
    assert after.texts == 0
    assert upload_matching.start(folder) is not first
    assert ended(upload_matching.start(folder)).state == "done"


def test_a_stopped_run_goes_on_where_it_was(
    tmp_path: Path, words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.matching.candidates.CHUNK", 2)
    folder = study_folder(tmp_path / "s", n=2, candidates=False)
    total = upload_matching.waiting(Study.open(folder)).texts
    run = upload_matching.start(folder)
    assert words.begun.wait(30)
    run.stop()
    assert run.look().state == "stopping"
    words.gate.set()
    assert ended(run).state == "stopped"
    study = Study.open(folder)
    assert study.candidates is None
    done = len(words.texts)
    assert 0 < done < total
    assert upload_matching.waiting(study).texts == total - done
    assert ended(upload_matching.start(folder)).state == "done"
    assert len(words.texts) == len(set(words.texts)) == total


@pytest.mark.parametrize("error", [DataError("no such model"), MemoryError("too much")])
def test_an_error_is_text_and_changes_no_candidates(
    tmp_path: Path, words: Words, error: BaseException
) -> None:
    folder = study_folder(tmp_path / "s", n=2)
    before = Study.open(folder).candidates_info
    words.error = error
    words.gate.set()
    look = ended(upload_matching.start(folder))
    assert look.state == "failed"
    assert str(error) in look.error
    assert Study.open(folder).candidates_info == before


def test_a_second_server_waits(tmp_path: Path, words: Words) -> None:
    folder = study_folder(tmp_path / "s", n=2, candidates=False)
    words.gate.set()
    with upload_matching.holding(folder):
        look = ended(upload_matching.start(folder))
    assert "another dashboard is matching" in look.error
    assert ended(upload_matching.start(folder)).state == "done"


def test_rate_and_time_left_are_of_what_was_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 64 texts by second 10 (loading included), 192 by second 14: 128 in 4 s are 32 a second,
    # and (512 − 192) / 32 = 10 s are left.
    times = iter([0.0, 10.0, 14.0])
    monkeypatch.setattr(upload_matching.time, "monotonic", lambda: next(times))
    run = upload_matching.MatchRun(tmp_path)
    for done in (0, 64, 192):
        run._hear(upload_matching.Step(stage="papers", done=done, total=512))
        if not done:
            text = upload_match_view.progress_text(run.look())
            assert text == "Encoding papers: 0 of 512, the encoder is loaded first"
    look = run.look()
    assert (look.rate, look.left) == (32.0, 10.0)
    assert upload_match_view.progress_text(look) == (
        "Encoding papers: 192 of 512, 32.0 a second, about 10 seconds left"
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "1 second"), (40.2, "40 seconds"), (90, "2 minutes"), (3000, "50 minutes"), (9000, "2.5 hours")],
)  # fmt: skip
def test_rough_times(seconds: float, text: str) -> None:
    assert upload_match_view.duration(seconds) == text


@pytest.mark.parametrize(
    ("encoder", "known"),
    [
        ("minilm", "minilm"),
        ("specter2", "specter2"),
        ("specter2=/models/s", "specter2"),
        ("allenai/specter2_base:mean", "specter2:mean"),
        ("org/model:cls", "org/model:cls"),
    ],
)
def test_vectors_are_looked_for_under_the_name_they_are_stored(encoder: str, known: str) -> None:
    assert upload_matching._known_as(encoder) == known
