"""The registry of quantities points at code that exists and at settings that exist."""

from __future__ import annotations

import pytest

from core.config import Settings
from core.hindsight.quantities import (
    QUANTITIES,
    Quantity,
    markdown,
    quantity_table,
    setting_texts,
)


@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda quantity: quantity.name)
def test_every_quantity_says_what_it_is(quantity: Quantity) -> None:
    assert len(quantity.text) > 40
    assert quantity.formula.count("{") == quantity.formula.count("}")
    assert quantity.source
    assert quantity.range


def test_settings_of_quantities_exist_and_none_of_hindsight_is_forgotten() -> None:
    named = {name for quantity in QUANTITIES for name in quantity.settings}
    assert named <= set(Settings.model_fields)
    own = set(list(Settings.model_fields)[: list(Settings.model_fields).index("depth") + 1])
    assert own - named == set()


def test_a_setting_tells_its_default_and_bounds() -> None:
    (theta, rule, rate) = setting_texts(["theta", "quadrant_rule", "false_match_rate"])
    assert theta.default == Settings().theta
    assert theta.allowed == "from -1 to 1"
    assert rule.allowed.startswith("pooled_median, system_median")
    assert rate.allowed == "above 0 below 1"
    assert len(setting_texts()) == len(Settings.model_fields)


def test_docstrings_become_markdown() -> None:
    assert markdown(":func:`~core.x` and ``y``") == "`core.x` and `y`"


def test_the_table_has_a_line_for_each_quantity() -> None:
    lines = quantity_table().splitlines()
    assert len(lines) == 2 + len(QUANTITIES)
    assert all(line.replace(r"\|", "").count("|") == 6 for line in lines)
