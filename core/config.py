"""Settings and ``study.toml``: every default is written here and nowhere else.

A setting has one name in ``study.toml``, on the command line, in the address bar and in JSON.
"""

from __future__ import annotations

import calendar
import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal, Self, get_args

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from core.errors import DataError, UsageError, nearest

Normalizer = Literal["minmax", "log", "percentile", "monthly_percentile", "rate", "winsor"]
Aggregate = Literal["max", "mean", "top1", "sum"]
UnknownCitations = Literal["exclude", "zero"]
Pool = Literal["all", "topic"]
QuadrantRule = Literal["pooled_median", "system_median", "nonzero_median", "tertile", "fixed"]
Admission = Literal["include", "exclude"]
EloMode = Literal["latent", "paper"]
MapRule = Literal["calibrated", "fixed"]
PresetName = Literal["hindsight", "ligbench", "ideaforecastbench"]

NORMALIZERS: tuple[Normalizer, ...] = get_args(Normalizer)
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)
QUADRANT_RULES: tuple[QuadrantRule, ...] = get_args(QuadrantRule)

TOP_VENUES = ("ICLR", "NeurIPS", "ICML", "ACL", "EMNLP", "CVPR", "AAAI")
JUDGE_DIMENSIONS = ("novelty", "feasibility", "impact", "overall")
PAPER_ENCODER = "specter2"
PAPER_THETA = 0.96
SIGNIFICANCE = 0.05
CONFIDENCE = 0.95
UNDEFINED_DRAWS = 0.05
UNKNOWN_CITATIONS_WARNING = 0.05
ALL_JUDGES = "all"

JUDGE_REPEATS = 3
JUDGE_TEMPERATURE = 0.7
JUDGE_MAX_TOKENS = 1000
JUDGE_CONCURRENCY = 8
JUDGE_TIMEOUT = 120.0
JUDGE_ATTEMPTS = 7
JUDGE_GIVE_UP_AFTER = 10
QUEUE_LENGTH = 20

COMPARED_REFERENCES = 20
START_EXAMPLES = 3
LIGBENCH_REPEATS = 1
RETRIEVED_DEEP = 100
NOVELTY_DEPTH = 100
TRAINING_PAIRS = 15_000
TRAINING_NEIGHBOURS = 10
HELD_OUT_SHARE = 0.1
TOURNAMENT_START = 1000.0
TOURNAMENT_K = 4.0
TOURNAMENT_SCALE = 400.0

COVERAGE_CLUSTERS = 5
MEASURE_BINS = 5
EQUAL_POOL_DRAWS = 200
DIAGNOSTIC_DRAWS = 1000

GENERATE_PER_TOPIC = 10
GENERATE_LITERATURE = 10
GENERATE_ABSTRACT_LETTERS = 1500
GENERATE_MAX_TOKENS = 2000

FORECAST_CONTEXT_TOKENS = 6000
FORECAST_MAX_TOKENS = 3000
FORECAST_TEMPERATURE = 0.7

SOURCE_ATTEMPTS = 7
SOURCE_TIMEOUT = 60.0
# HindSight, Appendix A, and the months of its pool (section 4.1).
HINDSIGHT_TOPICS = (
    "Alignment & Safety",
    "Chain-of-Thought Reasoning",
    "Diffusion Models",
    "Efficient Inference",
    "Hallucination Mitigation",
    "In-Context Learning",
    "Instruction Tuning & RLHF",
    "LLM Agents",
    "Multimodal LLMs",
    "Retrieval-Augmented Generation",
)
# The paper does not tell the words that it searched; these are the topics' own.
HINDSIGHT_SEARCHES = (
    ("Alignment & Safety", "AI alignment"),
    ("Alignment & Safety", "AI safety"),
    ("Instruction Tuning & RLHF", "instruction tuning"),
    ("Instruction Tuning & RLHF", "RLHF"),
    *((topic, topic) for topic in HINDSIGHT_TOPICS if "&" not in topic),
)
# HindSight, Appendix A: papers before the cutoff that each topic had at least.
LITERATURE_LEAST = 50
LITERATURE_DAYS = 730
HINDSIGHT_MONTHS = (date(2023, 6, 1), date(2025, 12, 31))

STREAM_IMPORT_BYTES = 64 << 20
STREAM_IMPORT_ROWS = 10_000
UNPACK_FREE_BYTES = 64 << 20
MAX_UNPACK_RATIO = 200
MAX_UNPACKED_BYTES = 8 << 30
# The page takes files in memory; larger ones stream through the command.
MAX_UPLOAD_BYTES = 200 << 20
# A cautious guess for the bundled encoder on two cores, until a run has measured it.
TEXTS_A_SECOND = 10.0


class Settings(BaseModel):
    """Everything that can be moved without a new search or a new model call.

    Frozen; unknown names are refused with the nearest one. The defaults are HindSight's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    theta: float = Field(
        PAPER_THETA, ge=-1, le=1, description="Least cosine similarity that makes a match (θ)"
    )
    k: int = Field(20, ge=1, le=1000, description="Candidates an idea may match (K)")
    normalizer: Normalizer = Field("minmax", description="How citations become 0 to 1")
    aggregate: Aggregate = Field("max", description="How an idea's matches become one score")
    citation_weight: float = Field(0.6, ge=0, le=1, description="Weight of the citation term")
    venue_weight: float = Field(0.4, ge=0, le=1, description="Weight of the top-venue term")
    venues: tuple[str, ...] = Field(TOP_VENUES, description="Venues that count as top venues")
    unknown_citations: UnknownCitations = Field(
        "exclude", description="Papers with unknown citations: left out, or taken as 0"
    )
    title_only: Admission = Field("include", description="Papers without an abstract")
    ambiguous_dates: Admission = Field(
        "exclude", description="Papers whose date may lie on either side of the window's ends"
    )
    leakage: Admission = Field(
        "include", description="Matches dated before the system's knowledge cutoff"
    )
    judge: str = Field(ALL_JUDGES, min_length=1, description="One judge by name, or 'all'")
    quadrant_rule: QuadrantRule = Field("pooled_median", description="Where quadrants are cut")
    hindsight_cut: float | None = Field(None, description="Fixed cut on the HindSight score")
    judge_cut: float | None = Field(None, description="Fixed cut on the judges' overall mark")
    inclusive: bool = Field(False, description="High means ≥ the cut, not >")
    false_match_rate: float = Field(
        0.05, gt=0, lt=1, description="Share of other-topic pairs that calibration lets match"
    )
    seed: int = Field(0, ge=0, description="Seed of every random draw")
    draws: int = Field(1000, ge=100, le=100_000, description="Bootstrap draws")
    pool: Pool = Field("all", description="An idea's pool: all topics, or its own topic")
    depth: int = Field(100, ge=1, le=1000, description="Candidates stored per idea by a search")
    gate_pm: int = Field(
        5, ge=0, le=6, description="Least sum of problem and method grades that passes the gate"
    )
    gate_s: int = Field(2, ge=0, le=3, description="Least specificity grade that passes the gate")

    slots: int = Field(5, ge=1, le=50, description="Forecasts that an episode asks for")
    r: int = Field(10, ge=1, le=1000, description="Candidates of a forecast that are judged (R)")
    elo_mode: EloMode = Field("latent", description="Elo: unclamped, or LigBench's Algorithm 1")
    elo_d: float = Field(1.5, gt=0, description="Scale of the expected outcome (d)")
    elo_k_max: float = Field(0.5, gt=0, description="First step of Elo (K_max)")
    elo_gamma: float = Field(0.95, gt=0, le=1, description="Decay of Elo's steps (γ)")
    elo_epsilon: float = Field(0.01, ge=0, description="A step below this is small (ε)")
    elo_patience: int = Field(3, ge=1, description="Small steps in a row that end a run (latent)")
    elo_min_games: int = Field(10, ge=0, description="Games before a run may end (latent)")
    elo_max_games: int = Field(200, ge=1, le=10_000, description="Most games in a run (T_max)")
    elo_passes: int = Field(1, ge=1, le=100, description="Times an idea's games are replayed")
    orders: int = Field(200, ge=2, le=100_000, description="Seeded orders of an idea's games")
    bt_prior_sd: float = Field(1.5, gt=0, description="Spread of the Bradley–Terry prior (τ)")
    novelty_map: MapRule = Field(
        "calibrated", description="Novelty map: fitted to the similarities, or novelty_k and _mu"
    )
    novelty_n: int = Field(
        20, ge=1, le=NOVELTY_DEPTH, description="Nearest papers that novelty looks at (N)"
    )
    novelty_alpha: float = Field(0.6, ge=0, le=1, description="Weight of the nearest paper (α)")
    novelty_k: float = Field(12.0, gt=0, description="Steepness of the novelty map (k)")
    novelty_mu: float = Field(0.72, ge=-1, le=1, description="Centre of the novelty map (μ)")
    novelty_beta: float = Field(0.7, ge=0, le=1, description="Weight of the novelty map (β)")

    @field_validator("venues", mode="before")
    @classmethod
    def _split_venues(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @model_validator(mode="after")
    def _fixed_rule_has_cuts(self) -> Self:
        if self.quadrant_rule == "fixed" and (self.hindsight_cut is None or self.judge_cut is None):
            raise ValueError("quadrant_rule 'fixed' needs hindsight_cut and judge_cut")
        return self

    @classmethod
    def of(cls, values: Mapping[str, Any], *, base: Settings | None = None) -> Settings:
        """``base`` (else the defaults) with ``values`` put over it.

        Raises :class:`UsageError` that names the setting, what was given and what is allowed.
        """
        for name in values:
            if name not in cls.model_fields:
                raise UsageError(f"No setting '{name}'. {nearest(name, cls.model_fields)}")
        start = (base or cls()).model_dump()
        try:
            return cls.model_validate({**start, **values})
        except ValidationError as error:
            raise UsageError("\n".join(explain(item) for item in error.errors())) from None

    def changed(self, base: Settings) -> dict[str, Any]:
        """The settings that differ from ``base``."""
        own, other = self.model_dump(mode="json"), base.model_dump(mode="json")
        return {name: value for name, value in own.items() if value != other[name]}

    @property
    def digest(self) -> str:
        """Hexadecimal digest of all settings."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


PRESETS: dict[PresetName, Settings] = {
    "hindsight": Settings(),
    "ligbench": Settings(),
    "ideaforecastbench": Settings(pool="topic", k=10, draws=10_000),
}
PRESET_HORIZONS: dict[PresetName, int] = {
    "hindsight": 30,
    "ligbench": 30,
    "ideaforecastbench": 3,
}


class StudyConfig(BaseModel):
    """``study.toml``: what a study is, and how it differs from its preset."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    cutoff: date
    horizon_months: int = Field(ge=1, le=600)
    encoder: str = Field("minilm", min_length=1)
    preset: PresetName = "hindsight"
    description: str = ""
    snapshot: date | None = None
    simulated: bool = False
    settings: dict[str, Any] = Field(default_factory=dict)
    knowledge_cutoff: dict[str, date] = Field(default_factory=dict)
    models: dict[str, str] = Field(default_factory=dict)
    scales: dict[str, str] = Field(default_factory=dict)

    @classmethod
    def of(cls, **values: Any) -> StudyConfig:
        """A configuration; raises :class:`UsageError` that names the key and what is allowed."""
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise UsageError("\n".join(explain(item) for item in error.errors())) from None

    @classmethod
    def read(cls, path: Path) -> StudyConfig:
        """Read ``study.toml``; raises :class:`DataError` that names the file and the key."""
        try:
            values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            raise DataError(
                f"{path.parent}: no study.toml there. Make a study with `foreseen new`."
            ) from None
        except (OSError, ValueError, RecursionError) as error:
            raise DataError(f"{path}: not readable as TOML: {error}") from None
        unknown = [name for name in values if name not in cls.model_fields]
        if unknown:
            raise DataError(
                "\n".join(f"{path}: no key '{n}'. {nearest(n, cls.model_fields)}" for n in unknown)
            )
        try:
            config = cls.model_validate(values)
            config.resolved()
        except ValidationError as error:
            lines = [f"{path}: {explain(item)}" for item in error.errors()]
            raise DataError("\n".join(lines)) from None
        except UsageError as error:
            raise DataError(f"{path}: [settings] {error}") from None
        return config

    def to_toml(self) -> str:
        """The text of ``study.toml``, defaults left out where they say nothing."""
        values = self.model_dump(exclude_none=True)
        for name in (
            "settings",
            "knowledge_cutoff",
            "models",
            "scales",
            "description",
            "simulated",
        ):
            if not values[name]:
                del values[name]
        return tomli_w.dumps(values)

    def resolved(self) -> Settings:
        """The preset's settings with this study's put over them."""
        return Settings.of(self.settings, base=PRESETS[self.preset])

    def window_end(self, cutoff: date | None = None) -> date:
        """Last day of the window that opens after ``cutoff`` (else the study's)."""
        return window_end(cutoff or self.cutoff, self.horizon_months)


def window_end(cutoff: date, horizon_months: int) -> date:
    """Last day of month(cutoff) + horizon: 2023-06-01 and 30 months give 2025-12-31."""
    months = cutoff.year * 12 + cutoff.month - 1 + horizon_months
    year, month = divmod(months, 12)
    return date(year, month + 1, calendar.monthrange(year, month + 1)[1])


def explain(item: Any) -> str:
    """One of pydantic's errors as a sentence with the key, what was given and what is allowed."""
    place = ".".join(str(part) for part in item["loc"])
    message = item["msg"].removeprefix("Value error, ")
    if item["type"] == "literal_error" and isinstance(item["input"], str):
        allowed = [
            part.strip(" '") for part in item["ctx"]["expected"].replace(" or ", ",").split(",")
        ]
        message += f". {nearest(item['input'], allowed)}"
    if not place:
        return str(message)
    return f"'{place}': {message} (given: {item['input']!r})"


def cache_folder() -> Path:
    """Where results are kept between runs: ``$FORESEEN_CACHE``, else the user's cache folder."""
    given = os.environ.get("FORESEEN_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "foreseen"
