"""What is written for others comes back through our own readers, as far as its shape can carry it."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from builders import case_study, case_tables, study, table
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.export.croissant import croissant
from core.export.ideas import ideas_jsonl
from core.export.matched import bibtex_entry, matched_pairs, matches_csv
from core.export.references import references_jsonl
from core.ingest.foreign import plan_files, read_foreign
from core.study import Study

# LaTeX's own signs, accents, other scripts, and signs that are not in the basic plane.
LATEX = st.one_of(
    st.sampled_from("\\{}$&%#_~^-'`<>!?,.=@\"|*+/:;()[] "),
    st.characters(categories=("L", "Nd", "Sm", "So")),
)
WORDS = st.text(LATEX, max_size=30).map(lambda text: " ".join(text.split()))
LINK = st.text(st.sampled_from("aZ09_%&#~-.?=/:;()+"), max_size=20).map("https://x.org/".__add__)


def plans(data: str, name: str) -> dict[str, Any]:
    file = read_foreign(Path("file"), name, data=data.encode())
    return {plan.table: plan for plan in plan_files(study(), name, [file])}


@settings(max_examples=20, deadline=None)
@given(
    title=WORDS.map(lambda text: f"On {text}".strip()),
    abstract=WORDS.map(lambda text: f"We {text}".strip()),
    venue=st.sampled_from(["ICLR 2024", "arXiv", "Trans. of A & B_2", "NeurIPS {Datasets}"]),
    named=st.sampled_from(["p1", "10.1/a_b", "an id, with spaces", "2401.00001", "é{%}"]),
    doi=st.sampled_from(["10.1162/tacl_a_00632", "10.1/a#b%c(2)", "10.1/x~y"]),
    url=LINK,
)
@example(
    "A {B}: $x^2$ \\alpha", "We 50% & {\\'e}", "arXiv", "p1", "10.1/a_b", "https://x.org/~a_b%20c"
)
def test_an_entry_of_bibtex_comes_back(
    title: str, abstract: str, venue: str, named: str, doi: str, url: str
) -> None:
    entry = bibtex_entry(
        {"paper_id": named, "title": title, "abstract": abstract, "venue": venue, "url": url,
         "published": date(2024, 5, 1), "date_precision": "month", "identifiers": {"doi": doi},
         "extra": {"authors": ["Ann Bee", "Ci D{é}"]}},
        set(),
    )  # fmt: skip
    (paper,) = plans(entry, "papers")["papers"].frame.to_dict("records")
    assert (paper["paper_id"], paper["title"], paper["abstract"]) == (named, title, abstract)
    assert (paper["venue"], paper["url"]) == (venue, url)
    assert paper["identifiers"]["doi"] == doi
    assert (paper["published"].strftime("%Y-%m"), paper["date_precision"]) == ("2024-05", "month")
    assert paper["extra"]["author"] == "Ann Bee and Ci D{é}"


def test_ideas_come_back_with_every_mark() -> None:
    made = case_study()
    back = plans("\n".join(ideas_jsonl(made)), "ideas")
    assert set(back) == {"ideas", "scores"}
    assert back["ideas"].frame.astype(str).equals(made.ideas.astype(str))
    assert back["scores"].frame.astype(str).equals(made.scores.astype(str))


TEXT = st.text(st.characters(categories=("L", "Nd", "P", "S")), min_size=1, max_size=12)
REFERENCE = st.fixed_dictionaries(
    {
        "title": TEXT.map(lambda text: f"T {text}"),
        "abstract": st.none() | TEXT,
        "venue": st.sampled_from(["ICLR", "NeurIPS"]),
        "year": st.integers(2020, 2026),
        "decision": st.sampled_from([None, "Poster", "Reject"]),
        "area": st.none() | TEXT,
        "rating": st.none() | st.floats(0, 5),
        "contribution": st.none() | st.floats(0, 5),
        "soundness": st.none() | st.integers(0, 5),
        "main_target": st.none() | TEXT,
        "innovative_methods": st.none() | TEXT,
        "extra": st.sampled_from([{}, {"url": "https://x.org/1"}, {"keywords": ["a", "b"]}]),
    }
)


@settings(max_examples=8, deadline=None)
@given(st.lists(REFERENCE, min_size=1, max_size=3))
def test_references_come_back_from_the_shape_of_pair_iq(rows: list[dict[str, Any]]) -> None:
    rows = [{"reference_id": f"r{n}", **row} for n, row in enumerate(rows)]
    # The shape is known by its first row: 'contribute', 'analysis' or 'primary area'.
    rows[0]["contribution"] = 2.5
    made = study(references=rows)
    lines = "\n".join(references_jsonl(made))
    back = plans(lines, "references")["references"].frame
    names = [name for name in made.references.columns if name != "extra"]
    assert back[names].astype(str).equals(made.references[names].astype(str))
    for ours, theirs in zip(made.references["extra"], back["extra"], strict=True):
        assert ours.items() <= theirs.items()


def test_matches_come_back_cell_by_cell() -> None:
    tables = case_tables()
    tables["papers"][0]["title"] = '=HYPERLINK("http://x"), "two"\nlines'
    made = study(config_values={"settings": {"theta": 0.5}}, **tables)
    pairs = matched_pairs(made)
    read = list(csv.DictReader(io.StringIO(matches_csv(made))))
    assert [row["title"].removeprefix("'") for row in read] == pairs["title"].tolist()
    assert [float(row["impact"]) for row in read] == pairs["impact"].tolist()
    papers = plans(matches_csv(made), "papers")["papers"].frame.set_index("paper_id")
    assert set(papers.index) == set(pairs["paper_id"])
    # p2 and p5 were met by two ideas each, and are one paper each.
    assert papers["citations"].to_dict() == {"p1": 100, "p2": 50, "p3": 0, "p5": 10}


DATASET = {
    "@context", "@type", "conformsTo", "name", "description", "version", "temporalCoverage",
    "distribution", "recordSet", "dateModified", "keywords", "license", "citeAs", "datePublished",
}  # fmt: skip
FILE = {"@type", "@id", "name", "contentUrl", "contentSize", "encodingFormat", "sha256"}
SET = {"@type", "@id", "name", "description", "key", "field"}
FIELD = {"@type", "@id", "name", "description", "dataType", "source", "repeated", "references"}


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_metadata_names_what_the_files_hold_in_the_words_of_croissant(
    tmp_path: Path, suffix: str
) -> None:
    made = Study.create(tmp_path / "s", cutoff=date(2023, 6, 30))
    tables = case_tables()
    for name in ("ideas", "scores"):
        made = made.write(name, table(name, tables[name]), suffix=suffix)
    told = croissant(Study.open(tmp_path / "s"))
    assert set(told) <= DATASET
    assert told["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert all(set(file) == FILE for file in told["distribution"])
    for each in told["recordSet"]:
        assert set(each) == SET
        for field in each["field"]:
            assert set(field) <= FIELD
            assert field["dataType"] in {"sc:Text", "sc:Float", "sc:Integer", "sc:Date"}
    named = {field["name"] for field in told["recordSet"][0]["field"]}
    # JSONL leaves out what no idea has, and an object of free fields has no type there.
    held = {"idea_id", "system", "topic", "title", "problem", "method"}
    assert (named == held) if suffix == ".jsonl" else (named > held | {"extra", "cutoff"})
    if suffix == ".jsonl":
        lines = (tmp_path / "s" / "ideas.jsonl").read_text().splitlines()
        assert held <= {key for line in lines for key in json.loads(line)}
