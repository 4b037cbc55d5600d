"""What a study holds, written for others and read back."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from builders import case_study, case_tables, study, table
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from core.cli import app
from core.errors import UsageError
from core.export.croissant import croissant
from core.export.ideas import ideas_jsonl
from core.export.matched import bibtex, bibtex_entry, escaped, matched_pairs, matches_csv
from core.export.references import references_jsonl
from core.ingest.foreign import plan_files, read_foreign
from core.study import Study

WORDS = st.text(
    st.one_of(
        st.sampled_from("\\{}$&%#_~^-'`<>!?,.=@\"|*+/:;()[] "),
        st.characters(categories=("Lu", "Ll", "Nd")),
    ),
    max_size=40,
).map(lambda text: " ".join(text.split()))


def read_back(data: str, name: str, table_name: str) -> Any:
    empty = study()
    file = read_foreign(Path(name), table_name, data=data.encode())
    return plan_files(empty, table_name, [file])[0].frame


def test_matches_are_those_above_the_threshold() -> None:
    # At 0.5 (see case_tables): i1–p1, i2–p2, i2–p5, i3–p3, i5–p2, i8–p5.
    frame = matched_pairs(case_study())
    pairs = set(zip(frame["idea_id"], frame["paper_id"], strict=True))
    assert pairs == {
        ("i1", "p1"), ("i2", "p2"), ("i2", "p5"), ("i3", "p3"), ("i5", "p2"), ("i8", "p5"),
    }  # fmt: skip


def test_a_setting_changes_what_is_written() -> None:
    made = case_study()
    wide = made.settings.model_copy(update={"theta": 0.85})
    assert len(matched_pairs(made, wide)) == 1


def test_csv_holds_no_formula_and_dates_as_exact_as_known() -> None:
    tables = case_tables()
    tables["papers"][0]["title"] = '=HYPERLINK("http://x")'
    tables["papers"][1]["published"] = "2024-02"
    made = study(config_values={"settings": {"theta": 0.5}}, **tables)
    rows = {row["paper_id"]: row for row in csv.DictReader(io.StringIO(matches_csv(made)))}
    assert rows["p1"]["title"] == '\'=HYPERLINK("http://x")'
    assert rows["p2"]["published"] == "2024-02"
    assert rows["p1"]["published"] == "2024-01-15"


def test_bibtex_names_each_paper_once_and_reads_back() -> None:
    text = bibtex(case_study())
    assert text.count("@") == 4
    frame = read_back(text, "x.bib", "papers").set_index("paper_id")
    assert set(frame.index) == {"p1", "p2", "p3", "p5"}
    assert frame["title"]["p2"] == "Paper number 2"
    assert frame["venue"]["p5"] == "ICLR 2024"
    assert frame["published"]["p5"].strftime("%Y-%m") == "2024-05"
    assert frame["date_precision"]["p5"] == "month"


@settings(max_examples=40, deadline=None)
@given(title=WORDS.map(lambda text: f"On {text}".strip()))
def test_any_title_survives_bibtex(title: str) -> None:
    entry = bibtex_entry({"paper_id": "p", "title": title, "published": None}, set())
    frame = read_back(entry, "x.bib", "papers")
    assert frame["title"].tolist() == [title]


def test_keys_are_unique_and_plain() -> None:
    taken: set[str] = set()
    for named in ("10.1/a b", "10.1/a{b", "10.1/A-B"):
        bibtex_entry({"paper_id": named, "title": "T"}, taken)
    assert taken == {"10.1/a-b", "10.1/a-b-2", "10.1/a-b-3"}


def test_escaped_text_holds_no_command() -> None:
    assert escaped("50% of $x_1$\n& more") == r"50\% of \$x\_1\$ \& more"
    assert escaped("a -- b") == "a -{}- b"


def test_ideas_carry_score_and_marks_and_read_back() -> None:
    lines = {record["idea_id"]: record for record in map(json.loads, ideas_jsonl(case_study()))}
    assert len(lines) == 8
    assert lines["i1"]["hindsight"]["score"] == pytest.approx(0.6)
    assert lines["i1"]["hindsight"]["best_paper_id"] == "p1"
    assert lines["i7"]["hindsight"]["n_matches"] == 0
    assert "best_paper_id" not in lines["i7"]["hindsight"]
    states = {mark["judge"]: mark["state"] for mark in lines["i7"]["scores"]}
    assert states == {"ann": "ok", "bob": "refused"}
    text = "\n".join(ideas_jsonl(case_study()))
    frame = read_back(text, "x.jsonl", "ideas").set_index("idea_id")
    ours = case_study().ideas.set_index("idea_id")
    for column in ("system", "topic", "title", "problem"):
        assert frame[column].to_dict() == ours[column].to_dict()
    assert frame["extra"]["i1"]["planted"] == "p1"


def test_what_is_simulated_says_so_in_every_export(tmp_path: Path) -> None:
    tables = case_tables() | {"references": REFERENCES}
    for simulated in (True, False):
        values = {"settings": {"theta": 0.5}, "simulated": simulated}
        made = study(config_values=values, **tables)
        assert bibtex(made).startswith("% Simulated") is simulated
        assert ("simulated" in matches_csv(made).splitlines()[0]) is simulated
        for lines in (ideas_jsonl(made), references_jsonl(made)):
            assert all(("simulated" in json.loads(line)) is simulated for line in lines)
        folder = tmp_path / str(simulated)
        on_disk = Study.create(folder, cutoff=date(2023, 6, 30), simulated=simulated)
        assert ("invented" in croissant(on_disk)["description"]) is simulated


def test_ideas_without_candidates_have_no_score() -> None:
    tables = case_tables()
    del tables["candidates"]
    record = json.loads(next(iter(ideas_jsonl(study(**tables)))))
    assert record["hindsight"] is None


REFERENCES = [
    {"reference_id": "r1", "title": "A reference, first", "abstract": "Text.", "venue": "ICLR 2025",
     "year": 2025, "decision": "Poster", "area": "nlp", "rating": 3.125, "contribution": 2.5,
     "soundness": 5, "main_target": "Aim.", "innovative_methods": "One. Two.",
     "extra": {"keywords": ["a"]}},
    {"reference_id": "r2", "title": "A reference, second", "venue": "NeurIPS", "year": 2024},
]  # fmt: skip


def test_references_have_the_shape_of_pair_iq_and_read_back(tmp_path: Path) -> None:
    made = study(references=REFERENCES)
    records = [json.loads(line) for line in references_jsonl(made)]
    assert records[0] == {
        "id": "r1", "title": "A reference, first", "conference": "ICLR", "year": 2025,
        "label": "Poster", "abstract": "Text.", "primary area": "nlp", "rating": 3.125,
        "contribute": 2.5, "soundness": 5, "keywords": ["a"],
        "analysis": {"main_target": "Aim.", "innovative_methods": "One. Two."},
    }  # fmt: skip
    assert "rating" not in records[1]
    (tmp_path / "r.jsonl").write_text("\n".join(references_jsonl(made)))
    (plan,) = plan_files(study(), "references", [tmp_path / "r.jsonl"], form="pair-iq")
    back = plan.frame.set_index("reference_id")
    assert back["contribution"].dropna().to_dict() == {"r1": 2.5}
    assert back["main_target"].dropna().to_dict() == {"r1": "Aim."}
    assert back["rating"].isna().to_dict() == {"r1": False, "r2": True}


def values(node: Any, name: str) -> Iterator[Any]:
    if isinstance(node, dict):
        for key, inner in node.items():
            if key == name:
                yield inner
            yield from values(inner, name)
    elif isinstance(node, list):
        for inner in node:
            yield from values(inner, name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = Study.create(tmp_path / "s", cutoff=date(2023, 6, 30), settings={"theta": 0.5})
    tables = case_tables()
    made = made.write("ideas", table("ideas", tables["ideas"]), suffix=".jsonl")
    made.write("scores", table("scores", tables["scores"]), suffix=".csv")
    return tmp_path / "s"


def test_metadata_names_every_file_with_its_digest(folder: Path) -> None:
    told = croissant(Study.open(folder))
    json.dumps(told)
    assert {entry["@id"] for entry in told["distribution"]} == {
        "study.toml", "ideas.jsonl", "scores.csv",
    }  # fmt: skip
    for entry in told["distribution"]:
        data = (folder / entry["contentUrl"]).read_bytes()
        assert entry["sha256"] == hashlib.sha256(data).hexdigest()
    assert str(folder) not in json.dumps(told)


def test_metadata_points_only_to_what_it_describes(folder: Path) -> None:
    told = croissant(Study.open(folder))
    ids = set(values(told["distribution"], "@id"))
    ids |= {each["@id"] for each in told["recordSet"]}
    ids |= {field["@id"] for each in told["recordSet"] for field in each["field"]}
    for each in told["recordSet"]:
        for pointed in (*values(each, "fileObject"), *each["key"]):
            assert pointed["@id"] in ids
    assert [each["field"]["@id"] for each in values(told["recordSet"], "references")] == [
        "ideas/idea_id"
    ]


def test_a_study_in_memory_has_no_files() -> None:
    with pytest.raises(UsageError, match="not in a folder"):
        croissant(case_study())


@pytest.mark.parametrize("what", ["ideas", "croissant"])
def test_the_command_writes_a_file(folder: Path, tmp_path: Path, what: str) -> None:
    out = tmp_path / "out"
    done = CliRunner().invoke(app, ["export", str(folder), "--what", what, "-o", str(out)])
    assert done.exit_code == 0, done.stderr
    assert json.loads(out.read_text().splitlines()[0] if what == "ideas" else out.read_text())


@pytest.mark.parametrize(
    ("what", "said"), [("bibtx", "Did you mean 'bibtex'"), ("references", "no references")]
)
def test_what_cannot_be_written_is_told(folder: Path, what: str, said: str) -> None:
    done = CliRunner().invoke(app, ["export", str(folder), "--what", what, "-o", "never"])
    assert said in str(done.exception)
    assert not Path("never").exists()
