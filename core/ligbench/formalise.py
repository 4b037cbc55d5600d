"""Ideas and papers brought into four formal parts by a model (LigBench §3.1, B.1 and B.2).

The point is to take away style and length, so both lengths are kept for a view. The text that
was there stays; parts that are there stay too, unless they are to be replaced.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import pandas as pd

from core.errors import UsageError
from core.judging.choosing import chosen_ideas
from core.judging.fields import Field, Text, Texts
from core.judging.judgements import Judgements
from core.judging.locking import writing
from core.judging.prompts import fence, fenced_parts, load_template
from core.judging.report import Outcome
from core.judging.tables import stored
from core.judging.task import Task
from core.schema import FORMAL_PARTS, IDEA_TEXTS, in_formal_parts
from core.study import Study

KIND = "formalise"
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


def formal_tasks(
    study: Study,
    table: FormalTable = "ideas",
    *,
    ids: Sequence[str] | None = None,
    limit: int | None = None,
    replace_parts: bool = False,
) -> Judgements:
    """What to ask for the four parts of ideas or references, in one stage or two.

    Rows with all four parts are left as they are, unless ``replace_parts``. A row gets its parts
    together or, where one reply failed, none. A paper that has sections is asked first which of
    them are the usual ones; its parts wait for that.
    """
    rows, left_out = rows_to_formalise(
        study, table, ids=ids, limit=limit, replace_parts=replace_parts
    )
    if table == "ideas":
        return Judgements(
            kind=KIND,
            tasks=idea_tasks(rows),
            left_out=tuple(left_out),
            keep=partial(_keep, table),
            marks=False,
        )
    sections = section_tasks(rows)

    def parts(outcomes: Sequence[Outcome]) -> Judgements:
        mapped = {
            str(outcome.task.key["reference_id"]): dict(outcome.reading.values)
            for outcome in outcomes
            if outcome.reading.values is not None
        }
        waiting = {str(task.key["reference_id"]) for task in sections} - set(mapped)
        ready = rows[~rows["reference_id"].isin(waiting)]
        alone = len(ready) - len(mapped)
        said = f"{alone} references have no sections: their parts are from the abstract"
        return Judgements(
            kind=KIND,
            tasks=tuple(part_tasks(ready, mapped)),
            notes=(said,) if alone else (),
            keep=partial(_keep, table),
            marks=False,
        )

    return Judgements(
        kind=KIND,
        tasks=sections,
        left_out=tuple(left_out),
        keep=_keep_nothing,
        then=parts,
        later=tuple(part_tasks(rows, {})),
        marks=False,
    )


def whole_parts(
    outcomes: Sequence[Outcome], table: FormalTable = "ideas"
) -> dict[str, dict[str, str]]:
    """The rows whose four parts all came, by id."""
    parts: dict[str, dict[str, str]] = {}
    for outcome in outcomes:
        name = str(outcome.task.key.get(_id(table)))
        for part, value in (outcome.reading.values or {}).items():
            parts.setdefault(name, {})[part] = _as_text(value)
    return {name: found for name, found in parts.items() if set(found) == set(FORMAL_PARTS)}


def failures(outcomes: Sequence[Outcome]) -> list[tuple[str, str, str]]:
    """(id, 'idea', a part or 'sections', reason) of the replies that could not be used."""
    return [
        (
            str(next(iter(outcome.task.key.values()))),
            outcome.task.kind.removeprefix("formalise_"),
            outcome.reading.reason or outcome.reading.state,
        )
        for outcome in outcomes
        if outcome.reading.values is None
    ]


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
    whole = in_formal_parts(frame)
    texts = [original_text(row, table) for row in frame.to_dict("records")]
    empty = pd.Series([not text for text in texts], index=frame.index, dtype=bool)
    left_out = [(str(name), "it has no text of its own") for name in frame.loc[empty, _id(table)]]
    if not replace_parts:
        left_out += [
            (str(name), "it has all four parts") for name in frame.loc[whole & ~empty, _id(table)]
        ]
        empty |= whole
    return frame[~empty].reset_index(drop=True), left_out


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


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().strip()
    return "\n".join(f"{n}. {_as_text(item)}" for n, item in enumerate(value, 1))


def _keep_nothing(study: Study, outcomes: Sequence[Outcome], judge: str) -> Study:  # noqa: ARG001
    """Which section is which stands in the calls alone."""
    return study


def _keep(table: FormalTable, study: Study, outcomes: Sequence[Outcome], judge: str) -> Study:  # noqa: ARG001
    """Write the parts into the table as it is on disk now; rows that came meanwhile stay."""
    parts = whole_parts(outcomes, table)
    if not parts or study.folder is None:
        return study
    with writing(study.folder):
        frame = stored(study, table)
        names = frame[_id(table)]
        for part in FORMAL_PARTS:
            made = names.map({name: found[part] for name, found in parts.items()})
            frame[part] = made.where(made.notna(), frame[part]).astype("str")
        return study.write(table, frame)


def _id(table: FormalTable) -> str:
    return "idea_id" if table == "ideas" else "reference_id"
