"""LigBench's results for the pages, each kept under the settings that it depends on."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pandas as pd

from core.config import ALL_JUDGES, Settings
from core.errors import ForeseenError
from core.files import DERIVED
from core.ligbench.contrasts import Contrasts, contrasts, win_fractions
from core.ligbench.games import flip_rates
from core.ligbench.idea_games import IdeaGames, idea_games
from core.ligbench.meeting import Meeting, meeting
from core.ligbench.novelty import Novelty
from core.ligbench.pair_accuracy import PairAccuracy, pair_accuracy
from core.ligbench.rank import Rank
from core.ligbench.references import ReferencesReport, references_report
from core.ligbench.similar_papers import INFO_FILE
from core.ligbench.simulated_games import Grid, JudgeModel, noise_grid, scale_grid, step_grid
from core.ligbench.studies import (
    AcceptedRejected,
    ExpertAgreement,
    OneSource,
    accepted_rejected,
    expert_agreement,
    one_source,
)
from core.study import Study
from dashboard import cached
from dashboard.state import View

GRID_ORDERS = 50
_RATING = ("orders", "judge", "seed", "draws")
_NOVELTY = ("ambiguous_dates", "judge", "seed", "draws")
BESIDE_RATING = tuple(
    name
    for name in Settings.model_fields
    if not name.startswith(("elo_", "bt_")) and name not in _RATING
)
BESIDE_NOVELTY = tuple(
    name
    for name in Settings.model_fields
    if not name.startswith("novelty_") and name not in _NOVELTY
)


def of_judge(view: View, judge: str) -> View:
    """The view with this judge of comparisons; the sidebar's judge is that of the marks."""
    return replace(view, settings=view.settings.model_copy(update={"judge": judge}))


def rank(view: View) -> Rank:
    """Ratings; raises where there are no references or comparisons."""
    return cached.kept("rank", view, lambda study, settings: study.rank(settings), *BESIDE_RATING)


def novelty(view: View) -> tuple[Novelty | None, str]:
    """Novelty, or None and what stands in its way."""
    judges = set(view.study.starts["judge"])
    own = view if view.settings.judge in judges else of_judge(view, ALL_JUDGES)
    try:
        found = cached.kept(
            f"novelty {_stored(view)}",
            own,
            lambda study, settings: study.novelty(settings),
            *BESIDE_NOVELTY,
        )
    except ForeseenError as error:
        return None, str(error)
    return found, ""


def system_contrasts(view: View, ranked: Rank, found: Novelty | None) -> Contrasts:
    """Every two systems held against each other."""
    name = f"contrasts {_stored(view)} {_novelty_part(view)}"
    return cached.kept(name, view, lambda study, _: contrasts(study, ranked, found), *BESIDE_RATING)


def wins(view: View, dimension: str) -> pd.DataFrame:
    """Share of games won by the opponent's score."""
    return cached.kept(
        f"wins {dimension}",
        view,
        lambda study, settings: win_fractions(study, settings, dimension),
        *BESIDE_RATING,
    )


def games_of(view: View, idea_id: str, dimension: str) -> IdeaGames:
    """One idea's games and its rating's path."""
    return cached.kept(
        f"games {dimension} {idea_id!r}",
        view,
        lambda study, settings: idea_games(study, settings, idea_id, dimension),
        *BESIDE_RATING,
    )


def references(view: View) -> ReferencesReport:
    """The reference set."""
    return cached.kept(
        "references", view, lambda study, _: references_report(study), *Settings.model_fields
    )


def flips(view: View) -> pd.DataFrame:
    """How often each judge's choice turns with the order shown."""
    return cached.kept(
        "flips", view, lambda study, _: flip_rates(study.comparisons), *Settings.model_fields
    )


def accuracy(view: View) -> PairAccuracy:
    """Judges held to pairs of references; the judge in the settings plays no part."""
    beside = [name for name in Settings.model_fields if name not in ("seed", "draws")]
    return cached.kept("pair accuracy", view, pair_accuracy, *beside)


def by_decision(view: View) -> AcceptedRejected:
    """Accepted against rejected references."""
    return cached.kept("accepted against rejected", view, accepted_rejected, *BESIDE_RATING)


def by_source(view: View) -> OneSource:
    """Ratings from one venue's references against those from all."""
    return cached.kept("one source", view, one_source, *BESIDE_RATING)


def experts(view: View, names: tuple[str, ...]) -> ExpertAgreement:
    """Judges' choices against those of these people."""
    return cached.kept(
        f"experts {names!r}",
        view,
        lambda study, settings: expert_agreement(study, settings, names),
        *Settings.model_fields,
    )


def grid(view: View, name: str, judge: JudgeModel) -> Grid:
    """One of the paper's grids by simulation; nothing of the study plays a part but its settings.

    With 50 orders, since the mean over them is what is looked at.
    """
    make = {"noise": noise_grid, "scale": scale_grid, "steps": step_grid}[name]

    def compute(_: Study, settings: Settings) -> Grid:
        few = settings.model_copy(update={"orders": min(settings.orders, GRID_ORDERS)})
        return make(few, seed=settings.seed, judge=judge)

    return cached.kept(f"grid {name} {judge}", view, compute, "judge", *BESIDE_RATING)


def met(view: View, own: View, ranked: Rank, found: Novelty | None) -> Meeting:
    """HindSight under ``view`` beside LigBench under ``own``."""
    name = f"meeting {_stored(view)} {own.settings.judge!r}"
    score = cached.score(view)
    return cached.kept(name, view, lambda study, _: meeting(study, score, ranked, found))


def _stored(view: View) -> str:
    """Digest of the novelty search that is stored: the study's own key does not hold it."""
    if view.study.folder is None:
        return ""
    path = view.study.folder / DERIVED / INFO_FILE
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else ""


def _novelty_part(view: View) -> str:
    """The settings of novelty, for results that are kept under those of the rating."""
    return repr({n: v for n, v in view.settings.model_dump().items() if n not in BESIDE_NOVELTY})
