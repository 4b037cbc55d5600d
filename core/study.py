"""A study: a folder that holds everything, read once and frozen.

The tables pass the schema at the door; after that every result is a pure function of
(study, settings). The verbs of a notebook stand at the end of :class:`Study`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from core.config import PRESET_HORIZONS, PresetName, Settings, StudyConfig
from core.errors import DataError, Problem, TableError, UsageError, nearest
from core.files import CANDIDATES_INFO, CONFIG_FILE, DERIVED
from core.ingest.tabular import SUFFIXES, replacing, write_rows
from core.schema import CANDIDATES, TABLES, Table, admit
from core.snapshots import admitted, kept_digest
from core.snapshots import frame_digest as frame_digest

if TYPE_CHECKING:
    from datetime import date

    from core.agreement import Agreement
    from core.forecast.score import ForecastScore
    from core.hindsight.calibration import Calibration
    from core.hindsight.results import Score, SpecificationCurve, Sweep
    from core.ligbench.novelty import Novelty
    from core.ligbench.rank import Rank

_TABLE_SUFFIXES = tuple(s + gz for s in SUFFIXES if s != ".json" for gz in ("", ".gz"))


@dataclass(frozen=True, kw_only=True)
class CandidatesInfo:
    """How the stored candidates were found; written beside them.

    ``inputs`` digests what the search looked at (texts, dates, topics, window), so that
    candidates older than the tables are told apart; ``digest`` is of the pairs themselves.
    """

    encoder: str
    revision: str
    encoder_digest: str
    depth: int
    pool: str
    inputs: str
    digest: str

    @classmethod
    def read(cls, path: Path) -> CandidatesInfo:
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise DataError(f"{path}: not readable ({error}). Run `foreseen match`.") from None


@dataclass(frozen=True, kw_only=True, eq=False)
class Study:
    """The frozen tables of one study and what ``study.toml`` says of it.

    Tables that the folder lacks are there with their columns and no row; ``candidates`` is None
    until ``foreseen match`` has run.
    """

    config: StudyConfig
    folder: Path | None = None
    ideas: pd.DataFrame = field(default_factory=TABLES["ideas"].empty)
    papers: pd.DataFrame = field(default_factory=TABLES["papers"].empty)
    scores: pd.DataFrame = field(default_factory=TABLES["scores"].empty)
    references: pd.DataFrame = field(default_factory=TABLES["references"].empty)
    starts: pd.DataFrame = field(default_factory=TABLES["starts"].empty)
    comparisons: pd.DataFrame = field(default_factory=TABLES["comparisons"].empty)
    verdicts: pd.DataFrame = field(default_factory=TABLES["verdicts"].empty)
    candidates: pd.DataFrame | None = None
    candidates_info: CandidatesInfo | None = None

    @classmethod
    def open(cls, folder: str | Path) -> Study:
        """Read a study's folder; raises :class:`TableError` with every problem of every table."""
        folder = Path(folder)
        tables, problems = read_tables(folder)
        if problems:
            raise TableError(problems)
        config = StudyConfig.read(folder / CONFIG_FILE)
        candidates, info = _read_candidates(folder)
        return cls(
            config=config, folder=folder, candidates=candidates, candidates_info=info, **tables
        )

    @classmethod
    def create(
        cls,
        folder: str | Path,
        *,
        cutoff: date,
        horizon_months: int | None = None,
        name: str | None = None,
        encoder: str = "minilm",
        preset: PresetName = "hindsight",
        **more: Any,
    ) -> Study:
        """Make a new study's folder; refuses one that already holds a study."""
        folder = Path(folder)
        if (folder / CONFIG_FILE).exists():
            raise UsageError(f"{folder} already holds a study. Choose another folder.")
        if preset not in PRESET_HORIZONS:
            raise UsageError(f"No preset '{preset}'. {nearest(preset, PRESET_HORIZONS)}")
        months = PRESET_HORIZONS[preset] if horizon_months is None else horizon_months
        config = StudyConfig.of(
            name=folder.resolve().name if name is None else name,
            cutoff=cutoff,
            horizon_months=months,
            encoder=encoder,
            preset=preset,
            **more,
        )
        study = cls(config=config, folder=folder)
        study.write_config(config)
        return study

    def write_config(self, config: StudyConfig) -> Study:
        """Write ``study.toml``; the study that comes back has it."""
        with replacing(self._folder / CONFIG_FILE) as file:
            file.write(config.to_toml().encode())
        return replace(self, config=config)

    def write(self, name: str, frame: pd.DataFrame, *, suffix: str | None = None) -> Study:
        """Replace one table on disk, whole or not at all, in the format it has (else Parquet)."""
        path = table_file(self._folder, name)
        target = self._folder / f"{name}{suffix}" if suffix else path
        write_rows(frame, target or self._folder / f"{name}.parquet")
        if path is not None and target != path:
            path.unlink()
        return replace(self, **{name: frame})

    def write_candidates(
        self, frame: pd.DataFrame, info: CandidatesInfo, *, suffix: str = ".parquet"
    ) -> Study:
        """Replace the stored candidates and how they were found."""
        derived = self._folder / DERIVED
        old = table_file(derived, "candidates")
        (derived / CANDIDATES_INFO).unlink(missing_ok=True)
        write_rows(frame, derived / f"candidates{suffix}")
        if old is not None and old != derived / f"candidates{suffix}":
            old.unlink()
        with replacing(derived / CANDIDATES_INFO) as file:
            file.write((json.dumps(vars(info), indent=1, sort_keys=True) + "\n").encode())
        return replace(self, candidates=frame, candidates_info=info)

    @cached_property
    def settings(self) -> Settings:
        """The preset's settings with ``study.toml``'s put over them."""
        return self.config.resolved()

    @cached_property
    def digest(self) -> str:
        """Digest of the tables' content and ``study.toml``: row order and file format are free."""
        parts = [self.config.model_dump_json()]
        parts += [kept_digest(getattr(self, name)) for name in TABLES]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    @property
    def key(self) -> tuple[str, str]:
        """What a result depends on besides the settings: the study's and candidates' digests."""
        return self.digest, self.candidates_info.digest if self.candidates_info else ""

    @property
    def _folder(self) -> Path:
        if self.folder is None:
            raise UsageError("This study is not in a folder, so nothing can be written.")
        return self.folder

    def score(self, settings: Settings | None = None) -> Score:
        """HindSight: systems, comparisons, correlations, quadrants, ideas."""
        from core.hindsight.score import score

        return score(self, settings or self.settings)

    def sweep(self, settings: Settings | None = None, thetas: Any = None) -> Sweep:
        """The exact threshold curve; at ``thetas`` where given, else at every breakpoint."""
        from core.hindsight.sweep import sweep

        return sweep(self, settings or self.settings, thetas=thetas)

    def calibration(self, settings: Settings | None = None) -> Calibration:
        """Similarities within and across topics, and the θ they suggest."""
        from core.hindsight.calibration import calibration

        return calibration(self, settings or self.settings)

    def specifications(self, settings: Settings | None = None, **grid: Any) -> SpecificationCurve:
        """The effect under every combination of choices, such as ``theta=[…], k=[…]``."""
        from core.hindsight.specifications import specifications

        return specifications(self, settings or self.settings, **grid)

    def rank(self, settings: Settings | None = None) -> Rank:
        """LigBench: Elo and Bradley–Terry ratings of ideas, by dimension and system."""
        from core.ligbench.rank import rank

        return rank(self, settings or self.settings)

    def novelty(self, settings: Settings | None = None) -> Novelty:
        """LigBench: novelty of ideas against the papers before their cutoff."""
        from core.ligbench.novelty import novelty

        return novelty(self, settings or self.settings)

    def agreement(self, settings: Settings | None = None) -> Agreement:
        """Agreement of judges: pairs, sets, repeats, and how their calls ended."""
        from core.agreement import agreement

        return agreement(self, settings or self.settings)

    def forecast(self, settings: Settings | None = None) -> ForecastScore:
        """IdeaForecastBench: hit rate, precision and rank of forecasts, by system and judge."""
        from core.forecast.score import score_forecasts

        return score_forecasts(self, settings or self.settings)


def read_tables(folder: Path) -> tuple[dict[str, pd.DataFrame], list[Problem]]:
    """Every table of a folder through the schema, with every problem; raises if a file breaks."""
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder. Make a study with `foreseen new`.")
    tables: dict[str, pd.DataFrame] = {}
    problems: list[Problem] = []
    for name, table in TABLES.items():
        path = table_file(folder, name)
        if path is None:
            continue
        tables[name], found = _admitted(table, path, path.name)
        problems += found
    return tables, problems


def _admitted(table: Table, path: Path, file: str) -> tuple[pd.DataFrame, list[Problem]]:
    return admitted(table, path, lambda table, raw: admit(table, raw, file=file))


def table_file(folder: Path, name: str) -> Path | None:
    """The file that holds a table, if there is one; two are refused."""
    found = [path for suffix in _TABLE_SUFFIXES if (path := folder / f"{name}{suffix}").is_file()]
    if len(found) > 1:
        names = " and ".join(path.name for path in found)
        raise DataError(f"{folder}: {names} are the same table. Keep one of them.")
    return found[0] if found else None


def _read_candidates(folder: Path) -> tuple[pd.DataFrame | None, CandidatesInfo | None]:
    derived = folder / DERIVED
    path = table_file(derived, "candidates")
    if path is None:
        return None, None
    frame, problems = _admitted(CANDIDATES, path, f"{DERIVED}/{path.name}")
    if problems:
        raise TableError(problems)
    return frame, CandidatesInfo.read(derived / CANDIDATES_INFO)
