"""Pairs of reviewed papers on which a small judge can be trained (LigBench §4.1, Appendix A).

Pairs are close in theme; the labels are the debiased review scores. A share of the papers is
held out whole, so that no paper of a test pair is ever trained on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from core.config import HELD_OUT_SHARE, TRAINING_NEIGHBOURS, TRAINING_PAIRS
from core.errors import DataError, UsageError, nearest
from core.ingest.tabular import replacing
from core.judging.calls import CALLS_FILE, CallsLog
from core.judging.choosing import reference_text
from core.judging.client import ChatClient
from core.judging.fields import Text
from core.judging.prompts import fence, load_template
from core.judging.report import Progress, RunReport
from core.judging.run import StopSignal, run
from core.judging.task import Task
from core.ligbench.debias import DIMENSIONS, debias
from core.ligbench.retrieval import close_pairs
from core.study import Study

Form = Literal["alpaca", "messages"]
PROMPT = "comparisons"
REASONS = "training_reasons"
_REPLY_ORDER = ("rating", "soundness", "contribution")
_WORDS = {1.0: "the first is better", 0.5: "neither is better", 0.0: "the second is better"}


@dataclass(frozen=True, kw_only=True)
class LabelledPair:
    """Two references as they are shown, and the outcome from the first one's side."""

    first: str
    second: str
    outcome: Mapping[str, float]
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class TrainingPairs:
    """Pairs for training and for testing, and how the papers were parted.

    ``held_out``: ids of the papers that no training pair has; ``digest`` is of these ids.
    ``available`` pairs close in theme there were for training, of which ``asked`` were wanted.
    ``crossing``: pairs of a training and a held-out paper, used for neither. ``unscored``:
    references without all three scores, left out. ``unexplained``: pairs without a teacher's
    reason.
    """

    train: tuple[LabelledPair, ...]
    test: tuple[LabelledPair, ...]
    held_out: tuple[str, ...]
    digest: str
    available: int
    asked: int
    crossing: int
    unscored: int
    seed: int
    neighbours: int

    @property
    def unexplained(self) -> int:
        return sum(not pair.reason for pair in self.train)


def training_pairs(
    study: Study,
    *,
    pairs: int = TRAINING_PAIRS,
    neighbours: int = TRAINING_NEIGHBOURS,
    held_out: float = HELD_OUT_SHARE,
    test_ids: Sequence[str] = (),
    seed: int = 0,
) -> TrainingPairs:
    """Label pairs of references close in theme and part them by paper.

    ``held_out`` is the share of papers kept for tests, drawn by ``seed``; ``test_ids`` are held
    out beside them. Which of a pair is shown first is drawn too. Pairs equal on all three
    dimensions stay, as ties. Raises :class:`DataError` where no training pair is left.
    """
    if not 0 <= held_out < 1:
        raise UsageError(f"--held-out must be from 0 to below 1 (given: {held_out:g})")
    if pairs < 1 or neighbours < 1:
        raise UsageError("--pairs and --neighbours must be at least 1")
    known = set(study.references["reference_id"])
    for name in test_ids:
        if name not in known:
            raise UsageError(f"No reference '{name}'. {nearest(name, known)}")
    scores = debias(study.references).frame.set_index("reference_id")[list(DIMENSIONS)]
    scored = scores.dropna()
    references = study.references[study.references["reference_id"].isin(scored.index)]
    generator = np.random.default_rng(seed)
    names = sorted(scored.index)
    drawn = generator.permutation(len(names))[: round(held_out * len(names))]
    kept_apart = {names[place] for place in drawn} | set(test_ids)
    close = close_pairs(references, neighbours, seed=seed) if len(names) > 1 else []
    inside = [[name in kept_apart for name in pair] for pair in close]
    training = [pair for pair, out in zip(close, inside, strict=True) if not any(out)]
    testing = [pair for pair, out in zip(close, inside, strict=True) if all(out)]
    if not training:
        raise DataError(
            f"No two of {len(names)} references with all three scores make a training pair. Add"
            " reviewed papers, hold out fewer, or raise --neighbours."
        )
    order = generator.permutation(len(training))[:pairs]
    ids = tuple(sorted(kept_apart))
    return TrainingPairs(
        train=tuple(_labelled(training[place], scored, generator) for place in order),
        test=tuple(_labelled(pair, scored, generator) for pair in testing),
        held_out=ids,
        digest=hashlib.sha256("\n".join(ids).encode()).hexdigest(),
        available=len(training),
        asked=pairs,
        crossing=sum(any(out) and not all(out) for out in inside),
        unscored=len(scores) - len(scored),
        seed=seed,
        neighbours=neighbours,
    )


def explained(
    study: Study,
    made: TrainingPairs,
    client: ChatClient,
    *,
    parameters: Mapping[str, Any] | None = None,
    progress: Callable[[Progress], None] | None = None,
    stop: StopSignal | None = None,
    **more: Any,
) -> tuple[TrainingPairs, RunReport]:
    """The training pairs with a teacher's reasons, given the labels; calls are kept and resumed.

    ``more`` goes to :func:`core.judging.run.run` (limits, budget, prices, retry, retry_failed).
    """
    from dataclasses import replace

    if study.folder is None:
        raise UsageError("This study is not in a folder, so no call could be kept.")
    texts = _texts(study.references)
    tasks = [_reason_task(pair, texts) for pair in made.train]
    with CallsLog(study.folder / CALLS_FILE, scrub=client.scrub) as log:
        report = run(
            tasks, client, log, parameters=parameters, progress=progress, stop=stop, **more
        )
    reasons = {
        (str(o.task.key["first"]), str(o.task.key["second"])): str(o.reading.values["reason"])
        for o in report.outcomes
        if o.reading.values is not None
    }
    train = tuple(
        replace(pair, reason=reasons.get((pair.first, pair.second), "")) for pair in made.train
    )
    return replace(made, train=train), report


def records(
    study: Study, pairs: Sequence[LabelledPair], form: str = "alpaca"
) -> list[dict[str, Any]]:
    """One example a pair, as LLaMA-Factory reads it: the prompt that a judge gets, and the reply.

    'alpaca': system, instruction, input (empty), output. 'messages': a list of role and content.
    """
    if form not in get_args(Form):
        raise UsageError(f"--form {form!r}: no such form. {nearest(form, get_args(Form))}")
    texts = _texts(study.references)
    template = load_template(PROMPT)
    found: list[dict[str, Any]] = []
    for pair in pairs:
        system, user = template.messages(
            first=fence("FIRST IDEA", texts[pair.first]),
            second=fence("SECOND IDEA", texts[pair.second]),
        )
        marks = {name: pair.outcome[name] for name in _REPLY_ORDER}
        plain = {n: int(v) if v == int(v) else v for n, v in marks.items()}
        reply = json.dumps({"reason": pair.reason, **plain}, ensure_ascii=False)
        if form == "alpaca":
            found.append(
                {
                    "system": system.content,
                    "instruction": user.content,
                    "input": "",
                    "output": reply,
                }
            )
        else:
            turns = (("system", system.content), ("user", user.content), ("assistant", reply))
            found.append({"messages": [{"role": r, "content": text} for r, text in turns]})
    return found


def write_training_pairs(
    study: Study, made: TrainingPairs, folder: Path, form: str = "alpaca"
) -> None:
    """train.jsonl, test.jsonl, dataset_info.json (for LLaMA-Factory) and split.json (ids held
    out, digest, seed, counts), each whole or not at all."""
    parts = {"train": made.train, "test": made.test}
    for name, pairs in parts.items():
        with replacing(folder / f"{name}.jsonl") as file:
            for record in records(study, pairs, form):
                file.write((json.dumps(record, ensure_ascii=False) + "\n").encode())
    split = {
        "held_out_digest": made.digest,
        "held_out": list(made.held_out),
        "seed": made.seed,
        "neighbours": made.neighbours,
        "train": len(made.train),
        "test": len(made.test),
        "crossing": made.crossing,
        "unscored": made.unscored,
        "unexplained": made.unexplained,
        "prompt": load_template(PROMPT).version,
    }
    for file_name, content in (
        ("dataset_info.json", {f"foreseen_{name}": _described(name, form) for name in parts}),
        ("split.json", split),
    ):
        with replacing(folder / file_name) as file:
            file.write((json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def _labelled(
    pair: tuple[str, str], scores: pd.DataFrame, generator: np.random.Generator
) -> LabelledPair:
    first, second = pair if generator.random() < 0.5 else pair[::-1]
    gap = scores.loc[first] - scores.loc[second]
    near = gap.abs() < 1e-9
    outcome = {name: 0.5 if near[name] else 1.0 if gap[name] > 0 else 0.0 for name in DIMENSIONS}
    return LabelledPair(first=first, second=second, outcome=outcome)


def _reason_task(pair: LabelledPair, texts: Mapping[str, str]) -> Task:
    template = load_template(REASONS)
    outcome = "\n".join(f"- {name}: {_WORDS[pair.outcome[name]]}" for name in _REPLY_ORDER)
    return Task(
        kind=REASONS,
        key={"first": pair.first, "second": pair.second},
        messages=template.messages(
            first=fence("FIRST IDEA", texts[pair.first]),
            second=fence("SECOND IDEA", texts[pair.second]),
            outcome=outcome,
        ),
        fields=(Text(name="reason", longest=800),),
        template=template.version,
        expected_tokens=120,
    )


def _described(name: str, form: str) -> dict[str, Any]:
    told: dict[str, Any] = {"file_name": f"{name}.jsonl"}
    if form == "alpaca":
        columns = {"prompt": "instruction", "query": "input", "response": "output"}
        return {**told, "columns": {**columns, "system": "system"}}
    tags = {"role_tag": "role", "content_tag": "content", "user_tag": "user"}
    return {
        **told,
        "formatting": "sharegpt",
        "columns": {"messages": "messages"},
        "tags": {**tags, "assistant_tag": "assistant", "system_tag": "system"},
    }


def _texts(references: pd.DataFrame) -> dict[str, str]:
    return {str(row["reference_id"]): reference_text(row) for row in references.to_dict("records")}
