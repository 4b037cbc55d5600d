"""Which of a file's columns is which of ours: as given, else as guessed from its name.

What can be written on the left of ``theirs=ours``:

- a column: ``rater=judge`` (case, spaces and underscores are free);
- a nested key, by dots: ``externalIds.DOI=identifiers.doi``;
- several joined into one text: ``problem+motivation=problem`` (parted by ``join``);
- the first that is not empty: ``published_at|created_at=published``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.cells import is_missing, parse_number
from core.errors import DataError, UsageError, nearest
from core.ingest.cleaning import is_personal
from core.ingest.reference_shapes import FORMATS as REFERENCE_FORMATS
from core.ingest.report import How, MappedColumn
from core.ingest.sections import HEADINGS, are_sectioned
from core.ingest.synonyms import ID_MONTH, MONTH, STATUS, SYNONYMS, TRACK, YEAR, plain_name
from core.ingest.tabular import RawFile
from core.schema import FORMAL_PARTS, IDEA_TEXTS, Table

FORMATS = ("generic", *REFERENCE_FORMATS)
DEFAULT_JOIN = "\n\n"
_PARTS = (YEAR, MONTH, ID_MONTH, TRACK, STATUS)
_NESTED = ("identifiers.", "extra.")
OWN_ID = {"ideas": "idea_id", "papers": "paper_id", "references": "reference_id"}
_NOT_MARKS = {"idea_id", "paper_id", "reference_id", "judge", "repeat", "order", "call_id"}
_LABEL_WIDTH = 40


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """What the user says of the files. ``missing`` holds, by column of theirs or ours, the
    values that mean unknown; ``constants`` the values that every row gets; ``scales`` those of
    review marks, by venue and year, and ``study_scales`` the study's own; ``codes`` the number
    that stands for each word in a column of marks. ``split_sections`` names the column to part by
    its headings; None leaves it to a guess, and an empty text parts none."""

    maps: tuple[str, ...] = ()
    join: str = DEFAULT_JOIN
    constants: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    split_sections: str | None = None
    drop: tuple[str, ...] = ()
    format: str = "generic"
    scales: tuple[str, ...] = ()
    study_scales: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise UsageError(f"No format '{self.format}'. {nearest(self.format, FORMATS)}")


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where one of our columns comes from. ``parts`` are columns or dotted paths."""

    ours: str
    parts: tuple[str, ...]
    mode: Literal["one", "join", "first"]
    how: How

    @property
    def shown(self) -> MappedColumn:
        sign = {"one": "", "join": " + ", "first": " | "}[self.mode]
        return MappedColumn(theirs=sign.join(self.parts), ours=self.ours, how=self.how)


@dataclass(frozen=True, kw_only=True)
class FieldMapping:
    """A file's columns parted into those that are ours, extra, left out and personal."""

    table: str
    sources: tuple[Source, ...]
    constants: Mapping[str, str]
    section_column: str | None
    extra: tuple[str, ...]
    left_out: tuple[str, ...]
    personal: tuple[str, ...]

    @property
    def ours(self) -> frozenset[str]:
        """Our columns that this file fills."""
        names = {source.ours for source in self.sources} | set(self.constants)
        return frozenset(names | (set(HEADINGS) if self.section_column else set()))

    @property
    def shown(self) -> tuple[MappedColumn, ...]:
        """Every pair, for the user to see."""
        lines = [source.shown for source in self.sources]
        lines += [
            MappedColumn(theirs=f"{value!r}", ours=name, how="constant")
            for name, value in self.constants.items()
        ]
        if self.section_column:
            lines.append(
                MappedColumn(theirs=self.section_column, ours=", ".join(HEADINGS), how="section")
            )
        return tuple(lines)


def read_codes(texts: Iterable[str]) -> dict[str, float]:
    """The number of each word in marks, from ``WORD=NUMBER``; raises :class:`UsageError`.

    A word may hold an equals sign; the last one parts it from its number.
    """
    found: dict[str, float] = {}
    for text in texts:
        word, _, number = text.rpartition("=")
        try:
            value = parse_number(number)
        except ValueError:
            word = ""
        if not word.strip():
            raise UsageError(f"--code {text!r}: must be WORD=NUMBER, such as Accept=10")
        if found.setdefault(word.strip(), value) != value:
            raise UsageError(f"--code gives '{word.strip()}' two numbers. Give one.")
    return found


def propose_mapping(table: Table, raw: RawFile, options: ImportOptions) -> FieldMapping:
    """The mapping of one file: what ``options`` gives, then guesses from the columns' names.

    Raises :class:`DataError` where the file has no row or no column that the table can use, and
    :class:`UsageError` where an option names what is not there.
    """
    columns = [str(name) for name in raw.frame.columns]
    if not columns or not raw.lines:
        what = "no rows" if columns else "nothing"
        raise DataError(f"{raw.name}: holds {what}, so there is nothing to import.")
    given = [_parse(table, raw.name, columns, text) for text in options.maps]
    names = [source.ours for source in given if source.ours != "extra"]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"'{name}' is mapped twice. Use a+b={name} or a|b={name}.")
    for name in options.constants:
        _check_ours(table, name)
        if name in names:
            raise UsageError(f"'{name}' has a column (--map) and a constant (--set). Give one.")
    section = options.split_sections
    if section:
        if table.name != "ideas":
            raise UsageError("--split-sections parts ideas; other tables have no sections.")
        section = _resolve(raw.name, columns, section)
    dropped = {_resolve(raw.name, columns, name) for name in options.drop}
    if section is None and table.name == "ideas":
        section = guess_section(raw, taken={part for s in given for part in s.parts} | dropped)
    if options.format == "pair-iq":
        dropped |= {"embedding"} & set(columns)
    personal = tuple(name for name in columns if is_personal(name))
    free = [name for name in columns if name not in {*personal, *dropped, section}]
    guessed = _guess(table, raw, free, given, set(options.constants))
    sources = tuple(source for source in (*given, *guessed) if source.ours != "extra")
    used = {part for source in sources for part in source.parts}
    rest = [name for name in free if name not in used]
    has_extra = "extra" in table.names
    mapping = FieldMapping(
        table=table.name,
        sources=sources,
        constants=dict(options.constants),
        section_column=section or None,
        extra=tuple(rest) if has_extra else (),
        left_out=tuple(sorted(dropped)) + (() if has_extra else tuple(rest)),
        personal=tuple(name for name in personal if name not in used),
    )
    _require(table, raw.name, columns, mapping)
    return mapping


def guess_columns(table: Table, raw: RawFile) -> dict[str, str]:
    """What the names of a file's columns suggest: theirs to ours, each of theirs once.

    Unlike :func:`propose_mapping` it refuses nothing: a column without a guess is left out.
    """
    free = [str(name) for name in raw.frame.columns if not is_personal(str(name))]
    guesses: dict[str, str] = {}
    for source in _guess(table, raw, free, [], set()):
        guesses.setdefault(source.parts[0], source.ours)
    return guesses


def guess_section(raw: RawFile, *, taken: Iterable[str] = ()) -> str | None:
    """The one column whose texts are long ones with headings; None where there is none or more.

    A file with a column of its own for the method has no need of it.
    """
    taken = set(taken)
    free = [name for name in map(str, raw.frame.columns) if not is_personal(name)]
    if any(plain_name(name) in SYNONYMS["ideas"]["method"] for name in {*free} - taken):
        free = [name for name in free if plain_name(name) in SYNONYMS["ideas"]["method"]]
    found = [name for name in free if name not in taken and are_sectioned(raw.frame[name])]
    return found[0] if len(found) == 1 else None


def cells_of(raw: RawFile, path: str) -> list[object]:
    """One cell a row, of a column or of a nested key under one."""
    if path in raw.frame.columns:
        return list(raw.frame[path])
    head, _, rest = path.partition(".")
    return [_inside(cell, rest.split(".")) for cell in raw.frame[head]]


def _inside(cell: object, keys: list[str]) -> object:
    for key in keys:
        if not isinstance(cell, Mapping):
            return None
        cell = cell.get(key)
    return cell


def _parse(table: Table, file: str, columns: list[str], text: str) -> Source:
    theirs, sign, ours = text.rpartition("=")
    theirs, ours = theirs.strip(), ours.strip()
    if not sign or not theirs or not ours:
        raise UsageError(f"--map {text!r}: must be theirs=ours, such as rater=judge")
    _check_ours(table, ours)
    mode: Literal["one", "join", "first"] = "one"
    parts = [theirs]
    if theirs not in columns:
        if "+" in theirs:
            mode, parts = "join", theirs.split("+")
        elif "|" in theirs:
            mode, parts = "first", theirs.split("|")
    resolved = tuple(_resolve(file, columns, part.strip()) for part in parts)
    return Source(ours=ours, parts=resolved, mode=mode, how="given")


def _check_ours(table: Table, name: str) -> None:
    if name in table.names or (table.name == "papers" and name in _PARTS):
        return
    head, dot, rest = name.partition(".")
    if dot and rest and f"{head}." in _NESTED and head in table.names:
        return
    raise UsageError(f"{table.name} has no column '{name}'. {nearest(name, table.names)}")


def _resolve(file: str, columns: Iterable[str], name: str) -> str:
    columns = list(columns)
    if name in columns:
        return name
    alike = [column for column in columns if plain_name(column) == plain_name(name)]
    if len(alike) == 1:
        return alike[0]
    head = name.partition(".")[0]
    if head in columns and head != name:
        return name
    raise UsageError(f"{file}: no column '{name}'. {nearest(name, columns)}")


def _guess(
    table: Table, raw: RawFile, free: list[str], given: list[Source], constants: set[str]
) -> list[Source]:
    plain: dict[str, str] = {}
    for name in free:
        plain.setdefault(plain_name(name), name)
    taken = {part for source in given for part in source.parts}
    filled = {source.ours for source in given} | constants
    guesses: list[Source] = []

    def take(ours: str, name: str) -> None:
        guesses.append(Source(ours=ours, parts=(name,), mode="one", how="guessed"))
        filled.add(ours)
        taken.add(name)

    if table.name == "ideas" and "system" not in filled:
        labels = _label_column(raw, plain, taken)
        if labels is not None:
            take("system", labels)
    for ours, synonyms in SYNONYMS[table.name].items():
        if ours in filled:
            continue
        shared = ours.startswith("identifiers.")
        for synonym in synonyms:
            found = plain.get(synonym)
            if found is not None and (shared or found not in taken):
                take(ours, found)
                break
    return _without_idle_parts(guesses, filled)


def _without_idle_parts(guesses: list[Source], filled: set[str]) -> list[Source]:
    """Parts of a date or venue go where they help: a month needs a year, a track a guessed venue."""
    idle = set()
    if YEAR not in filled:
        idle.add(MONTH)
    if "published" in filled:
        idle.add(ID_MONTH)
    if not any(source.ours == "venue" for source in guesses):
        idle |= {TRACK, STATUS}
    return [source for source in guesses if source.ours not in idle]


def _label_column(raw: RawFile, plain: Mapping[str, str], taken: set[str]) -> str | None:
    """A column 'method' that holds a few short labels names systems, not methods."""
    name = plain.get("method")
    if name is None or name in taken or any(s in plain for s in SYNONYMS["ideas"]["system"]):
        return None
    cells = [str(cell).strip() for cell in raw.frame[name] if not is_missing(cell)]
    few = len(set(cells)) <= max(2, len(cells) // 3)
    return name if cells and few and all(len(cell) <= _LABEL_WIDTH for cell in cells) else None


def _require(table: Table, file: str, columns: list[str], mapping: FieldMapping) -> None:
    found = f"Found: {', '.join(columns)}."
    if table.name == "ideas" and not mapping.ours & {*IDEA_TEXTS, *FORMAL_PARTS, "key_terms"}:
        raise DataError(
            f"{file}: no column holds an idea's text (title, problem, rationale, method). {found}"
            " Name one with --map theirs=problem."
        )
    for column in table.columns:
        made = column.name == OWN_ID.get(table.name)
        if column.required and not made and column.name not in mapping.ours:
            raise DataError(
                f"{file}: column '{column.name}' ({column.doc}) is missing. {found}"
                f" {_hint(column.name, columns)}"
            )
    if "extra" not in table.names:
        marks = [column.name for column in table.columns if column.name not in _NOT_MARKS]
        if not mapping.ours & set(marks):
            raise DataError(
                f"{file}: no column holds a mark ({', '.join(marks[:4])}). {found}"
                f" Name one with --map theirs={marks[0]}."
            )


def _hint(name: str, columns: list[str]) -> str:
    close = nearest(name, columns)
    near = f"{close} " if close.startswith("Did") else ""
    return f"{near}Use --map theirs={name}, or --set {name}=… where it is the same in every row."
