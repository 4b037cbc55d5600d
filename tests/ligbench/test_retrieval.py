"""References found by keywords and by embedding: exclusions, ties, seeds, and no score anywhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import study, table
from numpy.typing import NDArray

from core.errors import DataError, UsageError
from core.ligbench.retrieval import close_pairs, retrieve
from core.study import Study

SUBJECTS = ("graph molecules", "traffic flow", "protein folding", "language parsing")


def reference(number: int, subject: str, **more: Any) -> dict[str, Any]:
    return {
        "reference_id": f"r{number}",
        "title": f"On {subject} {number}",
        "abstract": f"We study {subject} with care.",
        **more,
    }


REFERENCES = [reference(n, subject) for n, subject in enumerate(SUBJECTS)]
IDEA = {"idea_id": "i", "system": "s", "title": "An idea", "problem": "traffic flow is hard"}


class Letters:
    """Counts of four words as a vector: embedding that a reader can follow."""

    name, revision, digest, dimensions, separator = "letters", "1", "d" * 16, 5, "\n"
    words = ("graph", "traffic", "protein", "language")

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        return np.array(
            [[1.0, *(text.count(word) for word in self.words)] for text in texts], np.float32
        )


def names(found: Any) -> list[str]:
    return list(found.frame["reference_id"])


def test_the_reference_that_shares_words_comes_first() -> None:
    made = study(ideas=[IDEA], references=REFERENCES)
    found = retrieve(made, n=2, embedding=False)
    assert names(found)[0] == "r1"
    assert found.encoder is None


def test_both_lists_are_fused(tmp_path: Path) -> None:
    folder = Study.create(tmp_path / "s", cutoff=study().config.cutoff)
    # Words point to r1; vectors know 'traffic' alone and rank r1 first, then the rest by place.
    made = replace(study(ideas=[IDEA], references=REFERENCES), folder=folder.folder)
    found = retrieve(made, n=4, encoder=Letters())
    row = found.frame.iloc[0]
    assert row["reference_id"] == "r1"
    assert (row["keyword_rank"], row["embedding_rank"]) == (1, 1)
    assert row["fused"] == pytest.approx(2 / 61)
    assert len(found.frame) == 4
    assert found.encoder == "letters"


def test_an_idea_never_meets_itself() -> None:
    references = [
        *REFERENCES,
        reference(8, "traffic flow", title="AN IDEA!"),
        {**reference(9, "traffic flow"), "reference_id": "i", "title": "Other title"},
    ]
    found = retrieve(study(ideas=[IDEA], references=references), n=9, embedding=False)
    assert not {"r8", "i"} & set(names(found))
    assert found.excluded == (("i", "i", "the same paper"), ("i", "r8", "the same title"))


def test_one_title_under_two_ids_is_met_once() -> None:
    twin = {**REFERENCES[1], "reference_id": "r1b", "title": "on TRAFFIC flow 1."}
    found = retrieve(study(ideas=[IDEA], references=[twin, *REFERENCES]), n=9, embedding=False)
    assert found.repeated == ("r1b",)
    assert "r1b" not in names(found)


def test_an_idea_without_a_shared_word_meets_nobody_by_keywords() -> None:
    stranger = {**IDEA, "title": "zzz", "problem": "qqq"}
    found = retrieve(study(ideas=[stranger], references=REFERENCES), n=3, embedding=False)
    assert found.frame.empty
    assert found.short == (("i", 0),)


def test_scores_and_row_order_play_no_part() -> None:
    plain = [reference(n, "traffic flow") for n in range(6)]
    scored = [{**row, "rating": float(n % 5), "decision": "Oral"} for n, row in enumerate(plain)]
    one = retrieve(study(ideas=[IDEA], references=plain), n=3, embedding=False, seed=4)
    other = retrieve(study(ideas=[IDEA], references=scored[::-1]), n=3, embedding=False, seed=4)
    assert names(one) == names(other)


def test_what_is_equally_close_falls_by_the_seed() -> None:
    plain = [
        {**reference(n, "traffic flow"), "title": f"On traffic flow {'abcdefgh'[n]}"}
        for n in range(8)
    ]
    made = study(ideas=[IDEA], references=plain)
    drawn = {tuple(names(retrieve(made, n=2, embedding=False, seed=seed))) for seed in range(8)}
    assert len(drawn) > 1


def test_close_pairs_are_of_one_theme() -> None:
    references = [reference(n, SUBJECTS[n % 2]) for n in range(4)]
    frame = table("references", references)
    assert close_pairs(frame, 1) == [("r0", "r2"), ("r1", "r3")]


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(DataError, match="import references"):
        retrieve(study(ideas=[IDEA]), embedding=False)
    with pytest.raises(UsageError, match="at least 1"):
        retrieve(study(ideas=[IDEA], references=REFERENCES), n=0)
