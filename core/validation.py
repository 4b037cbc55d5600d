"""What a whole column must hold, checked by pandera and told as problems.

Apart from the schema because pandera is only wanted where tables come in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from core.errors import Problem

if TYPE_CHECKING:
    from core.schema import Column, Table


def schema_problems(columns: Sequence[Column], frame: pd.DataFrame, file: str) -> list[Problem]:
    """Every cell that is out of its bounds, empty where it must not be, or has outer space."""
    import pandera.pandas as pa
    from pandera.errors import SchemaErrors

    schema = pa.DataFrameSchema({column.name: _pandera_column(pa, column) for column in columns})
    problems: list[Problem] = []
    try:
        schema.validate(frame, lazy=True)
    except SchemaErrors as errors:
        by_name = {column.name: column for column in columns}
        for case in errors.failure_cases.to_dict("records"):
            column = by_name[str(case["column"])]
            problems.append(
                Problem(
                    file=file,
                    row=None if pd.isna(case["index"]) else int(case["index"]) + 1,
                    column=column.name,
                    value=None if pd.isna(case["failure_case"]) else str(case["failure_case"]),
                    message=_allowed(column, str(case["check"])),
                )
            )
    return problems


def _pandera_column(pa: Any, column: Column) -> Any:
    checks = []
    if column.allowed:
        checks.append(pa.Check.isin(column.allowed))
    if column.low is not None:
        checks.append(pa.Check.ge(column.low))
    if column.high is not None:
        checks.append(pa.Check.le(column.high))
    if column.kind == "text" and column.required and column.name != "title":
        checks.append(pa.Check(lambda values: values == values.str.strip(), name="stripped"))
    if column.reserved is not None:
        checks.append(pa.Check(lambda values: values != column.reserved, name="reserved"))
    return pa.Column(nullable=not column.required, checks=checks)


def _allowed(column: Column, check: str) -> str:
    if check == "not_nullable":
        return "must not be empty"
    if check == "stripped":
        return "must not begin or end with a space"
    if check == "reserved":
        return f"means all {column.name}s together in the settings: give this one another name"
    if column.allowed:
        return f"must be one of {', '.join(map(str, column.allowed))}"
    if column.high is None:
        return f"must be at least {column.low:g}"
    return f"must be from {column.low:g} to {column.high:g}"


def repeated_keys(table: Table, frame: pd.DataFrame, file: str) -> list[Problem]:
    """Every row whose key stands in an earlier row."""
    key = list(table.key)
    repeated = frame.duplicated(key) & frame[key].notna().all(axis=1)
    problems = []
    first = frame.drop_duplicates(key).reset_index().set_index(key)["index"]
    for row in frame.index[repeated]:
        values = tuple(frame.loc[row, key])
        earlier = int(first.loc[values if len(key) > 1 else values[0]]) + 1
        problems.append(
            Problem(
                file=file,
                row=int(row) + 1,
                column=", ".join(key),
                value=" / ".join(map(str, values)),
                message=f"repeats row {earlier}: each must stand once",
            )
        )
    return problems
