"""``foreseen forecast topics``, ``episodes`` and ``compare``: what forecasts are asked about."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.commands.options import JsonFlag, StudyFolder, note, print_json


def register(forecast: typer.Typer) -> None:
    """Add the commands to ``foreseen forecast``."""
    forecast.command("topics")(topics_)
    forecast.command("episodes")(episodes_)
    forecast.command("compare")(compare_)
    forecast.command("candidates")(candidates_)


def topics_(
    study: StudyFolder,
    topics: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="YAML list of id, name, aliases, keywords"),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this topic; repeatable")
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Assign topics to papers by rules over title and abstract; replaces those they had."""
    from core.forecast.topics import assign_topics, choose_topics, read_topics
    from core.study import Study

    chosen = choose_topics(read_topics(topics), only or ())
    report = assign_topics(Study.open(study), chosen)
    per_paper = "" if report.per_paper is None else f", {report.per_paper:.3g} topics each"
    note(
        f"{report.total - report.unmatched:,} of {report.total:,} papers have a topic{per_paper};"
        f" {report.changed:,} changed"
    )
    if json_:
        print_json(
            {
                "papers": report.papers,
                "total": report.total,
                "unmatched": report.unmatched,
                "per_paper": report.per_paper,
                "changed": report.changed,
            }
        )
    else:
        for name, count in report.papers.items():
            typer.echo(f"{name}: {count:,}")


def episodes_(
    study: StudyFolder,
    cutoffs: Annotated[
        str, typer.Option(help="Months (their last days), or days", metavar="2024-07..2025-06")
    ],
    horizon_months: Annotated[
        int | None, typer.Option(help="Months of papers after a cutoff (else the study's)")
    ] = None,
    topic: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this topic; repeatable")
    ] = None,
    json_: JsonFlag = False,
) -> None:
    """Write the manifest: every topic and cutoff with the papers of its history and target."""
    from core.errors import DataError
    from core.forecast.episodes import build_manifest, parse_cutoffs
    from core.forecast.manifest import EPISODES_FILE, manifest_problems, write_manifest
    from core.study import Study

    opened = Study.open(study)
    manifest = build_manifest(
        opened, parse_cutoffs(cutoffs), horizon_months=horizon_months, topics=topic
    )
    problems = manifest_problems(manifest, opened.papers)
    if problems:
        raise DataError("\n".join(problems))
    write_manifest(manifest, study / EPISODES_FILE)
    frame = manifest.to_frame()
    if manifest.horizon_months != opened.config.horizon_months:
        note(
            f"caution: the study's horizon_months is {opened.config.horizon_months}; candidates"
            " come from the study's windows. Set it in study.toml to what is forecast."
        )
    note(
        f"{study / EPISODES_FILE}: {len(frame):,} episodes ({len(manifest.topics)} topics ×"
        f" {len(manifest.cutoffs)} cutoffs), digest {manifest.digest}"
    )
    note(
        f"left out: {manifest.undated:,} papers without a date,"
        f" {manifest.uncertain:,} whose date may lie on either side of an end"
    )
    if json_:
        print_json(
            {
                "episodes": frame,
                "topics": manifest.topics,
                "cutoffs": manifest.cutoffs,
                "horizon_months": manifest.horizon_months,
                "undated": manifest.undated,
                "uncertain": manifest.uncertain,
                "digest": manifest.digest,
            }
        )
    else:
        for row in frame.to_dict("records"):
            typer.echo(
                f"{row['topic']} {row['cutoff'].date()}: history {row['history']:,},"
                f" target {row['target']:,}"
            )


def compare_(
    a: Annotated[Path, typer.Argument(metavar="A", help="A manifest, or a study's folder")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Another")],
    json_: JsonFlag = False,
) -> None:
    """Compare two manifests by the papers in their pools; exit 1 where they differ."""
    from core.forecast.manifest import compare_manifests, read_manifest

    found = compare_manifests(read_manifest(a), read_manifest(b))
    if json_:
        print_json({"equal": found.equal, **vars(found)})
    else:
        typer.echo(
            f"{found.same:,} episodes are the same; {len(found.changed):,} hold other papers,"
            f" {len(found.other_end):,} end on another day, {len(found.only_a):,} only in A,"
            f" {len(found.only_b):,} only in B"
        )
        for item in found.changed[:20]:
            typer.echo(
                f"{item.topic} {item.cutoff}: history −{len(item.history_only_a)}"
                f" +{len(item.history_only_b)}, target −{len(item.target_only_a)}"
                f" +{len(item.target_only_b)}"
            )
    if not found.equal:
        raise typer.Exit(1)


def candidates_(
    study: StudyFolder,
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Judged JSON files")],
) -> None:
    """Take the candidates that a judged IdeaForecastBench file names, in place of a search.

    Its windows are kept as attempts too, so that one without a forecast counts as a miss.
    """
    import pandas as pd

    from core.errors import DataError
    from core.forecast.benchmark_files import benchmark_attempts, benchmark_candidates
    from core.forecast.stored import write_attempts
    from core.matching.candidates import inputs_digest
    from core.study import CandidatesInfo, Study, frame_digest

    opened = Study.open(study)
    found = [benchmark_candidates(path) for path in files]
    encoders = sorted({encoder for _, encoder, _ in found})
    if len(encoders) > 1:
        raise DataError(f"These files' candidates come from unlike encoders: {', '.join(encoders)}")
    frame = pd.concat([part for part, _, _ in found], ignore_index=True)
    frame = frame.drop_duplicates(["idea_id", "paper_id"]).reset_index(drop=True)
    known = frame["idea_id"].isin(opened.ideas["idea_id"]) & frame["paper_id"].isin(
        opened.papers["paper_id"]
    )
    depth = max(depth for _, _, depth in found)
    info = CandidatesInfo(
        encoder=encoders[0],
        revision="as imported",
        encoder_digest="",
        depth=depth,
        pool="topic",
        inputs=inputs_digest(opened, "topic", depth),
        digest=frame_digest(frame),
    )
    opened.write_candidates(frame, info)
    write_attempts(opened, [attempt for path in files for attempt in benchmark_attempts(path)])
    note(
        f"{len(frame):,} candidates of encoder {encoders[0]}; {int((~known).sum()):,} are of ideas"
        " or papers that the study does not have and take no part"
    )
