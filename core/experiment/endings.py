"""What steps that ask a model have in common: their keys' digest, what they owe, how they end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.experiment.calls import Calls
from core.experiment.journal import Entry, digest_of
from core.experiment.step import Done
from core.judging.report import RunReport

_PACE = {
    "base_url", "concurrency", "rpm", "tpm", "timeout", "budget_calls", "budget_tokens",
    "budget_cost", "price_in", "price_out", "retry_failed",
}  # fmt: skip
"""Keys that change how a model is asked, and nothing of what it is asked."""


def keys_digest(part: Calls, **more: Any) -> str:
    """Digest of the keys that shape what a model is asked."""
    return digest_of({**part.model_dump(mode="json", exclude=_PACE), **more})


def owed(part: Calls, entry: Entry) -> str | None:
    """That failed replies are to be asked again; None where they are not."""
    if part.retry_failed and entry.failed:
        return f"{entry.failed} replies failed, and retry_failed is set"
    return None


def spent(runs: Sequence[RunReport]) -> str:
    """ "12 calls, cost 0.021": what the runs of a step asked for."""
    calls = sum(run.calls for run in runs)
    cost = [run.cost for run in runs if run.cost is not None]
    return f"{calls:,} calls" + (f", cost {sum(cost):.3g}" if cost else "")


def ended(runs: Sequence[RunReport], **done: Any) -> Done:
    """The end of a step; not whole where a run stopped or nothing that was asked came well."""
    for run in runs:
        if run.stopped is not None:
            return Done(**done, stopped=run.stop_reason or run.stopped, cause=run.stopped)
        if run.asked and not run.ok:
            return Done(**done, stopped="no reply could be used", cause="server")
    return Done(**done)
