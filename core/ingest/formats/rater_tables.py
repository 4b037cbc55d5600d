"""Labels that people and models gave: a bare table of raters, and labels or winners of pairs.

A rater table has no header: a row is a rater, a column a unit, a blank cell no mark. Labels of
pairs have a row a pair and a column a judge: 0 or Tie, 1 the first, 2 the second, garbage an
unreadable reply. Winners have left, right and winner, a row a game, and repeat their pairs.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from core.cells import is_missing, parse_number
from core.errors import DataError
from core.ingest.formats.opened import Opened
from core.ingest.formats.reading import Format, Reading, Row
from core.ingest.synonyms import plain_name

FIRST, SECOND, TIE = 1.0, 0.0, 0.5
UNREADABLE = "garbage"
_LABELS = {"0": TIE, "tie": TIE, "1": FIRST, "2": SECOND}
_WINNERS = {"left": FIRST, "right": SECOND, "tie": TIE}
_NUMBERS = {"idx", "index", "id", "item", "itemid", "pairid", "questionid"}
_JUDGES = {"judge", "rater", "annotator", "evaluator"}
_SAMPLE = 50
_LONGEST_LABEL = 40
_NO_MARK = {"", "na", "nan", "*"}


def _is_rater_table(opened: Opened) -> bool:
    """Numbers from the first row on; or words that the first row repeats, as no header does."""
    if opened.kind != "delimited":
        return False
    try:
        rows = [row for _, row in islice(_rows(opened), _SAMPLE)]
    except DataError:
        return False
    if len(rows) < 2 or len(rows[0]) < 2 or len({len(row) for row in rows}) > 1:
        return False
    labels = [cell for row in rows for cell in row if cell.lower() not in _NO_MARK]
    if not labels or any(len(label) > _LONGEST_LABEL for label in labels):
        return False
    if all(_is_number(label) for label in labels):
        return True
    first = Counter(cell for cell in rows[0] if cell.lower() not in _NO_MARK)
    return max(first.values(), default=0) > 1 and len(set(labels)) * 2 <= len(labels)


def _read_rater_table(opened: Opened, reading: Reading) -> Iterator[Row]:
    stem = opened.name.partition(".")[0]
    rater = width = blank = 0
    words: dict[str, None] = {}
    for line, row in _rows(opened):
        width = width or len(row)
        if len(row) != width:
            raise DataError(
                f"{opened.path}, line {line}: {len(row)} cells where the first row has {width}."
                " Each row is a rater and each column a unit, so blank cells must be there."
            )
        rater += 1
        for unit, label in enumerate(row, start=1):
            if label.lower() in _NO_MARK:
                blank += 1
                continue
            said = {} if _is_number(label) else {"reason": label}
            words |= dict.fromkeys(said.values())
            yield Row("scores", line, {
                "idea_id": f"{stem} unit {unit}", "judge": f"{stem} rater {rater}", "repeat": 1,
                "overall": label, **said,
            })  # fmt: skip
    reading.note(f"no header: each row is a rater ({rater}), each column a unit ({width})")
    reading.note("the table does not say what the marks are of: they stand as overall")
    if blank:
        reading.note(f"blank cells (or NA, *): {blank}, not marked, so no row")
    if words:
        reading.note(f"labels are words ({', '.join(words)}): each stays in reason as written")


def _rows(opened: Opened) -> Iterator[tuple[int, list[str]]]:
    """Each row of a delimited file with its line, the first like the others."""
    csv.field_size_limit(2**31 - 1)
    mark = max(",\t;", key=opened.head.split("\n", 1)[0].count)
    with opened.text() as text:
        rows = csv.reader(text, delimiter=mark, strict=True)
        begun = 1
        try:
            for row in rows:
                if len(row) > 1 or any(cell.strip() for cell in row):
                    yield begun, [cell.strip() for cell in row]
                begun = rows.line_num + 1
        except csv.Error as error:
            raise DataError(f"{opened.path}, line {begun}: not readable as CSV: {error}") from None


def _judge_columns(opened: Opened) -> tuple[str, ...]:
    """Columns of which most cells are labels; numbers of the rows are none."""
    rows = _sample(opened)
    found = []
    for name in rows[0] if rows else ():
        cells = [_plain(row.get(name)) for row in rows]
        said = [cell for cell in cells if cell]
        known = sum(cell in _LABELS or cell == UNREADABLE for cell in said)
        if plain_name(name) not in {*_NUMBERS, "pair"} and known * 2 > len(said):
            found.append(name)
    return tuple(found)


def _are_pair_labels(opened: Opened) -> bool:
    return _column(opened, {"pair"}) is not None and len(_judge_columns(opened)) >= 2


def _read_pair_labels(opened: Opened, reading: Reading) -> Iterator[Row]:
    pair, number = _column(opened, {"pair"}), _column(opened, _NUMBERS)
    judges = _judge_columns(opened)
    _note_order(reading)
    for place, (line, record) in enumerate(opened.items(), start=1):
        reading.leave(record, *judges, *(name for name in (pair, number) if name))
        named = str(record.get(pair or "") or "").strip()
        item = place if number is None or is_missing(record[number]) else record[number]
        if not named:
            reading.drop(line, "names no pair")
            continue
        first, sign, second = named.partition("_")
        if not (first and sign and second) or "_" in second:
            first, second = f"{named}, first", f"{named}, second"
        for judge in judges:
            cells = _cells(record.get(judge), _LABELS, f"column '{judge}'", line, reading)
            if cells is not None:
                yield Row("comparisons", line, {
                    "idea_id": f"{first} #{item}", "reference_id": f"{second} #{item}",
                    "judge": judge, "order": "idea_first", "repeat": 1, **cells,
                })  # fmt: skip


def _are_winners(opened: Opened) -> bool:
    if opened.kind != "delimited" or not opened.has("left", "right", "winner"):
        return False
    said = [_plain(row.get("winner")) for row in _sample(opened)]
    return 2 * sum(cell in _WINNERS or cell == UNREADABLE for cell in said) > len(said)


def _read_winners(opened: Opened, reading: Reading) -> Iterator[Row]:
    judge = _column(opened, _JUDGES)
    _note_order(reading)
    for line, record in opened.items():
        reading.leave(record, "left", "right", "winner", judge or "")
        left, right = (str(record.get(side) or "").strip() for side in ("left", "right"))
        if not left or not right or left == right:
            reading.drop(line, "does not name two sides")
            continue
        cells = _cells(record.get("winner"), _WINNERS, "column 'winner'", line, reading)
        if cells is None:
            continue
        who = {} if judge is None else {"judge": record.get(judge)}
        yield Row("comparisons", line, {
            "idea_id": left, "reference_id": right, "order": "idea_first", **who, **cells,
        })  # fmt: skip


def _cells(
    label: object, known: Mapping[str, float], place: str, line: int, reading: Reading
) -> dict[str, Any] | None:
    """What one label fills; None where there is none, or one that is not known (dropped)."""
    plain = _plain(label)
    if not plain:
        reading.note("{count} blank cells: not judged, so no row")
        return None
    if plain == UNREADABLE:
        reading.note(f"{{count}} × '{UNREADABLE}': state parse_failed, and no label")
        return {"state": "parse_failed", "reason": str(label)}
    if plain not in known:
        reading.drop(line, f"{place}: no label {str(label)[:40]!r}. Known: {', '.join(known)}")
        return None
    return {"rating": known[plain], "state": "ok"}


def _note_order(reading: Reading) -> None:
    reading.note(
        "the first of a pair stands in the idea's place, shown first; its win is 1, a tie 0.5, in"
        " rating, as the file does not say what was judged"
    )


def _sample(opened: Opened) -> list[dict[str, Any]]:
    try:
        return [record for _, record in islice(opened.items(), _SAMPLE)]
    except DataError:
        return []


def _column(opened: Opened, names: Iterable[str]) -> str | None:
    """The first column of one of these names."""
    if opened.kind != "delimited" or not isinstance(opened.first, dict):
        return None
    return next((name for name in opened.first if plain_name(name) in set(names)), None)


def _plain(cell: object) -> str:
    return "" if is_missing(cell) else str(cell).strip().lower()


def _is_number(text: str) -> bool:
    try:
        parse_number(text)
    except ValueError:
        return False
    return True


FORMATS = (
    Format(
        name="pair-labels",
        title="labels of pairs, a column a judge",
        tables=("comparisons",),
        recognise=_are_pair_labels,
        read=_read_pair_labels,
        told={
            "pair, first": "idea_id",
            "pair, second": "reference_id",
            "the columns' names": "judge",
            "0 | Tie | 1 | 2": "rating",
            UNREADABLE: "state",
        },
    ),
    Format(
        name="pair-winners",
        title="winners of pairs",
        tables=("comparisons",),
        recognise=_are_winners,
        read=_read_winners,
        told={"left": "idea_id", "right": "reference_id", "winner": "rating", "judge": "judge"},
    ),
    Format(
        name="rater-table",
        title="a table of raters without a header",
        tables=("scores",),
        recognise=_is_rater_table,
        read=_read_rater_table,
        told={"columns": "idea_id", "rows": "judge", "cells": "overall", "words": "reason"},
    ),
)
