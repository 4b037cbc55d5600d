"""Four formal parts of ideas and papers: what is asked, written, kept and left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import study

from core.errors import UsageError
from core.judging.client import Request
from core.judging.judgements import Judged, judge
from core.judging.mock import MockClient
from core.ligbench.formalise import (
    failures,
    formal_tasks,
    lengths,
    paper_sections,
    rows_to_formalise,
    whole_parts,
)
from core.schema import FORMAL_PARTS
from core.study import Study

REPLIES: dict[str, Any] = {
    "main_target": "The target.",
    "core_breakthrough": "The core.",
    "innovative_methods": ["One", "Two", "Three"],
    "experimental_design": "The tests.",
    "abstract": ["Summary"],
    "introduction": ["1 Introduction"],
    "related_work": [],
    "method": ["Our approach", "Invented heading"],
    "experiment": ["Results"],
}
SECTIONS = {
    "Summary": "A short summary.",
    "1 Introduction": "Why it matters.",
    "Our approach": "How it works.",
    "Results": "What came out.",
}


def answered(request: Request) -> str:
    return json.dumps({name: REPLIES[name] for name in dict(request.schema)["properties"]})


def client(reply: Callable[[Request], str] = answered) -> MockClient:
    return MockClient(model="m", reply=reply)


def on_disk(folder: Path, **tables: Any) -> Study:
    made = study(**tables)
    written = Study.create(folder, cutoff=made.config.cutoff)
    for name in tables:
        written = written.write(name, getattr(made, name), suffix=".jsonl")
    return written


def formalise(made: Study, asked: MockClient, **options: Any) -> Judged:
    return judge(made, asked, formal_tasks(made, **options))


IDEAS = [
    {"idea_id": "a", "system": "s", "title": "T", "problem": "one two three", "method": "four"},
    {"idea_id": "b", "system": "s", "title": "U", **dict.fromkeys(FORMAL_PARTS, "there")},
    {"idea_id": "c", "system": "s"},
]


def test_ideas_get_parts_and_keep_their_own_text(tmp_path: Path) -> None:
    made = on_disk(tmp_path / "s", ideas=IDEAS)
    done = formalise(made, client())
    rows = Study.open(tmp_path / "s").ideas.set_index("idea_id")
    assert rows.loc["a", "main_target"] == "The target."
    assert rows.loc["a", "innovative_methods"] == "1. One\n2. Two\n3. Three"
    assert (rows.loc["a", "problem"], rows.loc["a", "method"]) == ("one two three", "four")
    assert rows.loc["b", "main_target"] == "there"
    assert dict(done.left_out) == {"c": "it has no text of its own", "b": "it has all four parts"}
    # Before: T, one two three, four. After: 2 + 2 + 6 (numbers included) + 2.
    assert lengths(done.study).to_dict("records")[0] == {
        "idea_id": "a",
        "before": 5,
        "after": 12,
        "ratio": 2.4,
    }
    assert list(whole_parts(done.run.outcomes)) == ["a"]
    assert done.families == ()


def test_parts_are_replaced_only_when_asked(tmp_path: Path) -> None:
    made = on_disk(tmp_path / "s", ideas=IDEAS)
    done = formalise(made, client(), replace_parts=True, ids=["b"])
    assert done.study.ideas.set_index("idea_id").loc["b", "core_breakthrough"] == "The core."


def test_an_unreadable_reply_writes_nothing(tmp_path: Path) -> None:
    made = on_disk(tmp_path / "s", ideas=IDEAS)
    done = formalise(made, client(lambda request: '["a", "b", "c; d", "e"]'))
    assert not whole_parts(done.run.outcomes)
    assert failures(done.run.outcomes)[0][:2] == ("a", "idea")
    assert Study.open(tmp_path / "s").ideas["main_target"].notna().sum() == 1


def test_too_few_methods_are_unreadable(tmp_path: Path) -> None:
    made = on_disk(tmp_path / "s", ideas=IDEAS)
    two = client(
        lambda request: json.dumps(
            {**json.loads(answered(request)), "innovative_methods": ["a", "b"]}
        )
    )
    done = formalise(made, two)
    assert "must hold 3 to 4 items, not 2" in failures(done.run.outcomes)[0][2]


def test_papers_go_by_section_mapping_then_part_by_part(tmp_path: Path) -> None:
    references = [
        {"reference_id": "r", "title": "Paper", "abstract": "Own abstract.",
         "extra": {"sections": SECTIONS}},
        {"reference_id": "q", "title": "Bare", "abstract": "Only this."},
    ]  # fmt: skip
    made = on_disk(tmp_path / "s", references=references)
    asked = client()
    done = formalise(made, asked, table="references")
    texts = [request.messages[1].content for request in asked.asked]
    assert len(texts) == 1 + 4 + 4
    of_r = {
        part: next(
            text
            for text, request in zip(texts, asked.asked, strict=True)
            if list(dict(request.schema)["properties"]) == [part] and "short summary" in text
        )
        for part in FORMAL_PARTS
    }
    assert "How it works." in of_r["innovative_methods"]
    assert "What came out." not in of_r["innovative_methods"]
    assert "What came out." in of_r["experimental_design"]
    assert "Why it matters." in of_r["core_breakthrough"]
    assert "Why it matters." not in of_r["main_target"]
    assert set(whole_parts(done.run.outcomes, "references")) == {"r", "q"}
    assert "1 references have no sections: their parts are from the abstract" in done.notes
    assert done.study.references[list(FORMAL_PARTS)].notna().all(axis=None)
    again = formalise(Study.open(tmp_path / "s"), asked, table="references", replace_parts=True)
    assert (len(asked.asked), again.run.cached) == (9, 8)  # every answer was kept


def test_a_paper_whose_sections_are_not_mapped_waits(tmp_path: Path) -> None:
    references = [{"reference_id": "r", "title": "P", "extra": {"sections": SECTIONS}}]
    made = on_disk(tmp_path / "s", references=references)
    done = formalise(made, client(lambda request: "no"), table="references")
    assert failures(done.runs[0].outcomes)[0][:2] == ("r", "sections")
    assert done.runs[1].total == 0


@pytest.mark.parametrize(
    "extra",
    [
        {"sections": {"A": "x", "B": "y"}},
        {"sections": [{"heading": "A", "text": "x"}, {"title": "B", "content": "y"}]},
        {"full_text": "# A\nx\n\n## B\ny\n\n## Empty\n"},
    ],
)
def test_sections_in_every_shape(extra: dict[str, Any]) -> None:
    assert paper_sections({"extra": extra}) == {"A": "x", "B": "y"}
    assert paper_sections({"extra": {}}) == {}


def test_a_row_without_parts_has_no_length_after() -> None:
    made = study(ideas=IDEAS)
    rows = lengths(made).set_index("idea_id")
    assert rows["after"].isna().tolist() == [True, False, True]
    assert rows["before"].isna()["c"]


def test_other_tables_are_refused() -> None:
    with pytest.raises(UsageError, match="ideas or references"):
        rows_to_formalise(study(ideas=IDEAS), "papers")  # type: ignore[arg-type]
