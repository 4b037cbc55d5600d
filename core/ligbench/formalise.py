"""Ideas and papers brought into four formal parts by a model (LigBench §3.1, B.1 and B.2).

The point is to take away style and length, so both lengths are kept for a view. The text that
was there stays; parts that are there stay too, unless they are to be replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from core.errors import UsageError
from core.judging.calls import CALLS_FILE, CallIndex, CallsLog, read_calls
from core.judging.choosing import chosen_ideas
from core.judging.client import ChatClient
from core.judging.fields import Field, Text, Texts
from core.judging.limits import Budget, Limits, Prices
from core.judging.plan import estimate, make_plan
from core.judging.prompts import fence, fenced_parts, load_template
from core.judging.report import Estimate, Outcome, Progress, RunReport
from core.judging.run import StopSignal, run
from core.judging.task import Task
from core.retry import RetryPolicy
from core.schema import FORMAL_PARTS, IDEA_TEXTS
from core.study import Study

FormalTable = Literal["ideas", "references"]
SECTIONS = ("abstract", "introduction", "related_work", "method", "experiment")
READ_FOR = {
    "main_target": ("abstract",),
    "core_breakthrough": ("abstract", "introduction", "related_work"),
    "innovative_methods": ("abstract", "method"),
    "experimental_design": ("abstract", "experiment"),
}
"""The sections of a paper from which each part is drawn (B.2)."""
_METHODS = Texts(name="innovative_methods", least=3, most=4)
_FIELDS: dict[str, Field] = {
    name: _METHODS if name == "innovative_methods" else Text(name=name) for name in FORMAL_PARTS
}
_SECTION_FIELDS: tuple[Field, ...] = tuple(Texts(name=name) for name in SECTIONS)
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Formalised:
    """What was made: the runs (one for ideas; for papers sections, then parts), the rows that
    got parts, those left out with the reason, lengths in words, and the study after it.

    ``lengths``: see :func:`lengths`. ``failed``: (id, part or 'sections', reason).
    """

    table: str
    runs: tuple[RunReport, ...]
    made: int
    left_out: tuple[tuple[str, str], ...]
    failed: tuple[tuple[str, str, str], ...]
    lengths: pd.DataFrame
    notes: tuple[str, ...]
    study: Study


def lengths(study: Study, table: FormalTable = "ideas") -> pd.DataFrame:
    """Words before and after: id, before (original text), after (four parts), ratio.

    ``after`` and ``ratio`` are None where a row has no parts, ``before`` where it has no other
    text.
    """
    name = _id(table)
    rows = []
    for row in getattr(study, table).to_dict("records"):
        before = sum(len(text.split()) for text in _own_texts(row, table).values()) or None
        after = len(" ".join(str(row[p]) for p in FORMAL_PARTS if not pd.isna(row[p])).split())
        rows.append(
            {
                name: row[name],
                "before": before,
                "after": after or None,
                "ratio": after / before if before and after else None,
            }
        )
    return pd.DataFrame(rows, columns=[name, "before", "after", "ratio"])


def original_text(row: Mapping[str, Any], table: FormalTable) -> str:
    """A row's own words: an idea's title, problem, rationale, method; a paper's title, sections."""
    return fenced_parts(_own_texts(row, table))


def _own_texts(row: Mapping[str, Any], table: FormalTable) -> dict[str, str]:
    names = IDEA_TEXTS if table == "ideas" else ("title", "abstract")
    texts = {name.capitalize(): str(row[name]) for name in names if not pd.isna(row[name])}
    return texts if table == "ideas" else {**texts, **paper_sections(row)}


def paper_sections(row: Mapping[str, Any]) -> dict[str, str]:
    """A paper's sections by heading, from ``extra``: 'sections' (an object, or a list of objects
    with a heading and a text) or 'full_text' (Markdown headings). Empty where there are none."""
    extra = row.get("extra") or {}
    given = extra.get("sections")
    if isinstance(given, Mapping):
        return {str(k): str(v) for k, v in given.items() if str(v).strip()}
    if isinstance(given, list):
        found = {}
        for item in given:
            if isinstance(item, Mapping):
                heading = item.get("heading") or item.get("title") or item.get("name")
                text = item.get("text") or item.get("content")
                if heading and text:
                    found[str(heading)] = str(text)
        return found
    text = extra.get("full_text")
    if not isinstance(text, str):
        return {}
    parts = _HEADING.split(text)
    return {
        h: body.strip() for h, body in zip(parts[1::2], parts[2::2], strict=True) if body.strip()
    }


def idea_tasks(rows: pd.DataFrame) -> tuple[Task, ...]:
    """One task an idea (B.1)."""
    template = load_template("formalise_idea")
    return tuple(
        Task(
            kind="formalise_idea",
            key={"idea_id": str(row["idea_id"])},
            messages=template.messages(idea=fence("IDEA", original_text(row, "ideas"))),
            fields=tuple(_FIELDS.values()),
            template=template.version,
            expected_tokens=250,
        )
        for row in rows.to_dict("records")
    )


def section_tasks(rows: pd.DataFrame) -> tuple[Task, ...]:
    """One task a paper that has sections: its headings to the five usual ones (B.2)."""
    template = load_template("formalise_sections")
    tasks = []
    for row in rows.to_dict("records"):
        headings = list(paper_sections(row))
        if headings:
            tasks.append(
                Task(
                    kind="formalise_sections",
                    key={"reference_id": str(row["reference_id"])},
                    messages=template.messages(headings=fence("HEADINGS", "\n".join(headings))),
                    fields=_SECTION_FIELDS,
                    template=template.version,
                    expected_tokens=100,
                )
            )
    return tuple(tasks)


def part_tasks(rows: pd.DataFrame, mapped: Mapping[str, Mapping[str, Sequence[str]]]) -> list[Task]:
    """Four tasks a paper, each from the sections that the part is drawn from (B.2).

    ``mapped`` gives for a paper the headings of each usual section; without it, or where a
    section has none, the abstract of the table stands alone.
    """
    tasks = []
    for row in rows.to_dict("records"):
        name = str(row["reference_id"])
        texts = _usual_sections(row, mapped.get(name, {}))
        for part, sections in READ_FOR.items():
            shown = {s.replace("_", " ").capitalize(): texts[s] for s in sections if s in texts}
            template = load_template(f"formalise_{part}")
            tasks.append(
                Task(
                    kind=f"formalise_{part}",
                    key={"reference_id": name},
                    messages=template.messages(text=fence("PAPER", fenced_parts(shown))),
                    fields=(_FIELDS[part],),
                    template=template.version,
                    expected_tokens=100,
                )
            )
    return tasks


def formalise(
    study: Study,
    client: ChatClient,
    *,
    table: FormalTable = "ideas",
    ids: Sequence[str] | None = None,
    limit: int | None = None,
    replace_parts: bool = False,
    parameters: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    budget: Budget | None = None,
    prices: Prices | None = None,
    retry: RetryPolicy | None = None,
    retry_failed: bool = False,
    progress: Callable[[Progress], None] | None = None,
    stop: StopSignal | None = None,
) -> Formalised:
    """Ask a model for the four parts of ideas or references and write them to the table.

    Rows with all four parts are left as they are, unless ``replace_parts``; a row gets its parts
    together or, where one reply failed, none. Calls are kept; a run that stopped goes on.
    """
    if study.folder is None:
        raise UsageError("This study is not in a folder, so no call could be kept.")
    rows, left_out = rows_to_formalise(
        study, table, ids=ids, limit=limit, replace_parts=replace_parts
    )
    runs: list[RunReport] = []

    def ask(tasks: Sequence[Task]) -> tuple[Outcome, ...]:
        assert study.folder is not None
        with CallsLog(study.folder / CALLS_FILE, scrub=client.scrub) as log:
            report = run(
                tasks,
                client,
                log,
                parameters=parameters,
                limits=limits,
                budget=budget,
                prices=prices,
                retry=retry,
                retry_failed=retry_failed,
                progress=progress,
                stop=stop,
            )
        runs.append(report)
        return report.outcomes

    failed: list[tuple[str, str, str]] = []
    notes: list[str] = []
    if table == "ideas":
        parts = _parts(ask(idea_tasks(rows)), "idea_id", failed)
    else:
        mapped = _mapping(ask(section_tasks(rows)), failed)
        waiting = {str(t.key["reference_id"]) for t in section_tasks(rows)} - set(mapped)
        ready = rows[~rows["reference_id"].isin(waiting)]
        alone = len(ready) - len(mapped)
        if alone:
            notes.append(f"{alone} references have no sections: their parts are from the abstract")
        parts = {}
        if runs[-1].stopped is None:
            parts = _parts(ask(part_tasks(ready, mapped)), "reference_id", failed)
    whole = {name: found for name, found in parts.items() if set(found) == set(FORMAL_PARTS)}
    study = _written(study, table, whole)
    made = lengths(study, table)
    return Formalised(
        table=table,
        runs=tuple(runs),
        made=len(whole),
        left_out=tuple(left_out),
        failed=tuple(failed),
        lengths=made[made[_id(table)].isin(whole)].reset_index(drop=True),
        notes=tuple(notes),
        study=study,
    )


def rows_to_formalise(
    study: Study,
    table: FormalTable,
    *,
    ids: Sequence[str] | None = None,
    limit: int | None = None,
    replace_parts: bool = False,
) -> tuple[pd.DataFrame, list[tuple[str, str]]]:
    """Rows that need parts, and those left out with the reason."""
    if table not in ("ideas", "references"):
        raise UsageError(f"--table {table!r}: must be ideas or references")
    frame = chosen_ideas(getattr(study, table), ideas=ids, limit=limit, name=_id(table))
    whole = frame[list(FORMAL_PARTS)].notna().all(axis=1)
    texts = [original_text(row, table) for row in frame.to_dict("records")]
    empty = pd.Series([not text for text in texts], index=frame.index, dtype=bool)
    left_out = [(str(name), "it has no text of its own") for name in frame.loc[empty, _id(table)]]
    if not replace_parts:
        left_out += [
            (str(name), "it has all four parts") for name in frame.loc[whole & ~empty, _id(table)]
        ]
        empty |= whole
    return frame[~empty].reset_index(drop=True), left_out


def estimate_formalise(
    study: Study,
    rows: pd.DataFrame,
    *,
    table: FormalTable,
    model: str,
    parameters: Mapping[str, Any],
    prices: Prices | None = None,
    retry_failed: bool = False,
) -> Estimate:
    """What :func:`formalise` would ask for; a paper's sections are taken as not mapped yet, so
    calls for its parts are counted with the abstract's length."""
    tasks = idea_tasks(rows) if table == "ideas" else (*section_tasks(rows), *part_tasks(rows, {}))
    calls = () if study.folder is None else read_calls(study.folder / CALLS_FILE).calls
    plan = make_plan(tasks, model, parameters, CallIndex(calls), retry_failed=retry_failed)
    return estimate(plan, parameters, prices, [call for call in calls if call.model == model])


def _usual_sections(
    row: Mapping[str, Any], headings: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    own = paper_sections(row)
    texts = {
        usual: "\n\n".join(own[heading] for heading in given if heading in own)
        for usual, given in headings.items()
    }
    found = {usual: text for usual, text in texts.items() if text}
    if "abstract" not in found:
        found["abstract"] = str(row["title"] if pd.isna(row["abstract"]) else row["abstract"])
    return found


def _mapping(
    outcomes: Sequence[Outcome], failed: list[tuple[str, str, str]]
) -> dict[str, dict[str, tuple[str, ...]]]:
    mapped = {}
    for outcome in outcomes:
        name = str(outcome.task.key["reference_id"])
        if outcome.reading.values is None:
            failed.append((name, "sections", outcome.reading.reason or outcome.reading.state))
            continue
        mapped[name] = dict(outcome.reading.values)
    return mapped


def _parts(
    outcomes: Sequence[Outcome], key: str, failed: list[tuple[str, str, str]]
) -> dict[str, dict[str, str]]:
    parts: dict[str, dict[str, str]] = {}
    for outcome in outcomes:
        name = str(outcome.task.key[key])
        if outcome.reading.values is None:
            what = outcome.task.kind.removeprefix("formalise_")
            failed.append((name, what, outcome.reading.reason or outcome.reading.state))
            continue
        for part, value in outcome.reading.values.items():
            parts.setdefault(name, {})[part] = _as_text(value)
    return parts


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().strip()
    return "\n".join(f"{n}. {_as_text(item)}" for n, item in enumerate(value, 1))


def _written(study: Study, table: FormalTable, parts: Mapping[str, Mapping[str, str]]) -> Study:
    if not parts:
        return study
    frame = getattr(study, table).copy()
    names = frame[_id(table)]
    for part in FORMAL_PARTS:
        made = names.map({name: found[part] for name, found in parts.items()})
        frame[part] = made.where(made.notna(), frame[part]).astype("str")
    return study.write(table, frame)


def _id(table: FormalTable) -> str:
    return "idea_id" if table == "ideas" else "reference_id"
