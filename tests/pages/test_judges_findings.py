"""What the page on judges says first, and its tables and charts, from results."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from builders import case_tables, study

from core.agreement import (
    agreement,
    confusion,
    family_probe,
    halo,
    leave_one_judge_out,
    length_probe,
    paired_marks,
    repeat_spread,
)
from core.study import Study
from dashboard.charts.agreement import (
    agreement_rows,
    category_rows,
    confusion_chart,
    overall_rows,
    repeat_rows,
    states_rows,
    without_rows,
)
from dashboard.charts.biases import bias_rows, halo_rows, length_chart
from dashboard.charts.judges import bland_altman_chart, repeats_chart, scatter_chart
from dashboard.charts.theme import DARK, LIGHT
from dashboard.judging.findings import (
    judges_sentence,
    judges_title,
    left_out_sentence,
    one_order_sentence,
    pairs_on,
    strength,
)

Marks = dict[str, list[Any]]


def judged(marks: Marks, **more: Any) -> Study:
    """A study of ten ideas with these overall marks by judge; 'x' is a refusal, None no row.

    A mark may be a tuple of repeats.
    """
    ideas = [
        {
            "idea_id": f"i{n}",
            "system": "alpha" if n < 5 else "beta",
            "topic": f"t{n % 3}",
            "title": f"Idea {n}",
            "problem": "word " * (n + 1),
        }
        for n in range(10)
    ]
    rows = []
    for judge, values in marks.items():
        for n, value in enumerate(values):
            repeats = value if isinstance(value, tuple) else (value,)
            for repeat, mark in enumerate(repeats, start=1):
                if mark is None:
                    continue
                failed = mark == "x"
                rows.append(
                    {
                        "idea_id": f"i{n}",
                        "judge": judge,
                        "repeat": repeat,
                        "overall": None if failed else mark,
                        "state": "refused" if failed else "ok",
                    }
                )
    return study(ideas=ideas, scores=rows, config_values={"settings": {"draws": 100}}, **more)


def title_of(marks: Marks) -> str:
    return judges_title(agreement(judged(marks)), "overall")


TEN = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


@pytest.mark.parametrize(
    ("marks", "title"),
    [
        ({"a": TEN, "b": TEN}, "Two judges agree closely on overall marks"),
        ({"a": TEN, "b": TEN[::-1]}, "Two judges agree on overall marks less than chance"),
        (
            {"a": [5] * 5 + [6] * 5, "b": [5, 6] * 5},
            "Two judges agree on overall marks no more than chance",
        ),
        (
            {"a": TEN, "b": TEN, "c": TEN[::-1]},
            "Three judges agree on overall marks from less than chance to closely, by pair",
        ),
        ({"a": TEN, "b": TEN, "c": TEN}, "Three judges agree closely on overall marks"),
        ({"a": TEN}, "One judge alone: a has nobody to agree with on overall marks"),
        (
            {"a": TEN[:5], "b": [None] * 5 + TEN[5:]},
            "Two judges, but no two of them marked the same idea: overall marks cannot be compared",
        ),
        (
            {"a": [7] * 10, "b": [7] * 10},
            "Two judges say the same of 100 % of ideas in overall marks, but κ is not defined",
        ),
        ({"*x*": TEN}, r"One judge alone: \*x\* has nobody to agree with on overall marks"),
    ],
)
def test_the_title_is_the_finding(marks: Marks, title: str) -> None:
    assert title_of(marks) == title


def test_much_agreement_that_chance_alone_gives_is_told_as_such() -> None:
    # Eight of ten ideas get a 7 of both, a 6 of either goes with a 7 of the other: by chance
    # 0.9² + 0.1² = 82 % would be the same.
    assert title_of({"a": [7] * 8 + [6, 7], "b": [7] * 8 + [7, 6]}) == (
        "Two judges give the same mark to 80 % of ideas on overall marks, as often as by chance"
    )


def test_a_pair_with_few_ideas_in_common_does_not_shape_the_title() -> None:
    made = judged({"a": TEN, "b": TEN, "newcomer": [10, None, 1]})
    found = agreement(made)
    assert judges_title(found, "overall") == "Two judges agree closely on overall marks"
    text = judges_sentence(found, "overall", pairs_on(found, "overall")[0])
    assert "2 pairs of judges with fewer than 10 in common play no part in the title." in text
    # Where no pair shares ten, all count.
    small = {name: marks[:4] for name, marks in (("a", TEN), ("b", TEN), ("c", TEN))}
    assert title_of(small) == "Three judges agree closely on overall marks"


@pytest.mark.parametrize(
    ("kappa", "low", "high", "word"),
    [
        (-0.3, -0.5, -0.1, "less than chance"),
        (-0.1, -0.3, 0.1, "no more than chance"),
        (0.1, -0.1, 0.3, "no more than chance"),
        (0.5, -0.1, 1.0, "no more than chance"),
        (0.0, None, None, "no more than chance"),
        (0.1, 0.05, 0.15, "hardly more than chance"),
        (0.2, 0.1, 0.3, "a little more than chance"),
        (0.4, 0.3, 0.5, "moderately"),
        (0.6, 0.5, 0.7, "well"),
        (0.8, 0.7, 0.9, "closely"),
        (0.9, None, None, "closely"),
        (None, None, None, None),
    ],
)
def test_kappa_in_words_heeds_its_interval(
    kappa: float | None, low: float | None, high: float | None, word: str | None
) -> None:
    pair = pairs_on(agreement(judged({"a": TEN, "b": TEN})), "overall")[0]
    assert strength(replace(pair, kappa=kappa, kappa_low=low, kappa_high=high)) == word


def test_the_sentence_has_kappa_never_alone() -> None:
    made = judged({"a": [*TEN[:9], "x"], "b": [min(10, mark + 1) for mark in TEN]})
    found = agreement(made)
    pair = pairs_on(found, "overall")[0]
    text = judges_sentence(found, "overall", pair, paired_marks(made, "a", "b", "overall"))
    # None of the nine ideas has the same mark; b marks each exactly 1 higher.
    assert "give the same mark to **0 %**" in text
    assert "of 9 ideas; κ = **" in text
    assert "AC1 = " in text
    assert "b marks **1.00** higher on average (1.00 to 1.00)." in text
    assert "1 of 20 replies failed and count for nothing." in text
    assert left_out_sentence(pair) == (
        "1 idea left out: a 1 refused. The worst case counts the 1 on which a judge failed as"
        " disagreements, as far apart as the scale allows."
    )


def test_a_bias_that_may_be_none_is_not_told() -> None:
    made = judged({"a": TEN, "b": TEN[::-1]})
    pair = pairs_on(agreement(made), "overall")[0]
    marks = paired_marks(made, "a", "b", "overall")
    assert "higher" not in judges_sentence(agreement(made), "overall", pair, marks)
    assert left_out_sentence(pair).startswith("No idea is left out")


def test_an_undefined_kappa_comes_with_its_reason() -> None:
    found = agreement(judged({"a": [7] * 10, "b": [7] * 10}))
    pair = pairs_on(found, "overall")[0]
    text = judges_sentence(found, "overall", pair)
    assert "κ is not defined: " in text
    assert "None of the 20 replies failed." in text
    rows = agreement_rows([pair])
    assert rows["kappa"].tolist() == ["not defined", "not defined"]
    assert rows["undefined"].str.len().min() > 0


def test_one_judge_is_told_how_far_it_repeats_itself() -> None:
    found = agreement(judged({"a": [(mark, mark) for mark in TEN]}))
    text = judges_sentence(found, "overall", None)
    assert text.startswith(
        "a agrees with itself over 10 units marked 2 times with ICC(1) = **1.00**"
    )


def test_the_table_has_both_cases_and_names_pairs_only_where_there_are_several() -> None:
    made = judged({"a": TEN, "b": [*TEN[:8], "x", "x"]})
    rows = agreement_rows(pairs_on(agreement(made), "overall"))
    assert list(rows.columns) == [
        "failures",
        "n",
        "agreement",
        "kappa",
        "pabak",
        "ac1",
        "shares",
        "left_out",
    ]
    assert rows["n"].tolist() == [8, 10]
    # Eight of eight agree; in the worst case eight of ten.
    assert rows["agreement"].tolist() == ["100 % (100 to 100 %)", "80 %"]
    assert rows["left_out"].tolist() == [2, 0]
    three = agreement_rows(pairs_on(agreement(judged({"a": TEN, "b": TEN, "c": TEN})), "overall"))
    assert three["judges"].tolist() == ["a / b"] * 2 + ["a / c"] * 2 + ["b / c"] * 2


def test_states_are_counted_by_judge_and_table() -> None:
    rows = states_rows(agreement(judged({"a": TEN, "b": [*TEN[:8], "x", "x"]})), {"b": "model-x"})
    assert rows["ok"].tolist() == [10, 8]
    assert rows["refused"].tolist() == [0, 2]
    assert rows["failed_share"].tolist() == [0, 0.2]
    assert rows["model"].tolist()[1] == "model-x"
    assert "model" not in states_rows(agreement(judged({"a": TEN})), {})


def test_the_table_of_cells_counts_and_names_ideas() -> None:
    made = judged({"a": [5, 5, 5, 7], "b": [5, 5, 6, 7]})
    chart = confusion_chart(confusion(made, "a", "b", "overall"), LIGHT)
    cells = chart.figure.data[0]
    # Rows 5, 6, 7 of a; columns 5, 6, 7 of b.
    assert [list(row) for row in cells.z] == [[2, 1, 0], [0, 0, 0], [0, 0, 1]]
    assert list(cells.x) == ["5", "6", "7"]
    assert cells.customdata[0][0] == "a: 5<br>b: 5<br><b>2 ideas</b> of 4<br>i0<br>i1"
    assert "75 % on the diagonal" in chart.alt
    assert set(chart.data["idea_id"]) == {"i0", "i1", "i2", "i3"}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_points_carry_ids_exact_marks_and_systems(theme: Any) -> None:
    made = judged({"a": [5, 6, 7, 8, 9, 4], "b": [5, 5, 7, 9, 9, 6]})
    systems = dict(zip(made.ideas["idea_id"], made.ideas["system"], strict=True))
    marks = paired_marks(made, "a", "b", "overall")
    for draw in (scatter_chart, bland_altman_chart):
        chart = draw(marks, theme, systems, {"i5": "A <b> title"})
        assert [trace.name for trace in chart.figure.data] == ["alpha", "beta"]
        point = chart.figure.data[1].customdata[0]
        assert list(point) == ["i5", "A &lt;b&gt; title", "4.00", "6.00", "i5"]
        assert "n = 6" in chart.caption
        assert chart.alt
        assert json.loads(chart.figure.to_json())
    # Differences 0, 1, 0, −1, 0, −2: their mean is −1/3.
    assert "bias −0.33" in bland_altman_chart(marks, theme, systems, {}).alt


def test_an_idea_outside_the_table_is_drawn_as_unknown() -> None:
    made = judged({"a": [5, 6, 7], "b": [5, 5, 7]})
    marks = paired_marks(made, "a", "b", "overall")
    chart = scatter_chart(marks, LIGHT, {"i0": "alpha"}, {})
    assert [trace.name for trace in chart.figure.data] == ["alpha", "not among the ideas"]


def test_one_common_idea_has_no_limits_but_a_reason() -> None:
    made = judged({"a": [5], "b": [6]})
    marks = paired_marks(made, "a", "b", "overall")
    assert "not defined" in bland_altman_chart(marks, LIGHT, {}, {}).alt
    assert "not defined" in scatter_chart(marks, LIGHT, {}, {}).alt


def test_repeats_are_shared_out_by_how_far_apart_they_lie() -> None:
    made = judged({"a": [(5, 5), (5, 6), (5, 9), (5, "x")], "b": [(5, 5), (6, 6), 7, None]})
    chart = repeats_chart(repeat_spread(made, "overall"), LIGHT)
    rows = {(row.judge, row.apart): (row.n, row.of) for row in chart.data.itertuples()}
    assert rows[("a", "the same each time")] == (1, 3)
    assert rows[("a", "up to 1 apart")] == (1, 3)
    assert rows[("a", "more than 3 apart")] == (1, 3)
    assert rows[("b", "the same each time")] == (2, 2)
    # i3 of a, i2 of b.
    assert "Left out: 2 ideas" in chart.caption
    assert "i0" in chart.figure.data[0].customdata[0]
    table = repeat_rows(agreement(made).repeats)
    assert table["n"].tolist() == [3, 2]


def test_length_halo_and_family_stand_in_one_row_a_judge() -> None:
    made = judged({"a": TEN, "b": TEN[::-1]})
    lengths = length_probe(made)
    rows = bias_rows(lengths, halo(made), family_probe(made))
    assert rows["length"].str.startswith(("1.00", "−1.00")).all()
    assert rows["difference"].tolist() == ["not defined"] * 2
    assert "the judge's model family is not known" in rows["undefined"][0]
    chart = length_chart(lengths[0], DARK, ["alpha", "beta", "zeta"], {"i0": "First"})
    assert [trace.name for trace in chart.figure.data] == ["alpha", "beta"]
    assert list(chart.figure.data[0].customdata[0]) == ["i0", "First", "1.00", "i0"]
    assert "n = 10" in chart.caption
    table = halo_rows(halo(study(**case_tables())))
    assert table["dimensions"].tolist()[0] == "novelty and feasibility"
    assert set(table["ann (n = 7)"].str[:4]) == {"1.00"}


def test_the_set_as_a_whole_and_without_each() -> None:
    found = agreement(judged({"a": TEN, "b": TEN, "c": TEN[::-1]}))
    rows = overall_rows(found.overall).set_index("coefficient")
    assert rows.loc["Raw agreement", "n"] == 10
    assert rows.loc["Kendall's W", "value"] != "not defined"
    made = judged({"a": TEN, "b": TEN, "c": TEN[::-1]})
    without = without_rows(leave_one_judge_out(made)).set_index("judge")
    assert without.loc["c", "alpha_without"] == "1.00"
    assert without.loc["c", "rho_others"].startswith("−1.00")


def verdicts() -> Study:
    """Two judges, eight idea–paper pairs: both pass 1, a alone 1, b alone 2, neither 4."""
    grades = {True: (3, 3, 3), False: (0, 0, 0)}
    rows = []
    for n, (a, b) in enumerate([(1, 1), (1, 0), (0, 1), (0, 1), *[(0, 0)] * 4]):
        for judge, passed in (("a", a), ("b", b)):
            problem, method, specificity = grades[bool(passed)]
            row = {"idea_id": f"i{n}", "paper_id": f"p{n}", "judge": judge}
            rows.append(row | {"problem": problem, "method": method, "specificity": specificity})
    return study(verdicts=rows, config_values={"settings": {"draws": 100}})


def test_comparisons_in_one_order_are_told() -> None:
    row = {"idea_id": "i1", "repeat": 1, "rating": 1.0, "contribution": 1.0, "soundness": 1.0}
    rows = [
        row | {"reference_id": f"r{n}", "judge": judge, "order": order}
        for n in range(4)
        for judge in ("a", "b")
        for order in ("idea_first", "reference_first")
        if not (n == 0 and judge == "b" and order == "idea_first")
    ]
    found = agreement(study(comparisons=rows, config_values={"settings": {"draws": 100}}))
    assert one_order_sentence(found, "rating").startswith(" 1 comparison of a judge rests on one")
    assert one_order_sentence(agreement(judged({"a": TEN})), "overall") == ""
    assert "Two judges" in judges_title(found, "rating")


def test_categories_of_the_gate_have_names_and_agreement_on_each() -> None:
    pair = pairs_on(agreement(verdicts()), "gate")[0]
    rows = category_rows(pair)
    assert rows["category"].tolist() == ["fails", "passes"]
    assert rows["share_a"].tolist() == ["75 %", "25 %"]
    assert rows["share_b"].tolist() == ["62 %", "38 %"]
    # On passing: 2·1 / (2 + 3) = 40 %; on failing: 2·4 / (6 + 5) = 73 %.
    assert [text.split(" (")[0] for text in rows["specific"]] == ["73 %", "40 %"]
    chart = confusion_chart(confusion(verdicts(), "a", "b", "gate"), DARK)
    assert list(chart.figure.data[0].x) == ["fails", "passes"]
    assert "i0 × p0" in chart.figure.data[0].customdata[1][1]
    assert agreement_rows([pair])["shares"][0] == "25 % / 38 %"
