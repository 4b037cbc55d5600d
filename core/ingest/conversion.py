"""A foreign file's rows as rows of ours, each cell read or its row dropped with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.cells import is_missing, parse_number, parse_record
from core.errors import DataError, Problem, UsageError
from core.ingest.cleaning import clean_text, clean_value, was_cleaned
from core.ingest.dates import read_date
from core.ingest.identifiers import content_id
from core.ingest.mapping import OWN_ID, FieldMapping, ImportOptions, Source, cells_of
from core.ingest.papers import settle_paper
from core.ingest.reference_shapes import FORMATS as REFERENCE_FORMATS
from core.ingest.report import DroppedRow
from core.ingest.reviews import MARKS, Scales, settle_marks
from core.ingest.sections import HEADINGS, split_sections
from core.ingest.synonyms import plain_name
from core.ingest.tabular import RawFile
from core.schema import FORMAL_PARTS, IDEA_TEXTS, Table, admit

_NO_VALUE = frozenset({"nan", "na", "n/a", "null", "none", "nat", "<na>", "-", "--", "?"})
_NO_TEXT = frozenset({"nan", "null", "<na>"})
_NEVER_LOOKED_UP = {"gscitation": ("-1",)}
_UNWRAPPED = {"papers": ("title", "abstract"), "references": ("title", "abstract")}


@dataclass(frozen=True, kw_only=True)
class Converted:
    """One file's rows in the table's types, with the line of each.

    ``given`` names the columns that the file fills.
    """

    frame: pd.DataFrame
    lines: tuple[int, ...]
    given: frozenset[str]
    dropped: tuple[DroppedRow, ...]
    personal: tuple[str, ...]
    counts: Mapping[str, int]

    @property
    def notes(self) -> tuple[str, ...]:
        """What else was done, in words."""
        return counted(self.counts)


def counted(notes: Mapping[str, int]) -> tuple[str, ...]:
    """Notes with their counts put in; what a file wrote into them stays as it is."""
    return tuple(text.replace("{count}", str(count)) for text, count in notes.items())


def convert(
    table: Table,
    raw: RawFile,
    mapping: FieldMapping,
    options: ImportOptions,
    *,
    part: bool = False,
) -> Converted:
    """Apply a mapping to a file, or to a ``part`` of one, of which no row need be left.

    A row is dropped where it has no text (or no mark), or where a cell cannot be read; its line
    and reason are kept. Raises :class:`DataError` where a number stands for 'unknown' without
    being said to, or where no row is left.
    """
    run = _Run(table, raw, mapping, options)
    rows = run.rows()
    frame, problems = admit(table, pd.DataFrame(rows, dtype=object), file=raw.name, unique=False)
    kept = run.drop_bad(frame, problems)
    if not len(kept) and not part:
        first = "; ".join(f"line {row.line}: {row.reason}" for row in run.dropped[:3])
        raise DataError(f"{raw.name}: every row would be dropped, so nothing was imported. {first}")
    run.dropped.sort(key=lambda row: row.line)
    lines = tuple(run.lines[row] for row in kept)
    return Converted(
        frame=frame.loc[kept].reset_index(drop=True),
        lines=lines,
        given=frozenset(name for row in rows for name in row),
        dropped=tuple(run.dropped),
        personal=tuple(sorted({*mapping.personal, *run.personal})),
        counts=dict(run.counts),
    )


class _Run:
    """The state of one conversion: what was dropped and counted on the way."""

    def __init__(
        self, table: Table, raw: RawFile, mapping: FieldMapping, options: ImportOptions
    ) -> None:
        self.table, self.raw, self.mapping, self.options = table, raw, mapping, options
        self.dropped: list[DroppedRow] = []
        self.personal: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.lines: list[int] = []
        self.kinds = {column.name: column.kind for column in table.columns}
        self.nothing = {source.ours: self._missing_values(source) for source in mapping.sources}
        self.scales = _scales(table, options)
        self.marks = {name for name, kind in self.kinds.items() if kind in ("number", "integer")}
        self.marks -= {"repeat"} if "judge" in self.kinds else self.marks
        if options.codes and not self.marks:
            raise UsageError(f"--code is for judges' marks; {table.name} hold none.")

    def rows(self) -> list[dict[str, Any]]:
        """Every row with any content, cells cleaned but not yet typed."""
        cells = {source.ours: self._cells(source) for source in self.mapping.sources}
        self._refuse_negative_citations(cells)
        extras = {name: list(self.raw.frame[name]) for name in self.mapping.extra}
        column = self.mapping.section_column
        texts = cells_of(self.raw, column) if column else []
        rows = []
        for place, line in enumerate(self.raw.lines):
            row: dict[str, Any] = {}
            try:
                for ours, column_cells in cells.items():
                    self._put(row, ours, column_cells[place])
                if column:
                    self._put_sections(row, texts[place])
                for name, cell_values in extras.items():
                    cell = cell_values[place]
                    own = name == "extra" and _is_record(cell)
                    self._put(row, "extra" if own else f"extra.{name}", cell)
                row |= {n: v for n, v in self.mapping.constants.items() if "." not in n}
                for name, value in self.mapping.constants.items():
                    if "." in name:
                        self._put(row, name, value)
                self._settle(row)
            except ValueError as error:
                self._drop(line, str(error))
                continue
            self.lines.append(line)
            rows.append(row)
        return rows

    def drop_bad(self, frame: pd.DataFrame, problems: Sequence[Problem]) -> list[int]:
        """Drop the rows that the schema refuses; the rows that are left, by number."""
        bad: dict[int, list[str]] = {}
        for problem in problems:
            if problem.row is None:
                raise DataError(str(problem))
            given = "" if problem.value is None else f" (found {problem.value[:80]!r})"
            text = f"column '{problem.column}': {problem.message}{given}"
            bad.setdefault(problem.row - 1, []).append(text)
        for row, reasons in bad.items():
            self._drop(self.lines[row], "; ".join(reasons))
        return [row for row in range(len(frame)) if row not in bad]

    def _cells(self, source: Source) -> list[object]:
        parts = [cells_of(self.raw, part) for part in source.parts]
        if source.mode == "one":
            return parts[0]
        if source.mode == "first":
            return [
                next((c for c in row if not is_missing(c)), None)
                for row in zip(*parts, strict=True)
            ]
        joined: list[object] = []
        for row in zip(*parts, strict=True):
            texts = [clean_text(str(cell)) for cell in row if not is_missing(cell)]
            joined.append(self.options.join.join(text for text in texts if text) or None)
        return joined

    def _missing_values(self, source: Source) -> frozenset[str]:
        values: set[str] = set()
        for name, given in self.options.missing.items():
            if name == source.ours or name in source.parts:
                values |= set(given)
        for part in source.parts if source.ours == "citations" else ():
            values |= set(_NEVER_LOOKED_UP.get(plain_name(part), ()))
        return frozenset(values)

    def _put(self, row: dict[str, Any], ours: str, cell: object) -> None:
        """Put a cell into a row under one of our names, dotted ones into their record."""
        head, dot, inner = ours.partition(".")
        kind = self.kinds[head]
        word = cell.strip() if isinstance(cell, str) and ours in self.marks else ""
        if word in self.options.codes:
            row[ours] = self.options.codes[word]
            shown = word.replace("{", "{{").replace("}", "}}")
            self.counts[f"{ours}: {{count}} × '{shown}' stands as {row[ours]:g}"] += 1
            return
        if self._is_nothing(ours, kind if not dot else "record", cell):
            return
        if dot and kind == "record":
            value = clean_value(cell, self.personal)
            if value is not None:
                row.setdefault(head, {})[inner] = value
        elif kind == "record":
            value = clean_value(parse_record(cell), self.personal)
            row[head] = {**(value or {}), **row.get(head, {})}
        elif dot:
            row[ours] = cell
        elif kind in ("text", "choice"):
            row[head] = self._text(head, cell)
        elif kind == "texts" and not isinstance(cell, str):
            row[head] = clean_value(cell, self.personal)
        elif kind == "date":
            row[head] = read_date(cell)
        else:
            row[head] = self._mark(ours, cell)

    def _is_nothing(self, ours: str, kind: str, cell: object) -> bool:
        if is_missing(cell):
            return True
        values = self.nothing.get(ours)
        if values and _same_value(cell, values):
            self.counts[f"{ours}: {{count}} × {' or '.join(sorted(values))} read as unknown"] += 1
            return True
        if not isinstance(cell, str):
            return False
        words = _NO_TEXT if kind in ("text", "choice", "record") else _NO_VALUE
        if cell.strip().lower() not in words:
            return False
        self.counts[f"{ours}: {{count}} × 'NaN' or the like read as unknown"] += 1
        return True

    def _mark(self, name: str, cell: object) -> object:
        """A cell of numbers; in a judge's marks a word is refused that no code stands for."""
        if not isinstance(cell, str):
            return cell
        word = cell.strip()
        if name in self.marks and self.scales is None:
            try:
                float(word)
            except ValueError:
                raise ValueError(
                    f"column '{name}': {word[:80]!r} is no number. Where words are labels, name"
                    f' the number that stands for each: --code "{word[:20]}=NUMBER"'
                ) from None
        return word

    def _text(self, name: str, cell: object) -> object:
        if isinstance(cell, Mapping) and name == "venue":
            cell = cell.get("name") or cell.get("display_name") or ""
        if isinstance(cell, (list, tuple)) and all(isinstance(part, str) for part in cell):
            cell = "\n".join(cell)
        if not isinstance(cell, str):
            return cell
        if was_cleaned(cell):
            self.counts[f"{name}: control characters taken out of {{count}} cells"] += 1
        return clean_text(cell, unwrap=name in _UNWRAPPED.get(self.table.name, ()))

    def _put_sections(self, row: dict[str, Any], cell: object) -> None:
        if is_missing(cell):
            return
        parts = split_sections(str(cell))
        if not parts.found:
            self.counts["{count} texts without a known heading: kept whole as the method"] += 1
            row["method"] = clean_text(str(cell))
            return
        row |= parts.fields
        for name in HEADINGS:
            if name not in parts.fields:
                self.counts[f"{{count}} texts have no section for {name}"] += 1
        for name, text in parts.others.items():
            row.setdefault("extra", {})[name] = text

    def _settle(self, row: dict[str, Any]) -> None:
        """What only a whole row can tell: dates, identifiers, names made from content."""
        if self.table.name == "papers":
            settle_paper(row, self.counts, dated="published" in self.mapping.ours)
        if self.scales is not None:
            keep = self.table.name == "references"
            settle_marks(row, self.counts, self.scales, self.nothing, keep_raw=keep)
        texts = {
            "ideas": (*IDEA_TEXTS, *FORMAL_PARTS, "key_terms"),
            "papers": ("title", "abstract"),
            "references": ("title", "abstract"),
        }.get(self.table.name)
        if texts and all(is_missing(row.get(name)) for name in texts):
            raise ValueError("has no text")
        if texts is None:
            ids = {"idea_id", "paper_id", "reference_id", "judge", "repeat", "order", "call_id"}
            if row.get("state", "ok") == "ok" and not set(row) - ids - {"state"}:
                raise ValueError("has no mark")
        name = OWN_ID.get(self.table.name)
        if name and is_missing(row.get(name)):
            parts = ("system", "topic", *IDEA_TEXTS) if name == "idea_id" else ("title", "year")
            row[name] = content_id(name.removesuffix("_id"), *(row.get(part) for part in parts))
            self.counts[f"{name}: {{count}} made from the content, where the file gives none"] += 1

    def _refuse_negative_citations(self, cells: Mapping[str, list[object]]) -> None:
        if self.table.name != "papers":
            return
        for line, cell in zip(self.raw.lines, cells.get("citations", ()), strict=False):
            if is_missing(cell) or _same_value(cell, self.nothing["citations"]):
                continue
            try:
                number = parse_number(cell)
            except ValueError:
                continue
            if number < 0:
                raise DataError(
                    f"{self.raw.name}, line {line}: citations is {number:g}, and no paper has"
                    f" fewer than 0. Where it means 'not looked up', add"
                    f" --missing citations={number:g}"
                )

    def _drop(self, line: int, reason: str) -> None:
        self.dropped.append(DroppedRow(file=self.raw.name, line=line, reason=reason))


def _is_record(cell: object) -> bool:
    try:
        return bool(parse_record(cell))
    except ValueError:
        return False


def _same_value(cell: object, values: frozenset[str]) -> bool:
    text = str(cell).strip()
    if text in values:
        return True
    try:
        return any(float(text) == float(value) for value in values)
    except ValueError:
        return False


def _scales(table: Table, options: ImportOptions) -> Scales | None:
    """How review marks are brought to 0 to 5; None where the file's marks are there already."""
    if options.format == "pair-iq" and not options.scales:
        return Scales([" ".join(f"{name}=0..5" for name in MARKS)], known={})
    if options.format in REFERENCE_FORMATS or options.scales:
        if table.name not in ("references", "starts"):
            raise UsageError("--scale is for references and starts; other marks have their own.")
        return Scales(options.scales, options.study_scales)
    return None
