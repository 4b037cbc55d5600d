"""A judge's step, of any kind: what is asked, what it would take, and the asking.

``foreseen judge …``, an experiment's ``[[judge]]`` and the page "Run" all go through here::

    step = JudgeStep(Judge(kind="comparisons", model="m", references=10))
    work = Work(study=study, around=Surroundings(base=folder))
    step.estimate(work).calls
    step.judged(work).run.ok
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.config import Settings
from core.experiment.calls import Judge
from core.experiment.endings import ended, keys_digest, owed, spent
from core.experiment.journal import Entry, digest_of
from core.experiment.step import Done, Step, Work
from core.judging.report import Estimate
from core.matching.encoders import Encoder, open_encoder
from core.matching.vectors import Progress
from core.study import Study, frame_digest

if TYPE_CHECKING:
    from core.judging.judgements import Judged, Judgements

_CALLED = {"scores": "marks", "starts": "first marks", "generality": "ratings"}
BY_WORDS = "nothing is encoded to tell this: references near by words stand in for the others"


class _NotStoredError(Exception):
    """A vector would have to be made."""


class _StoredOnly:
    """An encoder whose vectors are used where they are stored; it makes none."""

    def __init__(self, encoder: Encoder) -> None:
        self.name, self.revision = encoder.name, encoder.revision
        self.digest, self.separator = encoder.digest, encoder.separator
        self.dimensions = 0

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        raise _NotStoredError(str(len(texts)))


def judgements(
    study: Study,
    part: Judge,
    *,
    encoder: Encoder | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Judgements:
    """The tasks of a heading, whoever asks for them; raises as the kind's own function does."""
    chosen: dict[str, Any] = {
        "ideas": part.ideas or None,
        "systems": part.systems or None,
        "limit": part.limit,
    }
    found: dict[str, Any] = {
        "encoder": encoder or part.encoder,
        "embedding": part.embedding,
        "seed": seed if part.seed is None else part.seed,
        "progress": progress,
    }
    if part.kind == "scores":
        from core.judging.scores import score_tasks

        return score_tasks(study, repeats=part.times, **chosen)
    if part.kind == "formalise":
        from core.ligbench.formalise import formal_tasks

        return formal_tasks(
            study, part.table, ids=part.ids, limit=part.limit, replace_parts=part.replace
        )
    if part.kind == "starts":
        from core.judging.starts import start_tasks

        return start_tasks(study, repeats=part.times, **chosen, **found)
    if part.kind == "comparisons":
        from core.judging.comparisons import comparison_tasks, reference_pair_tasks

        if part.pairs is not None:
            return reference_pair_tasks(
                study, pairs=part.pairs, orders=part.orders, repeats=part.times, seed=found["seed"]
            )
        return comparison_tasks(
            study,
            references=part.references,
            orders=part.orders,
            repeats=part.times,
            **chosen,
            **found,
        )
    if part.kind == "verdicts":
        from core.judging.verdicts import verdict_tasks

        settings = Settings.of({} if part.r is None else {"r": part.r}, base=study.settings)
        return verdict_tasks(study, settings, window=part.window, **chosen)
    from core.judging.generality import generality_tasks

    return generality_tasks(study, **chosen)


@dataclass(frozen=True)
class JudgeStep(Step):
    """One kind of judgement by one judge."""

    part: Judge
    seed: int = 0

    @property
    def name(self) -> str:
        return f"judge {self.part.step}"

    def asked(self, work: Work, *, encode: bool = True) -> Judgements:
        """What is to be asked. References are found by vectors too, made where they are not
        stored; without ``encode`` none is made, and the log says what stands in."""
        part, encoder = self.part, work.around.encoder
        searches = part.kind in ("starts", "comparisons") and part.embedding and not part.pairs
        if not searches:
            return judgements(work.study, part, seed=self.seed)
        if encode:
            with work.around.encoding() as progress:
                return judgements(
                    work.study, part, encoder=encoder, seed=self.seed, progress=progress
                )
        encoder = encoder or open_encoder(part.encoder or work.study.config.encoder)
        try:
            return judgements(work.study, part, encoder=_StoredOnly(encoder), seed=self.seed)
        except _NotStoredError:
            work.around.log(f"{self.name}: {BY_WORDS}")
            words = part.model_copy(update={"embedding": False})
            return judgements(work.study, words, seed=self.seed)

    def inputs(self, work: Work) -> Mapping[str, str]:
        study, part = work.study, self.part
        told = {"its keys": keys_digest(part, seed=self.seed if part.seed is None else part.seed)}
        if part.kind in ("scores", "verdicts", "generality"):
            prompts = [
                (*map(str, task.key.values()), task.prompt_digest)
                for task in self.asked(work).tasks
            ]
            return {**told, "the ideas or the prompt": digest_of(sorted(set(prompts)))}
        # What these ask is found by a search, so they hang on the tables that it reads. Parts are
        # written into the table that they are made of: rows without parts are owed, see missing.
        if part.kind == "formalise":
            from core.schema import FORMAL_PARTS

            bare = getattr(study, part.table).drop(columns=list(FORMAL_PARTS))
            return {**told, f"the {part.table}": frame_digest(bare)}
        told["the references"] = frame_digest(study.references)
        return told if part.pairs else {**told, "the ideas": frame_digest(study.ideas)}

    def missing(self, work: Work, entry: Entry) -> str | None:
        lost = entry.count - self._rows(work.study)
        return f"{lost} of its rows are gone" if lost > 0 else owed(self.part, entry)

    def estimate(self, work: Work, asked: Judgements | None = None) -> Estimate:
        """What would be asked; nothing is encoded, sent or written."""
        from core.judging.judgements import estimate_judgements

        part = self.part
        return estimate_judgements(
            work.study,
            self.asked(work, encode=False) if asked is None else asked,
            model=part.model,
            parameters=part.parameters,
            prices=part.prices,
            retry_failed=part.retry_failed,
        )

    def judged(self, work: Work, asked: Judgements | None = None) -> Judged:
        """Ask, keep and write; what was answered is not asked again."""
        from core.judging.judgements import judge

        part = self.part
        asked = self.asked(work) if asked is None else asked
        with work.around.stopping() as stop, work.around.progress(self.name) as progress:
            return judge(
                work.study,
                work.around.client(part),
                asked,
                judge=part.name,
                progress=progress,
                stop=stop,
                **part.asking,
            )

    def run(self, work: Work) -> Done:
        asked = self.asked(work)
        for name, reason in asked.left_out[:10]:
            work.around.log(f"{self.name}: left out: {name}: {reason}")
        if len(asked.left_out) > 10:
            work.around.log(f"{self.name}: left out: {len(asked.left_out) - 10} more")
        for line in asked.notes:
            work.around.log(f"{self.name}: {line}")
        done = self.judged(work, asked)
        for line in done.notes:
            work.around.log(f"{self.name}: {line}")
        for flag in done.families:
            if flag.same:
                work.around.log(
                    f"{self.name}: caution: {flag.judge} and system {flag.system} are of one model"
                    " family: a judge tends to prefer its own"
                )
        failed = sum(run.refused + run.parse_failed + run.call_failed for run in done.runs)
        ok = done.run.ok
        made = f"{ok:,} {_CALLED.get(self.part.kind, self.part.kind)}"
        if self.part.kind == "formalise":
            from core.ligbench.formalise import whole_parts

            made = f"parts of {len(whole_parts(done.run.outcomes, self.part.table)):,}"
            made += f" {self.part.table}"
        return ended(
            done.runs,
            told=f"{made}, {failed:,} failed, {spent(done.runs)}",
            study=done.study,
            count=self._rows(done.study),
            failed=failed,
        )

    def _rows(self, study: Study) -> int:
        """Rows that the step left in the study."""
        part = self.part
        if part.kind == "formalise":
            from core.schema import in_formal_parts

            return int(in_formal_parts(getattr(study, part.table)).sum())
        if part.kind == "generality":
            from core.judging.generality import read_ratings

            frame = read_ratings(study)
        else:
            frame = getattr(study, part.kind)
        return int((frame["judge"] == part.name).sum())
