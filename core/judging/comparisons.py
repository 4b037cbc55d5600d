"""LigBench's comparisons: is the idea better than a reviewed paper, on three dimensions? (B.3)

No score, decision or venue of the reference reaches the prompt, and the judge is not told which
of the two is the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, get_args

import pandas as pd

from core.config import COMPARED_REFERENCES, LIGBENCH_REPEATS
from core.errors import UsageError, nearest
from core.judging.choosing import chosen_ideas, formal_text, reference_text
from core.judging.fields import Field, OneNumber, Text
from core.judging.judgements import Judgements
from core.judging.prompts import fence, load_template
from core.judging.scores import idea_text
from core.judging.tables import rebuild
from core.judging.task import Task
from core.ligbench.debias import DIMENSIONS
from core.ligbench.retrieval import close_pairs, retrieve
from core.matching.encoders import Encoder
from core.matching.vectors import Progress
from core.schema import ORDERS, OUTCOMES
from core.study import Study

KIND = "comparisons"
REASON_LETTERS = 600
Orders = Literal["both", "idea_first"]
FIELDS: tuple[Field, ...] = (
    Text(name="reason", longest=REASON_LETTERS, blank=True),
    *(OneNumber(name=name, allowed=OUTCOMES) for name in ("rating", "soundness", "contribution")),
)


def comparison_tasks(
    study: Study,
    *,
    references: int = COMPARED_REFERENCES,
    orders: str = "both",
    repeats: int = LIGBENCH_REPEATS,
    ideas: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    limit: int | None = None,
    encoder: Encoder | str | None = None,
    embedding: bool = True,
    seed: int = 0,
    progress: Progress | None = None,
) -> Judgements:
    """Tasks for each repeat, rank of the reference, idea and order.

    In this order, so that a run that stops early has compared every idea about as often.
    ``orders`` 'idea_first' shows the idea first only, as the paper does: then a judge's liking
    for the first place is not seen. An idea without text or without a reference is left out.
    """
    shown = _orders(orders)
    _check_repeats(repeats)
    chosen = chosen_ideas(study.ideas, ideas=ideas, systems=systems, limit=limit)
    texts = {str(row["idea_id"]): formal_text(row) or idea_text(row) for row in _rows(chosen)}
    left_out = [(name, "it has no text to judge") for name, text in texts.items() if not text]
    with_text = chosen[chosen["idea_id"].map(texts) != ""]
    found = retrieve(
        study,
        with_text,
        n=references,
        encoder=encoder,
        embedding=embedding,
        seed=seed,
        progress=progress,
    )
    left_out += [
        (name, "no reference shares a word with it") for name, count in found.short if count == 0
    ]
    pairs = [
        (str(idea), str(reference))
        for idea, reference in found.frame.sort_values("rank", kind="stable")[
            ["idea_id", "reference_id"]
        ].itertuples(index=False)
    ]
    notes = [
        f"{name}: {count} references, {references} were asked for"
        for name, count in found.short
        if count
    ]
    notes += [f"{idea}: {other} is left out: {why}" for idea, other, why in found.excluded]
    if found.repeated:
        some = ", ".join(found.repeated[:5]) + (", …" if len(found.repeated) > 5 else "")
        notes.append(f"{len(found.repeated)} references repeat another's title, left out: {some}")
    by_id = {str(row["reference_id"]): reference_text(row) for row in _rows(study.references)}
    bare = _without_parts(chosen, study.references, pairs)
    return Judgements(
        kind=KIND,
        tasks=_tasks(pairs, texts, by_id, shown, repeats),
        left_out=tuple(left_out),
        notes=(*notes, *bare),
    )


def reference_pair_tasks(
    study: Study,
    *,
    pairs: int,
    neighbours: int = 5,
    orders: str = "both",
    repeats: int = LIGBENCH_REPEATS,
    seed: int = 0,
) -> Judgements:
    """Tasks on pairs of references close in theme, to hold a judge to reviewers (§4.2).

    ``pairs`` of them are drawn by ``seed`` from all in which one is among the other's
    ``neighbours`` nearest by keywords. The first of a pair stands in the idea's place.
    """
    import numpy as np

    shown = _orders(orders)
    _check_repeats(repeats)
    close = close_pairs(study.references, neighbours, seed=seed)
    order = np.random.default_rng(seed).permutation(len(close))[:pairs]
    drawn = [close[place] for place in order]
    texts = {str(row["reference_id"]): reference_text(row) for row in _rows(study.references)}
    notes = (f"{len(close)} pairs are close in theme, {pairs} were asked for",)
    return Judgements(
        kind=KIND,
        tasks=_tasks(drawn, texts, texts, shown, repeats),
        notes=notes if len(close) < pairs else (),
    )


def rebuild_comparisons(study: Study, *, judge: str | None = None) -> Study:
    """Write the ``comparisons`` of model judges again from ``calls.jsonl``; other rows stay."""

    def turned(row: dict[str, Any]) -> dict[str, Any]:
        ok = row["state"] == "ok"
        return {**row, **idea_side(str(row["order"]))(row)} if ok else row

    return rebuild(study, KIND, FIELDS, judge=judge, turn=turned)


def idea_side(order: str) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """Turns a reply, which speaks of first and second, to the idea's side: 1 idea better."""

    def turn(values: Mapping[str, Any]) -> Mapping[str, Any]:
        turned = order == "reference_first"
        marks = {name: 1 - values[name] if turned else values[name] for name in DIMENSIONS}
        return {"reason": values["reason"], **marks}

    return turn


def _tasks(
    pairs: Sequence[tuple[str, str]],
    first: Mapping[str, str],
    second: Mapping[str, str],
    orders: Sequence[str],
    repeats: int,
) -> tuple[Task, ...]:
    template = load_template(KIND)
    tasks = []
    for repeat in range(1, repeats + 1):
        for idea_id, reference_id in pairs:
            texts = [first[idea_id], second[reference_id]]
            for order in orders:
                one, other = texts if order == "idea_first" else reversed(texts)
                tasks.append(
                    Task(
                        kind=KIND,
                        key={"idea_id": idea_id, "reference_id": reference_id, "order": order},
                        messages=template.messages(
                            first=fence("FIRST IDEA", one), second=fence("SECOND IDEA", other)
                        ),
                        fields=FIELDS,
                        template=template.version,
                        repeat=repeat,
                        to_row=idea_side(order),
                        expected_tokens=150,
                    )
                )
    return tuple(tasks)


def _orders(orders: str) -> tuple[str, ...]:
    if orders not in get_args(Orders):
        raise UsageError(
            f"--orders {orders!r}: no such choice. {nearest(orders, get_args(Orders))}"
        )
    return ORDERS if orders == "both" else ("idea_first",)


def _check_repeats(repeats: int) -> None:
    if repeats < 1:
        raise UsageError(f"--repeats must be at least 1 (given: {repeats})")


def _without_parts(
    ideas: pd.DataFrame, references: pd.DataFrame, pairs: Sequence[tuple[str, str]]
) -> list[str]:
    """Notes on sides that are shown as they are, where length and style may decide."""
    met = {reference for _, reference in pairs}
    sides = (
        ("ideas", ideas[ideas["idea_id"].isin({idea for idea, _ in pairs})]),
        ("references", references[references["reference_id"].isin(met)]),
    )
    notes = []
    for name, frame in sides:
        bare = sum(not formal_text(row) for row in _rows(frame))
        if bare:
            notes.append(
                f"{bare} of {len(frame)} {name} have no formal parts and are shown in their own"
                f" words. Make parts with `foreseen judge formalise STUDY --model M --table {name}`"
            )
    return notes


def _rows(frame: pd.DataFrame) -> list[Mapping[str, Any]]:
    return frame.to_dict("records")  # type: ignore[no-any-return]
