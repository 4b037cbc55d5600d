"""The steps of an experiment that ask a model: generate and judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.experiment.journal import Entry, digest_of
from core.experiment.schema import Calls, Generate, Judge
from core.experiment.step import Done, Step, Work
from core.judging.report import Estimate, RunReport
from core.study import Study, frame_digest

_PACE = {
    "base_url", "concurrency", "rpm", "tpm", "timeout", "budget_calls", "budget_tokens",
    "budget_cost", "price_in", "price_out", "retry_failed",
}  # fmt: skip
"""Keys that change how a model is asked, and nothing of what it is asked."""


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
        told = {"its keys": _asked(self.part, seed=self._settings().seed)}
        if self.part.generator == "retrieval":
            told["the literature by the cutoff"] = frame_digest(literature.papers)
        elif not self.part.topics:
            told["the topics"] = digest_of(literature.topics)
        return told

    def missing(self, work: Work, entry: Entry) -> str | None:
        there = int((work.study.ideas["system"] == self.part.system.strip()).sum())
        if there < entry.count:
            return f"{entry.count - there} of its ideas are gone"
        return _owed(self.part, entry)

    def estimate(self, work: Work) -> Estimate | None:
        from core.generate.generator import estimate_generation, prepare

        part = self.part
        ready = prepare(work.study, self._settings(), model=part.model, dry_run=True)
        return estimate_generation(
            work.study,
            ready,
            model=part.model,
            parameters=part.parameters,
            prices=part.prices,
            retry_failed=part.retry_failed,
        )

    def run(self, work: Work) -> Done:
        from core.generate.generator import generate

        part = self.part
        with work.around.stopping() as stop, work.around.progress(self.name) as progress:
            done = generate(
                work.study,
                work.around.client(part),
                self._settings(),
                encoder=work.around.encoder or part.encoder,
                knowledge_cutoff=part.knowledge_cutoff,
                parameters=part.parameters,
                limits=part.limits,
                budget=part.budget,
                prices=part.prices,
                retry_failed=part.retry_failed,
                progress=progress,
                stop=stop,
            )
        for line in done.notes:
            work.around.log(f"{self.name}: {line}")
        for name, stage, reason in done.failed[:10]:
            work.around.log(f"{self.name}: {name}: {stage} failed: {reason}")
        there = done.made + done.already
        return _ended(
            done.runs,
            told=f"{done.made:,} ideas made, {done.already:,} there already,"
            f" {done.wanted - there:,} missing",
            study=done.study,
            count=int((done.study.ideas["system"] == part.system.strip()).sum()),
            failed=done.wanted - there,
        )

    def _settings(self) -> Any:
        from core.generate.slots import GeneratorSettings

        part = self.part
        return GeneratorSettings(
            system=part.system,
            generator=part.generator,
            topics=part.topics,
            per_topic=part.per_topic,
            seed=self.seed if part.seed is None else part.seed,
            literature=part.literature,
            retrieval=part.retrieval,
        )


@dataclass(frozen=True)
class JudgeStep(Step):
    """A judge's marks."""

    part: Judge

    @property
    def name(self) -> str:
        return f"judge {self.part.name}"

    def inputs(self, work: Work) -> Mapping[str, str]:
        asked = self._tasks(work.study).tasks
        prompts = sorted({(task.key["idea_id"], task.prompt_digest) for task in asked})
        return {"its keys": _asked(self.part), "the ideas or the prompt": digest_of(prompts)}

    def missing(self, work: Work, entry: Entry) -> str | None:
        there = int((work.study.scores["judge"] == self.part.name).sum())
        if there < entry.count:
            return f"{entry.count - there} of its rows are gone"
        return _owed(self.part, entry)

    def estimate(self, work: Work) -> Estimate | None:
        from core.judging.scores import estimate_scores

        part = self.part
        return estimate_scores(
            work.study,
            self._tasks(work.study).tasks,
            model=part.model,
            parameters=part.parameters,
            prices=part.prices,
            retry_failed=part.retry_failed,
        )

    def run(self, work: Work) -> Done:
        from core.judging.scores import judge_scores

        part = self.part
        asked = self._tasks(work.study)
        for idea, reason in asked.left_out[:10]:
            work.around.log(f"{self.name}: left out: idea {idea}: {reason}")
        with work.around.stopping() as stop, work.around.progress(self.name) as progress:
            done = judge_scores(
                work.study,
                work.around.client(part),
                asked,
                judge=part.name,
                parameters=part.parameters,
                limits=part.limits,
                budget=part.budget,
                prices=part.prices,
                retry_failed=part.retry_failed,
                progress=progress,
                stop=stop,
            )
        for flag in done.families:
            if flag.same:
                work.around.log(
                    f"{self.name}: caution: {flag.judge} and system {flag.system} are of one model"
                    " family: a judge tends to prefer its own"
                )
        run = done.run
        failed = run.refused + run.parse_failed + run.call_failed
        return _ended(
            [run],
            told=f"{run.ok:,} marks, {failed:,} failed, {run.calls:,} calls",
            study=done.study,
            count=int((done.study.scores["judge"] == part.name).sum()),
            failed=failed,
        )

    def _tasks(self, study: Study) -> Any:
        from core.judging.scores import score_tasks

        return score_tasks(study, repeats=self.part.repeats, systems=self.part.systems or None)


def _asked(part: Calls, **more: Any) -> str:
    """Digest of the keys that shape what a model is asked."""
    return digest_of({**part.model_dump(mode="json", exclude=_PACE), **more})


def _owed(part: Calls, entry: Entry) -> str | None:
    if part.retry_failed and entry.failed:
        return f"{entry.failed} replies failed, and retry_failed is set"
    return None


def _ended(runs: Sequence[RunReport], **done: Any) -> Done:
    """The end of a step; not whole where a run stopped or nothing that was asked came well."""
    for run in runs:
        if run.stopped is not None:
            return Done(**done, stopped=run.stop_reason or run.stopped, cause=run.stopped)
        if run.asked and not run.ok:
            return Done(**done, stopped="no reply could be used", cause="server")
    return Done(**done)
