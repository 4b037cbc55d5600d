"""``experiment.toml``: what each step of an experiment is to do. A step without a heading is none.

Every key is listed here; unknown ones are refused with the nearest name. Paths are taken from the
folder of the file. No key of an endpoint stands in it: that is the environment's.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal, Self, get_args, get_origin

from pydantic import BaseModel, Field, ValidationError, model_validator

from core.config import PRESETS, Pool, PresetName, Settings, explain
from core.errors import DataError, UsageError, nearest
from core.experiment.calls import Forecast, Generate, Judge, Part
from core.ingest.mapping import DEFAULT_JOIN
from core.ingest.sources import PAPER_SOURCES
from core.matching.encoders import BATCH_SIZE
from core.schema import TABLES

AUTO = "auto"


class New(Part):
    """``[new]``: how the study is made, where there is none yet."""

    cutoff: date = Field(description="ideas know nothing after this day")
    horizon_months: int | None = Field(None, ge=1, description="months of papers after it")
    name: str | None = Field(None, min_length=1, description="the study's name")
    encoder: str = Field("minilm", min_length=1, description="the study's encoder")
    preset: PresetName = Field("hindsight", description="whose settings to start from")
    snapshot: date | None = Field(None, description="day on which citations were counted")
    description: str = Field("", description="a sentence about the study")
    settings: dict[str, Any] = Field(default_factory=dict, description="settings of the study")

    @model_validator(mode="after")
    def _settings_are_known(self) -> Self:
        try:
            Settings.of(self.settings, base=PRESETS[self.preset])
        except UsageError as error:
            raise ValueError(str(error)) from None
        return self


class Fetch(Part):
    """``[[fetch]]``: papers or reviewed references from a live source, as ``foreseen fetch``."""

    what: Literal["papers", "references"] = Field("papers", description="the table to fill")
    source: str = Field("semantic-scholar", description="papers: who is asked")
    query: tuple[str, ...] = Field((), description="papers: [TOPIC=]WORDS to search")
    preset: Literal["hindsight"] | None = Field(None, description="papers: the paper's topics")
    start: date | None = Field(None, alias="from", description="else the day after the cutoff")
    end: date | None = Field(None, alias="to", description="else the window's last day")
    venue: tuple[str, ...] = Field((), description="references: 'NAME YEAR'")
    scale: tuple[str, ...] = Field((), description="references: scales of review marks")
    limit: int | None = Field(None, ge=1, description="stop a search after so many records")
    base_url: str | None = Field(None, description="another address of the source")

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        if self.what == "references" and not self.venue:
            raise ValueError("references need venue = ['NAME YEAR']")
        if self.what == "papers" and (self.preset is None) == (not self.query):
            raise ValueError("papers need either query = ['WORDS'] or preset = 'hindsight'")
        if self.what == "papers" and self.source not in PAPER_SOURCES:
            raise ValueError(f"no source '{self.source}'. {nearest(self.source, PAPER_SOURCES)}")
        if self.start is not None and self.end is not None and self.end < self.start:
            raise ValueError(f"to = {self.end} is before from = {self.start}")
        return self


class Import(Part):
    """``[[import]]``: files into a table, as ``foreseen import`` takes them."""

    table: str = Field(description="the table to fill")
    files: tuple[str, ...] = Field(min_length=1, description="files; * and ? stand for any name")
    format: str = Field(AUTO, description="kind of source")
    map: tuple[str, ...] = Field((), description="THEIRS=OURS, their column for ours")
    join: str = Field(DEFAULT_JOIN, description="what parts joined columns")
    constants: dict[str, str] = Field(
        default_factory=dict, alias="set", description="the same value in every row"
    )
    missing: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="values that mean unknown, by column"
    )
    code: tuple[str, ...] = Field((), description="WORD=NUMBER, the number of a word in marks")
    split_sections: str | None = Field(
        None, description="a column to part by its headings (else as guessed; '' parts none)"
    )
    drop: tuple[str, ...] = Field((), description="columns to leave out")
    scale: tuple[str, ...] = Field((), description="scales of review marks")

    @model_validator(mode="after")
    def _table_is_known(self) -> Self:
        if self.table not in TABLES:
            raise ValueError(f"no table '{self.table}'. {nearest(self.table, TABLES)}")
        return self


class Match(Part):
    """``[match]``: encode, and find each idea's nearest papers."""

    encoder: str | None = Field(None, description="encoder (else the study's)")
    depth: int | None = Field(None, ge=1, le=1000, description="candidates stored per idea")
    pool: Pool | None = Field(None, description="all papers, or those of the idea's topic")
    batch_size: int = Field(BATCH_SIZE, ge=1, description="texts encoded at once")
    vectors: dict[Literal["ideas", "papers"], str] = Field(
        default_factory=dict, description="vectors of your own: ideas and papers, .npz"
    )


class Calibrate(Part):
    """``[calibrate]``: the θ that fits the encoder, written into study.toml."""

    false_match_rate: float | None = Field(None, gt=0, lt=1, description="false matches let be")


class Report(Part):
    """``[report]``: one HTML file of what the dashboard shows."""

    output: str = Field("report.html", min_length=1, description="the file to write")


class Experiment(Part):
    """The whole file. ``study`` is the study's folder."""

    study: str = Field(min_length=1, description="folder of the study")
    seed: int = Field(0, ge=0, description="seed of every draw of the experiment")
    open: bool = Field(False, description="open the dashboard at the end")
    new: New | None = None
    fetch: tuple[Fetch, ...] = ()
    imports: tuple[Import, ...] = Field((), alias="import")
    generate: tuple[Generate, ...] = ()
    forecast: tuple[Forecast, ...] = ()
    match: Match | None = None
    judge: tuple[Judge, ...] = ()
    calibrate: Calibrate | None = None
    report: Report | None = None

    @model_validator(mode="after")
    def _names_are_told_apart(self) -> Self:
        for heading, names in (
            ("generate", [part.system.strip() for part in self.generate]),
            ("forecast", [part.name for part in self.forecast]),
            ("judge", [part.step for part in self.judge]),
        ):
            twice = [name for name, count in Counter(names).items() if count > 1]
            if twice:
                raise ValueError(f"'{twice[0]}' stands twice under [[{heading}]]")
        return self

    @classmethod
    def of(cls, values: Mapping[str, Any], *, file: str = "experiment") -> Experiment:
        """From the values of a file; raises :class:`DataError` with every key that is wrong."""
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            lines = [f"{file}: {_told(item)}" for item in error.errors()]
            raise DataError("\n".join(lines)) from None

    @classmethod
    def read(cls, path: Path) -> Experiment:
        """Read ``experiment.toml``; raises :class:`DataError` that names file and key."""
        try:
            values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            raise DataError(f"{path}: no such file.") from None
        except (OSError, ValueError, RecursionError) as error:
            raise DataError(f"{path}: not readable as TOML: {error}") from None
        return cls.of(values, file=str(path))


def keys(part: type[BaseModel]) -> list[str]:
    """The keys of a heading, as they are written in the file."""
    return [field.alias or name for name, field in part.model_fields.items()]


def headings() -> dict[str, type[Part]]:
    """Each heading and what stands under it."""
    found: dict[str, type[Part]] = {}
    for name, field in Experiment.model_fields.items():
        kinds = [field.annotation, *get_args(field.annotation)]
        if get_origin(field.annotation) is not dict:
            parts = [k for k in kinds if isinstance(k, type) and issubclass(k, Part)]
            if parts:
                found[field.alias or name] = parts[0]
    return found


def _told(item: Any) -> str:
    """One of pydantic's errors; an unknown key with the nearest one that there is."""
    if item["type"] != "extra_forbidden":
        return explain(item)
    *place, key = item["loc"]
    part = headings()[place[0]] if place else Experiment
    at = f" under '{place[0]}'" if place else ""
    secret = " A key is read from the environment, never from this file." if "key" in key else ""
    return f"no key '{key}'{at}. {nearest(key, keys(part))}{secret}"
