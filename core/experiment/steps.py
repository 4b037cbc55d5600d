"""The steps of an experiment that ask no model: make, fetch, import, match, calibrate, report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.config import Settings, StudyConfig
from core.errors import DataError, UsageError
from core.experiment.journal import Entry, digest_of, file_digest
from core.experiment.schema import Calibrate, Fetch, Import, Match, New, Report
from core.experiment.step import Done, Step, Work
from core.files import CONFIG_FILE
from core.matching.encoders import Encoder, open_encoder
from core.study import Study, table_file


def make_study(new: New | None, folder: Path, *, dry_run: bool) -> tuple[bool, str]:
    """Make the study where there is none; whether it was made (or would be), and what to tell.

    A study that is there must be the one that ``[new]`` describes: :class:`UsageError` where its
    cutoff, horizon or preset is another.
    """
    there = (folder / CONFIG_FILE).is_file()
    if new is None:
        if not there:
            raise UsageError(f"{folder} holds no study and the file has no [new]. Add [new].")
        return False, "the study is there"
    given = new.model_dump(exclude_unset=True)
    if not there:
        if not dry_run:
            Study.create(folder, **given)
        return True, f"{folder}: a study with cutoff {new.cutoff}"
    config = StudyConfig.read(folder / CONFIG_FILE)
    for name in ("cutoff", "horizon_months", "preset"):
        if given.get(name) is not None and getattr(config, name) != given[name]:
            raise UsageError(
                f"{folder} is another study: its {name} is {getattr(config, name)}, and [new] says"
                f" {given[name]}. Name another folder as 'study', or change one of the two."
            )
    return False, "the study is there"


@dataclass(frozen=True)
class FetchStep(Step):
    """Papers or references from a live source."""

    part: Fetch
    number: int

    @property
    def name(self) -> str:
        return f"fetch {self.part.what} {self.number}"

    def inputs(self, work: Work) -> Mapping[str, str]:
        window = [work.study.config.cutoff, work.study.config.window_end()]
        kept = self.part.model_dump(mode="json", exclude={"base_url"})
        return {"its keys": digest_of(kept), "the window": digest_of([*map(str, window)])}

    def missing(self, work: Work, entry: Entry) -> str | None:  # noqa: ARG002
        return table_gone(work, self.part.what)

    def run(self, work: Work) -> Done:
        from core.ingest.sources import span_of, topics_of
        from core.ingest.sources.gather import gather_papers, gather_references

        part, around = self.part, work.around
        if part.what == "references":
            done = gather_references(
                work.folder, part.venue, scales=part.scale, url=part.base_url, limit=part.limit,
                restart=work.again, note=around.log,
            )  # fmt: skip
        else:
            start, end = span_of(work.study.config, part.preset, part.start, part.end)
            done = gather_papers(
                work.folder, part.source, topics_of(part.query, part.preset), start=start,
                end=end, url=part.base_url, limit=part.limit,
                restart=work.again, note=around.log,
            )  # fmt: skip
        around.log(done.to_text())
        rows = 0 if done.report is None else done.report.rows_after
        return Done(
            told=f"{part.what} now has {rows:,} rows",
            count=rows,
            stopped=done.stopped,
            cause="server" if done.stopped else None,
        )


@dataclass(frozen=True)
class ImportStep(Step):
    """Files into a table."""

    part: Import
    number: int

    @property
    def name(self) -> str:
        return f"import {self.part.table} {self.number}"

    def files(self, work: Work) -> list[Path]:
        """The files that are named; raises :class:`DataError` where a pattern finds none."""
        found: list[Path] = []
        for name in self.part.files:
            path = work.around.base / name
            if any(sign in name for sign in "*?["):
                hits = sorted(p for p in path.parent.glob(path.name) if p.is_file())
                if not hits:
                    raise DataError(f"{path}: no file has such a name.")
                found += hits
            elif not path.is_file():
                raise DataError(f"{path}: no such file (under [[import]] {self.part.table}).")
            else:
                found.append(path)
        return list(dict.fromkeys(found))

    def inputs(self, work: Work) -> Mapping[str, str]:
        kept = self.part.model_dump(mode="json", exclude={"files"})
        return {
            "its keys": digest_of(kept),
            **{path.name: file_digest(path) for path in self.files(work)},
        }

    def missing(self, work: Work, entry: Entry) -> str | None:  # noqa: ARG002
        return table_gone(work, self.part.table)

    def run(self, work: Work) -> Done:
        from core.ingest.foreign import plan_files, read_files
        from core.ingest.importing import apply_all, open_for_import
        from core.ingest.mapping import ImportOptions, read_codes

        part = self.part
        options = ImportOptions(
            maps=part.map,
            join=part.join,
            constants=part.constants,
            missing=part.missing,
            codes=read_codes(part.code),
            split_sections=part.split_sections,
            drop=part.drop,
            scales=part.scale,
        )
        read = read_files(part.table, self.files(work), options, form=part.format)
        opened = open_for_import(work.folder, *{name for file in read for name in file.tables})
        plans = plan_files(opened, part.table, read, options, form=part.format)
        reports = apply_all(plans)
        for report in reports:
            work.around.log(report.to_text())
        told = ", ".join(f"{r.table} {r.rows_before:,} → {r.rows_after:,} rows" for r in reports)
        return Done(told=told, count=reports[0].rows_after)


@dataclass(frozen=True)
class MatchStep(Step):
    """Encode, and find each idea's nearest papers."""

    part: Match

    @property
    def name(self) -> str:
        return "match"

    def inputs(self, work: Work) -> Mapping[str, str]:
        from core.matching.candidates import inputs_digest

        settings = self._settings(work.study)
        kept = {
            "encoder": self.part.encoder or work.study.config.encoder,
            "brought": self.part.vectors,
        }
        return {
            "its keys": digest_of(kept),
            "texts, dates or topics": inputs_digest(work.study, settings.pool, settings.depth),
            **{f"vectors of {k}": file_digest(p) for k, p in self._vectors(work).items()},
        }

    def missing(self, work: Work, entry: Entry) -> str | None:
        info = work.study.candidates_info
        if info is None:
            return "the candidates are gone"
        return None if info.digest == entry.output else "the candidates are of another search"

    def run(self, work: Work) -> Done:
        from core.matching.candidates import run_match

        vectors = self._vectors(work)
        encoder: Encoder | str | None = self.part.encoder
        if not vectors:
            name = self.part.encoder or work.study.config.encoder
            encoder = work.around.encoder or open_encoder(name, batch_size=self.part.batch_size)
        with work.around.encoding() as progress:
            found = run_match(
                work.study,
                self._settings(work.study),
                encoder=encoder,
                vectors=vectors or None,
                progress=progress,
            )
        assert found.study.candidates_info is not None
        return Done(
            told=f"{found.candidates:,} candidates of {found.ideas:,} ideas among"
            f" {found.papers:,} papers, {found.encoded:,} texts encoded",
            study=found.study,
            count=found.candidates,
            output=found.study.candidates_info.digest,
        )

    def _settings(self, study: Study) -> Any:
        given = self.part.model_dump(include={"depth", "pool"}, exclude_none=True)
        return Settings.of(given, base=study.settings)

    def _vectors(self, work: Work) -> dict[str, Path]:
        if not self.part.vectors:
            return {}
        from core.matching.brought import parse_vectors

        return parse_vectors(
            [f"{k}={work.around.base / name}" for k, name in self.part.vectors.items()]
        )


@dataclass(frozen=True)
class CalibrateStep(Step):
    """The suggested θ into study.toml."""

    part: Calibrate

    @property
    def name(self) -> str:
        return "calibrate"

    def inputs(self, work: Work) -> Mapping[str, str]:
        info = work.study.candidates_info
        return {
            "its keys": digest_of(self.part.model_dump(mode="json")),
            "the candidates": info.digest if info else "",
        }

    def run(self, work: Work) -> Done:
        from core.hindsight.calibration import calibration

        study = work.study
        given = self.part.model_dump(exclude_none=True)
        found = calibration(study, Settings.of(given, base=study.settings))
        theta = found.suggested_theta
        if theta is None:
            told = f"θ stays {study.settings.theta:g}, as none can be suggested: {found.undefined}"
            return Done(told=told, study=study)
        written = {**study.config.settings, **given, "theta": theta}
        return Done(
            told=f"θ = {theta:g}: at most {found.false_match_rate:.0%} of ideas would match a paper"
            " of another topic",
            study=study.write_config(study.config.model_copy(update={"settings": written})),
        )


@dataclass(frozen=True)
class ReportStep(Step):
    """One HTML file."""

    part: Report
    base: Path

    @property
    def name(self) -> str:
        return "report"

    @property
    def output(self) -> Path:
        return self.base / self.part.output

    def inputs(self, work: Work) -> Mapping[str, str]:
        return {"its keys": digest_of(str(self.output)), "the study": digest_of(work.study.key)}

    def missing(self, work: Work, entry: Entry) -> str | None:  # noqa: ARG002
        return None if self.output.is_file() else f"{self.output} is gone"

    def run(self, work: Work) -> Done:
        if work.around.write_report is None:
            raise UsageError("Reports are written by `foreseen run` alone.")
        work.around.write_report(work.folder, self.output)
        return Done(told=f"wrote {self.output}", study=work.study)


def table_gone(work: Work, table: str) -> str | None:
    """That a table is not in the study's folder; None where it is."""
    return None if table_file(work.folder, table) is not None else f"the table {table} is gone"
