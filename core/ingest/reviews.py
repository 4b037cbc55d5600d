"""Reviewers' marks in every form that sources write them, brought to one scale from 0 to 5.

A scale belongs to a venue and year and is stated: in study.toml's [scales], with ``--scale``, or
in :data:`KNOWN_SCALES`. Without one nothing is brought over, for a guess would shift a venue.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.cells import is_missing
from core.errors import UsageError, nearest

MARKS = ("rating", "contribution", "soundness", "novelty")
HIGHEST = 5.0
_ONE_TO_FOUR = "soundness=1..4 contribution=1..4 novelty=1..4"
KNOWN_SCALES: dict[str, str] = {
    **{f"ICLR {year}": f"rating=1..10 {_ONE_TO_FOUR}" for year in (2021, 2022, 2023, 2024, 2025)},
    "ICLR 2026": f"rating=0..10 {_ONE_TO_FOUR}",
    **{f"NeurIPS {year}": f"rating=1..10 {_ONE_TO_FOUR}" for year in (2022, 2023, 2024)},
    "NeurIPS 2025": f"rating=1..6 {_ONE_TO_FOUR}",
}
"""Review forms as the conferences published them; a scale that the user gives comes first."""

_NUMBER = r"-?\d+(?:\.\d+)?"
_ONE = re.compile(_NUMBER)
# "6: marginally above", "3 good"; not "3 of 5", whose scale is another.
_LEADING = re.compile(rf"({_NUMBER})(?:\s*(?::|\(|\.\s|$)|\s+(?!of\b|out\b)[A-Za-z])")
_DASHED = re.compile(r"\d+(?:\.\d+)?(?:\s*-\s*\d+(?:\.\d+)?)+")
_COMMAS = re.compile(rf"{_NUMBER}(?:\s*,\s*{_NUMBER})+")
_SCALE = re.compile(rf"(\w+)\s*=\s*({_NUMBER})\s*\.\.\s*({_NUMBER})")
_NOTHING = frozenset({"", "nan", "na", "n/a", "none", "null", "-", "--", "?"})


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Where raw marks of one venue and year begin and end; ``said`` is who stated it."""

    bounds: Mapping[str, tuple[float, float]]
    said: str

    def shown(self, names: Iterable[str]) -> str:
        """'rating 0..10, soundness 1..4', for these marks."""
        return ", ".join(f"{n} {self.bounds[n][0]:g}..{self.bounds[n][1]:g}" for n in names)


class Scales:
    """Scales by venue and year: those of the command, then the study's, then the known ones.

    Each text is 'ICLR 2026: rating=0..10 soundness=1..4', or without a venue for all. Raises
    :class:`UsageError` for one that cannot be read.
    """

    def __init__(
        self,
        given: Sequence[str] = (),
        study: Mapping[str, str] | None = None,
        *,
        known: Mapping[str, str] = KNOWN_SCALES,
    ) -> None:
        self._layers: list[tuple[str, dict[str, dict[str, tuple[float, float]]]]] = []
        commanded: dict[str, dict[str, tuple[float, float]]] = {}
        for text in given:
            venue, colon, rest = text.rpartition(":")
            name = _plain(venue if colon else "")
            commanded[name] = commanded.get(name, {}) | read_bounds(f"--scale {text!r}", rest)
        self._layers.append(("--scale", commanded))
        for said, texts in (("study.toml", study or {}), ("known", known)):
            layer = {
                _plain(venue): read_bounds(f"{said}: scale of '{venue}'", text)
                for venue, text in texts.items()
            }
            self._layers.append((said, layer))

    def find(self, venue: str, names: Sequence[str]) -> Scale | None:
        """The scale of these marks at 'ICLR 2026'; None where one of them has none."""
        bounds: dict[str, tuple[float, float]] = {}
        said: list[str] = []
        for source, layer in self._layers:
            own = layer.get("", {}) | layer.get(_plain(venue), {})
            for name in names:
                if name in own and name not in bounds:
                    bounds[name] = own[name]
                    said.append(source)
        if set(bounds) != set(names):
            return None
        return Scale(bounds=bounds, said=" and ".join(dict.fromkeys(said)))


def read_bounds(place: str, text: str) -> dict[str, tuple[float, float]]:
    """'rating=0..10 soundness=1..4' as bounds by mark."""
    found = {}
    rest = _SCALE.sub("", text).replace(",", " ").strip()
    if rest or not _SCALE.search(text):
        raise UsageError(
            f"{place}: must be as 'ICLR 2026: rating=0..10 soundness=1..4 contribution=1..4'"
        )
    for name, low, high in _SCALE.findall(text):
        if name not in MARKS:
            raise UsageError(f"{place}: no mark '{name}'. {nearest(name, MARKS)}")
        if not float(low) < float(high):
            raise UsageError(f"{place}: {name}={low}..{high} must go from the lower to the higher")
        found[name] = (float(low), float(high))
    return found


def read_marks(cell: object) -> list[float]:
    """Every reviewer's mark in a cell; empty where it holds none.

    Numbers, '5;7;7;7', '3, 3, 5, 5', '8-10-8-8', '6: marginally above', '3 good', lists of these
    and {'value': …}. Raises ``ValueError`` for anything else.
    """
    if isinstance(cell, Mapping):
        return read_marks(cell.get("value"))
    if isinstance(cell, (list, tuple, np.ndarray)):
        return [mark for part in cell for mark in read_marks(part)]
    if is_missing(cell):
        return []
    if isinstance(cell, bool) or not isinstance(cell, (str, int, float, np.integer, np.floating)):
        raise ValueError(f"must hold reviewers' marks, not {type(cell).__name__}")
    if not isinstance(cell, str):
        return [float(cell)]
    text = cell.strip().strip("[]").strip()
    if ";" in text or "\n" in text:
        return [mark for part in re.split(r"[;\n]", text) for mark in read_marks(part)]
    if text.lower() in _NOTHING:
        return []
    if _DASHED.fullmatch(text):
        return [float(part) for part in text.split("-")]
    if _COMMAS.fullmatch(text):
        return [float(part) for part in text.split(",")]
    if leading := _LEADING.match(text):
        return [float(leading[1])]
    raise ValueError(
        f"must hold reviewers' marks, such as 5;7;7 or '6: marginally above', not {text[:60]!r}"
    )


def settle_marks(
    row: dict[str, Any],
    counts: Counter[str],
    scales: Scales,
    missing: Mapping[str, Collection[str]],
    *,
    keep_raw: bool,
) -> None:
    """Replace a row's raw marks by their mean on 0 to 5, (x − low) / (high − low) · 5.

    ``missing`` gives, by mark, the values that mean no mark. A value outside of the scale drops
    the row; a row without any mark stays, its scores unknown. With ``keep_raw`` the marks and
    the scale go to ``extra``.
    """
    raw: dict[str, list[float]] = {}
    for name in MARKS:
        if name not in row:
            continue
        marks = read_marks(row.pop(name))
        nothing = {float(value) for value in missing.get(name, ())}
        kept = [mark for mark in marks if mark not in nothing]
        if len(kept) < len(marks):
            shown = " or ".join(f"{value:g}" for value in sorted(nothing))
            counts[f"{name}: {{count}} × {shown} read as no mark"] += len(marks) - len(kept)
        if kept:
            raw[name] = kept
    if not raw:
        counts["{count} without any review mark: kept, their scores are unknown"] += 1
        return
    venue = venue_of(row)
    scale = scales.find(venue, tuple(raw))
    if scale is None:
        names = ", ".join(raw)
        example = " ".join(f"{name}=1..{10 if name == 'rating' else 4}" for name in raw)
        where = f"'{venue}'" if venue else "rows without a venue"
        raise UsageError(
            f"No scale is known for {names} of {where}. State it, such as"
            f' --scale "{venue + ": " if venue else ""}{example}", or under [scales] in study.toml.'
        )
    for name, marks in raw.items():
        low, high = scale.bounds[name]
        outside = [mark for mark in marks if not low <= mark <= high]
        if outside:
            raise ValueError(
                f"column '{name}': {outside[0]:g} is outside of the scale {low:g}..{high:g}"
                f" ({scale.said}). Where it means no mark, add --missing {name}={outside[0]:g}"
            )
        mean = float(np.mean(marks))
        same = (low, high) == (0.0, HIGHEST)
        row[name] = mean if same else HIGHEST * (mean - low) / (high - low)
    shown = scale.shown(raw)
    counts[f"{venue or 'all'}: {{count}} brought to 0..5 from {shown} ({scale.said})"] += 1
    if keep_raw:
        row.setdefault("extra", {})["scale"] = shown
        row["extra"]["reviews"] = raw


def venue_of(row: Mapping[str, Any]) -> str:
    """'ICLR 2026' from a row's venue and year; '' where it has neither."""
    venue, year = row.get("venue"), row.get("year")
    parts = ["" if is_missing(venue) else str(venue).strip()]
    if not is_missing(year):
        parts.append(str(year).strip().removesuffix(".0"))
    return " ".join(part for part in parts if part)


def _plain(venue: str) -> str:
    return re.sub(r"[^a-z0-9]", "", venue.lower())
