"""Options that every ``foreseen judge …`` shares, and how a run shows itself at a terminal."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from typing import Annotated, Any

import typer

from core.commands.options import note
from core.config import (
    JUDGE_CONCURRENCY,
    JUDGE_MAX_TOKENS,
    JUDGE_REPEATS,
    JUDGE_TEMPERATURE,
    JUDGE_TIMEOUT,
)
from core.errors import UsageError
from core.judging.client import OpenAIClient
from core.judging.limits import Budget, Limits, Prices
from core.judging.report import Estimate, Progress, RunReport
from core.keys import find_key

INTERRUPTED = 130


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """What the user chose about the model, the pace and the budget."""

    model: Annotated[str, typer.Option(metavar="M", help="Model, as its server names it")]
    base_url: Annotated[
        str | None,
        typer.Option(help="OpenAI-compatible address (vLLM, Ollama, llama.cpp …); else OpenAI's"),
    ] = None
    judge: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name in the tables; else the model's")
    ] = None
    repeats: Annotated[int, typer.Option(min=1, help="Times each is judged")] = JUDGE_REPEATS
    temperature: Annotated[float, typer.Option(min=0, max=2, help="Sampling temperature")] = (
        JUDGE_TEMPERATURE
    )
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest reply, thinking included")] = (
        JUDGE_MAX_TOKENS
    )
    concurrency: Annotated[int, typer.Option(min=1, help="Calls at once")] = JUDGE_CONCURRENCY
    rpm: Annotated[int | None, typer.Option(min=1, help="Requests a minute at most")] = None
    tpm: Annotated[int | None, typer.Option(min=1, help="Tokens a minute at most")] = None
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for one reply")] = (
        JUDGE_TIMEOUT
    )
    budget_calls: Annotated[
        int | None, typer.Option(min=0, help="Stop after so many calls in this run")
    ] = None
    budget_tokens: Annotated[
        int | None, typer.Option(min=0, help="Stop after so many tokens in this run")
    ] = None
    budget_cost: Annotated[
        float | None, typer.Option(min=0, help="Stop after so much money in this run")
    ] = None
    price_in: Annotated[float | None, typer.Option(min=0, help="Price of a million tokens in")] = (
        None
    )
    price_out: Annotated[
        float | None, typer.Option(min=0, help="Price of a million tokens out")
    ] = None
    retry_failed: Annotated[
        bool,
        typer.Option("--retry-failed", help="Ask again where a reply was refused or unreadable"),
    ] = False
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say how many calls and about how many tokens; ask none"),
    ] = False

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
        """Both prices or neither; raises :class:`UsageError` where one is missing."""
        if self.price_in is None and self.price_out is None:
            if self.budget_cost is not None:
                raise UsageError("--budget-cost needs --price-in and --price-out.")
            return None
        if self.price_in is None or self.price_out is None:
            raise UsageError("--price-in and --price-out go together.")
        return Prices(per_million_in=self.price_in, per_million_out=self.price_out)

    def shared(self) -> dict[str, Any]:
        """What a heading of an experiment's file calls these options; prices are checked."""
        from core.experiment.calls import Calls

        self.prices  # noqa: B018 - refuses one price without the other
        names = [item.name for item in fields(self) if item.name in Calls.model_fields]
        return {name: getattr(self, name) for name in names}

    def client(self) -> OpenAIClient:
        return OpenAIClient(
            model=self.model, base_url=self.base_url, key=find_key(), timeout=self.timeout
        )


def with_judge_options(
    command: Callable[..., None], *, leave_out: Sequence[str] = (), **defaults: Any
) -> Callable[..., None]:
    """Give a command these options; it takes them as ``chosen: JudgeOptions``.

    ``defaults`` (``repeats=1``) are the command's own; it does not offer those it leaves out.
    """
    names = [item.name for item in fields(JudgeOptions) if item.name not in leave_out]
    signature = inspect.signature(command, eval_str=True)
    shared = inspect.signature(JudgeOptions, eval_str=True).parameters

    @wraps(command)
    def run(**values: Any) -> None:
        options = JudgeOptions(**{name: values.pop(name) for name in names})
        command(**values, chosen=options)

    own = [p for p in signature.parameters.values() if p.name != "chosen"]
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            p.replace(
                kind=inspect.Parameter.KEYWORD_ONLY,
                default=defaults.get(p.name, p.default),
            )
            for p in (*own, *(shared[name] for name in names))
        ]
    )
    return run


@contextmanager
def shown_progress(what: str) -> Iterator[Callable[[Progress], None]]:
    """A bar on stderr with rate, failures, cost and time left; plain lines where none is seen."""
    if not sys.stderr.isatty():
        yield _Lines(what)
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    with Bar(
        TextColumn(what),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TextColumn("{task.fields[told]}", markup=False),
        console=Console(stderr=True),
    ) as bar:
        task = bar.add_task(what, total=None, told="")

        def show(now: Progress) -> None:
            bar.update(task, total=now.total, completed=now.done, told=told(now))

        yield show


class _Lines:
    """A line every ten seconds, for logs."""

    EVERY = 10.0

    def __init__(self, what: str) -> None:
        self._what = what
        self._next = self.EVERY

    def __call__(self, now: Progress) -> None:
        if now.seconds >= self._next:
            self._next = now.seconds + self.EVERY
            note(f"{self._what}: {now.done}/{now.total} {told(now)}")


def told(now: Progress) -> str:
    """Progress in a few words."""
    parts = []
    if now.rate is not None:
        parts.append(f"{now.rate:,.0f} a minute")
    if now.failed:
        parts.append(f"{now.failed} failed")
    if now.cost is not None:
        parts.append(f"cost {now.cost:.4g}")
    if now.remaining is not None and now.done < now.total:
        minutes, seconds = divmod(round(now.remaining), 60)
        parts.append(f"{minutes}:{seconds:02d} left")
    if now.last_problem and now.done < now.total:
        parts.append(f"last problem: {now.last_problem[:80]}")
    return ", ".join(parts)


def estimate_text(guess: Estimate) -> str:
    """What a dry run says."""
    lines = [
        f"{guess.judgements:,} judgements: {guess.calls:,} calls to make,"
        f" {guess.cached:,} answered already"
        + (f", {guess.kept_failures:,} failed and kept" if guess.kept_failures else ""),
        f"about {guess.tokens_in:,} tokens in and {guess.tokens_out:,} out"
        + (f" (at most {guess.tokens_out_most:,})" if guess.tokens_out_most is not None else ""),
    ]
    if guess.cost is not None:
        most = "" if guess.cost_most is None else f" (at most {guess.cost_most:.4g})"
        lines.append(f"about {guess.cost:.4g} in money{most}")
    else:
        lines.append("cost unknown: give --price-in and --price-out")
    return "\n".join(lines)


def report_text(report: RunReport) -> str:
    """What a run says at its end."""
    failed = report.refused + report.parse_failed + report.call_failed
    cost = "" if report.cost is None else f", cost {report.cost:.4g}"
    lines = [
        f"{report.judge}: {report.total:,} judgements, {report.calls:,} calls made,"
        f" {report.cached:,} answered already",
        f"{report.ok:,} ok, {report.refused:,} refused, {report.parse_failed:,} unreadable,"
        f" {report.call_failed:,} failed calls, {report.unasked:,} not asked",
        f"{report.tokens_in:,} tokens in, {report.tokens_out:,} out{cost},"
        f" {report.seconds:,.1f} s, {report.retries:,} retries",
    ]
    if report.without_usage:
        lines.append(f"{report.without_usage:,} calls came without a count of tokens")
    if report.kept_failures:
        lines.append(
            f"{report.kept_failures:,} replies that failed earlier are kept as they are;"
            " --retry-failed asks again"
        )
    elif failed:
        lines.append("the same command with --retry-failed asks again for the failed ones")
    if report.stopped is not None:
        lines.append(f"stopped: {report.stop_reason}. The same command goes on from there.")
    return "\n".join(lines)
