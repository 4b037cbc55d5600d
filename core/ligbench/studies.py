"""The paper's studies of its own method, each as one call on the user's study.

=====================  =======================================================  ==========
call                   what it asks                                             table
=====================  =======================================================  ==========
``pair_accuracy``      does a judge name the better of two reviewed papers?     T2, T3
``expert_agreement``   do judges choose as people do?                           T4
``accepted_rejected``  are accepted papers rated above rejected ones?           T5
``one_source``         does one venue's references rate ideas as all do?        T6
=====================  =======================================================  ==========

``pair_accuracy`` stands in :mod:`core.ligbench.pair_accuracy`. Grids over parameters and noise are in :mod:`core.ligbench.simulated_games`, training pairs in
:mod:`core.ligbench.training_pairs`, the report of the references in
:mod:`core.ligbench.references`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core.config import CONFIDENCE, Settings
from core.errors import DataError, nearest
from core.ligbench.debias import DIMENSIONS, debias
from core.ligbench.games import combined
from core.ligbench.rank import rank
from core.ligbench.references import UNSTATED, venue_names, verdict_of
from core.schema import TABLES, admit
from core.study import Study

TIE = 0.5
_PAIR = ["idea_id", "reference_id"]
_DIFFERENCE_COLUMNS = (
    "source", "dimension", "accepted_n", "accepted", "rejected_n", "rejected", "difference",
    "low", "high", "undefined",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ExpertAgreement:
    """Agreement of judges with people on the same comparisons (Table 4).

    ``frame``: expert, judge, dimension, n, agreement (share of equal outcomes), decided_n and
    decided (both name a winner), undefined.
    """

    settings: Settings
    experts: tuple[str, ...]
    frame: pd.DataFrame


@dataclass(frozen=True, kw_only=True)
class AcceptedRejected:
    """Means of accepted and of rejected papers (Table 5).

    ``frame``: source ('reviews', debiased, or 'elo' where references were rated as ideas),
    dimension, accepted_n, accepted, rejected_n, rejected, difference, low, high (95 %), undefined.
    ``undecided``: references whose decision is neither, by decision.
    """

    settings: Settings
    frame: pd.DataFrame
    undecided: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class OneSource:
    """Ratings from one venue's references against those from all (Table 6).

    ``frame``: venue, dimension, n (ideas), mean_all, mean_one, difference, relative
    (difference / mean_all), undefined.
    """

    settings: Settings
    frame: pd.DataFrame


def accepted_rejected(study: Study, settings: Settings) -> AcceptedRejected:
    """Debiased review scores, and Elo where references were compared as ideas, by decision.

    The interval of the difference is Welch's, 95 %. Raises :class:`DataError` where the study
    has no references.
    """
    references = _with_references(study)
    verdicts = references["decision"].map(verdict_of)
    shifted = debias(references).frame
    scores = shifted.melt("reference_id", list(DIMENSIONS), "dimension", "score")
    scores["source"] = "reviews"
    rated = rated_references(study, settings)
    if rated is not None:
        scores = pd.concat([scores, rated.assign(source="elo")], ignore_index=True)
    scores["verdict"] = scores["reference_id"].map(
        dict(zip(references["reference_id"], verdicts, strict=True))
    )
    rows = [
        {"source": source, "dimension": dimension, **_difference(group)}
        for source in ("reviews", "elo")
        for dimension in DIMENSIONS
        if len(group := scores[(scores["source"] == source) & (scores["dimension"] == dimension)])
    ]
    neither = references.loc[verdicts.isna(), "decision"].fillna(UNSTATED).value_counts()
    return AcceptedRejected(
        settings=settings,
        frame=pd.DataFrame(rows, columns=list(_DIFFERENCE_COLUMNS)),
        undecided={str(name): int(count) for name, count in sorted(neither.items())},
    )


def rated_references(study: Study, settings: Settings) -> pd.DataFrame | None:
    """Elo of references that a judge compared with others, as reference_id, dimension, score.

    None where no comparison has a reference in the idea's place. A reference's own score plays
    no part: it meets other references only.
    """
    names = set(study.references["reference_id"])
    own = study.comparisons[
        study.comparisons["idea_id"].isin(names)
        & (study.comparisons["idea_id"] != study.comparisons["reference_id"])
    ]
    if own.empty:
        return None
    chosen = study.references[study.references["reference_id"].isin(set(own["idea_id"]))]
    ideas = pd.DataFrame({"idea_id": chosen["reference_id"], "system": "reference"})
    frame, _ = admit(TABLES["ideas"], ideas, file="references")
    ranked = rank(replace(study, ideas=frame, comparisons=own), settings)
    return ranked.ideas.rename(columns={"idea_id": "reference_id", "elo": "score"})[
        ["reference_id", "dimension", "score"]
    ]


def one_source(study: Study, settings: Settings) -> OneSource:
    """Mean Elo of the ideas when only one venue's references count, beside all of them.

    Debiasing stays that of all references, so only the choice of opponents differs; both means
    are over the ideas that met that venue. Raises :class:`DataError` as :func:`rank` does.
    """
    whole = rank(study, settings).ideas
    venues = venue_names(study.references)
    rows: list[dict[str, object]] = []
    for venue in sorted(set(venues)):
        inside = set(study.references.loc[venues == venue, "reference_id"])
        games = study.comparisons[study.comparisons["reference_id"].isin(inside)]
        part = rank(replace(study, comparisons=games), settings).ideas if len(games) else None
        for dimension in DIMENSIONS:
            rows.append({"venue": venue, "dimension": dimension, **_shift(whole, part, dimension)})
    columns = ["venue", "dimension", "n", "mean_all", "mean_one", "difference", "relative"]
    return OneSource(settings=settings, frame=pd.DataFrame(rows, columns=[*columns, "undefined"]))


def expert_agreement(study: Study, settings: Settings, experts: Sequence[str]) -> ExpertAgreement:
    """Each judge's choices against each expert's, on the (idea, reference) pairs of both.

    ``experts`` are judges of the comparisons table. A choice is the mean over repeats and orders:
    idea, reference or tie. Raises :class:`DataError` for an expert who compared nothing.
    """
    choices = choices_of(study.comparisons)
    judges = sorted(set(choices["judge"]))
    for expert in experts:
        if expert not in judges:
            raise DataError(f"'{expert}' compared nothing. {nearest(expert, judges)}")
    rows = []
    for expert in sorted(set(experts)):
        own = choices[choices["judge"] == expert]
        for judge in judges:
            if judge == expert:
                continue
            other = choices[choices["judge"] == judge]
            both = own.merge(
                other, on=["idea_id", "reference_id", "dimension"], suffixes=("", "_other")
            )
            for dimension in DIMENSIONS:
                pairs = both[both["dimension"] == dimension]
                rows.append(
                    {"expert": expert, "judge": judge, "dimension": dimension, **_agree(pairs)}
                )
    columns = ["expert", "judge", "dimension", "n", "agreement", "decided_n", "decided"]
    return ExpertAgreement(
        settings=settings,
        experts=tuple(sorted(set(experts))),
        frame=pd.DataFrame(rows, columns=[*columns, "undefined"]),
    )


def choices_of(comparisons: pd.DataFrame) -> pd.DataFrame:
    """What each judge chose for each pair and dimension: 1 the idea, 0.5 neither, 0 the
    reference. Both orders count, and repeats by their mean, a mean of ½ being a tie."""
    rows = combined(comparisons)
    if rows.empty:
        return pd.DataFrame(columns=[*_PAIR, "judge", "dimension", "choice"])
    means = rows.groupby([*_PAIR, "judge", "dimension"], sort=True)["outcome"].mean()
    frame = means.astype(float).reset_index(name="choice")
    frame["choice"] = (np.sign(frame["choice"] - TIE) + 1) / 2
    return frame


def _with_references(study: Study) -> pd.DataFrame:
    if study.references.empty:
        raise DataError("The study has no references. Add them: foreseen import references FILE")
    return study.references


def _difference(group: pd.DataFrame) -> dict[str, object]:
    from scipy.stats import ttest_ind

    one, other = (
        group.loc[(group["verdict"] == name) & group["score"].notna(), "score"].to_numpy(float)
        for name in ("accepted", "rejected")
    )
    found: dict[str, object] = {
        "accepted_n": len(one),
        "accepted": float(one.mean()) if len(one) else None,
        "rejected_n": len(other),
        "rejected": float(other.mean()) if len(other) else None,
        "difference": None,
        "low": None,
        "high": None,
        "undefined": None,
    }
    if not len(one) or not len(other):
        found["undefined"] = f"no {'rejected' if len(one) else 'accepted'} paper has a score"

        return found
    found["difference"] = float(one.mean() - other.mean())
    if min(len(one), len(other)) < 2 or (np.ptp(one) == 0 and np.ptp(other) == 0):
        found["undefined"] = "too few papers, or no spread, for an interval"
        return found
    band = ttest_ind(one, other, equal_var=False).confidence_interval(CONFIDENCE)
    return found | {"low": float(band.low), "high": float(band.high)}


def _shift(whole: pd.DataFrame, part: pd.DataFrame | None, dimension: str) -> dict[str, object]:
    nothing = {"n": 0, "mean_all": None, "mean_one": None, "difference": None, "relative": None}
    if part is None:
        return nothing | {"undefined": "no idea met a reference of this venue"}
    both = whole.merge(part, on=["idea_id", "dimension"], suffixes=("", "_one"))
    both = both[both["dimension"] == dimension]
    if both.empty:
        return nothing | {"undefined": "no idea met a reference of this venue with this score"}
    mean, one = float(both["elo"].mean()), float(both["elo_one"].mean())
    relative = (one - mean) / mean if mean else None
    return {
        "n": len(both),
        "mean_all": mean,
        "mean_one": one,
        "difference": one - mean,
        "relative": relative,
        "undefined": None if mean else "the mean over all is 0",
    }


def _agree(pairs: pd.DataFrame) -> dict[str, object]:
    equal = (pairs["choice"] == pairs["choice_other"]).to_numpy(bool)
    decided = ((pairs["choice"] != TIE) & (pairs["choice_other"] != TIE)).to_numpy(bool)
    return {
        "n": len(pairs),
        "agreement": float(equal.mean()) if len(pairs) else None,
        "decided_n": int(decided.sum()),
        "decided": float(equal[decided].mean()) if decided.any() else None,
        "undefined": None if len(pairs) else "no pair was judged by both",
    }
