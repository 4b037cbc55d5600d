"""What may sway a judge besides the idea: its length, its author's model family, a halo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.agreement.marks import dimension_of, marks_of, unit_rows
from core.config import JUDGE_DIMENSIONS, Settings
from core.schema import IDEA_TEXTS
from core.stats.agreement import Estimate, draw_units, spearman
from core.stats.agreement.estimate import Floats, bootstrapped, drawn_sums, ratio
from core.stats.agreement.ranks import by_block, weighted_correlation, weighted_ranks

if TYPE_CHECKING:
    from core.study import Study

ONE_SYSTEM = "all ideas are of one system, so there is nothing to hold fixed"


@dataclass(frozen=True, kw_only=True, eq=False)
class LengthProbe:
    """How a judge's marks go with the length of an idea's text, in words.

    ``rho`` is Spearman's; ``within_systems`` the partial one, ranks less their mean in the
    system, so that a system which writes more and is better does not count as a bias.
    ``units``: idea_id, system, words, mark.
    """

    judge: str
    on: str
    n: int
    left_out: int
    rho: Estimate
    p: float | None
    within_systems: Estimate
    units: pd.DataFrame
    seed: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Halo:
    """Spearman's ρ between one judge's dimensions, over the ideas it marked in both.

    ``rows``: dimension_a, dimension_b, n, rho, low, high, undefined. ``mean`` is the mean of
    those defined: near 1, the judge gives one impression four times.
    """

    judge: str
    mean: float | None
    rows: pd.DataFrame


@dataclass(frozen=True, kw_only=True)
class FamilyProbe:
    """A judge's marks for ideas of its own model family against those for all others.

    ``difference`` is mean(own) − mean(others), in marks. ``excess`` is the same after the mean
    of the other judges' marks for each idea is taken off: what this judge alone adds.
    """

    judge: str
    on: str
    families: tuple[str, ...]
    systems: tuple[str, ...]
    n_own: int
    n_other: int
    mean_own: float | None
    mean_other: float | None
    difference: Estimate
    excess: Estimate


def length_probe(
    study: Study, on: str = "overall", settings: Settings | None = None
) -> tuple[LengthProbe, ...]:
    """Every judge's marks (mean over an idea's units) against the idea's length in words."""
    settings = settings or study.settings
    ideas = _ideas(study)
    found = []
    for judge, marks in _idea_marks(study, on, settings).items():
        units = ideas.join(marks, how="inner").reset_index()
        held = units["mark"].notna() & (units["words"] > 0)
        left_out = int((~held).sum())
        units = units[held].reset_index(drop=True)
        words, mark = units["words"].to_numpy(float), units["mark"].to_numpy(float)
        draws = None
        if len(units):
            topics = units["topic"].fillna("").to_numpy(object)
            draws = draw_units(topics, draws=settings.draws, seed=settings.seed)
        plain = spearman(words, mark, draws)
        groups = units["system"].to_numpy(object)
        found.append(
            LengthProbe(
                judge=judge,
                on=on,
                n=len(units),
                left_out=left_out,
                rho=plain.rho,
                p=plain.p,
                within_systems=_partial(words, mark, groups, draws),
                units=units[["idea_id", "system", "words", "mark"]],
                seed=settings.seed,
            )
        )
    return tuple(found)


def halo(study: Study, settings: Settings | None = None) -> tuple[Halo, ...]:
    """How far each judge's dimensions move together on ``scores``."""
    settings = settings or study.settings
    by_name = {name: marks_of(study, name, settings) for name in JUDGE_DIMENSIONS}
    first = by_name[JUDGE_DIMENSIONS[0]]
    found = []
    for place, judge in enumerate(first.judges):
        rows: list[dict[str, object]] = []
        values: list[float] = []
        for left, a in enumerate(JUDGE_DIMENSIONS):
            for b in JUDGE_DIMENSIONS[left + 1 :]:
                one, two = by_name[a].values[:, place], by_name[b].values[:, place]
                both = np.isfinite(one) & np.isfinite(two)
                draws = None
                if both.any():
                    topics = first.topics[both]
                    draws = draw_units(topics, draws=settings.draws, seed=settings.seed)
                rho = spearman(one[both], two[both], draws).rho
                if rho.value is not None:
                    values.append(rho.value)
                rows.append(
                    {
                        "dimension_a": a,
                        "dimension_b": b,
                        "n": rho.n,
                        "rho": rho.value,
                        "low": rho.low,
                        "high": rho.high,
                        "undefined": rho.undefined,
                    }
                )
        mean = float(np.mean(values)) if values else None
        found.append(Halo(judge=judge, mean=mean, rows=pd.DataFrame(rows)))
    return tuple(found)


def family_probe(
    study: Study,
    on: str = "overall",
    settings: Settings | None = None,
    families: Callable[[str], Sequence[str]] | None = None,
) -> tuple[FamilyProbe, ...]:
    """Whether a judge favours ideas of systems built on its own model family.

    ``families`` gives the model families of a judge's or a system's name, none where unknown;
    by default those its model's name shows, the model being named under [models] in study.toml.
    Ideas of a system without a known family count among the others.
    """
    families = families or _families_of(study)
    settings = settings or study.settings
    ideas = _ideas(study)
    by_judge = _idea_marks(study, on, settings)
    table = pd.DataFrame({judge: marks["mark"] for judge, marks in by_judge.items()})
    found = []
    for judge in by_judge:
        own_families = set(families(judge))
        mark = table[judge].dropna()
        mark = mark[mark.index.isin(ideas.index)]
        system = ideas["system"].reindex(mark.index)
        kin = {name for name in system.unique() if own_families & set(families(str(name)))}
        own = system.isin(kin).to_numpy(dtype=bool)
        topics = ideas["topic"].reindex(mark.index).fillna("").to_numpy(object)
        others = table.drop(columns=judge).mean(axis=1).reindex(mark.index).to_numpy(float)
        reason = None if own_families else "the judge's model family is not known"
        values = mark.to_numpy(float)
        found.append(
            FamilyProbe(
                judge=judge,
                on=on,
                families=tuple(sorted(own_families)),
                systems=tuple(sorted(kin)),
                n_own=int(own.sum()),
                n_other=int((~own).sum()),
                mean_own=float(values[own].mean()) if own.any() else None,
                mean_other=float(values[~own].mean()) if (~own).any() else None,
                difference=_gap(values, own, topics, settings, reason),
                excess=_gap(values - others, own, topics, settings, reason),
            )
        )
    return tuple(found)


def _families_of(study: Study) -> Callable[[str], Sequence[str]]:
    from core.judging.families import families

    models = study.config.models
    return lambda name: families(models.get(name, name))


def _gap(
    values: Floats,
    own: NDArray[np.bool_],
    topics: NDArray[np.object_],
    settings: Settings,
    reason: str | None,
) -> Estimate:
    """mean(own) − mean(others) with a bootstrap interval."""
    held = np.isfinite(values)
    values, own, topics = values[held], own[held], topics[held]
    n = len(values)
    if reason:
        return Estimate.missing(reason, n)
    if not own.any() or own.all():
        which = "of the judge's own family" if not own.any() else "of another family"
        return Estimate.missing(f"no marked idea is {which}", n)
    parts = np.stack([values * own, own, values * ~own, ~own], axis=1).astype(float)
    draws = draw_units(topics, draws=settings.draws, seed=settings.seed)
    sums = drawn_sums(draws, parts)
    drawn = ratio(sums[:, 0], sums[:, 1]) - ratio(sums[:, 2], sums[:, 3])
    value = float(values[own].mean() - values[~own].mean())
    return bootstrapped(value, drawn, n=n, draws=draws, undefined="")


def _partial(words: Floats, mark: Floats, groups: NDArray[np.object_], draws: object) -> Estimate:
    """Spearman's ρ with the group held fixed: ranks less their group's mean rank."""
    from core.stats.resample import Draws

    n = len(words)
    names, member = np.unique(groups.astype(str), return_inverse=True)
    if len(names) < 2:
        return Estimate.missing(ONE_SYSTEM, n)
    if n < 3 + len(names):
        return Estimate.missing("too few ideas for so many systems", n)
    is_member = np.eye(len(names))[member]
    marks = np.stack([words, mark], axis=1)

    def statistic(held: Floats, weights: Floats) -> Floats:
        size = weights @ is_member
        rest = []
        for column in (0, 1):
            ranks, _ = weighted_ranks(held[:, column], weights)
            rest.append(ranks - ratio((weights * ranks) @ is_member, size)[:, member])
        # A system that a draw lacks has no mean; its ideas have no weight either.
        first, second = (np.nan_to_num(part) for part in rest)
        return weighted_correlation(first, second, weights)

    value = float(statistic(marks, np.ones((1, n)))[0])
    if not isinstance(draws, Draws):
        return bootstrapped(value, None, n=n, draws=None, undefined=ONE_SYSTEM)
    drawn = by_block(statistic, marks, draws, np.ones(n, dtype=bool))
    reason = "within every system the marks or the lengths are all the same"
    return bootstrapped(value, drawn, n=n, draws=draws, undefined=reason)


def _ideas(study: Study) -> pd.DataFrame:
    """system, topic and length in words of each idea, by idea_id."""
    ideas = study.ideas.drop_duplicates("idea_id").set_index("idea_id")
    texts = ideas[list(IDEA_TEXTS)].fillna("").agg(" ".join, axis=1)
    words = texts.str.split().str.len() if len(ideas) else pd.Series(dtype=int)
    return pd.DataFrame({"system": ideas["system"], "topic": ideas["topic"], "words": words})


def _idea_marks(study: Study, on: str, settings: Settings) -> dict[str, pd.DataFrame]:
    """Each judge's mean mark of each idea, over repeats and over what it was compared with."""
    dimension = dimension_of(on)
    rows = unit_rows(study, dimension, settings)
    found = {}
    for judge, own in rows.groupby("judge", sort=True):
        units = [name for name in own.columns if name.endswith("_id")]
        per_unit = own.groupby(units)["value"].mean()
        mark = per_unit.groupby(level="idea_id").mean() if len(units) > 1 else per_unit
        mark.index.name = "idea_id"
        found[str(judge)] = mark.to_frame("mark")
    return found
