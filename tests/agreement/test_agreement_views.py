"""What the page of judges asks for: each view with the ids behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from builders import study
from scipy.stats import spearmanr

from core.agreement import (
    confusion,
    disagreements,
    family_probe,
    halo,
    leave_one_judge_out,
    length_probe,
    paired_marks,
    repeat_spread,
)
from core.agreement.views import to_frame
from core.config import Settings
from core.errors import UsageError
from core.study import Study

FAST = Settings(draws=100)


def scores(marks: dict[str, list[float | None]], **more: Any) -> list[dict[str, Any]]:
    return [
        {"idea_id": f"i{place}", "judge": judge, "overall": value, "call_id": f"{judge}-{place}"}
        | more
        for judge, values in marks.items()
        for place, value in enumerate(values)
        if value is not None
    ]


def ideas(lengths: list[int], systems: list[str] | None = None) -> list[dict[str, Any]]:
    return [
        {
            "idea_id": f"i{place}",
            "system": systems[place] if systems else "s",
            "topic": f"t{place % 3}",
            "method": "word " * length,
        }
        for place, length in enumerate(lengths)
    ]


def test_each_cell_of_a_table_opens_its_units() -> None:
    found = confusion(study(scores=scores({"a": [2, 5, 5], "b": [2, 5, 9]})), "a", "b", "overall")
    assert found.pair.table[4][4] == found.pair.table[4][8] == found.pair.table[1][1] == 1
    cell = found.units.query("category_a == 5 and category_b == 9")
    assert cell["idea_id"].tolist() == ["i2"]


def test_the_table_turns_with_the_judges() -> None:
    made = study(scores=scores({"a": [2, 5, 5], "b": [2, 5, 9]}))
    one, other = (confusion(made, *names, "overall").pair for names in (("a", "b"), ("b", "a")))
    assert np.array_equal(np.array(one.table), np.array(other.table).T)
    assert (other.judge_a, other.judge_b) == ("b", "a")


def test_bland_altman_points_are_unrounded_and_named() -> None:
    rows = scores({"a": [2, 5, 8]}) + scores({"b": [4, 5]}, repeat=1)
    rows += scores({"b": [5, 5]}, repeat=2)
    found = paired_marks(study(scores=rows), "a", "b", "overall", FAST)
    assert (found.n, found.n_left_out) == (2, 1)
    assert found.units["idea_id"].tolist() == ["i0", "i1"]
    assert found.units["difference"].tolist() == [-2.5, 0]
    assert found.units["mean"].tolist() == [3.25, 5]
    assert found.limits.bias.value == pytest.approx(-1.25)


def test_repeats_spread() -> None:
    rows = [r for n in (1, 2, 3) for r in scores({"a": [2 * n, 5]}, repeat=n)]
    rows.append({"idea_id": "i9", "judge": "a", "state": "refused"})
    found = repeat_spread(study(scores=rows), "overall")
    assert found.left_out == 1
    first = found.units.iloc[0]
    assert (first["n"], first["mean"], first["sd"], first["range"]) == (3, 4, 2, 4)


def test_the_largest_disagreements_come_first_with_their_calls() -> None:
    made = study(scores=scores({"a": [2, 5, 5, 1], "b": [2, 9, 4, 5], "c": [2, 5, 5, 1]}))
    found = disagreements(made, limit=3)
    assert (found.n_compared, found.n) == (12, 6)
    assert len(found.rows) == 3
    # 4 apart: i1 and i3, each in (a, b) and (b, c); equal ones in order of ids, then judges.
    assert found.rows["idea_id"].tolist() == ["i1", "i1", "i3"]
    first = found.rows.iloc[0]
    assert (first["judge_a"], first["judge_b"], first["difference"]) == ("a", "b", -4)
    assert (first["calls_a"], first["calls_b"]) == (("a-1",), ("b-1",))
    only = disagreements(made, judges=("a", "c"))
    assert only.n == 0
    assert only.rows.empty


def test_disagreements_on_pairs_name_the_paper() -> None:
    rows = [
        {"idea_id": "i", "paper_id": paper, "judge": judge, "problem": grade, "method": grade,
         "specificity": grade}
        for judge, grades in (("a", (3, 3)), ("b", (3, 1)))
        for paper, grade in zip(("p", "q"), grades, strict=True)
    ]  # fmt: skip
    found = disagreements(study(verdicts=rows), "gate")
    assert found.rows[["idea_id", "paper_id"]].to_numpy().tolist() == [["i", "q"]]


def test_leaving_out_the_odd_judge_raises_agreement() -> None:
    marks = {"a": [1, 4, 6, 9, 3], "b": [2, 4, 6, 9, 3], "odd": [9, 6, 4, 1, 8]}
    found = {row.judge: row for row in leave_one_judge_out(study(scores=scores(marks)), "overall")}
    assert found["odd"].alpha > 0.9
    assert found["odd"].shift_alpha < 0 < found["a"].shift_alpha
    # odd against the means of the others (1.5, 4, 6, 9, 3): exactly the reverse order
    assert found["odd"].spearman.value == pytest.approx(-1)
    assert found["odd"].bias == pytest.approx((28 - 23.5) / 5)
    assert to_frame(tuple(found.values()))["judge"].tolist() == ["a", "b", "odd"]


def test_of_two_judges_none_can_be_left_out() -> None:
    rows = leave_one_judge_out(study(scores=scores({"a": [1, 4, 6], "b": [2, 4, 6]})), "overall")
    assert all(row.alpha is None and row.undefined["alpha"] for row in rows)


def test_length_that_sways_a_judge_shows() -> None:
    lengths = [3, 9, 4, 20, 15, 7, 30, 11, 25, 2]
    order = np.argsort(np.argsort(lengths)) + 1
    made = study(
        ideas=ideas(lengths, ["a", "b"] * 5),
        scores=scores({"long": order.tolist(), "flat": [5] * 10}),
    )
    flat, long = length_probe(made, settings=FAST)
    assert long.rho.value == pytest.approx(1)
    assert long.within_systems.value == pytest.approx(1)
    assert long.units["words"].tolist() == lengths
    assert flat.rho.value is None
    assert "same mark" in flat.rho.undefined


def test_within_systems_takes_off_what_the_system_explains() -> None:
    """The longer system is the better one; inside each, length and mark are at odds."""
    lengths = [1, 2, 3, 11, 12, 13]
    marks = [3, 2, 1, 9, 8, 7]
    made = study(
        ideas=ideas(lengths, ["short"] * 3 + ["long"] * 3), scores=scores({"j": list(marks)})
    )
    (found,) = length_probe(made, settings=FAST)
    assert found.rho.value == pytest.approx(spearmanr(lengths, marks).statistic)
    assert found.rho.value > 0
    assert found.within_systems.value == pytest.approx(-1)


def test_with_one_system_nothing_is_held_fixed() -> None:
    made = study(ideas=ideas([1, 2, 3, 4]), scores=scores({"j": [1, 2, 3, 4]}))
    (found,) = length_probe(made, settings=FAST)
    assert found.within_systems.value is None
    assert "one system" in found.within_systems.undefined


def test_ideas_without_text_are_left_out_of_the_length_probe() -> None:
    made = study(ideas=ideas([0, 2, 3, 4]), scores=scores({"j": [9, 2, 3, 4]}))
    (found,) = length_probe(made, settings=FAST)
    assert (found.n, found.left_out) == (3, 1)


def test_a_halo_is_one_impression_on_all_dimensions() -> None:
    rng = np.random.default_rng(0)
    rows = []
    for place in range(30):
        mark = int(rng.integers(1, 11))
        same = dict.fromkeys(("novelty", "feasibility", "impact", "overall"), mark)
        apart = {name: int(rng.integers(1, 11)) for name in same}
        rows += [{"idea_id": f"i{place}", "judge": "halo"} | same]
        rows += [{"idea_id": f"i{place}", "judge": "sober"} | apart]
    halo_judge, sober = halo(study(scores=rows), FAST)
    assert halo_judge.mean == pytest.approx(1)
    assert len(halo_judge.rows) == 6
    assert abs(sober.mean) < 0.5


def family_study() -> Study:
    """Judge gpt-x gives ideas of 'ours' (a gpt) 3 more than the others do."""
    systems = ["ours", "theirs"] * 4
    fair = [4, 5, 6, 5, 3, 6, 5, 4]
    own = [
        mark + (3 if system == "ours" else 0) for mark, system in zip(fair, systems, strict=True)
    ]
    marks = scores({"gpt-x": own, "claude-y": fair, "person": fair})
    return study(ideas=ideas([5] * 8, systems), scores=marks)


def test_a_judge_that_favours_its_family_shows() -> None:
    names = {"gpt-x": ("gpt",), "ours": ("gpt",), "claude-y": ("claude",), "theirs": ("llama",)}
    probes = family_probe(family_study(), settings=FAST, families=lambda n: names.get(n, ()))
    found = {probe.judge: probe for probe in probes}
    assert found["gpt-x"].systems == ("ours",)
    assert (found["gpt-x"].n_own, found["gpt-x"].n_other) == (4, 4)
    # Fair means: ours (4 + 6 + 3 + 5)/4 = 4.5, theirs (5 + 5 + 6 + 4)/4 = 5.
    assert found["gpt-x"].difference.value == pytest.approx(4.5 + 3 - 5)
    assert found["gpt-x"].excess.value == pytest.approx(3)
    assert "own family" in found["claude-y"].difference.undefined
    assert "not known" in found["person"].difference.undefined


def test_without_ideas_of_another_family_nothing_can_be_compared() -> None:
    probes = family_probe(family_study(), settings=FAST, families=lambda name: ("one",))
    for probe in probes:
        assert (probe.n_other, probe.mean_other) == (0, None)
        assert "another family" in probe.difference.undefined


def test_an_unknown_judge_is_refused() -> None:
    with pytest.raises(UsageError, match="Did you mean 'claude-y'"):
        paired_marks(family_study(), "gpt-x", "claude-z", "overall")


@pytest.mark.parametrize("on", ["overall", "rating", "gate"])
def test_an_empty_study_has_empty_views(on: str) -> None:
    empty = study()
    assert disagreements(empty, on).rows.empty
    assert repeat_spread(empty, on).units.empty
    assert leave_one_judge_out(empty, on) == ()
    assert length_probe(empty, on) == ()
    assert halo(empty) == ()
