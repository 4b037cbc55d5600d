"""The paper's tables and the study's own as tables of texts, for page and report. No streamlit."""

from __future__ import annotations

from typing import Any

import pandas as pd

from core.published import SYSTEM_NAMES, Beside
from dashboard.prose import fixed, p_value, percent

TABLES = {
    "Table 1": "Scores of the two systems",
    "Table 2": "Spearman's ρ of HindSight with the judges' marks",
    "Table 3": "Ideas in each quadrant",
}


def beside_table(found: Beside, name: str) -> pd.DataFrame:
    """One published table beside the study's: columns for either system of either."""
    rows = []
    for row in found.rows[found.rows["table"] == name].to_dict("records"):
        line = {"": row["label"]}
        for side, title in _columns(found):
            line[title] = _value(row["quantity"], row[side]) if row[side] is not None else "–"
            if name == "Table 2":
                line[title] += _p(row["paper_p" if side == "paper_better" else f"{_p_name(side)}"])
        if name == "Table 1":
            line["paper's p"] = row["paper_p"] or "–"
            line["own p"] = "–" if row["own_p"] is None else _short_p(row["own_p"])
        rows.append(line)
    return pd.DataFrame(rows)


def beside_sentence(found: Beside) -> str:
    """Which systems stand where, and that the studies differ."""
    if found.better is None:
        return "This study has no scored idea yet, so only the paper's numbers stand here."
    text = (
        f"By position alone: the paper's {SYSTEM_NAMES['better']} beside"
        f" {found.better}, which has the highest mean score here"
    )
    if found.other is not None:
        text += f"; its {SYSTEM_NAMES['other']} beside {found.other}, which has the lowest"
    return text + "."


def _columns(found: Beside) -> list[tuple[str, str]]:
    own = [("own_better", found.better)] + ([("own_other", found.other)] if found.other else [])
    return [
        ("paper_better", "paper: ResearchAgent"),
        ("paper_other", "paper: baseline"),
        *((side, f"here: {name}") for side, name in own if name is not None),
    ]


def _p_name(side: str) -> str:
    return {
        "paper_other": "paper_p_other",
        "own_better": "own_p",
        "own_other": "own_p_other",
    }[side]


def _p(p: Any) -> str:
    if p is None:
        return ""
    return (
        f" (p {p if p.startswith('<') else f'= {p}'})" if isinstance(p, str) else f" ({p_value(p)})"
    )


def _short_p(p: float) -> str:
    return p_value(p).removeprefix("p ").removeprefix("= ")


def _value(quantity: str, value: Any) -> str:
    if quantity == "match_rate":
        return percent(value)
    if isinstance(value, int):
        return f"{value:,}"
    decimals = 1 if quantity == "mean_matches" else 2 if quantity.startswith("judge_") else 3
    return fixed(float(value), decimals)
