"""Options that commands share: settings by their own names, and how results are printed."""

from __future__ import annotations

import inspect
import json
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, is_dataclass
from datetime import date
from enum import Enum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from pydantic import BaseModel

from core.config import Settings

StudyFolder = Annotated[Path, typer.Argument(metavar="STUDY", help="The study's folder")]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object to stdout")]
CsvFlag = Annotated[bool, typer.Option("--csv", help="Print CSV to stdout")]


def with_settings(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command an option for each named setting (all where none is named).

    The command takes ``given: dict[str, Any]``: only those settings the user gave.
    """
    chosen = names or tuple(Settings.model_fields)

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        own = [p for p in signature.parameters.values() if p.name != "given"]

        @wraps(command)
        def run(**values: Any) -> None:
            given = {n: values.pop(n) for n in chosen if n in values}
            command(**values, given={n: v for n, v in given.items() if v is not None})

        run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
            + [_setting_option(name) for name in chosen]
        )
        return run

    return decorate


def _setting_option(name: str) -> inspect.Parameter:
    field = Settings.model_fields[name]
    flag = "--" + name.replace("_", "-")
    kind: Any = field.annotation
    metavar = None
    if get_origin(kind) is Literal:
        metavar, kind = "|".join(get_args(kind)), str
    elif get_origin(kind) is tuple:
        metavar, kind = "A,B,…", str
    elif get_origin(kind) is not None:
        kind = next(part for part in get_args(kind) if part is not type(None))
    flags = [f"{flag}/--no-{flag[2:]}"] if kind is bool else [flag]
    option = typer.Option(*flags, help=field.description, metavar=metavar, show_default=False)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, option],
    )


def print_json(value: Any) -> None:
    """One JSON object on stdout; unknown values are null."""
    sys.stdout.write(json.dumps(jsonable(value), ensure_ascii=False, indent=1) + "\n")


def jsonable(value: Any) -> Any:
    """Dataclasses, frames, settings and numpy values as plain JSON values; nan becomes null."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return jsonable(asdict(value))
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        return [jsonable(row) for row in value.to_dict("records")]
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, Enum):
        return value.value
    if hasattr(value, "tolist"):
        return jsonable(value.tolist())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, date):
        return value.isoformat()
    return None if value is not None and str(value) in ("<NA>", "NaT") else value


def note(text: str) -> None:
    """A line for the person at the terminal, on stderr."""
    sys.stderr.write(text + "\n")
