"""The headings of ``experiment.toml`` that ask a model: what is asked, of whom, at what pace.

The page "Run" and the commands make the same objects, so one place says what each kind takes.
"""

from __future__ import annotations

from datetime import date
from typing import Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from core.config import (
    COMPARED_REFERENCES,
    FORECAST_CONTEXT_TOKENS,
    FORECAST_MAX_TOKENS,
    FORECAST_TEMPERATURE,
    GENERATE_LITERATURE,
    GENERATE_MAX_TOKENS,
    GENERATE_PER_TOPIC,
    JUDGE_CONCURRENCY,
    JUDGE_MAX_TOKENS,
    JUDGE_REPEATS,
    JUDGE_TEMPERATURE,
    JUDGE_TIMEOUT,
    LIGBENCH_REPEATS,
    explain,
)
from core.errors import UsageError, nearest
from core.forecast.forecasters import FORECASTERS, STRATEGIES
from core.judging.limits import Budget, Limits, Prices

Kind = Literal["formalise", "scores", "starts", "comparisons", "verdicts", "generality"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""In the order in which one may need what another leaves."""
_CHOSEN = ("ideas", "systems", "limit")
_FOUND = ("embedding", "encoder", "seed")
OWN_KEYS: dict[Kind, tuple[str, ...]] = {
    "formalise": ("table", "ids", "limit", "replace"),
    "scores": (*_CHOSEN, "repeats"),
    "starts": (*_CHOSEN, "repeats", *_FOUND),
    "comparisons": (*_CHOSEN, "repeats", *_FOUND, "references", "orders", "pairs"),
    "verdicts": (*_CHOSEN, "r", "window"),
    "generality": _CHOSEN,
}
"""The keys of each kind besides those of all: the options of its command."""


class Part(BaseModel):
    """What stands under one heading."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Calls(Part):
    """What every heading with a model shares: the model, the pace and the budget."""

    model: str = Field(min_length=1, description="the model, as its server names it")
    base_url: str | None = Field(None, description="OpenAI-compatible address")
    temperature: float = Field(JUDGE_TEMPERATURE, ge=0, le=2, description="sampling temperature")
    max_tokens: int = Field(JUDGE_MAX_TOKENS, ge=1, description="longest reply")
    concurrency: int = Field(JUDGE_CONCURRENCY, ge=1, description="calls at once")
    rpm: int | None = Field(None, ge=1, description="requests a minute at most")
    tpm: int | None = Field(None, ge=1, description="tokens a minute at most")
    timeout: float = Field(JUDGE_TIMEOUT, gt=0, description="seconds to wait for one reply")
    budget_calls: int | None = Field(None, ge=0, description="stop a run after so many calls")
    budget_tokens: int | None = Field(None, ge=0, description="stop a run after so many tokens")
    budget_cost: float | None = Field(None, ge=0, description="stop a run after so much money")
    price_in: float | None = Field(None, ge=0, description="price of a million tokens in")
    price_out: float | None = Field(None, ge=0, description="price of a million tokens out")
    retry_failed: bool = Field(False, description="ask again where a reply was not readable")

    @model_validator(mode="after")
    def _prices_go_together(self) -> Self:
        if (self.price_in is None) != (self.price_out is None):
            raise ValueError("price_in and price_out go together")
        if self.budget_cost is not None and self.price_in is None:
            raise ValueError("budget_cost needs price_in and price_out")
        return self

    @property
    def parameters(self) -> dict[str, Any]:
        return {"temperature": self.temperature, "max_tokens": self.max_tokens}

    @property
    def limits(self) -> Limits:
        return Limits(concurrency=self.concurrency, rpm=self.rpm, tpm=self.tpm)

    @property
    def budget(self) -> Budget:
        return Budget(calls=self.budget_calls, tokens=self.budget_tokens, cost=self.budget_cost)

    @property
    def prices(self) -> Prices | None:
        if self.price_in is None or self.price_out is None:
            return None
        return Prices(per_million_in=self.price_in, per_million_out=self.price_out)

    @property
    def asking(self) -> dict[str, Any]:
        """How the model is asked, as every function that asks one takes it."""
        return {
            "parameters": self.parameters,
            "limits": self.limits,
            "budget": self.budget,
            "prices": self.prices,
            "retry_failed": self.retry_failed,
        }


class Generate(Calls):
    """``[[generate]]``: a system that writes ideas, as ``foreseen generate``."""

    system: str = Field(min_length=1, description="name of the system")
    generator: Literal["retrieval", "vanilla"] | None = Field(
        None, description="with literature or without (else the system of that name)"
    )
    topics: tuple[str, ...] = Field((), description="only these topics")
    per_topic: int = Field(GENERATE_PER_TOPIC, ge=1, description="ideas a topic")
    seed: int | None = Field(None, ge=0, description="seed of the seed papers (else the file's)")
    literature: int = Field(GENERATE_LITERATURE, ge=0, description="papers shown in each stage")
    retriever: Literal["bm25", "dense"] = Field("bm25", description="by words or by vectors")
    encoder: str | None = Field(None, description="encoder of dense (else the study's)")
    knowledge_cutoff: date | None = Field(None, description="the model's knowledge ends then")
    max_tokens: int = Field(GENERATE_MAX_TOKENS, ge=1, description="longest reply")

    @model_validator(mode="after")
    def _writes_somehow(self) -> Self:
        if self.generator is None and self.system.strip() not in ("retrieval", "vanilla"):
            raise ValueError(
                f"system '{self.system}' needs generator = 'retrieval' (with literature before the"
                " cutoff) or 'vanilla' (the topic's name alone)"
            )
        return self


class Judge(Calls):
    """``[[judge]]``: what a judge is asked, as ``foreseen judge KIND``."""

    kind: Kind = Field("scores", description=f"what is asked: {', '.join(KINDS)}")
    judge: str | None = Field(None, min_length=1, description="name in the tables")
    ideas: tuple[str, ...] = Field((), description="only these ideas")
    systems: tuple[str, ...] = Field((), description="only these systems' ideas")
    limit: int | None = Field(None, ge=1, description="only the first so many")
    repeats: int | None = Field(
        None,
        ge=1,
        description=f"times each is judged (else {JUDGE_REPEATS} for scores, {LIGBENCH_REPEATS}"
        " for starts and comparisons)",
    )
    table: Literal["ideas", "references"] = Field(
        "ideas", description="formalise: what is brought into four parts"
    )
    ids: tuple[str, ...] = Field((), description="formalise: only these ideas or references")
    replace: bool = Field(False, description="formalise: make parts anew where they are there")
    embedding: bool = Field(
        True, description="starts, comparisons: find references by vectors too, not words alone"
    )
    encoder: str | None = Field(None, description="encoder of that (else the study's)")
    seed: int | None = Field(None, ge=0, description="seed of what is drawn (else the file's)")
    references: int = Field(
        COMPARED_REFERENCES, ge=1, description="comparisons: references that each idea meets"
    )
    orders: Literal["both", "idea_first"] = Field(
        "both", description="comparisons: show either first, or the idea alone"
    )
    pairs: int | None = Field(
        None, ge=1, description="comparisons: so many pairs of close references instead"
    )
    r: int | None = Field(
        None, ge=1, description="verdicts: candidates of each idea (else the study's r)"
    )
    window: Literal["target", "backward"] = Field(
        "target", description="verdicts: papers after the cutoff, or as long before it"
    )

    @model_validator(mode="after")
    def _keys_are_of_the_kind(self) -> Self:
        others = {key for keys in OWN_KEYS.values() for key in keys} - set(OWN_KEYS[self.kind])
        for name in sorted(self.model_fields_set & others):
            owners = " and ".join(kind for kind, keys in OWN_KEYS.items() if name in keys)
            raise ValueError(f"'{name}' is no key of kind '{self.kind}': it belongs to {owners}")
        return self

    @classmethod
    def asked(cls, kind: Kind, **values: Any) -> Judge:
        """What a command's options ask for; raises :class:`UsageError` that names the option."""
        try:
            return cls.model_validate({"kind": kind, **values})
        except ValidationError as error:
            told = "; ".join(explain(item) for item in error.errors())
            raise UsageError(f"judge {kind}: {told}") from None

    @property
    def name(self) -> str:
        """The judge's name in the tables."""
        return (self.judge or self.model).strip()

    @property
    def times(self) -> int:
        """How often each is judged."""
        usual = JUDGE_REPEATS if self.kind == "scores" else LIGBENCH_REPEATS
        return usual if self.repeats is None else self.repeats

    @property
    def step(self) -> str:
        """What tells this heading from the others: the kind, what it is about, and the judge."""
        about = {
            "scores": "",
            "formalise": f"formalise {self.table} ",
            "comparisons": "pairs " if self.pairs else "comparisons ",
            "verdicts": "verdicts " if self.window == "target" else "verdicts backward ",
        }
        return about.get(self.kind, f"{self.kind} ") + self.name


class Forecast(Calls):
    """``[[forecast]]``: ranked ideas for every episode, as ``foreseen forecast run``."""

    forecaster: str = Field(description="how: " + ", ".join(FORECASTERS))
    model: str = Field("", description="the model; none for the last four")
    system: str = Field("", description="name in the tables; else forecaster and model")
    cutoffs: str = Field("", description="'2024-07..2025-06': only these")
    topics: tuple[str, ...] = Field((), description="only these topics")
    slots: int | None = Field(None, ge=1, le=50, description="forecasts an episode (else study's)")
    context_tokens: int = Field(
        FORECAST_CONTEXT_TOKENS, ge=100, description="tokens of evidence in a prompt, about"
    )
    prior_judge: str | None = Field(None, description="mdf: whose verdicts teach the prior")
    seed: int | None = Field(None, ge=0, description="seed of what is drawn (else the file's)")
    temperature: float = Field(FORECAST_TEMPERATURE, ge=0, le=2, description="sampling temperature")
    max_tokens: int = Field(FORECAST_MAX_TOKENS, ge=1, description="longest reply")

    @model_validator(mode="after")
    def _forecaster_is_known(self) -> Self:
        if self.forecaster not in FORECASTERS:
            told = nearest(self.forecaster, FORECASTERS)
            raise ValueError(f"no forecaster '{self.forecaster}'. {told}")
        if self.asks and not self.model:
            raise ValueError(f"forecaster '{self.forecaster}' asks a model: name it as model")
        return self

    @property
    def asks(self) -> bool:
        """Whether a model is asked; baselines ask none."""
        return self.forecaster in STRATEGIES

    @property
    def name(self) -> str:
        """The system's name in the tables."""
        usual = f"{self.forecaster} {self.model}" if self.asks else self.forecaster
        return (self.system or usual).strip()
