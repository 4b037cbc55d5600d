"""What must hold of every coefficient, whatever the marks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.stats.agreement import (
    LEVELS,
    WEIGHTS,
    bland_altman,
    category_agreement,
    fleiss_kappa,
    gwet_ac,
    kendall_w,
    krippendorff_alpha,
    one_way,
    spearman,
    two_way,
    unit_counts,
)

SIZE = 4
FEW = settings(max_examples=40, deadline=None)


def codes(judges: int) -> st.SearchStrategy[np.ndarray]:
    """(n, judges) category numbers, −1 where missing."""
    shape = st.tuples(st.integers(2, 25), st.just(judges))
    return shape.flatmap(lambda s: arrays(np.int64, s, elements=st.integers(-1, SIZE - 1)))


def pair_values(marks: np.ndarray) -> dict[str, float | None]:
    found = category_agreement(marks[:, 0], marks[:, 1], SIZE)
    values = {f"kappa_{kind}": found.kappas[kind].value for kind in WEIGHTS}
    values |= {f"ac_{kind}": found.ac[kind].value for kind in WEIGHTS}
    return values | {"agreement": found.agreement.value, "pabak": found.pabak.value}


def set_values(marks: np.ndarray) -> dict[str, float | None]:
    counts = unit_counts(marks, SIZE)
    numbers = np.where(marks < 0, np.nan, marks).astype(float)
    values = {level: krippendorff_alpha(counts, level=level).value for level in LEVELS}
    values |= {kind: gwet_ac(counts, kind).value for kind in WEIGHTS}
    values["fleiss"] = fleiss_kappa(counts).value
    spread = two_way(numbers)
    values |= {"icc1": one_way(numbers).icc1.value, "w": kendall_w(numbers).w.value}
    return values | {"icc2_1": spread.icc2_1.value, "icc2_k": spread.icc2_k.value}


def same(one: dict[str, float | None], two: dict[str, float | None], *names: str) -> None:
    for name in names or one:
        if one[name] is None or two[name] is None:
            assert one[name] is two[name], name
        else:
            assert one[name] == pytest.approx(two[name], abs=1e-9), name


@FEW
@given(codes(2))
def test_a_pair_is_symmetric(marks: np.ndarray) -> None:
    same(pair_values(marks), pair_values(marks[:, ::-1]))


@FEW
@given(codes(3), st.permutations(range(3)))
def test_the_order_of_judges_and_units_plays_no_part(marks: np.ndarray, order: list[int]) -> None:
    same(set_values(marks), set_values(marks[::-1, order]))


@FEW
@given(codes(3), st.permutations(range(SIZE)))
def test_renaming_categories_leaves_nominal_figures(marks: np.ndarray, names: list[int]) -> None:
    renamed = np.where(marks < 0, -1, np.array(names)[marks])
    same(set_values(marks), set_values(renamed), "nominal", "plain", "fleiss")
    same(pair_values(marks), pair_values(renamed), "agreement", "kappa_plain", "ac_plain", "pabak")


@FEW
@given(codes(3))
def test_turning_the_scale_round_leaves_ordered_figures(marks: np.ndarray) -> None:
    turned = np.where(marks < 0, -1, SIZE - 1 - marks)
    same(set_values(marks), set_values(turned))
    same(pair_values(marks), pair_values(turned))


@FEW
@given(codes(3))
def test_figures_keep_their_bounds(marks: np.ndarray) -> None:
    for name, value in {**set_values(marks), **pair_values(marks)}.items():
        assert value is None or value <= 1 + 1e-9, name
    pair = pair_values(marks)
    for name in ("kappa_plain", "kappa_linear", "kappa_quadratic"):
        assert pair[name] is None or pair[name] >= -1 - 1e-9
    assert pair["agreement"] is None or 0 <= pair["agreement"] <= 1
    assert pair["pabak"] is None or pair["pabak"] >= -1 / (SIZE - 1) - 1e-9
    w = set_values(marks)["w"]
    assert w is None or w >= -1e-9


@FEW
@given(arrays(np.int64, st.integers(2, 20), elements=st.integers(0, SIZE - 1)))
def test_perfect_agreement_is_1(once: np.ndarray) -> None:
    assume(len(set(once)) > 1)
    marks = np.stack([once] * 3, axis=1)
    for name, value in {**set_values(marks), **pair_values(marks)}.items():
        assert value == pytest.approx(1), name


@FEW
@given(codes(2), st.integers(2, 4))
def test_writing_the_units_twice_leaves_the_values(marks: np.ndarray, times: int) -> None:
    """α and ICC know their sample's size; the others do not."""
    again = np.repeat(marks, times, axis=0)
    same(pair_values(marks), pair_values(again))
    same(set_values(marks), set_values(again), "plain", "linear", "quadratic", "fleiss")


@FEW
@given(codes(2))
def test_a_judge_who_never_varies_has_no_kappa(marks: np.ndarray) -> None:
    marks = marks.copy()
    marks[:, 1] = 2
    found = category_agreement(marks[:, 0], marks[:, 1], SIZE, names=("'a'", "'b'"))
    for kind in WEIGHTS:
        kappa = found.kappas[kind]
        assert kappa.value is kappa.low is kappa.high is None
        assert kappa.undefined
        assert found.n == 0 or "'b'" in kappa.undefined
    assert found.n == 0 or found.ac["plain"].value is not None


@FEW
@given(
    arrays(np.float64, (12, 2), elements=st.integers(1, 10).map(float)),
    st.floats(-3, 3, allow_nan=False),
)
def test_a_shift_is_bias_and_leaves_order(marks: np.ndarray, shift: float) -> None:
    a, b = marks.T
    before, after = bland_altman(a, b), bland_altman(a + shift, b)
    assert after.bias.value == pytest.approx(before.bias.value + shift, abs=1e-9)
    assert after.sd == pytest.approx(before.sd, abs=1e-9)
    assert bland_altman(b, a).bias.value == pytest.approx(-before.bias.value, abs=1e-9)
    rho, moved = spearman(a, b).rho.value, spearman(a * 2, b).rho.value
    assert (rho is None and moved is None) or moved == pytest.approx(rho, abs=1e-9)
