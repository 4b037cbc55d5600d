"""The page "Bring your own": every widget moves what it says, and nothing is written unasked."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import study_folder
from page_studies import HOSTILE
from streamlit.testing.v1 import AppTest

from core.errors import DataError
from core.study import Study
from dashboard import sidebar
from dashboard.bring import mapping as upload_mapping
from dashboard.bring import matching as upload_matching
from dashboard.bring import places as upload_places

APP = str(Path(__file__).resolve().parents[2] / "dashboard" / "app.py")
IDEAS = b"""id,model,Problem,Method,note
a1,sys,Do x,By y,n1
a2,sys,Do z,By w,n2
a3,,,,
"""
Open = Callable[..., AppTest]


def digest(folder: Path) -> str:
    """Names and bytes of everything under a folder."""
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        whole.update(str(path.relative_to(folder)).encode())
        whole.update(path.read_bytes() if path.is_file() else b"")
    return whole.hexdigest()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small study of one's own, not matched yet, without a mark."""
    monkeypatch.setenv("FORESEEN_STARTED_IN", str(tmp_path))
    return study_folder(tmp_path / "small", n=2, judges=(), candidates=False)


@pytest.fixture
def open_bring(monkeypatch: pytest.MonkeyPatch) -> Open:
    """``open_bring(folder, part)``: the page at one of its parts."""

    def start(folder: Path, part: str | None = None, **address: str) -> AppTest:
        monkeypatch.setenv("FORESEEN_STUDIES", json.dumps([str(folder)]))
        app = AppTest.from_file(APP, default_timeout=60)
        app.switch_page("../pages/bring.py")
        if part is not None:
            app.query_params["bring_part"] = part
        for name, value in address.items():
            app.query_params[name] = value
        return run(app)

    return start


def run(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception, app.exception[0].value
    return app


def texts(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.info, app.warning, app.error, app.success)
    return "\n".join(str(item.value) for kind in kinds for item in kind)


def give(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    app.file_uploader[0].set_value([(name, data, "text/plain") for name, data in files])
    return run(app)


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click()
    return run(app)


def widget(elements: Any, start: str) -> Any:
    return next(item for item in elements if str(item.key).startswith(start))


def frame(app: AppTest, column: str) -> Any:
    """The table that has this column."""
    return next(each.value for each in app.dataframe if column in each.value.columns)


def editor_key(app: AppTest) -> str:
    return "bring_editor_" + str(app.data_editor[0].proto.id).rsplit("bring_editor_", 1)[1]


# A new study


def fill(app: AppTest, name: str = "mine") -> AppTest:
    app.text_input(key="bring_name").set_value(name)
    app.date_input(key="bring_cutoff").set_value(date(2024, 6, 30))
    return run(app)


def test_a_new_study_is_made_on_confirmation_and_opened(folder: Path, open_bring: Open) -> None:
    app = open_bring(folder, "New study")
    before = digest(folder.parent)
    assert app.button(key="bring_make").disabled
    assert "name" in texts(app)
    fill(app)
    assert "from the day after 2024-06-30 to 2026-12-31" in texts(app)
    app.selectbox(key="bring_preset").set_value("ideaforecastbench")
    run(app)
    assert "to 2024-09-30" in texts(app)
    app.number_input(key="bring_horizon_ideaforecastbench").set_value(6)
    app.selectbox(key="bring_encoder").set_value("specter2")
    run(app)
    assert "to 2024-12-31" in texts(app)
    assert digest(folder.parent) == before
    press(app, "bring_make")
    made = Study.open(folder.parent / "mine")
    assert (made.config.cutoff, made.config.horizon_months) == (date(2024, 6, 30), 6)
    assert (made.config.encoder, made.config.preset) == ("specter2", "ideaforecastbench")
    assert app.selectbox(key="study").options == ["Small", "mine"]
    # What is brought next goes into the new study.
    assert app.selectbox(key="study").value == "mine"
    assert "**mine**" in texts(app)
    assert "Made" in app.success[0].value
    assert app.file_uploader
    assert not run(app).success


def test_a_link_opens_the_new_study(folder: Path, open_bring: Open) -> None:
    app = press(fill(open_bring(folder, "New study")), "bring_make")
    again = AppTest.from_file(APP, default_timeout=60)
    again.switch_page("../pages/bring.py")
    again.query_params["study"] = "mine"
    run(again)
    assert "**mine**" in texts(again)
    assert app.selectbox(key="study").options == ["Small", "mine"]


@pytest.mark.parametrize("name", ["../x", "small", "/tmp/x", ".x", "con"])
def test_bad_names_are_told_and_cannot_be_made(folder: Path, open_bring: Open, name: str) -> None:
    before = digest(folder.parent)
    app = fill(open_bring(folder, "New study"), name)
    assert app.button(key="bring_make").disabled
    assert digest(folder.parent) == before


def test_a_folder_made_meanwhile_is_not_taken(folder: Path, open_bring: Open) -> None:
    app = fill(open_bring(folder, "New study"))
    (folder.parent / "mine").mkdir()
    press(app, "bring_make")
    assert "is there already" in app.error[0].value
    assert not list((folder.parent / "mine").iterdir())


# Tables


def test_files_are_shown_and_written_only_when_confirmed(folder: Path, open_bring: Open) -> None:
    app = open_bring(folder)
    before = digest(folder.parent)
    give(app, ("ideas.csv", IDEAS))
    assert "3 rows read, 2 kept (2 new, 0 updated, 0 unchanged), 0 merged, 1 dropped" in texts(app)
    assert frame(app, "Problem")["Problem"].tolist() == ["Do x", "Do z", ""]
    dropped = frame(app, "reason")
    assert dropped[["line", "reason"]].values.tolist() == [[4, "has no text"]]
    assert "ideas without a topic" in frame(app, "what")["what"].tolist()
    assert digest(folder.parent) == before
    press(app, "bring_write")
    assert "Written. **ideas**: 3 rows read" in app.success[0].value
    assert not app.file_uploader[0].value
    ideas = Study.open(folder).ideas.set_index("idea_id")
    assert ideas.loc["a2", ["system", "problem", "method"]].tolist() == ["sys", "Do z", "By w"]
    assert ideas.loc["a2", "extra"] == {"note": "n2"}
    assert len(ideas) == 6


def test_bringing_the_same_twice_has_nothing_to_write(folder: Path, open_bring: Open) -> None:
    app = press(give(open_bring(folder), ("ideas.csv", IDEAS)), "bring_write")
    give(app, ("ideas.csv", IDEAS))
    assert "nothing to write" in texts(app)
    assert app.button(key="bring_write").disabled


def test_cancel_lets_the_files_go(folder: Path, open_bring: Open) -> None:
    before = digest(folder.parent)
    app = press(give(open_bring(folder), ("ideas.csv", IDEAS)), "bring_cancel")
    assert not app.file_uploader[0].value
    assert "What would be written" not in [item.value for item in app.subheader]
    assert digest(folder.parent) == before


def test_a_moved_column_moves_the_plan(folder: Path, open_bring: Open) -> None:
    app = give(open_bring(folder), ("ideas.csv", IDEAS))
    key = editor_key(app)
    # Row 4 is 'note', row 3 'Method': both become the method.
    app.session_state[key] = {
        "edited_rows": {4: {"goes": "method"}},
        "added_rows": [],
        "deleted_rows": [],
    }
    run(app)
    widget(app.selectbox, "bring_join_").set_value("a space")
    run(app)
    press(app, "bring_write")
    ideas = Study.open(folder).ideas.set_index("idea_id")
    assert ideas.loc["a1", "method"] == "By y n1"
    assert ideas.loc["a1", "extra"] == {}


def test_several_columns_may_stand_in_for_each_other(folder: Path, open_bring: Open) -> None:
    app = give(open_bring(folder), ("i.csv", b"id,system,problem,method,plan\na1,s,x,,p\n"))
    app.session_state[editor_key(app)] = {
        "edited_rows": {4: {"goes": "method"}},
        "added_rows": [],
        "deleted_rows": [],
    }
    run(app)
    widget(app.radio, "bring_how_").set_value(upload_mapping._FIRST)
    run(app)
    assert widget(app.selectbox, "bring_join_").disabled
    press(app, "bring_write")
    assert Study.open(folder).ideas.set_index("idea_id").loc["a1", "method"] == "p"


def test_constants_and_unknown_values_and_pairs(folder: Path, open_bring: Open) -> None:
    app = open_bring(folder, bring_table="papers")
    data = (
        b'{"id": "q1", "title": "T", "cites": -1, "ids": {"D": "10.1/x"},'
        b' "published": "2024-02-01"}\n'
    )
    give(app, ("p.jsonl", data))
    widget(app.text_area, "bring_missing_").set_value("citations=-1")
    widget(app.text_area, "bring_more_").set_value("cites=citations\nids.D=identifiers.doi")
    widget(app.text_input, "bring_set_venue_").set_value("ICLR")
    run(app)
    press(app, "bring_write")
    paper = Study.open(folder).papers.set_index("paper_id").loc["q1"]
    assert paper["citations"] != paper["citations"]
    assert (paper["venue"], paper["identifiers"]["doi"]) == ("ICLR", "10.1/x")


def test_a_judge_is_asked_for_and_given(folder: Path, open_bring: Open) -> None:
    app = open_bring(folder, bring_table="scores")
    known = Study.open(folder).ideas["idea_id"][0]
    give(app, ("s.csv", f"idea_id,novelty\n{known},3\nstranger,4\n{known}x,11\n".encode()))
    assert "column 'judge'" in app.error[0].value.replace("\\", "")
    assert "--" not in app.error[0].value
    widget(app.text_input, "bring_set_judge_").set_value("ann")
    run(app)
    assert not app.error
    assert "2 rows of 2 ids" in texts(app) or "1 row of 1 id" in texts(app)
    press(app, "bring_write")
    scores = Study.open(folder).scores
    assert scores[["idea_id", "judge", "novelty"]].values.tolist() == [
        [known, "ann", 3.0],
        ["stranger", "ann", 4.0],
    ]


def test_one_long_text_is_parted(folder: Path, open_bring: Open) -> None:
    text = b'id,system,blob\na1,s,"Title: T\nProblem: P\nProposed Method: M"\n'
    app = give(open_bring(folder), ("i.csv", text))
    chosen = widget(app.selectbox, "bring_section_")
    assert chosen.value == "blob"  # as guessed from its headings
    chosen.select_index(0)
    assert run(app).error  # whole, it is none of our texts
    widget(app.selectbox, "bring_section_").set_value("blob")
    press(run(app), "bring_write")
    idea = Study.open(folder).ideas.set_index("idea_id").loc["a1"]
    assert (idea["title"], idea["problem"], idea["method"]) == ("T", "P", "M")


def test_a_line_that_is_no_pair_is_told(folder: Path, open_bring: Open) -> None:
    app = give(open_bring(folder), ("ideas.csv", IDEAS))
    widget(app.text_area, "bring_more_").set_value("what")
    run(app)
    assert "name=value" in app.error[0].value.replace("\\", "")
    assert not [button for button in app.button if button.key == "bring_write"]
    assert app.button(key="bring_cancel")


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("e.csv", b"", "is empty"),
        ("b.csv", b"\x89PNG\r\n\x1a\n\xff\xfe", "UTF-8"),
        ("q.csv", b'id,problem\na1,"open\n', "quotation mark"),
        ("u.csv", b"aaa,bbb\n1,2\n", "no column holds"),
        ("w.xlsx", b"PK", "CSV"),
    ],
)
def test_bad_files_say_what_to_do_and_write_nothing(
    folder: Path, open_bring: Open, name: str, data: bytes, words: str
) -> None:
    before = digest(folder.parent)
    app = give(open_bring(folder), (name, data), ("ideas.csv", IDEAS))
    if name != "u.csv":
        assert words in app.error[0].value.replace("\\", "")
        assert "others can come in" in texts(app)
    app = give(app, (name, data))
    assert words in app.error[0].value.replace("\\", "")
    assert not [button for button in app.button if button.key == "bring_write"]
    assert digest(folder.parent) == before


def test_a_known_format_needs_no_mapping_and_may_be_mapped_by_hand(
    folder: Path, open_bring: Open
) -> None:
    data = json.dumps(
        {
            "data": [
                {
                    "paperId": "s1",
                    "title": "T",
                    "abstract": "A",
                    "publicationDate": "2024-01-02",
                    "citationCount": 3,
                    "externalIds": {"DOI": "10.1/a"},
                    "venue": "ACL",
                    "year": 2024,
                }
            ]
        }
    ).encode()
    app = give(open_bring(folder, bring_table="papers"), ("p.json", data))
    assert "Known format" in texts(app)
    assert not app.data_editor
    app.toggle(key="bring_by_hand").set_value(True)
    run(app)
    assert editor_key(app)
    app.toggle(key="bring_by_hand").set_value(False)
    press(run(app), "bring_write")
    assert "s1" in set(Study.open(folder).papers["paper_id"])


def test_what_changed_meanwhile_is_not_overwritten(
    folder: Path, open_bring: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = give(open_bring(folder), ("ideas.csv", IDEAS))
    study = Study.open(folder)
    study.write("papers", study.papers.iloc[1:])
    before = digest(folder)
    press(app, "bring_write")
    assert "changed since" in app.error[0].value
    assert digest(folder) == before
    press(app, "bring_write")
    assert len(Study.open(folder).ideas) == len(study.ideas) + 2


def test_foreign_text_stays_text(folder: Path, open_bring: Open) -> None:
    rows = [{HOSTILE[1][:40]: text, "id": f"h{n}", "system": HOSTILE[0], "problem": text}
            for n, text in enumerate(HOSTILE)]  # fmt: skip
    data = "\n".join(json.dumps(row) for row in rows).encode()
    app = give(open_bring(folder), ("**bold** <b>.jsonl", data))
    for kind in (app.markdown, app.caption, app.warning, app.expander):
        for item in kind:
            shown = str(getattr(item, "value", None) or getattr(item, "label", ""))
            bare = "".join(part[1:] for part in ("x" + shown).split("\\"))
            assert "<script" not in bare
            assert "[link](" not in bare
            assert "**bold**" not in bare
    press(app, "bring_write")
    assert (Study.open(folder).ideas["system"] == HOSTILE[0]).sum() == len(rows)


@pytest.mark.parametrize("part", ["Tables", "Matching"])
def test_bundled_studies_are_never_written(
    open_bring: Open, folder: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    assert sidebar.DEMO.parent == upload_places.BUNDLED
    monkeypatch.setattr(upload_places, "BUNDLED", folder.parent)
    app = open_bring(folder, part)
    assert "comes with Foreseen" in app.info[-1].value
    assert f"cp -r '{folder}' my-study" in app.code[0].value
    assert not app.file_uploader
    assert not [button for button in app.button if str(button.key).startswith("bring_")]


# Matching


class Fake:
    """Vectors from a text's digest; waits for its gate."""

    name, revision, digest, dimensions, separator, batch_size = "minilm", "1", "d", 8, " | ", 1

    def __init__(self) -> None:
        self.gate, self.begun = threading.Event(), threading.Event()
        self.error: Exception | None = None

    def encode(self, texts: list[str]) -> Any:
        self.begun.set()
        assert self.gate.wait(60)
        if self.error:
            raise self.error
        rows = [np.frombuffer(hashlib.sha256(t.encode()).digest()[:8], np.uint8) for t in texts]
        return np.array(rows, dtype=np.float32) + 1


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    encoder = Fake()
    monkeypatch.setattr(upload_matching, "open_encoder", lambda name: encoder)
    monkeypatch.setattr(upload_matching, "_RUNS", {})
    monkeypatch.setattr(upload_matching, "_RATES", {})
    yield encoder
    encoder.gate.set()
    for each in upload_matching._RUNS.values():
        each.thread.join(60)


def finish(folder: Path) -> None:
    found = upload_matching.run_of(folder)
    assert found is not None
    found.thread.join(60)


def test_matching_starts_on_confirmation_survives_pages_and_shows_its_result(
    folder: Path, open_bring: Open, fake: Fake
) -> None:
    before = digest(folder)
    app = open_bring(folder, "Matching")
    wait = upload_matching.waiting(Study.open(folder))
    assert f"{wait.texts} texts to encode" in texts(app)
    assert digest(folder) == before
    press(app, "bring_match")
    assert fake.begun.wait(60)
    run(app)
    assert app.button(key="bring_stop")
    assert not [button for button in app.button if button.key == "bring_match"]
    second = open_bring(folder, "Matching")
    assert second.button(key="bring_stop")
    app.switch_page("../pages/data.py")
    run(app)
    fake.gate.set()
    finish(folder)
    app.switch_page("../pages/bring.py")
    app.query_params["bring_part"] = "Matching"
    run(app)
    study = Study.open(folder)
    assert study.candidates is not None
    assert f"**{len(study.candidates):,} candidates** stored by minilm" in texts(app)
    assert "The stored candidates fit the tables" in texts(app)
    assert "so only the search runs" in texts(app)
    assert app.button(key="bring_match").label == "Match again"


def test_keeping_the_suggested_theta_moves_study_and_slider(
    folder: Path, open_bring: Open, fake: Fake
) -> None:
    fake.gate.set()
    app = press(open_bring(folder, "Matching"), "bring_match")
    finish(folder)
    run(app)
    study = Study.open(folder)
    suggested = study.calibration().suggested_theta
    assert suggested is not None
    assert f"θ = {suggested:.3f}" in texts(app)
    press(app, "bring_keep_theta")
    assert Study.open(folder).settings.theta == suggested
    assert app.slider(key="theta").value == suggested
    assert app.button(key="bring_keep_theta").disabled


def test_a_run_is_stopped_and_goes_on(folder: Path, open_bring: Open, fake: Fake) -> None:
    app = press(open_bring(folder, "Matching"), "bring_match")
    assert fake.begun.wait(60)
    run(app)
    press(app, "bring_stop")
    assert app.button(key="bring_stop").disabled
    fake.gate.set()
    finish(folder)
    run(app)
    assert "Stopped. What was encoded is kept" in texts(app)
    assert Study.open(folder).candidates is None
    assert app.button(key="bring_match").label == "Go on matching"
    press(app, "bring_match")
    finish(folder)
    run(app)
    assert Study.open(folder).candidates is not None


def test_an_error_of_the_encoder_is_text(folder: Path, open_bring: Open, fake: Fake) -> None:
    fake.error = DataError("encoder '*x*' is not here. Use <minilm>.")
    fake.gate.set()
    app = press(open_bring(folder, "Matching"), "bring_match")
    finish(folder)
    run(app)
    assert app.error[0].value == r"encoder '\*x\*' is not here. Use \<minilm\>."
    assert Study.open(folder).candidates is None


def test_matching_says_what_is_lacking(tmp_path: Path, open_bring: Open) -> None:
    Study.create(tmp_path / "bare", cutoff=date(2024, 1, 1))
    app = open_bring(tmp_path / "bare", "Matching")
    assert "no ideas and papers" in app.info[-1].value
    assert not [button for button in app.button if button.key == "bring_match"]


def test_words_among_marks_get_their_numbers(folder: Path, open_bring: Open) -> None:
    table = b"yes,no,yes\nyes,yes,no\n"
    app = give(open_bring(folder, bring_table="scores"), ("raters.csv", table))
    assert "Numbers of words" in texts(app)
    widget(app.text_area, "bring_codes_").set_value("yes=10\nno=1")
    press(run(app), "bring_write")
    marks = Study.open(folder).scores
    added = marks[marks["judge"].str.startswith("raters rater")]
    assert sorted(added["overall"]) == [1, 1, 10, 10, 10, 10]


def test_a_word_with_two_numbers_is_told(folder: Path, open_bring: Open) -> None:
    app = give(open_bring(folder, bring_table="scores"), ("raters.csv", b"yes,no\nyes,no\n"))
    widget(app.text_area, "bring_codes_").set_value("yes=10\nyes=9")
    run(app)
    assert "two numbers" in app.error[0].value
