"""Results that others printed, from the values they printed, typed in here."""

from __future__ import annotations

import numpy as np
import pytest

from core.stats.agreement import (
    LEVELS,
    bland_altman,
    cohen_kappa,
    draw_units,
    fleiss_kappa,
    gwet_ac,
    kendall_w,
    krippendorff_alpha,
    one_way,
    pabak,
    raw_agreement,
    specific_agreement,
    two_way,
    unit_counts,
)
from core.stats.agreement.tables import gwet

NAN = np.nan
# Krippendorff (2011), example D: 4 observers (rows), 12 units, missing values. Gwet (2014)
# works with the same table.
FOUR_OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
# Shrout & Fleiss (1979), table 2: 6 targets, 4 judges.
SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)
# Fleiss (1971), table 1: 30 patients, 6 psychiatrists, 5 diagnoses (depression, personality
# disorder, schizophrenia, neurosis, other).
FLEISS = np.array(
    [
        [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0],
        [2, 0, 4, 0, 0], [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6],
        [1, 0, 0, 5, 0], [1, 1, 0, 4, 0], [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1],
        [0, 0, 5, 0, 1], [3, 0, 0, 1, 2], [5, 1, 0, 0, 0], [0, 2, 0, 4, 0], [1, 0, 2, 0, 3],
        [0, 0, 0, 0, 6], [0, 1, 0, 5, 0], [0, 2, 0, 1, 3], [2, 0, 0, 4, 0], [1, 0, 0, 4, 1],
        [0, 5, 0, 1, 0], [4, 0, 0, 0, 2], [0, 2, 0, 4, 0], [1, 0, 5, 0, 0], [0, 0, 0, 0, 6],
    ],
    float,
)  # fmt: skip


def codes(marks: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(marks), 0, marks).astype(int) - 1


def two(first: str, second: str, letters: str) -> np.ndarray:
    pairs = [[letters.index(a), letters.index(b)] for a, b in zip(first, second, strict=True)]
    return unit_counts(np.array(pairs), len(letters))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        # Cohen (1960): p_o = .29, p_e = .5·.4 + .3·.3 + .2·.3 = .35; (.29 − .35)/.65.
        ([[50, 26, 24], [24, 4, 32], [6, 30, 4]], -0.09),
        # Cohen (1960): p_o = 140/200, p_e = .5·.6 + .3·.3 + .2·.1 = .41; .29/.59.
        ([[88, 10, 2], [14, 40, 6], [18, 10, 12]], 0.492),
    ],
)
def test_cohen_1960(table: list[list[int]], expected: float) -> None:
    assert cohen_kappa(np.array(table, float)).value == pytest.approx(expected, abs=5e-3)


def test_fleiss_1971() -> None:
    assert fleiss_kappa(FLEISS).value == pytest.approx(0.430, abs=5e-4)


@pytest.mark.parametrize(
    ("level", "expected"), [("nominal", 0.7434211), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_krippendorff_2011_four_observers(level: str, expected: float) -> None:
    counts = unit_counts(codes(FOUR_OBSERVERS), 5)
    found = krippendorff_alpha(counts, level=level, values=np.arange(1.0, 6))
    assert found.value == pytest.approx(expected, abs=5e-8 if level == "nominal" else 5e-4)
    assert found.n == 11  # unit 12 has one value and cannot be paired


def test_krippendorff_2011_two_observers() -> None:
    binary = two("0100000010", "1110010000", "01")
    assert krippendorff_alpha(binary, level="nominal").value == pytest.approx(0.095, abs=5e-4)
    nominal = two("aabbdcccedda", "babbbccceddd", "abcde")
    assert krippendorff_alpha(nominal, level="nominal").value == pytest.approx(0.692, abs=5e-4)
    # Of two categories the level makes no difference.
    values = {krippendorff_alpha(binary, level=level).value for level in LEVELS}
    assert max(values) - min(values) < 1e-12


def test_gwet_2014_four_raters() -> None:
    counts = unit_counts(codes(FOUR_OBSERVERS), 5)
    ac1 = gwet_ac(counts)
    assert ac1.value == pytest.approx(0.77544, abs=5e-6)
    # Standard error 0.14295, Student's t with 11 degrees of freedom, cut at 1: (0.461, 1).
    assert ac1.low == pytest.approx(0.461, abs=5e-4)
    assert ac1.high == 1.0
    assert fleiss_kappa(counts).value == pytest.approx(0.76117, abs=5e-6)


def test_gwet_2014_two_abstractors() -> None:
    """100 emergency visits, ectopic / abnormal intrauterine / normal intrauterine pregnancy."""
    table = np.array([[13, 0, 0], [0, 20, 7], [0, 4, 56]], float)
    rows = [(i, j) for i in range(3) for j in range(3) for _ in range(int(table[i, j]))]
    ac1 = gwet_ac(unit_counts(np.array(rows), 3))
    assert ac1.value == pytest.approx(0.8493305, abs=5e-8)
    assert (ac1.low, ac1.high) == (
        pytest.approx(0.764, abs=1e-3),
        pytest.approx(0.935, abs=1e-3),
    )
    assert float(gwet(table)) == pytest.approx(ac1.value, abs=1e-12)
    assert cohen_kappa(table).value == pytest.approx(0.7964094, abs=5e-8)
    assert float(pabak(table)) == pytest.approx(0.835, abs=1e-12)
    assert float(raw_agreement(table)) == pytest.approx(0.89, abs=1e-12)


def test_gwet_2008_paradox() -> None:
    """118 both positive, 5 and 2 split, none both negative: κ says chance, AC1 does not.

    π₊ = (123 + 120)/250 = .972, p_e = 2·.972·.028 = .054432, AC1 = (.944 − p_e)/(1 − p_e).
    """
    table = np.array([[118, 5], [2, 0]], float)
    assert float(gwet(table)) == pytest.approx((0.944 - 0.054432) / (1 - 0.054432), abs=1e-12)
    assert cohen_kappa(table).value == pytest.approx(-0.0234, abs=5e-5)
    # 2·118/(123 + 120) and 0/(5 + 2)
    assert specific_agreement(table) == pytest.approx([236 / 243, 0.0])


@pytest.mark.parametrize(
    ("agreement", "kappa", "ac1", "positives"),
    [(0.950, 0.538, 0.94, 0.06), (0.894, 0.588, 0.86, 0.15)],
)
def test_ideaforecastbench_agreement_and_kappa_imply_ac1(
    agreement: float, kappa: float, ac1: float, positives: float
) -> None:
    """With equal margins, κ = (p_o − 1 + 2pq)/2pq, so 2pq = (1 − p_o)/(1 − κ)."""
    chance = (1 - agreement) / (1 - kappa)
    share = (1 - np.sqrt(1 - 2 * chance)) / 2
    off = round(10_000 * (1 - agreement) / 2)
    both = round(10_000 * share) - off
    table = np.array([[10_000 - both - 2 * off, off], [off, both]], float)
    assert cohen_kappa(table).value == pytest.approx(kappa, abs=1e-3)
    assert float(gwet(table)) == pytest.approx(ac1, abs=5e-3)
    assert table[1].sum() / 10_000 == pytest.approx(positives, abs=5e-3)


def test_shrout_fleiss_1979() -> None:
    single, double = one_way(SHROUT_FLEISS), two_way(SHROUT_FLEISS)
    assert (single.between, single.within) == (
        pytest.approx(11.24, abs=5e-3),
        pytest.approx(6.26, abs=5e-3),
    )
    assert (double.columns, double.error) == (
        pytest.approx(32.49, abs=5e-3),
        pytest.approx(1.02, abs=5e-3),
    )
    assert single.icc1.value == pytest.approx(0.17, abs=5e-3)
    assert double.icc2_1.value == pytest.approx(0.29, abs=5e-3)
    assert double.icc2_k.value == pytest.approx(0.62, abs=5e-3)
    # The intervals that the example is printed with elsewhere (R's psych, McGraw & Wong).
    assert single.icc1.low == pytest.approx(-0.133, abs=5e-4)
    assert single.icc1.high == pytest.approx(0.723, abs=5e-4)
    assert double.icc2_1.low == pytest.approx(0.019, abs=5e-4)
    assert double.icc2_1.high == pytest.approx(0.761, abs=5e-4)


def test_kendall_w_without_ties() -> None:
    """Siegel (1956), three executives and six applicants: R = 8, 14, 11, 11, 11, 8, S = 25.5.

    W = 12·25.5/(9·(216 − 6)) = 306/1890.
    """
    ranks = np.array([[1, 6, 3, 2, 5, 4], [1, 5, 6, 4, 2, 3], [6, 3, 2, 5, 4, 1]], float).T
    assert kendall_w(ranks).w.value == pytest.approx(306 / 1890, abs=1e-12)
    assert round(306 / 1890, 2) == 0.16


def test_kendall_w_with_ties() -> None:
    """Siegel (1956), three rankings of ten with ties: S = 591, ΣT = 1 + 1.5 + 7 = 9.5.

    W = 591/(9·990/12 − 3·9.5) = 591/714 = .828.
    """
    ranks = np.array(
        [
            [1, 4.5, 2, 4.5, 3, 7.5, 6, 9, 7.5, 10],
            [2.5, 1, 2.5, 4.5, 4.5, 8, 9, 6.5, 10, 6.5],
            [2, 1, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10],
        ]
    ).T
    found = kendall_w(ranks)
    assert found.w.value == pytest.approx(591 / 714, abs=1e-12)
    assert found.chi_square == pytest.approx(3 * 9 * 591 / 714, abs=1e-9)


def test_bland_altman_1986() -> None:
    """Peak flow of 17 people by two meters: bias −2.1, sd 38.8, limits −78.1 and 73.9 l/min.

    They print limits at 2 sd (−79.7 and 75.5); here 1.96 sd.
    """
    wright = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
    mini = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]
    found = bland_altman(np.array(wright, float), np.array(mini, float))
    assert found.n == 17
    assert found.bias.value == pytest.approx(-2.1, abs=0.05)
    assert found.sd == pytest.approx(38.8, abs=0.05)
    assert found.bias.value - 2 * found.sd == pytest.approx(-79.7, abs=0.1)
    assert found.bias.value + 2 * found.sd == pytest.approx(75.5, abs=0.1)
    assert found.lower.value == pytest.approx(found.bias.value - 1.959964 * found.sd, abs=1e-4)
    # They print the bias's 95 % interval as −22.0 to 17.8 l/min.
    assert found.bias.low == pytest.approx(-22.0, abs=0.1)
    assert found.bias.high == pytest.approx(17.8, abs=0.1)


def test_bootstrap_intervals_hold_the_value() -> None:
    counts = unit_counts(codes(FOUR_OBSERVERS), 5)
    draws = draw_units([str(unit) for unit in range(12)], draws=500, seed=1)
    for found in (krippendorff_alpha(counts, draws=draws), fleiss_kappa(counts, draws=draws)):
        assert found.low < found.value <= found.high
        assert found.interval.startswith("bootstrap")
