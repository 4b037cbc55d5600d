"""One self-contained HTML file of a study: ``python -m dashboard.report STUDY -o FILE.html``.

What the pages say, in tables and one drawing, without script or request, to be mailed or kept.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import core
from core.config import ALL_JUDGES, Settings
from core.errors import DataError, ForeseenError
from core.hindsight.cases import cases, quadrant_ids
from core.hindsight.quantities import QUANTITIES, default_text, setting_texts
from core.hindsight.results import (
    HINDSIGHT,
    UNSCORED,
    Comparison,
    Conclusion,
    Correlation,
    Score,
)
from core.ingest.tabular import replacing
from core.published import HINDSIGHT_PAPER, SETTING, beside
from core.study import Study
from dashboard.beside_text import TABLES, beside_sentence, beside_table
from dashboard.charts.conclusions import conclusions_of, holding, holds_at
from dashboard.charts.quadrants import (
    MEANINGS,
    NAMES,
    PLURALS,
    counts_table,
    counts_text,
    cuts_sentence,
    placed,
    quadrants_sentence,
)
from dashboard.export import document as doc
from dashboard.export.cases import SIMULATED_EXPORT, card_html
from dashboard.export.strip import score_strips
from dashboard.prose import count, fixed, interval, number, p_value, percent

SHOWN_CARDS = 6
SHOWN_STRETCHES = 4


def report_html(study: Study, score: Score, *, made: datetime | None = None) -> str:
    """The whole report; ``made`` (else now) is the only thing that differs between two runs."""
    title = f"Foreseen: {study.config.name}"
    body = [
        doc.element("h1", title),
        doc.element("p", headline(score)),
        *_systems(score),
        *_comparisons(score),
        *_correlations(score),
        *_thresholds(study, score),
        *_quadrants(study, score),
        *_data(study, score),
        *_published(score),
        *_methods(score, study, made or datetime.now(UTC)),
    ]
    notices = [SIMULATED_EXPORT] if study.config.simulated else []
    notices += [c.message for c in score.cautions if c.code != "simulated"]
    return doc.document(title=title, body=body, notices=notices)


def headline(score: Score) -> str:
    """The finding in a sentence: the first comparison of HindSight, with interval, p and n."""
    row = next((row for row in score.comparisons if row.metric == HINDSIGHT), None)
    if row is None:
        systems = ", ".join(f"{s.system} {number(s.mean)} (n = {s.n:,})" for s in score.systems)
        return f"One system, so nothing is compared: mean HindSight score {systems}."
    if row.difference is None:
        return f"{row.a} and {row.b} cannot be compared: {row.undefined}."
    high, low = (row.a, row.b) if row.difference >= 0 else (row.b, row.a)
    sure = row.p_adjusted is not None and row.p_adjusted < 0.05
    verb = "foresaw more than" if sure else "scores higher than, but not clearly more than,"
    ratio = f" The ratio of means {row.a} / {row.b} is {number(row.ratio)}"
    ratio += f" ({interval(row.ratio_low, row.ratio_high)})." if row.ratio is not None else ""
    return (
        f"{high} {verb} {low}: means differ by {number(abs(row.difference))} (95 % interval of"
        f" {row.a} − {row.b}: {interval(row.difference_low, row.difference_high)};"
        f" {p_value(row.p_adjusted)} after Holm; n = {row.n_a:,} + {row.n_b:,})."
        + (ratio if row.ratio is not None else "")
    )


def _systems(score: Score) -> Iterable[str]:
    yield doc.element("h2", "Each system")
    yield score_strips(score)
    yield doc.table(
        ["system", "n", "mean score", "95 % interval", "median", "ideas with a match",
         "matches per idea", "citation term", "venue term"],
        [
            [
                row.system,
                f"{row.n:,}",
                fixed(row.mean, 3),
                interval(row.mean_low, row.mean_high),
                fixed(row.median, 3),
                percent(row.match_rate),
                fixed(row.mean_matches, 1),
                fixed(row.mean_citation_term, 3),
                fixed(row.mean_venue_term, 3),
            ]
            for row in score.systems
        ],
        numeric=range(1, 9),
        caption=f"HindSight score from 0 to 1, higher is better. Intervals draw {score.resampled}"
        f" ({score.settings.draws:,} draws, seed {score.settings.seed}).",
    )  # fmt: skip


def _comparisons(score: Score) -> Iterable[str]:
    yield doc.element("h2", "Systems compared")
    if not score.comparisons:
        yield doc.element("p", "There is one system, so nothing is compared.")
        return

    def cells(row: Comparison) -> Sequence[object]:
        return [
            f"{row.a} − {row.b}",
            row.metric,
            f"{row.n_a:,} + {row.n_b:,}",
            fixed(row.difference, 3),
            interval(row.difference_low, row.difference_high),
            fixed(row.ratio, 2),
            p_value(row.p_adjusted),
            fixed(row.rank_biserial, 2),
            row.undefined or "",
        ]

    yield doc.table(
        ["systems", "metric", "n", "difference", "95 % interval", "ratio", "p after Holm",
         "rank-biserial", "why not defined"],
        map(cells, score.comparisons),
        numeric=range(2, 8),
        caption="Mann–Whitney U, two-sided, with tie and continuity correction; Holm over all"
        f" {len(score.comparisons)} comparisons.",
    )  # fmt: skip


def _correlations(score: Score) -> Iterable[str]:
    yield doc.element("h2", "HindSight and the judges")
    if not score.correlations:
        yield doc.element("p", "No judge has marked ideas, so nothing is correlated.")
        return

    def cells(row: Correlation) -> Sequence[object]:
        return [
            row.system,
            "all judges" if row.judge == ALL_JUDGES else row.judge,
            row.dimension,
            f"{row.n:,}",
            fixed(row.rho, 3),
            interval(row.rho_low, row.rho_high),
            p_value(row.p_adjusted),
            row.undefined or "",
        ]

    yield doc.table(
        ["system", "judge", "dimension", "n", "ρ", "95 % interval", "p after Holm",
         "why not defined"],
        (cells(row) for row in score.correlations if row.judge == score.settings.judge),
        numeric=range(3, 7),
        caption=f"Spearman's ρ; Holm over all {len(score.correlations)} correlations, each judge's"
        " own among them.",
    )  # fmt: skip


def _thresholds(study: Study, score: Score) -> Iterable[str]:
    sweep = study.sweep(score.settings)
    items = conclusions_of(sweep, [row.system for row in score.systems])
    if not items:
        return
    yield doc.element("h2", "For which θ does each conclusion hold?")

    def spans(item: Conclusion) -> str:
        found = holding(sweep.thetas, item)
        texts = [
            f"{fixed(a, 3)} to {fixed(b, 3)}" if a > -1 else f"up to {fixed(b, 3)}"
            for a, b in found
        ]
        if len(texts) > SHOWN_STRETCHES:
            rest = len(texts) - SHOWN_STRETCHES
            texts = [
                *texts[:SHOWN_STRETCHES],
                f"and {count(rest, 'more stretch', 'more stretches')}",
            ]
        return ", ".join(texts) or "none"

    now = score.settings.theta
    yield doc.table(
        ["conclusion", f"at θ = {number(now)}", "holds for θ"],
        [
            [item.statement, "yes" if holds_at(sweep.thetas, item, now) else "no", spans(item)]
            for item in items
        ],
        caption=f"At all {len(sweep.thetas):,} thresholds where anything changes, not on a grid.",
    )


def _quadrants(study: Study, score: Score) -> Iterable[str]:
    yield doc.element("h2", "Where judges and the future disagree")
    if score.quadrants.undefined:
        yield doc.element("p", f"Not every idea has a quadrant: {score.quadrants.undefined}.")
    if not placed(score):
        return
    yield doc.element("p", quadrants_sentence(score).replace("**", ""))
    shown = counts_text(counts_table(score))
    yield doc.table(
        ["", *shown.columns[1:]], shown.to_numpy().tolist(), numeric=range(1, len(shown.columns))
    )
    yield doc.element("p", cuts_sentence(score.quadrants), css="soft")
    for name in ("hidden_gem", "overhyped"):
        ids = quadrant_ids(score, [name])
        yield doc.element("h2", f"{PLURALS[name]}: {MEANINGS[name]}")
        if not ids:
            yield doc.element("p", f"No idea is {NAMES[name].lower()}.")
            continue
        yield doc.element(
            "p", f"The first {min(len(ids), SHOWN_CARDS)} of {len(ids):,}.", css="soft"
        )
        yield '<div class="cards">'
        yield from (card_html(item) for item in cases(study, score, ids[:SHOWN_CARDS]))
        yield "</div>"


def _data(study: Study, score: Score) -> Iterable[str]:
    pool = score.pool
    unscored = int((score.ideas["quadrant"] == UNSCORED).sum())
    yield doc.element("h2", "What was read")
    yield doc.table(
        ["", "n"],
        [
            ["ideas", f"{len(study.ideas):,}"],
            ["of them without a judge's mark or a score", f"{unscored:,}"],
            ["papers", f"{pool.papers:,}"],
            ["of them in the window", f"{pool.in_window:,}"],
            ["without a date, in no pool", f"{pool.undated:,}"],
            ["with a date on either side of a window's end", f"{pool.ambiguous_date:,}"],
            ["in the window, without an abstract", f"{pool.title_only:,}"],
            ["in the window, with unknown citations", f"{pool.unknown_citations:,}"],
            ["in the window, at a top venue", f"{pool.top_venue:,}"],
            ["judges' marks", f"{len(study.scores):,}"],
        ],
        numeric=[1],
        caption=f"Window: after {study.config.cutoff}, to {study.config.window_end()}."
        + (f" Citations as of {study.config.snapshot}." if study.config.snapshot else ""),
    )


def _published(score: Score) -> Iterable[str]:
    found = beside(score)
    yield doc.element("h2", "The paper's numbers beside these")
    yield doc.element(
        "p", f"This study is not theirs. {HINDSIGHT_PAPER}: {SETTING}. {beside_sentence(found)}"
    )
    for name, title in TABLES.items():
        shown = beside_table(found, name)
        yield doc.table(
            list(shown.columns),
            shown.to_numpy().tolist(),
            numeric=range(1, len(shown.columns)),
            caption=f"{HINDSIGHT_PAPER}, {name}: {title}",
        )


def _methods(score: Score, study: Study, made: datetime) -> Iterable[str]:
    yield doc.element("h2", "How it was computed")
    yield doc.table(
        ["setting", "value", "default", "meaning"],
        [
            [
                item.name,
                default_text(getattr(score.settings, item.name)),
                default_text(item.default),
                item.description,
            ]
            for item in setting_texts()
        ],
    )
    yield doc.table(
        ["quantity", "range", "limits", "source"],
        [[item.name, item.range, item.limits, item.source] for item in QUANTITIES],
    )
    yield doc.element(
        "p",
        f"Foreseen {core.__version__}; study digest {study.digest}, settings digest"
        f" {score.settings.digest}, encoder {study.config.encoder}; made {made:%Y-%m-%d %H:%M} UTC."
        f" {count(len(score.ideas), 'idea')}.",
        css="soft",
    )


def write_report(folder: Path, file: Path, values: dict[str, object]) -> None:
    """Score the study under its own settings with ``values`` put over them, and write the file."""
    study = Study.open(folder)
    if study.ideas.empty:
        raise DataError(f"{folder}: no ideas yet. Bring some with `foreseen import ideas`.")
    if study.candidates is None:
        raise DataError(f"{folder}: not matched yet. Run `foreseen match {folder}` first.")
    score = study.score(Settings.of(values, base=study.settings))
    with replacing(file) as out:
        out.write(report_html(study, score).encode("utf-8"))


def main(words: Sequence[str] | None = None) -> int:
    """The command behind ``foreseen report``; 0 when the file is written."""
    parser = argparse.ArgumentParser(prog="python -m dashboard.report")
    parser.add_argument("study", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--settings", default="{}", help="settings as one JSON object")
    given = parser.parse_args(words)
    try:
        write_report(given.study, given.output, json.loads(given.settings))
    except ForeseenError as error:
        sys.stderr.write(f"foreseen: {error}\n")
        return error.exit_code
    except OSError as error:
        sys.stderr.write(f"foreseen: {given.output}: cannot be written: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
