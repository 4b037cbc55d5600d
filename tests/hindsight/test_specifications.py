"""The specification curve against single scores, and its shares by hand."""

from __future__ import annotations

import numpy as np
import pytest
from random_studies import random_study

from core.config import Settings
from core.errors import UsageError
from core.hindsight.specifications import default_grid

NOW = Settings(theta=0.6, draws=200)
MADE = random_study(11, ideas=24, papers=50)


def test_every_row_is_the_score_under_its_choices() -> None:
    grid = {
        "theta": [0.4, 0.6, 0.8],
        "k": [3, 20],
        "normalizer": ["minmax", "rate"],
        "aggregate": ["max", "mean"],
        "citation_weight": [0.6, 1.0],
    }
    curve = MADE.specifications(NOW, **grid)
    assert len(curve.rows) == 48
    assert curve.rows["difference"].is_monotonic_increasing
    for row in curve.rows.iloc[::5].to_dict("records"):
        names = ("theta", "k", "normalizer", "aggregate", "citation_weight", "venue_weight")
        found = MADE.score(NOW.model_copy(update={name: row[name] for name in names}))
        pair = found.comparisons[0]
        assert (pair.a, pair.b) == (curve.a, curve.b) == ("BL", "RA")
        assert row["difference"] == pytest.approx(pair.difference)
        assert row["low"] == pytest.approx(pair.difference_low)
        assert row["high"] == pytest.approx(pair.difference_high)
        assert row["p"] == pytest.approx(pair.p)
        assert row["rank_biserial"] == pytest.approx(pair.rank_biserial)
        for one in found.correlations:
            if one.judge == "all":
                rho = row[f"rho_{one.dimension}__{one.system}"]
                assert (np.isnan(rho) and one.rho is None) or rho == pytest.approx(one.rho)
    assert set(zip(curve.rows["citation_weight"], curve.rows["venue_weight"], strict=True)) == {
        (0.6, 0.4),
        (1.0, 0.0),
    }
    assert curve.rows["own"].sum() == 1
    own = curve.rows[curve.rows["own"]].iloc[0]
    assert (own["theta"], own["venue_weight"]) == (0.6, 0.4)


def test_shares_and_explained_are_those_of_the_rows() -> None:
    curve = MADE.specifications(NOW, theta=[0.4, 0.6, 0.8], aggregate=["max", "mean"])
    rows, shares = curve.rows, curve.shares.set_index("conclusion")
    assert shares.loc["RA scores higher than BL", "share"] == (rows["difference"] < 0).mean()
    assert shares.loc["RA scores higher than BL", "n"] == 6
    mean = rows["difference"].mean()
    total = ((rows["difference"] - mean) ** 2).sum()
    explained = curve.explained.set_index("choice")["share"]
    for name, size in (("theta", 2), ("aggregate", 3)):
        levels = rows.groupby(name)["difference"].mean()
        assert explained[name] == pytest.approx(size * ((levels - mean) ** 2).sum() / total)
    assert explained.sum() == pytest.approx(1)
    assert list(explained.index) == ["theta", "aggregate", "interactions"]


def test_the_default_grid_is_some_thousands_and_has_the_studys_own() -> None:
    grid = default_grid(MADE, NOW)
    size = np.prod([len(values) for values in grid.values()])
    assert 1000 <= size <= 10_000
    assert all(getattr(NOW, name) in values for name, values in grid.items())


def test_nothing_varies_nothing_is_explained() -> None:
    curve = MADE.specifications(NOW, theta=[0.97, 0.98])
    assert curve.explained["share"].isna().all()
    assert curve.rows["ratio"].isna().all()
    assert (curve.rows["p"] == 1).all()


def test_one_system_has_no_curve() -> None:
    curve = random_study(1, systems=1).specifications(NOW)
    assert curve.rows.empty
    assert "one system" in (curve.undefined or "")


def test_three_systems_need_a_pair() -> None:
    made = random_study(2, systems=3)
    assert made.specifications(NOW, theta=[0.5]).a == "BL"
    curve = made.specifications(NOW, a="RA", b="CC", theta=[0.5])
    found = made.score(NOW.model_copy(update={"theta": 0.5})).comparisons
    pair = next(row for row in found if (row.a, row.b, row.metric) == ("CC", "RA", "hindsight"))
    assert curve.rows["difference"].iloc[0] == pytest.approx(-(pair.difference or 0))


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"thetas": [0.5]}, "No choice 'thetas' to vary. Did you mean 'theta'?"),
        ({"normalizer": ["zscore"]}, "normalizer"),
        ({"k": []}, "at least one value"),
        ({"a": "XX"}, "No system 'XX'"),
        ({"a": "RA", "b": "RA"}, "two systems"),
    ],
)
def test_what_cannot_be_varied_is_refused(choices: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        MADE.specifications(NOW, **choices)
