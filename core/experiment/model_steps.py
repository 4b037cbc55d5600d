"""The steps of an experiment in which a model writes: ideas, and forecasts."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import date
from typing import Any

from core.errors import UsageError
from core.experiment.calls import Forecast, Generate
from core.experiment.endings import ended, keys_digest, owed
from core.experiment.journal import Entry, digest_of
from core.experiment.step import Done, Step, Work
from core.judging.report import Estimate
from core.study import Study, frame_digest


@dataclass(frozen=True)
class GenerateStep(Step):
    """A system that writes ideas."""

    part: Generate
    seed: int

    @property
    def name(self) -> str:
        return f"generate {self.part.system.strip()}"

    def inputs(self, work: Work) -> Mapping[str, str]:
        from core.generate.literature import literature_before

        literature = literature_before(work.study.papers, work.study.config.cutoff)
        told = {"its keys": keys_digest(self.part, seed=self._settings().seed)}
        if self._settings().generator == "retrieval":
            told["the literature by the cutoff"] = frame_digest(literature.papers)
            if self.part.retriever == "dense":
                told["the encoder"] = digest_of(self.part.encoder or work.study.config.encoder)
        elif not self.part.topics:
            told["the topics"] = digest_of(literature.topics)
        return told

    def missing(self, work: Work, entry: Entry) -> str | None:
        there = int((work.study.ideas["system"] == self.part.system.strip()).sum())
        if there < entry.count:
            return f"{entry.count - there} of its ideas are gone"
        return owed(self.part, entry)

    def estimate(self, work: Work) -> Estimate:
        from core.generate.generator import estimate_generation, prepare

        part = self.part
        ready = prepare(work.study, self._settings(), model=part.model, dry_run=True)
        for line in ready.notes:
            work.around.log(f"{self.name}: {line}")
        return estimate_generation(
            work.study,
            ready,
            model=part.model,
            parameters=part.parameters,
            prices=part.prices,
            retry_failed=part.retry_failed,
        )

    def run(self, work: Work) -> Done:
        from core.generate.generator import generate, prepare

        part, settings = self.part, self._settings()
        encoder = work.around.encoder or part.encoder
        dense = part.retriever == "dense"
        with work.around.encoding() if dense else nullcontext() as encoding:
            ready = prepare(
                work.study, settings, model=part.model, encoder=encoder, encoding=encoding
            )
        with work.around.stopping() as stop, work.around.progress(self.name) as progress:
            done = generate(
                work.study,
                work.around.client(part),
                settings,
                ready=ready,
                knowledge_cutoff=part.knowledge_cutoff,
                progress=progress,
                stop=stop,
                **part.asking,
            )
        for line in done.notes:
            work.around.log(f"{self.name}: {line}")
        for name, stage, reason in done.failed[:10]:
            work.around.log(f"{self.name}: {name}: {stage} failed: {reason}")
        there = done.made + done.already
        return ended(
            done.runs,
            told=f"{done.made:,} ideas made, {done.already:,} there already,"
            f" {done.wanted - there:,} missing",
            study=done.study,
            count=int((done.study.ideas["system"] == part.system.strip()).sum()),
            failed=done.wanted - there,
        )

    def _settings(self) -> Any:
        from core.generate.slots import GeneratorSettings, generator_of

        part = self.part
        return GeneratorSettings(
            system=part.system,
            generator=generator_of(part.system, part.generator),
            topics=part.topics,
            per_topic=part.per_topic,
            seed=self.seed if part.seed is None else part.seed,
            literature=part.literature,
            retriever=part.retriever,
        )


@dataclass(frozen=True)
class ForecastStep(Step):
    """A forecaster over every episode; one that asks no model is a baseline."""

    part: Forecast
    seed: int

    @property
    def name(self) -> str:
        return f"forecast {self.part.name}"

    def inputs(self, work: Work) -> Mapping[str, str]:
        told = {
            "its keys": keys_digest(self.part, seed=self._seed),
            "the papers": frame_digest(work.study.papers),
            "the episodes": digest_of([(t, str(day)) for t, day in self._episodes(work.study)]),
        }
        if self.part.forecaster == "mdf":
            told["the verdicts"] = frame_digest(work.study.verdicts)
        return told

    def missing(self, work: Work, entry: Entry) -> str | None:
        lost = entry.count - self._rows(work.study)
        return f"{lost} of its forecasts are gone" if lost > 0 else owed(self.part, entry)

    def run(self, work: Work) -> Done:
        from core.forecast.forecasters.strategy import Ask
        from core.forecast.forecasting import run_baseline, run_strategy

        part, study = self.part, work.study
        ask = Ask(
            slots=part.slots or study.settings.slots,
            context_tokens=part.context_tokens,
            seed=self._seed,
        )
        episodes = self._episodes(study)
        if not part.asks:
            done = run_baseline(study, part.forecaster, episodes, ask, system=part.name)
        else:
            with work.around.stopping() as stop, work.around.progress(self.name) as progress:
                done = run_strategy(
                    study,
                    part.forecaster,
                    episodes,
                    ask,
                    lambda: work.around.client(part),
                    system=part.name,
                    prior_judge=part.prior_judge,
                    progress=progress,
                    stop=stop,
                    **part.asking,
                )
        for line in done.notes:
            work.around.log(f"{self.name}: {line}")
        bad = [attempt for attempt in done.attempts if attempt.state != "ok"]
        for attempt in bad[:10]:
            where = f"{attempt.topic} {attempt.cutoff}"
            work.around.log(f"{self.name}: {where}: {attempt.state}: {attempt.reason}")
        return ended(
            done.reports,
            told=f"{done.forecasts:,} forecasts for {done.episodes - done.open:,} of"
            f" {done.episodes:,} episodes",
            study=done.study,
            count=self._rows(done.study),
            failed=len(bad),
        )

    @property
    def _seed(self) -> int:
        return self.seed if self.part.seed is None else self.part.seed

    def _rows(self, study: Study) -> int:
        return int((study.ideas["system"] == self.part.name).sum())

    def _episodes(self, study: Study) -> tuple[tuple[str, date], ...]:
        from core.forecast.episodes import build_manifest, parse_cutoffs
        from core.forecast.forecasting import chosen_episodes
        from core.forecast.manifest import stored_manifest

        days = parse_cutoffs(self.part.cutoffs) if self.part.cutoffs else ()
        manifest = stored_manifest(study)
        if manifest is None:
            if not days:
                raise UsageError(
                    f"{self.name}: the study has no manifest. Make it with `foreseen forecast"
                    " episodes`, or give cutoffs = '2024-07..2025-06'."
                )
            manifest = build_manifest(study, days, topics=self.part.topics or None)
        return chosen_episodes(manifest, cutoffs=days, topics=self.part.topics)
