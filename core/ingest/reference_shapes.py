"""Reviewed papers as their sources nest them, laid flat for the ordinary import.

============  =================================================================================
format        shapes
============  =================================================================================
pair-iq       rows with ``contribute`` and ``analysis`` {…} (LigBench, Appendix C); one JSON
              object a file with ``main``, ``approach``, ``rating``
openreview    rows with ``reviews`` [{rating, soundness, …}]; notes with ``content`` of plain
              values (v1) or {value: …} (v2), their reviews under ``details`` or as notes of
              their own that name the paper's ``forum``
============  =================================================================================
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from core.cells import is_missing
from core.errors import DataError
from core.ingest.json_text import parse_json
from core.ingest.opening import open_text
from core.ingest.reviews import MARKS
from core.ingest.tabular import RawFile, read_file, table_suffix

FORMATS = ("pair-iq", "openreview")
_VENUE_ID = re.compile(r"([A-Za-z]+)\.(?:cc|org)/(\d{4})/")
_VENUE_TEXT = re.compile(r"\b(ICLR|NeurIPS|NIPS|ICML|COLM|AISTATS|UAI|CoRL|TMLR)\W+(\d{4})\b", re.I)
_VENUE_SITE = re.compile(r"//(?:www\.)?(ICLR|ICML|NeurIPS|NIPS)\.cc/\D*(20\d\d)\b", re.I)
_SPELLED = {"iclr": "ICLR", "neurips": "NeurIPS", "nips": "NeurIPS", "icml": "ICML"}
_PAIR_IQ = {
    "contribute": "contribution",
    "main": "main_target",
    "approach": "innovative_methods",
    "label": "decision",
}
_KEPT = ("presentation", "confidence")
"""What reviewers mark besides; kept in extra as they wrote it."""
_REPLIES = ("directReplies", "replies")
_OUTCOMES = {
    "desk_rejected": "Desk reject",
    "rejected": "Reject",
    "withdrawn": "Withdrawn",
}


def read_reference_file(
    path: Path, data: bytes | None = None, *, suffix: str | None = None
) -> RawFile:
    """As :func:`read_file`; a JSON file that holds one paper is one row."""
    suffix = suffix or table_suffix(path)
    if suffix == ".json":
        with open_text(path, data) as text:
            body = text.read()
        value = parse_json(str(path), body.lstrip("\ufeff")) if body.strip() else None
        if isinstance(value, dict) and ("title" in value or "content" in value):
            frame = pd.DataFrame(
                {name: pd.Series([cell], dtype=object) for name, cell in value.items()}
            )
            return RawFile(name=path.name, frame=frame, lines=(1,))
    return read_file(path, data, suffix=suffix)


def flattened(raw: RawFile, form: str) -> RawFile:
    """The file's rows with nested reviews, content and parts laid flat, one row a paper.

    Reviews that stand as notes of their own are put to their paper's row; one whose paper is
    not in the file raises :class:`DataError`.
    """
    rows = raw.frame.to_dict("records")
    if form == "pair-iq":
        return _frame(
            raw, [(_pair_iq(row), line) for row, line in zip(rows, raw.lines, strict=True)]
        )
    papers: dict[str, tuple[dict[str, Any], int]] = {}
    loose: list[tuple[str, dict[str, Any], int]] = []
    for place, (row, line) in enumerate(zip(rows, raw.lines, strict=True)):
        flat = _openreview(row)
        name = str(flat.get("forum") or flat.get("id") or f"row {place}")
        note = "content" in row and not is_missing(flat.get("forum"))
        if note and is_missing(flat.get("title")) and set(flat) & set(MARKS):
            loose.append((name, flat, line))
        else:
            flat.setdefault("reference_id", None)
            papers[name if name not in papers else f"{name} {place}"] = (flat, line)
    for name, review, line in loose:
        if name not in papers:
            raise DataError(
                f"{raw.name}, line {line}: a review of '{name}', which is not in this file. Put the"
                " papers' notes into the same file."
            )
        _add_marks(papers[name][0], review)
    return _frame(raw, list(papers.values()))


def _pair_iq(row: Mapping[str, Any]) -> dict[str, Any]:
    flat = {_PAIR_IQ.get(str(name), str(name)): cell for name, cell in row.items()}
    analysis = flat.pop("analysis", None)
    if isinstance(analysis, str):
        try:
            analysis = json.loads(analysis)
        except (ValueError, RecursionError):
            analysis = None
    if isinstance(analysis, Mapping):
        flat |= {str(name): _text(part) for name, part in analysis.items()}
    for name in ("main_target", "innovative_methods"):
        if name in flat:
            flat[name] = _text(flat[name])
    # A text such as "0", whose meaning the source does not give: kept, not read as a mark.
    if "novelty" in flat:
        flat["pair_iq_novelty"] = flat.pop("novelty")
    return flat


def _openreview(row: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, cell in row.items():
        if name == "content" and isinstance(cell, Mapping):
            flat |= {str(key): _value(value) for key, value in cell.items()}
        elif name not in ("details", "reviews"):
            flat[str(name)] = cell
    reviews = row.get("reviews")
    for review in reviews if isinstance(reviews, (list, tuple)) else ():
        if isinstance(review, Mapping):
            _add_marks(flat, _openreview(review))
    details = row.get("details")
    if isinstance(details, Mapping):
        for key in _REPLIES:
            replies = details.get(key)
            for reply in replies if isinstance(replies, list) else ():
                if isinstance(reply, Mapping):
                    content = _openreview(reply)
                    _add_marks(flat, content)
                    if is_missing(flat.get("decision")) and content.get("decision"):
                        flat["decision"] = content["decision"]
    _settle_venue(flat)
    return flat


def _add_marks(paper: dict[str, Any], review: Mapping[str, Any]) -> None:
    if is_missing(review.get("rating")):
        # ICLR 2022 and 2023, and ICML 2025; a chair's 'Accept (Poster)' is no mark
        said = [review.get(name) for name in ("recommendation", "overall_recommendation")]
        found = [mark for mark in said if re.match(r"\s*\d", str(mark))]
        review = {**review, "rating": found[0]} if found else review
    for name in (*MARKS, *_KEPT):
        if not is_missing(review.get(name)):
            known = paper.get(name)
            marks = known if isinstance(known, list) else [] if is_missing(known) else [known]
            paper[name] = [*marks, review[name]]


def _settle_venue(flat: dict[str, Any]) -> None:
    """'Submitted to ICLR 2026' is venue ICLR and year 2026; what was written stays in extra."""
    identifier, text = str(flat.get("venueid") or ""), str(flat.get("venue") or "")
    found = (
        _VENUE_ID.search(identifier)
        or _VENUE_TEXT.search(text)
        or (_VENUE_SITE.search(str(flat.get("site") or "")) if not text else None)
    )
    if found is None:
        return
    if text:
        flat["venue_text"] = text
    flat["venue"] = _SPELLED.get(found[1].lower(), found[1])
    if is_missing(flat.get("year")):
        flat["year"] = int(found[2])
    if is_missing(flat.get("decision")):
        ending = identifier.rpartition("/")[2].lower()
        outcome = next((said for part, said in _OUTCOMES.items() if part in ending), None)
        accepted = re.search(r"poster|oral|spotlight", text, re.IGNORECASE)
        if outcome or accepted:
            flat["decision"] = outcome or f"Accept ({accepted[0].capitalize()})"  # type: ignore[index]


def _value(cell: object) -> object:
    return cell.get("value") if isinstance(cell, Mapping) and "value" in cell else cell


def _text(cell: object) -> object:
    if isinstance(cell, (list, tuple)):
        return "\n".join(str(part) for part in cell)
    if isinstance(cell, Mapping):
        return "\n".join(f"{name}: {part}" for name, part in cell.items())
    return cell


def _frame(raw: RawFile, rows: list[tuple[dict[str, Any], int]]) -> RawFile:
    names = list(dict.fromkeys(name for row, _ in rows for name in row))
    frame = pd.DataFrame(
        {name: pd.Series([row.get(name) for row, _ in rows], dtype=object) for name in names},
        index=range(len(rows)),
    )
    empty = [name for name in names if frame[name].map(is_missing).all()]
    return RawFile(
        name=raw.name, frame=frame.drop(columns=empty), lines=tuple(line for _, line in rows)
    )
