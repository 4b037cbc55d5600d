"""``foreseen check``: every problem of a study's folder at once, then what is worth knowing.

The files beside the tables (episodes, attempts, ratings, calls) are read as well.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from core.config import StudyConfig
from core.errors import DataError, Problem
from core.files import CONFIG_FILE
from core.ingest.beside import beside_problems
from core.ingest.coverage import Coverage, coverage
from core.ingest.tabular import read_rows
from core.schema import TABLES, admit
from core.study import Study, table_file

_SHOWN_IDS = 5


@dataclass(frozen=True, kw_only=True)
class Check:
    """What ``check`` found. ``coverage`` is None where the problems leave nothing to look at."""

    study: str
    rows: dict[str, int]
    problems: tuple[Problem, ...]
    coverage: Coverage | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; each note with up to five ids."""
        notes = [
            {**asdict(entry), "ids": list(entry.ids[:_SHOWN_IDS])} for entry in self.coverage or ()
        ]
        return {
            "study": self.study,
            "ok": not self.problems,
            "rows": self.rows,
            "problems": [asdict(problem) for problem in self.problems],
            "notes": notes,
        }

    def to_text(self) -> str:
        """The same for a terminal: problems, then notes."""
        lines = [str(problem) for problem in self.problems]
        count = len(self.problems)
        lines.append("No problems." if not count else f"{count} problem{'s' if count > 1 else ''}.")
        lines.append(", ".join(f"{name}: {n:,}" for name, n in self.rows.items()) or "No tables.")
        for entry in self.coverage or ():
            more = ", …" if len(entry.ids) > _SHOWN_IDS else ""
            ids = f" ({', '.join(entry.ids[:_SHOWN_IDS])}{more})" if entry.ids else ""
            lines.append(f"note: {entry.table}: {entry.count:,} {entry.message}{ids}")
        return "\n".join(lines)


def check_study(folder: Path) -> Check:
    """Every problem of ``study.toml``, of each table's file and of what stands beside them, and
    the coverage of the rest.

    A file that cannot be read at all is one problem and does not hide the others. The folder
    itself must be there; else :class:`DataError`.
    """
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder. Make a study with `foreseen new`.")
    problems: list[Problem] = []
    config: StudyConfig | None = None
    try:
        config = StudyConfig.read(folder / CONFIG_FILE)
    except DataError as error:
        problems += _problems(CONFIG_FILE, error, folder)
    frames: dict[str, pd.DataFrame] = {}
    rows: dict[str, int] = {}
    for name, table in TABLES.items():
        try:
            path = table_file(folder, name)
            if path is None:
                continue
            frame, found = admit(table, read_rows(path), file=path.name)
        except DataError as error:
            problems += _problems(name, error, folder)
            continue
        problems += found
        rows[name] = len(frame)
        if not found:
            frames[name] = frame
    broken = bool(problems)
    problems += beside_problems(folder, frames)
    return Check(
        study=folder.resolve().name if config is None else config.name,
        rows=rows,
        problems=tuple(problems),
        coverage=_coverage(folder, config, frames, broken),
    )


def _coverage(
    folder: Path, config: StudyConfig | None, frames: dict[str, pd.DataFrame], broken: bool
) -> Coverage | None:
    """Of the whole study where it opens; of the sound tables where some are broken."""
    if config is None:
        return None
    if not broken:
        try:
            return coverage(Study.open(folder))
        except DataError:
            pass
    return coverage(Study(config=config, folder=folder, **frames))


def _problems(file: str, error: DataError, folder: Path) -> list[Problem]:
    """An error's lines as problems of a file, the folder's name taken off them."""
    found = []
    for line in str(error).splitlines():
        text = line.removeprefix(f"{folder}/").removeprefix(f"{folder}: ")
        # "scores.csv, line 3: …" is the file scores.csv and what is wrong on its line 3.
        named = re.match(rf"({re.escape(file)}[\w.]*)(?:, (?=line|item)|: )", text)
        found.append(
            Problem(
                file=named[1] if named else file,
                row=None,
                column=None,
                value=None,
                message=text[named.end() :] if named else text,
            )
        )
    return found
