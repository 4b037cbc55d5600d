"""``foreseen score`` and ``foreseen sweep``: HindSight as JSON, CSV or a table to read."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from core.commands.options import CsvFlag, JsonFlag, StudyFolder, note, print_json, with_settings
from core.config import SIGNIFICANCE, Settings
from core.errors import DataError, UsageError
from core.study import Study

if TYPE_CHECKING:
    import pandas as pd

    from core.hindsight.results import Comparison, Score, Sweep

_IDEA_KEYS = (
    "idea_id",
    "system",
    "topic",
    "score",
    "n_matches",
    "best_paper_id",
    "similarity",
    "citation_term",
    "venue_term",
    "judge_overall",
    "quadrant",
    "judge_novelty",
    "judge_feasibility",
    "judge_impact",
    "short_of_k",
)
_STEP = 0.01


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""

    @app.command("score")
    @with_settings()
    def score(
        folder: StudyFolder,
        given: dict[str, Any],
        json_: JsonFlag = False,
        csv: CsvFlag = False,
        ideas: Annotated[bool, typer.Option("--ideas", help="One row an idea")] = False,
        impacts: Annotated[
            bool, typer.Option("--impacts", help="What each paper of the pool was worth")
        ] = False,
        specifications: Annotated[
            bool, typer.Option("--specifications", help="One row a combination of choices")
        ] = False,
    ) -> None:
        """HindSight: systems, comparisons, correlations with judges, quadrants."""
        _one_of({"--json": json_, "--csv": csv})
        _one_of({"--ideas": ideas, "--impacts": impacts, "--specifications": specifications})
        study = Study.open(folder)
        settings = Settings.of(given, base=study.settings)
        if impacts:
            _print_impacts(study, settings, json_)
            return
        if study.candidates is None:
            raise DataError(f"{folder}: no candidates yet. Run `foreseen match {folder}`.")
        if specifications:
            _print_specifications(study, settings, json_)
            return
        found = study.score(settings)
        for caution in found.cautions:
            note(caution.message)
        if json_:
            print_json(score_object(found, ideas=ideas))
        elif csv:
            _print_csv(found.ideas[list(_IDEA_KEYS)] if ideas else _frame(found.systems))
        else:
            _show(found, ideas=ideas)

    @app.command("sweep")
    @with_settings()
    def sweep(
        folder: StudyFolder,
        given: dict[str, Any],
        json_: JsonFlag = False,
        csv: CsvFlag = False,
        ratios: Annotated[
            bool, typer.Option("--ratios", help="With --csv: the ratios, not the systems")
        ] = False,
        start: Annotated[float | None, typer.Option("--from", help="First θ of a grid")] = None,
        stop: Annotated[float | None, typer.Option("--to", help="Last θ of a grid")] = None,
        step: Annotated[
            float | None, typer.Option("--step", help=f"Step of a grid ({_STEP} if not given)")
        ] = None,
    ) -> None:
        """The exact threshold curve: every breakpoint, or a grid from A to B by S."""
        _one_of({"--json": json_, "--csv": csv})
        study = Study.open(folder)
        if study.candidates is None:
            raise DataError(f"{folder}: no candidates yet. Run `foreseen match {folder}`.")
        settings = Settings.of(given, base=study.settings)
        found = study.sweep(settings, thetas=_grid(start, stop, step))
        if json_:
            print_json(sweep_object(found))
        elif csv:
            _print_csv(found.ratios if ratios else found.points)
        else:
            _show_sweep(found)


def score_object(found: Score, *, ideas: bool = False) -> dict[str, Any]:
    """The object that ``foreseen score --json`` prints."""
    names = ("study", "settings", "pool", "systems", "comparisons", "correlations", "quadrants")
    result: dict[str, Any] = {name: getattr(found, name) for name in names}
    if ideas:
        result["ideas"] = found.ideas[list(_IDEA_KEYS)]
    return result | {
        "leakage": found.leakage,
        "cautions": found.cautions,
        "resampled": found.resampled,
    }


def sweep_object(found: Sweep) -> dict[str, Any]:
    """The object that ``foreseen sweep --json`` prints."""
    return {
        "study": found.study,
        "settings": found.settings,
        "exact": found.exact,
        "points": found.points,
        "ratios": found.ratios,
        "correlations": found.correlations,
        "resampled": found.resampled,
    }


def _one_of(flags: dict[str, bool]) -> None:
    given = [name for name, on in flags.items() if on]
    if len(given) > 1:
        raise UsageError(f"Choose one of {', '.join(given)}.")


def _grid(start: float | None, stop: float | None, step: float | None) -> list[float] | None:
    """A, A + S, … up to B, both ends in; None where no grid is asked for."""
    if start is None and stop is None and step is None:
        return None
    if start is None or stop is None:
        raise UsageError("A grid needs --from and --to, and may have --step.")
    step = _STEP if step is None else step
    if not (np.isfinite([start, stop, step]).all() and step > 0 and start <= stop):
        raise UsageError("A grid needs --from no greater than --to, and a --step above 0.")
    n = int(np.floor((stop - start) / step + 1e-9))
    if n > 100_000:
        raise UsageError(f"--step {step:g} makes {n + 1} thresholds; 100,000 are allowed.")
    return [round(start + place * step, 10) for place in range(n + 1)]


def _frame(rows: Any) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([asdict(row) for row in rows])


def _print_csv(frame: pd.DataFrame) -> None:
    from core.ingest.tabular import to_csv

    sys.stdout.write(to_csv(frame))


def _print_impacts(study: Study, settings: Settings, json_: bool) -> None:
    from core.hindsight.impact import impacts

    found = impacts(study, settings)
    if json_:
        names = ("settings", "n", "left_out", "bounds", "flags")
        print_json({name: getattr(found, name) for name in names} | {"papers": found.frame})
        return
    for flag in found.flags:
        note(flag)
    if found.left_out:
        note(f"{found.left_out} papers take no part under these settings: impact left empty.")
    _print_csv(found.frame)


def _print_specifications(study: Study, settings: Settings, json_: bool) -> None:
    from core.cache import remembered

    found = remembered(
        study, settings, "specifications", (), lambda: study.specifications(settings)
    )
    if found.undefined:
        note(found.undefined)
    if json_:
        names = ("study", "settings", "a", "b", "grid", "shares", "explained", "undefined", "rows")
        print_json({name: getattr(found, name) for name in names})
        return
    _print_csv(found.rows)


def answer(row: Comparison) -> str:
    """One comparison in a sentence with its numbers."""
    what = "HindSight" if row.metric == "hindsight" else f"judged {row.metric}"
    if row.difference is None or row.p is None:
        return f"{row.a} and {row.b} cannot be compared on {what}: {row.undefined}."
    up, down = (row.a, row.b) if row.difference >= 0 else (row.b, row.a)
    p = row.p if row.p_adjusted is None else row.p_adjusted
    size = f"difference of means {abs(row.difference):.3g}"
    if row.difference_low is not None and row.difference_high is not None:
        ends = sorted((row.difference_low, row.difference_high), reverse=row.difference < 0)
        sign = 1 if row.difference >= 0 else -1
        size += f", 95 % interval {sign * ends[0]:.3g} to {sign * ends[1]:.3g}"
    tail = f"({size}; {_p(p)} after Holm; n = {row.n_a} and {row.n_b})"
    if p >= SIGNIFICANCE:
        return f"{row.a} and {row.b} do not differ significantly on {what} {tail}."
    return f"{up} scores higher than {down} on {what} {tail}."


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _show(found: Score, *, ideas: bool) -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    for row in found.comparisons:
        if row.metric in ("hindsight", "overall"):
            console.print(answer(row))
    now = found.settings
    console.print(f"θ = {now.theta:g}, K = {now.k}, {now.normalizer}, {now.aggregate}")
    console.print(
        _table(
            "Systems, mean with its 95 % interval",
            ("system", "ideas", "mean", "interval", "median", "match rate", "matches"),
            [
                (
                    row.system,
                    row.n,
                    row.mean,
                    _span(row.mean_low, row.mean_high),
                    row.median,
                    row.match_rate,
                    row.mean_matches,
                )
                for row in found.systems
            ],
        )
    )
    if found.comparisons:
        console.print(
            _table(
                "Comparisons, p after Holm",
                ("a", "b", "on", "ratio", "interval", "effect", "p"),
                [
                    (
                        row.a,
                        row.b,
                        row.metric,
                        row.ratio,
                        _span(row.ratio_low, row.ratio_high),
                        row.rank_biserial,
                        row.p_adjusted,
                    )
                    for row in found.comparisons
                ],
            )
        )
    known = [row for row in found.correlations if row.rho is not None and row.judge == now.judge]
    if known:
        console.print(
            _table(
                f"Spearman's ρ of HindSight with the marks (judge: {now.judge}), p after Holm",
                ("system", "dimension", "n", "ρ", "interval", "p"),
                [
                    (
                        row.system,
                        row.dimension,
                        row.n,
                        row.rho,
                        _span(row.rho_low, row.rho_high),
                        row.p_adjusted,
                    )
                    for row in known
                ],
            )
        )
    if found.quadrants.undefined is None:
        console.print(
            _table(
                f"Quadrants ({found.quadrants.rule}, high is {found.quadrants.comparison} the cut)",
                ("system", "true positive", "hidden gem", "overhyped", "true negative", "unscored"),
                [tuple(asdict(row).values()) for row in found.quadrants.counts],
            )
        )
    if ideas:
        shown = found.ideas[["idea_id", "score", "n_matches", "best_paper_id", "quadrant"]]
        rows = list(shown.itertuples(index=False))
        console.print(_table("Ideas", ("idea", "score", "matches", "best paper", "quadrant"), rows))


def _show_sweep(found: Sweep) -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    if not len(found.thetas):
        console.print("No idea has a candidate, so no threshold changes anything.")
        return
    count = len(found.thetas)
    console.print(f"{count} thresholds from {found.thetas[0]:.4g} to {found.thetas[-1]:.4g}.")
    for conclusion in found.conclusions:
        console.print(f"At {conclusion.holds.mean():.0%} of them: {conclusion.statement}.")
    places = np.unique(np.linspace(0, count - 1, min(count, 12)).round().astype(int))
    shown = found.points[found.points["theta"].isin(found.thetas[places])]
    console.print(
        _table(
            "Some of them (all: --json or --csv)",
            ("θ", "system", "mean", "median", "match rate", "matches"),
            list(shown.itertuples(index=False)),
        )
    )


def _table(title: str, names: Sequence[str], rows: Sequence[Iterable[object]]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left")
    for place, name in enumerate(names):
        number = any(isinstance(tuple(row)[place], (int, float)) for row in rows)
        table.add_column(Text(name), justify="right" if number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    return table


def _span(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{low:.3g} to {high:.3g}"


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return "–"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
